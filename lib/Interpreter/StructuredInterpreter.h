// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of an interpreter that every level shares: values by SSA name, `arith` and `math` on
// scalars and tiles, and structured control flow. A level derives from it and runs its own ops.

#ifndef NAUTILUS_LIB_INTERPRETER_STRUCTUREDINTERPRETER_H
#define NAUTILUS_LIB_INTERPRETER_STRUCTUREDINTERPRETER_H

#include "ElementOps.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace mlir::scf {
class ForOp;
class IfOp;
} // namespace mlir::scf

namespace mlir::nautilus::interpreter {

/// What a memref stands for: part of a tensor's storage, with extents and strides of its own.
struct MemoryView {
  std::shared_ptr<Tensor> storage;
  int64_t offset = 0;
  SmallVector<int64_t> shape, strides;
};

struct TensorMap;

/// A value at run time; which member counts follows from its type.
struct RuntimeValue {
  Element scalar = {};
  std::shared_ptr<const Tensor> tile;
  std::shared_ptr<const MemoryView> memory;
  std::shared_ptr<const TensorMap> map;
  /// Of a product in flight, whose `tile` is poison: what it will be.
  std::shared_ptr<const Tensor> inFlight;
  /// The group of a product in flight, or the count by which a buffer was got.
  int64_t stamp = 0;
};

class StructuredInterpreter {
public:
  explicit StructuredInterpreter(Mode mode) : mode(mode) {}
  virtual ~StructuredInterpreter() = default;

protected:
  /// Runs an op that is neither element-wise nor control flow; null if it is unknown at this level.
  virtual std::optional<LogicalResult> runLevelOp(Operation &op) = 0;

  /// The shape of what is kept for a tile of that type: all of it, unless a level keeps a part.
  virtual SmallVector<int64_t> storageShape(RankedTensorType type) {
    return SmallVector<int64_t>(type.getShape());
  }

  /// Runs all ops but the terminator.
  LogicalResult runBlock(Block &block);

  RuntimeValue &value(Value v) { return values[v]; }
  int64_t &integer(Value v) { return values[v].scalar.i; }
  const Tensor &tile(Value v) { return *values[v].tile; }
  void setTile(Value v, Tensor tensor) {
    values[v].tile = std::make_shared<Tensor>(std::move(tensor));
  }

  LogicalResult runOp(Operation &op);

  const Mode mode;

private:
  LogicalResult runFor(scf::ForOp loop);
  LogicalResult runIf(scf::IfOp branch);
  LogicalResult runElementwise(Operation &op);
  void runOnTiles(Operation &op, const ElementOp &resolved);

  llvm::DenseMap<Value, RuntimeValue> values;
  llvm::DenseMap<Operation *, ElementOp> elementOps;
};

} // namespace mlir::nautilus::interpreter

#endif
