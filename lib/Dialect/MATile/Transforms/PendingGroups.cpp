// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the groups that are surely started between a product's start and its wait; see the header.

#include "PendingGroups.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

/// More groups than this cannot be left in flight by a wait.
static constexpr int64_t maxPending = 7;

static int64_t countStarts(Block &block, Block::iterator from, Block::iterator to);

/// The fewest groups that `op` and the ops below it start, whatever way is taken.
static int64_t countStarts(Operation &op) {
  if (isa<StartDotOp>(op))
    return 1;
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch.getElseRegion().empty())
    return 0; // a loop may have no iteration
  return std::min(
      countStarts(*branch.thenBlock(), branch.thenBlock()->begin(), branch.thenBlock()->end()),
      countStarts(*branch.elseBlock(), branch.elseBlock()->begin(), branch.elseBlock()->end()));
}

static int64_t countStarts(Block &block, Block::iterator from, Block::iterator to) {
  int64_t count = 0;
  for (Operation &op : llvm::make_range(from, to))
    count += countStarts(op);
  return count;
}

/// Starts on the way from `from` in `block` to `at`, which may stand deeper.
static int64_t countStarts(Block &block, Block::iterator from, Operation *at) {
  Operation *here = block.findAncestorOpInBlock(*at);
  int64_t count = countStarts(block, from, here->getIterator());
  for (Operation *op = at; op != here; op = op->getParentOp())
    count += countStarts(*op->getBlock(), op->getBlock()->begin(), op->getIterator());
  return count;
}

namespace {
class YoungerGroups {
public:
  /// The fewest groups that are younger than that of `product` when `at` is reached.
  int64_t count(Value product, Operation *at);

private:
  llvm::SmallPtrSet<Operation *, 4> entered; // loops whose back edge is being followed
};
} // namespace

int64_t YoungerGroups::count(Value product, Operation *at) {
  if (auto arg = dyn_cast<BlockArgument>(product)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg.getArgNumber() == 0)
      return maxPending;
    Block &body = *loop.getBody();
    unsigned i = arg.getArgNumber() - 1;
    int64_t before = count(loop.getInitArgs()[i], loop);
    if (entered.insert(loop).second) {
      before = std::min(before, count(loop.getYieldedValues()[i], body.getTerminator()));
      entered.erase(loop);
    }
    return before + countStarts(body, body.begin(), at);
  }
  Operation *op = product.getDefiningOp();
  auto since = [&] { return countStarts(*op->getBlock(), std::next(op->getIterator()), at); };
  if (isa<StartDotOp>(op))
    return since();
  unsigned i = cast<OpResult>(product).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return std::min(count(loop.getYieldedValues()[i], loop.getBody()->getTerminator()),
                    count(loop.getInitArgs()[i], loop)) +
           since();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    int64_t least = maxPending;
    for (Region *region : branch.getRegions())
      least = std::min(least, count(region->front().getTerminator()->getOperand(i),
                                    region->front().getTerminator()));
    return least + since();
  }
  return maxPending; // not in flight
}

void matile::setPendingGroups(KernelOp kernel) {
  kernel.walk([](WaitDotOp wait) {
    wait.setPending(std::min(maxPending, YoungerGroups().count(wait.getAcc(), wait)));
  });
}
