# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nautilus: run compiled tensor kernels.

    kernel = nautilus.load("matmul.naub")
    c = kernel(a, b)

Importing this package needs neither a GPU nor any framework.
"""

from .errors import ArgumentError, DriverError, Error, LaunchError, UnsupportedError
from .runtime import Arg, Dim, Kernel, KernelInfo, load

__version__ = "0.1.0"

__all__ = [
    "Arg",
    "ArgumentError",
    "Dim",
    "DriverError",
    "Error",
    "Kernel",
    "KernelInfo",
    "LaunchError",
    "UnsupportedError",
    "load",
]
