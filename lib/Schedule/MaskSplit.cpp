// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds affine masks in bodies: selects whose condition is a conjunction with comparisons of
// coordinates, and the bodies without them.

#include "nautilus/Schedule/MaskSplit.h"
#include "Edits.h"
#include "MaskConditions.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

/// `a + factor * b`.
static LinearForm addScaled(LinearForm a, const LinearForm &b, int64_t factor) {
  for (auto [axis, coefficient] : b.axes)
    a.axes[axis] += factor * coefficient;
  for (const auto &[dim, coefficient] : b.dims)
    a.dims[dim] += factor * coefficient;
  a.constant += factor * b.constant;
  return a;
}

/// An index computation of a statement body as a linear form.
static std::optional<LinearForm> getLinearForm(const Statement &statement, Value value) {
  LinearForm form;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto index = dyn_cast<IndexOp>(op)) {
    form.axes[statement.axes[*statement.findAxis(index.getAxis())].axis] = 1;
    return form;
  }
  if (auto dim = dyn_cast<DimOp>(op)) {
    form.dims[dim.getDim().str()] = 1;
    return form;
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    form.constant = constant.getSExtValue();
    return form;
  }
  if (isa<arith::IndexCastOp>(op))
    return getLinearForm(statement, op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<LinearForm> lhs = getLinearForm(statement, op->getOperand(0));
  std::optional<LinearForm> rhs = getLinearForm(statement, op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (!isa<arith::MulIOp>(op))
    return addScaled(*lhs, *rhs, isa<arith::AddIOp>(op) ? 1 : -1);
  if (lhs->axes.empty() && lhs->dims.empty())
    return addScaled({}, *rhs, lhs->constant);
  if (rhs->axes.empty() && rhs->dims.empty())
    return addScaled({}, *lhs, rhs->constant);
  return std::nullopt;
}

/// `cmp` as conditions `form >= 0` with coefficient 1 or -1 on `axis`; nothing if it is another
/// kind of comparison.
static std::optional<MaskCondition> getCondition(const Statement &statement, arith::CmpIOp cmp,
                                                 unsigned axis) {
  std::optional<LinearForm> lhs = getLinearForm(statement, cmp.getLhs());
  std::optional<LinearForm> rhs = getLinearForm(statement, cmp.getRhs());
  if (!lhs || !rhs)
    return std::nullopt;
  LinearForm form;
  switch (cmp.getPredicate()) {
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::slt:
    form = addScaled(*rhs, *lhs, -1);
    break;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::sgt:
    form = addScaled(*lhs, *rhs, -1);
    break;
  default:
    return std::nullopt;
  }
  bool isStrict = cmp.getPredicate() == arith::CmpIPredicate::slt ||
                  cmp.getPredicate() == arith::CmpIPredicate::sgt;
  form.constant -= isStrict;
  int64_t coefficient = form.axes[axis];
  form.axes.erase(axis);
  if (coefficient != 1 && coefficient != -1)
    return std::nullopt;
  return MaskCondition{coefficient == -1, form};
}

void mlir::nautilus::schedule::collectConjuncts(Value condition,
                                                SmallVectorImpl<arith::CmpIOp> &out) {
  if (auto conjunction = condition.getDefiningOp<arith::AndIOp>()) {
    collectConjuncts(conjunction.getLhs(), out);
    collectConjuncts(conjunction.getRhs(), out);
  } else if (auto cmp = condition.getDefiningOp<arith::CmpIOp>()) {
    out.push_back(cmp);
  }
}

/// A copy of `statement`'s body in which the comparisons of `holding` are true.
static std::shared_ptr<const Body> makeBareBody(const Statement &statement,
                                                const DenseSet<Operation *> &holding) {
  std::shared_ptr<Body> bare = statement.body->cloneWithoutRegion();
  Block &source = statement.body->getRegion().front();
  Block &block = bare->getRegion().emplaceBlock();
  IRMapping mapping;
  for (BlockArgument argument : source.getArguments())
    mapping.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
  OpBuilder builder(bare->getLoc().getContext()); // the region has no op to ask
  builder.setInsertionPointToEnd(&block);
  Value yes;
  auto isTrue = [&](Value value) { return yes && value == yes; };
  for (Operation &op : source) {
    if (holding.contains(&op)) {
      if (!yes)
        yes = arith::ConstantIntOp::create(builder, op.getLoc(), 1, 1);
      mapping.map(op.getResult(0), yes);
      continue;
    }
    if (auto conjunction = dyn_cast<arith::AndIOp>(op)) {
      Value lhs = mapping.lookup(conjunction.getLhs()), rhs = mapping.lookup(conjunction.getRhs());
      if (isTrue(lhs) || isTrue(rhs)) {
        mapping.map(conjunction.getResult(), isTrue(lhs) ? rhs : lhs);
        continue;
      }
    }
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      if (isTrue(mapping.lookup(select.getCondition()))) {
        mapping.map(select.getResult(), mapping.lookup(select.getTrueValue()));
        continue;
      }
    }
    builder.clone(op, mapping);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return bare;
}

std::optional<MaskSplit> mlir::nautilus::schedule::findMasks(const State &state, unsigned loop) {
  MaskSplit split;
  for (unsigned stmt : state.getStatementsBelow({Node::Kind::Loop, loop})) {
    const Statement &statement = state.statements[stmt];
    DenseSet<Operation *> holding;
    for (auto select : statement.body->getRegion().getOps<arith::SelectOp>()) {
      SmallVector<arith::CmpIOp> conjuncts;
      collectConjuncts(select.getCondition(), conjuncts);
      for (arith::CmpIOp cmp : conjuncts)
        if (auto condition = getCondition(statement, cmp, state.loops[loop].axis)) {
          holding.insert(cmp);
          split.conditions.push_back(*condition);
        }
    }
    if (!holding.empty())
      split.bareBodies[stmt] = makeBareBody(statement, holding);
  }
  if (split.conditions.empty())
    return std::nullopt;
  return split;
}

bool mlir::nautilus::schedule::isMaskedBy(const Statement &statement, arith::SelectOp select,
                                          unsigned axis) {
  SmallVector<arith::CmpIOp> conjuncts;
  collectConjuncts(select.getCondition(), conjuncts);
  return llvm::any_of(
      conjuncts, [&](arith::CmpIOp cmp) { return getCondition(statement, cmp, axis).has_value(); });
}
