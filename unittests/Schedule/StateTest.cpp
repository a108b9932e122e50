// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws of schedule states: reading undoes materialising at every step of a schedule, checks have no
// side effect, hashes do not depend on names.

#include "nautilus/InitAll.h"
#include "nautilus/Schedule/DefaultSchedule.h"
#include "nautilus/Schedule/Invariants.h"
#include "nautilus/Schedule/Materialize.h"
#include "nautilus/Schedule/ReadState.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <regex>

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

namespace {

constexpr const char *normalize = R"mlir(
nautilus_scalar.kernel @k dims [M, N, D = 48] (%X = X[M, N] : tensor<?x?xf32>, %W = W[N, D] : tensor<?x48xf32>) -> (Y[M, N] : tensor<?x?xf32>, Z[M, D] : tensor<?x48xf32>) {
  %S = nautilus_scalar.map "S" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = math.exp %x : f32
    nautilus_scalar.yield %0 : f32
  }
  %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%s = %S[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    %0 = nautilus_scalar.index "j"
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %s, %2 : f32
    nautilus_scalar.yield %3 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %Y = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %r = %R[i] : tensor<?xf32>) -> tensor<?x?xf32> {
    %0 = arith.divf %x, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %Z = nautilus_scalar.reduce "Z" [i: M, d: D] over [j: N] (%y = %Y[i, j] : tensor<?x?xf32>, %w = %W[j, d] : tensor<?x48xf32>) -> tensor<?x48xf32> {
    %0 = arith.mulf %y, %w : f32
    nautilus_scalar.yield %0 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %Y, %Z : tensor<?x?xf32>, tensor<?x48xf32>
})mlir";

std::string getText(const State &state, Naming naming = Naming::Named) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, state, naming);
  return text;
}

class StateTest : public ::testing::Test {
protected:
  StateTest() {
    DialectRegistry registry;
    mlir::nautilus::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// Parses one kernel and keeps it alive.
  KernelOp parse(StringRef text) {
    modules.push_back(parseSourceString<ModuleOp>(text, &context));
    return *modules.back()->getOps<KernelOp>().begin();
  }
  State read(StringRef text) { return *readState(parse(text)); }

  /// Completes and materialises `state`, and expects to read the same state back.
  void expectReadBack(State state, StringRef text = normalize) {
    state = applyAll(state, completeSchedule(state));
    EXPECT_TRUE(checkInvariants(state)) << getText(state);
    KernelOp kernel = parse(text);
    ASSERT_TRUE(succeeded(materialize(state, kernel)));
    ASSERT_TRUE(succeeded(verify(kernel)));
    FailureOr<State> back = readState(kernel);
    ASSERT_TRUE(succeeded(back));
    EXPECT_TRUE(*back == state) << getText(*back) << "\ninstead of\n" << getText(state);
    EXPECT_EQ(hashState(*back), hashState(state));
  }

  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
};

SmallVector<Primitive> getSteps() {
  return {Tile{"S", "i", TileSize::get(16)},
          Bind{"S", "i"},
          Tile{"S", "j", TileSize::get(32)},
          Clone{"S", "R", "S.1"},
          Tile{"R", "i", TileSize::get(64)},
          Tile{"R", "j", TileSize::get(32)},
          Bind{"R", "i"},
          Fuse{"S.1", "R", "j"},
          Tile{"Z", "i", TileSize::get(8)},
          Bind{"Z", "i"},
          Tile{"Z", "j", TileSize::get(16)}};
}

TEST_F(StateTest, ReadsBackAtEveryStep) {
  State state = read(normalize);
  expectReadBack(state);
  for (const Primitive &step : getSteps()) {
    Verdict verdict = checkStep(state, step);
    ASSERT_TRUE(verdict) << getPrimitiveName(step).str() << ": " << verdict.getReason().getText();
    state = applyStep(state, step);
    EXPECT_TRUE(checkInvariants(state));
    expectReadBack(state);
  }
}

constexpr const char *masked = R"mlir(
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (R[M] : tensor<?xf32>) {
  %S = nautilus_scalar.map "S" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    %i = nautilus_scalar.index "i"
    %j = nautilus_scalar.index "j"
    %c5 = arith.constant 5 : index
    %0 = arith.addi %j, %c5 : index
    %1 = arith.cmpi sle, %j, %i : index
    %2 = arith.cmpi sgt, %0, %i : index
    %3 = arith.andi %1, %2 : i1
    %lowest = arith.constant 0xFF800000 : f32
    %4 = arith.select %3, %x, %lowest : f32
    nautilus_scalar.yield %4 : f32
  }
  %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%s = %S[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %s : f32
  } combine identity [0xFF800000 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.maximumf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %R : tensor<?xf32>
})mlir";

TEST_F(StateTest, ReadsBackSplitLoops) {
  State state = read(masked);
  for (const Primitive &step : SmallVector<Primitive>{
           Tile{"R", "i", TileSize::get(16)}, Bind{"R", "i"}, Tile{"R", "j", TileSize::get(32)},
           Fuse{"S", "R", "j"}, SplitMask{"R", "j"}}) {
    Verdict verdict = checkStep(state, step);
    ASSERT_TRUE(verdict) << verdict.getReason().getText();
    state = applyStep(state, step);
    expectReadBack(state, masked);
  }
  EXPECT_EQ(state.loops[*state.findLoop(*state.findStatement("R"), 1)].split->conditions.size(),
            2u);
}

TEST_F(StateTest, ReadsBackLaunchOptions) {
  State state = read(normalize);
  const LaunchOptions options{8, 2, true, GridOrder::LongestFirst};
  for (const Primitive &step :
       SmallVector<Primitive>{Configure{"R", options}, Tile{"R", "i", TileSize::get(64)},
                              Tile{"R", "j", TileSize::get(32)}, Fuse{"S", "R", "j"},
                              Configure{"Z", {0, 3, false, GridOrder::Natural}}}) {
    ASSERT_TRUE(checkStep(state, step)) << getPrimitiveName(step).str();
    state = applyStep(state, step);
    expectReadBack(state);
  }
  EXPECT_TRUE(state.getLaunch(state.roots[state.getRoot(*state.findStatement("S"))]) == options);
  // S is the whole of its launch, so its options go with it.
  State inlined = applyStep(applyStep(read(normalize), Configure{"S", options}), Inline{"S"});
  EXPECT_TRUE(inlined.launches.empty());
  EXPECT_NE(hashState(state), hashState(applyStep(state, Configure{"R", {}})));
  Verdict verdict = checkStep(state, Configure{"R", {17, 0, false, GridOrder::Natural}});
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.getReason().getText(), "expected 0 to 16 warps, got 17");
}

TEST_F(StateTest, ReadsBackSplitReductions) {
  State state = read(normalize);
  const LaunchOptions options{4, 0, false, GridOrder::Natural};
  for (const Primitive &step : SmallVector<Primitive>{
           Tile{"R", "i", TileSize::get(64)}, Bind{"R", "i"}, Tile{"R", "j", TileSize::get(32)},
           Fuse{"S", "R", "j"}, Configure{"R", options}, SplitReduce{"R", "j", TileSize::get(5)}}) {
    Verdict verdict = checkStep(state, step);
    ASSERT_TRUE(verdict) << getPrimitiveName(step).str() << ": " << verdict.getReason().getText();
    state = applyStep(state, step);
    EXPECT_TRUE(checkInvariants(state)) << getText(state);
    expectReadBack(state);
  }
  unsigned part = *state.findStatement("R.split"), merged = *state.findStatement("R");
  EXPECT_NE(state.getRoot(part), state.getRoot(merged));
  EXPECT_EQ(state.getRoot(part), state.getRoot(*state.findStatement("S")));
  // The options were given for the loop.
  EXPECT_TRUE(state.getLaunch(state.roots[state.getRoot(part)]) == options);
  EXPECT_TRUE(state.getLaunch(state.roots[state.getRoot(merged)]) == LaunchOptions());
}

TEST_F(StateTest, CopiesForReadersBeyondSerialLoops) {
  // R makes the loop over j serial, so what S is in one iteration is lost to Y, which reads it too.
  State state = read(R"mlir(
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M, N] : tensor<?x?xf32>) {
  %S = nautilus_scalar.map "S" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = math.exp %x : f32
    nautilus_scalar.yield %0 : f32
  }
  %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%s = %S[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %s : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %Y = nautilus_scalar.map "Y" [i: M, j: N] (%s = %S[i, j] : tensor<?x?xf32>, %r = %R[i] : tensor<?xf32>) -> tensor<?x?xf32> {
    %0 = arith.divf %s, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %Y : tensor<?x?xf32>
})mlir");
  for (const Primitive &step :
       SmallVector<Primitive>{Tile{"S", "i", TileSize::get(16)}, Tile{"S", "j", TileSize::get(32)},
                              Fuse{"R", "S", "j"}})
    state = applyStep(state, step);
  EXPECT_EQ(state.findReaderBeyondLoop(*state.findStatement("S")), state.findStatement("Y"));
  State complete = applyAll(state, completeSchedule(state));
  EXPECT_TRUE(complete.findStatement("S.1"));
  EXPECT_FALSE(complete.findReaderBeyondLoop(*complete.findStatement("S")));
}

TEST_F(StateTest, CheckHasNoSideEffect) {
  State state = read(normalize);
  for (const Primitive &step : getSteps()) {
    std::string before = getText(state);
    (void)checkStep(state, step);
    (void)checkStep(state, Fuse{"Y", "R", "j"});
    (void)checkStep(state, Inline{"S"});
    EXPECT_EQ(getText(state), before);
    state = applyStep(state, step);
  }
}

TEST_F(StateTest, HashIgnoresNames) {
  std::string renamed = std::regex_replace(normalize, std::regex("\"([SRYZ])\""), "\"new_$1\"");
  renamed = std::regex_replace(renamed, std::regex("\\bj\\b"), "column");
  ASSERT_NE(renamed, normalize);
  State a = read(normalize), b = read(renamed);
  EXPECT_FALSE(a == b);
  EXPECT_EQ(hashState(a), hashState(b));
  // Knobs stand for sizes by identity, not by name.
  State c = applyStep(a, Tile{"S", "i", {16, "T"}});
  State d = applyStep(b, Tile{"new_S", "i", {32, "U"}});
  EXPECT_EQ(hashState(c), hashState(d));
  EXPECT_NE(hashState(c), hashState(a));
}

TEST_F(StateTest, AxesUnifyOverAccesses) {
  State state = read(normalize);
  auto axisOf = [&](StringRef stmt, StringRef name) {
    const Statement &statement = state.statements[*state.findStatement(stmt)];
    return statement.axes[*statement.findAxis(name)].axis;
  };
  EXPECT_EQ(axisOf("S", "j"), axisOf("R", "j"));
  EXPECT_EQ(axisOf("Y", "j"), axisOf("Z", "j"));
  EXPECT_EQ(axisOf("S", "j"), axisOf("Y", "j")); // both walk X
  EXPECT_NE(axisOf("Z", "d"), axisOf("Z", "j"));
}

TEST_F(StateTest, ReasonsSayWhatAndWhy) {
  State state = read(normalize);
  state = applyStep(state, Tile{"R", "j", TileSize::get(16)});
  Verdict verdict = checkStep(state, Fuse{"Y", "R", "j"});
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.getReason().code, ReasonCode::MustRoll);
  EXPECT_EQ(stringifyReasonCode(verdict.getReason().code), "must-roll");
  EXPECT_EQ(
      verdict.getReason().getText(),
      "statement 'Y' reads reduction 'R' inside the loop over 'j' in which it isn't complete; "
      "roll the reduction that uses 'Y' instead");
}

} // namespace
