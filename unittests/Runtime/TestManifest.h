// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Manifests and tensors for the runtime's tests.

#ifndef NAUTILUS_UNITTESTS_RUNTIME_TESTMANIFEST_H
#define NAUTILUS_UNITTESTS_RUNTIME_TESTMANIFEST_H

#include "nautilus/Runtime/Binding.h"
#include "nautilus/Runtime/Bundle.h"
#include "nautilus/Runtime/Runtime.h"

#include <memory>
#include <string>
#include <vector>

/// A tensor whose shape lives with it. Strides empty: dense.
class TestTensor {
public:
  TestTensor(std::vector<int64_t> shape, uint64_t address = 0x10000,
             std::vector<int64_t> strides = {});
  TestTensor(const TestTensor &) = delete;

  NautilusTensor tensor;

private:
  std::vector<int64_t> shape, strides;
};

/// The manifest's text from its parts.
std::string makeManifest(const std::string &dims, const std::string &args,
                         const std::string &kernels, const std::string &program);

/// C[M, N] = A[M, K] * B[K, N] in f16 with K = 64: a fast variant through tensor maps if the rules
/// of TMA hold, else a general one, with a workspace and a memset before.
std::string makeMatmulManifest();

/// A bundle of that manifest with PTX and a cubin for sm_90a.
nautilus::runtime::Bundle makeBundle(const std::string &manifest);

/// Evaluates a program over the dims `N` (dynamic) and `W` = 8, and the arguments A: f32[N, W] and
/// out O: f32[N]; A has 5 rows of stride 12 at 0x10000. Fails the test if the manifest is refused.
nautilus::runtime::Status evaluateProgram(const std::string &program,
                                          nautilus::runtime::Evaluation &evaluation);

#endif // NAUTILUS_UNITTESTS_RUNTIME_TESTMANIFEST_H
