// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nautilus-translate: between text formats and IR. `--import-spec` reads a spec and writes scalar
// IR to stdout or to `-o`; errors go to stderr with the line and a caret. Exit codes: 1 for an
// error in the spec, 2 for usage, 3 for a file that cannot be read or written.

#include "nautilus/Frontend/Frontend.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

namespace cl = llvm::cl;

static cl::OptionCategory category("nautilus-translate options");
static cl::opt<bool> importSpec("import-spec", cl::desc("Read a spec and write scalar IR"),
                                cl::cat(category));
static cl::opt<std::string> inputPath(cl::Positional, cl::desc("<input file, - for stdin>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> outputPath("o", cl::desc("Output file"), cl::value_desc("file"),
                                       cl::init("-"), cl::cat(category));
static cl::list<std::string> libraryFiles("library", cl::desc("File of definitions; repeatable"),
                                          cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> noStandardLibrary("no-standard-library",
                                       cl::desc("Know no definitions but those that are given"),
                                       cl::cat(category));
static cl::opt<bool> splitInputFile("split-input-file",
                                    cl::desc("Take the parts between lines `// -----` one by one"),
                                    cl::cat(category));
static cl::opt<bool> verifyDiagnostics("verify-diagnostics",
                                       cl::desc("Check errors against `expected-error` comments"),
                                       cl::cat(category));
static cl::opt<bool> printLocations("print-locations",
                                    cl::desc("Write the place in the spec of every op"),
                                    cl::cat(category));
static cl::opt<Numerics>
    numerics("numerics", cl::desc("How far values may differ from the formulas as written"),
             cl::values(clEnumValN(Numerics::Strict, "strict", "insert no cast"),
                        clEnumValN(Numerics::Default, "default",
                                   "round computed factors to the type of narrow partners"),
                        clEnumValN(Numerics::Fast, "fast", "as default")),
             cl::init(Numerics::Default), cl::cat(category));

/// Reads one spec and writes its IR.
static LogicalResult importBuffer(std::unique_ptr<llvm::MemoryBuffer> input,
                                  llvm::raw_ostream &os) {
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  MLIRContext context;
  SpecOptions options;
  options.numerics = numerics;
  options.libraryFiles.assign(libraryFiles.begin(), libraryFiles.end());
  options.useStandardLibrary = !noStandardLibrary;
  if (verifyDiagnostics) {
    SourceMgrDiagnosticVerifierHandler handler(sourceMgr, &context);
    (void)parseSpec(sourceMgr, &context, options);
    return handler.verify();
  }
  SourceMgrDiagnosticHandler handler(sourceMgr, &context);
  FailureOr<OwningOpRef<ModuleOp>> module = parseSpec(sourceMgr, &context, options);
  if (failed(module))
    return failure();
  OpPrintingFlags flags;
  if (printLocations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  (*module)->print(os, flags);
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Translates between text formats and IR\n\n  nautilus-translate --import-spec matmul.naut\n");
  if (!importSpec) {
    llvm::errs() << "nautilus-translate: say what to do: --import-spec\n";
    return 2;
  }
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputPath, &message);
  std::unique_ptr<llvm::ToolOutputFile> output;
  if (input)
    output = openOutputFile(outputPath, &message);
  if (!output) {
    llvm::errs() << "nautilus-translate: " << message << "\n";
    return 3;
  }
  if (failed(splitAndProcessBuffer(std::move(input), importBuffer, output->os(),
                                   splitInputFile ? kDefaultSplitMarker : "")))
    return 1;
  output->keep();
  return 0;
}
