// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each stage is made of.

#include "nautilus/Pipelines/Pipelines.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "nautilus/Conversion/Passes.h"
#include "nautilus/Dialect/Host/IR/Host.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"
#include "nautilus/Dialect/Scalar/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::nautilus;

static constexpr StringLiteral stageNames[] = {"scalar", "scheduled", "applied",
                                               "vrtile", "matile",    "nvvm"};

std::optional<Stage> mlir::nautilus::parseStage(StringRef name) {
  for (auto [i, stage] : llvm::enumerate(stageNames))
    if (stage == name)
      return static_cast<Stage>(i);
  return std::nullopt;
}

StringRef mlir::nautilus::stringifyStage(Stage stage) {
  return stageNames[static_cast<int>(stage)];
}

static void buildScheduled(OpPassManager &pm, const PipelineOptions &options) {
  scalar::ScalarAutoSchedulePassOptions choice;
  choice.arch = options.arch;
  pm.addPass(scalar::createScalarAutoSchedulePass(choice));
}

static void buildApplied(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(scalar::createScalarApplySchedulePass());
}

/// The families of tile algebra, in the order that each finds most: scales before exponentials hide
/// them, products before multiply-adds do.
static void buildTileAlgebra(OpPassManager &pm, vrtile::NumericPolicy numerics) {
  pm.addPass(vrtile::createNarrowTilesPass());
  pm.addPass(vrtile::createFactorScalesPass());
  pm.addPass(vrtile::createExpToExp2Pass({numerics}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(vrtile::createReuseMasksPass({numerics}));
  pm.addPass(vrtile::createTelescopePass({numerics}));
  pm.addPass(vrtile::createDelayDivisionPass({numerics}));
  pm.addPass(vrtile::createReciprocalPass({numerics}));
  pm.addPass(vrtile::createFormFMAPass({numerics}));
  pm.addPass(vrtile::createHoistInvariantPass());
  pm.addPass(vrtile::createDropDeadIterationsPass({numerics}));
  pm.addPass(vrtile::createSplitLoopsPass());
  pm.addPass(vrtile::createRemoveMasksPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(vrtile::createHoistInvariantPass());
  pm.addPass(createCSEPass());
}

static void buildVRTile(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createConvertNautilusScalarToVRTilePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  buildTileAlgebra(pm.nest<vrtile::KernelOp>(), options.numerics);
}

static void buildMATile(OpPassManager &pm, const PipelineOptions &options) {
  ConvertNautilusVRTileToMATilePassOptions conversion;
  conversion.arch = options.arch;
  pm.addPass(createConvertNautilusVRTileToMATilePass(conversion));
  pm.addNestedPass<matile::KernelOp>(createCSEPass());
  pm.addPass(matile::createMakePersistentPass());
  pm.addPass(matile::createOrderItemsPass());
  pm.addNestedPass<matile::KernelOp>(matile::createMakeChannelsPass());
  pm.addNestedPass<matile::KernelOp>(createCanonicalizerPass());
  pm.addNestedPass<matile::KernelOp>(createCSEPass());
  pm.addNestedPass<matile::KernelOp>(matile::createChainProductsPass());
  pm.addNestedPass<matile::KernelOp>(matile::createStartDotsPass());
  pm.addNestedPass<matile::KernelOp>(matile::createPlanPipelinePass());
  pm.addNestedPass<matile::KernelOp>(matile::createPipelineLoopsPass());
  pm.addNestedPass<matile::KernelOp>(createCanonicalizerPass());
  pm.addNestedPass<matile::KernelOp>(createCSEPass());
  pm.addNestedPass<matile::KernelOp>(matile::createStoreThroughSharedPass());
  pm.addNestedPass<matile::KernelOp>(matile::createAllocateSharedPass());
  pm.addNestedPass<host::EntryOp>(createCSEPass());
}

static void buildNVVM(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createConvertNautilusMATileToGPUPass());
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  device.addPass(createCSEPass());
  device.addPass(createConvertNautilusMathToNVVMPass());
  device.addPass(createSCFToControlFlowPass());
  device.addPass(createConvertMathToLLVMPass());
  device.addPass(createArithToLLVMConversionPass());
  // Upstream restricts this one to modules; host entries hold no cf ops.
  pm.addPass(createConvertControlFlowToLLVMPass());
  OpPassManager &cleanup = pm.nest<gpu::GPUModuleOp>();
  cleanup.addPass(createReconcileUnrealizedCastsPass());
  cleanup.addPass(createCSEPass());
}

using StageBuilder = void (*)(OpPassManager &, const PipelineOptions &);
static constexpr StageBuilder builders[] = {nullptr,     buildScheduled, buildApplied,
                                            buildVRTile, buildMATile,    buildNVVM};

void mlir::nautilus::buildPipeline(OpPassManager &pm, Stage from, Stage to,
                                   const PipelineOptions &options) {
  for (int stage = static_cast<int>(from) + 1; stage <= static_cast<int>(to); ++stage)
    if (builders[stage])
      builders[stage](pm, options);
}

void mlir::nautilus::registerPipelines() {
  for (auto [i, name] : llvm::enumerate(stageNames)) {
    StageBuilder build = builders[i];
    if (!build)
      continue;
    std::string argument = ("nautilus-stage-" + name).str();
    registerPassPipeline(
        argument, ("Passes that lead to the end of stage '" + name + "'").str(),
        [build](OpPassManager &pm, StringRef, function_ref<LogicalResult(const Twine &)>) {
          build(pm, PipelineOptions());
          return success();
        },
        [](function_ref<void(const detail::PassOptions &)>) {});
  }
}
