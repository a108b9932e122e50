// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules from a file, in place of the compiler's choice.

// An MLIR built without assertions, as distributions ship it, lacks a function that this header
// calls when assertions are on.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define NDEBUG
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#pragma pop_macro("NDEBUG")

#include "nautilus/Pipelines/Pipelines.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::nautilus;

LogicalResult mlir::nautilus::addScheduleFile(ModuleOp module, StringRef path,
                                              llvm::SourceMgr &sources) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer)
    return module.emitError(message);
  StringRef text = buffer->getBuffer();
  std::string name = buffer->getBufferIdentifier().str();
  OwningOpRef<ModuleOp> schedules = parseSourceString<ModuleOp>(text, module.getContext(), name);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  if (!schedules)
    return failure();
  for (auto sequence :
       llvm::make_early_inc_range(schedules->getOps<transform::NamedSequenceOp>())) {
    StringRef kernel = sequence.getSymName();
    if (!kernel.consume_back("_schedule") || !module.lookupSymbol(kernel))
      return sequence.emitError("expected a schedule named after a kernel, <kernel>_schedule");
    sequence->moveBefore(module.getBody(), module.getBody()->end());
  }
  module->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                  UnitAttr::get(module.getContext()));
  return success();
}
