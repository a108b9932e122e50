# How lit finds and runs the tests in this folder.
#
# Tools are called by name: ours, then those of LLVM (FileCheck, mlir-opt, not) by the search path.
# Features for REQUIRES: ptxas (also the substitution %ptxas), plugin (also %nautilus_plugin), device (a GPU that answers).
import os
import subprocess

import lit.formats
import lit.util

config.name = "Nautilus"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".naut", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.nautilus_obj_root, "test")
config.environment["PATH"] = os.pathsep.join(
    [config.nautilus_tools_dir, config.llvm_tools_dir, os.environ["PATH"]]
)
config.substitutions.append(("%nautilus_src_root", config.nautilus_src_root))

plugin = os.path.join(config.nautilus_obj_root, "lib", "NautilusPlugin.so")
if os.path.exists(plugin):
    config.available_features.add("plugin")
    config.substitutions.append(("%nautilus_plugin", plugin))

ptxas = lit.util.which("ptxas") or lit.util.which("ptxas", config.cuda_tools_dir)
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))


def has_device():
    smi = lit.util.which("nvidia-smi")
    return bool(smi) and subprocess.run([smi, "-L"], capture_output=True).returncode == 0


if has_device():
    config.available_features.add("device")
