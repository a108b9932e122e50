// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoded tensor maps by what they are made of. The driver's encoding depends on its arguments
// only, and callers mostly come back with the same tensors, so a small least-recently-used table
// saves the work.

#ifndef NAUTILUS_LIB_RUNTIME_TENSORMAPCACHE_H
#define NAUTILUS_LIB_RUNTIME_TENSORMAPCACHE_H

#include "nautilus/Runtime/Driver.h"
#include "nautilus/Runtime/Program.h"

#include <array>
#include <cstdint>
#include <mutex>

namespace nautilus::runtime {

class TensorMapCache {
public:
  /// Encodes `info` with its operands taken from `values`. A map over no element is all zeros:
  /// there is nothing to copy through it.
  Status get(const Driver &driver, const TensorMapInfo &info, const int64_t *values,
             TensorMap &map);

private:
  static constexpr int capacity = 64;
  /// Address, dims, strides, and the map's place in the program for all that is constant.
  using Key = std::array<uint64_t, 11>;

  int find(uint64_t hash, const Key &key) const;

  std::mutex mutex;
  std::array<uint64_t, capacity> hashes = {};
  std::array<uint64_t, capacity> lastUse = {};
  std::array<Key, capacity> keys;
  std::array<TensorMap, capacity> maps;
  uint64_t clock = 0;
};

} // namespace nautilus::runtime

#endif // NAUTILUS_LIB_RUNTIME_TENSORMAPCACHE_H
