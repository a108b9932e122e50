// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a gpu.module to PTX text and, with ptxas, to a cubin and its resource report.

#ifndef NAUTILUS_TARGET_PTX_PTXTARGET_H
#define NAUTILUS_TARGET_PTX_PTXTARGET_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/LLVM.h"
#include <string>
#include <vector>

namespace mlir::nautilus {

struct PTXOptions {
  std::string arch = "sm_90a"; ///< as ptxas and LLVM spell it
  unsigned optLevel = 3;       ///< of LLVM's middle and back end
};

/// PTX of the module's kernels. The module holds llvm and nvvm ops only. A diagnostic and failure
/// otherwise.
FailureOr<std::string> translateToPTX(gpu::GPUModuleOp module, const PTXOptions &options);

/// What ptxas says about one kernel.
struct KernelResources {
  std::string kernel;
  int64_t registers = 0, stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0, barriers = 0;
};

struct CubinResult {
  std::string cubin;                    ///< the binary
  std::string version;                  ///< of ptxas
  std::vector<KernelResources> kernels; ///< one per entry, in the report's order
  std::vector<std::string> messages;    ///< advisory lines, such as serialised wgmma (C75xx)
};

/// The ptxas to use: `NAUTILUS_PTXAS`'s value, else one on PATH or in the CUDA toolkit's usual
/// place; empty if there is none.
std::string findPtxas();

/// Assembles PTX. On failure `error` holds ptxas's own text.
FailureOr<CubinResult> assemblePTX(StringRef ptx, StringRef arch, StringRef ptxas,
                                   std::string &error);

} // namespace mlir::nautilus

#endif
