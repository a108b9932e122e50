// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random specs mean the same at every level: formulas, random legal schedules of them carried out,
// tiles, and tiles with memory and threads, run as a device would. Then they go down to llvm.
//
// NAUTILUS_TEST_SEEDS says which specs are tried: FIRST-LAST (default 0-99).

#include "RandomSpec.h"

#include "nautilus/Frontend/Frontend.h"
#include "nautilus/InitAll.h"
#include "nautilus/Pipelines/Pipelines.h"
#include "nautilus/Schedule/DefaultSchedule.h"
#include "nautilus/Schedule/Materialize.h"
#include "nautilus/Schedule/ReadState.h"

#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;
using namespace mlir::nautilus::schedule;

/// Takes random steps, those that are legal; then what is missing.
static State scheduleAtRandom(State state, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](int64_t bound) { return int64_t(random() % bound); };
  for (int64_t tries = below(3) == 0 ? 0 : 40; tries > 0; --tries) {
    SmallVector<unsigned> order = state.getOrder();
    const Statement &one = state.statements[order[below(order.size())]],
                    &other = state.statements[order[below(order.size())]];
    if (one.axes.empty() || other.axes.empty())
      continue;
    std::string axis = one.axes[below(one.axes.size())].name,
                theirs = other.axes[below(other.axes.size())].name;
    constexpr int64_t sizes[] = {1, 8, 16, 16, 32};
    const Primitive choices[] = {Tile{one.name, axis, TileSize::get(sizes[below(5)])},
                                 Bind{one.name, axis},
                                 Tile{one.name, axis, TileSize::get(16)},
                                 Bind{one.name, axis},
                                 Fuse{one.name, other.name, theirs},
                                 Fuse{one.name, other.name, theirs},
                                 Inline{one.name},
                                 Clone{one.name, other.name, one.name + ".copy"},
                                 Roll{one.name, other.name, theirs},
                                 Roll{one.name, other.name, theirs},
                                 SplitMask{one.name, axis}};
    const Primitive &step = choices[below(std::size(choices))];
    if (checkStep(state, step))
      state = applyStep(state, step);
  }
  return applyAll(state, completeSchedule(state));
}

namespace {
class Levels : public ::testing::Test {
protected:
  Levels() : context(MLIRContext::Threading::DISABLED) {
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

  std::vector<Tensor> makeInputs(scalar::KernelOp kernel, const RandomSpec &spec, uint64_t seed) {
    std::vector<Tensor> inputs;
    for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments())) {
      auto type = cast<RankedTensorType>(argument.getType());
      SmallVector<int64_t> shape;
      for (StringAttr dim : kernel.getArgument(i).getFlatDims())
        shape.push_back(spec.getDims().lookup(dim.getValue()));
      inputs.push_back(
          makeInLayout(*getElementKind(type.getElementType()), shape, seed * 1000003 + i));
    }
    return inputs;
  }

  /// What went wrong with the spec of that seed, or an empty string.
  std::string check(uint64_t seed, StringRef arch);

  MLIRContext context;
  std::string messages, stateText;
};
} // namespace

std::string Levels::check(uint64_t seed, StringRef arch) {
  messages.clear();
  stateText.clear();
  RandomSpec spec(seed);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(spec.text(), "random.naut"),
                             llvm::SMLoc());
  FailureOr<OwningOpRef<ModuleOp>> parsed = frontend::parseSpec(sources, &context);
  if (failed(parsed))
    return "does not parse: " + messages;
  OwningOpRef<ModuleOp> module = std::move(*parsed);
  auto kernel = *module->getOps<scalar::KernelOp>().begin();
  std::vector<Tensor> inputs = makeInputs(kernel, spec, seed);
  std::vector<Tensor> expected;
  auto differs = [&](Level level) -> std::string {
    auto actual = interpreter::run(*module, "k", level, Mode::Real, inputs, spec.getDims(),
                                   {/*physical=*/true, /*interleaving=*/seed});
    if (failed(actual))
      return "does not run: " + messages;
    if (expected.empty())
      expected = std::move(*actual);
    else
      for (auto [i, pair] : llvm::enumerate(llvm::zip(*actual, expected))) {
        Comparison comparison = compare(std::get<0>(pair), std::get<1>(pair), spec.getTolerance());
        if (!comparison.isWithin(spec.getTolerance()))
          return "result " + std::to_string(i) + " differs by " + std::to_string(comparison.relL2) +
                 " and in " + std::to_string(comparison.numNonFinite) + " non-finite elements";
      }
    return "";
  };
  if (std::string wrong = differs(Level::Scalar); !wrong.empty())
    return "as formulas " + wrong;
  FailureOr<State> plain = readState(kernel);
  if (failed(plain))
    return "cannot be read as a state: " + messages;
  State scheduled = scheduleAtRandom(*plain, seed);
  llvm::raw_string_ostream os(stateText);
  print(os, scheduled);
  // Steps may leave a dynamic axis to one tile, or a loop over a parallel axis that can't be bound,
  // which is refused; the plain schedule serves then.
  if (failed(materialize(scheduled, kernel)) &&
      ((!StringRef(messages).contains("one tile has to cover it") &&
        !StringRef(messages).contains("to be bound to the grid")) ||
       failed(materialize(applyAll(*plain, completeSchedule(*plain)), kernel))))
    return "cannot be written as loops: " + messages;
  if (std::string wrong = differs(Level::Scalar); !wrong.empty())
    return "as loops " + wrong;
  if (!lower(*module, Stage::Applied, Stage::VRTile, arch))
    return "does not lower to nautilus_vrtile: " + messages;
  if (std::string wrong = differs(Level::VRTile); !wrong.empty())
    return "as nautilus_vrtile " + wrong;
  if (!lower(*module, Stage::VRTile, Stage::MATile, arch))
    return "does not lower to nautilus_matile: " + messages;
  if (std::string wrong = differs(Level::MATile); !wrong.empty())
    return "as nautilus_matile " + wrong;
  if (!lower(*module, Stage::MATile, Stage::NVVM, arch))
    return "does not lower to llvm: " + messages;
  return "";
}

TEST_F(Levels, AgreeOnRandomSpecs) {
  const char *given = std::getenv("NAUTILUS_TEST_SEEDS");
  auto [firstText, lastText] = StringRef(given ? given : "0-99").split('-');
  uint64_t first = 0, last = 0;
  ASSERT_FALSE(firstText.getAsInteger(10, first) || lastText.getAsInteger(10, last));
  for (uint64_t seed = first; seed <= last; ++seed) {
    StringRef arch = seed % 4 == 3 ? "sm_80" : "sm_90a";
    std::string wrong = check(seed, arch);
    if (!wrong.empty())
      ADD_FAILURE() << "seed " << seed << " for " << arch.str() << " " << wrong << "\n"
                    << RandomSpec(seed).text() << stateText;
  }
}
