// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primitive fuse: classical fusion of a whole statement into a loop that exists. Whether the
// values are there and complete is for the invariants to say.

#include "Edits.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

/// Index in `nodes` of the first subtree with a statement that reads `stmt`.
static unsigned findFirstReader(const State &state, ArrayRef<Node> nodes, unsigned stmt) {
  SmallVector<unsigned> readers = state.getReaders(stmt);
  return llvm::find_if(nodes,
                       [&](Node node) {
                         return llvm::any_of(state.getStatementsBelow(node), [&](unsigned other) {
                           return llvm::is_contained(readers, other);
                         });
                       }) -
         nodes.begin();
}

Proposal mlir::nautilus::schedule::propose(const State &state, const Fuse &step) {
  std::optional<unsigned> stmt = state.findStatement(step.statement);
  if (!stmt)
    return Reason(ReasonCode::UnknownStatement, {step.statement});
  auto found = findLoop(state, step.into, step.axis);
  if (auto *reason = std::get_if<Reason>(&found))
    return *reason;
  Node node{Node::Kind::Statement, *stmt};
  if (!llvm::is_contained(state.roots, node))
    return Reason(ReasonCode::AlreadyScheduled, {step.statement});
  State next = state;
  llvm::erase(next.roots, node);
  next.launches.erase(*stmt); // it becomes part of another launch
  SmallVectorImpl<Node> &children = next.loops[std::get<unsigned>(found)].children;
  children.insert(children.begin() + findFirstReader(next, children, *stmt), node);
  if (!sortRoots(next))
    return Reason(ReasonCode::CyclicNests, {step.statement, step.into});
  return next;
}
