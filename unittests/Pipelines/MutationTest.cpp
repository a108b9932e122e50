// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged inputs of the whole compiler: mutants of the example specs, and of the IR that the
// examples become at each stage, either compile or end in errors at known places. Nothing may
// crash; should it happen, the file named at the start of the test holds the culprit.
//
// NAUTILUS_TEST_MUTATIONS says how many mutants each input has (default 20).

#include "nautilus/Frontend/Frontend.h"
#include "nautilus/InitAll.h"
#include "nautilus/Pipelines/Pipelines.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::nautilus;

namespace {
struct Input {
  std::string name, text;
};

class Mutation : public ::testing::Test {
protected:
  void SetUp() override {
    if (const char *given = std::getenv("NAUTILUS_TEST_MUTATIONS"))
      ASSERT_FALSE(StringRef(given).getAsInteger(10, numMutants));
    SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("nautilus-mutant", "txt", path));
    culprit = path.str().str();
    RecordProperty("culprit", culprit);
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(NAUTILUS_EXAMPLES, error), end; it != end && !error;
         it.increment(error))
      if (StringRef(it->path()).ends_with(".naut"))
        examples.push_back(
            {it->path(), (*llvm::MemoryBuffer::getFile(it->path()))->getBuffer().str()});
    llvm::sort(examples, [](const Input &x, const Input &y) { return x.name < y.name; });
  }
  void TearDown() override {
    if (!HasFailure())
      llvm::sys::fs::remove(culprit);
  }

  /// Random edits of words: most of what results still lexes, and much of it parses.
  std::string mutate(std::string text);
  /// What is wrong with how the compiler takes the text, from a stage (none: a spec) to nvvm.
  std::string compile(const std::string &text, std::optional<Stage> from);
  /// The example's IR at a stage.
  std::string lower(const std::string &spec, Stage to);

  unsigned numMutants = 20;
  std::vector<Input> examples;
  std::string culprit;
  std::mt19937 random{20240914};
};
} // namespace

std::string Mutation::mutate(std::string text) {
  auto below = [&](size_t end) { return end ? random() % end : 0; };
  auto isWordChar = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%'; };
  for (size_t edits = 1 + below(3); edits > 0; --edits) {
    std::vector<std::pair<size_t, size_t>> words;
    for (size_t begin = 0; begin < text.size(); ++begin) {
      size_t end = begin;
      while (end < text.size() && isWordChar(text[end]))
        ++end;
      if (end != begin)
        words.emplace_back(begin, end - begin);
      begin = end;
    }
    if (words.empty())
      return text;
    auto [from, fromLength] = words[below(words.size())];
    auto [to, toLength] = words[below(words.size())];
    std::string word = text.substr(from, fromLength);
    static const char *const numbers[] = {"0", "1", "-1", "7", "12", "256", "9223372036854775807"};
    switch (below(6)) {
    case 0:
      text.erase(to, toLength);
      break;
    case 1:
      text.insert(to, numbers[below(std::size(numbers))]);
      break;
    case 2: {
      size_t line = text.rfind('\n', to), end = text.find('\n', to);
      if (line != std::string::npos && end != std::string::npos)
        text.erase(line, end - line);
      break;
    }
    case 3:
      if (llvm::isDigit(text[to])) {
        text.replace(to, toLength, numbers[below(std::size(numbers))]);
        break;
      }
      [[fallthrough]];
    default:
      text.replace(to, toLength, word);
    }
  }
  return text;
}

std::string Mutation::compile(const std::string &text, std::optional<Stage> from) {
  {
    std::error_code error;
    llvm::raw_fd_ostream(culprit, error) << text;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  unsigned numErrors = 0;
  bool hasUnknownPlace = false;
  std::string messages;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      ++numErrors;
      messages += diagnostic.str() + "\n";
      hasUnknownPlace |= isa<UnknownLoc>(diagnostic.getLocation());
    }
    return success();
  });
  OwningOpRef<ModuleOp> module;
  if (from) {
    module = parseSourceString<ModuleOp>(text, &context, "mutant.mlir");
  } else {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "mutant.naut"),
                               llvm::SMLoc());
    FailureOr<OwningOpRef<ModuleOp>> parsed = frontend::parseSpec(sources, &context);
    if (succeeded(parsed))
      module = std::move(*parsed);
  }
  bool good = bool(module);
  if (good) {
    PassManager manager(&context);
    buildPipeline(manager, from.value_or(Stage::Scalar), Stage::NVVM);
    good = succeeded(manager.run(*module));
  }
  if (good == (numErrors > 0))
    return good ? "compiles in spite of errors: " + messages : "fails without a word";
  // The front end goes on after a mistake; passes stop at the first one.
  if (hasUnknownPlace)
    return "has an error without a place: " + messages;
  return "";
}

std::string Mutation::lower(const std::string &spec, Stage to) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(spec, "spec.naut"),
                             llvm::SMLoc());
  FailureOr<OwningOpRef<ModuleOp>> module = frontend::parseSpec(sources, &context);
  PassManager manager(&context);
  buildPipeline(manager, Stage::Scalar, to);
  if (failed(module) || failed(manager.run(**module)))
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  (*module)->print(os);
  return text;
}

TEST_F(Mutation, OfSpecs) {
  ASSERT_GT(examples.size(), 10u);
  for (const Input &example : examples)
    for (unsigned i = 0; i < numMutants; ++i) {
      std::string text = mutate(example.text);
      if (std::string wrong = compile(text, std::nullopt); !wrong.empty()) {
        ADD_FAILURE() << example.name << ": " << wrong << "\n" << text;
        break;
      }
    }
}

TEST_F(Mutation, OfIR) {
  constexpr Stage stages[] = {Stage::Scalar, Stage::Scheduled, Stage::Applied, Stage::VRTile,
                              Stage::MATile};
  for (auto [i, example] : llvm::enumerate(examples)) {
    Stage stage = stages[i % std::size(stages)];
    std::string ir = lower(example.text, stage);
    ASSERT_FALSE(ir.empty()) << example.name;
    for (unsigned j = 0; j < numMutants; ++j) {
      std::string text = mutate(ir);
      if (std::string wrong = compile(text, stage); !wrong.empty()) {
        ADD_FAILURE() << example.name << " at " << stringifyStage(stage).str() << ": " << wrong
                      << "\n"
                      << text;
        break;
      }
    }
  }
}
