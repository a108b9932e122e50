// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver API that the runtime calls, as a table of function pointers. The
// system's table is filled by dlopen at first use; tests fill one with a fake. Types are declared
// here, binary compatible with cuda.h, so that no CUDA header is needed to build.

#ifndef NAUTILUS_RUNTIME_DRIVER_H
#define NAUTILUS_RUNTIME_DRIVER_H

#include "nautilus/Runtime/Status.h"

#include <cstddef>
#include <cstdint>

namespace nautilus::runtime {

using CUresult = int;
using CUdevice = int;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUdeviceptr = unsigned long long;

/// CUtensorMap.
struct alignas(64) TensorMap {
  uint64_t words[16];
};

/// CUlaunchAttribute, with the member for clusters of its value union.
struct LaunchAttribute {
  int id;
  int pad;
  union {
    struct {
      unsigned x, y, z;
    } cluster;
    char bytes[64];
  } value;
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  CUstream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

struct Driver {
  CUresult (*init)(unsigned flags);
  CUresult (*deviceGet)(CUdevice *, int ordinal);
  CUresult (*deviceGetAttribute)(int *, int attribute, CUdevice);
  CUresult (*primaryCtxRetain)(CUcontext *, CUdevice);
  CUresult (*ctxGetCurrent)(CUcontext *);
  CUresult (*ctxGetDevice)(CUdevice *);
  CUresult (*ctxPushCurrent)(CUcontext);
  CUresult (*ctxPopCurrent)(CUcontext *);
  CUresult (*ctxSynchronize)();
  CUresult (*moduleLoadDataEx)(CUmodule *, const void *image, unsigned numOptions, int *options,
                               void **values);
  CUresult (*moduleUnload)(CUmodule);
  CUresult (*moduleGetFunction)(CUfunction *, CUmodule, const char *name);
  CUresult (*funcSetAttribute)(CUfunction, int attribute, int value);
  CUresult (*launchKernel)(CUfunction, unsigned gridX, unsigned gridY, unsigned gridZ,
                           unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                           CUstream, void **params, void **extra);
  CUresult (*memsetD8Async)(CUdeviceptr, unsigned char, size_t bytes, CUstream);
  CUresult (*getErrorName)(CUresult, const char **);
  CUresult (*getErrorString)(CUresult, const char **);

  // Newer entries: null where the driver is too old, and then diagnosed when needed.
  CUresult (*launchKernelEx)(const LaunchConfig *, CUfunction, void **params, void **extra);
  CUresult (*tensorMapEncodeTiled)(TensorMap *, int dataType, uint32_t rank, void *address,
                                   const uint64_t *dims, const uint64_t *strides,
                                   const uint32_t *box, const uint32_t *elementStrides,
                                   int interleave, int swizzle, int l2Promotion, int oobFill);
  CUresult (*ctxGetId)(CUcontext, unsigned long long *id);
};

// Values of cuda.h.
constexpr int attributeMultiprocessors = 16; // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
constexpr int attributeMaxSharedBytesOptin =
    97;                                     // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
constexpr int attributeComputeMajor = 75;   // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int attributeComputeMinor = 76;   // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
constexpr int functionMaxDynamicShared = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
constexpr int functionNonPortableCluster =
    14;                                   // CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
constexpr int launchAttributeCluster = 4; // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION

/// The system's driver, opened and initialised at the first call. Fails where there is none; a
/// later call tries again.
Status getSystemDriver(const Driver *&driver);

/// Ok, or `code` with the driver's name and words for the result and what was tried.
Status checkDriver(const Driver &driver, CUresult result, Code code, const std::string &what);

} // namespace nautilus::runtime

#endif // NAUTILUS_RUNTIME_DRIVER_H
