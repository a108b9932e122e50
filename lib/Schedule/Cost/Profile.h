// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of a state do, with tile sizes left open: items of work, each with the axes
// whose tiles it covers and the loops that repeat it. Made once per state; estimates for given
// sizes are sums over its items.

#ifndef NAUTILUS_LIB_SCHEDULE_COST_PROFILE_H
#define NAUTILUS_LIB_SCHEDULE_COST_PROFILE_H

#include "nautilus/Schedule/Expr.h"
#include "nautilus/Schedule/State.h"

namespace mlir::nautilus::schedule {

/// The part of an axis that a tile covers: the tile of a loop, or all of it.
struct Span {
  unsigned axis;
  int loop; // State::loops; -1: no loop, the whole axis
};
using Spans = SmallVector<Span, 4>;
/// Serial loops that repeat something, outermost first.
using Path = SmallVector<unsigned, 3>;

/// Operations per element of `spans`.
struct OpItem {
  Spans spans;
  Path path;
  OpCounts ops;
  bool isMasked = false; // only where a mask must be evaluated
};

/// A tile that comes from or goes to global memory.
struct MemoryItem {
  ValueRef tensor;
  Spans spans;    // of the axes that subscripts walk
  int inner = -1; // position in `spans` of the one that walks the last dim, if one does
  Path path;
  int64_t bits = 0; // of an element
  bool isWrite = false;
  bool isWorkspace = false; // written by one kernel for another
  bool isOperand = false;   // read by products alone
};

/// A reduction by products of two tensors. The operands are `left`, along rows, and `right`, along
/// columns.
struct DotItem {
  Spans spans;                   // of all axes of the statement
  unsigned rows, columns, depth; // positions in `spans`
  Path path;
  int64_t operandBits = 0; // 16: both are 16-bit floats; 0: tensor cores can't take them
  bool isLeftLoaded = false, isRightLoaded = false;       // or computed
  bool isLeftAlongDepth = true, isRightAlongDepth = true; // contiguous in memory
};

/// A tile value in registers, from the statement that makes it to the last one that reads it; a
/// carried one lives from the first statement of its loop on.
struct ValueItem {
  Spans spans;
  int64_t bits = 32;
  unsigned first, last; // positions in the kernel's order of statements
  bool isCarried = false;
  bool isScratch = false; // between the operations of one statement
};

struct MaskedLoop {
  unsigned loop;
  SmallVector<MaskCondition> conditions;
};

struct KernelProfile {
  std::string name;
  SmallVector<unsigned> gridLoops, serialLoops; // outermost first
  std::vector<OpItem> ops;
  std::vector<MemoryItem> memory;
  std::vector<DotItem> dots;
  std::vector<ValueItem> values;
  unsigned numStatements = 0;
  SmallVector<MaskedLoop> masks;
};

struct Profile {
  State state; // complete
  std::vector<KernelProfile> kernels;

  int64_t getExtent(unsigned axis) const;
  int64_t getExtentOfDim(StringRef dim) const;
};

/// Completes `state` and analyses it.
Profile makeProfile(const State &state);

} // namespace mlir::nautilus::schedule

#endif
