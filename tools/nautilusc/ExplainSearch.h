// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --explain and --list-schedules print: a search run for its own sake.

#ifndef NAUTILUS_TOOLS_NAUTILUSC_EXPLAINSEARCH_H
#define NAUTILUS_TOOLS_NAUTILUSC_EXPLAINSEARCH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::nautilus {

enum class SearchReport {
  Derivation, // for people
  Trace,      // JSON lines
  Graph,      // DOT
  Seeds       // one line per schedule
};

/// Searches schedules for each kernel of `module` in math form, and writes the report to `os`. The
/// module stays as it is.
LogicalResult reportSearch(raw_ostream &os, ModuleOp module, StringRef arch, SearchReport report);

} // namespace mlir::nautilus

#endif
