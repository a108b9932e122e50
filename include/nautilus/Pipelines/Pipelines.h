// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of the compiler by name. Each stage is one function that appends its passes; a driver
// may start and stop at any of them.
//
//   scalar     what the front ends make: nautilus_scalar in math form
//   scheduled  a schedule chosen and written into the module
//   applied    the schedule carried out: nautilus_scalar in loop form
//   vrtile     one nautilus_vrtile.kernel per launch, a nautilus_host.entry that launches them
//   matile     layouts, shared memory, channels, roles
//   nvvm       a gpu.module of llvm and nvvm ops, a host entry over addresses
//
// PTX, cubin and bundle follow from nvvm outside of the pass manager (nautilus/Target).

#ifndef NAUTILUS_PIPELINES_PIPELINES_H
#define NAUTILUS_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "nautilus/Dialect/VRTile/Transforms/Numerics.h"
#include <optional>
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir::nautilus {

enum class Stage { Scalar, Scheduled, Applied, VRTile, MATile, NVVM };

/// The stage of that name (`--compile-to=`), or nothing.
std::optional<Stage> parseStage(StringRef name);
StringRef stringifyStage(Stage stage);

struct PipelineOptions {
  std::string arch = "sm_90a"; ///< target architecture
  vrtile::NumericPolicy numerics =
      vrtile::NumericPolicy::Default; ///< which tile algebra may be used
};

/// Appends the passes that lead from the end of stage `from` to the end of stage `to`.
void buildPipeline(OpPassManager &pm, Stage from, Stage to, const PipelineOptions &options = {});

/// Puts the schedules of a file (named sequences called `<kernel>_schedule`) into the module, where
/// the stage that applies schedules finds them. The file's text is added to `sources`, for
/// diagnostics.
LogicalResult addScheduleFile(ModuleOp module, StringRef path, llvm::SourceMgr &sources);

/// Registers `nautilus-stage-<name>` for every stage after the first: the passes of that stage
/// alone.
void registerPipelines();

} // namespace mlir::nautilus

#endif
