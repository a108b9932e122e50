// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws of the search: seeds replay, the record agrees with them, names and order of statements
// don't matter, settled sizes stay, the same search gives the same answer.

#include "nautilus/Frontend/Frontend.h"
#include "nautilus/InitAll.h"
#include "nautilus/Schedule/DefaultSchedule.h"
#include "nautilus/Schedule/Explain.h"
#include "nautilus/Schedule/ReadState.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

namespace {

constexpr const char *kRows = R"(
nautilus 1
kernel k(Q: f16[M, D], K: f16[N, D], V: f16[N, E]) -> (O: f16[M, E])
where D = 64, E = 64, M ~ 1024, N ~ 1024 {
  S[i, j] = sum[d](Q[i, d] * K[j, d])
  m[i]    = max[j](S[i, j])
  e[i, j] = exp(S[i, j] - m[i])
  l[i]    = sum[j](e[i, j])
  O[i, c] = sum[j](e[i, j] * V[j, c]) / l[i]
})";

/// The same with other names of statements, arguments and axes.
constexpr const char *kRenamed = R"(
nautilus 1
kernel other(A: f16[M, D], B: f16[N, D], W: f16[N, E]) -> (Z: f16[M, E])
where D = 64, E = 64, M ~ 1024, N ~ 1024 {
  T[p, q] = sum[f](A[p, f] * B[q, f])
  x[p]    = max[q](T[p, q])
  y[p, q] = exp(T[p, q] - x[p])
  s[p]    = sum[q](y[p, q])
  Z[p, g] = sum[q](y[p, q] * W[q, g]) / s[p]
})";

/// Two products of the same rows that only their reader joins.
constexpr const char *kSiblings = R"(
nautilus 1
kernel k(X: f16[M, K], U: f16[K, N], V: f16[K, N]) -> (Y: f16[M, N])
where M ~ 1024, N ~ 1024, K ~ 1024 {
  a[i, j] = sum[k](X[i, k] * U[k, j])
  b[i, j] = sum[k](X[i, k] * V[k, j])
  Y[i, j] = a[i, j] * b[i, j]
})";

class SearchTest : public ::testing::Test {
protected:
  SearchTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  State read(StringRef spec) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(spec), llvm::SMLoc());
    modules.push_back(std::move(*frontend::parseSpec(sources, &context, {})));
    return *readState(*modules.back()->getOps<scalar::KernelOp>().begin());
  }

  std::vector<Seed> search(const State &state, const SearchOptions &options = {},
                           SearchTrace *trace = nullptr) {
    return searchSchedules(state, *::nautilus::machine::lookup("sm_90a"), options, trace);
  }

  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
};

TEST_F(SearchTest, SeedsReplay) {
  for (const char *spec : {kRows, kSiblings}) {
    State start = read(spec);
    for (const Seed &seed : search(start)) {
      State state = start;
      for (const Primitive &step : seed.steps) {
        ASSERT_TRUE(checkStep(state, step).isOk()) << getText(step);
        state = applyStep(state, step);
      }
      EXPECT_TRUE(state == seed.state);
      EXPECT_EQ(hashState(state), hashState(seed.state));
    }
  }
}

TEST_F(SearchTest, OneLaunchIsBest) {
  EXPECT_EQ(search(read(kRows)).front().state.roots.size(), 1u);
  EXPECT_EQ(search(read(kSiblings)).front().state.roots.size(), 1u);
}

TEST_F(SearchTest, NamesDoNotMatter) {
  std::vector<Seed> a = search(read(kRows)), b = search(read(kRenamed));
  ASSERT_EQ(a.size(), b.size());
  for (auto [first, second] : llvm::zip(a, b)) {
    EXPECT_EQ(hashState(first.state), hashState(second.state));
    EXPECT_EQ(first.cost, second.cost);
  }
}

TEST_F(SearchTest, SameAnswerTwice) {
  State start = read(kRows);
  std::vector<Seed> a = search(start), b = search(start);
  ASSERT_EQ(a.size(), b.size());
  for (auto [first, second] : llvm::zip(a, b))
    EXPECT_TRUE(first.state == second.state);
}

TEST_F(SearchTest, PinnedSizesStay) {
  SearchOptions options;
  options.pinned["S.i"] = 64;
  options.pinned["S.j"] = 32;
  unsigned numPinned = 0;
  const std::vector<Seed> seeds = search(read(kRows), options);
  for (const Primitive &step : seeds.front().steps)
    if (const auto *tile = std::get_if<Tile>(&step);
        tile && options.pinned.contains(tile->size.knob)) {
      EXPECT_EQ(tile->size.value, options.pinned[tile->size.knob]);
      ++numPinned;
    }
  EXPECT_EQ(numPinned, 2u);
}

TEST_F(SearchTest, EachEventIsOnAStateThatWasReached) {
  State start = read(kRows);
  SearchRecorder recorder;
  search(start, {}, &recorder);
  DenseSet<uint64_t> reached = {SearchRecorder::nameOf(start)};
  for (const SearchEvent &event : recorder.getEvents()) {
    EXPECT_TRUE(event.kind == SearchEvent::Kind::Dropped || reached.contains(event.state));
    if (event.kind == SearchEvent::Kind::Taken)
      reached.insert(event.next);
    EXPECT_EQ(event.kind == SearchEvent::Kind::Refused, !event.code.empty());
  }
}

TEST_F(SearchTest, TraceIsJSONLines) {
  State start = read(kRows);
  SearchRecorder recorder;
  std::vector<Seed> seeds = search(start, {}, &recorder);
  std::string text;
  llvm::raw_string_ostream os(text);
  printTrace(os, start, seeds, recorder);
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', -1, false);
  EXPECT_EQ(lines.size(), 1 + recorder.getEvents().size() + seeds.size());
  for (StringRef line : lines) {
    auto value = llvm::json::parse(line);
    ASSERT_TRUE(bool(value));
    EXPECT_TRUE(value->getAsObject()->getString("event").has_value());
  }
}

TEST_F(SearchTest, DerivationEndsInTheChoice) {
  State start = read(kRows);
  SearchRecorder recorder;
  std::vector<Seed> seeds = search(start, {}, &recorder);
  std::string text;
  llvm::raw_string_ostream os(text);
  printDerivation(os, start, seeds, recorder, *::nautilus::machine::lookup("sm_90a"));
  EXPECT_NE(text.find("roll \"l\" into"), std::string::npos);
  EXPECT_NE(text.find("not fuse \"e\" into"), std::string::npos) << text;
  EXPECT_NE(text.find("chosen: 1 launch"), std::string::npos);
}

} // namespace
