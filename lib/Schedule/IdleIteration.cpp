// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves that a fully masked iteration of a loop changes nothing, by evaluating the loop's body on
// symbols: carried values start as symbols, the mask selects its other branch, and every carried
// value has to come out as the symbol it went in as. Terms are interned, so equal terms have equal
// numbers.

#include "MaskConditions.h"
#include "nautilus/Schedule/MaskSplit.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

namespace {

using Term = unsigned;

/// Builds simplified terms.
class TermTable {
public:
  Term getConstant(double value) { return intern({"constant", {}, value}); }
  Term getSymbol(const Twine &name) { return intern({name.str(), {}, std::nullopt}); }
  Term getOp(StringRef name, ArrayRef<Term> operands);

  bool isConstant(Term term, double value) const {
    return infos[term].constant && *infos[term].constant == value;
  }
  /// Declares a carried value. All of them have their identities until something is accumulated.
  void addCarried(Term symbol, double identity) { identities[symbol] = identity; }

private:
  struct Info {
    std::string name;
    SmallVector<Term, 3> operands;
    std::optional<double> constant;
  };
  Term intern(Info info);
  std::optional<Term> simplifyArithmetic(StringRef name, ArrayRef<Term> x);
  std::optional<Term> simplifySelect(Term condition, Term yes, Term no);
  bool isNeverNegativeInfinity(Term term) const;
  bool isStartTest(Term condition) const;

  std::vector<Info> infos;
  std::map<std::string, Term> numbers;
  std::map<Term, double> identities;
};

} // namespace

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr StringLiteral kEqual = "arith.cmpf oeq";

Term TermTable::intern(Info info) {
  std::string key = info.name;
  if (info.constant)
    key += " " + std::to_string(*info.constant);
  for (Term operand : info.operands)
    key += " #" + std::to_string(operand);
  auto [it, isNew] = numbers.try_emplace(key, infos.size());
  if (isNew)
    infos.push_back(std::move(info));
  return it->second;
}

/// A value that a guard keeps from being -inf: `select(x == -inf, c, x)`.
bool TermTable::isNeverNegativeInfinity(Term term) const {
  const Info &info = infos[term];
  if (info.constant)
    return *info.constant != -kInfinity;
  if (info.name != "arith.select")
    return false;
  const Info &condition = infos[info.operands[0]];
  return condition.name == kEqual && condition.operands[0] == info.operands[2] &&
         isConstant(condition.operands[1], -kInfinity) && isNeverNegativeInfinity(info.operands[1]);
}

/// `tag == identity` for a carried tag: true only before anything was accumulated.
bool TermTable::isStartTest(Term condition) const {
  const Info &info = infos[condition];
  if (info.name != kEqual)
    return false;
  auto tag = identities.find(info.operands[0]);
  return tag != identities.end() && isConstant(info.operands[1], tag->second);
}

std::optional<Term> TermTable::simplifySelect(Term condition, Term yes, Term no) {
  if (infos[condition].constant)
    return *infos[condition].constant != 0 ? yes : no;
  if (yes == no)
    return yes;
  // At the start every carried value is its identity, so the test chooses between equals.
  auto carried = identities.find(no);
  if (carried != identities.end() && isConstant(yes, carried->second) && isStartTest(condition))
    return no;
  return std::nullopt;
}

std::optional<Term> TermTable::simplifyArithmetic(StringRef name, ArrayRef<Term> x) {
  if (name == "arith.mulf") {
    for (auto [a, b] : {std::pair(x[0], x[1]), std::pair(x[1], x[0])}) {
      if (isConstant(a, 0))
        return a;
      if (isConstant(a, 1))
        return b;
      // b * select(start, c, 1) with b = 0 at the start.
      auto carried = identities.find(b);
      const Info &factor = infos[a];
      if (carried != identities.end() && carried->second == 0 && factor.name == "arith.select" &&
          isStartTest(factor.operands[0]) && isConstant(factor.operands[2], 1) &&
          infos[factor.operands[1]].constant && std::isfinite(*infos[factor.operands[1]].constant))
        return b;
    }
  } else if (name == "arith.addf") {
    if (isConstant(x[0], 0))
      return x[1];
    if (isConstant(x[1], 0))
      return x[0];
  } else if (name == "arith.subf") {
    if (x[0] == x[1])
      return getConstant(0);
    if (isConstant(x[1], 0) || (isConstant(x[0], -kInfinity) && isNeverNegativeInfinity(x[1])))
      return x[0];
  } else if (name == "arith.divf") {
    if (isConstant(x[0], 0) || isConstant(x[1], 1))
      return x[0];
    if (x[0] == x[1])
      return getConstant(1);
  } else if (name == "math.exp" || name == "math.exp2") {
    if (isConstant(x[0], -kInfinity) || isConstant(x[0], 0))
      return getConstant(isConstant(x[0], 0) ? 1 : 0);
  } else if (name == "arith.maximumf" || name == "arith.maxnumf") {
    if (x[0] == x[1] || isConstant(x[1], -kInfinity))
      return x[0];
    if (isConstant(x[0], -kInfinity))
      return x[1];
  } else if (name == "arith.extf" || name == "arith.truncf") {
    for (double exact : {0.0, 1.0, kInfinity, -kInfinity})
      if (isConstant(x[0], exact))
        return x[0];
  } else if (name == kEqual && infos[x[0]].constant && infos[x[1]].constant) {
    return getConstant(*infos[x[0]].constant == *infos[x[1]].constant);
  }
  return std::nullopt;
}

Term TermTable::getOp(StringRef name, ArrayRef<Term> operands) {
  // One order for `constant == x`, so that the rules need only know the other.
  if (name == kEqual && infos[operands[0]].constant && !infos[operands[1]].constant)
    return getOp(name, {operands[1], operands[0]});
  std::optional<Term> simple = name == "arith.select"
                                   ? simplifySelect(operands[0], operands[1], operands[2])
                                   : simplifyArithmetic(name, operands);
  return simple ? *simple : intern({name.str(), llvm::to_vector<3>(operands), std::nullopt});
}

//===----------------------------------------------------------------------===//
// One iteration
//===----------------------------------------------------------------------===//

namespace {

class MaskedIteration {
public:
  MaskedIteration(const State &state, unsigned loop, Operation *mask)
      : state(state), loop(loop), mask(mask),
        statements(state.getStatementsBelow({Node::Kind::Loop, loop})) {}

  bool isIdle();

private:
  void run(unsigned stmt);
  Term read(unsigned stmt, unsigned position);
  SmallVector<Term> evaluate(unsigned stmt);
  Term evaluateOp(const Statement &statement, Operation &op, ArrayRef<Term> operands);

  const State &state;
  unsigned loop;
  Operation *mask;
  SmallVector<unsigned> statements;
  TermTable terms;
  std::map<ValueRef, Term> values;
};

} // namespace

static std::optional<double> getNumber(Attribute attr) {
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return number.getValue().getSExtValue();
  return std::nullopt;
}

Term MaskedIteration::read(unsigned stmt, unsigned position) {
  const ValueRef &value = state.statements[stmt].reads[position].value;
  auto known = values.find(value);
  if (known != values.end())
    return known->second;
  // From outside the loop, or an argument; which one doesn't matter.
  return terms.getSymbol("read " + Twine(stmt) + " " + Twine(position));
}

Term MaskedIteration::evaluateOp(const Statement &statement, Operation &op,
                                 ArrayRef<Term> operands) {
  if (&op == mask)
    return operands[2];
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (std::optional<double> number = getNumber(constant.getValue()))
      return terms.getConstant(*number);
  if (auto cmp = dyn_cast<arith::CmpFOp>(op);
      cmp && cmp.getPredicate() == arith::CmpFPredicate::OEQ)
    return terms.getOp(kEqual, operands);
  if (auto index = dyn_cast<IndexOp>(op))
    return terms.getSymbol("axis " +
                           Twine(statement.axes[*statement.findAxis(index.getAxis())].axis));
  std::string name = op.getName().getStringRef().str();
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::MaximumFOp,
          arith::MaxNumFOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp, math::ExpOp,
          math::Exp2Op>(op))
    return terms.getOp(name, operands);
  llvm::raw_string_ostream(name) << op.getAttrDictionary();
  return terms.getOp(name, operands);
}

SmallVector<Term> MaskedIteration::evaluate(unsigned stmt) {
  const Statement &statement = state.statements[stmt];
  Block &block = statement.body->getRegion().front();
  DenseMap<Value, Term> known;
  for (BlockArgument argument : block.getArguments())
    known[argument] = read(stmt, argument.getArgNumber());
  for (Operation &op : block.without_terminator()) {
    SmallVector<Term> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.lookup(operand));
    for (OpResult result : op.getResults())
      known[result] = result.getResultNumber() == 0
                          ? evaluateOp(statement, op, operands)
                          : terms.getSymbol("value " + Twine(stmt) + " " + Twine(known.size()));
  }
  SmallVector<Term> yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(known.lookup(value));
  return yielded;
}

void MaskedIteration::run(unsigned stmt) {
  const Statement &statement = state.statements[stmt];
  SmallVector<Term> yielded = evaluate(stmt);
  bool addsNothing = statement.isReduce();
  for (auto [i, term] : llvm::enumerate(yielded)) {
    if (!statement.isReduce())
      continue;
    std::optional<double> identity = getNumber(statement.body->getIdentities()[i]);
    addsNothing &= identity && terms.isConstant(term, *identity);
  }
  for (unsigned i = 0; i < yielded.size(); ++i) {
    ValueRef result{ValueRef::Kind::Result, stmt, i}, previous{ValueRef::Kind::Previous, stmt, i};
    Term term = yielded[i];
    if (statement.isReduce() && !addsNothing) {
      term = terms.getSymbol("result " + Twine(stmt) + " " + Twine(i));
    } else if (statement.isReduce()) {
      bool isCarried = state.isCarriedBy(stmt, loop);
      if (!statement.inits.empty())
        term = values.at(statement.inits[i]);
      else if (isCarried)
        term = values.at(previous);
    }
    values[result] = term;
  }
}

bool MaskedIteration::isIdle() {
  SmallVector<ValueRef> carried;
  for (unsigned stmt : statements) {
    if (!state.isCarriedBy(stmt, loop))
      continue;
    for (auto [i, identity] : llvm::enumerate(state.statements[stmt].body->getIdentities())) {
      carried.push_back({ValueRef::Kind::Previous, stmt, static_cast<unsigned>(i)});
      Term symbol = terms.getSymbol("carried " + Twine(stmt) + " " + Twine(i));
      values[carried.back()] = symbol;
      if (std::optional<double> number = getNumber(identity))
        terms.addCarried(symbol, *number);
    }
  }
  for (unsigned stmt : statements)
    run(stmt);
  return llvm::all_of(carried, [&](ValueRef value) {
    Term before = values.at(value);
    value.kind = ValueRef::Kind::Result;
    return values.at(value) == before;
  });
}

bool mlir::nautilus::schedule::isIdleWhenMasked(const State &state, unsigned loop) {
  for (unsigned stmt : state.getStatementsBelow({Node::Kind::Loop, loop})) {
    const Statement &statement = state.statements[stmt];
    for (auto select : statement.body->getRegion().getOps<arith::SelectOp>())
      if (isMaskedBy(statement, select, state.loops[loop].axis) &&
          !MaskedIteration(state, loop, select).isIdle())
        return false;
  }
  return true;
}
