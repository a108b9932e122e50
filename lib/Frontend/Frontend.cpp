// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end from text to module: parse, load definitions, check each kernel, emit.

#include "nautilus/Frontend/Frontend.h"
#include "Emit.h"
#include "Library.h"
#include "Parser.h"
#include "Sema.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::frontend;

static LogicalResult checkKernelNames(SpecDiagnostics &diagnostics, const File &file) {
  if (file.kernels.empty())
    return emitError(diagnostics.getLocation(llvm::SMLoc::getFromPointer(
               diagnostics.getSourceMgr()
                   .getMemoryBuffer(diagnostics.getSourceMgr().getMainFileID())
                   ->getBufferStart())))
           << "the spec has no kernel";
  llvm::StringMap<llvm::SMLoc> known;
  for (const KernelDecl &kernel : file.kernels) {
    auto [it, isNew] = known.try_emplace(kernel.name.text, kernel.name.loc);
    if (isNew)
      continue;
    InFlightDiagnostic diagnostic = diagnostics.error(kernel.name.loc);
    diagnostic << "kernel `" << kernel.name.text << "` is defined twice";
    diagnostics.note(diagnostic, it->second, "first defined here");
    return diagnostic;
  }
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> mlir::nautilus::frontend::parseSpec(llvm::SourceMgr &sourceMgr,
                                                                     MLIRContext *context,
                                                                     const SpecOptions &options) {
  context->loadDialect<scalar::ScalarDialect, arith::ArithDialect, math::MathDialect>();
  SpecDiagnostics diagnostics(sourceMgr, context);
  const llvm::MemoryBuffer *main = sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  File file;
  LogicalResult parsed = Parser(diagnostics, main->getBuffer(), file).parseFile();
  Library library;
  if (failed(library.load(diagnostics, options)) || failed(library.add(diagnostics, file)) ||
      failed(library.checkRecursion(diagnostics)))
    return failure();
  // After a syntax error names may be missing, and complaints about them would only distract.
  if (failed(parsed) || failed(checkKernelNames(diagnostics, file)))
    return failure();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(FileLineColLoc::get(context, main->getBufferIdentifier(), 1, 1));
  for (const KernelDecl &kernel : file.kernels) {
    Program program;
    if (failed(checkKernel(diagnostics, library, options.numerics, kernel, program)))
      parsed = failure();
    else if (succeeded(parsed))
      emitKernel(diagnostics, program, *module);
  }
  if (failed(parsed) || failed(verify(*module)))
    return failure();
  return module;
}
