# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What producer and consumers of the hand-written attention kernels share: options, shared memory, barriers, the order of the tiles."""

import dataclasses

from handwritten_ir import typed

KV_SLOTS = 2  # tiles of keys, and as many of values; a third was no faster
SHARED_LIMIT = 232448  # bytes a block may have


@dataclasses.dataclass(frozen=True)
class Options:
    head_dim: int = 128
    keys: int = 128  # rows of a key or value tile
    consumers: int = 2  # computing warpgroups
    causal: bool = False  # the last query sees the last key; needs 64 * consumers == keys
    query_slots: int = 1  # 2: the next tile's queries load while this one computes
    registers: tuple = ()  # of a producer's and a consumer's thread; empty: (24, 240), or (32, 160) with three consumers
    dynamic: bool = False  # blocks take their next tile from a counter in memory
    threshold: float = None  # repair the output only when the maximum grew by more than this, in powers of 2
    early_release: bool = False  # wait for the PV product before the exponentials, to hand its values back early

    @property
    def rows(self):
        return 64 * self.consumers

    @property
    def slabs(self):
        """Columns of 64, the width of the swizzle."""
        return (self.head_dim + 63) // 64

    @property
    def threads(self):
        return 128 * (self.consumers + 1)


class Shared:
    """Byte offsets in shared memory: queries (later the result), ring of keys, ring of values, then barriers behind `barriers`."""

    def __init__(self, options):
        self.query_part = 64 * options.slabs * 128
        self.query_tile = options.consumers * self.query_part
        self.tile = options.keys * options.slabs * 128
        self.keys = self.query_tile * options.query_slots
        self.values = self.keys + KV_SLOTS * self.tile
        self.barriers = self.values + KV_SLOTS * self.tile
        offset = 0
        for name, slots in [("q", options.query_slots), ("k", KV_SLOTS), ("v", KV_SLOTS), ("next", 1)]:
            setattr(self, name + "_full", offset)
            setattr(self, name + "_empty", offset + 8 * slots)
            offset += 16 * slots
        self.next_tile = offset
        self.size = self.barriers + offset + 32
        assert self.size <= SHARED_LIMIT, f"{self.size} bytes of shared memory"


class Role:
    """Writes its part of the kernel into `builder`."""

    def __init__(self, builder, options, shared):
        self.b, self.options, self.shared = builder, options, shared
        self.whole_slabs = options.head_dim % 64 == 0

    def barrier(self, offset, slot=None):
        address = self.b.op("add", "%barriers", offset)
        return address if slot is None else self.b.op("add", address, self.b.op("shl", slot, 3))

    def next_slot(self, slot, phase):
        """The slot after `slot` and its phase, which turns over when slot 1 was the last."""
        return self.b.op("xor", slot, 1), self.b.op("xor", phase, slot)

    def decode(self, tile):
        """Row tile, head and number of key blocks of an output tile. Tiles go through `section` heads at a time, whose keys fit the L2
        together, row tile by row tile, the longest first if the host says so."""
        b, o = self.b, self.options
        tiles = b.op("mul", "%section", "%row_tiles")
        section = b.op("udiv", tile, tiles)
        rest = b.op("sub", tile, b.op("mul", section, tiles))
        row = b.op("udiv", rest, "%section")
        head = b.op("add", b.op("mul", section, "%section"), b.op("sub", rest, b.op("mul", row, "%section")))
        row = b.select(b.compare("ne", "%last_first", "0"), b.op("sub", b.op("sub", "%row_tiles", 1), row), row)
        end = "%length"
        if o.causal:
            own = b.op("mul", b.op("add", row, 1), o.rows)
            end = b.select(b.compare("slt", own, "%length"), own, "%length")
        return row, head, b.op("udiv", b.op("add", end, o.keys - 1), o.keys)

    def set_registers(self, direction, index):
        registers = self.options.registers or ((24, 240) if self.options.consumers == 2 else (32, 160))
        self.b.call(f"llvm.nvvm.setmaxnreg.{direction}.sync.aligned.u32", "void", typed("i32", str(registers[index])))

    def next_query_slot(self, role):
        if self.options.query_slots == 2:
            self.b.line(f"%{role}.query_slot.next = xor i32 %{role}.query_slot, 1")
            self.b.line(f"%{role}.query_phase.next = xor i32 %{role}.query_phase, %{role}.query_slot")
        else:
            self.b.line(f"%{role}.query_phase.next = xor i32 %{role}.query_phase, 1")
