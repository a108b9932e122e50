# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One exception per status of the runtime's C ABI."""


class Error(RuntimeError):
    """Anything that Nautilus refuses or that fails in it."""


class ArgumentError(Error, ValueError):
    """A tensor, a bundle or a parameter is not as it must be."""


class UnsupportedError(Error, NotImplementedError):
    """Right in itself, but not for this bundle, this device or this version."""


class DriverError(Error):
    """No CUDA driver, no GPU, or a file that cannot be read."""


class LaunchError(Error):
    """The CUDA driver refused a module, a kernel or a launch."""


BY_STATUS = {1: ArgumentError, 2: UnsupportedError, 3: DriverError, 4: LaunchError}
