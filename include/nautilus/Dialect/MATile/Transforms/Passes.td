// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on nautilus_matile, in the order of the pipeline.

#ifndef NAUTILUS_DIALECT_MATILE_TRANSFORMS_PASSES_TD
#define NAUTILUS_DIALECT_MATILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MakePersistentPass : Pass<"nautilus-matile-make-persistent", "::mlir::ModuleOp"> {
  let summary = "let each block work through several tiles of the grid";
  let description = [{
    *What and why.* The body of a kernel becomes a loop over work items, one for each block that the grid had; the launch gets at most as many blocks as the
    device has multiprocessors, and block b takes items b, b + blocks, and so on. Once tiles flow through channels, whose positions are carried from item to
    item, the producer runs ahead into the next item: its tiles are copied while the computing warps still finish and store the last one, and
    prologues are paid once per multiprocessor. A tile that is staged once per item becomes double-buffered.

    *Requires.* Runs before channels are made. Kernels ask for it by their launch options.

    *Guarantees.* Every item is computed by exactly one block; a grid smaller than the device is launched as it was. The host entry refuses a call
    with more items than 32-bit item numbers can count.

    *Example.* `test/Dialect/MATile/Transforms/make-persistent.mlir`

    *Refuses.* With a missed remark: a kernel that stages nothing (no copy could run ahead), one without a grid, one that no host entry launches.
  }];
  let options = [
    Option<"all", "all", "bool", "false", "Every kernel, whatever its launch options say; for tests"> 
  ];
  let dependentDialects = ["::mlir::nautilus::matile::MATileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numPersistent", "num-persistent", "Kernels made persistent">];
}

def OrderItemsPass : Pass<"nautilus-matile-order-items", "::mlir::ModuleOp"> {
  let summary = "start the tiles of a grid in an order that suits the machine";
  let description = [{
    *What and why.* Maps the number of a block, or of a work item, to another tile. The tiles of all axes but one are taken in sections; within a section
    that one axis is walked slowest.

    `longest_first`: the axis along which loops grow is walked from its long end, so that no long tile starts when the others are done (longest
    processing time first). A section has as many positions of the other axes as read at most two thirds of the L2 cache in their loops; the host computes it at
    each call.

    `grouped`: the last axis is walked slowest within groups of the one before it, so that what a wave of blocks computes is about a square and
    reads least.

    *Requires.* Runs after kernels are made persistent and before channels are made.

    *Guarantees.* Each tile is taken exactly once, whatever the extents.

    *Example.* `test/Dialect/MATile/Transforms/order-items.mlir`

    *Refuses.* With a missed remark: `longest_first` where no loop depends on the tile or no launch is known, `grouped` with fewer than two axes of several tiles, a
    kernel without a grid.
  }];
  let options = [
    Option<"order", "order", "::mlir::nautilus::scalar::GridOrder", "::mlir::nautilus::scalar::GridOrder::Natural", "The order for kernels whose launch options leave it natural; for tests",
      [{::llvm::cl::values(
      clEnumValN(::mlir::nautilus::scalar::GridOrder::Natural, "natural", "as they are numbered"),
      clEnumValN(::mlir::nautilus::scalar::GridOrder::LongestFirst, "longest_first", "those with long loops first"),
      clEnumValN(::mlir::nautilus::scalar::GridOrder::Grouped, "grouped", "neighbours together"))}]>,
    Option<"arch", "arch", "std::string", "\"sm_90a\"", "Target architecture, for its multiprocessors and cache">
  ];
  let dependentDialects = ["::mlir::nautilus::matile::MATileDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numOrdered", "num-ordered", "Kernels whose tiles are taken in another order">];
}

def MakeChannelsPass : Pass<"nautilus-matile-make-channels", "::mlir::nautilus::matile::KernelOp"> {
  let summary = "turn staged tiles into channels and give filling and computing to different warps";
  let description = [{
    *What and why.* Every `stage` becomes a `put` into a channel and a `get` from it, with a `release` after the last use, and the kernel's body is split in two:
    a producer warpgroup that runs the loops with the puts only, and the computing warps that run everything else. The producer runs ahead by as
    many tiles as a channel has slots, so that copies and products overlap. Stages of one tensor in different loops share a channel.

    A channel filled outside of loops has one slot. In the innermost loops it has as many as the launch options say, or as fit besides the largest result tile; in
    loops around those it has two, so that the next tile is there when its turn comes. What does not fit into shared memory is given up, outer loops first.

    *Requires.* Stages have tensor maps; they stand at the kernel's top level or in `scf.for` loops.

    *Guarantees.* No `stage` is left. Puts and gets of a channel count alike, so that slot and phase follow from a running count that
    loops carry.

    *Example.* `test/Dialect/MATile/Transforms/make-channels.mlir`

    *Refuses.* A kernel with a stage below any other op than `scf.for` is a located error. Fewer slots than asked for, for want of shared memory, is a missed
    remark.
  }];
  let options = [
    Option<"slots", "slots", "int64_t", "0", "Slots of a channel that is filled in the innermost loops, where the launch options leave it open; 0: as many as shared memory has room for, 2 to 4">,
    Option<"limit", "limit", "int64_t", "232448", "Bytes of shared memory that a block may have (default: sm_90)">
  ];
  let dependentDialects = ["::mlir::nautilus::matile::MATileDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numChannels", "num-channels", "Channels made">];
}

def ChainProductsPass : Pass<"nautilus-matile-chain-products", "::mlir::nautilus::matile::KernelOp"> {
  let summary = "keep the products of an accumulation in flight from one iteration to the next";
  let description = [{
    *What and why.* A loop whose one product adds to a carried accumulator that nothing else reads need not wait for the product in the iteration that issues it: the
    tensor cores would stand idle until the next one is issued. The product is only started; the iteration then waits for the one before it, whose tiles are
    released one iteration late, and the last product is waited for behind the loop.

    *Requires.* Channels in place of stages; counts that advance by one per iteration.

    *Guarantees.* At most two products are in flight; a tile is released after the product that reads it. A loop that runs no iteration releases nothing.

    *Example.* `test/Dialect/MATile/Transforms/chain-products.mlir`

    *Refuses.* With a missed remark, an accumulation whose operands are neither got in the iteration nor older than the loop. Loops with
    several products, or whose accumulator has other uses, are no such accumulations and stay as they are.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numChained", "num-chained", "Accumulations kept in flight">];
}

def StartDotsPass : Pass<"nautilus-matile-start-dots", "::mlir::nautilus::matile::KernelOp"> {
  let summary = "take products apart into a start and a wait";
  let description = [{
    *What and why.* A `dot` of kind `wgmma` becomes a `start_dot` and a `wait_dot`, the wait as late as it may stand in the block: in front of the first use of the
    result or the release of a slot that the product reads. Sums that `nautilus-matile-chain-products` keeps in flight are left alone.
    *Requires.* Channels in place of stages: a slot stays as it is until its release.

    *Guarantees.* Results are those of the `dot`. `pending` of each wait is the most that is right on every way to it.

    *Example.* `test/Dialect/MATile/Transforms/start-dots.mlir`

    ```mlir
    %b = nautilus_matile.get %channel at %n
    %s = nautilus_matile.dot <wgmma> %a, %b, %zero
    nautilus_matile.release %channel at %n
    // becomes
    %b = nautilus_matile.get %channel at %n
    %flying = nautilus_matile.start_dot %a, %b, %zero
    %s = nautilus_matile.wait_dot %flying pending 0
    nautilus_matile.release %channel at %n
    ```

    *Refuses.* With a missed remark: a product whose operands lie in buffers that the computing warps fill themselves.
  }];
  let dependentDialects = ["::mlir::nautilus::matile::MATileDialect"];
  let statistics = [Statistic<"numStarted", "num-started", "Products taken apart">];
}

def PlanPipelinePass : Pass<"nautilus-matile-plan-pipeline", "::mlir::nautilus::matile::KernelOp"> {
  let summary = "choose in which iteration and order the ops of a loop run, so that products overlap other work";
  let description = [{
    *What and why.* Writes `nautilus_matile.stage` and `nautilus_matile.order` on every op of a loop body that starts products. Stages follow from the dependence
    graph: an op is in the latest stage of its operands, and a product that depends on another product of the same iteration is one later. So the next
    iteration's first product is issued before this iteration's second one, and both run beside the work between them. Gets and scalar work go to the stage that
    needs them.

    The order is: all products, earliest stage first; what leads to reductions between the products (threads exchange values there, which takes long); the waits, each
    followed by the releases that it allows; the rest in program order. The operand of a product that comes from registers is not made anew before the
    wait for the product that reads the old one.

    *Requires.* Products taken apart by `nautilus-matile-start-dots`.

    *Guarantees.* Only attributes change.

    *Example.* `test/Dialect/MATile/Transforms/plan-pipeline.mlir`

    ```mlir
    %k = get %keys at %n                       // stage 0, order 0
    %s = start_dot %q, %k transpose, %zero     // stage 0, order 1
    %t = wait_dot %s                           // stage 0, order 4
    release %keys at %n                        // stage 0, order 5
    %m = reduce %t                             // stage 0, order 6
    %p = ... %t, %m                            // stage 0, order 9
    %v = get %values at %n                     // stage 1, order 2
    %o = start_dot %p, %v, %acc                // stage 1, order 3
    %r = wait_dot %o                           // stage 1, order 7
    release %values at %n                      // stage 1, order 8
    ```

    *Refuses.* With a missed remark that names the reason: no product depends on another one, a chain of more than two, fragments that do not fit
    into registers together, memory accessed in two stages, a carried value from outside of the loop.
  }];
  let dependentDialects = ["::mlir::nautilus::matile::MATileDialect"];
  let statistics = [Statistic<"numPlanned", "num-planned", "Loops with a plan">];
}

def PipelineLoopsPass : Pass<"nautilus-matile-pipeline-loops", "::mlir::nautilus::matile::KernelOp"> {
  let summary = "make the loops that a plan describes";
  let description = [{
    *What and why.* Every loop whose ops have `nautilus_matile.stage` and `nautilus_matile.order` is made anew by upstream's SCF pipeliner: a prologue with the first stage
    of the first iteration, a loop of ops in the plan's order, an epilogue with the last stage of the last iteration, all below a guard that there is
    an iteration. The counts of channels are carried values like others, so that slots and phases stay right whatever the trip count.

    *Requires.* A plan on every op of a loop body, or on none.

    *Guarantees.* Any trip count, also 0. The attributes are gone; `pending` of each wait is the most that is right on every way to it.

    *Example.* `test/Dialect/MATile/Transforms/pipeline-loops.mlir`

    ```mlir
    scf.for { A (stage 0); B (stage 1) }
    // becomes
    scf.if %any { A(first); scf.for { A(next); B }; B(last) }
    ```

    *Refuses.* A plan that breaks a dependence is a located error.
  }];
  let dependentDialects = ["::mlir::nautilus::matile::MATileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numPipelined", "num-pipelined", "Loops pipelined">];
}

def StoreThroughSharedPass : Pass<"nautilus-matile-store-through-shared", "::mlir::nautilus::matile::KernelOp"> {
  let summary = "let result tiles leave through shared memory by TMA";
  let description = [{
    *What and why.* A `store` that has a tensor map becomes a `write` to a buffer and a `copy_out` from it. Threads of an accumulator hold pairs of elements in rows far
    apart, which global memory takes in pieces of 4 bytes; from shared memory TMA writes whole rows, clips them at the tensor's bounds, and needs one
    thread. The buffer is the slot of an operand of the same type that has been released before the store, whose release then waits for the copy; else one
    of its own.

    *Requires.* Channels in place of stages; loops are pipelined.

    *Guarantees.* The same elements are stored. A slot is released after the copy has read it.

    *Example.* `test/Dialect/MATile/Transforms/store-through-shared.mlir`

    ```mlir
    release %queries at %c0
    store %tile, %O[%i, %c0] walk [0, 1] bounds [?, -1](%m) map %map swizzle 128
    // becomes
    write %tile, %q
    copy_out %q, %O[%i, %c0] walk [0, 1] bounds [?, -1](%m) map %map
    release %queries at %c0
    ```

    *Refuses.* With a missed remark, a tile that shared memory has no room for; threads store it.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "232448", "Bytes of shared memory that a block may have (default: sm_90)">
  ];
  let dependentDialects = ["::mlir::nautilus::matile::MATileDialect"];
  let statistics = [Statistic<"numCopied", "num-copied", "Tiles that leave through shared memory">];
}

def AllocateSharedPass : Pass<"nautilus-matile-allocate-shared", "::mlir::nautilus::matile::KernelOp"> {
  let summary = "lay out shared memory: channels, buffers, scratch, barriers";
  let description = [{
    *What and why.* Gives every channel, `alloc` and scratch use its offset in the block's dynamic shared memory and writes the total on the kernel. Swizzled
    buffers start at multiples of 1024 bytes; scratch of conversions and reductions is shared by all of them, since each is fenced by barriers.

    *Requires.* Channels in place of stages.

    *Guarantees.* Offsets are set and regions do not overlap, except scratch.

    *Example.* `test/Dialect/MATile/Transforms/allocate-shared.mlir`

    *Refuses.* A kernel that needs more shared memory than the architecture gives a block is an error with both numbers.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "232448", "Bytes of shared memory that a block may have (default: sm_90)">
  ];
  let statistics = [Statistic<"numBytes", "num-bytes", "Bytes of shared memory laid out">];
}

#endif
