// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged specs: random edits of the examples must end in IR that verifies or in errors at known
// places, never in a crash. The seed is fixed, so a failure can be run again.

#include "nautilus/Frontend/Frontend.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace mlir;
using namespace mlir::nautilus::frontend;

static std::vector<std::string> readExamples() {
  std::vector<std::string> paths, texts;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(NAUTILUS_EXAMPLES, error), end; it != end && !error;
       it.increment(error))
    paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths)
    if (auto buffer = llvm::MemoryBuffer::getFile(path))
      texts.push_back((*buffer)->getBuffer().str());
  return texts;
}

namespace {
class Mutator {
public:
  explicit Mutator(unsigned seed) : random(seed) {}

  size_t below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); }

  void mutate(std::string &text) {
    static const char *const pieces[] = {
        "(",    ")",    "[",        "]",      "{",     "}",      ",",   "\n", " if ", " else ",
        " = ",  " + ",  "-",        " * ",    " / ",   "**",     " % ", "i",  "j",    "h",
        "N",    "G*R",  "16",       "0",      "1e400", "sum[k]", ":",   "~",  "inf",  "nan",
        "f16(", "not ", "softmax[", "extent", "->",    "_",      "#",   "\"", "//",   "\xff"};
    size_t at = below(text.size() + 1), length = std::min(text.size() - at, 1 + below(12));
    switch (below(10)) {
    default:
      swapWords(text);
      break;
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, pieces[below(std::size(pieces))]);
      break;
    case 2:
      text.replace(at, length, pieces[below(std::size(pieces))]);
      break;
    case 3:
      text.insert(below(text.size() + 1), text.substr(at, length));
      break;
    case 4:
      if (at < text.size())
        text[at] = static_cast<char>(below(256));
      break;
    }
  }

private:
  /// Puts one word of the text in the place of another: what lexes and often parses.
  void swapWords(std::string &text) {
    auto isWordChar = [&](size_t at) { return llvm::isAlnum(text[at]) || text[at] == '_'; };
    std::vector<std::pair<size_t, size_t>> words;
    for (size_t begin = 0; begin < text.size(); ++begin) {
      size_t end = begin;
      while (end < text.size() && isWordChar(end))
        ++end;
      if (end != begin)
        words.emplace_back(begin, end - begin);
      begin = end;
    }
    if (words.empty())
      return;
    auto [from, fromLength] = words[below(words.size())];
    auto [to, toLength] = words[below(words.size())];
    std::string word = text.substr(from, fromLength);
    text.replace(to, toLength, word);
  }

  std::mt19937 random;
};

struct Outcome {
  bool succeeded = false;
  std::vector<std::string> errors;
  bool hasUnknownPlace = false;
};
} // namespace

static Outcome parse(MLIRContext &context, const std::string &text) {
  Outcome outcome;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      outcome.errors.push_back(diagnostic.str());
    outcome.hasUnknownPlace |= isa<UnknownLoc>(diagnostic.getLocation());
    return success();
  });
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "mutated.naut"),
                               llvm::SMLoc());
  outcome.succeeded = succeeded(parseSpec(sourceMgr, &context));
  return outcome;
}

TEST(Mutation, DamagedSpecsEndInErrors) {
  std::vector<std::string> examples = readExamples();
  ASSERT_GT(examples.size(), 10u);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Mutator mutator(/*seed=*/20240914);
  unsigned numAccepted = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    std::string text = examples[mutator.below(examples.size())];
    for (size_t i = 0, e = 1 + mutator.below(4); i < e; ++i)
      mutator.mutate(text);
    SCOPED_TRACE("round " + std::to_string(round) + ":\n" + text);
    Outcome outcome = parse(context, text);
    EXPECT_EQ(outcome.succeeded, outcome.errors.empty());
    EXPECT_FALSE(outcome.hasUnknownPlace);
    // The verifier must find nothing that the front end let pass.
    for (const std::string &error : outcome.errors)
      EXPECT_EQ(error.find("op "), std::string::npos) << error;
    numAccepted += outcome.succeeded;
    if (HasFailure())
      return;
  }
  // Edits of comments and blanks, for example, are no mistakes.
  EXPECT_GT(numAccepted, 1000u);
}

TEST(Mutation, DefinitionsThatDoubleEndInAnError) {
  std::string text = "def g0(x) = x + exp(x)\n";
  for (unsigned i = 1; i < 40; ++i) {
    std::string previous = "g" + std::to_string(i - 1);
    text += "def g" + std::to_string(i) + "(x) = " + previous + "(" + previous + "(x))\n";
  }
  text += "kernel k(A: f32[M]) -> (C: f32[M]) { C[i] = g39(A[i]) }\n";
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Outcome outcome = parse(context, text);
  ASSERT_EQ(outcome.errors.size(), 1u);
  EXPECT_EQ(outcome.errors[0], "this formula is too large once its definitions are expanded");
}
