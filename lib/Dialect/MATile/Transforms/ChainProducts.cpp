// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the product of an accumulation loop in flight across iterations.
//
// Stands after channels are made: what has to move with the wait are the releases of the tiles that
// the product reads.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"

namespace mlir::nautilus::matile {
#define GEN_PASS_DEF_CHAINPRODUCTSPASS
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

namespace {
/// A loop that only sums products, with what depends on their end.
struct Accumulation {
  scf::ForOp loop;
  DotOp dot;
  unsigned position; // of the accumulator among the carried values
  SmallVector<ReleaseOp> releases;
};
} // namespace

/// The one product in the loop, if its accumulator is a carried value that nothing else reads.
static std::optional<Accumulation> matchAccumulation(scf::ForOp loop) {
  SmallVector<Operation *> products;
  loop.getBody()->walk([&](Operation *op) {
    if (isa<DotOp, StartDotOp>(op))
      products.push_back(op);
  });
  if (products.size() != 1)
    return std::nullopt;
  auto dot = dyn_cast<DotOp>(products.front());
  if (!dot || dot.getKind() != DotKind::Wgmma || dot->getBlock() != loop.getBody())
    return std::nullopt;
  auto acc = dyn_cast<BlockArgument>(dot.getAcc());
  if (!acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse() ||
      !dot.getResult().hasOneUse() || acc.getArgNumber() == 0)
    return std::nullopt;
  unsigned position = acc.getArgNumber() - 1;
  if (loop.getYieldedValues()[position] != dot.getResult())
    return std::nullopt;
  return Accumulation{loop, dot, position, {}};
}

/// Whether a carried count is one more in the next iteration.
static bool advancesByOne(scf::ForOp loop, Value count) {
  auto arg = dyn_cast<BlockArgument>(count);
  if (!arg || arg.getOwner() != loop.getBody() || arg.getArgNumber() == 0)
    return false;
  auto next = loop.getYieldedValues()[arg.getArgNumber() - 1].getDefiningOp<arith::AddIOp>();
  return next && next.getLhs() == count && matchPattern(next.getRhs(), m_One());
}

/// Finds the releases that must wait for the product; says why the product cannot stay in flight,
/// or returns an empty string.
static StringRef collectReleases(Accumulation &sum) {
  for (Value operand : {sum.dot.getLhs(), Value(sum.dot.getRhs())}) {
    if (!isa<BufferType>(operand.getType()))
      return "an operand in registers is made anew in each iteration";
    if (sum.loop.isDefinedOutsideOfLoop(operand))
      continue;
    auto get = operand.getDefiningOp<GetOp>();
    if (!get || get->getBlock() != sum.loop.getBody())
      return "an operand is written anew in each iteration";
    for (auto release : sum.loop.getBody()->getOps<ReleaseOp>())
      if (release.getChannel() == get.getChannel() && release.getCount() == get.getCount())
        sum.releases.push_back(release);
    if (!advancesByOne(sum.loop, get.getCount()))
      return "the count of an operand's channel does not advance by one";
  }
  return "";
}

/// Releases the tiles of the iteration before the one whose counts are `counts`.
static void releaseBefore(OpBuilder &b, Location loc, ArrayRef<ReleaseOp> releases,
                          ValueRange counts) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  for (auto [release, count] : llvm::zip(releases, counts))
    ReleaseOp::create(b, loc, ReleaseOp(release).getChannel(),
                      arith::SubIOp::create(b, loc, count, one));
}

/// Puts the loop under the condition that it runs at all. What follows the last product then stands
/// where a product is in flight on every path: ptxas gives up on accumulators that another path
/// defines before the wait.
static scf::IfOp guardLoop(OpBuilder &b, scf::ForOp loop) {
  Location loc = loop.getLoc();
  b.setInsertionPoint(loop);
  Value runs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                     loop.getUpperBound());
  auto guard = scf::IfOp::create(b, loc, loop.getResultTypes(), runs, /*withElseRegion=*/true);
  loop.replaceAllUsesWith(guard.getResults());
  b.setInsertionPointToEnd(guard.elseBlock());
  scf::YieldOp::create(b, loc, loop.getInitArgs());
  b.setInsertionPointToEnd(guard.thenBlock());
  auto yield = scf::YieldOp::create(b, loc, loop.getResults());
  loop->moveBefore(yield);
  return guard;
}

static void keepInFlight(Accumulation &sum) {
  scf::ForOp loop = sum.loop;
  Location loc = sum.dot.getLoc();
  OpBuilder b(sum.dot);
  auto start = StartDotOp::create(b, loc, sum.dot.getType(), sum.dot.getLhs(), sum.dot.getRhs(),
                                  sum.dot.getAcc(), sum.dot.getTransposeLhsAttr(),
                                  sum.dot.getTransposeRhsAttr());
  WaitGroupsOp::create(b, loc, 1);
  SmallVector<Value> counts, results;
  for (ReleaseOp release : sum.releases) {
    counts.push_back(release.getCount());
    results.push_back(loop.getTiedLoopResult(cast<BlockArgument>(release.getCount())));
  }
  Value isLater = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, loop.getInductionVar(),
                                        loop.getLowerBound());
  auto later = scf::IfOp::create(b, loc, TypeRange(), isLater, /*withElseRegion=*/false);
  b.setInsertionPointToStart(later.thenBlock());
  releaseBefore(b, loc, sum.releases, counts);
  sum.dot.replaceAllUsesWith(start.getResult());
  sum.dot.erase();

  Operation *yield = guardLoop(b, loop).thenYield();
  b.setInsertionPoint(yield);
  auto done = WaitDotOp::create(b, loc, start.getType(), loop.getResult(sum.position), 0);
  yield->setOperand(sum.position, done);
  releaseBefore(b, loc, sum.releases, results);
  for (ReleaseOp release : sum.releases)
    release.erase();
}

namespace {
struct ChainProducts : matile::impl::ChainProductsPassBase<ChainProducts> {
  using ChainProductsPassBase::ChainProductsPassBase;

  void runOnOperation() override {
    SmallVector<Accumulation> sums;
    getOperation().walk([&](scf::ForOp loop) {
      if (auto sum = matchAccumulation(loop))
        sums.push_back(std::move(*sum));
    });
    for (Accumulation &sum : sums) {
      if (StringRef obstacle = collectReleases(sum); !obstacle.empty()) {
        remark::missed(sum.dot.getLoc(),
                       remark::RemarkOpts::name("ChainProducts").category("Pipelining"))
            << ("each product of the sum is waited for: " + obstacle).str();
        continue;
      }
      keepInFlight(sum);
      ++numChained;
    }
  }
};
} // namespace
