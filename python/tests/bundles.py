# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second writer of the bundle file, made from docs/BundleFormat.md alone, and a manifest for tests."""

import hashlib
import json
import struct


def write_bundle(manifest, modules=((2, "sm_90a", b"ptx text"),)):
    """The bytes of a bundle. `modules` are (kind, name, code)."""
    sections = [(1, "manifest", json.dumps(manifest).encode()), *modules]
    table, payload, start = b"", b"", 64 + 64 * len(sections)
    for kind, name, data in sections:
        payload += b"\0" * (-(start + len(payload)) % 16)
        table += struct.pack("<IIQQ40s", kind, 0, start + len(payload), len(data), name.encode())
        payload += data
    head = b"\x89NAUB\r\n\x1a" + struct.pack("<IIQQ", 1, len(sections), start + len(payload), 0)
    digest = hashlib.sha256(head + table + payload).digest()
    return head + digest + table + payload


def scale_manifest(workspace=0):
    """O[B, G*R] = some function of X[B, G*R] and S[G], in f16: one kernel of B blocks."""
    program = [
        {"op": "dim", "id": 0, "name": "B"},
        {"op": "dim", "id": 1, "name": "R"},
        {"op": "address", "id": 2, "arg": "X"},
        {"op": "address", "id": 3, "arg": "O"},
        {"op": "mul", "id": 4, "a": 0, "b": {"const": workspace}},
        {"op": "le", "id": 5, "a": 0, "b": {"const": 1000}},
        {"op": "check", "cond": 5, "message": "B is {0}", "values": [0], "status": "unsupported"},
    ]
    if workspace:
        program.append({"op": "workspace", "id": 6, "bytes": 4})
    scratch = 6 if workspace else {"const": 0}
    program.append({"op": "launch", "kernel": 0, "grid": [0], "args": [2, 3, 1, scratch]})
    return {
        "version": 1,
        "entry": "scale",
        "arch": "sm_90a",
        "dims": [{"name": "B", "size": -1}, {"name": "G", "size": -1, "hint": 8}, {"name": "R", "size": -1}],
        "args": [
            {"name": "X", "dtype": "f16", "dims": [["B"], ["G", "R"]]},
            {"name": "S", "dtype": "f32", "dims": [["G"]]},
            {"name": "O", "dtype": "f16", "dims": [["B"], ["G", "R"]], "out": True},
        ],
        "kernels": [
            {
                "name": "scale_k0",
                "module": "sm_90a",
                "threads": 128,
                "smem": 0,
                "params": [{"kind": "ptr"}, {"kind": "ptr"}, {"kind": "i32"}, {"kind": "ptr"}],
            }
        ],
        "program": program,
    }
