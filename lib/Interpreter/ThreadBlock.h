// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the warps of a simulated thread block share: shared memory by bytes, mbarriers, the copies
// that TMA has under way, and the barrier at which the computing warps meet.

#ifndef NAUTILUS_LIB_INTERPRETER_THREADBLOCK_H
#define NAUTILUS_LIB_INTERPRETER_THREADBLOCK_H

#include "Tasks.h"
#include "TensorMap.h"

#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace mlir::nautilus::interpreter {

/// Who touches shared memory: a warp between two meetings of the computing warps, or TMA.
struct Accessor {
  int64_t warp = tma;
  int64_t meeting = 0; ///< Number of meetings before the access.
  static constexpr int64_t tma = -2;
};

/// Byte-addressed memory that remembers, for each element, its type and who touched it last.
/// Reports what no device would: reading bytes that nobody wrote or that were written as another
/// type, two warps that touch an element between the same meetings, and writing what a product in
/// flight reads.
class SharedMemory {
public:
  explicit SharedMemory(int64_t bytes) : cells(bytes) {}

  LogicalResult write(Operation *op, int64_t address, ElementKind kind, Element value,
                      Accessor who);
  LogicalResult read(Operation *op, int64_t address, ElementKind kind, Element &value,
                     Accessor who);

  /// Bytes [begin, end) that group `group` of a warp's products reads until it is waited for.
  struct InFlight {
    int64_t warp, group, begin, end;
  };
  void addInFlight(InFlight range) { inFlight.push_back(range); }
  /// The groups of `warp` up to `group` have completed.
  void complete(int64_t warp, int64_t group);
  bool isInFlight(int64_t begin, int64_t end, std::optional<int64_t> warp = {}) const;

  /// Bytes of an element; an index takes 4 in a kernel.
  static int64_t bytesOf(ElementKind kind) {
    return kind == ElementKind::Index ? 4 : byteWidth(kind);
  }

private:
  struct Cell {
    Element value = {};
    ElementKind kind = ElementKind::F64;
    bool written = false;
    int16_t writer = Accessor::tma, reader = Accessor::tma;
    int32_t writeMeeting = -1, readMeeting = -1;
  };
  LogicalResult checkAddress(Operation *op, int64_t address, ElementKind kind);

  std::vector<Cell> cells;
  SmallVector<InFlight> inFlight;
};

/// An mbarrier: a phase ends when all arrivals and all announced bytes have come.
struct Barrier {
  int64_t count = 1, pending = 1, bytes = 0, phases = 0;
  void arrive() {
    --pending;
    settle();
  }
  void completeBytes(int64_t number) {
    bytes -= number;
    settle();
  }
  /// `mbarrier.try_wait.parity`: whether the phase of that parity has ended.
  bool hasEnded(int64_t parity) const { return (phases & 1) != parity; }

private:
  void settle() {
    if (pending == 0 && bytes == 0) {
      ++phases;
      pending = count;
    }
  }
};

/// A channel as laid out in shared memory.
struct Channel {
  int64_t slots, offset, barriers;
  matile::BufferType buffer;
  int64_t puts = 0;

  int64_t addressOf(int64_t slot) const { return offset + slot * buffer.getSizeInBytes(); }
  int64_t full(int64_t slot) const { return barriers + 8 * slot; }
  int64_t empty(int64_t slot) const { return barriers + 8 * (slots + slot); }
};

/// One box on its way to shared memory.
struct Transfer {
  matile::PutOp op;
  std::shared_ptr<const TensorMap> map;
  SmallVector<int64_t> coordinates; ///< Innermost first.
  int64_t destination, barrier;
  /// What `op` means: the tile, of which the box is the columns from `firstColumn`.
  std::shared_ptr<const Tensor> meaning;
  int64_t firstColumn;
};

class ThreadBlock {
public:
  ThreadBlock(matile::KernelOp kernel, int64_t numBlocks, int64_t block, uint64_t seed);

  /// Sets up the channels; fails if shared memory has not been laid out.
  LogicalResult init();
  /// Whether a channel's slot holds `address`, and which.
  std::optional<std::pair<Value, int64_t>> findSlot(int64_t address);
  /// Moves the oldest copy under way, or another one that the seed chooses.
  LogicalResult moveTransfer();

  matile::KernelOp kernel;
  const int64_t numWarps, numBlocks, block;
  Tasks tasks;
  SharedMemory memory;
  llvm::MapVector<Value, Channel> channels;
  std::map<int64_t, Barrier> barriers; ///< By address.
  std::deque<Transfer> transfers;
  int64_t numRunning = 0; ///< Warps that have not returned.
  int64_t arrived = 0, meetings = 0;

private:
  std::mt19937_64 random;
};

} // namespace mlir::nautilus::interpreter

#endif
