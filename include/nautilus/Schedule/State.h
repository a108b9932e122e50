// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block graph of one kernel: statements, the loops around them, and which axes of different
// statements are one. A State is a plain value: copies share only immutable bodies, so that a
// search holds thousands of them without cloning IR. `readState` makes one from a kernel in math
// form or in loop form, primitives turn one into another, `materialize` writes one back as loop
// form.
//
// After the paper's block graph (arXiv 2604.14825, section on the auto-scheduler): ovals are
// Statements, boxes are Loops. Value semantics make versions and anti-dependences unnecessary.

#ifndef NAUTILUS_SCHEDULE_STATE_H
#define NAUTILUS_SCHEDULE_STATE_H

#include "nautilus/Schedule/Body.h"
#include "nautilus/Schedule/MaskSplit.h"

#include "mlir/IR/AffineMap.h"

#include <map>
#include <optional>

namespace mlir::nautilus::schedule {

/// An axis shared by all statements that walk it together: one class of the unification over access
/// maps. Two statements share an axis when one reads the other's result at that bare axis.
struct Axis {
  std::string name;
  std::string dim;
  int64_t extent; // ShapedType::kDynamic if known only at the call
  int64_t hint;   // typical extent, 0 = none
};

/// A tile size: a number, the name of a knob, or a knob with the number selected for it.
struct TileSize {
  int64_t value = 0; // 0 = open
  std::string knob;

  static TileSize get(int64_t value) { return {value, {}}; }
  bool isOpen() const { return value == 0; }
};

/// A tensor that a statement reads or that the kernel returns.
struct ValueRef {
  enum class Kind {
    Argument, // of the kernel; `id` is its number
    Result,   // of statement `id`: its newest value where the reader stands
    Previous  // of reduction `id`: its value before this iteration of the loop that carries it
  };
  Kind kind;
  unsigned id;
  unsigned result = 0;

  friend bool operator==(const ValueRef &a, const ValueRef &b) {
    return a.kind == b.kind && a.id == b.id && a.result == b.result;
  }
  friend bool operator<(const ValueRef &a, const ValueRef &b) {
    return std::tie(a.kind, a.id, a.result) < std::tie(b.kind, b.id, b.result);
  }
  bool isResultOf(unsigned stmt) const { return kind != Kind::Argument && id == stmt; }
};

struct Read {
  ValueRef value;
  AffineMap map; // from the statement's axes to the dims of the tensor
};

struct Statement {
  struct LocalAxis {
    std::string name; // as subscripts and `index` of the body say it
    unsigned axis;    // State::axes
  };

  std::string name;
  SmallVector<LocalAxis> axes; // parallel ones first
  unsigned numParallel = 0;
  SmallVector<Read> reads;
  /// Start values of a reduction; empty: the carried value in a loop over a reduction axis, else
  /// the identity.
  SmallVector<ValueRef> inits;
  std::shared_ptr<const Body> body;

  bool isReduce() const { return numParallel < axes.size(); }
  ArrayRef<LocalAxis> getParallelAxes() const { return ArrayRef(axes).take_front(numParallel); }
  ArrayRef<LocalAxis> getReductionAxes() const { return ArrayRef(axes).drop_front(numParallel); }
  bool hasAxis(unsigned axis) const;
  bool reducesOver(unsigned axis) const;
  /// Position of the local axis called `name`.
  std::optional<unsigned> findAxis(StringRef name) const;
};

/// A child of a loop or of the root list.
struct Node {
  enum class Kind { Loop, Statement };
  Kind kind;
  unsigned id;

  bool isLoop() const { return kind == Kind::Loop; }
  friend bool operator==(const Node &a, const Node &b) { return a.kind == b.kind && a.id == b.id; }
};

/// A loop over the tiles of an axis. Whether its iterations depend on one another isn't stored:
/// they do if a statement below reduces over the axis.
struct Loop {
  unsigned axis;
  TileSize tile;
  bool isGrid = false; // bound to thread blocks
  SmallVector<Node> children;
  /// Set when the range is split into bare and masked parts, none of them fully masked out.
  std::optional<MaskSplit> split;
  /// Set when each point of another axis, over which a grid loop around runs, has one part of the
  /// range: equally many tiles, and the last points fewer or none.
  std::optional<unsigned> part;
};

/// How a launch runs, apart from what it computes; 0 leaves a number to the back end.
struct LaunchOptions {
  int64_t warps = 0;       // that compute
  int64_t stages = 0;      // slots of a channel that is filled in a loop
  bool persistent = false; // blocks take several tiles each
  scalar::GridOrder order = scalar::GridOrder::Natural;

  friend bool operator==(const LaunchOptions &a, const LaunchOptions &b) {
    return a.warps == b.warps && a.stages == b.stages && a.persistent == b.persistent &&
           a.order == b.order;
  }
};

struct State {
  std::string name; // of the kernel
  SmallVector<Axis> axes;
  SmallVector<std::string> arguments;
  std::vector<Statement> statements; // those not in the tree are dead
  std::vector<Loop> loops;
  SmallVector<Node> roots; // one kernel launch each, in order
  SmallVector<ValueRef> outputs;
  /// Options of launches, each by one statement of its root.
  std::map<unsigned, LaunchOptions> launches;

  /// The live statement called `name`.
  std::optional<unsigned> findStatement(StringRef name) const;
  /// Live statements in execution order.
  SmallVector<unsigned> getOrder() const;
  /// Loops around a statement, outermost first.
  SmallVector<unsigned> getLoopsAround(unsigned stmt) const;
  /// The same, innermost first.
  SmallVector<unsigned> getLoopsInsideOut(unsigned stmt) const;
  /// The loop that tiles `axis` around `stmt`, if any.
  std::optional<unsigned> findLoop(unsigned stmt, unsigned axis) const;
  /// Number of the root under which a statement stands.
  unsigned getRoot(unsigned stmt) const;
  /// Options of the launch that root `root` is.
  LaunchOptions getLaunch(Node root) const;
  /// The list that holds `node`: the roots or a loop's children.
  SmallVectorImpl<Node> &getSiblings(Node node);
  /// Statements below a node in execution order.
  SmallVector<unsigned> getStatementsBelow(Node node) const;
  /// Live statements that read a result of `stmt` (as input or start value).
  SmallVector<unsigned> getReaders(unsigned stmt) const;
  bool isOutput(unsigned stmt) const;
  /// True if a statement below `loop` reduces over its axis.
  bool isReductionLoop(unsigned loop) const;
  /// True if `stmt` accumulates over the iterations of `loop`.
  bool isCarriedBy(unsigned stmt, unsigned loop) const;
  /// A live statement outside of a serial loop that reads what each iteration of the loop makes
  /// anew in `stmt`, if any.
  std::optional<unsigned> findReaderBeyondLoop(unsigned stmt) const;
  /// A name no live statement has: `base`, or `base.1`, `base.2`, …
  std::string getFreshName(StringRef base) const;

  /// Fills open sizes of knobs from `values`; sizes that stay open keep value 0.
  void selectKnobs(function_ref<int64_t(StringRef)> values);
};

enum class Naming { Named, Anonymous };

/// The canonical text of a state: loops and statements in tree order, axes by order of appearance.
/// Equal texts are equal states. Anonymous text has no names but those of dims whose extent a body
/// reads, and neither order of naming nor history, so that states that differ in these alone hash
/// alike; knobs stand for their sizes there.
void print(raw_ostream &os, const State &state, Naming naming = Naming::Named);
bool operator==(const State &a, const State &b);
uint64_t hashState(const State &state);

} // namespace mlir::nautilus::schedule

#endif
