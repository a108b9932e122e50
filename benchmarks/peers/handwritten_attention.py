# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One family of attention kernels for sm_90a, written by hand as LLVM IR: what a person would have the compiler find.

A block has a producer warpgroup, of which one thread fills rings of key and value tiles by TMA, and two or three consumer warpgroups of 64
query rows each. A consumer issues the next QK product before it works on the scores of this one, so that its exponentials run beside the
matrix products; the weights stay in registers. Blocks visit keys from the last to the first: only the first visited one needs a mask.
Results go through the shared memory of the queries and one TMA store per warpgroup. Blocks loop over output tiles until none is left.

Tensors are f16 and dense, (batch, head, row, dim). Tensor maps are described in handwritten.py, which launches the kernels."""

from handwritten_consumer import Consumer
from handwritten_ir import Builder, typed
from handwritten_producer import Producer
from handwritten_role import KV_SLOTS, Role, Shared

MAP = 'ptr byval([128 x i8]) align 64 "nvvm.grid_constant" '
PARAMETERS = (
    f"{MAP}%queries, {MAP}%keys, {MAP}%values, {MAP}%out, i32 %length, i32 %row_tiles, i32 %tiles, i32 %section, i32 %last_first, "
    "i32 %group, float %scale, float %negative_scale, ptr addrspace(1) %counter"
)


class Attention(Role):
    def __init__(self, options):
        assert not options.causal or options.rows == options.keys, "a causal kernel masks one block only"
        super().__init__(Builder(), options, Shared(options))

    def module(self, name):
        self.setup()
        Producer(self.b, self.options, self.shared).write()
        Consumer(self.b, self.options, self.shared).write()
        return self.b.function(name, PARAMETERS, self.options.threads)

    def describe(self):
        o = self.options
        sizes = {"keys": o.keys, "rows": o.rows, "head_dim": o.head_dim, "causal": o.causal}
        return sizes | {"shared_bytes": self.shared.size, "threads": o.threads}

    def setup(self):
        b, o, at = self.b, self.options, self.shared
        b.label("entry")
        for register, name in [("tid", "thread"), ("ctaid", "block"), ("nctaid", "blocks")]:
            b.name("%" + name, b.call(f"llvm.nvvm.read.ptx.sreg.{register}.x", "i32"))
        b.line("%base = ptrtoint ptr addrspace(3) @dynsmem to i32")
        b.line(f"%barriers = add i32 %base, {at.barriers}")
        b.line("%last_tile = sub i32 %tiles, 1")
        warpgroup = b.from_lane_0(b.op("lshr", "%thread", 7))
        b.name("%warpgroup", warpgroup)
        b.line("%first_thread = icmp eq i32 %thread, 0")
        with b.when("%first_thread", "init"):
            warps = 4 * o.consumers
            for slot in range(o.query_slots):
                b.barrier_init(self.barrier(at.q_full + 8 * slot), 1)
                b.barrier_init(self.barrier(at.q_empty + 8 * slot), o.consumers)
            for slot in range(KV_SLOTS):
                for full, empty in [(at.k_full, at.k_empty), (at.v_full, at.v_empty)]:
                    b.barrier_init(self.barrier(full + 8 * slot), 1)
                    b.barrier_init(self.barrier(empty + 8 * slot), warps)
            if o.dynamic:
                b.barrier_init(self.barrier(at.next_full), 1)
                b.barrier_init(self.barrier(at.next_empty), warps)
            b.asm("fence.mbarrier_init.release.cluster;")
        b.call("llvm.nvvm.barrier.cta.sync.aligned.all", "void", typed("i32", "0"))
        b.branch(b.compare("eq", "%warpgroup", "0"), "producer", "consumer")
