// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged input must be refused or run, never crash: bytes of a bundle, and, past the hash, the
// manifest's text. The mutations are pseudo-random with fixed seeds.

#include "FakeDriver.h"
#include "TestManifest.h"

#include <gtest/gtest.h>

#include <random>

using namespace nautilus::runtime;

static void mutate(std::string &text, std::mt19937 &random) {
  static const char *const pieces[] = {"-1",
                                       "0",
                                       "9223372036854775807",
                                       "1e99",
                                       "null",
                                       "[",
                                       "]",
                                       "{}",
                                       "\"",
                                       ",",
                                       "\"N\"",
                                       "\"then\"",
                                       "2",
                                       "64",
                                       "true",
                                       "-9223372036854775808"};
  int count = 1 + int(random() % 3);
  for (int i = 0; i < count && !text.empty(); ++i) {
    size_t at = random() % text.size();
    switch (random() % 5) {
    case 0:
      text[at] = char(random());
      break;
    case 1:
      text.erase(at, random() % 8);
      break;
    case 2:
      text.insert(at, pieces[random() % std::size(pieces)]);
      break;
    case 3:
      text[at] = char('0' + random() % 10);
      break;
    default:
      text.replace(at, 1 + random() % 4, text.substr(random() % text.size(), random() % 12));
    }
  }
}

TEST(FuzzTest, BundleBytes) {
  std::mt19937 random(1);
  std::string whole;
  ASSERT_TRUE(serializeBundle(makeBundle(makeMatmulManifest()), whole).ok());
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = whole;
    mutate(bytes, random);
    Bundle bundle;
    Status status = parseBundle(bytes.data(), bytes.size(), bundle);
    EXPECT_TRUE(!status.ok() || bytes == whole);
  }
}

TEST(FuzzTest, Manifests) {
  std::mt19937 random(2);
  const Driver &driver = resetFakeDriver();
  int accepted = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string manifest = makeMatmulManifest();
    mutate(manifest, random);
    std::unique_ptr<Executable> executable;
    Status status = Executable::create(makeBundle(manifest), &driver, executable);
    if (!status.ok()) {
      EXPECT_FALSE(status.getMessage().empty());
      continue;
    }
    ++accepted;
    for (uint64_t address : {0x10000, 0x10002}) {
      TestTensor a({256, 64}, address), b({64, 96}), c({256, 96});
      const NautilusTensor *tensors[] = {&a.tensor, &b.tensor, &c.tensor};
      status = executable->run(tensors, 3, reinterpret_cast<void *>(0x900000), 1 << 20, nullptr);
      EXPECT_TRUE(status.ok() || !status.getMessage().empty());
    }
  }
  EXPECT_GT(accepted, 100) << "the mutations reach the evaluator";
}
