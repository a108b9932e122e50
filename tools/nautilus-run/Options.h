// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of nautilus-run.

#ifndef NAUTILUS_TOOLS_NAUTILUS_RUN_OPTIONS_H
#define NAUTILUS_TOOLS_NAUTILUS_RUN_OPTIONS_H

#include "nautilus/Interpreter/Interpreter.h"
#include "nautilus/Pipelines/Pipelines.h"

namespace mlir::nautilus::run_tool {

struct Options {
  std::string input;
  std::string entry;     ///< Empty: the module's only kernel.
  std::string reference; ///< Empty: the kernel called `entry`.
  std::string
      pipeline; ///< Passes to run before the kernel is run; empty: the stages up to `stage`.
  std::optional<Stage> stage; ///< Stage to lower to; nothing: the one that `level` needs.
  std::string schedule;       ///< File of schedules; empty: the compiler's choice.
  std::string arch;           ///< A name that the machine descriptions know.
  interpreter::Level level;
  interpreter::Mode mode;
  interpreter::DeviceModel device;
  interpreter::DimBindings dims;
  uint64_t seed;
  std::optional<double> tolerance;
};

/// Prints what is wrong and returns nothing when the command line cannot be used.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace mlir::nautilus::run_tool

#endif
