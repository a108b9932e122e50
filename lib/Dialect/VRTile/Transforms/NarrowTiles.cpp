// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise work goes before broadcasts (fewer elements) and before transposes, which then end in
// a product's flags or a reduction. First of the families, so that the others see the cheapest
// form.

#include "Family.h"
#include "Splat.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/Transforms/Patterns.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_NARROWTILESPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

/// A tile with one value everywhere, in another shape; null if `tile` is not of that kind.
static Value reshapeUniform(OpBuilder &b, Value tile, ArrayRef<int64_t> shape) {
  RankedTensorType type = getTileType(tile).clone(shape);
  Operation *op = tile.getDefiningOp();
  if (auto splat = dyn_cast_if_present<SplatOp>(op))
    return SplatOp::create(b, tile.getLoc(), type, splat.getValue());
  auto constant = dyn_cast_if_present<arith::ConstantOp>(op);
  auto dense = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  return dense ? arith::ConstantOp::create(b, tile.getLoc(), dense.resizeSplat(type)).getResult()
               : Value();
}

static bool isUniform(Value tile) {
  Operation *op = tile.getDefiningOp();
  auto constant = dyn_cast_if_present<arith::ConstantOp>(op);
  return isa_and_present<SplatOp>(op) || (constant && isa<SplatElementsAttr>(constant.getValue()));
}

static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 &&
         op->getNumOperands() > 0 && op->getNumRegions() == 0 && getTileType(op->getResult(0)) &&
         llvm::all_of(op->getOperands(), [](Value v) { return bool(getTileType(v)); });
}

/// Moves an elementwise op before the shape op `Shape` that makes its operands, all alike.
template <typename Shape> class ElementwiseBeforeShape : public RewritePattern {
public:
  ElementwiseBeforeShape(MLIRContext *context, unsigned &count)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context), count(count) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    Shape first;
    for (Value operand : op->getOperands()) {
      auto shape = operand.getDefiningOp<Shape>();
      if (!shape && !isUniform(operand))
        return failure();
      if (shape && first && !isAlike(first, shape))
        return failure();
      first = first ? first : shape;
    }
    if (!first)
      return failure();
    ArrayRef<int64_t> narrow = getTileType(first.getSource()).getShape();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto shape = operand.getDefiningOp<Shape>();
      operands.push_back(shape ? shape.getSource() : reshapeUniform(rewriter, operand, narrow));
    }
    RankedTensorType type = getTileType(op->getResult(0));
    OperationState state(op->getLoc(), op->getName(), operands, type.clone(narrow),
                         op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Value result = rewriter.create(state)->getResult(0);
    rewriter.replaceOpWithNewOp<Shape>(op, type, result, getParameter(first));
    ++count;
    return success();
  }

private:
  static ArrayRef<int64_t> getParameter(BroadcastOp op) { return op.getDims(); }
  static ArrayRef<int64_t> getParameter(TransposeOp op) { return op.getPermutation(); }
  static bool isAlike(Shape x, Shape y) {
    return getParameter(x) == getParameter(y) &&
           getTileType(x.getSource()).getShape() == getTileType(y.getSource()).getShape();
  }
  unsigned &count;
};

namespace {
struct FoldTransposeIntoDot : CountedPattern<DotOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(DotOp dot, PatternRewriter &rewriter) const override {
    auto lhs = dot.getLhs().getDefiningOp<TransposeOp>();
    auto rhs = dot.getRhs().getDefiningOp<TransposeOp>();
    if (!lhs && !rhs)
      return failure();
    rewriter.modifyOpInPlace(dot, [&] {
      if (lhs) {
        dot.getLhsMutable().assign(lhs.getSource());
        dot.setTransposeLhs(!dot.getTransposeLhs());
      }
      if (rhs) {
        dot.getRhsMutable().assign(rhs.getSource());
        dot.setTransposeRhs(!dot.getTransposeRhs());
      }
    });
    return success();
  }
};

struct ComposeTransposes : CountedPattern<TransposeOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> composed = llvm::map_to_vector(
        op.getPermutation(), [&](int64_t dim) { return inner.getPermutation()[dim]; });
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getSource(), composed);
    return success();
  }
};

/// A broadcast in another order of dims, when the source's dims keep theirs.
struct TransposeOfBroadcast : CountedPattern<TransposeOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getSource().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return failure();
    SmallVector<int64_t> dims = llvm::map_to_vector(broadcast.getDims(), [&](int64_t dim) {
      return int64_t(llvm::find(op.getPermutation(), dim) - op.getPermutation().begin());
    });
    if (!llvm::is_sorted(dims))
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), broadcast.getSource(), dims);
    return success();
  }
};

/// Reduces the source of a transpose; what is left of the permutation is applied to the result.
struct ReduceOfTranspose : CountedPattern<ReduceOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getInputs()[0].getDefiningOp<TransposeOp>();
    if (op.getInputs().size() != 1 || !transpose)
      return failure();
    int64_t dim = transpose.getPermutation()[op.getDim()];
    SmallVector<int64_t> rest, shape;
    for (auto [i, from] : llvm::enumerate(transpose.getPermutation()))
      if (int64_t(i) != int64_t(op.getDim()))
        rest.push_back(from > dim ? from - 1 : from);
    for (auto [i, size] : llvm::enumerate(getTileType(transpose.getSource()).getShape()))
      if (int64_t(i) != dim)
        shape.push_back(size);
    Type type = getTileType(op.getOutputs()[0]).clone(shape);
    auto reduce = ReduceOp::create(rewriter, op.getLoc(), TypeRange(type),
                                   ValueRange(transpose.getSource()), dim, op.getIdentities());
    rewriter.inlineRegionBefore(op.getCombiner(), reduce.getCombiner(), reduce.getCombiner().end());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getOutputs()[0].getType(),
                                             reduce.getOutputs()[0], rest);
    return success();
  }
};

struct NarrowTiles : vrtile::impl::NarrowTilesPassBase<NarrowTiles> {
  void runOnOperation() override {
    unsigned count = 0;
    if (failed(applyFamily(getOperation(), [&](RewritePatternSet &patterns) {
          populateNarrowTilesPatterns(patterns, count);
        })))
      return signalPassFailure();
    numRewrites += count;
  }
};
} // namespace

void vrtile::populateNarrowTilesPatterns(RewritePatternSet &patterns, unsigned &count) {
  patterns.add<ElementwiseBeforeShape<BroadcastOp>, ElementwiseBeforeShape<TransposeOp>,
               FoldTransposeIntoDot, ComposeTransposes, TransposeOfBroadcast, ReduceOfTranspose>(
      patterns.getContext(), count);
}
