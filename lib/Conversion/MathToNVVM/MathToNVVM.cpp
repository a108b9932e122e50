// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of scalar maths. Stands after kernels are emitted (scalars only) and before upstream's
// conversion of arith and math.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "nautilus/Conversion/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::nautilus {
#define GEN_PASS_DEF_CONVERTNAUTILUSMATHTONVVMPASS
#include "nautilus/Conversion/Passes.h.inc"
} // namespace mlir::nautilus

using namespace mlir;

static Value constant(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

static Value callUnary(OpBuilder &b, Location loc, StringRef name, Value x) {
  return LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(), b.getStringAttr(name), x)
      .getResult(0);
}

namespace {
/// One op of the table: a rule on f32, with narrower floats computed in f32.
template <typename OpTy> struct Rule : OpRewritePattern<OpTy> {
  using Build = Value (*)(OpBuilder &, Location, Value);
  Rule(MLIRContext *context, Build build) : OpRewritePattern<OpTy>(context), build(build) {}
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &b) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF16() && !type.isBF16())
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    if (!type.isF32())
      x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
    Value y = build(b, loc, x);
    if (!type.isF32())
      y = arith::TruncFOp::create(b, loc, type, y);
    b.replaceOp(op, y);
    return success();
  }
  Build build;
};

struct ConvertMathToNVVM
    : mlir::nautilus::impl::ConvertNautilusMathToNVVMPassBase<ConvertMathToNVVM> {
  using ConvertNautilusMathToNVVMPassBase::ConvertNautilusMathToNVVMPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<Rule<math::Exp2Op>>(context, [](OpBuilder &b, Location loc, Value x) {
      return callUnary(b, loc, "llvm.nvvm.ex2.approx.ftz.f", x);
    });
    patterns.add<Rule<math::ExpOp>>(context, [](OpBuilder &b, Location loc, Value x) {
      Value scaled = arith::MulFOp::create(b, loc, x, constant(b, loc, llvm::numbers::log2e));
      return callUnary(b, loc, "llvm.nvvm.ex2.approx.ftz.f", scaled);
    });
    patterns.add<Rule<math::Log2Op>>(context, [](OpBuilder &b, Location loc, Value x) {
      return callUnary(b, loc, "llvm.nvvm.lg2.approx.ftz.f", x);
    });
    patterns.add<Rule<math::LogOp>>(context, [](OpBuilder &b, Location loc, Value x) -> Value {
      Value log2 = callUnary(b, loc, "llvm.nvvm.lg2.approx.ftz.f", x);
      return arith::MulFOp::create(b, loc, log2, constant(b, loc, llvm::numbers::ln2));
    });
    patterns.add<Rule<math::RsqrtOp>>(context, [](OpBuilder &b, Location loc, Value x) {
      return callUnary(b, loc, "llvm.nvvm.rsqrt.approx.ftz.f", x);
    });
    // Everything else that has no instruction: upstream's polynomial approximations and expansions,
    // in f32.
    auto isExpanded = [](StringRef name) {
      return llvm::is_contained(
          {math::TanhOp::getOperationName(), math::ErfOp::getOperationName(),
           math::SinOp::getOperationName(), math::CosOp::getOperationName(),
           math::ExpM1Op::getOperationName(), math::Log1pOp::getOperationName(),
           math::AtanOp::getOperationName(), math::Atan2Op::getOperationName()},
          name);
    };
    populateMathF32ExpansionPatterns(patterns, isExpanded);
    populateMathPolynomialApproximationPatterns(patterns, isExpanded);
    math::populateExpansionPatterns(
        patterns, {"powf", "fpowi", "tan", "sinh", "cosh", "asinh", "acosh", "atanh"});
    int64_t before = countMath();
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    numLowered += before - countMath();
  }

private:
  int64_t countMath() {
    int64_t count = 0;
    getOperation()->walk([&](Operation *op) { count += isa<math::MathDialect>(op->getDialect()); });
    return count;
  }
};
} // namespace
