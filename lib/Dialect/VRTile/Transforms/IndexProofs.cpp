// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proofs about linear forms by integer constraints; see IndexForms.h.

#include "IndexForms.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

namespace {
/// Values as integer variables, and what is known of them.
class ConstraintSystem {
public:
  /// A linear combination of variables and a constant.
  struct Row {
    SmallVector<std::pair<unsigned, int64_t>> terms;
    int64_t constant = 0;
  };

  Row getRow(const LinearForm &form, ArrayRef<unsigned> positions = {});
  unsigned addVariable() { return numVariables++; }
  void addNonNegative(Row row) { inequalities.push_back(std::move(row)); }
  void addZero(Row row) { equalities.push_back(std::move(row)); }

  /// True if no integers satisfy the constraints with one case of each choice.
  bool isEmpty() const { return isEmptyFrom(0, equalities); }

private:
  unsigned getVariable(Value value);
  void constrain(Value value, unsigned variable);
  void constrainLoop(scf::ForOp loop, unsigned variable);
  void constrainOrigin(OriginOp origin, unsigned number, unsigned variable);
  bool constrainQuotient(Operation *op, unsigned variable);
  void constrainExtreme(Operation *op, unsigned variable);
  bool isEmptyFrom(unsigned choice, ArrayRef<Row> fixed) const;
  static Row plus(Row row, unsigned variable, int64_t coefficient, int64_t constant = 0) {
    row.terms.push_back({variable, coefficient});
    row.constant += constant;
    return row;
  }
  static Row scaled(Row row, int64_t factor) {
    for (auto &term : row.terms)
      term.second *= factor;
    row.constant *= factor;
    return row;
  }

  unsigned numVariables = 0;
  DenseMap<Value, unsigned> variables;
  SmallVector<Row> inequalities, equalities;
  SmallVector<std::pair<Row, Row>> choices; ///< One of the two is zero.
};
} // namespace

ConstraintSystem::Row ConstraintSystem::getRow(const LinearForm &form,
                                               ArrayRef<unsigned> positions) {
  Row row;
  row.constant = form.constant;
  for (auto [value, coefficient] : form.terms)
    row.terms.push_back({getVariable(value), coefficient});
  for (auto [position, coefficient] : llvm::zip(positions, form.positions))
    row.terms.push_back({position, coefficient});
  return row;
}

unsigned ConstraintSystem::getVariable(Value value) {
  auto [it, isNew] = variables.try_emplace(value, numVariables);
  unsigned variable = it->second;
  if (isNew) {
    ++numVariables;
    constrain(value, variable);
  }
  return variable;
}

void ConstraintSystem::constrain(Value value, unsigned variable) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<KernelOp>(parent)) // An extent.
      addNonNegative(plus({}, variable, 1));
    else if (auto loop = dyn_cast<scf::ForOp>(parent); loop && loop.getInductionVar() == value)
      constrainLoop(loop, variable);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto origin = dyn_cast<OriginOp>(op))
    constrainOrigin(origin, cast<OpResult>(value).getResultNumber(), variable);
  else if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
    constrainExtreme(op, variable);
  else
    constrainQuotient(op, variable);
}

/// lower <= iv < upper, iv = lower + step * n.
void ConstraintSystem::constrainLoop(scf::ForOp loop, unsigned variable) {
  Row lower = getRow(getIndexForm(loop.getLowerBound()));
  Row upper = getRow(getIndexForm(loop.getUpperBound()));
  addNonNegative(plus(scaled(lower, -1), variable, 1));
  addNonNegative(plus(upper, variable, -1, -1));
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return;
  unsigned count = addVariable();
  addNonNegative(plus({}, count, 1));
  addZero(plus(plus(lower, count, step.getSExtValue()), variable, -1));
}

/// 0 <= origin < extent, a multiple of the tile.
void ConstraintSystem::constrainOrigin(OriginOp origin, unsigned number, unsigned variable) {
  addNonNegative(plus({}, variable, 1));
  unsigned tile = addVariable();
  addNonNegative(plus({}, tile, 1));
  addZero(plus(plus({}, tile, origin.getTiles()[number]), variable, -1));
  int64_t size = origin.getStaticExtents()[number];
  Row extent;
  extent.constant = size;
  if (ShapedType::isDynamic(size)) {
    auto before = origin.getStaticExtents().take_front(number);
    Value operand = origin.getExtents()[llvm::count(before, ShapedType::kDynamic)];
    extent = getRow(getIndexForm(operand));
  }
  addNonNegative(plus(extent, variable, -1, -1));
}

/// A quotient or remainder of a number that is not negative by a positive constant.
bool ConstraintSystem::constrainQuotient(Operation *op, unsigned variable) {
  bool isQuotient = isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op);
  APInt divisor;
  if (!(isQuotient || isa<arith::RemSIOp, arith::RemUIOp>(op)) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) || !divisor.isStrictlyPositive())
    return false;
  LinearForm dividend = getIndexForm(op->getOperand(0));
  if (!isa<arith::FloorDivSIOp>(op) && !isProvenNonNegative(dividend))
    return false;
  int64_t c = divisor.getSExtValue();
  unsigned quotient = isQuotient ? variable : addVariable();
  Row rest = plus(getRow(dividend), quotient, -c); // dividend - c * quotient
  addNonNegative(rest);
  addNonNegative(plus(scaled(rest, -1), variable, 0, c - 1));
  if (!isQuotient)
    addZero(plus(rest, variable, -1));
  return true;
}

void ConstraintSystem::constrainExtreme(Operation *op, unsigned variable) {
  int64_t sign = isa<arith::MaxSIOp>(op) ? 1 : -1;
  Row rows[2];
  for (unsigned i : {0, 1}) { // max - operand, or operand - min
    rows[i] = plus(scaled(getRow(getIndexForm(op->getOperand(i))), -sign), variable, sign);
    addNonNegative(rows[i]);
  }
  choices.push_back({rows[0], rows[1]});
}

bool ConstraintSystem::isEmptyFrom(unsigned choice, ArrayRef<Row> fixed) const {
  constexpr unsigned maxChoices = 6;
  if (choice < std::min<size_t>(choices.size(), maxChoices)) {
    for (const Row &row : {choices[choice].first, choices[choice].second}) {
      SmallVector<Row> rows(fixed);
      rows.push_back(row);
      if (!isEmptyFrom(choice + 1, rows))
        return false;
    }
    return true;
  }
  presburger::IntegerPolyhedron set(presburger::PresburgerSpace::getSetSpace(numVariables));
  auto dense = [&](const Row &row) {
    SmallVector<int64_t> coefficients(numVariables + 1, 0);
    for (auto [variable, coefficient] : row.terms)
      coefficients[variable] += coefficient;
    coefficients.back() = row.constant;
    return coefficients;
  };
  for (const Row &row : inequalities)
    set.addInequality(dense(row));
  for (const Row &row : fixed)
    set.addEquality(dense(row));
  return set.isIntegerEmpty();
}

bool vrtile::isProvenNonNegative(const LinearForm &form, ArrayRef<int64_t> shape) {
  LinearForm least = getExtreme(form, shape, /*greatest=*/false);
  if (least.terms.empty())
    return least.constant >= 0;
  ConstraintSystem system;
  // The negation: -form - 1 >= 0.
  LinearForm negated;
  negated.add(least, -1);
  negated.constant -= 1;
  system.addNonNegative(system.getRow(negated));
  return system.isEmpty();
}
