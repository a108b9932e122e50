// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions against published peaks, and what is derived from them.

#include "nautilus/Machine/Machine.h"
#include <gtest/gtest.h>

using namespace nautilus::machine;

TEST(Machine, LookupByName) {
  ASSERT_NE(lookup("sm_90a"), nullptr);
  EXPECT_EQ(lookup("sm_90a")->arch, "sm_90a");
  EXPECT_EQ(lookup("sm_90"), nullptr);
  EXPECT_EQ(listNames(), "sm_80, sm_89, sm_90a, sm_120a");
}

TEST(Machine, RatesAndClocksGiveThePeaks) {
  // Tflop/s of 16-bit floats with f32 accumulation; within 2 %. Peaks and clocks come from the same
  // hand: this finds a slip in one figure, not a wrong source.
  struct Peak {
    const char *arch, *device;
    double teraflops;
  };
  for (Peak peak : {Peak{"sm_80", "A100-SXM4-80GB", 312}, Peak{"sm_89", "L40S", 362},
                    Peak{"sm_89", "RTX 4090", 165}, Peak{"sm_90a", "H100-SXM5", 989},
                    Peak{"sm_90a", "H200-SXM", 989}, Peak{"sm_120a", "RTX 5090", 209.5},
                    Peak{"sm_120a", "RTX PRO 6000 Blackwell", 500}}) {
    const Machine *machine = lookup(peak.arch);
    bool found = false;
    for (const Device &device : machine->devices)
      if (device.name == peak.device) {
        found = true;
        double got = 2 * machine->tensorRate(MmaType::F16) * device.tensorScale *
                     device.multiprocessors * device.clockGHz / 1000;
        EXPECT_NEAR(got / peak.teraflops, 1, 0.02) << peak.device;
      }
    EXPECT_TRUE(found) << peak.device;
  }
}

TEST(Machine, SharedMemoryOfABlock) {
  EXPECT_EQ(lookup("sm_90a")->sharedPerBlock, 232448);
  for (const Machine &machine : all())
    EXPECT_EQ(machine.sharedPerBlock + machine.sharedReservedPerBlock,
              machine.sharedPerMultiprocessor)
        << machine.arch.str();
}

TEST(Machine, WgmmaShapes) {
  const Machine &hopper = *lookup("sm_90a");
  std::string why;
  for (int64_t n = 0; n <= 264; ++n) {
    EXPECT_EQ(hopper.isWgmmaShape(MmaType::F16, n, &why), n >= 8 && n <= 256 && n % 8 == 0);
    bool integer = n == 8 || n == 16 || n == 24 || (n >= 32 && n <= 256 && n % 16 == 0);
    EXPECT_EQ(hopper.isWgmmaShape(MmaType::I8, n, &why), integer) << n;
  }
  EXPECT_EQ(Machine::contraction(MmaType::BF16), 16);
  EXPECT_EQ(Machine::contraction(MmaType::E4M3), 32);
  EXPECT_EQ(Machine::contraction(MmaType::TF32), 8);
  EXPECT_FALSE(lookup("sm_120a")->isWgmmaShape(MmaType::F16, 64, &why));
  EXPECT_EQ(why, "sm_120a has no wgmma");
}

TEST(Machine, MmaSyncShapes) {
  EXPECT_EQ(*lookup("sm_80")->mmaSyncShape(MmaType::F16), (MmaShape{16, 8, 16}));
  EXPECT_FALSE(lookup("sm_80")->mmaSyncShape(MmaType::E4M3));
  EXPECT_EQ(lookup("sm_80")->tensorRate(MmaType::E5M2), 0);
  EXPECT_EQ(*lookup("sm_89")->mmaSyncShape(MmaType::E4M3), (MmaShape{16, 8, 32}));
  EXPECT_EQ(lookup("sm_90a")->tensorRate(MmaType::E4M3), 4096);
}

TEST(Machine, RegisterSplits) {
  const Machine &hopper = *lookup("sm_90a");
  auto two = hopper.splitRegisters(2);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->launch, 168);
  EXPECT_EQ(two->producer, 24);
  EXPECT_EQ(two->consumer, 240);
  auto spacious = hopper.splitRegisters(2, 1, 40);
  EXPECT_EQ(spacious->producer, 40);
  EXPECT_EQ(spacious->consumer, 232);
  auto three = hopper.splitRegisters(3);
  EXPECT_EQ(three->launch, 128);
  EXPECT_EQ(three->producer, 32);
  EXPECT_EQ(three->consumer, 160);
  // Two warpgroups have all the registers that they can name from the start.
  EXPECT_FALSE(hopper.splitRegisters(1));
  // Half of them, where two blocks share the multiprocessor.
  auto half = hopper.splitRegisters(1, 1, 24, 2);
  EXPECT_EQ(half->launch, 128);
  EXPECT_EQ(half->consumer, 232);
  EXPECT_FALSE(hopper.splitRegisters(8));
  EXPECT_FALSE(hopper.splitRegisters(2, 1, 200));
  EXPECT_FALSE(lookup("sm_80")->splitRegisters(2));
}

TEST(Machine, SplitsNeverExceedThePool) {
  const Machine &hopper = *lookup("sm_90a");
  for (int64_t consumers = 0; consumers < 9; ++consumers)
    for (int64_t producers = 0; producers < 4; ++producers)
      for (int64_t need : {0, 24, 33, 56, 100})
        for (int64_t blocks : {1, 2, 3})
          if (auto split = hopper.splitRegisters(consumers, producers, need, blocks)) {
            EXPECT_LE(split->producer * producers + split->consumer * consumers,
                      split->launch * (producers + consumers));
            EXPECT_LE(split->launch * 128 * (producers + consumers) * blocks, 65536);
            EXPECT_GE(split->producer, need);
            EXPECT_GT(split->consumer, split->launch);
            for (int64_t count : {split->producer, split->consumer}) {
              EXPECT_EQ(count % 8, 0);
              EXPECT_GE(count, 24);
              EXPECT_LE(count, 255);
            }
          }
}

TEST(Machine, Occupancy) {
  const Machine &hopper = *lookup("sm_90a");
  EXPECT_EQ(hopper.registersPerThread(384), 168);
  EXPECT_EQ(hopper.registersPerThread(512), 128);
  EXPECT_EQ(hopper.registersPerThread(128), 255);
  EXPECT_EQ(hopper.blocksPerMultiprocessor(128, 64, 0), 8);
  EXPECT_EQ(hopper.blocksPerMultiprocessor(32, 16, 0), 32);
  EXPECT_EQ(hopper.blocksPerMultiprocessor(384, 168, 100 * 1024), 1);
  EXPECT_EQ(hopper.blocksPerMultiprocessor(128, 32, 232448), 1);
  EXPECT_EQ(hopper.blocksPerMultiprocessor(128, 32, 232449), 0);
  EXPECT_EQ(hopper.blocksPerMultiprocessor(2048, 32, 0), 0);
}
