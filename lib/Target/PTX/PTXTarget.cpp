// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpu.module to LLVM IR, LLVM's optimiser, and its NVPTX back end, all in process.

#include "nautilus/Target/PTX/PTXTarget.h"

#include "nautilus/Machine/Machine.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;
using namespace mlir::nautilus;

static std::unique_ptr<llvm::TargetMachine> createTargetMachine(const PTXOptions &options,
                                                                std::string &error) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  // PTX 8.7 is the first version that every CUDA 12.8 and later driver takes and that has all the
  // instructions we emit.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.arch, "+ptx87", llvm::TargetOptions(), std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel(options.optLevel)));
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  // Main loops are whole tiles of straight-line code; unrolling them costs registers and time and
  // gains nothing.
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  auto optLevel = level == 0   ? llvm::OptimizationLevel::O0
                  : level == 1 ? llvm::OptimizationLevel::O1
                  : level == 2 ? llvm::OptimizationLevel::O2
                               : llvm::OptimizationLevel::O3;
  llvm::ModulePassManager passes = level == 0 ? builder.buildO0DefaultPipeline(optLevel)
                                              : builder.buildPerModuleDefaultPipeline(optLevel);
  passes.run(module, modules);
}

/// Instructions that the architecture lacks are an error here; LLVM's selection would abort.
static LogicalResult checkInstructions(gpu::GPUModuleOp module, StringRef arch) {
  const auto *machine = ::nautilus::machine::lookup(arch);
  if (!machine || machine->hasFp8)
    return success();
  WalkResult result = module.walk([&](LLVM::CallIntrinsicOp call) {
    StringRef name = call.getIntrin();
    if (!name.contains("e4m3x2") && !name.contains("e5m2x2"))
      return WalkResult::advance();
    call.emitError("casts of 8-bit floats need sm_89 or later, the target is ") << arch;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

FailureOr<std::string> mlir::nautilus::translateToPTX(gpu::GPUModuleOp module,
                                                      const PTXOptions &options) {
  if (failed(checkInstructions(module, options.arch)))
    return failure();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule)
    return module.emitError("expected a module of llvm and nvvm ops that translates to LLVM IR");
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(options, error);
  if (!machine)
    return module.emitError("no NVPTX back end for '") << options.arch << "': " << error;
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  optimize(*llvmModule, *machine, options.optLevel);
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, os, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("the NVPTX back end cannot write assembly");
  codegen.run(*llvmModule);
  return std::string(text.begin(), text.end());
}
