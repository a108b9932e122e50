# A self-contained link against the archives of MLIR and LLVM.
#
# MLIR's exported targets name the shared library LLVM (plainly and as $<LINK_ONLY:LLVM>) among what they link, which would drag libLLVM.so
# back in. So it is taken out of their interfaces, and the LLVM archives that the compiler uses are linked in one group instead. Only the
# NVPTX back end is named: other targets would treble the size.

set(NAUTILUS_MLIR_LIBRARIES
    MLIRAffineDialect MLIRAffineToStandard MLIRArithDialect MLIRArithToLLVM MLIRArithTransforms MLIRAsmParser MLIRBuiltinToLLVMIRTranslation MLIRControlFlowDialect
    MLIRControlFlowToLLVM MLIRFuncDialect MLIRGPUDialect MLIRGPUToLLVMIRTranslation MLIRIR MLIRIndexDialect MLIRLLVMDialect MLIRLLVMToLLVMIRTranslation
    MLIRLinalgDialect MLIRMathDialect MLIRMathToLLVM MLIRMathTransforms MLIRMemRefDialect MLIRNVVMDialect MLIRNVVMToLLVMIRTranslation MLIROptLib MLIRParser MLIRPass
    MLIRReconcileUnrealizedCasts MLIRSCFDialect MLIRSCFToControlFlow MLIRSupport MLIRTensorDialect MLIRTargetLLVMIRExport MLIRTransformDialect
    MLIRTransformDialectTransforms MLIRTransformTuneExtension MLIRTransformUtils MLIRTransforms MLIRTranslateLib MLIRPresburger)

# Takes LLVM out of what a target and everything below it links.
function(nautilus_unlink_shared_llvm target)
  get_property(seen GLOBAL PROPERTY NAUTILUS_UNLINKED)
  if(NOT TARGET ${target} OR ${target} IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY NAUTILUS_UNLINKED ${target})
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT links)
    return()
  endif()
  list(REMOVE_ITEM links LLVM "$<LINK_ONLY:LLVM>")
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
    nautilus_unlink_shared_llvm(${link})
  endforeach()
endfunction()

foreach(lib IN LISTS NAUTILUS_MLIR_LIBRARIES)
  nautilus_unlink_shared_llvm(${lib})
endforeach()

# All LLVM archives stand in one group, from which the linker takes what is used.
file(GLOB llvm_archives "${LLVM_LIBRARY_DIR}/libLLVM*.a")
list(FILTER llvm_archives EXCLUDE REGEX "libLLVM(AArch64|AMDGPU|ARM|AVR|BPF|Hexagon|Lanai|LoongArch|MSP430|Mips|PowerPC|RISCV|SPIRV|Sparc|SystemZ|VE|WebAssembly|X86|XCore|M68k|Xtensa|ARC|CSKY|DirectX)")
target_link_libraries(NautilusLLVM INTERFACE -Wl,--start-group ${llvm_archives} -Wl,--end-group ZLIB::ZLIB zstd::libzstd_static ${CMAKE_DL_LIBS} pthread)
target_link_libraries(NautilusMLIR INTERFACE ${NAUTILUS_MLIR_LIBRARIES} NautilusLLVM)
