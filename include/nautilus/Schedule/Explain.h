// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the search did, for people and for programs: a recorder of its events, the derivation of the
// schedule that it chose with the reasons of what it could not do, the events as JSON lines, and
// states as graphs.

#ifndef NAUTILUS_SCHEDULE_EXPLAIN_H
#define NAUTILUS_SCHEDULE_EXPLAIN_H

#include "nautilus/Schedule/Search.h"

namespace mlir::nautilus::schedule {

/// One thing that happened to a state. States are named by the hashes of their texts.
struct SearchEvent {
  enum class Kind { Taken, Refused, Dropped };
  Kind kind;
  uint64_t state = 0;
  std::string step;  // empty if dropped
  uint64_t next = 0; // if taken
  std::string code;  // of the reason, if refused
  std::string why;   // if refused or dropped
};

/// Keeps all events of one search.
class SearchRecorder : public SearchTrace {
public:
  void attempt(const State &state, const Primitive &step, const Reason *reason,
               const State *next) override;
  void drop(const State &state, StringRef why) override;
  ArrayRef<SearchEvent> getEvents() const { return events; }

  /// The name that events give to a state.
  static uint64_t nameOf(const State &state);

private:
  std::vector<SearchEvent> events;
};

/// The steps from `start` to the first seed, what was refused on the way, and by how much it is
/// ahead of the next one.
void printDerivation(raw_ostream &os, const State &start, ArrayRef<Seed> seeds,
                     const SearchRecorder &recorder, const ::nautilus::machine::Machine &machine);

/// One line per seed, best first.
void printSeeds(raw_ostream &os, ArrayRef<Seed> seeds);

/// Events, then seeds, as one JSON object a line.
void printTrace(raw_ostream &os, const State &start, ArrayRef<Seed> seeds,
                const SearchRecorder &recorder);

/// The block graph of a state in the DOT language: boxes are loops, ovals are statements.
void printGraph(raw_ostream &os, const State &state);

} // namespace mlir::nautilus::schedule

#endif
