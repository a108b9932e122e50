// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions that a schedule state answers about its own tree. States are small (tens of
// statements), so every answer is a walk and nothing is cached.

#include "nautilus/Schedule/State.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

bool Statement::hasAxis(unsigned axis) const {
  return llvm::any_of(axes, [&](const LocalAxis &local) { return local.axis == axis; });
}

bool Statement::reducesOver(unsigned axis) const {
  return llvm::any_of(getReductionAxes(),
                      [&](const LocalAxis &local) { return local.axis == axis; });
}

std::optional<unsigned> Statement::findAxis(StringRef name) const {
  for (auto [i, local] : llvm::enumerate(axes))
    if (local.name == name)
      return i;
  return std::nullopt;
}

/// Appends the statements below `nodes` in execution order.
static void collect(const State &state, ArrayRef<Node> nodes, SmallVectorImpl<unsigned> &out) {
  for (Node node : nodes) {
    if (node.isLoop())
      collect(state, state.loops[node.id].children, out);
    else
      out.push_back(node.id);
  }
}

SmallVector<unsigned> State::getOrder() const {
  SmallVector<unsigned> order;
  collect(*this, roots, order);
  return order;
}

SmallVector<unsigned> State::getStatementsBelow(Node node) const {
  SmallVector<unsigned> order;
  collect(*this, node, order);
  return order;
}

std::optional<unsigned> State::findStatement(StringRef name) const {
  for (unsigned stmt : getOrder())
    if (statements[stmt].name == name)
      return stmt;
  return std::nullopt;
}

/// Appends the loops from `nodes` down to `stmt`; false if it isn't below them.
static bool findPath(const State &state, ArrayRef<Node> nodes, unsigned stmt,
                     SmallVectorImpl<unsigned> &path) {
  for (Node node : nodes) {
    if (!node.isLoop()) {
      if (node.id == stmt)
        return true;
      continue;
    }
    path.push_back(node.id);
    if (findPath(state, state.loops[node.id].children, stmt, path))
      return true;
    path.pop_back();
  }
  return false;
}

SmallVector<unsigned> State::getLoopsAround(unsigned stmt) const {
  SmallVector<unsigned> path;
  findPath(*this, roots, stmt, path);
  return path;
}

SmallVector<unsigned> State::getLoopsInsideOut(unsigned stmt) const {
  SmallVector<unsigned> path = getLoopsAround(stmt);
  std::reverse(path.begin(), path.end());
  return path;
}

std::optional<unsigned> State::findLoop(unsigned stmt, unsigned axis) const {
  for (unsigned loop : getLoopsInsideOut(stmt))
    if (loops[loop].axis == axis)
      return loop;
  return std::nullopt;
}

unsigned State::getRoot(unsigned stmt) const {
  for (auto [i, root] : llvm::enumerate(roots))
    if (llvm::is_contained(getStatementsBelow(root), stmt))
      return i;
  return roots.size();
}

LaunchOptions State::getLaunch(Node root) const {
  for (unsigned stmt : getStatementsBelow(root))
    if (auto it = launches.find(stmt); it != launches.end())
      return it->second;
  return {};
}

SmallVectorImpl<Node> &State::getSiblings(Node node) {
  for (unsigned parent : getStatementsBelow(node).empty()
                             ? SmallVector<unsigned>()
                             : getLoopsAround(getStatementsBelow(node).front()))
    if (llvm::is_contained(loops[parent].children, node))
      return loops[parent].children;
  return roots;
}

SmallVector<unsigned> State::getReaders(unsigned stmt) const {
  SmallVector<unsigned> readers;
  for (unsigned other : getOrder()) {
    const Statement &statement = statements[other];
    if (llvm::any_of(statement.reads, [&](const Read &r) { return r.value.isResultOf(stmt); }) ||
        llvm::any_of(statement.inits, [&](const ValueRef &v) { return v.isResultOf(stmt); }))
      readers.push_back(other);
  }
  return readers;
}

bool State::isOutput(unsigned stmt) const {
  return llvm::any_of(outputs, [&](const ValueRef &value) { return value.isResultOf(stmt); });
}

bool State::isReductionLoop(unsigned loop) const {
  return llvm::any_of(getStatementsBelow({Node::Kind::Loop, loop}), [&](unsigned stmt) {
    return statements[stmt].reducesOver(loops[loop].axis);
  });
}

bool State::isCarriedBy(unsigned stmt, unsigned loop) const {
  return statements[stmt].reducesOver(loops[loop].axis) &&
         llvm::is_contained(getLoopsAround(stmt), loop);
}

std::optional<unsigned> State::findReaderBeyondLoop(unsigned stmt) const {
  for (unsigned loop : getLoopsAround(stmt)) {
    if (!isReductionLoop(loop) || isCarriedBy(stmt, loop))
      continue;
    for (unsigned reader : getReaders(stmt))
      if (!llvm::is_contained(getLoopsAround(reader), loop))
        return reader;
  }
  return std::nullopt;
}

std::string State::getFreshName(StringRef base) const {
  std::string name = base.str();
  for (unsigned i = 1; findStatement(name); ++i)
    name = (base + "." + std::to_string(i)).str();
  return name;
}

void State::selectKnobs(function_ref<int64_t(StringRef)> values) {
  for (Loop &loop : loops)
    if (loop.tile.isOpen())
      loop.tile.value = values(loop.tile.knob);
}
