// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bundle's manifest: the reading of a host entry that the runtime evaluates at each call
// (docs/BundleFormat.md).

#ifndef NAUTILUS_TARGET_BUNDLE_BUNDLETARGET_H
#define NAUTILUS_TARGET_BUNDLE_BUNDLETARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "nautilus/Dialect/Host/IR/Host.h"
#include <string>

namespace mlir::nautilus {

/// What the manifest says beside the host entry.
struct ManifestFacts {
  std::string arch;                   ///< names the code module of the kernels
  std::string ptxas;                  ///< version of ptxas, empty if the bundle holds PTX only
  llvm::StringMap<int64_t> registers; ///< per kernel, from ptxas's report
};

/// The manifest of `entry` as JSON text. The module is at stage nvvm. A located diagnostic and
/// failure on an op that has no reading.
FailureOr<std::string> exportManifest(host::EntryOp entry, const ManifestFacts &facts);

} // namespace mlir::nautilus

#endif
