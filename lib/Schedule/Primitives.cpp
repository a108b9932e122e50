// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Check and apply for every primitive: a proposal, then the invariants. Checking may build a
// state, because states are cheap; it never changes the one it is given.

#include "Edits.h"
#include "nautilus/Schedule/Invariants.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

static Proposal proposeAny(const State &state, const Primitive &primitive) {
  return std::visit([&](const auto &step) { return propose(state, step); }, primitive);
}

Verdict mlir::nautilus::schedule::checkStep(const State &state, const Primitive &primitive) {
  Proposal proposal = proposeAny(state, primitive);
  if (auto *reason = std::get_if<Reason>(&proposal))
    return *reason;
  return checkInvariants(std::get<State>(proposal));
}

State mlir::nautilus::schedule::applyStep(const State &state, const Primitive &primitive) {
  Proposal proposal = proposeAny(state, primitive);
  assert(std::holds_alternative<State>(proposal) && "apply without a successful check");
  return std::move(std::get<State>(proposal));
}

StringRef mlir::nautilus::schedule::getPrimitiveName(const Primitive &primitive) {
  struct Namer {
    StringRef operator()(const Tile &) { return "tile"; }
    StringRef operator()(const Bind &) { return "bind"; }
    StringRef operator()(const Fuse &) { return "fuse"; }
    StringRef operator()(const Inline &) { return "inline"; }
    StringRef operator()(const Clone &) { return "clone"; }
    StringRef operator()(const Roll &) { return "roll"; }
    StringRef operator()(const SplitMask &) { return "split_mask"; }
    StringRef operator()(const Configure &) { return "configure"; }
    StringRef operator()(const SplitReduce &) { return "split_reduce"; }
  };
  return std::visit(Namer(), primitive);
}
