// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Plan.h.

#include "Plan.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

namespace {
class Planner {
public:
  explicit Planner(Program &program) : program(program) {}

  Plan plan();

private:
  /// Flat axes of the scope that `node` depends on.
  const llvm::BitVector &getAxes(const Node *node, const StatementScope &scope);
  void addAxis(llvm::BitVector &axes, const Axis *axis) const {
    axes.set(axis->firstFlat, axis->firstFlat + axis->extent.size());
  }
  void planStatement(GeneratedStatement *statement);
  void hoist(Node *node, const GeneratedStatement *user);
  void setAxes(GeneratedStatement *statement);
  void markNeeded(const GeneratedStatement *statement);
  void markNeeded(const Node *node);

  Program &program;
  Plan result;
  llvm::DenseMap<const Node *, llvm::BitVector> axesOf;
  llvm::DenseSet<const Node *> visited;
  llvm::DenseSet<const GeneratedStatement *> needed;
};
} // namespace

const llvm::BitVector &Planner::getAxes(const Node *node, const StatementScope &scope) {
  auto it = axesOf.find(node);
  if (it != axesOf.end())
    return it->second;
  llvm::BitVector axes(scope.flatAxes.size());
  if (node->kind == Node::AxisValue) {
    addAxis(axes, node->axis);
  } else if (node->kind == Node::Local) {
    for (unsigned flat : node->statement->flatAxes)
      axes.set(flat);
  } else if (node->kind == Node::Read) {
    for (AffineExpr expr : node->access)
      for (unsigned flat = 0, e = axes.size(); flat < e; ++flat)
        if (expr.isFunctionOfDim(flat))
          axes.set(flat);
  } else {
    for (const Node *arg : node->args)
      axes |= getAxes(arg, scope);
  }
  if (node->kind == Node::Reduce) {
    llvm::BitVector reduced(scope.flatAxes.size());
    for (const Axis *axis : node->axes)
      addAxis(reduced, axis);
    axes.reset(reduced);
  }
  return axesOf[node] = std::move(axes);
}

void Planner::setAxes(GeneratedStatement *statement) {
  if (statement->axes) {
    for (const Axis *axis : *statement->axes)
      for (unsigned i = 0, e = axis->extent.size(); i < e; ++i)
        statement->flatAxes.push_back(axis->firstFlat + i);
    return;
  }
  for (unsigned flat : getAxes(statement->value, *statement->scope).set_bits())
    statement->flatAxes.push_back(flat);
}

/// Makes statements of the reductions below `node`, innermost first.
void Planner::hoist(Node *node, const GeneratedStatement *user) {
  if (!visited.insert(node).second || node->kind == Node::Read)
    return;
  for (Node *arg : node->args)
    hoist(arg, user);
  if (node->kind != Node::Reduce)
    return;
  GeneratedStatement *statement = &program.storage.emplace_back();
  statement->name = user->name + "." + std::to_string(user->scope->numTemporaries[user->name]++);
  statement->place = node->place;
  statement->value = node;
  statement->type = node->type;
  statement->scope = user->scope;
  setAxes(statement);
  result.hoisted[node] = statement;
  result.statements.push_back(statement);
}

void Planner::planStatement(GeneratedStatement *statement) {
  Node *value = statement->value;
  // A reduction that is the whole formula is the statement itself, unless its type changes or the
  // statement repeats it along an axis that it combines over.
  auto isReduced = [&](Axis *axis) { return llvm::is_contained(value->axes, axis); };
  bool isRoot = value->kind == Node::Reduce && value->type == statement->type &&
                !result.hoisted.count(value) &&
                !(statement->axes && llvm::any_of(*statement->axes, isReduced));
  if (!isRoot)
    hoist(value, statement);
  else
    for (Node *arg : value->args)
      hoist(arg, statement);
  setAxes(statement);
  result.statements.push_back(statement);
}

void Planner::markNeeded(const Node *node) {
  if (!visited.insert(node).second)
    return;
  if (GeneratedStatement *statement = result.hoisted.lookup(node))
    return markNeeded(statement);
  if (node->kind == Node::Local)
    return markNeeded(node->statement);
  if (node->kind == Node::Read) {
    if (node->tensor->definition)
      markNeeded(node->tensor->definition);
    return;
  }
  for (const Node *arg : node->args)
    markNeeded(arg);
}

void Planner::markNeeded(const GeneratedStatement *statement) {
  if (!needed.insert(statement).second)
    return;
  const Node *value = statement->value;
  GeneratedStatement *hoisted = result.hoisted.lookup(value);
  if (hoisted && hoisted != statement)
    return markNeeded(hoisted);
  // The node of a reduction stands for the statement itself.
  if (value->kind != Node::Reduce)
    return markNeeded(value);
  for (const Node *arg : value->args)
    markNeeded(arg);
}

Plan Planner::plan() {
  for (GeneratedStatement *statement : program.statements)
    planStatement(statement);
  visited.clear();
  for (const Tensor *tensor : program.results)
    markNeeded(tensor->output);
  llvm::erase_if(result.statements,
                 [&](GeneratedStatement *statement) { return !needed.contains(statement); });
  return std::move(result);
}

Plan mlir::nautilus::frontend::planStatements(Program &program) { return Planner(program).plan(); }
