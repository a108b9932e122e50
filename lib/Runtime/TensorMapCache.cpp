// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodes tensor maps through the driver, or finds them again; see the header.

#include "TensorMapCache.h"

#include <algorithm>

using namespace nautilus::runtime;

// Values of cuda.h.
static int getSwizzleMode(int bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}
static int getPromotionMode(int bytes) {
  return bytes == 256 ? 3 : bytes == 128 ? 2 : bytes == 64 ? 1 : 0;
}

static Status encode(const Driver &driver, const TensorMapInfo &info, const int64_t *values,
                     TensorMap &map) {
  if (!driver.tensorMapEncodeTiled)
    return Status(Code::Environment, "the CUDA driver is too old for tensor maps (needs 12.0)");
  uint64_t dims[5], strides[5] = {};
  uint32_t elementStrides[5] = {1, 1, 1, 1, 1};
  size_t rank = info.dims.size();
  for (size_t i = 0; i < rank; ++i)
    dims[i] = uint64_t(values[info.dims[i]]);
  for (size_t i = 0; i + 1 < rank; ++i)
    strides[i] = uint64_t(values[info.strides[i]]);
  void *address = reinterpret_cast<void *>(uintptr_t(values[info.address]));
  CUresult result = driver.tensorMapEncodeTiled(
      &map, info.dataType, uint32_t(rank), address, dims, strides, info.box.data(), elementStrides,
      /*interleave=*/0, getSwizzleMode(info.swizzleBytes), getPromotionMode(info.l2PromotionBytes),
      info.fillNaN ? 1 : 0);
  return checkDriver(driver, result, Code::LaunchFailed,
                     "encoding the tensor map" +
                         (info.name.empty() ? "" : " of '" + info.name + "'"));
}

int TensorMapCache::find(uint64_t hash, const Key &key) const {
  for (int i = 0; i < capacity; ++i)
    if (hashes[i] == hash && lastUse[i] != 0 && keys[i] == key)
      return i;
  return -1;
}

Status TensorMapCache::get(const Driver &driver, const TensorMapInfo &info, const int64_t *values,
                           TensorMap &map) {
  Key key = {};
  size_t size = 0;
  key[size++] = uint64_t(reinterpret_cast<uintptr_t>(&info));
  key[size++] = uint64_t(values[info.address]);
  for (int dim : info.dims) {
    if (values[dim] == 0) {
      map = TensorMap();
      return Status();
    }
    key[size++] = uint64_t(values[dim]);
  }
  for (int stride : info.strides)
    key[size++] = uint64_t(values[stride]);
  uint64_t hash = 0;
  for (uint64_t word : key)
    hash = (hash ^ word) * 0x9e3779b97f4a7c15 + (hash >> 29);

  std::lock_guard<std::mutex> lock(mutex);
  int slot = find(hash, key);
  if (slot < 0) {
    slot = int(std::min_element(lastUse.begin(), lastUse.end()) - lastUse.begin());
    lastUse[slot] = 0;
    if (Status status = encode(driver, info, values, maps[slot]); !status.ok())
      return status;
    hashes[slot] = hash;
    keys[slot] = key;
  }
  lastUse[slot] = ++clock;
  map = maps[slot];
  return Status();
}
