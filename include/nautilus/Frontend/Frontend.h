// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end of the spec language: text of formulas over named axes in, a module with one
// `nautilus_scalar.kernel` per kernel out. docs/SpecLanguage.md describes the language. Every op
// carries the place in the spec that it comes from, so that any later stage can point there.

#ifndef NAUTILUS_FRONTEND_FRONTEND_H
#define NAUTILUS_FRONTEND_FRONTEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir::nautilus::frontend {

/// How far values may differ from the formulas as written.
enum class Numerics {
  /// No cast that the spec does not write.
  Strict,
  /// In `sum[k](a * b)`, a factor that is computed in f32 is rounded to the 8/16-bit float type of
  /// the other factor.
  Default,
  /// The front end does as for Default.
  Fast
};

struct SpecOptions {
  Numerics numerics = Numerics::Default;
  /// Files of definitions; one of the same name as a standard definition replaces it.
  std::vector<std::string> libraryFiles;
  /// Whether the standard library (the files of stdlib/) is known.
  bool useStandardLibrary = true;
};

/// Parses and checks the main buffer of `sourceMgr` and makes scalar IR of it. Library files are
/// added to `sourceMgr`. Errors are diagnostics of `context` at FileLineColLocs of buffers of
/// `sourceMgr`; several independent ones may be reported.
FailureOr<OwningOpRef<ModuleOp>> parseSpec(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                                           const SpecOptions &options = {});

} // namespace mlir::nautilus::frontend

#endif
