# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of one LLVM IR function, instruction by instruction, with the Hopper instructions that the hand-written kernels use.

Values are strings, as they stand in the text. The asynchronous instructions are inline assembly: LLVM must not move them across each
other, and their registers are tied to values so that nothing reads an accumulator before its wait."""

import contextlib

NEGATIVE_INFINITY = "0xFFF0000000000000"


def typed(kind, *values):
    return [(kind, value) for value in values]


class Builder:
    def __init__(self):
        self.lines, self.declarations, self.block, self._count = [], set(), "entry", 0

    # Instructions and blocks.

    def line(self, text):
        self.lines.append("  " + text)

    def value(self, text):
        self._count += 1
        self.line(f"%v{self._count} = {text}")
        return f"%v{self._count}"

    def op(self, name, a, b, kind="i32"):
        return self.value(f"{name} {kind} {a}, {b}")

    def compare(self, predicate, a, b, kind="i32"):
        return self.value(f"{'fcmp' if kind == 'float' else 'icmp'} {predicate} {kind} {a}, {b}")

    def select(self, condition, a, b, kind="i32"):
        return self.value(f"select i1 {condition}, {kind} {a}, {kind} {b}")

    def widen(self, a):
        return self.value(f"zext i32 {a} to i64")

    def name(self, name, value):
        """Gives an i32 the name by which phis before it know it."""
        self.line(f"{name} = or i32 {value}, 0")

    def phi(self, name, kind, *incoming):
        self.line(f"{name} = phi {kind} " + ", ".join(f"[{value}, %{block}]" for value, block in incoming))
        return name

    def label(self, name):
        self.lines.append(name + ":")
        self.block = name

    def jump(self, block):
        self.line(f"br label %{block}")

    def branch(self, condition, then, otherwise):
        self.line(f"br i1 {condition}, label %{then}, label %{otherwise}")

    @contextlib.contextmanager
    def when(self, condition, name):
        """A block that runs if `condition`; the text goes on in a block `name`.end."""
        self.branch(condition, name, name + ".end")
        self.label(name)
        yield
        self.jump(name + ".end")
        self.label(name + ".end")

    def call(self, name, kind, args=()):
        self.declarations.add(f"declare {kind} @{name}({', '.join(t for t, _ in args)})")
        text = f"call {kind} @{name}({', '.join(f'{t} {v}' for t, v in args)})"
        return self.line(text) if kind == "void" else self.value(text)

    def asm(self, text, constraints="", args=(), results=()):
        kind = "void" if not results else results[0] if len(results) == 1 else "{" + ", ".join(results) + "}"
        text = f'call {kind} asm sideeffect "{text}", "{constraints}"({", ".join(f"{t} {v}" for t, v in args)})'
        if not results:
            self.line(text)
            return []
        result = self.value(text)
        if len(results) == 1:
            return [result]
        return [self.value(f"extractvalue {kind} {result}, {i}") for i in range(len(results))]

    # Arithmetic of the softmax.

    def fma(self, a, b, c):
        return self.call("llvm.fma.f32", "float", typed("float", a, b, c))

    def exp2(self, x):
        return self.call("llvm.nvvm.ex2.approx.ftz.f", "float", typed("float", x))

    def reciprocal(self, x):
        return self.call("llvm.nvvm.rcp.approx.ftz.f", "float", typed("float", x))

    def maximum(self, a, b):
        return self.call("llvm.maxnum.f32", "float", typed("float", a, b))

    def from_lane_xor(self, x, distance):
        args = [("i32", "-1"), ("float", x), ("i32", str(distance)), ("i32", "31")]
        return self.call("llvm.nvvm.shfl.sync.bfly.f32", "float", args)

    def from_lane_0(self, x):
        return self.call("llvm.nvvm.shfl.sync.idx.i32", "i32", typed("i32", "-1", x, "0", "31"))

    def pack(self, low, high):
        """Two floats as halves in one register."""
        pair = self.call("llvm.nvvm.ff2f16x2.rn", "<2 x half>", typed("float", high, low))
        return self.value(f"bitcast <2 x half> {pair} to i32")

    # Matrix products of a warpgroup: 64 rows of f16 by f16 into f32.

    def wgmma_fence(self):
        self.call("llvm.nvvm.wgmma.fence.sync.aligned", "void")

    def wgmma_commit(self):
        self.call("llvm.nvvm.wgmma.commit_group.sync.aligned", "void")

    def wgmma_shared(self, columns, accumulator, a, b):
        """accumulator + a b with a and b^T in shared memory (descriptors); without an accumulator, a b."""
        count = columns // 2
        registers = ", ".join(f"${i}" for i in range(count))
        op = f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16"
        tied = [] if accumulator is None else [str(i) for i in range(count)]
        first = count + len(tied)
        text = f"{op} {{{registers}}}, ${first}, ${first + 1}, {0 if accumulator is None else 1}, 1, 1, 0, 0;"
        args = typed("float", *(accumulator or [])) + typed("i64", a, b)
        return self.asm(text, ",".join(["=f"] * count + tied + ["l", "l"]), args, ["float"] * count)

    def wgmma_registers(self, columns, accumulator, a, b):
        """accumulator + a b with a in four registers and b in shared memory (descriptor)."""
        count = columns // 2
        registers = ", ".join(f"${i}" for i in range(count))
        left = ", ".join(f"${2 * count + i}" for i in range(4))
        text = f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16 {{{registers}}}, {{{left}}}, ${2 * count + 4}, 1, 1, 1, 1;"
        constraints = ",".join(["=f"] * count + [str(i) for i in range(count)] + ["r"] * 4 + ["l"])
        return self.asm(text, constraints, typed("float", *accumulator) + typed("i32", *a) + typed("i64", b), ["float"] * count)

    def wgmma_wait(self, pending, values):
        """Waits until at most `pending` groups run; gives the values that may be read then."""
        constraints = ",".join(["=f"] * len(values) + [str(i) for i in range(len(values))])
        return self.asm(f"wgmma.wait_group.sync.aligned {pending};", constraints, typed("float", *values), ["float"] * len(values))

    # Barriers in shared memory, by address.

    def barrier_init(self, address, count):
        self.asm(f"mbarrier.init.shared::cta.b64 [$0], {count};", "r", typed("i32", address))

    def barrier_wait(self, address, phase):
        spin = "LW_${:uid}: mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1; @p bra LD_${:uid}; bra LW_${:uid}; LD_${:uid}:"
        self.asm(f"{{ .reg .pred p; {spin} }}", "r,r", typed("i32", address, phase))

    def barrier_arrive(self, address):
        self.asm("mbarrier.arrive.release.cta.shared::cta.b64 _, [$0];", "r", typed("i32", address))

    def barrier_arrive_lane_0(self, address, lane):
        text = "{ .reg .pred p; setp.eq.u32 p, $1, 0; @p mbarrier.arrive.release.cta.shared::cta.b64 _, [$0]; }"
        self.asm(text, "r,r", typed("i32", address, lane))

    def barrier_expect(self, address, count):
        self.asm(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], {count};", "r", typed("i32", address))

    def named_barrier(self, index, threads):
        self.asm(f"bar.sync $0, {threads};", "r", typed("i32", index))

    # Copies by the tensor memory accelerator.

    def tma_load(self, destination, tensor_map, coordinates, barrier, cache_hint):
        rank = len(coordinates)
        at = ", ".join(f"${i + 2}" for i in range(rank))
        op = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint"
        args = [("i32", destination), ("ptr", tensor_map), *typed("i32", *coordinates), ("i32", barrier), ("i64", cache_hint)]
        self.asm(f"{op} [$0], [$1, {{{at}}}], [${rank + 2}], ${rank + 3};", "r,l," + "r," * rank + "r,l", args)

    def tma_store(self, tensor_map, coordinates, source):
        rank = len(coordinates)
        at = ", ".join(f"${i + 1}" for i in range(rank))
        text = f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [$0, {{{at}}}], [${rank + 1}];"
        self.asm(text, "l," + "r," * rank + "r", [("ptr", tensor_map), *typed("i32", *coordinates), ("i32", source)])

    def store_matrices(self, address, registers):
        """Four 8x8 matrices of halves from accumulator registers to rows in shared memory."""
        text = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};"
        self.asm(text, "r,r,r,r,r", typed("i32", address, *registers))

    def function(self, name, parameters, threads):
        """The module with this function in it, as a kernel."""
        declarations = "\n".join(sorted(self.declarations))
        body = "\n".join(self.lines)
        return (
            'target triple = "nvptx64-nvidia-cuda"\n'
            "@dynsmem = external addrspace(3) global [0 x i8], align 1024\n"
            f"{declarations}\n"
            f"define ptx_kernel void @{name}({parameters}) #0 {{\n{body}\n}}\n"
            f'attributes #0 = {{ "nvvm.maxntid"="{threads}" "nvvm.minctasm"="1" }}\n'
        )
