// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes the bundle file. Input and output are bytes (docs/BundleFormat.md); nothing in
// the content is interpreted here but the section table, and nothing of it is trusted before the
// hash agrees.

#include "nautilus/Runtime/Bundle.h"

#include "Sha256.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace nautilus::runtime;

static constexpr char magic[8] = {'\x89', 'N', 'A', 'U', 'B', '\r', '\n', '\x1a'};
static constexpr uint32_t manifestKind = 1;
static constexpr size_t headerSize = 64;
static constexpr size_t digestOffset = 32;
static constexpr size_t entrySize = 64;
static constexpr size_t nameOffset = 24;
static constexpr size_t nameSize = entrySize - nameOffset;
static constexpr size_t payloadAlignment = 16;

namespace {
struct Section {
  uint32_t kind;
  std::string name;
  const std::string *payload;
};
} // namespace

// Little-endian on every host.
static void put(std::string &bytes, size_t offset, uint64_t value, int size) {
  for (int i = 0; i < size; ++i)
    bytes[offset + i] = char(value >> (8 * i));
}

static uint64_t get(const uint8_t *bytes, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; ++i)
    value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

/// The hash covers all bytes of the file but the digest itself.
static std::array<uint8_t, 32> computeDigest(const uint8_t *bytes, size_t size) {
  Sha256 hash;
  hash.update(bytes, digestOffset);
  hash.update(bytes + headerSize, size - headerSize);
  return hash.finish();
}

static std::string toHex(const uint8_t *bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

static Status verifyNames(const Bundle &bundle) {
  for (size_t i = 0; i < bundle.modules.size(); ++i) {
    const CodeModule &module = bundle.modules[i];
    if (module.name.empty() || module.name.size() >= nameSize ||
        module.name.find('\0') != std::string::npos)
      return invalidArgument("bundle: expected a code module name of 1 to 39 bytes, got '" +
                             module.name + "'");
    for (size_t j = 0; j < i; ++j)
      if (bundle.modules[j].kind == module.kind && bundle.modules[j].name == module.name)
        return invalidArgument("bundle: two code modules named '" + module.name + "'");
  }
  return Status();
}

Status nautilus::runtime::serializeBundle(const Bundle &bundle, std::string &bytes) {
  if (Status status = verifyNames(bundle); !status.ok())
    return status;
  std::vector<Section> sections = {{manifestKind, "manifest", &bundle.manifest}};
  for (const CodeModule &module : bundle.modules)
    sections.push_back({uint32_t(module.kind), module.name, &module.code});

  bytes.assign(headerSize + entrySize * sections.size(), '\0');
  std::memcpy(&bytes[0], magic, sizeof(magic));
  put(bytes, 8, bundleVersion, 4);
  put(bytes, 12, sections.size(), 4);
  for (size_t i = 0; i < sections.size(); ++i) {
    size_t entry = headerSize + entrySize * i;
    bytes.resize((bytes.size() + payloadAlignment - 1) / payloadAlignment * payloadAlignment, '\0');
    put(bytes, entry, sections[i].kind, 4);
    put(bytes, entry + 8, bytes.size(), 8);
    put(bytes, entry + 16, sections[i].payload->size(), 8);
    std::memcpy(&bytes[entry + nameOffset], sections[i].name.data(), sections[i].name.size());
    bytes += *sections[i].payload;
  }
  put(bytes, 16, bytes.size(), 8);
  std::array<uint8_t, 32> digest =
      computeDigest(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  std::memcpy(&bytes[digestOffset], digest.data(), digest.size());
  return Status();
}

/// Magic, version, size and hash: after this every byte is as it was written.
static Status verifyContent(const uint8_t *bytes, size_t size) {
  if (size < sizeof(magic) || std::memcmp(bytes, magic, sizeof(magic)) != 0)
    return invalidArgument("bundle: not a Nautilus bundle (wrong first bytes)");
  if (size < headerSize)
    return invalidArgument("bundle: truncated, the header is incomplete");
  uint64_t version = get(bytes + 8, 4);
  if (version == 0 || version > bundleVersion)
    return unsupported("bundle: file version " + std::to_string(version) +
                       ", but this runtime reads versions up to " + std::to_string(bundleVersion) +
                       "; use a newer Nautilus runtime or compile again");
  uint64_t expected = get(bytes + 16, 8);
  if (expected != size)
    return invalidArgument("bundle: expected " + std::to_string(expected) + " bytes, got " +
                           std::to_string(size) + " (truncated or extended)");
  std::array<uint8_t, 32> digest = computeDigest(bytes, size);
  if (std::memcmp(digest.data(), bytes + digestOffset, digest.size()) != 0)
    return invalidArgument("bundle: damaged, its content does not match its SHA-256");
  return Status();
}

Status nautilus::runtime::parseBundle(const void *data, size_t size, Bundle &bundle) {
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  if (Status status = verifyContent(bytes, size); !status.ok())
    return status;
  Bundle result;
  result.digest = toHex(bytes + digestOffset, 32);
  uint64_t count = get(bytes + 12, 4);
  if (count > (size - headerSize) / entrySize)
    return invalidArgument("bundle: the section table does not fit the file");
  bool hasManifest = false;
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t *entry = bytes + headerSize + entrySize * i;
    uint64_t kind = get(entry, 4), offset = get(entry + 8, 8), length = get(entry + 16, 8);
    if (offset > size || length > size - offset)
      return invalidArgument("bundle: section " + std::to_string(i) + " lies outside the file");
    const char *name = reinterpret_cast<const char *>(entry + nameOffset);
    std::string payload(reinterpret_cast<const char *>(bytes + offset), length);
    if (kind == manifestKind) {
      if (hasManifest)
        return invalidArgument("bundle: two manifests");
      hasManifest = true;
      result.manifest = std::move(payload);
    } else if (kind == uint32_t(CodeKind::PTX) || kind == uint32_t(CodeKind::Cubin)) {
      result.modules.push_back(
          {CodeKind(kind), std::string(name, strnlen(name, nameSize)), std::move(payload)});
    }
    // Other kinds are additions that a reader of this version may leave out.
  }
  if (!hasManifest)
    return invalidArgument("bundle: no manifest");
  if (Status status = verifyNames(result); !status.ok())
    return status;
  bundle = std::move(result);
  return Status();
}

static Status fileError(const std::string &path, const char *verb) {
  return Status(Code::Environment,
                std::string("cannot ") + verb + " '" + path + "': " + std::strerror(errno));
}

Status nautilus::runtime::writeBundleFile(const Bundle &bundle, const std::string &path) {
  std::string bytes;
  if (Status status = serializeBundle(bundle, bytes); !status.ok())
    return status;
  std::string temporary = path + ".tmp" + std::to_string(long(getpid()));
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  if (!file)
    return fileError(temporary, "write");
  bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  written = (std::fclose(file) == 0) && written;
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0)
    return Status();
  Status status = fileError(path, "write");
  std::remove(temporary.c_str());
  return status;
}

Status nautilus::runtime::readBundleFile(const std::string &path, Bundle &bundle) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return fileError(path, "read");
  std::string bytes;
  char buffer[65536];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), file))
    bytes.append(buffer, count);
  bool failed = std::ferror(file) != 0;
  Status status = failed ? fileError(path, "read") : Status();
  std::fclose(file);
  if (!status.ok())
    return status;
  status = parseBundle(bytes.data(), bytes.size(), bundle);
  return status.ok() ? status : Status(status.getCode(), path + ": " + status.getMessage());
}
