// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a stage and a place for each op of a loop body whose products can overlap other work.
//
// Reads the body's dependence graph only; what the ops compute does not matter. Writes attributes;
// the loop stays as it is.

#include "PipelinePlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::nautilus::matile {
#define GEN_PASS_DEF_PLANPIPELINEPASS
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

namespace {
/// The plan of one loop. An op of stage s runs s iterations of the new loop after those of stage 0
/// of the same iteration of the old one.
class Plan {
public:
  explicit Plan(scf::ForOp loop) : loop(loop) {}
  /// Why the loop stays as it is, or an empty string.
  StringRef make();
  void write();

private:
  StringRef checkRegisters();
  StringRef collectDependences();
  void assignStages();
  void sinkProducers();
  StringRef collectOrder();
  StringRef arrange();

  /// The op of the body that gives a carried value its next value.
  Operation *getNext(Value arg) {
    auto carried = dyn_cast<BlockArgument>(arg);
    if (!carried || carried.getOwner() != loop.getBody() || carried.getArgNumber() == 0)
      return nullptr;
    Operation *def = loop.getTiedLoopYieldedValue(carried)->get().getDefiningOp();
    return def && def->getBlock() == loop.getBody() ? def : nullptr;
  }
  bool place(Operation *op);
  bool needsLaterStage(Operation *op);
  SmallVector<Operation *> getCriticalReductions();

  scf::ForOp loop;
  SmallVector<Operation *> ops;
  /// Ops of the same iteration that must run first.
  llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> before;
  /// Ops of the new loop's iteration that must run first.
  llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> ahead;
  llvm::DenseMap<Operation *, int64_t> stage;
  llvm::SetVector<Operation *> order;
  llvm::SmallPtrSet<Operation *, 8> placing;
};
} // namespace

/// All values from outside of `op` that it or the ops below it use.
static SmallVector<Value> getUsedValues(Operation *op) {
  llvm::SetVector<Value> values;
  values.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values.takeVector();
}

/// The wait that ends a product inside of its block, or null.
static WaitDotOp getWait(StartDotOp start) {
  for (Operation *user : start->getUsers())
    if (auto wait = dyn_cast<WaitDotOp>(user); wait && wait->getBlock() == start->getBlock())
      return wait;
  return {};
}

static bool isChannelOrProductOp(Operation *op) {
  return isa<GetOp, ReleaseOp, StartDotOp, WaitDotOp>(op);
}

/// Registers of a thread that a fragment takes, elements of less than 32 bits packed.
static int64_t countRegisters(Value fragment) {
  auto tile = cast<RankedTensorType>(fragment.getType());
  return llvm::divideCeil(getLayout(tile).numRegisters() * getElementBytes(tile.getElementType()),
                          4);
}

/// Registers that addresses, counts and per-row values take beside fragments.
static constexpr int64_t scalarRegisters = 24;

/// Accumulators and register operands of all products are alive at once when products overlap.
StringRef Plan::checkRegisters() {
  auto kernel = loop->getParentOfType<KernelOp>();
  WarpSpecializeOp roles = kernel.getWarpSpecialize();
  int64_t registers = scalarRegisters;
  for (auto start : loop.getBody()->getOps<StartDotOp>()) {
    registers += countRegisters(start.getResult());
    if (isa<RankedTensorType>(start.getLhs().getType()))
      registers += countRegisters(start.getLhs());
  }
  // What threads load for the vector work is widened while it waits for the product.
  for (auto load : loop.getBody()->getOps<LoadOp>())
    registers += getLayout(cast<RankedTensorType>(load.getType())).numRegisters();
  return roles && registers > int64_t(roles.getConsumerRegisters())
             ? "their fragments do not fit into registers together"
             : "";
}

//===-- Dependences of one iteration ------------------------------------------===//

StringRef Plan::collectDependences() {
  Operation *lastEffect = nullptr;
  for (Operation &op : loop.getBody()->without_terminator()) {
    ops.push_back(&op);
    llvm::SetVector<Operation *> &needs = before[&op];
    for (Value value : getUsedValues(&op))
      if (Operation *def = value.getDefiningOp(); def && def->getBlock() == loop.getBody())
        needs.insert(def);
    if (auto release = dyn_cast<ReleaseOp>(op)) {
      for (GetOp get : loop.getBody()->getOps<GetOp>()) {
        if (get.getChannel() != release.getChannel() || get.getCount() != release.getCount())
          continue;
        needs.insert(get);
        for (Operation *user : get->getUsers()) {
          Operation *reader = loop.getBody()->findAncestorOpInBlock(*user);
          auto start = dyn_cast_or_null<StartDotOp>(reader);
          Operation *end = start ? getWait(start) : reader;
          if (!end)
            return "a slot is released that a product may still read";
          needs.insert(end);
        }
      }
    } else if (!isChannelOrProductOp(&op) && !isMemoryEffectFree(&op)) {
      if (lastEffect)
        needs.insert(lastEffect);
      lastEffect = &op;
    }
  }
  for (Value yielded : loop.getYieldedValues())
    if (Operation *def = yielded.getDefiningOp(); !def || def->getBlock() != loop.getBody())
      return "a carried value is not computed in the loop";
  return "";
}

//===-- Stages ------------------------------------------------------------------===//

void Plan::assignStages() {
  llvm::SmallPtrSet<Operation *, 16> afterWait;
  for (Operation *op : ops) {
    int64_t earliest = 0;
    bool waited = false;
    for (Operation *need : before[op]) {
      earliest = std::max(earliest, stage[need]);
      waited |= isa<WaitDotOp>(need) || afterWait.contains(need);
    }
    if (waited)
      afterWait.insert(op);
    // A product of this iteration's results waits for an iteration, so that the next iteration's
    // first products are issued before it.
    stage[op] = earliest + (isa<StartDotOp>(op) && waited);
  }
}

/// Gets and scalar work that only later stages need go to those, so that slots are held shortly.
void Plan::sinkProducers() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : llvm::reverse(ops)) {
      bool scalar =
          isMemoryEffectFree(op) && llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
      if (!scalar && !isa<GetOp>(op))
        continue;
      std::optional<int64_t> least;
      auto use = [&](Operation *user) {
        least = std::min(least.value_or(stage[user]), stage[user]);
      };
      for (Operation *user : ops) {
        if (before[user].contains(op))
          use(user);
        for (Value value : getUsedValues(user))
          if (user != op && getNext(value) == op)
            use(user);
      }
      if (least && *least > stage[op]) {
        stage[op] = *least;
        changed = true;
      }
    }
  }
}

//===-- Order ---------------------------------------------------------------------===//

StringRef Plan::collectOrder() {
  std::optional<int64_t> effectStage;
  for (Operation *op : ops) {
    for (Operation *need : before[op])
      if (stage[need] == stage[op])
        ahead[op].insert(need);
    for (Value value : getUsedValues(op))
      if (Operation *def = getNext(value); def && stage[def] == stage[op] + 1)
        ahead[op].insert(def);
    // The next operand must not be made in the registers of the one that is being read.
    if (auto start = dyn_cast<StartDotOp>(op))
      if (Operation *def = start.getLhs().getDefiningOp();
          def && isa<RankedTensorType>(start.getLhs().getType()) &&
          def->getBlock() == loop.getBody() && stage[def] < stage[op])
        if (WaitDotOp wait = getWait(start))
          ahead[def].insert(wait);
    if (!isChannelOrProductOp(op) && !isMemoryEffectFree(op)) {
      if (effectStage && *effectStage != stage[op])
        return "memory is accessed in more than one stage";
      effectStage = stage[op];
    }
  }
  return "";
}

/// Places `op` behind all that must run first; false if that includes itself.
bool Plan::place(Operation *op) {
  if (order.contains(op))
    return true;
  if (!placing.insert(op).second)
    return false;
  // In program order: `ahead` lists operands of one stage before those of the next.
  SmallVector<Operation *> needs(ahead[op].begin(), ahead[op].end());
  if (!llvm::all_of(needs, [&](Operation *need) { return place(need); }))
    return false;
  order.insert(op);
  placing.erase(op);
  if (isa<WaitDotOp>(op)) // a slot goes back as soon as it may
    for (Operation *release : ops)
      if (isa<ReleaseOp>(release) && ahead[release].contains(op) &&
          llvm::all_of(ahead[release], [&](Operation *need) { return order.contains(need); }))
        order.insert(release);
  return true;
}

/// Whether a wait for a product of a later stage must run before `op`.
bool Plan::needsLaterStage(Operation *op) {
  return llvm::any_of(ahead[op], [&](Operation *need) {
    return (isa<WaitDotOp>(need) && stage[need] > 0) || needsLaterStage(need);
  });
}

/// Reductions of stage 0 on which products of a later stage depend: threads exchange values here,
/// which takes long and little else, so that it is worth doing while all products are in flight.
SmallVector<Operation *> Plan::getCriticalReductions() {
  llvm::SetVector<Operation *> needed;
  for (Operation *op : ops)
    if (isa<StartDotOp>(op) && stage[op] > 0)
      needed.insert(op);
  for (size_t i = 0; i < needed.size(); ++i)
    needed.insert_range(before[needed[i]]);
  SmallVector<Operation *> reductions;
  for (Operation *op : ops)
    if (isa<ReduceOp>(op) && needed.contains(op) && stage[op] == 0 && !needsLaterStage(op))
      reductions.push_back(op);
  return reductions;
}

StringRef Plan::arrange() {
  SmallVector<Operation *> wishes;
  auto wish = [&](auto predicate) { llvm::copy_if(ops, std::back_inserter(wishes), predicate); };
  // All products first, those of the youngest iteration before the others, since the vector work
  // beside them waits for these.
  for (int64_t s : {0, 1})
    wish([&](Operation *op) { return isa<StartDotOp>(op) && stage[op] == s; });
  llvm::append_range(wishes, getCriticalReductions());
  wish([](Operation *op) { return isa<WaitDotOp>(op); });
  wish([](Operation *op) { return true; });
  for (Operation *op : wishes)
    if (!place(op))
      return "its order has a cycle";
  return "";
}

StringRef Plan::make() {
  if (StringRef obstacle = collectDependences(); !obstacle.empty())
    return obstacle;
  assignStages();
  int64_t last = 0;
  for (auto [op, s] : stage)
    last = std::max(last, s);
  if (last == 0)
    return "no product depends on another one";
  if (last > 1)
    return "more than two products depend on each other";
  if (StringRef obstacle = checkRegisters(); !obstacle.empty())
    return obstacle;
  sinkProducers();
  if (StringRef obstacle = collectOrder(); !obstacle.empty())
    return obstacle;
  return arrange();
}

void Plan::write() {
  Builder b(loop.getContext());
  for (auto [place, op] : llvm::enumerate(order)) {
    op->setAttr(stageAttrName, b.getI64IntegerAttr(stage[op]));
    op->setAttr(orderAttrName, b.getI64IntegerAttr(place));
  }
}

namespace {
struct PlanPipeline : matile::impl::PlanPipelinePassBase<PlanPipeline> {
  using PlanPipelinePassBase::PlanPipelinePassBase;

  void runOnOperation() override {
    getOperation().walk([&](scf::ForOp loop) {
      auto starts = loop.getBody()->getOps<StartDotOp>();
      if (starts.empty() || llvm::hasSingleElement(starts))
        return;
      auto options = remark::RemarkOpts::name("Pipeline").category("Pipelining");
      Plan plan(loop);
      if (StringRef obstacle = plan.make(); !obstacle.empty()) {
        remark::missed(loop.getLoc(), options) << ("iterations do not overlap: " + obstacle).str();
        return;
      }
      plan.write();
      ++numPlanned;
    });
  }
};
} // namespace
