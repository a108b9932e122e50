// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversion from vrtile to matile: every kernel is rewritten with the launch that calls it at
// hand, because what TMA may do depends on the tensors that the host passes.

#include "KernelRewriter.h"
#include "nautilus/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

namespace mlir::nautilus {
#define GEN_PASS_DEF_CONVERTNAUTILUSVRTILETOMATILEPASS
#include "nautilus/Conversion/Passes.h.inc"
} // namespace mlir::nautilus

using namespace mlir;
using namespace mlir::nautilus;

/// Gives products of 8-bit floats 16-bit operands: every value of e4m3 and e5m2 is an f16, so
/// nothing changes but the instruction.
static void widenFloat8Products(vrtile::KernelOp kernel) {
  kernel.getBody().walk([](vrtile::DotOp dot) {
    auto element = cast<FloatType>(getElementTypeOrSelf(dot.getLhs().getType()));
    if (element.getWidth() != 8)
      return;
    OpBuilder b(dot);
    for (OpOperand *operand : {&dot.getLhsMutable(), &dot.getRhsMutable()}) {
      auto tile = cast<RankedTensorType>(operand->get().getType());
      operand->set(
          arith::ExtFOp::create(b, dot.getLoc(), tile.clone(b.getF16Type()), operand->get()));
    }
  });
}

namespace {
struct ConvertVRTileToMATile
    : mlir::nautilus::impl::ConvertNautilusVRTileToMATilePassBase<ConvertVRTileToMATile> {
  using ConvertNautilusVRTileToMATilePassBase::ConvertNautilusVRTileToMATilePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<host::LaunchOp> launches;
    module.walk(
        [&](host::LaunchOp launch) { launches[launch.getKernel().getLeafReference()] = launch; });
    OpBuilder b(module.getContext());
    RewriteCounts counts;
    for (auto kernel : llvm::make_early_inc_range(module.getOps<vrtile::KernelOp>())) {
      host::LaunchOp launch = launches.lookup(kernel.getSymName());
      widenFloat8Products(kernel);
      DotPlan plan(kernel, arch);
      if (!plan.getRefusal().empty())
        remark::missed(kernel.getLoc(), remark::RemarkOpts::name("Warps").category("TensorCore"))
            << ("kernel runs with " + Twine(plan.getWarps()) +
                " computing warps instead of those asked for: " + plan.getRefusal())
                   .str();
      TensorMaps maps(kernel, launch);
      FailureOr<matile::KernelOp> fast =
          KernelRewriter(kernel, b, plan, maps, counts).rewrite(kernel.getSymName(), /*tma=*/true);
      if (failed(fast))
        return signalPassFailure();
      if (launch && maps.hasConditions()) {
        // Whether TMA's rules hold is known at each call: a second kernel stands by for the calls
        // where they don't.
        RewriteCounts uncounted;
        std::string name = (kernel.getSymName() + "_general").str();
        FailureOr<matile::KernelOp> general =
            KernelRewriter(kernel, b, plan, maps, uncounted).rewrite(name, /*tma=*/false);
        if (failed(general))
          return signalPassFailure();
        maps.chooseVariant(b, fast->getSymNameAttr(), general->getSymNameAttr());
      }
      kernel.erase();
    }
    numTensorCoreDots += counts.tensorCoreDots;
    numPlainDots += counts.plainDots;
    numConversions += counts.conversions;
  }
};
} // namespace
