// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA driver that records what is asked of it, so that launches can be tested without a GPU.

#ifndef NAUTILUS_UNITTESTS_RUNTIME_FAKEDRIVER_H
#define NAUTILUS_UNITTESTS_RUNTIME_FAKEDRIVER_H

#include "nautilus/Runtime/Driver.h"

#include <array>
#include <map>
#include <string>
#include <vector>

struct FakeLaunch {
  std::string kernel;
  std::array<unsigned, 3> grid, block, cluster;
  unsigned sharedBytes;
  void *stream;
  /// The bytes of each parameter.
  std::vector<std::string> params;
};

struct FakeTensorMap {
  int dataType, interleave, swizzle, l2Promotion, oobFill;
  uint64_t address;
  std::vector<uint64_t> dims, strides;
  std::vector<uint32_t> box, elementStrides;
};

/// What the driver has seen and how it is to behave. Reset by `reset`.
struct FakeState {
  // Behaviour.
  int major = 9, minor = 0, maxShared = 232448, currentDevice = 0, multiprocessors = 132;
  bool hasContext = true;
  /// Parameter sizes by kernel name: the fake has no code to take them from.
  std::map<std::string, std::vector<size_t>> paramSizes;
  /// Result of the function of that name, if not 0.
  std::map<std::string, int> results;
  std::string jitLog;
  unsigned long long contextId = 1;

  // Records.
  std::vector<FakeLaunch> launches;
  std::vector<FakeTensorMap> tensorMaps;
  std::vector<std::string> images;
  std::vector<std::string> functions;
  std::map<std::pair<std::string, int>, int> attributes;
  std::vector<std::array<uint64_t, 3>> memsets;
  int pushes = 0, pops = 0, unloads = 0, retains = 0;
};

FakeState &getFakeState();
/// The table of a fake driver in its initial state.
const nautilus::runtime::Driver &resetFakeDriver();

#endif // NAUTILUS_UNITTESTS_RUNTIME_FAKEDRIVER_H
