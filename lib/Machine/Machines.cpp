// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptions, as data.
//
// The tags name the source of a figure. [occupancy] and [limits] were read in full; of the other
// pages only excerpts were, so check a figure there before you rely on it. A figure without a tag
// was not found in any source, and is marked so.
//   [occupancy] cuda_occupancy.h of CUDA 13.0: blocks, shared memory and registers per capability
//   [limits]  tables of the CUDA C++ programming guide as restated with their origin in public code
//             (threads and shared memory per multiprocessor of 8.0, 8.9, 9.0 and 12.0)
//   [ampere]  NVIDIA's article "NVIDIA Ampere Architecture In-Depth" (a copy of it)
//   [pc2]     the Paderborn centre's page on its A100 SXM4 40 GB, with a device query
//   [h100]    G. Lockwood's notes on H100 and H200, which cite the white paper
//   [cc]      Chips and Cheese, "Nvidia's H100: Funny L2, and Tons of Bandwidth"
//   [l40s]    vendors' pages that quote the data sheet of L40S
//   [ada]     articles on the Ada white paper
//   [gb202]   reviews of RTX 5090 and announcements of RTX PRO 6000 Blackwell
//   [ptx]     PTX ISA: which target has which instruction
//   [derived] from a data sheet's peak: operations / (multiprocessors * clock)
//   [measured] on the device named
// Not found: level-2 bandwidth per clock of any of these. H200's is bounded from below by measured
// kernels (28 bytes per multiprocessor and clock); the others are estimates. The rates of special
// units and of integer lanes are those of the programming guide's table of throughputs as generally
// quoted; no copy with these capabilities could be opened.

#include "nautilus/Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"

using namespace nautilus::machine;

static constexpr int64_t kib = 1024, mib = 1024 * kib;

// Level-2 bandwidth: 5120 bytes/clk on A100 and H100, 64 bytes per multiprocessor and clock on
// GeForce-class parts; estimates, see above.
static constexpr Device ampereDevices[] = {
    // 108 multiprocessors, 1.41 GHz, 40 MiB [pc2]; 312 Tflop/s of f16 [pc2]; 1555 GB/s [ampere,
    // pc2]. The bandwidth of the 80 GB board was not looked up.
    {"A100-SXM4-80GB", 108, 1.41, 40 * mib, 5120, 2039},
    {"A100-SXM4-40GB", 108, 1.41, 40 * mib, 5120, 1555},
};
static constexpr Device adaDevices[] = {
    // 362 Tflop/s of dense f16, 142 multiprocessors, 2.52 GHz, 864 GB/s, 48 MiB [l40s]; the whole
    // AD102 has 96 MiB [ada].
    {"L40S", 142, 2.52, 48 * mib, 142 * 64, 864},
    // 128 multiprocessors, 2.52 GHz, 1008 GB/s, 72 MiB [ada]. 661 Tflop/s of sparse f16 [ada] are
    // 330 dense; GeForce runs f32 accumulation at half of that.
    {"RTX 4090", 128, 2.52, 72 * mib, 128 * 64, 1008, 0.5},
};
static constexpr Device hopperDevices[] = {
    // 989.4 Tflop/s of f16 = 132 * 1.83 GHz * 4096 flop/clk [h100, derived]; 3.35 TB/s [h100];
    // 50 MiB [cc]. H200 has the same chip with 4.8 TB/s; copies reach 4.23 [measured on H200].
    {"H200-SXM", 132, 1.83, 50 * mib, 5120, 4800},
    {"H100-SXM5", 132, 1.83, 50 * mib, 5120, 3350},
};
static constexpr Device blackwellDevices[] = {
    // 188 multiprocessors, about 2.6 GHz, 128 MiB, 1792 GB/s [gb202]; 4000 Top/s of sparse fp4
    // [gb202] = 500 Tflop/s of dense f16 [derived].
    {"RTX PRO 6000 Blackwell", 188, 2.6, 128 * mib, 188 * 64, 1792},
    // 170 multiprocessors, 2.407 GHz, 96 MiB, 1792 GB/s [gb202]. 838 Tflop/s of sparse f16 [gb202]
    // are 419 dense; GeForce runs f32 accumulation at half of that.
    {"RTX 5090", 170, 2.407, 96 * mib, 170 * 64, 1792, 0.5},
};

/// What all of these have in common [occupancy, limits].
static constexpr Machine makeCommon(llvm::StringRef arch, llvm::ArrayRef<Device> devices) {
  Machine machine{};
  machine.arch = arch;
  machine.warpSize = 32;
  machine.maxThreadsPerBlock = 1024;
  machine.registersPerMultiprocessor = 65536;
  machine.maxRegistersPerThread = 255;
  machine.registerGranularity = 8;
  machine.sharedReservedPerBlock = 1 * kib; // since 8.0 [limits]
  machine.maxClusterBlocks = 1;
  machine.hasCpAsync = true;
  machine.devices = devices;
  return machine;
}

static Machine makeAmpere() {
  Machine machine = makeCommon("sm_80", ampereDevices);
  machine.maxThreadsPerMultiprocessor = 2048;
  machine.maxBlocksPerMultiprocessor = 32;
  machine.sharedPerMultiprocessor = 164 * kib; // [occupancy, limits]
  machine.sharedPerBlock = 163 * kib;
  // 64 f32 lanes and 1024 f16 multiply-adds [ampere].
  machine.rates = {64, 64, 16, 1024, 128};
  return machine;
}

static Machine makeAda() {
  Machine machine = makeCommon("sm_89", adaDevices);
  machine.maxThreadsPerMultiprocessor = 1536;
  machine.maxBlocksPerMultiprocessor = 24;
  machine.sharedPerMultiprocessor = 100 * kib; // [occupancy, limits]
  machine.sharedPerBlock = 99 * kib;
  machine.hasFp8 = true; // mma.sync with e4m3, e5m2 from sm_89 on [ptx]
  // 128 f32 lanes; 362 Tflop/s / (142 * 2.52 GHz) = 1012 flop/clk [l40s, derived].
  machine.rates = {128, 64, 16, 512, 128};
  return machine;
}

static Machine makeHopper() {
  Machine machine = makeCommon("sm_90a", hopperDevices);
  machine.maxThreadsPerMultiprocessor = 2048;
  machine.maxBlocksPerMultiprocessor = 32;
  machine.sharedPerMultiprocessor = 228 * kib; // [occupancy, limits]
  machine.sharedPerBlock = 227 * kib;          // 232448
  machine.maxClusterBlocks = 8;                // portable; 16 by opting in; not looked up
  machine.hasTma = machine.hasTmaMulticast = machine.hasWgmma = machine.hasSetMaxNReg = true;
  machine.hasFp8 = true;
  // 128 f32 lanes [h100]; wgmma m64nNk16 takes N/2 clocks: 4096 flop/clk [h100, derived].
  machine.rates = {128, 64, 16, 2048, 128};
  return machine;
}

static Machine makeBlackwell() {
  Machine machine = makeCommon("sm_120a", blackwellDevices);
  machine.maxThreadsPerMultiprocessor = 1536;
  machine.maxBlocksPerMultiprocessor = 24;
  machine.sharedPerMultiprocessor = 100 * kib; // [occupancy, limits]
  machine.sharedPerBlock = 99 * kib;
  // TMA and setmaxnreg are there, wgmma is not; no multicast, so clusters of one [ptx, CUTLASS].
  machine.hasTma = machine.hasSetMaxNReg = machine.hasFp8 = true;
  // 128 lanes for f32 or integers; mma.sync at Ada's rate [gb202, derived].
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
