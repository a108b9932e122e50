// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from a description by rule: instruction shapes, occupancy, register budgets.

#include "nautilus/Machine/Machine.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace nautilus::machine;

static constexpr int64_t warpgroupThreads = 128;

//===-- Tensor cores ----------------------------------------------------------===//

int64_t nautilus::machine::bitWidth(MmaType type) {
  switch (type) {
  case MmaType::F16:
  case MmaType::BF16:
    return 16;
  case MmaType::TF32:
    return 32; // as stored; 19 bits count
  case MmaType::E4M3:
  case MmaType::E5M2:
  case MmaType::I8:
    return 8;
  }
  return 0;
}

static bool isFp8(MmaType type) { return type == MmaType::E4M3 || type == MmaType::E5M2; }

double Machine::tensorRate(MmaType type) const {
  // Half the bits, twice the rate.
  return isFp8(type) && !hasFp8 ? 0 : rates.tensor16 * 16 / bitWidth(type);
}

bool Machine::isWgmmaShape(MmaType type, int64_t n, std::string *why) const {
  auto no = [&](std::string reason) {
    if (why)
      *why = std::move(reason);
    return false;
  };
  if (!hasWgmma)
    return no(arch.str() + " has no wgmma");
  if (n < 8 || n > 256 || n % 8)
    return no("expected a multiple of 8 columns from 8 to 256, got " + std::to_string(n));
  // PTX ISA: integers leave out 40, 56, ...
  if (type == MmaType::I8 && n > 32 && n % 16)
    return no("expected a multiple of 16 columns for integers, got " + std::to_string(n));
  return true;
}

std::optional<MmaShape> Machine::mmaSyncShape(MmaType type) const {
  if (isFp8(type) && !hasFp8)
    return std::nullopt;
  return MmaShape{16, 8, contraction(type)};
}

//===-- Occupancy and registers -----------------------------------------------===//

int64_t Machine::registersPerThread(int64_t threads, int64_t blocks) const {
  if (threads < 1 || blocks < 1)
    return 0;
  int64_t warps = llvm::divideCeil(threads, warpSize) * blocks;
  int64_t perThread = registersPerMultiprocessor / (warps * warpSize);
  return std::min(perThread / registerGranularity * registerGranularity, maxRegistersPerThread);
}

int64_t Machine::blocksPerMultiprocessor(int64_t threads, int64_t registers,
                                         int64_t sharedBytes) const {
  if (threads < 1 || threads > maxThreadsPerBlock || sharedBytes > sharedPerBlock ||
      registers > maxRegistersPerThread)
    return 0;
  int64_t warps = llvm::divideCeil(threads, warpSize);
  int64_t perWarp = llvm::alignTo(std::max<int64_t>(registers, 1), registerGranularity) * warpSize;
  return std::min({maxBlocksPerMultiprocessor, maxWarpsPerMultiprocessor() / warps,
                   registersPerMultiprocessor / (perWarp * warps),
                   sharedPerMultiprocessor / (sharedBytes + sharedReservedPerBlock)});
}

std::optional<RegisterSplit> Machine::splitRegisters(int64_t consumers, int64_t producers,
                                                     int64_t producerNeed, int64_t blocks) const {
  int64_t groups = consumers + producers, step = registerRequest.multiple;
  if (!hasSetMaxNReg || consumers < 1 || producers < 1 ||
      groups * warpgroupThreads > maxThreadsPerBlock)
    return std::nullopt;
  // All warpgroups together hold this per thread of a warpgroup, and can only pass it around.
  int64_t launch = registersPerThread(groups * warpgroupThreads, blocks) / step * step,
          pool = launch * groups;
  int64_t keep = std::max<int64_t>(llvm::alignTo(producerNeed, step), registerRequest.least);
  int64_t each = (pool - producers * keep) / consumers / step * step;
  // setmaxnreg takes 256, but no instruction names a register beyond 255.
  each = std::min(each, maxRegistersPerThread / step * step);
  if (keep >= launch || each <= launch)
    return std::nullopt;
  int64_t left = (pool - consumers * each) / producers / step * step;
  return RegisterSplit{launch, std::min(left, launch), each};
}
