// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random tile programs mean the same before and after they get memory and threads: the float64
// interpreter runs them as nautilus_vrtile and, physically, as nautilus_matile, for each
// architecture's kind of product. Then they go down to llvm.
//
// NAUTILUS_TEST_SEEDS says which programs are tried: FIRST-LAST (default 0-39).

#include "RandomTileProgram.h"

#include "nautilus/InitAll.h"
#include "nautilus/Interpreter/Interpreter.h"
#include "nautilus/Pipelines/Pipelines.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

namespace {

class TileLevels : public ::testing::Test {
protected:
  TileLevels() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return success();
    });
  }

  bool lower(ModuleOp module, Stage from, Stage to, StringRef arch) {
    PassManager manager(&context);
    PipelineOptions options;
    options.arch = arch.str();
    buildPipeline(manager, from, to, options);
    return succeeded(manager.run(module));
  }

  /// What went wrong with the program of that seed, or an empty string.
  std::string check(uint64_t seed, StringRef arch) {
    messages.clear();
    RandomTileProgram program(seed);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program.text(), &context);
    if (!module)
      return "does not parse: " + messages;
    auto runAt = [&](Level level) {
      return interpreter::run(*module, "k", level, Mode::Real, program.getInputs(), {},
                              {/*physical=*/true, /*interleaving=*/seed});
    };
    auto expected = runAt(Level::VRTile);
    if (failed(expected))
      return "does not run as nautilus_vrtile: " + messages;
    if (!lower(*module, Stage::VRTile, Stage::MATile, arch))
      return "does not lower to nautilus_matile: " + messages;
    auto actual = runAt(Level::MATile);
    if (failed(actual))
      return "does not run as nautilus_matile: " + messages;
    for (auto [i, pair] : llvm::enumerate(llvm::zip(*actual, *expected))) {
      Comparison comparison = compare(std::get<0>(pair), std::get<1>(pair), 1e-9);
      if (!comparison.isWithin(1e-9))
        return "result " + std::to_string(i) + " differs by " + std::to_string(comparison.relL2) +
               " and in " + std::to_string(comparison.numNonFinite) + " non-finite elements";
    }
    if (!lower(*module, Stage::MATile, Stage::NVVM, arch))
      return "does not lower to llvm: " + messages;
    return "";
  }

  MLIRContext context;
  std::string messages;
};

TEST_F(TileLevels, AgreeOnRandomPrograms) {
  const char *given = std::getenv("NAUTILUS_TEST_SEEDS");
  auto [firstText, lastText] = StringRef(given ? given : "0-39").split('-');
  uint64_t first = 0, last = 0;
  ASSERT_FALSE(firstText.getAsInteger(10, first) || lastText.getAsInteger(10, last));
  for (uint64_t seed = first; seed <= last; ++seed) {
    // The padding of Hopper's and earlier products differs, and so do the warps of a kernel.
    StringRef arch = seed % 4 == 3 ? "sm_80" : "sm_90a";
    std::string wrong = check(seed, arch);
    if (!wrong.empty())
      ADD_FAILURE() << "seed " << seed << " for " << arch.str() << " " << wrong << "\n"
                    << RandomTileProgram(seed).text();
  }
}

} // namespace
