// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU oracle: runs a kernel on host tensors at any level of the IR. Every pass can be checked
// against the level above it on a machine without a GPU.

#ifndef NAUTILUS_INTERPRETER_INTERPRETER_H
#define NAUTILUS_INTERPRETER_INTERPRETER_H

#include "mlir/IR/BuiltinOps.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "nautilus/Interpreter/Tensor.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::nautilus::interpreter {

/// Which dialect holds the entry: a `nautilus_scalar.kernel` (math or loop form), or a
/// `nautilus_host.entry` that launches `nautilus_vrtile.kernel`s or `nautilus_matile.kernel`s.
enum class Level { Scalar, VRTile, MATile };

/// `Real`: float values are float64 and only explicit casts round; levels agree up to reordering.
/// `Typed`: every op's result is rounded to its element type, as on the device.
enum class Mode { Real, Typed };

/// How `nautilus_matile.kernel`s run.
struct DeviceModel {
  /// As on the device: registers of threads, shared memory by bytes, descriptors, mbarriers. False:
  /// on whole tiles, which is faster and checks the protocol of channels only.
  bool physical = true;
  /// Seed that chooses the interleaving of warps and copies.
  uint64_t interleaving = 0;
  /// Few, so that small problems have more work items than a persistent grid has blocks.
  int64_t multiprocessors = 3;
};

/// Extents of dims by name. Dims that occur in an input need not be given.
using DimBindings = llvm::StringMap<int64_t>;

/// The extents of all `declared` dims: static ones, `given` ones, and those that the shapes of
/// `inputs` (declared by `tensors`) imply. Emits an error at `entry` where they disagree or one is
/// missing.
FailureOr<DimBindings> bindDims(Operation *entry, ArrayAttr declared,
                                ArrayRef<scalar::TensorAttr> tensors, ArrayRef<Tensor> inputs,
                                const DimBindings &given);

/// Runs `entry` on `inputs` (kernel rank: one dim per factor) and returns its results. Emits an
/// error at the op that fails: a missing entry, a dim without an extent, an input of the wrong
/// shape or type, an unknown op, an access outside a tensor.
FailureOr<std::vector<Tensor>> run(ModuleOp module, StringRef entry, Level level, Mode mode,
                                   ArrayRef<Tensor> inputs, const DimBindings &dims,
                                   const DeviceModel &device = {});

} // namespace mlir::nautilus::interpreter

#endif
