// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks one kernel: AST in, `Program` out.

#ifndef NAUTILUS_FRONTEND_SEMA_H
#define NAUTILUS_FRONTEND_SEMA_H

#include "AST.h"
#include "Library.h"
#include "Program.h"
#include "nautilus/Frontend/Frontend.h"

namespace mlir::nautilus::frontend {

/// Reports every mistake that it finds; failure if there was one.
LogicalResult checkKernel(SpecDiagnostics &diagnostics, const Library &library, Numerics numerics,
                          const KernelDecl &kernel, Program &program);

} // namespace mlir::nautilus::frontend

#endif
