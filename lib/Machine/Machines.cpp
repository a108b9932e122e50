// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptions, as data.
//
// The tags say where a figure can be looked up. Checked so far, against notes on the architecture
// and against runs: sm_90a's multiprocessors, clock, f16 rate, shared memory per block, copy rate
// and the rules of wgmma, TMA and setmaxnreg. Every other figure (all of sm_80, sm_89 and sm_120a,
// all level-2 and DRAM bandwidths) was written down without opening its source: don't decide by it
// until it is checked.
//   [guide]  CUDA C++ programming guide: compute capabilities, arithmetic throughput table
//   [tuning] the architecture's tuning guide: shared memory and occupancy
//   [ptx]    PTX ISA: which target has which instruction
//   [paper]  the architecture's white paper or data sheet
//   [derived] from a data sheet's peak: operations / (multiprocessors * clock)
//   [measured] on the device named

#include "nautilus/Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"

using namespace nautilus::machine;

static constexpr int64_t kib = 1024, mib = 1024 * kib;

// Level-2 bandwidth: 5120 bytes/clk on A100 [paper]; H100's is taken as equal, GeForce-class parts
// as 64 bytes per multiprocessor and clock: estimates.
static constexpr Device ampereDevices[] = {
    // 312 Tflop/s of f16 at 1.41 GHz [paper].
    {"A100-SXM4-80GB", 108, 1.41, 40 * mib, 5120, 2039},
    {"A100-SXM4-40GB", 108, 1.41, 40 * mib, 5120, 1555},
};
static constexpr Device adaDevices[] = {
    // 362 Tflop/s of f16 with f32 accumulation at 2.52 GHz [paper].
    {"L40S", 142, 2.52, 96 * mib, 142 * 64, 864},
    // GeForce runs f32 accumulation at half rate: 165 Tflop/s [paper].
    {"RTX 4090", 128, 2.52, 72 * mib, 128 * 64, 1008, 0.5},
};
static constexpr Device hopperDevices[] = {
    // 989 Tflop/s of f16 = 132 * 1.83 GHz * 4096 flop/clk [paper, derived]. Device copies
    // reach 4.23 TB/s [measured on H200].
    {"H200-SXM", 132, 1.83, 50 * mib, 5120, 4800},
    {"H100-SXM5", 132, 1.83, 50 * mib, 5120, 3350},
};
static constexpr Device blackwellDevices[] = {
    // 4000 Top/s of sparse fp4 = 500 Tflop/s of dense f16 at 2.6 GHz [paper, derived].
    {"RTX PRO 6000 Blackwell", 188, 2.6, 128 * mib, 188 * 64, 1792},
    // GeForce runs f32 accumulation at half rate: 209 Tflop/s [paper].
    {"RTX 5090", 170, 2.41, 96 * mib, 170 * 64, 1792, 0.5},
};

/// What all of these have in common [guide].
static constexpr Machine makeCommon(llvm::StringRef arch, llvm::ArrayRef<Device> devices) {
  Machine machine{};
  machine.arch = arch;
  machine.warpSize = 32;
  machine.maxThreadsPerBlock = 1024;
  machine.registersPerMultiprocessor = 65536;
  machine.maxRegistersPerThread = 255;
  machine.registerGranularity = 8;
  machine.sharedReservedPerBlock = 1 * kib; // since 8.0 [tuning]
  machine.maxClusterBlocks = 1;
  machine.hasCpAsync = true;
  machine.devices = devices;
  return machine;
}

static Machine makeAmpere() {
  Machine machine = makeCommon("sm_80", ampereDevices);
  machine.maxThreadsPerMultiprocessor = 2048;
  machine.maxBlocksPerMultiprocessor = 32;
  machine.sharedPerMultiprocessor = 164 * kib; // [tuning]
  machine.sharedPerBlock = 163 * kib;
  // 64 f32 lanes, 16 special units [guide]; 312 Tflop/s / (108 * 1.41 GHz) = 2048 flop/clk
  // [derived].
  machine.rates = {64, 64, 16, 1024, 128};
  return machine;
}

static Machine makeAda() {
  Machine machine = makeCommon("sm_89", adaDevices);
  machine.maxThreadsPerMultiprocessor = 1536;
  machine.maxBlocksPerMultiprocessor = 24;
  machine.sharedPerMultiprocessor = 100 * kib; // [tuning]
  machine.sharedPerBlock = 99 * kib;
  machine.hasFp8 = true; // mma.sync with e4m3, e5m2 from sm_89 on [ptx]
  // 128 f32 lanes, 64 of them integer too [guide]; 362 Tflop/s / (142 * 2.52 GHz) = 1024 flop/clk.
  machine.rates = {128, 64, 16, 512, 128};
  return machine;
}

static Machine makeHopper() {
  Machine machine = makeCommon("sm_90a", hopperDevices);
  machine.maxThreadsPerMultiprocessor = 2048;
  machine.maxBlocksPerMultiprocessor = 32;
  machine.sharedPerMultiprocessor = 228 * kib; // [tuning]
  machine.sharedPerBlock = 227 * kib;          // 232448
  machine.maxClusterBlocks = 8;                // portable; 16 by opting in [guide]
  machine.hasTma = machine.hasTmaMulticast = machine.hasWgmma = machine.hasSetMaxNReg = true;
  machine.hasFp8 = true;
  // 128 f32 lanes, 64 integer, 16 special [guide]; wgmma m64nNk16 takes N/2 clocks: 4096 flop/clk.
  machine.rates = {128, 64, 16, 2048, 128};
  return machine;
}

static Machine makeBlackwell() {
  Machine machine = makeCommon("sm_120a", blackwellDevices);
  machine.maxThreadsPerMultiprocessor = 1536;
  machine.maxBlocksPerMultiprocessor = 24;
  machine.sharedPerMultiprocessor = 100 * kib; // [guide]
  machine.sharedPerBlock = 99 * kib;
  // TMA and setmaxnreg are there, wgmma is not; no multicast, so clusters of one [ptx, CUTLASS].
  machine.hasTma = machine.hasSetMaxNReg = machine.hasFp8 = true;
  // 128 lanes for f32 or integers [paper]; mma.sync at Ada's rate [derived].
  machine.rates = {128, 128, 16, 512, 128};
  return machine;
}

llvm::ArrayRef<Machine> nautilus::machine::all() {
  static const Machine machines[] = {makeAmpere(), makeAda(), makeHopper(), makeBlackwell()};
  return machines;
}

const Machine *nautilus::machine::lookup(llvm::StringRef arch) {
  const auto *found = llvm::find_if(all(), [&](const Machine &m) { return m.arch == arch; });
  return found == all().end() ? nullptr : found;
}

std::string nautilus::machine::listNames() {
  std::string names;
  for (const Machine &machine : all())
    names += (names.empty() ? "" : ", ") + machine.arch.str();
  return names;
}
