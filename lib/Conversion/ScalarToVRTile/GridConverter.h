// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One grid of a nautilus_scalar kernel in, one nautilus_vrtile.kernel and what its launch needs
// out.
//
// The converter walks the grid once, in order. It does not use the dialect conversion driver: a
// tile value loses the dims of one point, a statement becomes many ops that share loads and masks,
// and the kernel's arguments are known only at the end. The driver proves afterwards that nothing
// is left.

#ifndef NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_GRIDCONVERTER_H
#define NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_GRIDCONVERTER_H

#include "mlir/IR/IRMapping.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::nautilus {

/// A whole tensor that kernels read or write.
struct WholeTensor {
  StringAttr name; ///< An argument or result of the entry; null for a workspace.
  RankedTensorType type;
  SmallVector<StringAttr> dims; ///< The named dim of each of its dims.
};

/// Which whole tensor a value of the kernel's body is, and where grids write their results.
struct TensorTable {
  std::vector<WholeTensor> tensors;
  DenseMap<Value, unsigned> reads;
  DenseMap<Value, SmallVector<unsigned, 1>> writes; ///< By grid result; none if nobody needs it.
};

struct ConversionCounts {
  unsigned kernels = 0, dots = 0, masks = 0;
};

/// A launch of the host entry: its kernel's arguments are `tensors` and then `dims`.
struct LaunchPlan {
  vrtile::KernelOp kernel;
  scalar::GridOp grid;
  SmallVector<unsigned> tensors;
  SmallVector<StringAttr> dims;
  /// Dims that one tile must cover, with its size.
  SmallVector<std::pair<StringAttr, int64_t>> covered;
};

class GridConverter {
public:
  GridConverter(scalar::KernelOp kernel, scalar::GridOp grid, TensorTable &table,
                OpBuilder &builder, ConversionCounts &counts)
      : b(builder), counts(counts), kernel(kernel), grid(grid), table(table) {}

  /// Makes the kernel at the builder's insertion point; failure after a diagnostic.
  FailureOr<LaunchPlan> convert(StringRef name);

  //===-- For statements ------------------------------------------------------===//

  /// An index value of the grid in the new kernel; null after a diagnostic.
  Value getIndex(Value value);
  /// The tile that stands for a tile value: its dims of one point are gone.
  Value getTile(Value value) { return map.lookup(value); }
  void setTile(Value value, Value tile) { map.map(value, tile); }
  /// The kernel's memref of a whole tensor.
  Value getMemRef(Value tensor) { return memrefs.lookup(table.reads.lookup(tensor)); }
  const WholeTensor &getTensor(Value tensor) { return table.tensors[table.reads.lookup(tensor)]; }

  /// The extent of a dim, or kDynamic.
  int64_t getSize(StringAttr dim) { return kernel.lookupDim(dim).getSize(); }
  /// The extent as a value: a constant or an argument of the kernel.
  Value getExtent(StringAttr dim);
  Value getConstant(int64_t value);
  bool haveEqualExtents(StringAttr x, StringAttr y);

  /// Number of points of an axis; failure, after a diagnostic, if that is not static.
  FailureOr<int64_t> getNumPoints(Operation *op, scalar::AxisAttr axis);
  /// Whether every point of the axis is provably inside its dim. `origin` is null for 0.
  bool isInside(scalar::AxisAttr axis, Value origin);
  /// Whether the origin is a multiple of the axis' number of points.
  bool isAligned(scalar::AxisAttr axis, Value origin);
  bool mayBeNegative(Value origin);

  OpBuilder &b;
  ConversionCounts &counts;

private:
  void createKernel(StringRef name);
  LogicalResult convertBlock(Block &block);
  LogicalResult convertOp(Operation *op);
  LogicalResult convertFor(scalar::ForOp op);
  LogicalResult convertAssemble(scalar::AssembleOp op);
  LogicalResult storeTile(scalar::AssembleOp op, unsigned number, unsigned tensor);
  LogicalResult checkCovered(scalar::AssembleOp op, scalar::AxisAttr axis);

  scalar::KernelOp kernel;
  scalar::GridOp grid;
  TensorTable &table;
  LaunchPlan plan;
  IRMapping map;
  DenseMap<unsigned, Value> memrefs; ///< By number in the table.
  llvm::MapVector<StringAttr, Value> extents;
  DenseMap<int64_t, Value> constants;
  Block *body = nullptr;
  Operation *prologueEnd = nullptr; ///< What is computed once stands before this op.
};

} // namespace mlir::nautilus

#endif
