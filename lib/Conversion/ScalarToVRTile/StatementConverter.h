// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile statement (map or reduce) of a grid to nautilus_vrtile: loads, elementwise code,
// masks, products and reductions.

#ifndef NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_STATEMENTCONVERTER_H
#define NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_STATEMENTCONVERTER_H

#include "Access.h"
#include "GridConverter.h"
#include "TileBuilder.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::nautilus {

class StatementConverter {
public:
  StatementConverter(GridConverter &grid, scalar::MapOp op);
  StatementConverter(GridConverter &grid, scalar::ReduceOp op);

  LogicalResult convert();

private:
  //===-- Axes and inputs -----------------------------------------------------===//
  LogicalResult analyze();
  LogicalResult checkUnitAxes(const Access &access);
  /// The origin of an axis as a value.
  Value getOrigin(unsigned axis);
  Value getStart(const Subscript &subscript);
  /// Whether a load's bounds along the axis are the axis' domain, so that padding fills what is
  /// outside.
  bool isPaddedByLoad(unsigned input, unsigned axis);
  void remarkOnSteps(AffineMap map);
  FailureOr<TileValue> readInput(unsigned input);
  FailureOr<TileValue> loadInput(unsigned input);
  FailureOr<TileValue> evaluateLeaf(Value value);

  //===-- Reductions ------------------------------------------------------------===//
  LogicalResult convertMap(scalar::MapOp map);
  LogicalResult convertReduce(scalar::ReduceOp reduce);
  /// A product of two tiles summed over their one shared axis; false if the statement is not of
  /// that kind.
  FailureOr<bool> convertDot(scalar::ReduceOp reduce);
  FailureOr<TileValue> getDotOperand(Value value);
  /// The tile axes that a body value depends on.
  const llvm::SmallBitVector &getAxes(Value value);
  /// True if a body value is zero at all points outside the domain of the axis.
  bool isZeroOutside(Value value, unsigned axis);
  /// Makes loads fill the outside of reduction axes with the identity, where that saves the mask.
  void choosePadding(scalar::ReduceOp reduce);
  TileValue mask(const TileValue &tile, unsigned axis, TypedAttr outside);
  FailureOr<SmallVector<TileValue>> combineElements(scalar::ReduceOp reduce);
  FailureOr<SmallVector<TileValue>> combineInits(scalar::ReduceOp reduce,
                                                 ArrayRef<TileValue> reduced);
  void setResult(Value result, const TileValue &tile);

  GridConverter &grid;
  Operation *op;
  Block &body;
  SmallVector<scalar::AxisAttr> axes;
  SmallVector<Value> scalarOrigins; ///< In the grid, null for 0.
  unsigned numParallel;
  ValueRange inputs;
  ArrayAttr maps;
  Location loc;

  SmallVector<int64_t> sizes;
  SmallVector<Access> accesses;
  SmallVector<TypedAttr> paddings;  ///< By input; null for zero.
  SmallVector<unsigned> maskedAxes; ///< Reduction axes that may leave their dim.
  std::optional<TileBuilder> tiles;
  std::optional<BlockEvaluator> evaluator;
  DenseMap<Value, llvm::SmallBitVector> axesOf;
};

} // namespace mlir::nautilus

#endif
