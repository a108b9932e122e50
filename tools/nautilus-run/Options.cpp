// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the command line of nautilus-run.

#include "Options.h"

#include "nautilus/Machine/Machine.h"

#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;
using namespace mlir::nautilus::run_tool;

/// `M=5,N=7` as separate words.
static bool parseDims(ArrayRef<std::string> words, DimBindings &dims) {
  for (StringRef word : words) {
    auto [name, text] = word.split('=');
    int64_t extent;
    if (name.empty() || text.getAsInteger(10, extent) || extent < 0) {
      llvm::errs() << "error: expected --dims NAME=EXTENT,..., got '" << word << "'\n";
      return false;
    }
    dims[name] = extent;
  }
  return true;
}

std::optional<Options> mlir::nautilus::run_tool::parseOptions(int argc, char **argv) {
  namespace cl = llvm::cl;
  cl::OptionCategory category("nautilus-run options");
  cl::opt<std::string> input(cl::Positional,
                             cl::desc("<input .naut or .mlir, or - for MLIR on stdin>"),
                             cl::Required, cl::cat(category));
  cl::opt<std::string> entry("entry", cl::desc("Kernel to run (default: the only one)"),
                             cl::cat(category));
  cl::opt<std::string> reference("reference", cl::desc("Kernel to compare with (default: --entry)"),
                                 cl::cat(category));
  cl::opt<std::string> pipeline(
      "pipeline", cl::desc("Passes to run first, not on the reference: builtin.module(...)"),
      cl::cat(category));
  cl::opt<std::string> compileTo("compile-to",
                                 cl::desc("Stage to lower to first (default: what --level needs)"),
                                 cl::value_desc("stage"), cl::cat(category));
  cl::opt<std::string> arch("arch", cl::desc("Target architecture: sm_80, sm_89, sm_90a, sm_120a"),
                            cl::value_desc("name"), cl::init("sm_90a"), cl::cat(category));
  cl::opt<std::string> schedule("schedule",
                                cl::desc("Schedules to use in place of the compiler's choice"),
                                cl::value_desc("file"), cl::cat(category));
  cl::opt<Level> level(
      "level", cl::desc("Level to run at:"), cl::init(Level::Scalar), cl::cat(category),
      cl::values(clEnumValN(Level::Scalar, "scalar", "nautilus_scalar, math or loop form"),
                 clEnumValN(Level::VRTile, "vrtile", "nautilus_vrtile through its host entry"),
                 clEnumValN(Level::MATile, "matile", "nautilus_matile through its host entry")));
  cl::opt<Mode> mode(
      "mode", cl::desc("Numbers of the run (the reference is always real):"), cl::init(Mode::Real),
      cl::cat(category),
      cl::values(clEnumValN(Mode::Real, "real", "float64, only explicit casts round"),
                 clEnumValN(Mode::Typed, "typed", "each op rounds to its element type")));
  cl::opt<bool> physical("physical", cl::desc("Run nautilus_matile as the device would (slower)"),
                         cl::init(true), cl::cat(category));
  cl::opt<uint64_t> interleaving("interleaving",
                                 cl::desc("Seed of the order in which warps and copies take turns"),
                                 cl::init(0), cl::cat(category));
  cl::opt<int64_t> multiprocessors("multiprocessors",
                                   cl::desc("Multiprocessors of the simulated device (default: 3)"),
                                   cl::init(3), cl::cat(category));
  cl::list<std::string> dims("dims", cl::desc("Extents of dynamic dims: M=5,N=7"),
                             cl::CommaSeparated, cl::cat(category));
  cl::opt<uint64_t> seed("seed", cl::desc("Seed of the random inputs"), cl::init(0),
                         cl::cat(category));
  cl::opt<double> tolerance("tolerance", cl::desc("Largest relative L2 error that passes"),
                            cl::cat(category));
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, "Runs a kernel and compares it with the reference\n",
                                   &llvm::errs()))
    return std::nullopt;
  Options options;
  options.input = input;
  options.entry = entry;
  options.reference = reference;
  options.pipeline = pipeline;
  options.schedule = schedule;
  options.arch = arch;
  options.level = level;
  options.mode = mode;
  options.device = {physical, interleaving, multiprocessors};
  options.seed = seed;
  if (!::nautilus::machine::lookup(arch)) {
    llvm::errs() << "error: unknown architecture '" << arch << "' in --arch, known are "
                 << ::nautilus::machine::listNames() << "\n";
    return std::nullopt;
  }
  if (!compileTo.empty() && !(options.stage = parseStage(compileTo))) {
    llvm::errs() << "error: unknown stage '" << compileTo << "' in --compile-to\n";
    return std::nullopt;
  }
  if (tolerance.getNumOccurrences() != 0)
    options.tolerance = tolerance;
  if (!parseDims(dims, options.dims))
    return std::nullopt;
  return options;
}
