// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of TMA's tensor maps (CUDA driver API, cuTensorMapEncodeTiled), each with its reason.

#include "nautilus/Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"

using namespace nautilus::machine;

static std::string text(int64_t value) { return std::to_string(value); }

/// Rules of the tensor in global memory; empty if it keeps them.
static std::string findTensorFault(const TmaLimits &limits, const TensorMapRequest &request) {
  int64_t rank = request.extents.size();
  if (rank < 1 || rank > limits.maxRank)
    return "expected 1 to " + text(limits.maxRank) + " dims, got " + text(rank);
  if (int64_t(request.strides.size()) != rank - 1 || int64_t(request.box.size()) != rank)
    return "expected " + text(rank - 1) + " strides and " + text(rank) + " box extents, got " +
           text(request.strides.size()) + " and " + text(request.box.size());
  if (request.addressAlignment % limits.addressAlignment)
    return "expected an address aligned to " + text(limits.addressAlignment) + " bytes, got " +
           text(request.addressAlignment);
  for (auto [dim, extent] : llvm::enumerate(request.extents))
    if (extent < 0 || extent > limits.maxExtent)
      return "expected extents up to 2^32, got " + text(extent) + " in dim " + text(dim);
  for (auto [dim, stride] : llvm::enumerate(request.strides))
    if (stride < 0 || stride % limits.strideAlignment || stride >= limits.strideEnd)
      return "expected strides of multiples of " + text(limits.strideAlignment) +
             " bytes below 2^40, got " + text(stride) + " in dim " + text(dim + 1);
  return "";
}

/// Rules of the box in shared memory; empty if it keeps them.
static std::string findBoxFault(const TmaLimits &limits, const TensorMapRequest &request) {
  if (!llvm::is_contained({1, 2, 4, 8}, request.elementBytes))
    return "expected elements of 1, 2, 4 or 8 bytes, got " + text(request.elementBytes);
  for (auto [dim, extent] : llvm::enumerate(request.box))
    if (extent < 1 || extent > limits.maxBox)
      return "expected box extents from 1 to " + text(limits.maxBox) + ", got " + text(extent) +
             " in dim " + text(dim);
  int64_t rowBytes = request.box[0] * request.elementBytes;
  if (rowBytes % limits.boxBytesMultiple)
    return "expected box rows of multiples of " + text(limits.boxBytesMultiple) + " bytes, got " +
           text(rowBytes);
  if (!llvm::is_contained({0, 32, 64, 128}, request.swizzle))
    return "expected a swizzle of 0, 32, 64 or 128 bytes, got " + text(request.swizzle);
  if (request.swizzle && rowBytes > request.swizzle)
    return "expected box rows within the swizzle of " + text(request.swizzle) + " bytes, got " +
           text(rowBytes);
  return "";
}

bool Machine::isLegalTensorMap(const TensorMapRequest &request, std::string *why) const {
  std::string fault = hasTma ? findTensorFault(tma, request) : arch.str() + " has no TMA";
  if (fault.empty())
    fault = findBoxFault(tma, request);
  if (why && !fault.empty())
    *why = fault;
  return fault.empty();
}
