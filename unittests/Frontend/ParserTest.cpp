// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precedence, the shapes of the AST, recovery, and bounds on nesting.

#include "Parser.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

namespace {
/// One parsed text, with the messages of its errors.
struct Parsed {
  explicit Parsed(const std::string &text)
      : diagnostics(sourceMgr, &context), handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
          return success();
        }) {
    unsigned id = sourceMgr.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "test.naut"), llvm::SMLoc());
    result = Parser(diagnostics, sourceMgr.getMemoryBuffer(id)->getBuffer(), file).parseFile();
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  llvm::SourceMgr sourceMgr;
  SpecDiagnostics diagnostics;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
  File file;
  LogicalResult result = failure();
};
} // namespace

/// Every operation in parentheses, operator first.
static std::string print(const Expr *expr) {
  std::string text = expr->text.str();
  if (expr->kind == Expr::Binary || expr->kind == Expr::Unary)
    text = describe(expr->op).drop_front().drop_back().str();
  if (expr->kind == Expr::Conditional)
    text = "?";
  if (expr->args.empty() && expr->axes.empty())
    return text;
  std::string result = "(" + text;
  for (const AxisUse &axis : expr->axes)
    result += " " + axis.name.text.str() + ":";
  for (const Expr *arg : expr->args)
    result += " " + print(arg);
  return result + ")";
}

static std::string printFormula(const std::string &formula) {
  Parsed parsed("def f(x) = " + formula);
  if (failed(parsed.result))
    return parsed.messages.front();
  return print(parsed.file.definitions.front().value);
}

TEST(Parser, Precedence) {
  EXPECT_EQ(printFormula("a + b * c - d"), "(- (+ a (* b c)) d)");
  EXPECT_EQ(printFormula("-a ** -b ** c"), "(- (** a (- (** b c))))");
  EXPECT_EQ(printFormula("a / b / c % d"), "(% (/ (/ a b) c) d)");
  EXPECT_EQ(printFormula("a or b and not c == d"), "(or a (and b (not (== c d))))");
  EXPECT_EQ(printFormula("a if b else c if d else e"), "(? a b (? c d e))");
  EXPECT_EQ(printFormula("(a + b) * c"), "(* (+ a b) c)");
}

TEST(Parser, ComparisonsChain) {
  EXPECT_EQ(printFormula("a < b <= c"), "(and (< a b) (<= b c))");
  EXPECT_EQ(printFormula("a < b <= c == d"), "(and (and (< a b) (<= b c)) (== c d))");
}

TEST(Parser, BracketsAreSubscriptsOrAxes) {
  EXPECT_EQ(printFormula("a[i, j + 1]"), "(a i (+ j 1))");
  EXPECT_EQ(printFormula("sum[i, j](a[i] * b[j])"), "(sum i: j: (* (a i) (b j)))");
  EXPECT_EQ(printFormula("f[i + 1](a)"),
            "expected axes in the brackets of `f`, as it is applied to arguments");
  Parsed parsed("def f(x) = sum[k: A*4 if k < 3](x)");
  const Expr *sum = parsed.file.definitions.front().value;
  ASSERT_TRUE(sum->filter);
  ASSERT_EQ(sum->axes.size(), 1u);
  ASSERT_EQ(sum->axes[0].over->factors.size(), 2u);
  EXPECT_EQ(sum->axes[0].over->factors[1].size, 4);
}

TEST(Parser, EachLineReportsItsOwnError) {
  Parsed parsed("kernel k(A: f32[M]) -> (C: f32[M]) {\n"
                "  a[i] = (1 + 2\n"
                "  b[i] = )\n"
                "  c[i] = 1\n"
                "  d[i] 1\n"
                "}\n"
                "kernel l() -> ( {\n"
                "}\n"
                "def f(x) = x\n");
  EXPECT_EQ(parsed.messages.size(), 4u);
  ASSERT_EQ(parsed.file.kernels.size(), 1u);
  EXPECT_EQ(parsed.file.kernels[0].statements.size(), 1u);
  EXPECT_EQ(parsed.file.definitions.size(), 1u);
}

TEST(Parser, DeepNestingIsAnErrorNotACrash) {
  const unsigned depth = 100000;
  std::string open(depth, '('), minus(depth, '-'), nots, powers = "a", sums = "a";
  for (unsigned i = 0; i < depth; ++i) {
    nots += "not ";
    powers += "**a";
    sums += "+a";
  }
  for (const std::string &formula : {open, minus + "a", nots + "a", powers, sums})
    EXPECT_EQ(printFormula(formula), "this expression is nested more than 256 levels deep");
}
