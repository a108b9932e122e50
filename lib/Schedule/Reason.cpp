// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one table of reasons: each code's name and its text, in which {0}, {1}, … stand for values.

#include "nautilus/Schedule/Reason.h"

#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace mlir::nautilus::schedule;

namespace {
struct Wording {
  StringRef name;
  StringRef text;
};
} // namespace

// One case per reason.
static Wording getWording(ReasonCode code) { // NOLINT(readability-function-size)
  switch (code) {
  case ReasonCode::UnknownStatement:
    return {"unknown-statement", "expected the name of a statement, got '{0}'"};
  case ReasonCode::UnknownAxis:
    return {"unknown-axis", "expected an axis of statement '{0}', got '{1}'"};
  case ReasonCode::NoLoop:
    return {"no-loop", "expected a loop over axis '{1}' around statement '{0}'; tile it first"};
  case ReasonCode::AlreadyTiled:
    return {"already-tiled", "axis '{1}' of statement '{0}' is tiled already"};
  case ReasonCode::AlreadyScheduled:
    return {"already-scheduled",
            "expected statement '{0}' to stand alone without loops, because it takes over the "
            "loops of its destination"};
  case ReasonCode::NotAlone:
    return {"not-alone", "axis '{1}' of statement '{0}' can't be tiled any more: the statement "
                         "shares its loops with others, which would not get the new loop"};
  case ReasonCode::BadTileSize:
    return {"bad-tile-size", "expected a power of two, a multiple of 8 or the extent of its dim as "
                             "tile of axis '{0}', got {1}"};
  case ReasonCode::BadContractionTile:
    return {"bad-contraction-tile", "expected a multiple of 16 as tile of contraction axis '{1}' "
                                    "of statement '{0}', got {2}"};
  case ReasonCode::BindsReduction:
    return {"binds-reduction",
            "the loop over '{0}' can't be bound to the grid: statement '{1}' reduces over it, so "
            "its iterations depend on one another"};
  case ReasonCode::BelowSerialLoop:
    return {"below-serial-loop", "the loop over '{0}' can't be bound to the grid: it stands below "
                                 "the serial loop over '{1}'"};
  case ReasonCode::LacksAxis:
    return {"lacks-axis", "statement '{0}' would be repeated in every iteration of the loop over "
                          "'{1}', an axis that it doesn't have"};
  case ReasonCode::AccumulatesTwice:
    return {"accumulates-twice", "statement '{0}' reduces over '{1}', but the loop over '{2}' "
                                 "stands inside that loop and is no reduction of it"};
  case ReasonCode::NotVisible:
    return {"not-visible",
            "statement '{0}' reads '{1}', which isn't computed where it would stand"};
  case ReasonCode::MustRoll:
    return {"must-roll", "statement '{0}' reads reduction '{1}' inside the loop over '{2}' in "
                         "which it isn't complete; roll the reduction that uses '{0}' instead"};
  case ReasonCode::RunningEscapes:
    return {"running-escapes",
            "statement '{0}' depends on the unfinished reduction '{1}' and leaves the loop over "
            "'{2}' without a repair"};
  case ReasonCode::DifferentTile:
    return {"different-tile", "statement '{0}' reads '{1}' at a subscript of its dim {2} that "
                              "isn't the same point of the same tile"};
  case ReasonCode::CyclicNests:
    return {"cyclic-nests", "statements '{0}' and '{1}' would have to run before one another"};
  case ReasonCode::ResultLacksGridAxis:
    return {"result-lacks-grid-axis", "statement '{0}' leaves its nest but lacks the grid axis "
                                      "'{1}', so that several blocks would write it"};
  case ReasonCode::NotElementwise:
    return {"not-elementwise", "expected an elementwise statement, got reduction '{0}'"};
  case ReasonCode::IsOutput:
    return {"is-output", "statement '{0}' is a result of the kernel"};
  case ReasonCode::NotPure:
    return {"not-pure", "statement '{0}' goes on from a value that its loop carries, so a copy "
                        "elsewhere would differ"};
  case ReasonCode::LeavesSerialLoop:
    return {"leaves-serial-loop",
            "statement '{0}' is a result of the kernel but stands in the serial loop over '{1}', "
            "which keeps no tiles; clone it for its reader there"};
  case ReasonCode::NotComposable:
    return {"not-composable",
            "statement '{0}' reads '{1}' in a way that its body can't be put in place of the read"};
  case ReasonCode::NoReader:
    return {"no-reader", "statement '{0}' has no reader"};
  case ReasonCode::NameTaken:
    return {"name-taken", "expected a new name, got '{0}', which a statement has"};
  case ReasonCode::NotReduction:
    return {"not-reduction", "expected a reduction, got elementwise statement '{0}'"};
  case ReasonCode::NotSolvable:
    return {"not-solvable", "no repair for statement '{0}': {1}"};
  case ReasonCode::NotSerial:
    return {"not-serial", "expected a serial loop over '{0}', got one that no reduction needs"};
  case ReasonCode::NotAffineMask:
    return {"not-affine-mask",
            "no statement in the loop over '{0}' selects by an affine comparison of that axis"};
  case ReasonCode::NotIdleWhenMasked:
    return {"not-idle-when-masked", "an iteration of the loop over '{0}' in which a mask hides "
                                    "everything isn't shown to leave all carried values unchanged"};
  case ReasonCode::BadLaunchOption:
    return {"bad-launch-option", "expected 0 to {1} {0}, got {2}"};
  case ReasonCode::BadPartCount:
    return {"bad-part-count", "expected 2 to {1} parts of the loop over '{0}', got {2}"};
  case ReasonCode::NotSplittable:
    return {"not-splittable", "the loop over '{0}' can't be cut into parts: {1}"};
  }
  llvm_unreachable("unknown reason code");
}

Reason::Reason(ReasonCode code, std::initializer_list<StringRef> names) : code(code) {
  for (StringRef name : names)
    values.push_back(name.str());
}

std::string Reason::getText() const {
  StringRef text = getWording(code).text;
  std::string out;
  while (!text.empty()) {
    size_t brace = text.find('{');
    out += text.take_front(brace).str();
    if (brace == StringRef::npos)
      break;
    unsigned position = text[brace + 1] - '0';
    out += position < values.size() ? values[position] : "?";
    text = text.drop_front(brace + 3);
  }
  return out;
}

StringRef mlir::nautilus::schedule::stringifyReasonCode(ReasonCode code) {
  return getWording(code).name;
}
