/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C ABI of the Nautilus runtime: load a bundle (.naub), ask what it takes, run it on a CUDA
 * stream.
 *
 * The library needs libc only. The CUDA driver is opened at the first run, so loading and asking
 * work on a machine without a GPU. Functions that return int return a status below; on a failure
 * nautilus_last_error() has the text. A bundle may be used from several threads at once. The ABI
 * only grows; nautilus_abi_version() tells how far.
 */

#ifndef NAUTILUS_C_RUNTIME_H
#define NAUTILUS_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define NAUTILUS_EXPORT __declspec(dllexport)
#else
#define NAUTILUS_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses. */
enum {
  NAUTILUS_OK = 0,
  NAUTILUS_INVALID_ARGUMENT = 1, /* a tensor, a bundle or a parameter is not as it must be */
  NAUTILUS_UNSUPPORTED =
      2, /* right in itself, but not for this bundle, device or library version */
  NAUTILUS_ENVIRONMENT = 3,  /* no driver, no GPU, a file that cannot be read */
  NAUTILUS_LAUNCH_FAILED = 4 /* the driver refused a module, a kernel or a launch */
};

/* A tensor by reference; the same memory layout as DLPack's DLTensor, so that a `DLTensor *` may be
 * cast to it. `device_type` is 2 (CUDA) or 13 (CUDA managed); dtype code, bits and lanes are
 * DLPack's. `strides` counts elements and may be NULL for a dense row-major tensor. */
typedef struct NautilusTensor {
  void *data;
  int32_t device_type;
  int32_t device_id;
  int32_t ndim;
  uint8_t dtype_code;
  uint8_t dtype_bits;
  uint16_t dtype_lanes;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} NautilusTensor;

typedef struct NautilusBundle NautilusBundle;

/* Strings in these live as long as the bundle. */
typedef struct NautilusDimInfo {
  const char *name;
  int64_t size; /* -1: dynamic */
  int64_t hint; /* the size that the schedule was made for; -1: none */
} NautilusDimInfo;

typedef struct NautilusArgInfo {
  const char *name;
  const char *dtype; /* "f16", "bf16", "f32", ... */
  int32_t rank;
  int32_t is_output;
} NautilusArgInfo;

typedef struct NautilusKernelInfo {
  const char *name;
  const char *module;
  int32_t threads;
  int32_t registers; /* per thread; 0: not recorded */
  int64_t shared_bytes;
  int32_t cluster[3];
} NautilusKernelInfo;

/* The version of this ABI: 1. */
NAUTILUS_EXPORT int nautilus_abi_version(void);

/* The text of this thread's last failure; valid until its next call into this library. Never NULL.
 */
NAUTILUS_EXPORT const char *nautilus_last_error(void);

/* Load a bundle from a file or from memory (copied). On success *bundle is to be freed with
 * nautilus_bundle_free. */
NAUTILUS_EXPORT int nautilus_bundle_load(const char *path, NautilusBundle **bundle);
NAUTILUS_EXPORT int nautilus_bundle_load_memory(const void *data, size_t size,
                                                NautilusBundle **bundle);

/* Free a bundle. Waits for the devices on which it ran, then unloads its code. NULL is allowed. */
NAUTILUS_EXPORT void nautilus_bundle_free(NautilusBundle *bundle);

/* The manifest (JSON text), the entry's name, and the SHA-256 of the content as 64 hexadecimal
 * digits. */
NAUTILUS_EXPORT const char *nautilus_bundle_manifest(const NautilusBundle *bundle);
NAUTILUS_EXPORT const char *nautilus_bundle_entry(const NautilusBundle *bundle);
NAUTILUS_EXPORT const char *nautilus_bundle_digest(const NautilusBundle *bundle);

/* Arguments are the inputs in order, then the outputs in order. */
NAUTILUS_EXPORT int32_t nautilus_bundle_num_dims(const NautilusBundle *bundle);
NAUTILUS_EXPORT int32_t nautilus_bundle_num_args(const NautilusBundle *bundle);
NAUTILUS_EXPORT int32_t nautilus_bundle_num_inputs(const NautilusBundle *bundle);
NAUTILUS_EXPORT int32_t nautilus_bundle_num_kernels(const NautilusBundle *bundle);
NAUTILUS_EXPORT int nautilus_bundle_dim(const NautilusBundle *bundle, int32_t index,
                                        NautilusDimInfo *info);
NAUTILUS_EXPORT int nautilus_bundle_arg(const NautilusBundle *bundle, int32_t index,
                                        NautilusArgInfo *info);
NAUTILUS_EXPORT int nautilus_bundle_kernel(const NautilusBundle *bundle, int32_t index,
                                           NautilusKernelInfo *info);

/* The sizes of the named dims (num_dims of them) for these tensors: all arguments, or the inputs
 * only. Looks at shapes and dtypes; data and device may be anything. */
NAUTILUS_EXPORT int nautilus_infer_dims(const NautilusBundle *bundle,
                                        const NautilusTensor *const *tensors, int32_t count,
                                        int64_t *dims);

/* The extents of an argument (rank of them) when the named dims have these sizes. */
NAUTILUS_EXPORT int nautilus_arg_shape(const NautilusBundle *bundle, int32_t arg,
                                       const int64_t *dims, int64_t *shape);

/* The bytes of workspace that a run with these arguments (all of them) needs. Checks what the run
 * would check, except devices. */
NAUTILUS_EXPORT int nautilus_workspace_bytes(const NautilusBundle *bundle,
                                             const NautilusTensor *const *tensors, int32_t count,
                                             uint64_t *bytes);

/* Check the arguments and launch on `stream` (a CUstream; NULL is the default stream) of the
 * tensors' device. Does not wait. `workspace` is device memory, 256-byte aligned, that no other run
 * in flight uses; NULL if none is needed. Nothing is launched unless all checks pass. */
NAUTILUS_EXPORT int nautilus_run(NautilusBundle *bundle, const NautilusTensor *const *tensors,
                                 int32_t count, void *workspace, uint64_t workspace_bytes,
                                 void *stream);

#ifdef __cplusplus
}
#endif

#endif /* NAUTILUS_C_RUNTIME_H */
