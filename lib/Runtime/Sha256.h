// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256 (FIPS 180-4), which guards a bundle against damage. Own code, so that the runtime needs
// no library.

#ifndef NAUTILUS_LIB_RUNTIME_SHA256_H
#define NAUTILUS_LIB_RUNTIME_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace nautilus::runtime {

class Sha256 {
public:
  void update(const void *data, size_t size);
  std::array<uint8_t, 32> finish();

private:
  void compress(const uint8_t *block);

  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending = {};
  uint64_t total = 0;
};

} // namespace nautilus::runtime

#endif // NAUTILUS_LIB_RUNTIME_SHA256_H
