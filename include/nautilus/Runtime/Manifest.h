// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest in memory: what a bundle takes (dims, arguments), what it launches (kernels) and the
// host program that decides at each call. Read once from JSON (docs/BundleFormat.md), then only
// read.

#ifndef NAUTILUS_RUNTIME_MANIFEST_H
#define NAUTILUS_RUNTIME_MANIFEST_H

#include "nautilus/Runtime/Program.h"
#include "nautilus/Runtime/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nautilus::runtime {

/// An element type by its manifest name, its DLPack code and its tensor map type
/// (CUtensorMapDataType; -1: none).
struct DType {
  const char *name;
  uint8_t code;
  uint8_t bits;
  int8_t tensorMapType;
};

/// Null if there is no type of that name.
const DType *lookupDType(const std::string &name);

struct DimInfo {
  std::string name;
  /// -1 if dynamic.
  int64_t size = -1;
  /// The size that the schedule was made for, or -1.
  int64_t hint = -1;
};

struct ArgInfo {
  std::string name;
  const DType *dtype = nullptr;
  /// Each tensor dim is a product of named dims (positions in Manifest::dims); no factor means
  /// extent 1.
  std::vector<std::vector<int>> dims;
  bool isOutput = false;
};

enum class ParamKind : uint8_t { TensorMap, Pointer, I32, I64, F32 };

struct KernelInfo {
  std::string name;
  std::string module;
  int threads = 0;
  int64_t sharedBytes = 0;
  std::array<int, 3> cluster = {1, 1, 1};
  /// Per thread; 0 if not recorded.
  int registers = 0;
  std::vector<ParamKind> params;
};

/// One step of finding the named dims: look at dim `dim` of argument `arg`; `solve` is the named
/// dim that follows from it, or -1 if all its factors are known and only have to agree.
struct BindStep {
  int arg;
  int dim;
  int solve;
};

struct Manifest {
  std::string entry;
  std::string arch;
  std::vector<DimInfo> dims;
  /// Inputs, then outputs.
  std::vector<ArgInfo> args;
  int numInputs = 0;
  std::vector<KernelInfo> kernels;
  Program program;

  /// The order of binding with all arguments; with the inputs only it is `inputBinding`, and
  /// `missingInput` is a dim that the inputs do not determine, or -1.
  std::vector<BindStep> binding;
  std::vector<BindStep> inputBinding;
  int missingInput = -1;
};

/// Reads and verifies a manifest. A later schema version is refused as unsupported.
Status parseManifest(const std::string &json, Manifest &manifest);

} // namespace nautilus::runtime

#endif // NAUTILUS_RUNTIME_MANIFEST_H
