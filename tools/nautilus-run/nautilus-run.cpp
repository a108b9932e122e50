// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel on random inputs at one level of the compiler, after the passes given, and compares
// the results with the float64 reference: the kernel as it was read, interpreted in `real` mode.
//
// Exit codes: 0 the results agree; 1 they do not, or the program does not compile or run; 2 usage;
// 3 a file cannot be read.

#include "Options.h"
#include "Tolerance.h"

#include "nautilus/Dialect/Host/IR/Host.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "nautilus/Frontend/Frontend.h"
#include "nautilus/InitAll.h"
#include "nautilus/Interpreter/Interpreter.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;
using namespace mlir::nautilus::run_tool;

namespace {
enum ExitCode { Good = 0, Wrong = 1, Usage = 2, Environment = 3 };
} // namespace

/// The kernel that is the reference: the one named, or the only one.
static scalar::KernelOp findReference(ModuleOp module, StringRef name) {
  if (!name.empty()) {
    auto kernel = dyn_cast_if_present<scalar::KernelOp>(SymbolTable::lookupSymbolIn(module, name));
    if (!kernel)
      llvm::errs() << "error: expected a nautilus_scalar.kernel named '" << name << "'\n";
    return kernel;
  }
  auto kernels = llvm::to_vector(module.getOps<scalar::KernelOp>());
  if (kernels.size() == 1)
    return kernels.front();
  llvm::errs() << "error: expected --entry, because the module has " << kernels.size()
               << " kernels\n";
  return {};
}

/// Random tensors for the kernel's arguments. Fails when a dim has no extent.
static FailureOr<std::vector<Tensor>> makeInputs(scalar::KernelOp kernel, const DimBindings &dims,
                                                 uint64_t seed) {
  std::vector<Tensor> inputs;
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    std::optional<ElementKind> kind = getElementKind(type.getElementType());
    if (!kind)
      return kernel.emitError("the interpreter does not know the type ") << type;
    SmallVector<int64_t> shape;
    for (auto [name, extent] : llvm::zip(kernel.getArgument(i).getFlatDims(), type.getShape()))
      shape.push_back(ShapedType::isDynamic(extent) ? dims.lookup(name.getValue()) : extent);
    fillRandom(inputs.emplace_back(*kind, shape), seed * 1000003 + i);
  }
  return inputs;
}

/// Adds the dims that the command line leaves out and that have a declaration or hint to go by.
static LogicalResult completeDims(scalar::KernelOp kernel, DimBindings &dims) {
  for (const auto &given : dims)
    if (!kernel.lookupDim(given.getKey())) {
      llvm::errs() << "error: expected dims of @" << kernel.getSymName() << ", got '"
                   << given.getKey() << "'\n";
      return failure();
    }
  for (auto dim : kernel.getDims().getAsRange<scalar::DimAttr>()) {
    StringRef name = dim.getName().getValue();
    if (!dim.isDynamic()) {
      dims.try_emplace(name, dim.getSize());
    } else if (!dims.contains(name)) {
      llvm::errs() << "error: expected an extent of dim '" << name << "' in --dims\n";
      return failure();
    }
  }
  return success();
}

static bool report(StringRef name, const Comparison &comparison, double tolerance) {
  bool good = comparison.isWithin(tolerance);
  llvm::outs() << name << ": ";
  if (!comparison.sameShape) {
    llvm::outs() << "shapes differ\n";
    return false;
  }
  llvm::outs() << "max_abs " << llvm::format("%.3g", comparison.maxAbs) << ", rel_l2 "
               << llvm::format("%.3g", comparison.relL2) << ", tolerance "
               << llvm::format("%.3g", tolerance);
  if (comparison.numNonFinite != 0)
    llvm::outs() << ", " << comparison.numNonFinite << " differ in NaN or infinity";
  if (!good && comparison.firstMismatch) {
    llvm::outs() << ", first at [";
    llvm::interleaveComma(*comparison.firstMismatch, llvm::outs());
    llvm::outs() << "]: got " << llvm::format("%.9g", comparison.mismatchActual) << ", expected "
                 << llvm::format("%.9g", comparison.mismatchExpected);
  }
  llvm::outs() << (good ? "" : " <- wrong") << "\n";
  return good;
}

/// The stage to lower to: the one asked for, or the one that the level needs if the module is not
/// there yet.
static Stage getStage(ModuleOp module, const Options &options) {
  if (options.stage)
    return *options.stage;
  bool lowered = !module.getOps<host::EntryOp>().empty();
  if (lowered || options.level == Level::Scalar)
    return Stage::Scalar;
  return options.level == Level::VRTile ? Stage::VRTile : Stage::MATile;
}

/// Runs the passes asked for, or those up to a stage. Sets `exit` when that cannot be done.
static LogicalResult lower(ModuleOp module, const Options &options, llvm::SourceMgr &sources,
                           ExitCode &exit) {
  StringRef pipeline = options.pipeline;
  if (pipeline.empty()) {
    exit = Wrong;
    PassManager manager(module.getContext());
    if (!options.schedule.empty() && failed(addScheduleFile(module, options.schedule, sources)))
      return failure();
    PipelineOptions pipelineOptions;
    pipelineOptions.arch = options.arch;
    buildPipeline(manager, Stage::Scalar, getStage(module, options), pipelineOptions);
    return manager.run(module);
  }
  exit = Usage;
  FailureOr<OpPassManager> passes = parsePassPipeline(pipeline, llvm::errs());
  if (failed(passes))
    return failure();
  exit = Wrong;
  PassManager manager(module.getContext(), passes->getOpAnchorName());
  static_cast<OpPassManager &>(manager) = std::move(*passes);
  return manager.run(module);
}

static ExitCode runAndCompare(ModuleOp module, const Options &options, llvm::SourceMgr &sources) {
  StringRef referenceName = options.reference.empty() ? options.entry : options.reference;
  scalar::KernelOp kernel = findReference(module, referenceName);
  DimBindings dims = options.dims;
  if (!kernel || failed(completeDims(kernel, dims)))
    return Usage;
  std::string entry = options.entry.empty() ? kernel.getSymName().str() : options.entry;
  FailureOr<std::vector<Tensor>> inputs = makeInputs(kernel, dims, options.seed);
  if (failed(inputs))
    return Wrong;
  FailureOr<std::vector<Tensor>> expected =
      run(module, kernel.getSymName(), Level::Scalar, Mode::Real, *inputs, dims);
  if (failed(expected))
    return Wrong;
  bool hasTileAlgebra = options.pipeline.empty() && getStage(module, options) >= Stage::VRTile;
  double tolerance =
      options.tolerance.value_or(defaultTolerance(kernel, options.mode, hasTileAlgebra));
  OwningOpRef<ModuleOp> lowered = module.clone();
  ExitCode exit = Good;
  if (failed(lower(*lowered, options, sources, exit)))
    return exit;
  FailureOr<std::vector<Tensor>> actual =
      run(*lowered, entry, options.level, options.mode, *inputs, dims, options.device);
  if (failed(actual))
    return Wrong;
  if (actual->size() != expected->size()) {
    llvm::errs() << "error: expected " << expected->size() << " results, got " << actual->size()
                 << "\n";
    return Wrong;
  }
  bool good = true;
  for (auto [i, results] : llvm::enumerate(llvm::zip(*actual, *expected)))
    good &= report(kernel.getResultTensor(i).getName().getValue(),
                   compare(std::get<0>(results), std::get<1>(results), tolerance), tolerance);
  llvm::outs() << (good ? "PASS" : "FAIL") << "\n";
  return good ? Good : Wrong;
}

/// Reads a spec or MLIR, by the file's suffix.
static OwningOpRef<ModuleOp> readModule(StringRef path, llvm::SourceMgr &sources,
                                        MLIRContext &context) {
  if (!path.ends_with(".naut"))
    return parseSourceFile<ModuleOp>(sources, &context);
  FailureOr<OwningOpRef<ModuleOp>> module = frontend::parseSpec(sources, &context);
  return succeeded(module) ? std::move(*module) : OwningOpRef<ModuleOp>();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::optional<Options> options = parseOptions(argc, argv);
  if (!options)
    return Usage;
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(options->input, &message);
  if (!buffer || (!options->schedule.empty() && !openInputFile(options->schedule, &message))) {
    llvm::errs() << "error: " << message << "\n";
    return Environment;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = readModule(options->input, sources, context);
  if (!module)
    return Wrong;
  return runAndCompare(*module, *options, sources);
}
