// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of one call against the manifest: dtype, rank, device, strides, and the sizes of
// the named dims, solved from the tensors' extents (products included) and required to agree
// everywhere.

#ifndef NAUTILUS_RUNTIME_BINDING_H
#define NAUTILUS_RUNTIME_BINDING_H

#include "nautilus-c/Runtime.h"
#include "nautilus/Runtime/Manifest.h"
#include "nautilus/Runtime/Status.h"

#include <cstdint>
#include <vector>

namespace nautilus::runtime {

/// The arguments of one call; reused between calls.
struct Binding {
  /// By named dim.
  std::vector<int64_t> dims;
  /// By argument: where its first element lies, and where its strides start in `strides`.
  std::vector<uint64_t> addresses;
  std::vector<int> strideBegin;
  std::vector<int64_t> strides;
  int deviceId = 0;
  /// Of the device; asked for only if the program wants to know, and 1 where no device is given.
  int64_t multiprocessors = 1;
};

enum class BindMode {
  /// Inputs or all arguments; shapes and dtypes only.
  Shapes,
  /// All arguments, with data on one CUDA device.
  Run,
};

Status bindArguments(const Manifest &manifest, const NautilusTensor *const *tensors, int count,
                     BindMode mode, Binding &binding);

/// Finds the order in which dims are bound; fails on a dim that the arguments cannot determine.
Status planBinding(Manifest &manifest);

/// The extent of a tensor dim when the named dims have these sizes; fails on overflow.
Status getExtent(const Manifest &manifest, int arg, int dim, const int64_t *dims, int64_t &extent);

} // namespace nautilus::runtime

#endif // NAUTILUS_RUNTIME_BINDING_H
