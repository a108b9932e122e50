// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an architecture can do: limits, instruction shapes by rule, rates. One description per
// architecture, data (lib/Machine/Machines.cpp says which figures are checked); schedules, cost
// model, verifiers and lowering all read the same one. No MLIR here.
//
// Rates are per streaming multiprocessor and clock. Judges return true, or false and why.

#ifndef NAUTILUS_MACHINE_MACHINE_H
#define NAUTILUS_MACHINE_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace nautilus::machine {

/// Operand types of tensor core instructions.
enum class MmaType { F16, BF16, TF32, E4M3, E5M2, I8 };
int64_t bitWidth(MmaType type);

/// A product of m x k by k x n.
struct MmaShape {
  int64_t m, n, k;
  bool operator==(const MmaShape &o) const { return m == o.m && n == o.n && k == o.k; }
};

/// A product with its name on the market; what differs between boards of one architecture.
struct Device {
  llvm::StringRef name;
  int64_t multiprocessors;
  double clockGHz; ///< sustained under load
  int64_t l2Bytes;
  double l2BytesPerClock;     ///< whole device
  double dramGBytesPerSecond; ///< nominal
  double tensorScale = 1;     ///< of the architecture's tensor rate with f32 accumulation
};

/// Operations per multiprocessor and clock; a multiply-add counts as one.
struct Rates {
  double fma;          ///< f32
  double alu;          ///< 32-bit integer and logic
  double specialUnits; ///< ex2, lg2, rcp, rsqrt, sin, cos, tanh (MUFU)
  double tensor16;     ///< multiply-adds of 16-bit floats, f32 accumulation
  double sharedBytes;  ///< shared memory, bytes
};

/// What a tensor map may describe (cuTensorMapEncodeTiled).
struct TmaLimits {
  int64_t maxRank = 5;
  int64_t addressAlignment = 16; ///< bytes, of the tensor
  int64_t strideAlignment = 16;  ///< bytes, of all strides but the first
  int64_t strideEnd = int64_t(1) << 40;
  int64_t maxExtent = int64_t(1) << 32;
  int64_t maxBox = 256;          ///< elements per dim
  int64_t boxBytesMultiple = 16; ///< bytes of the innermost box row
  int64_t descriptorBytes = 128; ///< of the map itself
  int64_t descriptorAlignment = 64;
};

struct BarrierLimits {
  int64_t namedBarriers = 16; ///< per block; number 0 is the block's own
  int64_t mbarrierBytes = 8;
  int64_t maxPending = (1 << 20) - 1;     ///< arrivals that an mbarrier can expect
  int64_t maxTransaction = (1 << 20) - 1; ///< bytes outstanding on an mbarrier
};

/// Limits of setmaxnreg's operand.
struct RegisterRequestLimits {
  int64_t least = 24, most = 256, multiple = 8;
};

/// Registers per thread of the roles of a block, see `Machine::splitRegisters`.
struct RegisterSplit {
  int64_t launch;   ///< at launch, for every thread
  int64_t producer; ///< what producers keep
  int64_t consumer; ///< what consumers get
};

/// A request to copy a box of a tensor by TMA; dim 0 is contiguous.
struct TensorMapRequest {
  int64_t elementBytes;
  int64_t addressAlignment;        ///< known of the tensor's address, bytes
  llvm::ArrayRef<int64_t> extents; ///< elements; 0 where not known until launch
  llvm::ArrayRef<int64_t> strides; ///< bytes, for dims 1 and up; 0 where not known until launch
  llvm::ArrayRef<int64_t> box;     ///< elements
  int64_t swizzle;                 ///< bytes: 0, 32, 64 or 128
};

struct Machine {
  llvm::StringRef arch;
  int64_t warpSize;
  int64_t maxThreadsPerBlock, maxThreadsPerMultiprocessor, maxBlocksPerMultiprocessor;
  int64_t registersPerMultiprocessor, maxRegistersPerThread;
  int64_t registerGranularity; ///< a thread's registers are allotted in multiples of this
  int64_t sharedPerMultiprocessor, sharedPerBlock; ///< bytes, the latter by opting in
  int64_t sharedReservedPerBlock;                  ///< bytes that the system takes
  int64_t maxClusterBlocks;                        ///< portable cluster size; 1 without clusters
  bool hasCpAsync, hasTma, hasTmaMulticast, hasWgmma, hasSetMaxNReg, hasFp8;
  Rates rates;
  TmaLimits tma;
  BarrierLimits barriers;
  RegisterRequestLimits registerRequest;
  /// What the architecture is sold as; the first is what a schedule assumes unless told.
  llvm::ArrayRef<Device> devices;

  const Device &device() const { return devices.front(); }
  int64_t maxWarpsPerMultiprocessor() const { return maxThreadsPerMultiprocessor / warpSize; }
  bool hasClusters() const { return maxClusterBlocks > 1; }
  /// Tensor multiply-adds per multiprocessor and clock for operands of `type`; 0 if it has none.
  double tensorRate(MmaType type) const;

  /// The contraction of one tensor core instruction: 256 bits of a row.
  static int64_t contraction(MmaType type) { return 256 / bitWidth(type); }
  /// Whether wgmma has a shape of `n` columns for `type` (64 rows, `contraction(type)`).
  bool isWgmmaShape(MmaType type, int64_t n, std::string *why) const;
  /// The instruction that mma.sync has for `type` with the longest contraction; none if none.
  std::optional<MmaShape> mmaSyncShape(MmaType type) const;

  /// Registers per thread that a block of `threads` can have, `blocks` of them resident.
  int64_t registersPerThread(int64_t threads, int64_t blocks = 1) const;
  /// Blocks that fit on a multiprocessor; 0 if one does not.
  int64_t blocksPerMultiprocessor(int64_t threads, int64_t registers, int64_t sharedBytes) const;
  /// How `consumers` warpgroups can take over registers of `producers` warpgroups by setmaxnreg:
  /// all warpgroups start equal, and what the block was launched with bounds the sum afterwards.
  /// Producers keep at least `producerNeed`. None without setmaxnreg or where nothing is gained.
  std::optional<RegisterSplit> splitRegisters(int64_t consumers, int64_t producers = 1,
                                              int64_t producerNeed = 24, int64_t blocks = 1) const;

  /// Whether TMA can carry out the request.
  bool isLegalTensorMap(const TensorMapRequest &request, std::string *why) const;
};

/// The description of `arch` (as ptxas names it, e.g. "sm_90a"), or null.
const Machine *lookup(llvm::StringRef arch);
/// All architectures, for messages: "sm_80, sm_89, sm_90a, sm_120a".
std::string listNames();
llvm::ArrayRef<Machine> all();

} // namespace nautilus::machine

#endif
