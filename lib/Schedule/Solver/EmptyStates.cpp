// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States in which a row has seen no live element: how to tell them, what bodies and r-only values
// are there, and how to guard against them.

#include "Reducers.h"
#include "Sampler.h"
#include "Terms.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

double SolveState::getIdentity(unsigned frontier) const {
  return getIdentityOf(problem.frontier[frontier].reducer);
}

bool SolveState::isSelective(unsigned frontier) const {
  return isExtreme(problem.frontier[frontier].reducer);
}

Expr SolveState::isAtIdentity(Expr leaf) {
  bool isCount = leaf->isLeaf(LeafRole::Count) || leaf->isLeaf(LeafRole::CountOld);
  double identity = isCount ? 0 : getIdentity(leaf->getIndex());
  return context.cmpF(arith::CmpFPredicate::OEQ, leaf, context.constant(identity, leaf->getType()));
}

double SolveState::evaluateAtIdentity(Expr e, double count) const {
  Evaluator evaluator(EvalMode::Real);
  for (Expr leaf : getLeaves(e)) {
    if (leaf->isLeaf(LeafRole::Frontier))
      evaluator.set(leaf, getIdentity(leaf->getIndex()));
    else
      evaluator.set(leaf, leaf->isLeaf(LeafRole::Count) ? count : 0.75);
  }
  return evaluator.evaluateFloat(e);
}

Expr SolveState::guardExtremes(Expr e) {
  return context.substitute(e, [&](Expr node) -> Expr {
    if (!node->isLeaf(LeafRole::Frontier) || !isSelective(node->getIndex()) ||
        !isFloat(node->getType()))
      return nullptr;
    return context.select(isAtIdentity(node), context.constant(0, node->getType()), node);
  });
}

SmallVector<Expr> SolveState::getExtremes(Expr e) const {
  SmallVector<Expr> extremes;
  for (Expr leaf : getLeaves(e))
    if (leaf->isLeaf(LeafRole::Frontier) && isSelective(leaf->getIndex()))
      extremes.push_back(leaf);
  return extremes;
}

Expr SolveState::isOldStateEmpty(Expr e) {
  Expr condition = nullptr;
  auto anyOf = [&](Expr c) {
    condition = condition ? context.binary(ExprOp::Or, condition, c) : c;
  };
  for (Expr leaf : getExtremes(e))
    anyOf(isAtIdentity(build.toOld(leaf)));
  bool readsSum = llvm::any_of(getLeaves(e), [&](Expr leaf) {
    return leaf->isLeaf(LeafRole::Frontier) && !isSelective(leaf->getIndex());
  });
  // A sum may be 0 with elements in it; the count tells.
  if (e->reads(LeafRole::Count) || (!condition && readsSum && problem.hasCount))
    anyOf(isAtIdentity(context.leaf(LeafRole::CountOld, 0, problem.body->getType())));
  return condition;
}

bool SolveState::canBeEmpty(Expr e) const {
  return llvm::any_of(getLeaves(e), [&](Expr leaf) {
    if (!leaf->isLeaf(LeafRole::Frontier))
      return false;
    bool isKnown = isSelective(leaf->getIndex()) && problem.frontier[leaf->getIndex()].element;
    return !isKnown || findDeadElement(leaf->getIndex(), 0);
  });
}

std::optional<Assignment> SolveState::findDeadElement(unsigned frontier, unsigned seed) const {
  Expr element = problem.frontier[frontier].element;
  if (!element)
    return std::nullopt;
  double identity = getIdentity(frontier);
  Sampler sampler(context, seed + 1);
  for (unsigned trial = 0; trial < 64; ++trial) {
    Evaluator evaluator(EvalMode::Real);
    Assignment assignment;
    for (Expr leaf : getLeaves(element)) {
      ScalarValue value = sampler.sample(leaf);
      if (readsElement(leaf) && isFloat(leaf->getType()) && sampler.below(2))
        value.f = sampler.below(4) ? identity : -identity;
      if (!readsElement(leaf))
        value = {0.75, 3};
      evaluator.set(leaf, value);
      if (readsElement(leaf))
        assignment.push_back({leaf, value});
    }
    if (evaluator.evaluateFloat(element) == identity)
      return assignment;
  }
  return std::nullopt;
}

SolveState::DeadKind SolveState::classifyDead(unsigned frontier, Expr raw, Expr guarded) const {
  if (!problem.frontier[frontier].element)
    return DeadKind::Unknown;
  DeadKind kind = DeadKind::Harmless;
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::optional<Assignment> dead = findDeadElement(frontier, seed * 100);
    if (!dead)
      return DeadKind::Harmless; // the identity can't be reached with elements
    Sampler sampler(context, seed);
    auto evaluate = [&](Expr e, double tag) {
      Evaluator evaluator(EvalMode::Real);
      for (Expr leaf : getLeaves(e))
        evaluator.set(leaf, readsElement(leaf) ? sampler.sample(leaf) : ScalarValue{0.75, 3});
      for (auto [leaf, value] : *dead)
        evaluator.set(leaf, value);
      evaluator.set(context.leaf(LeafRole::Frontier, frontier, problem.body->getType()), tag);
      return evaluator.evaluateFloat(e);
    };
    double identity = getIdentity(frontier);
    double value = evaluate(guarded, identity), original = evaluate(raw, identity);
    if (std::isnan(value) ? !std::isnan(evaluate(raw, 0.5)) : value != 0)
      return DeadKind::Unsafe;
    if (value == 0 && std::isnan(original))
      kind = DeadKind::GivesNaN;
    else if (value == 0 && original != 0)
      return DeadKind::Unsafe;
  }
  return kind;
}
