// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which the named dims are found, chosen once per manifest: a tensor dim can be used
// when at most one of its factors is unknown. Input is the manifest's dims and arguments, output
// the lists of steps.

#include "nautilus/Runtime/Binding.h"

using namespace nautilus::runtime;

namespace {
struct TensorDimRef {
  int arg;
  int dim;
};
} // namespace

/// The unknown factor if there is exactly one, -1 if there is none, -2 if there are several.
static int findUnknown(const std::vector<int> &factors, const std::vector<bool> &known) {
  int unknown = -1;
  for (int factor : factors) {
    if (known[factor])
      continue;
    if (unknown != -1)
      return -2;
    unknown = factor;
  }
  return unknown;
}

/// Plans with the first `numArgs` arguments; returns a dim that stays unknown, or -1. Plain dims
/// come before products, so that a message about a product can say where its factors are from.
static int planWith(const Manifest &manifest, int numArgs, std::vector<BindStep> &steps) {
  std::vector<bool> known;
  for (const DimInfo &dim : manifest.dims)
    known.push_back(dim.size >= 0);
  std::vector<TensorDimRef> pending;
  for (bool plain : {true, false})
    for (int arg = 0; arg < numArgs; ++arg)
      for (int dim = 0; dim < int(manifest.args[arg].dims.size()); ++dim)
        if ((manifest.args[arg].dims[dim].size() == 1) == plain)
          pending.push_back({arg, dim});

  bool progress = true;
  while (progress) {
    progress = false;
    std::vector<TensorDimRef> later;
    for (TensorDimRef ref : pending) {
      int unknown = findUnknown(manifest.args[ref.arg].dims[ref.dim], known);
      if (unknown == -2) {
        later.push_back(ref);
        continue;
      }
      steps.push_back({ref.arg, ref.dim, unknown});
      if (unknown >= 0)
        known[unknown] = true;
      progress = true;
    }
    pending = std::move(later);
  }
  for (size_t dim = 0; dim < known.size(); ++dim)
    if (!known[dim])
      return int(dim);
  return -1;
}

Status nautilus::runtime::planBinding(Manifest &manifest) {
  manifest.missingInput = planWith(manifest, manifest.numInputs, manifest.inputBinding);
  int missing = planWith(manifest, int(manifest.args.size()), manifest.binding);
  if (missing >= 0)
    return invalidArgument("manifest: the dim '" + manifest.dims[missing].name +
                           "' cannot be determined from the arguments");
  return Status();
}
