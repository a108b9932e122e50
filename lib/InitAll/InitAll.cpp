// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one list of dialects and passes that the tools know.

#include "nautilus/InitAll.h"
#include "nautilus/Conversion/Passes.h"
#include "nautilus/Dialect/Host/IR/Host.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h"
#include "nautilus/Dialect/Scalar/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Pipelines/Pipelines.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtension.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mlir::nautilus::registerAllDialects(DialectRegistry &registry) {
  registry.insert<host::HostDialect, matile::MATileDialect, scalar::ScalarDialect,
                  vrtile::VRTileDialect>();
  registry.insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, index::IndexDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, tensor::TensorDialect, transform::TransformDialect>();
  scalar::registerTransformOps(registry);
  transform::registerTuneExtension(registry);
}

void mlir::nautilus::registerAllPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  registerSymbolDCEPass();
  registerStripDebugInfoPass();
  registerNautilusConversionPasses();
  matile::registerNautilusMATilePasses();
  vrtile::registerNautilusVRTilePasses();
  registerPipelines();
  scalar::registerNautilusScalarPasses();
}
