// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that yields a * y / y' + z / y', where y' is what it yields for the carried y, keeps its
// sum normalised in every iteration. The factors cancel: it carries a * y instead, adds z, and
// divides once after the loop.

#include "Family.h"
#include "Splat.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/Transforms/Patterns.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_TELESCOPEPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

static Value stripBroadcast(Value tile) {
  auto broadcast = tile.getDefiningOp<BroadcastOp>();
  return broadcast ? broadcast.getSource() : tile;
}

namespace {
/// The parts of `a * y / y' + z / y'`.
struct Telescope {
  Value sum;                   ///< What the loop yields for `a`.
  Value repair;                ///< a * y / y', any grouping.
  OpOperand *toRest = nullptr; ///< The use of z / y' in `sum`.
  arith::DivFOp term;          ///< z / y'.
  unsigned divisor = 0;        ///< Number of the carried y.
};
} // namespace

/// True if `tile` is a * y / y' in one of its groupings.
static bool isRepair(Value tile, Value a, Value y, Value next) {
  auto isQuotient = [&](Value v) {
    auto quotient = stripBroadcast(v).getDefiningOp<arith::DivFOp>();
    return quotient && stripBroadcast(quotient.getLhs()) == y &&
           stripBroadcast(quotient.getRhs()) == next;
  };
  auto isProduct = [&](Value v) {
    auto product = v.getDefiningOp<arith::MulFOp>();
    return product && ((product.getLhs() == a && stripBroadcast(product.getRhs()) == y) ||
                       (product.getRhs() == a && stripBroadcast(product.getLhs()) == y));
  };
  if (auto product = tile.getDefiningOp<arith::MulFOp>())
    return (product.getLhs() == a && isQuotient(product.getRhs())) ||
           (product.getRhs() == a && isQuotient(product.getLhs()));
  auto quotient = tile.getDefiningOp<arith::DivFOp>();
  return quotient && stripBroadcast(quotient.getRhs()) == next && isProduct(quotient.getLhs());
}

static std::optional<Telescope> matchTelescope(scf::ForOp loop, unsigned i) {
  Telescope result;
  BlockArgument a = loop.getRegionIterArg(i);
  result.sum = loop.getYieldedValues()[i];
  auto sum = result.sum.getDefiningOp<arith::AddFOp>();
  if (!sum || !sum->hasOneUse() || !a.hasOneUse() ||
      !matchPattern(loop.getInitArgs()[i], m_AnyZeroFloat()))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    result.repair = sum->getOperand(side);
    result.toRest = &sum->getOpOperand(1 - side);
    result.term = result.toRest->get().getDefiningOp<arith::DivFOp>();
    if (!result.term)
      continue;
    Value next = stripBroadcast(result.term.getRhs());
    for (auto [k, y] : llvm::enumerate(loop.getRegionIterArgs()))
      if (loop.getYieldedValues()[k] == next && isRepair(result.repair, a, y, next)) {
        result.divisor = k;
        return result;
      }
  }
  return std::nullopt;
}

namespace {
struct CancelRepair : CountedPattern<scf::ForOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      if (std::optional<Telescope> found = matchTelescope(loop, i)) {
        cancel(loop, i, *found, rewriter);
        return success();
      }
    return failure();
  }

  static void cancel(scf::ForOp loop, unsigned i, Telescope found, PatternRewriter &rewriter) {
    Location loc = found.sum.getLoc();
    Operation *sum = found.sum.getDefiningOp();
    SmallVector<int64_t> dims;
    if (auto broadcast = found.term.getRhs().getDefiningOp<BroadcastOp>())
      llvm::append_range(dims, broadcast.getDims());
    rewriter.setInsertionPoint(sum);
    Value next =
        arith::AddFOp::create(rewriter, loc, loop.getRegionIterArg(i), found.term.getLhs());
    rewriter.replaceAllUsesWith(found.sum, next);

    rewriter.setInsertionPointAfter(loop);
    Value result = loop.getResult(i), wide = loop.getResult(found.divisor);
    if (wide.getType() != result.getType())
      wide = BroadcastOp::create(rewriter, loc, result.getType(), wide, dims);
    Value quotient = arith::DivFOp::create(rewriter, loc, result, wide);
    Value kept = buildIfLoopRan(rewriter, loop, quotient, result);
    rewriter.replaceUsesWithIf(result, kept, [&](OpOperand &use) {
      return use.getOwner() != quotient.getDefiningOp() && use.getOwner() != kept.getDefiningOp();
    });
  }
};

struct TelescopePassImpl : vrtile::impl::TelescopePassBase<TelescopePassImpl> {
  using TelescopePassBase::TelescopePassBase;
  void runOnOperation() override {
    auto isCandidate = [](Operation *op) {
      auto loop = dyn_cast<scf::ForOp>(op);
      return loop && llvm::any_of(llvm::seq<unsigned>(0, loop.getNumRegionIterArgs()),
                                  [&](unsigned i) { return matchTelescope(loop, i).has_value(); });
    };
    if (!isFamilyAllowed(getOperation(), "Telescope", NumericClass::Algebraic, numerics,
                         isCandidate))
      return;
    unsigned count = 0;
    if (failed(applyFamily(getOperation(), [&](RewritePatternSet &patterns) {
          populateTelescopePatterns(patterns, count);
        })))
      return signalPassFailure();
    numRewrites += count;
  }
};
} // namespace

void vrtile::populateTelescopePatterns(RewritePatternSet &patterns, unsigned &count) {
  patterns.add<CancelRepair>(patterns.getContext(), count);
}
