# A self-contained link against the archives of MLIR and LLVM.
#
# MLIR's exported targets name the shared library LLVM (plainly and as $<LINK_ONLY:LLVM>) among what they link, which would drag libLLVM.so
# back in. So it is taken out of their interfaces, and the LLVM archives that the compiler uses are linked in one group instead. Only the
# NVPTX back end is named: other targets would treble the size.

set(NAUTILUS_LLVM_COMPONENTS Core Support Passes Analysis Target TargetParser IRReader IRPrinter Linker BitReader BitWriter CodeGen AsmPrinter SelectionDAG
    ScalarOpts InstCombine TransformUtils ipo MC MCParser NVPTXCodeGen NVPTXDesc NVPTXInfo Remarks)
set(NAUTILUS_MLIR_LIBRARIES
    MLIRAffineDialect MLIRAffineToStandard MLIRArithDialect MLIRArithToLLVM MLIRArithTransforms MLIRAsmParser MLIRBuiltinToLLVMIRTranslation MLIRControlFlowDialect
    MLIRControlFlowToLLVM MLIRFuncDialect MLIRGPUDialect MLIRGPUToLLVMIRTranslation MLIRIR MLIRIndexDialect MLIRLLVMDialect MLIRLLVMToLLVMIRTranslation
    MLIRLinalgDialect MLIRMathDialect MLIRMathToLLVM MLIRMathTransforms MLIRMemRefDialect MLIRNVVMDialect MLIRNVVMToLLVMIRTranslation MLIROptLib MLIRParser MLIRPass
    MLIRReconcileUnrealizedCasts MLIRSCFDialect MLIRSCFToControlFlow MLIRSupport MLIRTensorDialect MLIRTargetLLVMIRExport MLIRTransformDialect
    MLIRTransformDialectTransforms MLIRTransformUtils MLIRTransforms MLIRTranslateLib MLIRPresburger)

get_property(mlir_targets GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(lib IN LISTS MLIR_EXPORTED_TARGETS NAUTILUS_MLIR_LIBRARIES)
  if(TARGET ${lib})
    get_target_property(links ${lib} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(REMOVE_ITEM links LLVM "$<LINK_ONLY:LLVM>")
      set_target_properties(${lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endif()
endforeach()

# All LLVM archives stand in one group, from which the linker takes what is used.
file(GLOB llvm_archives "${LLVM_LIBRARY_DIR}/libLLVM*.a")
list(FILTER llvm_archives EXCLUDE REGEX "libLLVM(AArch64|AMDGPU|ARM|AVR|BPF|Hexagon|Lanai|LoongArch|MSP430|Mips|PowerPC|RISCV|SPIRV|Sparc|SystemZ|VE|WebAssembly|X86|XCore|M68k|Xtensa|ARC|CSKY|DirectX)")
target_link_libraries(NautilusMLIR INTERFACE ${NAUTILUS_MLIR_LIBRARIES}
  -Wl,--start-group ${llvm_archives} -Wl,--end-group ZLIB::ZLIB zstd::libzstd_static ${CMAKE_DL_LIBS} pthread)
