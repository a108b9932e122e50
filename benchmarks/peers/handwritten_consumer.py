# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A consumer warpgroup of the hand-written attention kernels: 64 query rows, scores and output in registers, softmax between two products."""

from handwritten_ir import NEGATIVE_INFINITY, typed
from handwritten_role import Role

DESCRIPTOR = (64 << 32) | (1 << 62)  # wgmma operand: groups of 8 rows 1024 bytes apart, swizzle of 128 bytes


class Consumer(Role):
    def descriptor(self, address, constant):
        b = self.b
        return b.op("or", b.widen(b.op("lshr", b.op("and", address, 0x3FFFF), 4)), str(constant), "i64")

    def write(self):
        b, o, at = self.b, self.options, self.shared
        b.label("consumer")
        self.set_registers("inc", 1)
        self.place_threads()
        b.jump("c.tiles")
        b.label("c.tiles")
        carried = [("tile", "%block"), ("slot", "0"), ("phase", "0"), ("query_phase", "0")]
        carried += [("query_slot", "0")] if o.query_slots == 2 else []
        carried += [("next_phase", "0")] if o.dynamic else []
        for name, start in carried:
            b.phi(f"%c.{name}", "i32", (start, "consumer"), (f"%c.{name}.next", "c.store.end"))
        b.branch(b.compare("slt", "%c.tile", "%tiles"), "c.tile_body", "c.exit")
        b.label("c.tile_body")
        for name, value in zip(("row", "head", "blocks"), self.decode("%c.tile")):
            b.name(f"%c.{name}", value)
        b.barrier_wait(self.barrier(at.q_full, "%c.query_slot" if o.query_slots == 2 else None), "%c.query_phase")
        slot, phase = self.store(*self.blocks())
        b.name("%c.slot.next", slot)
        b.name("%c.phase.next", phase)
        self.learn_next_tile()
        self.next_query_slot("c")
        b.jump("c.tiles")
        b.label("c.exit")
        with b.when(b.compare("eq", "%c.thread", "0"), "c.drain"):
            b.asm("cp.async.bulk.wait_group 0;")
        b.line("ret void")

    def place_threads(self):
        """Operand descriptors, and where in the 64 x keys scores and in the result a thread's registers lie."""
        b, o, at = self.b, self.options, self.shared
        b.line("%c.group = sub i32 %warpgroup, 1")
        b.line("%c.lane = and i32 %thread, 31")
        b.line("%c.thread = and i32 %thread, 127")
        b.line("%c.warp = lshr i32 %c.thread, 5")
        b.line(f"%c.part = mul i32 %c.group, {at.query_part}")
        b.line("%c.queries = add i32 %base, %c.part")
        by_rows = DESCRIPTOR | (1 << 16)
        by_columns = DESCRIPTOR | ((o.keys * 8 if o.slabs > 1 else 1) << 16)  # values are read transposed: the next slab is a tile away
        self.query_operand = self.descriptor("%c.queries", by_rows)
        self.key_operand = self.descriptor(b.op("add", "%base", at.keys), by_rows)
        self.value_operand = self.descriptor(b.op("add", "%base", at.values), by_columns)
        b.line(f"%c.barrier = add i32 %c.group, {2 + o.consumers}")
        lane_row = b.op("lshr", "%c.lane", 2)
        b.line("%c.warp_row = shl i32 %c.warp, 4")
        b.line("%c.group_row = shl i32 %c.group, 6")
        row = b.op("add", lane_row, "%c.warp_row")
        b.line(f"%c.score_row = add i32 {row}, %c.group_row")
        b.line(f"%c.score_column = shl i32 {b.op('and', '%c.lane', 3)}, 1")
        store_row = b.op("shl", b.op("add", b.op("and", "%c.lane", 15), "%c.warp_row"), 7)
        swizzle = b.op("shl", b.op("xor", b.op("lshr", "%c.lane", 4), b.op("and", "%c.lane", 7)), 4)
        b.line(f"%c.store_row = add i32 {store_row}, %c.queries")
        b.name("%c.store_swizzle", swizzle)

    def arrive(self, barrier):
        self.b.barrier_arrive_lane_0(barrier, "%c.lane")

    def slot_operand(self, operand, slot):
        b = self.b
        return b.op("add", operand, b.widen(b.op("mul", slot, self.shared.tile // 16)), "i64")

    def offset(self, operand, by):
        return self.b.op("add", operand, str(by), "i64") if by else operand

    def issue_scores(self, slot):
        b, o = self.b, self.options
        keys, queries, scores = self.slot_operand(self.key_operand, slot), self.query_operand, None
        if o.query_slots == 2:
            step = b.widen(b.op("mul", "%c.query_slot", self.shared.query_tile // 16))
            queries = b.op("add", queries, step, "i64")
        b.wgmma_fence()
        for k in range(o.head_dim // 16):
            inside, slab = k % 4 * 2, k // 4
            scores = b.wgmma_shared(
                o.keys, scores, self.offset(queries, inside + slab * 512), self.offset(keys, inside + slab * o.keys * 8)
            )
        b.wgmma_commit()
        return scores

    def issue_output(self, out, weights, slot):
        b, o = self.b, self.options
        values = self.slot_operand(self.value_operand, slot)
        b.wgmma_fence()
        for k in range(o.keys // 16):
            out = b.wgmma_registers(o.head_dim, out, weights[4 * k : 4 * k + 4], self.offset(values, k * 128))
        b.wgmma_commit()
        return out

    def row_elements(self, row):
        """Registers of a thread's upper (0) or lower (1) row of the scores."""
        return [4 * j + 2 * row + c for j in range(self.options.keys // 8) for c in range(2)]

    def mask(self, scores, block):
        b, o = self.b, self.options
        scores = list(scores)
        base = b.op("add", b.op("mul", block, o.keys), "%c.score_column")
        for row in range(2):
            limit = b.op("sub", "%length", 1)
            if o.causal:
                own = b.op("add", b.op("add", b.op("mul", "%c.row", o.rows), "%c.score_row"), 8 * row)
                limit = b.select(b.compare("slt", own, limit), own, limit)
            limit = b.op("sub", limit, base)
            for i in self.row_elements(row):
                hidden = b.compare("slt", limit, str(i // 4 * 8 + i % 2))
                scores[i] = b.select(hidden, NEGATIVE_INFINITY, scores[i], "float")
        return scores

    def maxima(self, scores, before):
        """Row maxima including those before, and the factors that repair what was summed up so far."""
        b, o = self.b, self.options
        maxima, factors = [], []
        for row in range(2):
            first, *rest = [scores[i] for i in self.row_elements(row)]
            for other in rest:
                first = b.maximum(first, other)
            for distance in (2, 1):
                first = b.maximum(first, b.from_lane_xor(first, distance))
            if before:
                first = b.maximum(first, before[row])
                if o.threshold is not None:
                    growth = b.op("fmul", b.op("fsub", first, before[row], "float"), "%scale", "float")
                    first = b.select(b.compare("ogt", growth, f"{o.threshold:.1f}", "float"), first, before[row], "float")
                factors.append(b.exp2(b.op("fmul", b.op("fsub", before[row], first, "float"), "%scale", "float")))
            maxima.append(first)
        return maxima, factors

    def exponentials(self, scores, maxima, sums_before, factors):
        """exp2(scale * (score - maximum)) and the row sums, of this thread's columns only."""
        b = self.b
        weights, sums = list(scores), []
        for row in range(2):
            shift = b.op("fmul", maxima[row], "%negative_scale", "float")
            elements = self.row_elements(row)
            for i in elements:
                weights[i] = b.exp2(b.fma(scores[i], "%scale", shift))
            total = weights[elements[0]]
            for i in elements[1:]:
                total = b.op("fadd", total, weights[i], "float")
            sums.append(b.fma(sums_before[row], factors[row], total) if factors else total)
        return weights, sums

    def halves(self, weights):
        """An accumulator's registers, pairwise, are the registers of the left operand."""
        return [self.b.pack(weights[i], weights[i + 1]) for i in range(0, len(weights), 2)]

    def repair(self, out, factors):
        """Output times factors; with a threshold, only if a row of the warp needs it."""
        b = self.b
        if self.options.threshold is None:
            return [b.op("fmul", x, factors[i // 2 % 2], "float") for i, x in enumerate(out)], b.block
        shrinks = [b.compare("olt", factor, "1.0", "float") for factor in factors]
        any_row = b.call("llvm.nvvm.vote.any.sync", "i1", [("i32", "-1"), ("i1", b.op("or", *shrinks, "i1"))])
        before = b.block
        with b.when(any_row, "c.repair"):
            repaired = [b.op("fmul", x, factors[i // 2 % 2], "float") for i, x in enumerate(out)]
        joined = [b.value(f"phi float [{x}, %{before}], [{y}, %c.repair]") for x, y in zip(out, repaired)]
        return joined, b.block

    def blocks(self):
        """All key blocks of a tile but for the last PV product; gives output, weights and sums so far, and the slot of the last values."""
        b, o, at = self.b, self.options, self.shared
        b.barrier_wait(self.barrier(at.k_full, "%c.slot"), "%c.phase")
        last = b.op("sub", "%c.blocks", 1)
        scores = b.wgmma_wait(0, self.issue_scores("%c.slot"))
        self.arrive(self.barrier(at.k_empty, "%c.slot"))
        scores = self.mask(scores, last)
        maxima, _ = self.maxima(scores, None)
        weights, sums = self.exponentials(scores, maxima, None, None)
        weights = self.halves(weights)
        start = [[b.op("sub", "%c.blocks", 1), "%c.slot", "%c.phase"], ["0.0"] * (o.head_dim // 2), weights, maxima, sums]
        more = b.compare("sgt", start[0][0], "0")
        b.jump("c.before")
        b.label("c.before")
        b.branch(more, "c.block", "c.after")
        b.label("c.block")
        head = len(b.lines)
        kinds = ["i32", "float", "i32", "float", "float"]
        names = [[f"%c.{name}{i}" for i in range(len(values))] for name, values in zip(("s", "o", "p", "m", "l"), start)]
        after, end = self.block(*names)
        b.branch(b.compare("sgt", after[0][0], "0"), "c.block", "c.after")
        body = b.lines[head:]
        del b.lines[head:]
        for kind, *group in zip(kinds, names, start, after):
            for name, before, value in zip(*group):
                b.phi(name, kind, (before, "c.before"), (value, end))
        b.lines += body
        b.label("c.after")
        joined = []
        for kind, firsts, values in zip(kinds, start, after):
            joined.append([b.value(f"phi {kind} [{x}, %c.before], [{y}, %{end}]") for x, y in zip(firsts, values)])
        return joined[1], joined[2], joined[4], joined[0][1], joined[0][2]

    def block(self, state, out, weights, maxima, sums):
        """Scores of the next key block, issued before the PV product of this one. Gives the values after it and the block they end in."""
        b, at = self.b, self.shared
        left, slot, phase = state
        key_slot, key_phase = self.next_slot(slot, phase)
        b.barrier_wait(self.barrier(at.k_full, key_slot), key_phase)
        scores = self.issue_scores(key_slot)
        b.barrier_wait(self.barrier(at.v_full, slot), phase)
        out = self.issue_output(out, weights, slot)
        scores = b.wgmma_wait(1, scores)
        self.arrive(self.barrier(at.k_empty, key_slot))
        maxima, factors = self.maxima(scores, maxima)
        early = self.options.early_release
        if early:
            out = b.wgmma_wait(0, out)
            self.arrive(self.barrier(at.v_empty, slot))
        weights, sums = self.exponentials(scores, maxima, sums, factors)
        if not early:
            out = b.wgmma_wait(0, out)
            self.arrive(self.barrier(at.v_empty, slot))
        weights = self.halves(weights)
        out, end = self.repair(out, factors)
        return [[b.op("sub", left, 1), key_slot, key_phase], out, weights, maxima, sums], end

    def store(self, out, weights, sums, slot, phase):
        """The last PV product, divided by the sums, to memory. Gives the slot after."""
        b, o, at = self.b, self.options, self.shared
        b.barrier_wait(self.barrier(at.v_full, slot), phase)
        out = self.issue_output(out, weights, slot)
        inverse = []
        for total in sums:
            for distance in (1, 2):
                total = b.op("fadd", total, b.from_lane_xor(total, distance), "float")
            inverse.append(b.reciprocal(total))
        queries_empty = self.barrier(at.q_empty, "%c.query_slot" if o.query_slots == 2 else None)
        out = b.wgmma_wait(0, out)
        self.arrive(self.barrier(at.v_empty, slot))
        b.named_barrier("%c.barrier", 128)  # every warp of this group has read its queries: their memory takes the result
        for column in range(o.head_dim // 16):
            packed = []
            for i in range(0, 8, 2):
                factor, pair = inverse[i // 2 % 2], out[8 * column + i : 8 * column + i + 2]
                packed.append(b.pack(*[b.op("fmul", x, factor, "float") for x in pair]))
            address = b.op("add", "%c.store_row", column // 4 * 8192)
            address = b.op("add", address, b.op("xor", "%c.store_swizzle", 32 * (column % 4)))
            b.store_matrices(self.in_query_slot(address), packed)
        b.asm("fence.proxy.async.shared::cta;")
        b.named_barrier("%c.barrier", 128)
        with b.when(b.compare("eq", "%c.thread", "0"), "c.store"):
            source = self.in_query_slot("%c.queries")
            row = b.op("add", b.op("mul", "%c.row", o.rows), "%c.group_row")
            if self.whole_slabs:
                b.tma_store("%out", ["0", row, "0", "%c.head"], source)
            else:
                for slab in range(o.slabs):
                    b.tma_store("%out", [str(64 * slab), row, "%c.head"], b.op("add", source, slab * 8192))
            b.asm("cp.async.bulk.commit_group;")
            b.asm("cp.async.bulk.wait_group.read 0;")
            b.barrier_arrive(queries_empty)
        return self.next_slot(slot, phase)

    def in_query_slot(self, address):
        if self.options.query_slots == 1:
            return address
        return self.b.op("add", address, self.b.op("mul", "%c.query_slot", self.shared.query_tile))

    def learn_next_tile(self):
        b, at = self.b, self.shared
        if not self.options.dynamic:
            b.line("%c.tile.next = add i32 %c.tile, %blocks")
            return
        b.line("%c.next_phase.next = xor i32 %c.next_phase, 1")
        b.barrier_wait(self.barrier(at.next_full), "%c.next_phase")
        tile = b.asm("ld.shared.u32 $0, [$1];", "=r,r", typed("i32", self.barrier(at.next_tile)), ["i32"])[0]
        b.name("%c.tile.next", b.from_lane_0(tile))
        self.arrive(self.barrier(at.next_empty))
