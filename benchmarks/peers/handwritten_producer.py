# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The producer of the hand-written attention kernels: one thread that fills the rings of key and value tiles by TMA, as slots come free."""

from handwritten_ir import typed
from handwritten_role import Role

KEEP_IN_L2 = str(0x14F0000000000000)  # cache hint: evict last, for keys and values
LEAVE_L2 = str(0x12F0000000000000)  # cache hint: evict first, for queries


class Producer(Role):
    def load(self, destination, tensor_map, row, head, barrier, hint, rows):
        """One tile. A head dim that is no multiple of 64 takes a box per slab, whose columns past the end are filled with zeros."""
        if self.whole_slabs:
            return self.b.tma_load(destination, tensor_map, ["0", row, "0", head], barrier, hint)
        for slab in range(self.options.slabs):
            at = self.b.op("add", destination, slab * rows * 128)
            self.b.tma_load(at, tensor_map, [str(64 * slab), row, head], barrier, hint)

    def load_block(self, which, slot, phase, block):
        b, at = self.b, self.shared
        full, empty, base = (at.k_full, at.k_empty, at.keys) if which == "%keys" else (at.v_full, at.v_empty, at.values)
        b.barrier_wait(self.barrier(empty, slot), phase)
        barrier = self.barrier(full, slot)
        b.barrier_expect(barrier, at.tile)
        destination = b.op("add", b.op("mul", slot, at.tile), b.op("add", "%base", base))
        keys = self.options.keys
        self.load(destination, which, b.op("mul", block, keys), self.kv_head, barrier, KEEP_IN_L2, keys)

    def load_queries(self, row, head):
        b, o, at = self.b, self.options, self.shared
        slot = "%p.query_slot" if o.query_slots == 2 else None
        b.barrier_wait(self.barrier(at.q_empty, slot), "%p.query_phase")
        barrier = self.barrier(at.q_full, slot)
        b.barrier_expect(barrier, at.query_tile)
        base = b.op("add", "%base", b.op("mul", slot, at.query_tile)) if slot else "%base"
        for part in range(o.consumers):
            destination = b.op("add", base, part * at.query_part)
            self.load(destination, "%queries", b.op("add", b.op("mul", row, o.rows), 64 * part), head, barrier, LEAVE_L2, 64)

    def write(self):
        b, o = self.b, self.options
        b.label("producer")
        self.set_registers("dec", 0)
        b.branch("%first_thread", "p.tiles", "p.exit")
        b.label("p.tiles")
        carried = [("tile", "%block"), ("slot", "0"), ("phase", "1"), ("query_phase", "1")]
        carried += [("next_phase", "1")] if o.dynamic else []
        carried += [("query_slot", "0")] if o.query_slots == 2 else []
        for name, start in carried:
            b.phi(f"%p.{name}", "i32", (start, "producer"), (f"%p.{name}.next", "p.last"))
        b.branch(b.compare("slt", "%p.tile", "%tiles"), "p.tile_body", "p.exit")
        b.label("p.tile_body")
        taken = b.asm("atom.global.add.u32 $0, [$1], 1;", "=r,l", typed("ptr addrspace(1)", "%counter"), ["i32"])[0] if o.dynamic else None
        row, head, blocks = self.decode("%p.tile")
        self.kv_head = b.op("udiv", head, "%group")
        self.load_queries(row, head)
        self.load_all_blocks(blocks)
        b.name("%p.slot.next", self.last_slot[0])
        b.name("%p.phase.next", self.last_slot[1])
        self.announce_next_tile(taken)
        self.next_query_slot("p")
        b.jump("p.tiles")
        b.label("p.exit")
        b.line("ret void")

    def load_all_blocks(self, blocks):
        """Keys one block ahead of values, as the consumers ask for them."""
        b = self.b
        last = b.op("sub", blocks, 1)
        self.load_block("%keys", "%p.slot", "%p.phase", last)
        b.jump("p.blocks")
        b.label("p.blocks")
        for name, start in [("block", last), ("at", "%p.slot"), ("at_phase", "%p.phase")]:
            b.phi(f"%p.{name}", "i32", (start, "p.tile_body"), (f"%p.{name}.next", "p.block_body"))
        b.branch(b.compare("sgt", "%p.block", "0"), "p.block_body", "p.last")
        b.label("p.block_body")
        slot, phase = self.next_slot("%p.at", "%p.at_phase")
        b.name("%p.at.next", slot)
        b.name("%p.at_phase.next", phase)
        b.line("%p.block.next = sub i32 %p.block, 1")
        self.load_block("%keys", slot, phase, "%p.block.next")
        self.load_block("%values", "%p.at", "%p.at_phase", "%p.block")
        b.jump("p.blocks")
        b.label("p.last")
        self.load_block("%values", "%p.at", "%p.at_phase", "0")
        self.last_slot = self.next_slot("%p.at", "%p.at_phase")

    def announce_next_tile(self, taken):
        """The block's next tile: a fixed step on, or the one drawn from the counter, which the consumers read in shared memory. Who draws
        the last number sets the counter back for the next launch."""
        b, at = self.b, self.shared
        if taken is None:
            b.line("%p.tile.next = add i32 %p.tile, %blocks")
            return
        b.line(f"%p.tile.next = add i32 {taken}, %blocks")
        b.line("%p.next_phase.next = xor i32 %p.next_phase, 1")
        b.barrier_wait(self.barrier(at.next_empty), "%p.next_phase")
        b.asm("st.shared.u32 [$0], $1;", "r,r", typed("i32", self.barrier(at.next_tile), "%p.tile.next"))
        b.barrier_arrive(self.barrier(at.next_full))
        reset = "{ .reg .pred p; setp.eq.u32 p, $1, $2; @p st.global.u32 [$0], 0; }"
        b.asm(reset, "l,r,r", typed("ptr addrspace(1)", "%counter") + typed("i32", taken, "%last_tile"))
