// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what a tool of Nautilus may meet: our dialects, and only those of upstream that the
// pipeline uses (registering all of upstream costs seconds of link and start-up time).

#ifndef NAUTILUS_INITALL_H
#define NAUTILUS_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::nautilus {

/// Adds our dialects, the upstream dialects that they are lowered through, and extensions of both.
void registerAllDialects(DialectRegistry &registry);

/// Registers our passes and the few upstream ones that are useful on the command line.
void registerAllPasses();

} // namespace mlir::nautilus

#endif
