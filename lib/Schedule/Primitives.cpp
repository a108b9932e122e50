// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Check and apply for every primitive: a proposal, then the invariants. Checking may build a
// state, because states are cheap; it never changes the one it is given.

#include "Edits.h"
#include "nautilus/Schedule/Invariants.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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

static std::string quote(StringRef name) { return ("\"" + name + "\"").str(); }

/// A loop as steps address it.
static std::string getLoopText(StringRef statement, StringRef axis) {
  return quote(statement) + "[" + quote(axis) + "]";
}

std::string mlir::nautilus::schedule::getText(const Primitive &primitive) {
  struct Writer {
    std::string operator()(const Tile &step) {
      std::string size = step.size.isOpen() ? step.size.knob : std::to_string(step.size.value);
      return getLoopText(step.statement, step.axis) + " by " + size;
    }
    std::string operator()(const Bind &step) { return getLoopText(step.statement, step.axis); }
    std::string operator()(const Fuse &step) {
      return quote(step.statement) + " into " + getLoopText(step.into, step.axis);
    }
    std::string operator()(const Inline &step) { return quote(step.statement); }
    std::string operator()(const Clone &step) {
      return quote(step.statement) + " for " + quote(step.reader) + " as " + quote(step.name);
    }
    std::string operator()(const Roll &step) {
      return quote(step.statement) + " into " + getLoopText(step.into, step.axis);
    }
    std::string operator()(const SplitMask &step) { return getLoopText(step.statement, step.axis); }
    std::string operator()(const SplitReduce &step) {
      std::string parts = step.parts.isOpen() ? step.parts.knob : std::to_string(step.parts.value);
      return getLoopText(step.statement, step.axis) + " into " + parts;
    }
    std::string operator()(const Configure &step) {
      const LaunchOptions &options = step.options;
      SmallVector<std::string> texts;
      if (options.warps)
        texts.push_back("warps = " + std::to_string(options.warps));
      if (options.stages)
        texts.push_back("stages = " + std::to_string(options.stages));
      if (options.persistent)
        texts.push_back("persistent");
      if (options.order != scalar::GridOrder::Natural)
        texts.push_back("order = " + scalar::stringifyGridOrder(options.order).str());
      return quote(step.statement) + " <" + llvm::join(texts, ", ") + ">";
    }
  };
  return (getPrimitiveName(primitive) + " " + std::visit(Writer(), primitive)).str();
}
