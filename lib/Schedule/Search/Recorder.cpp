// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of a search, kept and written as JSON lines.

#include "nautilus/Schedule/Explain.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

uint64_t SearchRecorder::nameOf(const State &state) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, state);
  return llvm::xxh3_64bits(text);
}

void SearchRecorder::attempt(const State &state, const Primitive &step, const Reason *reason,
                             const State *next) {
  SearchEvent event;
  event.kind = reason ? SearchEvent::Kind::Refused : SearchEvent::Kind::Taken;
  event.state = nameOf(state);
  event.step = getText(step);
  if (reason) {
    event.code = stringifyReasonCode(reason->code).str();
    event.why = reason->getText();
  } else {
    event.next = nameOf(*next);
  }
  events.push_back(std::move(event));
}

void SearchRecorder::drop(const State &state, StringRef why) {
  events.push_back({SearchEvent::Kind::Dropped, nameOf(state), {}, 0, {}, why.str()});
}

static std::string formatHash(uint64_t hash) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format_hex_no_prefix(hash, 16);
  return text;
}

static llvm::json::Object toJSON(const SearchEvent &event) {
  static constexpr StringLiteral kinds[] = {"taken", "refused", "dropped"};
  llvm::json::Object object{{"event", kinds[int(event.kind)]}, {"state", formatHash(event.state)}};
  if (!event.step.empty())
    object["step"] = event.step;
  if (event.next)
    object["next"] = formatHash(event.next);
  if (!event.code.empty())
    object["code"] = event.code;
  if (!event.why.empty())
    object["why"] = event.why;
  return object;
}

void mlir::nautilus::schedule::printTrace(raw_ostream &os, const State &start, ArrayRef<Seed> seeds,
                                          const SearchRecorder &recorder) {
  auto print = [&](llvm::json::Object object) {
    os << llvm::json::Value(std::move(object)) << "\n";
  };
  print(llvm::json::Object{{"event", "start"},
                           {"kernel", start.name},
                           {"state", formatHash(SearchRecorder::nameOf(start))}});
  for (const SearchEvent &event : recorder.getEvents())
    print(toJSON(event));
  for (const Seed &seed : seeds) {
    llvm::json::Array steps;
    for (const Primitive &step : seed.steps)
      steps.push_back(getText(step));
    print(llvm::json::Object{{"event", "seed"},
                             {"state", formatHash(SearchRecorder::nameOf(seed.state))},
                             {"structure", formatHash(hashState(seed.state))},
                             {"microseconds", seed.cost},
                             {"fits", seed.fits},
                             {"launches", int64_t(seed.state.roots.size())},
                             {"steps", std::move(steps)}});
  }
}
