// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-ups and tree edits that several primitives need.

#include "Edits.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

std::variant<AxisOfStatement, Reason>
mlir::nautilus::schedule::findAxis(const State &state, StringRef stmt, StringRef axis) {
  std::optional<unsigned> id = state.findStatement(stmt);
  if (!id)
    return Reason(ReasonCode::UnknownStatement, {stmt});
  std::optional<unsigned> position = state.statements[*id].findAxis(axis);
  if (!position)
    return Reason(ReasonCode::UnknownAxis, {stmt, axis});
  return AxisOfStatement{*id, *position, state.statements[*id].axes[*position].axis};
}

std::variant<unsigned, Reason> mlir::nautilus::schedule::findLoop(const State &state,
                                                                  StringRef stmt, StringRef axis) {
  auto found = findAxis(state, stmt, axis);
  if (auto *reason = std::get_if<Reason>(&found))
    return *reason;
  auto place = std::get<AxisOfStatement>(found);
  if (std::optional<unsigned> loop = state.findLoop(place.stmt, place.axis))
    return *loop;
  return Reason(ReasonCode::NoLoop, {stmt, axis});
}

static void dropEmpty(State &state, SmallVectorImpl<Node> &nodes) {
  llvm::erase_if(nodes, [&](Node node) {
    if (!node.isLoop())
      return false;
    dropEmpty(state, state.loops[node.id].children);
    return state.loops[node.id].children.empty();
  });
}

void mlir::nautilus::schedule::dropEmptyLoops(State &state) { dropEmpty(state, state.roots); }

void mlir::nautilus::schedule::eraseStatement(State &state, unsigned stmt) {
  if (auto options = state.launches.extract(stmt))
    for (unsigned other : state.getStatementsBelow(state.roots[state.getRoot(stmt)]))
      if (other != stmt) {
        state.launches.insert({other, options.mapped()});
        break;
      }
  llvm::erase(state.getSiblings({Node::Kind::Statement, stmt}), Node{Node::Kind::Statement, stmt});
  dropEmptyLoops(state);
}

void mlir::nautilus::schedule::redirectReads(Statement &reader, unsigned from, unsigned to) {
  for (Read &read : reader.reads)
    if (read.value.isResultOf(from))
      read.value.id = to;
  for (ValueRef &init : reader.inits)
    if (init.isResultOf(from))
      init.id = to;
}

/// True if a statement below `later` reads a result of one below `earlier`.
static bool readsFrom(const State &state, Node later, Node earlier) {
  SmallVector<unsigned> producers = state.getStatementsBelow(earlier);
  return llvm::any_of(state.getStatementsBelow(later), [&](unsigned stmt) {
    const Statement &statement = state.statements[stmt];
    auto isFromEarlier = [&](const ValueRef &value) {
      return value.kind != ValueRef::Kind::Argument && llvm::is_contained(producers, value.id);
    };
    return llvm::any_of(statement.reads, [&](const Read &r) { return isFromEarlier(r.value); }) ||
           llvm::any_of(statement.inits, isFromEarlier);
  });
}

bool mlir::nautilus::schedule::sortRoots(State &state) {
  SmallVector<Node> pending = state.roots, sorted;
  while (!pending.empty()) {
    auto isReady = [&](Node node) {
      return llvm::none_of(
          pending, [&](Node other) { return !(other == node) && readsFrom(state, node, other); });
    };
    auto *ready = llvm::find_if(pending, isReady);
    if (ready == pending.end())
      return false;
    sorted.push_back(*ready);
    pending.erase(ready);
  }
  state.roots = std::move(sorted);
  return true;
}
