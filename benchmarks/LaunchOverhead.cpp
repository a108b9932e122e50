// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's time for one run of a bundle through the C ABI, beside that of a bare driver launch.
//
//   nautilus-launch-overhead FILE.naub M=128,N=256,...
//
// Batches of calls fill the stream, which is emptied between them out of the clock; printed are the
// 20th percentile, the median and the 80th over the batches. Without cuMemAlloc (the fake driver of
// the unit tests) addresses are made up and only the runtime's own part is measured.

#include "nautilus-c/Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <vector>

namespace {
constexpr int batches = 60, callsPerBatch = 200; // fewer than the 1024 launches that a stream holds

const char emptyKernel[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry empty(.param .u64 p) { ret; }\n";

/// The few driver functions that the benchmark needs itself, found by name.
struct Driver {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename... Args> int call(const char *name, Args... args) const {
    void *address = library ? dlsym(library, name) : nullptr;
    return address ? reinterpret_cast<int (*)(Args...)>(address)(args...) : 1;
  }
  bool has(const char *name) const { return library && dlsym(library, name); }
};

struct Tensor {
  NautilusTensor view = {};
  std::vector<int64_t> shape;
};

[[noreturn]] void fail(const std::string &message) {
  fprintf(stderr, "nautilus-launch-overhead: %s\n", message.c_str());
  exit(1);
}

void check(int status) {
  if (status != NAUTILUS_OK)
    fail(nautilus_last_error());
}

/// Device memory, or an address that only the fake driver takes.
void *allocate(const Driver &driver, uint64_t bytes) {
  uint64_t address = 1 << 20;
  if (driver.has("cuMemAlloc_v2") && driver.call("cuMemAlloc_v2", &address, size_t(bytes + 256)))
    fail("out of device memory");
  return reinterpret_cast<void *>(address);
}

int64_t findSize(const char *sizes, const NautilusDimInfo &dim) {
  if (dim.size >= 0)
    return dim.size;
  std::string list = std::string(",") + sizes + ",", key = std::string(",") + dim.name + "=";
  size_t at = list.find(key);
  if (at == std::string::npos)
    fail(std::string("no size for ") + dim.name);
  return strtoll(list.c_str() + at + key.size(), nullptr, 10);
}

/// Bits and DLPack code of a manifest's dtype.
void setType(NautilusTensor &tensor, const std::string &dtype) {
  size_t digits = dtype.find_first_of("0123456789");
  bool isBrain = dtype[0] == 'b' && dtype != "bool";
  tensor.dtype_bits = dtype == "bool" ? 8 : uint8_t(strtol(dtype.c_str() + digits, nullptr, 10));
  tensor.dtype_code = dtype == "bool"     ? 6
                      : isBrain           ? 4
                      : dtype == "f8e4m3" ? 10
                      : dtype == "f8e5m2" ? 12
                      : dtype[0] == 'f'   ? 2
                      : dtype[0] == 'u'   ? 1
                                          : 0;
  tensor.dtype_lanes = 1;
}

std::vector<std::unique_ptr<Tensor>> makeTensors(const Driver &driver, const NautilusBundle *bundle,
                                                 const char *sizes) {
  std::vector<int64_t> dims(size_t(nautilus_bundle_num_dims(bundle)));
  for (size_t i = 0; i < dims.size(); ++i) {
    NautilusDimInfo info;
    check(nautilus_bundle_dim(bundle, int32_t(i), &info));
    dims[i] = findSize(sizes, info);
  }
  std::vector<std::unique_ptr<Tensor>> tensors;
  for (int32_t i = 0; i < nautilus_bundle_num_args(bundle); ++i) {
    NautilusArgInfo info;
    check(nautilus_bundle_arg(bundle, i, &info));
    auto tensor = std::make_unique<Tensor>();
    tensor->shape.resize(size_t(info.rank));
    check(nautilus_arg_shape(bundle, i, dims.data(), tensor->shape.data()));
    setType(tensor->view, info.dtype);
    uint64_t bytes = tensor->view.dtype_bits / 8;
    for (int64_t extent : tensor->shape)
      bytes *= uint64_t(extent);
    tensor->view.data = allocate(driver, bytes);
    tensor->view.device_type = 2;
    tensor->view.ndim = info.rank;
    tensor->view.shape = tensor->shape.data();
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// Times `call` and prints microseconds per call.
template <typename Call> void measure(const Driver &driver, const char *what, Call call) {
  std::vector<double> times;
  for (int batch = 0; batch < batches; ++batch) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < callsPerBatch; ++i)
      call();
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count() / callsPerBatch);
    driver.call("cuCtxSynchronize");
  }
  std::sort(times.begin(), times.end());
  printf("%-22s %6.2f us (%.2f to %.2f)\n", what, times[batches / 2], times[batches / 5],
         times[batches * 4 / 5]);
}

void measureBareLaunch(const Driver &driver) {
  void *module = nullptr, *function = nullptr;
  if (driver.call("cuModuleLoadData", &module, static_cast<const void *>(emptyKernel)) ||
      driver.call("cuModuleGetFunction", &function, module, "empty"))
    return;
  uint64_t value = 0;
  void *params[] = {&value};
  measure(driver, "bare driver launch", [&] {
    driver.call("cuLaunchKernel", function, 1u, 1u, 1u, 128u, 1u, 1u, 0u,
                static_cast<void *>(nullptr), static_cast<void **>(params),
                static_cast<void **>(nullptr));
  });
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: nautilus-launch-overhead FILE.naub [NAME=SIZE,...]\n");
    return 2;
  }
  Driver driver;
  void *context = nullptr;
  if (driver.call("cuInit", 0u) || driver.call("cuDevicePrimaryCtxRetain", &context, 0))
    fail("no CUDA driver");
  driver.call("cuCtxSetCurrent", context);
  NautilusBundle *bundle = nullptr;
  check(nautilus_bundle_load(argv[1], &bundle));
  auto tensors = makeTensors(driver, bundle, argc > 2 ? argv[2] : "");
  std::vector<const NautilusTensor *> views;
  for (auto &tensor : tensors)
    views.push_back(&tensor->view);
  uint64_t bytes = 0;
  check(nautilus_workspace_bytes(bundle, views.data(), int32_t(views.size()), &bytes));
  void *workspace = bytes ? allocate(driver, bytes) : nullptr;
  auto run = [&] {
    return nautilus_run(bundle, views.data(), int32_t(views.size()), workspace, bytes, nullptr);
  };
  check(run()); // loads the code
  driver.call("cuCtxSynchronize");
  printf("%s, %d kernels in the bundle\n", nautilus_bundle_entry(bundle),
         nautilus_bundle_num_kernels(bundle));
  measure(driver, "nautilus_run", [&] { check(run()); });
  measureBareLaunch(driver);
  nautilus_bundle_free(bundle);
  return 0;
}
