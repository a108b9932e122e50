# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds libnautilus_runtime.so and declares its C ABI (include/nautilus-c/Runtime.h) for ctypes."""

import ctypes
import functools
import os
import pathlib

from .errors import BY_STATUS, DriverError, Error

ABI_VERSION = 1
NAME = "libnautilus_runtime.so"

_P = ctypes.c_void_p
_SIGNATURES = {
    "nautilus_abi_version": (ctypes.c_int, []),
    "nautilus_last_error": (ctypes.c_char_p, []),
    "nautilus_bundle_load": (ctypes.c_int, [ctypes.c_char_p, _P]),
    "nautilus_bundle_load_memory": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_size_t, _P]),
    "nautilus_bundle_free": (None, [_P]),
    "nautilus_bundle_manifest": (ctypes.c_char_p, [_P]),
    "nautilus_bundle_digest": (ctypes.c_char_p, [_P]),
    "nautilus_infer_dims": (ctypes.c_int, [_P, _P, ctypes.c_int32, _P]),
    "nautilus_arg_shape": (ctypes.c_int, [_P, ctypes.c_int32, _P, _P]),
    "nautilus_workspace_bytes": (ctypes.c_int, [_P, _P, ctypes.c_int32, _P]),
    "nautilus_run": (ctypes.c_int, [_P, _P, ctypes.c_int32, _P, ctypes.c_uint64, _P]),
}


def _candidates():
    """A path given by the user, the one that the package carries, the system's."""
    given = os.environ.get("NAUTILUS_RUNTIME_LIBRARY")
    if given:
        return [given]
    carried = pathlib.Path(__file__).parent / "lib" / NAME
    return [str(carried)] if carried.exists() else [NAME]


@functools.lru_cache(maxsize=None)
def get_library():
    """The loaded library. Raises DriverError if it is not there, Error if it is of another ABI."""
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise DriverError(
                f"cannot load the Nautilus runtime: {error}; set NAUTILUS_RUNTIME_LIBRARY to its path"
            ) from None
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    if library.nautilus_abi_version() < ABI_VERSION:
        raise Error(f"the Nautilus runtime is too old: ABI {library.nautilus_abi_version()}, need {ABI_VERSION}")
    return library


def check(library, status):
    """Raises the exception of a status that is not 0."""
    if status:
        text = library.nautilus_last_error().decode("utf-8", "replace")
        raise BY_STATUS.get(status, Error)(text)
