// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bundle file (.naub): one kernel's manifest and its device code, versioned and hashed.
// The compiler writes it, the runtime reads it; docs/BundleFormat.md has the bytes.

#ifndef NAUTILUS_RUNTIME_BUNDLE_H
#define NAUTILUS_RUNTIME_BUNDLE_H

#include "nautilus/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nautilus::runtime {

enum class CodeKind : uint32_t { PTX = 2, Cubin = 3 };

/// Device code for one architecture. Kernels in the manifest refer to it by `name`.
struct CodeModule {
  CodeKind kind = CodeKind::PTX;
  /// The architecture, as `sm_90a`; at most 39 bytes.
  std::string name;
  std::string code;
};

struct Bundle {
  /// JSON text, UTF-8.
  std::string manifest;
  std::vector<CodeModule> modules;
  /// SHA-256 of the file's content as hexadecimal text; set by reading.
  std::string digest;
};

/// The newest file version that this library reads, and the one that it writes.
constexpr uint32_t bundleVersion = 1;

/// The file's bytes. Fails on a module name that is empty, too long or used twice for the same
/// kind.
Status serializeBundle(const Bundle &bundle, std::string &bytes);

/// Reads the file's bytes; every byte of them is verified by the hash.
Status parseBundle(const void *data, size_t size, Bundle &bundle);

/// Writes through a temporary file beside `path`, so that a failure leaves no half-written bundle.
Status writeBundleFile(const Bundle &bundle, const std::string &path);
Status readBundleFile(const std::string &path, Bundle &bundle);

} // namespace nautilus::runtime

#endif // NAUTILUS_RUNTIME_BUNDLE_H
