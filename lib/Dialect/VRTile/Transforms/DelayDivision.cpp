// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors and divisors that a sum does not see leave it: sum(x / d) is sum(x) / d, a product of
// rows x / d is a product of x whose rows are divided, and a loop that only adds such terms is
// scaled once, after it.

#include "Family.h"
#include "Splat.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/Transforms/Patterns.h"
#include "nautilus/Interfaces/Combiner.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_DELAYDIVISIONPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

namespace {
/// `rest` times or over `row`, which is broadcast along all dims but `kept`; `casts` lie between
/// and the use.
struct RowScaled {
  Operation *op = nullptr;
  Value rest, row;
  SmallVector<int64_t> dims; ///< The dims of the tile that `row` runs along.
  SmallVector<Operation *> casts;

  explicit operator bool() const { return op; }
  bool divides() const { return isa<arith::DivFOp>(op); }

  /// The tile without its row factor.
  Value buildRest(OpBuilder &b) const {
    Value value = rest;
    for (Operation *cast : llvm::reverse(casts)) {
      IRMapping map;
      map.map(cast->getOperand(0), value);
      value = b.clone(*cast, map)->getResult(0);
    }
    return value;
  }
  /// `tile` times or over the row factor, which runs along `dims` of it.
  Value apply(OpBuilder &b, Location loc, Value tile, ArrayRef<int64_t> dims) const {
    Value factor = row;
    Type element = getElementTypeOrSelf(tile.getType());
    if (getElementTypeOrSelf(row.getType()) != element)
      factor = arith::ExtFOp::create(b, loc, getTileType(row).clone(element), row);
    if (factor.getType() != tile.getType())
      factor = BroadcastOp::create(b, loc, tile.getType(), factor, dims);
    if (divides())
      return arith::DivFOp::create(b, loc, tile, factor);
    return arith::MulFOp::create(b, loc, tile, factor);
  }
};
} // namespace

/// Matches a tile whose row factor does not run along dim `summed`.
static RowScaled matchRowScaled(Value tile, int64_t summed) {
  RowScaled result;
  Operation *op = tile.getDefiningOp();
  for (; isa_and_present<arith::TruncFOp, arith::ExtFOp>(op);
       op = op->getOperand(0).getDefiningOp())
    result.casts.push_back(op);
  if (!isa_and_present<arith::MulFOp, arith::DivFOp>(op))
    return {};
  for (unsigned side : {1, 0}) {
    auto broadcast = op->getOperand(side).getDefiningOp<BroadcastOp>();
    if (!broadcast || llvm::is_contained(broadcast.getDims(), summed) ||
        (isa<arith::DivFOp>(op) && side == 0))
      continue;
    result.op = op;
    result.row = broadcast.getSource();
    result.dims.assign(broadcast.getDims().begin(), broadcast.getDims().end());
    result.rest = op->getOperand(1 - side);
    return result;
  }
  return {};
}

/// Rounding to a type of smaller range than f32's may overflow without the factor.
static bool narrowsRange(const RowScaled &scaled) {
  return llvm::any_of(scaled.casts, [](Operation *cast) {
    auto type = cast->getResult(0).getType();
    return isa<arith::TruncFOp>(cast) && !getElementTypeOrSelf(type).isBF16() &&
           !getElementTypeOrSelf(type).isF32();
  });
}

/// True if there is a factor and the class of its removal is allowed.
static bool isAdmitted(const RowScaled &scaled, NumericPolicy policy) {
  if (!scaled)
    return false;
  NumericClass numericClass =
      narrowsRange(scaled) ? NumericClass::Approved : NumericClass::Algebraic;
  return isAllowed(numericClass, policy);
}

static RowScaled matchSummand(ReduceOp op) {
  if (op.getInputs().size() != 1 || classifyCombiner(op.getCombiner()) != CombinerKind::Add ||
      !isa<FloatType>(getTileType(op.getInputs()[0]).getElementType()))
    return {};
  return matchRowScaled(op.getInputs()[0], op.getDim());
}

/// The rows of a product; `dims` are those of the result.
static RowScaled matchRows(DotOp op) {
  RowScaled scaled = matchRowScaled(op.getLhs(), op.getTransposeLhs() ? 0 : 1);
  scaled.dims.assign(scaled.dims.size(), 0);
  return scaled;
}

/// True if the factor fits the element type of the sum.
static bool fitsSum(const RowScaled &scaled, Value sum) {
  return getTileType(scaled.row).getElementTypeBitWidth() <=
         getTileType(sum).getElementTypeBitWidth();
}

namespace {
struct FactorOutOfSum : CountedPattern<ReduceOp> {
  FactorOutOfSum(MLIRContext *context, NumericPolicy policy, unsigned &count)
      : CountedPattern(context, count), policy(policy) {}
  LogicalResult rewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    RowScaled scaled = matchSummand(op);
    if (!isAdmitted(scaled, policy) || !fitsSum(scaled, op.getOutputs()[0]))
      return failure();
    SmallVector<int64_t> dims = llvm::map_to_vector(
        scaled.dims, [&](int64_t dim) { return dim > int64_t(op.getDim()) ? dim - 1 : dim; });
    auto reduce =
        ReduceOp::create(rewriter, op.getLoc(), op->getResultTypes(),
                         ValueRange(scaled.buildRest(rewriter)), op.getDim(), op.getIdentities());
    rewriter.inlineRegionBefore(op.getCombiner(), reduce.getCombiner(), reduce.getCombiner().end());
    rewriter.replaceOp(op, scaled.apply(rewriter, op.getLoc(), reduce.getOutputs()[0], dims));
    return success();
  }
  NumericPolicy policy;
};

struct FactorOutOfDot : CountedPattern<DotOp> {
  FactorOutOfDot(MLIRContext *context, NumericPolicy policy, unsigned &count)
      : CountedPattern(context, count), policy(policy) {}
  LogicalResult rewrite(DotOp op, PatternRewriter &rewriter) const override {
    RowScaled scaled = matchRows(op);
    if (!isAdmitted(scaled, policy) || !fitsSum(scaled, op.getResult()) ||
        !matchPattern(op.getAcc(), m_AnyZeroFloat()))
      return failure();
    Value rest = scaled.buildRest(rewriter);
    Value dot = DotOp::create(rewriter, op.getLoc(), op.getType(), rest, op.getRhs(), op.getAcc(),
                              op.getTransposeLhs(), op.getTransposeRhs());
    rewriter.replaceOp(op, scaled.apply(rewriter, op.getLoc(), dot, scaled.dims));
    return success();
  }
  NumericPolicy policy;
};

/// A loop that starts at zero and adds terms with one invariant factor: the factor comes after it.
struct FactorOutOfLoop : CountedPattern<scf::ForOp> {
  FactorOutOfLoop(MLIRContext *context, NumericPolicy policy, unsigned &count)
      : CountedPattern(context, count), policy(policy) {}

  LogicalResult rewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    for (auto [i, init, arg, yielded] :
         llvm::enumerate(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues())) {
      if (!matchPattern(init, m_AnyZeroFloat()) || !arg.hasOneUse())
        continue;
      if (succeeded(rewriteTerm(loop, i, yielded, rewriter)))
        return success();
    }
    return failure();
  }

  LogicalResult rewriteTerm(scf::ForOp loop, unsigned i, Value yielded,
                            PatternRewriter &rewriter) const {
    BlockArgument arg = loop.getRegionIterArg(i);
    Operation *op = yielded.getDefiningOp();
    if (!op || !yielded.hasOneUse() || *arg.user_begin() != op)
      return failure();
    RowScaled scaled;
    OpOperand *term = nullptr;
    if (auto sum = dyn_cast<arith::AddFOp>(op)) {
      term = &sum->getOpOperand(sum.getLhs() == arg ? 1 : 0);
      scaled = matchWhole(term->get());
    } else if (auto dot = dyn_cast<DotOp>(op); dot && dot.getAcc() == arg) {
      term = &dot->getOpOperand(0);
      scaled = matchRows(dot);
    }
    if (!isAdmitted(scaled, policy) || !fitsSum(scaled, yielded) ||
        !loop.isDefinedOutsideOfLoop(scaled.row))
      return failure();
    rewriter.setInsertionPoint(op);
    Value rest = scaled.buildRest(rewriter);
    rewriter.modifyOpInPlace(op, [&] { term->set(rest); });
    rewriter.setInsertionPointAfter(loop);
    Value sum = loop.getResult(i);
    Value factored = scaled.apply(rewriter, loop.getLoc(), sum, scaled.dims);
    Value result = scaled.divides() ? buildIfLoopRan(rewriter, loop, factored, sum) : factored;
    rewriter.replaceUsesWithIf(sum, result, [&](OpOperand &use) {
      return use.getOwner() != factored.getDefiningOp() && use.getOwner() != result.getDefiningOp();
    });
    return success();
  }

  /// A term times or over a tile that may be broadcast in any way, or not at all.
  static RowScaled matchWhole(Value tile) {
    RowScaled result;
    Operation *op = tile.getDefiningOp();
    if (!isa_and_present<arith::MulFOp, arith::DivFOp>(op))
      return {};
    result.op = op;
    result.rest = op->getOperand(0);
    result.row = op->getOperand(1);
    if (auto broadcast = result.row.getDefiningOp<BroadcastOp>()) {
      result.row = broadcast.getSource();
      result.dims.assign(broadcast.getDims().begin(), broadcast.getDims().end());
    }
    return result;
  }
  NumericPolicy policy;
};

struct DelayDivision : vrtile::impl::DelayDivisionPassBase<DelayDivision> {
  using DelayDivisionPassBase::DelayDivisionPassBase;
  void runOnOperation() override {
    auto match = [](Operation *op) {
      if (auto reduce = dyn_cast<ReduceOp>(op))
        return matchSummand(reduce);
      auto dot = dyn_cast<DotOp>(op);
      return dot ? matchRows(dot) : RowScaled();
    };
    if (!isFamilyAllowed(getOperation(), "DelayDivision", NumericClass::Algebraic, numerics,
                         [&](Operation *op) { return bool(match(op)); }))
      return;
    unsigned count = 0;
    if (failed(applyFamily(getOperation(), [&](RewritePatternSet &patterns) {
          populateDelayDivisionPatterns(patterns, numerics, count);
        })))
      return signalPassFailure();
    numRewrites += count;
    getOperation().walk([&](Operation *op) {
      RowScaled left = match(op);
      if (left && !isAdmitted(left, numerics))
        remarkMissed(
            op->getLoc(), "DelayDivision",
            "the factor stays in the sum: without it a rounding to a type of smaller range "
            "than f32 may overflow (approved rewrites only)");
    });
  }
};
} // namespace

void vrtile::populateDelayDivisionPatterns(RewritePatternSet &patterns, NumericPolicy policy,
                                           unsigned &count) {
  patterns.add<FactorOutOfSum, FactorOutOfDot, FactorOutOfLoop>(patterns.getContext(), policy,
                                                                count);
}
