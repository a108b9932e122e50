// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that emits all kernels of a module into a gpu.module and turns the launches' views into
// addresses and strides.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "nautilus/Conversion/Passes.h"

namespace mlir::nautilus {
#define GEN_PASS_DEF_CONVERTNAUTILUSMATILETOGPUPASS
#include "nautilus/Conversion/Passes.h.inc"
} // namespace mlir::nautilus

using namespace mlir;
using namespace mlir::nautilus;

/// The address of a view, then its strides in elements, outermost first.
static void flattenView(OpBuilder &b, host::ViewOp view, SmallVectorImpl<Value> &args) {
  Location loc = view.getLoc();
  Type i64 = b.getI64Type();
  int64_t rank = cast<MemRefType>(view.getType()).getRank();
  if (view.getTensor()) {
    args.push_back(host::AddressOp::create(b, loc, i64, *view.getTensor()));
    for (int64_t dim = 0; dim < rank; ++dim)
      args.push_back(host::StrideOp::create(b, loc, i64, *view.getTensor(), dim));
    return;
  }
  args.push_back(view.getAddress());
  SmallVector<Value> strides(rank);
  Value stride = arith::ConstantIntOp::create(b, loc, 1, 64);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    if (dim > 0)
      stride = arith::MulIOp::create(b, loc, stride, view.getExtents()[dim]);
  }
  llvm::append_range(args, strides);
}

static void flattenLaunch(OpBuilder &b, host::LaunchOp launch, matile::KernelOp kernel,
                          StringRef module) {
  b.setInsertionPoint(launch);
  SmallVector<Value> args;
  for (Value arg : launch.getArgs()) {
    if (auto view = arg.getDefiningOp<host::ViewOp>())
      flattenView(b, view, args);
    else
      args.push_back(arg);
  }
  auto symbol =
      SymbolRefAttr::get(b.getContext(), module, FlatSymbolRefAttr::get(kernel.getSymNameAttr()));
  host::LaunchOp::create(b, launch.getLoc(), symbol, launch.getGrid(), args,
                         b.getI64IntegerAttr(kernel.getNumThreads()),
                         b.getI64IntegerAttr(kernel.getSharedBytes().value_or(0)), IntegerAttr());
  launch.erase();
}

namespace {
struct ConvertMATileToGPU
    : mlir::nautilus::impl::ConvertNautilusMATileToGPUPassBase<ConvertMATileToGPU> {
  using ConvertNautilusMATileToGPUPassBase::ConvertNautilusMATileToGPUPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<matile::KernelOp> kernels(module.getOps<matile::KernelOp>());
    if (kernels.empty())
      return;
    OpBuilder b(module.getContext());
    b.setInsertionPointToEnd(module.getBody());
    constexpr StringLiteral name = "nautilus_kernels";
    auto gpuModule = gpu::GPUModuleOp::create(b, module.getLoc(), name);
    for (matile::KernelOp kernel : kernels) {
      b.setInsertionPointToEnd(gpuModule.getBody());
      if (failed(KernelEmitter(kernel, b).emit()))
        return signalPassFailure();
      ++numKernels;
    }
    SymbolTable symbols(module);
    SmallVector<host::LaunchOp> launches;
    module.walk([&](host::LaunchOp launch) { launches.push_back(launch); });
    for (host::LaunchOp launch : launches)
      if (auto kernel = symbols.lookup<matile::KernelOp>(launch.getKernel().getLeafReference()))
        flattenLaunch(b, launch, kernel, name);
    for (matile::KernelOp kernel : kernels)
      kernel.erase();
    module.walk([](host::ViewOp view) {
      if (view.use_empty())
        view.erase();
    });
  }
};
} // namespace
