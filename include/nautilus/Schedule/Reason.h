// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a step of a schedule is legal or not. A check answers with a Verdict: yes, or a Reason made
// of a code and the names that it is about. The code serves programs (the search counts rejections
// per code), the text serves people; both come from one place, so a script, the search's trace and
// a diagnostic say the same.

#ifndef NAUTILUS_SCHEDULE_REASON_H
#define NAUTILUS_SCHEDULE_REASON_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <initializer_list>
#include <optional>
#include <string>

namespace mlir::nautilus::schedule {

/// The values of each code are listed in the order in which its text uses them.
enum class ReasonCode {
  UnknownStatement,    // statement
  UnknownAxis,         // statement, axis
  NoLoop,              // statement, axis
  AlreadyTiled,        // statement, axis
  AlreadyScheduled,    // statement
  NotAlone,            // statement, axis
  BadTileSize,         // axis, size
  BadContractionTile,  // statement, axis, size
  BindsReduction,      // axis, statement
  BelowSerialLoop,     // axis, loop axis
  LacksAxis,           // statement, axis
  AccumulatesTwice,    // statement, reduction axis, inner axis
  NotVisible,          // reader, producer
  MustRoll,            // reader, reduction, axis
  RunningEscapes,      // statement, reduction, axis
  DifferentTile,       // reader, producer, dim
  CyclicNests,         // statement, statement
  ResultLacksGridAxis, // statement, axis
  NotElementwise,      // statement
  IsOutput,            // statement
  NotPure,             // statement
  LeavesSerialLoop,    // statement, axis
  NotComposable,       // reader, statement
  NoReader,            // statement
  NameTaken,           // name
  NotReduction,        // statement
  NotSolvable,         // statement, offending term
  NotSerial,           // axis
  NotAffineMask,       // axis
  NotIdleWhenMasked,   // axis
  BadLaunchOption,     // option, most, value
  BadPartCount,        // axis, most, value
  NotSplittable,       // axis, obstacle
};

struct Reason {
  ReasonCode code;
  llvm::SmallVector<std::string, 3> values;

  Reason(ReasonCode code, std::initializer_list<llvm::StringRef> names);

  /// Lower case, no full stop, with the values filled in.
  std::string getText() const;
};

/// Stable lower-case name of a code, for traces.
llvm::StringRef stringifyReasonCode(ReasonCode code);

/// Yes, or a reason why not.
class [[nodiscard]] Verdict {
public:
  Verdict() = default;
  Verdict(Reason reason) : reason(std::move(reason)) {}

  bool isOk() const { return !reason.has_value(); }
  explicit operator bool() const { return isOk(); }
  const Reason &getReason() const { return *reason; }

private:
  std::optional<Reason> reason;
};

} // namespace mlir::nautilus::schedule

#endif
