// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls Nautilus from C++: reads functions of linalg on tensors, lowers them by the stages of the
// pipeline, and prints the PTX of the kernels. The host entries stay in the module.

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "nautilus/Conversion/Passes.h"
#include "nautilus/InitAll.h"
#include "nautilus/Pipelines/Pipelines.h"
#include "nautilus/Target/PTX/PTXTarget.h"

using namespace mlir;
using namespace mlir::nautilus;

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: embed-ptx FILE.mlir\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  PassManager pm(&context);
  pm.addPass(createConvertLinalgToNautilusScalarPass());
  buildPipeline(pm, Stage::Scalar, Stage::NVVM);
  if (failed(pm.run(*module)))
    return 1;

  for (gpu::GPUModuleOp device : module->getOps<gpu::GPUModuleOp>()) {
    FailureOr<std::string> ptx = translateToPTX(device, PTXOptions());
    if (failed(ptx))
      return 1;
    llvm::outs() << *ptx;
  }
  return 0;
}
