// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bundle file: round trip, hash, and a clear refusal of everything that is not whole.

#include "Sha256.h"
#include "TestManifest.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <unistd.h>

using namespace nautilus::runtime;

static std::string serialize(const Bundle &bundle) {
  std::string bytes;
  Status status = serializeBundle(bundle, bytes);
  EXPECT_TRUE(status.ok()) << status.getMessage();
  return bytes;
}

static Status parse(const std::string &bytes) {
  Bundle bundle;
  return parseBundle(bytes.data(), bytes.size(), bundle);
}

static std::string hashText(const std::string &text) {
  Sha256 hash;
  hash.update(text.data(), text.size());
  std::string hex;
  for (uint8_t byte : hash.finish()) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    hex += digits;
  }
  return hex;
}

TEST(Sha256Test, KnownDigests) {
  // FIPS 180-4 examples and a length that needs a second block for its padding.
  EXPECT_EQ(hashText(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashText("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hashText("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hashText(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(BundleTest, RoundTrip) {
  Bundle bundle = makeBundle(makeMatmulManifest());
  bundle.modules[1].code = std::string("\0\x7f"
                                       "ELF\0",
                                       6);
  Bundle read;
  std::string bytes = serialize(bundle);
  Status status = parseBundle(bytes.data(), bytes.size(), read);
  ASSERT_TRUE(status.ok()) << status.getMessage();
  EXPECT_EQ(read.manifest, bundle.manifest);
  ASSERT_EQ(read.modules.size(), 2u);
  EXPECT_EQ(read.modules[0].kind, CodeKind::PTX);
  EXPECT_EQ(read.modules[0].name, "sm_90a");
  EXPECT_EQ(read.modules[1].code, bundle.modules[1].code);
  EXPECT_EQ(read.digest.size(), 64u);
  EXPECT_EQ(bytes, serialize(read)) << "writing is deterministic";
}

TEST(BundleTest, EveryTruncationIsRefused) {
  std::string bytes = serialize(makeBundle("{}"));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(parse(bytes.substr(0, size)).getCode(), Code::InvalidArgument) << size;
  EXPECT_EQ(parse(bytes + "x").getCode(), Code::InvalidArgument);
}

TEST(BundleTest, EveryBitFlipIsRefused) {
  std::string bytes = serialize(makeBundle("{}"));
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = char(damaged[i] ^ (1 << bit));
      EXPECT_FALSE(parse(damaged).ok()) << i << "." << bit;
    }
  std::string damaged = bytes;
  damaged.back() ^= 1;
  EXPECT_NE(parse(damaged).getMessage().find("SHA-256"), std::string::npos);
}

TEST(BundleTest, FutureVersionIsUnsupported) {
  std::string bytes = serialize(makeBundle("{}"));
  bytes[8] = 2;
  Status status = parse(bytes);
  EXPECT_EQ(status.getCode(), Code::Unsupported);
  EXPECT_EQ(status.getMessage(), "bundle: file version 2, but this runtime reads versions up to 1; "
                                 "use a newer Nautilus runtime or compile again");
}

TEST(BundleTest, ModuleNames) {
  Bundle bundle = makeBundle("{}");
  std::string bytes;
  bundle.modules[1] = bundle.modules[0];
  EXPECT_FALSE(serializeBundle(bundle, bytes).ok()) << "the same name twice";
  bundle.modules[1].name = std::string(40, 'x');
  EXPECT_FALSE(serializeBundle(bundle, bytes).ok()) << "too long";
  bundle.modules[1].name = "";
  EXPECT_FALSE(serializeBundle(bundle, bytes).ok()) << "empty";
}

TEST(BundleTest, Files) {
  std::string path =
      testing::TempDir() + "nautilus-bundle-test-" + std::to_string(long(getpid())) + ".naub";
  Bundle bundle = makeBundle(makeMatmulManifest()), read;
  ASSERT_TRUE(writeBundleFile(bundle, path).ok());
  ASSERT_TRUE(readBundleFile(path, read).ok());
  EXPECT_EQ(read.manifest, bundle.manifest);
  std::remove(path.c_str());
  Status status = readBundleFile(path, read);
  EXPECT_EQ(status.getCode(), Code::Environment);
  EXPECT_NE(status.getMessage().find("cannot read"), std::string::npos);
  EXPECT_EQ(writeBundleFile(bundle, "/nonexistent/folder/x.naub").getCode(), Code::Environment);
}
