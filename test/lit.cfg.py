# How lit finds and runs the tests in this folder.
import os

import lit.formats

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
