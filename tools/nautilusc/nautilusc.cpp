// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nautilusc: a spec (or MLIR) in, IR at any stage, PTX, a cubin or a bundle out.
//
// Exit codes: 0 good, 1 error in the input or in compiling it, 2 usage, 3 environment (a file that
// cannot be read or written, no ptxas).

#include "ExplainSearch.h"

#include "nautilus/Frontend/Frontend.h"
#include "nautilus/InitAll.h"
#include "nautilus/Machine/Machine.h"
#include "nautilus/Pipelines/Pipelines.h"
#include "nautilus/Runtime/Bundle.h"
#include "nautilus/Target/Bundle/BundleTarget.h"
#include "nautilus/Target/PTX/PTXTarget.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::nautilus;
namespace cl = llvm::cl;

static constexpr int inputError = 1, usageError = 2, environmentError = 3;

static cl::OptionCategory category("nautilusc options");
static cl::opt<std::string> inputPath(cl::Positional,
                                      cl::desc("<spec (.naut) or MLIR file, - for stdin>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> outputPath("o", cl::desc("Output file, - for stdout"),
                                       cl::value_desc("file"), cl::init("-"), cl::cat(category));
static cl::opt<std::string> compileFrom(
    "compile-from",
    cl::desc("Stage that MLIR input is at (scalar, scheduled, applied, vrtile, matile, nvvm)"),
    cl::init("scalar"), cl::cat(category));
static cl::opt<std::string>
    compileTo("compile-to", cl::desc("Stage to stop at (the above, or ptx, cubin, bundle)"),
              cl::init("bundle"), cl::cat(category));
static cl::opt<std::string> arch("arch",
                                 cl::desc("Target architecture: sm_80, sm_89, sm_90a, sm_120a"),
                                 cl::value_desc("name"), cl::init("sm_90a"), cl::cat(category));
static cl::opt<vrtile::NumericPolicy> numerics(
    "numerics", cl::desc("How far values may differ from the formulas as written"),
    cl::values(clEnumValN(vrtile::NumericPolicy::Strict, "strict",
                          "no cast inserted, same bits at every step but the order of sums"),
               clEnumValN(vrtile::NumericPolicy::Default, "default",
                          "16- and 8-bit products and identities of real numbers"),
               clEnumValN(vrtile::NumericPolicy::Fast, "fast", "all rewrites")),
    cl::init(vrtile::NumericPolicy::Default), cl::cat(category));
static cl::opt<std::string>
    dumpDir("dump-dir",
            cl::desc("Write the IR after each stage to NN-stage.mlir in this directory"),
            cl::value_desc("dir"), cl::cat(category));
static cl::opt<std::string> scheduleFile(
    "schedule",
    cl::desc("Schedules to use in place of the compiler's choice: named sequences called "
             "<kernel>_schedule"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    explain("explain",
            cl::desc("Print how the schedule is found, with the reasons of what is refused, and "
                     "stop; into a file: text, JSON lines (.jsonl) or the block graph (.dot)"),
            cl::value_desc("file"), cl::ValueOptional, cl::cat(category));
static cl::opt<bool> listSchedules("list-schedules",
                                   cl::desc("Print the schedules that were compared, and stop"),
                                   cl::cat(category));
static cl::list<std::string> libraryFiles("library", cl::desc("File of definitions; repeatable"),
                                          cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    remarks("remarks",
            cl::desc("Print optimisation remarks to stderr: all, or the categories that the "
                     "regular expression matches (TensorCore, TMA, ...)"),
            cl::value_desc("regex"), cl::ValueOptional, cl::cat(category));
static cl::opt<bool>
    resources("resources",
              cl::desc("Print registers, spills and ptxas's messages for each kernel to stderr"),
              cl::cat(category));
static cl::opt<bool> usePtxas("ptxas", cl::desc("Assemble with ptxas if there is one"),
                              cl::init(true), cl::cat(category));

/// Complains about the use of the tool.
static int failUsage(const Twine &message) {
  llvm::errs() << "nautilusc: " << message << "\n";
  return usageError;
}

static int failEnvironment(const Twine &message) {
  llvm::errs() << "nautilusc: " << message << "\n";
  return environmentError;
}

static int writeOutput(StringRef content) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(outputPath, &message);
  if (!output)
    return failEnvironment(message);
  output->os() << content;
  output->os().flush();
  if (std::error_code error = output->os().error()) {
    output->os().clear_error();
    return failEnvironment("cannot write " + outputPath + ": " + error.message());
  }
  output->keep();
  return 0;
}

static std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  os << "\n";
  return text;
}

/// Writes the IR of a stage if dumps are wanted; an exit code.
static int dump(ModuleOp module, Stage stage) {
  if (dumpDir.empty())
    return 0;
  if (std::error_code error = llvm::sys::fs::create_directories(dumpDir))
    return failEnvironment("cannot make " + dumpDir + ": " + error.message());
  SmallString<128> path(dumpDir);
  llvm::sys::path::append(path, "0" + Twine(int(stage)) + "-" + stringifyStage(stage) + ".mlir");
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return failEnvironment("cannot write " + path + ": " + error.message());
  os << printModule(module);
  return 0;
}

/// Carries out --explain and --list-schedules.
static int report(ModuleOp module) {
  SearchReport report = listSchedules                            ? SearchReport::Seeds
                        : StringRef(explain).ends_with(".jsonl") ? SearchReport::Trace
                        : StringRef(explain).ends_with(".dot")   ? SearchReport::Graph
                                                                 : SearchReport::Derivation;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(reportSearch(os, module, arch, report)))
    return inputError;
  if (!explain.empty())
    outputPath = explain;
  return writeOutput(text);
}

/// Runs the passes between two stages, one stage at a time; an exit code.
static int lower(ModuleOp module, Stage from, Stage to) {
  PipelineOptions options;
  options.arch = arch;
  options.numerics = numerics;
  if (int code = dump(module, from))
    return code;
  for (int stage = int(from) + 1; stage <= int(to); ++stage) {
    PassManager pm(module.getContext());
    if (failed(applyPassManagerCLOptions(pm)))
      return usageError;
    buildPipeline(pm, Stage(stage - 1), Stage(stage), options);
    if (failed(pm.run(module)))
      return inputError;
    if (int code = dump(module, Stage(stage)))
      return code;
  }
  return 0;
}

static void printResources(const CubinResult &cubin) {
  for (const KernelResources &kernel : cubin.kernels)
    llvm::errs() << kernel.kernel << ": " << kernel.registers << " registers, " << kernel.stackBytes
                 << " bytes stack, " << kernel.spillStoreBytes << " bytes spilled, "
                 << kernel.barriers << " barriers\n";
  for (const std::string &message : cubin.messages)
    llvm::errs() << "ptxas: " << message << "\n";
}

/// Everything after stage nvvm.
static int emitCode(ModuleOp module, StringRef to) {
  auto gpuModules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  auto entries = llvm::to_vector(module.getOps<host::EntryOp>());
  if (gpuModules.size() != 1 || entries.size() != 1) {
    module.emitError("expected one kernel in the file to make code of, got ") << entries.size();
    return inputError;
  }
  PTXOptions options;
  options.arch = arch;
  FailureOr<std::string> ptx = translateToPTX(gpuModules.front(), options);
  if (failed(ptx))
    return inputError;
  if (to == "ptx" && !resources)
    return writeOutput(*ptx);
  std::string ptxas = usePtxas ? findPtxas() : std::string(), error;
  CubinResult cubin;
  if (!ptxas.empty()) {
    FailureOr<CubinResult> assembled = assemblePTX(*ptx, arch, ptxas, error);
    if (failed(assembled))
      return failEnvironment("ptxas failed on the generated code: " + error);
    cubin = std::move(*assembled);
    if (resources)
      printResources(cubin);
  } else if (to == "cubin") {
    return failEnvironment("no ptxas found; put one on PATH or name it in NAUTILUS_PTXAS");
  }
  if (to == "ptx")
    return writeOutput(*ptx);
  if (to == "cubin")
    return writeOutput(cubin.cubin);
  ManifestFacts facts;
  facts.arch = arch;
  facts.ptxas = cubin.version;
  for (const KernelResources &kernel : cubin.kernels)
    facts.registers[kernel.kernel] = kernel.registers;
  FailureOr<std::string> manifest = exportManifest(entries.front(), facts);
  if (failed(manifest))
    return inputError;
  ::nautilus::runtime::Bundle bundle;
  bundle.manifest = *manifest;
  bundle.modules.push_back({::nautilus::runtime::CodeKind::PTX, arch, *ptx});
  if (!cubin.cubin.empty())
    bundle.modules.push_back({::nautilus::runtime::CodeKind::Cubin, arch, cubin.cubin});
  std::string bytes;
  if (::nautilus::runtime::Status status = serializeBundle(bundle, bytes); !status.ok())
    return failEnvironment(status.getMessage());
  return writeOutput(bytes);
}

/// Parses the input: a spec by its suffix or, on stdin, unless it is MLIR by --compile-from.
static OwningOpRef<ModuleOp> parseInput(llvm::SourceMgr &sources, MLIRContext &context) {
  StringRef path = inputPath;
  if (path.ends_with(".naut") || (path == "-" && compileFrom.getNumOccurrences() == 0)) {
    frontend::SpecOptions options;
    options.libraryFiles.assign(libraryFiles.begin(), libraryFiles.end());
    if (numerics == vrtile::NumericPolicy::Strict)
      options.numerics = frontend::Numerics::Strict;
    FailureOr<OwningOpRef<ModuleOp>> module = frontend::parseSpec(sources, &context, options);
    return succeeded(module) ? std::move(*module) : OwningOpRef<ModuleOp>();
  }
  return parseSourceFile<ModuleOp>(sources, &context);
}

/// Files beside the input that cannot be read are an error of the environment, not of the spec.
static int checkReadable() {
  std::vector<std::string> paths(libraryFiles.begin(), libraryFiles.end());
  if (!scheduleFile.empty())
    paths.push_back(scheduleFile);
  for (const std::string &path : paths)
    if (std::string message; !openInputFile(path, &message))
      return failEnvironment(message);
  return 0;
}

/// Sends remarks to stderr if they are wanted; an exit code.
static int enableRemarks(MLIRContext &context) {
  if (remarks.getNumOccurrences() == 0)
    return 0;
  std::string pattern = remarks.empty() ? std::string(".*") : remarks.getValue(), error;
  if (!llvm::Regex(pattern).isValid(error))
    return failUsage("expected a regular expression in --remarks: " + error);
  pattern = ".*(" + pattern + ").*"; // anywhere in the category
  remark::RemarkCategories categories{pattern, pattern, pattern, pattern, pattern};
  context.disableMultithreading(); // remarks come in the order of the program
  if (failed(remark::enableOptimizationRemarks(context, nullptr,
                                               std::make_unique<remark::RemarkEmittingPolicyAll>(),
                                               categories, /*printAsEmitRemarks=*/true)))
    return failEnvironment("cannot set up remarks");
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerAsmPrinterCLOptions();
  registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(category); // MLIR's own are under --help-hidden
  if (!cl::ParseCommandLineOptions(
          argc, argv, "The Nautilus compiler\n\n  nautilusc matmul.naut -o matmul.naub\n",
          &llvm::errs()))
    return usageError;
  bool toCode = compileTo == "ptx" || compileTo == "cubin" || compileTo == "bundle";
  std::optional<Stage> from = parseStage(compileFrom),
                       to = toCode ? std::optional<Stage>(Stage::NVVM) : parseStage(compileTo);
  if (!from)
    return failUsage("unknown stage '" + compileFrom + "' in --compile-from");
  if (!to)
    return failUsage("unknown stage '" + compileTo + "' in --compile-to");
  if (*from > *to)
    return failUsage("stage '" + compileFrom + "' comes after '" + compileTo + "'");
  if (!::nautilus::machine::lookup(arch))
    return failUsage("unknown architecture '" + arch + "' in --arch, known are " +
                     ::nautilus::machine::listNames());
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputPath, &message);
  if (!input)
    return failEnvironment(message);
  if (int code = checkReadable())
    return code;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // users read the spec line, not IR
  SourceMgrDiagnosticHandler handler(sources, &context);
  if (int code = enableRemarks(context))
    return code;
  OwningOpRef<ModuleOp> module = parseInput(sources, context);
  if (module && (explain.getNumOccurrences() || listSchedules))
    return report(*module);
  if (!module || (!scheduleFile.empty() && failed(addScheduleFile(*module, scheduleFile, sources))))
    return inputError;
  if (int code = lower(*module, *from, *to))
    return code;
  return toCode ? emitCode(*module, compileTo) : writeOutput(printModule(*module));
}
