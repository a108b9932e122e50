// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks after an exponential move before it: select(p, exp(x - y), 0) is exp(select(p, x, -inf) -
// y) when y is not -inf. Where the maximum of the row was taken of select(p, x, -inf), that tile is
// there already, and all masks after the exponential go.

#include "Family.h"
#include "Splat.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/Transforms/Patterns.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_REUSEMASKSPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

/// The select of `x` by the same mask, with -inf elsewhere, if there is one.
static arith::SelectOp findMasked(Value x, Value mask) {
  for (Operation *user : x.getUsers())
    if (auto select = dyn_cast<arith::SelectOp>(user))
      if (select.getCondition() == mask && select.getTrueValue() == x &&
          isInfinity(select.getFalseValue(), /*negative=*/true))
        return select;
  return {};
}

namespace {
/// An exponent with -inf where the mask is off: `masked` in place of `leaf`, below `ops` (outermost
/// first).
struct MaskedExponent {
  SmallVector<Operation *> ops;
  Value leaf;
  arith::SelectOp masked;
};
} // namespace

/// The operand of `op` that makes it -inf by being -inf itself, or null.
static Value getDecisiveOperand(Operation *op) {
  auto isPositive = [](Value tile) {
    std::optional<APFloat> factor = getSplat(tile);
    return factor && factor->isFiniteNonZero() && !factor->isNegative();
  };
  if (auto sub = dyn_cast<arith::SubFOp>(op))
    return excludesInfinity(sub.getRhs(), /*negative=*/true) ? sub.getLhs() : Value();
  if (auto product = dyn_cast<arith::MulFOp>(op))
    return isPositive(product.getRhs()) ? product.getLhs() : Value();
  if (auto fma = dyn_cast<math::FmaOp>(op))
    return isPositive(fma.getB()) && excludesInfinity(fma.getC(), /*negative=*/false) ? fma.getA()
                                                                                      : Value();
  return {};
}

/// The exponent down to a masked tile, else down to what cannot be followed.
static MaskedExponent findMaskedExponent(Value exponent, Value mask) {
  MaskedExponent result;
  result.leaf = exponent;
  while (!(result.masked = findMasked(result.leaf, mask))) {
    Operation *op = result.leaf.getDefiningOp();
    Value next = op ? getDecisiveOperand(op) : Value();
    if (!next)
      return result;
    result.ops.push_back(op);
    result.leaf = next;
  }
  return result;
}

static bool isCast(Operation *op) { return isa_and_present<arith::TruncFOp, arith::ExtFOp>(op); }

/// True if the value is used only where `mask` guards it with zero, perhaps after casts.
static bool isUsedUnderMask(Value value, Value mask) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isCast(user))
      return isUsedUnderMask(user->getResult(0), mask);
    auto select = dyn_cast<arith::SelectOp>(user);
    return select && select.getCondition() == mask && select.getTrueValue() == value &&
           matchPattern(select.getFalseValue(), m_AnyZeroFloat());
  });
}

/// The first select, in the block of `first`, that a value reaches through casts.
static Operation *getFirstSelect(Value value, Operation *first) {
  for (Operation *user : value.getUsers()) {
    if (isCast(user))
      first = getFirstSelect(user->getResult(0), first);
    else if (user->getBlock() == first->getBlock() && user->isBeforeInBlock(first))
      first = user;
  }
  return first;
}

namespace {
struct MaskBeforeExp : CountedPattern<arith::SelectOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    if (!matchPattern(op.getFalseValue(), m_AnyZeroFloat()))
      return failure();
    SmallVector<Operation *> casts;
    Operation *exp = op.getTrueValue().getDefiningOp();
    for (; isCast(exp); exp = exp->getOperand(0).getDefiningOp())
      casts.push_back(exp);
    if (!isa_and_present<math::ExpOp, math::Exp2Op>(exp) ||
        !isUsedUnderMask(exp->getResult(0), op.getCondition()))
      return failure();
    MaskedExponent found = findMaskedExponent(exp->getOperand(0), op.getCondition());
    bool isThere = found.masked && found.masked->getBlock() == op->getBlock() &&
                   found.masked->isBeforeInBlock(op);
    Value masked;
    if (isThere) {
      masked = found.masked;
    } else {
      // A new mask, on the exponent itself, pays if it replaces several.
      if (exp->hasOneUse())
        return failure();
      found = {{}, exp->getOperand(0), {}};
      // Where the other masks find it.
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(getFirstSelect(exp->getResult(0), op));
      Value off = buildSplat(rewriter, op.getLoc(), found.leaf.getType(),
                             APFloat::getInf(APFloat::IEEEdouble(), /*Negative=*/true));
      masked = arith::SelectOp::create(rewriter, op.getLoc(), op.getCondition(), found.leaf, off);
    }
    IRMapping map;
    map.map(found.leaf, masked);
    for (Operation *link : llvm::reverse(found.ops))
      rewriter.clone(*link, map);
    Value value = rewriter.clone(*exp, map)->getResult(0);
    for (Operation *cast : llvm::reverse(casts))
      value = rewriter.clone(*cast, map)->getResult(0);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct ReuseMasks : vrtile::impl::ReuseMasksPassBase<ReuseMasks> {
  using ReuseMasksPassBase::ReuseMasksPassBase;
  void runOnOperation() override {
    auto isCandidate = [](Operation *op) {
      auto select = dyn_cast<arith::SelectOp>(op);
      Operation *value = select ? select.getTrueValue().getDefiningOp() : nullptr;
      while (isCast(value))
        value = value->getOperand(0).getDefiningOp();
      return isa_and_present<math::ExpOp, math::Exp2Op>(value) &&
             matchPattern(select.getFalseValue(), m_AnyZeroFloat());
    };
    if (!isFamilyAllowed(getOperation(), "ReuseMask", NumericClass::Algebraic, numerics,
                         isCandidate))
      return;
    unsigned count = 0;
    if (failed(applyFamily(getOperation(), [&](RewritePatternSet &patterns) {
          populateReuseMasksPatterns(patterns, count);
        })))
      return signalPassFailure();
    numRewrites += count;
    getOperation().walk([&](arith::SelectOp op) {
      if (isCandidate(op))
        remarkMissed(
            op.getLoc(), "ReuseMask",
            "the mask stays after the exponential: expected no use outside of the mask, and "
            "the exponent under the same mask less a shift that is provably not -inf");
    });
  }
};
} // namespace

void vrtile::populateReuseMasksPatterns(RewritePatternSet &patterns, unsigned &count) {
  patterns.add<MaskBeforeExp>(patterns.getContext(), count);
}
