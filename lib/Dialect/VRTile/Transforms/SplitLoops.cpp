// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose masks are true everywhere in a run of its iterations becomes three loops in a row:
// before, the bare run, and after. The bare one has no masks.

#include "Family.h"
#include "IndexForms.h"
#include "Splat.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_SPLITLOOPSPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

namespace {
/// Where the masks of a loop are true: first <= iv for all of `from`, iv <= last for all of `to`.
struct BareRange {
  SmallVector<LinearForm> from, to;
  SmallVector<unsigned> masks; ///< Positions of the masks in the body.
};
} // namespace

/// Adds the range of one mask; false if it is not linear in the induction variable.
static bool addMask(BareRange &range, scf::ForOp loop, const MaskForm &mask) {
  SmallVector<std::pair<bool, LinearForm>> limits;
  for (const LinearForm &condition : mask.conditions) {
    LinearForm rest = getExtreme(condition, mask.shape, /*greatest=*/false);
    int64_t coefficient = rest.getCoefficient(loop.getInductionVar());
    rest.terms.erase(loop.getInductionVar());
    bool isInvariant = llvm::all_of(
        rest.terms, [&](const auto &term) { return loop.isDefinedOutsideOfLoop(term.first); });
    if (std::abs(coefficient) != 1 || !isInvariant)
      return false;
    LinearForm limit;
    limit.add(rest, coefficient < 0 ? 1 : -1);
    limits.push_back({coefficient < 0, limit});
  }
  for (auto &[isUpper, limit] : limits)
    (isUpper ? range.to : range.from).push_back(limit);
  return true;
}

static BareRange getBareRange(scf::ForOp loop) {
  BareRange range;
  for (auto [position, op] : llvm::enumerate(*loop.getBody())) {
    auto mask = dyn_cast<arith::CmpIOp>(op);
    std::optional<MaskForm> form = mask ? getMaskForm(mask) : std::nullopt;
    if (form && addMask(range, loop, *form))
      range.masks.push_back(position);
  }
  return range;
}

/// lower + step * floor(max(distance, 0) / step) of the least or greatest of the limits, less
/// lower, plus `slack`.
static Value buildEnd(OpBuilder &b, scf::ForOp loop, ArrayRef<LinearForm> limits, bool least,
                      int64_t slack) {
  Location loc = loop.getLoc();
  Value limit;
  for (const LinearForm &form : limits) {
    LinearForm distance = form;
    distance.add(getIndexForm(loop.getLowerBound()), -1);
    distance.constant += slack;
    Value value = buildIndexForm(b, loc, distance);
    if (!limit)
      limit = value;
    else if (least)
      limit = arith::MinSIOp::create(b, loc, limit, value);
    else
      limit = arith::MaxSIOp::create(b, loc, limit, value);
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value clamped = arith::MaxSIOp::create(b, loc, limit, zero);
  Value count = arith::DivSIOp::create(b, loc, clamped, loop.getStep());
  Value offset = arith::MulIOp::create(b, loc, count, loop.getStep());
  return arith::AddIOp::create(b, loc, loop.getLowerBound(), offset);
}

/// The loop again over another range and from other values.
static scf::ForOp cloneLoop(OpBuilder &b, scf::ForOp loop, Value lower, Value upper,
                            ValueRange inits) {
  auto copy = cast<scf::ForOp>(b.clone(*loop));
  copy.setLowerBound(lower);
  copy.setUpperBound(upper);
  copy.getInitArgsMutable().assign(inits);
  return copy;
}

static void makeBare(scf::ForOp loop, ArrayRef<unsigned> masks) {
  SmallVector<arith::CmpIOp> found;
  for (unsigned position : masks)
    found.push_back(cast<arith::CmpIOp>(*std::next(loop.getBody()->begin(), position)));
  for (arith::CmpIOp mask : found) {
    OpBuilder b(mask);
    auto everywhere = DenseElementsAttr::get(getTileType(mask.getResult()), true);
    mask.replaceAllUsesWith(arith::ConstantOp::create(b, mask.getLoc(), everywhere).getResult());
    mask.erase();
  }
}

static void splitLoop(scf::ForOp loop, const BareRange &range) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  int64_t step = *getConstantIntValue(loop.getStep());
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  ValueRange values = loop.getInitArgs();
  Value start = lower;
  if (!range.from.empty()) {
    start = buildEnd(b, loop, range.from, /*least=*/false, step - 1);
    Value end = arith::MinSIOp::create(b, loc, start, upper);
    values = cloneLoop(b, loop, lower, end, values).getResults();
  }
  Value end = upper;
  if (!range.to.empty()) {
    Value last = buildEnd(b, loop, range.to, /*least=*/true, step);
    end = arith::MinSIOp::create(b, loc, last, upper);
    scf::ForOp bare = cloneLoop(b, loop, start, end, values);
    makeBare(bare, range.masks);
    // The rest starts at the multiple of the step, not at the bound.
    Value next =
        range.from.empty() ? last : arith::MaxSIOp::create(b, loc, start, last).getResult();
    loop.setLowerBound(next);
    loop.getInitArgsMutable().assign(bare.getResults());
    return;
  }
  loop.setLowerBound(start);
  loop.getInitArgsMutable().assign(values);
  makeBare(loop, range.masks);
}

namespace {
struct SplitLoops : vrtile::impl::SplitLoopsPassBase<SplitLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      BareRange range = getBareRange(loop);
      if (range.masks.empty())
        continue;
      if (!getConstantIntValue(loop.getStep())) {
        remarkMissed(loop.getLoc(), "SplitLoop", "the loop stays whole: expected a constant step");
        continue;
      }
      splitLoop(loop, range);
      ++numRewrites;
    }
  }
};
} // namespace
