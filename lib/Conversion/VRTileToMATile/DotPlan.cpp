// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for products on tensor cores. Shapes follow from rules (PTX ISA: wgmma m64nNk16 with N
// = 8..256 in steps of 8; mma.sync m16n8k16), not from a list.

#include "DotPlan.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "nautilus/Machine/Machine.h"

using namespace mlir;
using namespace mlir::nautilus;

static RankedTensorType getTile(Value value) { return cast<RankedTensorType>(value.getType()); }

vrtile::LoadOp mlir::nautilus::getOperandLoad(Value operand, bool &transposed) {
  while (auto op = operand.getDefiningOp<vrtile::TransposeOp>()) {
    transposed = !transposed;
    operand = op.getSource();
  }
  return operand.getDefiningOp<vrtile::LoadOp>();
}

/// Whether an operand can be given more columns of zeros along its contraction: it comes from
/// memory, all of the tensor's dim is in the tile.
static bool canPad(Value operand, bool transposed, bool isLhs) {
  vrtile::LoadOp load = getOperandLoad(operand, transposed);
  if (!load)
    return false;
  RankedTensorType tile = getTile(load.getResult());
  unsigned dim = transposed == isLhs ? 0 : 1; // of the contraction, in memory
  return cast<MemRefType>(load.getSource().getType()).getDimSize(load.getWalk()[dim]) ==
         tile.getDimSize(dim);
}

static bool hasWgmma(StringRef arch) {
  const auto *machine = ::nautilus::machine::lookup(arch);
  return machine && machine->hasWgmma;
}

DotPlan::DotPlan(vrtile::KernelOp kernel, StringRef arch) : hopper(hasWgmma(arch)) {
  deriveWarps(kernel);
  auto options = scalar::LaunchAttr::lookup(kernel);
  if (!options || options.getWarps() == 0 || options.getWarps() == warps)
    return;
  refusal = getObstacle(kernel, options.getWarps());
  if (refusal.empty())
    warps = options.getWarps();
}

std::string DotPlan::getObstacle(vrtile::KernelOp kernel, int64_t asked) const {
  std::string obstacle;
  bool hasDots = false;
  kernel.getBody().walk([&](vrtile::DotOp dot) {
    hasDots |= choose(dot, warps).onTensorCores();
    if (obstacle.empty() && choose(dot, warps).onTensorCores())
      obstacle = choose(dot, asked).reason;
  });
  if (!hasDots && !llvm::isPowerOf2_64(asked))
    obstacle = "tiles without products are spread over a power of two of warps";
  return obstacle;
}

void DotPlan::deriveWarps(vrtile::KernelOp kernel) {
  int64_t found = 0;
  kernel.getBody().walk([&](vrtile::DotOp dot) {
    int64_t rows = getTile(dot.getAcc()).getDimSize(0);
    int64_t candidate =
        hopper ? 4 * std::min<int64_t>(rows / 64, 3) : std::min<int64_t>(rows / 16, 4);
    for (int64_t step = hopper ? 4 : 1; candidate > 0; candidate -= step)
      if (choose(dot, candidate).onTensorCores())
        break;
    found = std::max(found, candidate);
  });
  if (found > 0)
    warps = found;
}

DotChoice DotPlan::choose(vrtile::DotOp dot, int64_t warps) const {
  RankedTensorType lhs = getTile(dot.getLhs()), acc = getTile(dot.getAcc());
  Type in = lhs.getElementType();
  int64_t m = acc.getDimSize(0), n = acc.getDimSize(1),
          k = lhs.getDimSize(dot.getTransposeLhs() ? 0 : 1);
  DotChoice choice;
  choice.contraction = llvm::alignTo(k, 16);
  auto no = [&](const Twine &reason) {
    choice.reason = reason.str();
    choice.contraction = k;
    return choice;
  };
  if (!(in.isF16() || in.isBF16()) || !acc.getElementType().isF32())
    return no("its operands are not 16-bit floats with an f32 accumulator");
  if (hopper && warps % 4)
    return no("its " + Twine(m) + " rows are not a multiple of 64 per warpgroup");
  // Repetitions along the rows are a power of two; three warpgroups have none.
  if (m % (16 * warps) || (!llvm::isPowerOf2_64(warps) && m != 16 * warps) ||
      !llvm::isPowerOf2_64(m / (16 * warps)))
    return no("its " + Twine(m) + " rows cannot be spread evenly over " + Twine(warps) +
              " warps, 16 rows each");
  if (n % 8 || n > 256)
    return no("its " + Twine(n) + " columns are not a multiple of 8 up to 256");
  if (k % 16 && !(canPad(dot.getLhs(), dot.getTransposeLhs(), true) &&
                  canPad(dot.getRhs(), dot.getTransposeRhs(), false)))
    return no("its contraction of " + Twine(k) + " is not a multiple of 16 and cannot be padded");
  choice.kind = hopper ? matile::DotKind::Wgmma : matile::DotKind::MmaSync;
  return choice;
}
