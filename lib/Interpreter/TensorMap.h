// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host made of `make_tensor_map`: the description by which TMA copies boxes of a tensor.

#ifndef NAUTILUS_LIB_INTERPRETER_TENSORMAP_H
#define NAUTILUS_LIB_INTERPRETER_TENSORMAP_H

#include "nautilus/Interpreter/Tensor.h"

#include <memory>

namespace mlir::nautilus::interpreter {

/// Dims are innermost first; strides are in bytes, of dims 1 and up.
struct TensorMap {
  std::shared_ptr<Tensor> storage;
  int64_t offset = 0; ///< Of the map's address in `storage`, in elements.
  SmallVector<int64_t> dims, strides, box;
  int64_t swizzle = 0;
};

} // namespace mlir::nautilus::interpreter

#endif
