// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates loop bounds at sample extents; see the header.

#include "TripCounts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

/// Dynamic extents are taken to be this; large against tiles.
static constexpr int64_t sampleExtent = 4096;

static std::optional<int64_t> compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  return std::nullopt;
}

/// An op with two operands, or nothing where it is none that index arithmetic is made of.
static std::optional<int64_t> combine(Operation *op, int64_t a, int64_t b) {
  using Result = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddIOp>([&](auto) { return a + b; })
      .Case<arith::SubIOp>([&](auto) { return a - b; })
      .Case<arith::MulIOp>([&](auto) { return a * b; })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return std::min(a, b); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return std::max(a, b); })
      .Case<arith::AndIOp>([&](auto) { return a & b; })
      .Case<arith::OrIOp>([&](auto) { return a | b; })
      .Case<arith::CmpIOp>([&](auto o) { return compare(o.getPredicate(), a, b); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return b == 0 ? Result() : Result(a / b); })
      .Case<arith::FloorDivSIOp>(
          [&](auto) { return b == 0 ? Result() : Result(llvm::divideFloorSigned(a, b)); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return b == 0 ? Result() : Result(llvm::divideCeilSigned(a, b)); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return b == 0 ? Result() : Result(a % b); })
      .Default([](Operation *) { return Result(); });
}

std::optional<int64_t> IndexEvaluator::compute(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return isa<KernelOp>(arg.getOwner()->getParentOp()) && arg.getType().isIndex()
               ? std::optional(sample)
               : std::nullopt;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getBitWidth() == 1 ? int64_t(constant.getZExtValue()) : constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return evaluate(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<int64_t> condition = evaluate(select.getCondition());
    if (!condition)
      return std::nullopt;
    return evaluate(*condition ? select.getTrueValue() : select.getFalseValue());
  }
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> a = evaluate(op->getOperand(0)), b = evaluate(op->getOperand(1));
  return a && b ? combine(op, *a, *b) : std::nullopt;
}

std::optional<int64_t> IndexEvaluator::evaluate(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  std::optional<int64_t> result = compute(value);
  if (result)
    known[value] = *result;
  return result;
}

/// Iterations of all loops whose bounds are known for the block at that place.
static int64_t countIterations(KernelOp kernel, OriginOp origin, Operation *items, unsigned axis,
                               int64_t place) {
  llvm::DenseMap<Value, int64_t> origins;
  for (auto [i, result] : llvm::enumerate(origin.getOrigins()))
    origins[result] = i == axis ? place : 0;
  IndexEvaluator evaluator(std::move(origins), sampleExtent);
  int64_t total = 0;
  kernel.getBody().walk([&](scf::ForOp loop) {
    if (loop == items)
      return;
    std::optional<int64_t> first = evaluator.evaluate(loop.getLowerBound()),
                           end = evaluator.evaluate(loop.getUpperBound()),
                           step = evaluator.evaluate(loop.getStep());
    if (first && end && step && *step > 0 && *first < *end)
      total += llvm::divideCeilSigned(*end - *first, *step);
  });
  return total;
}

std::optional<WorkAxis> matile::findWorkAxis(KernelOp kernel, OriginOp origin, Operation *items) {
  std::optional<WorkAxis> found;
  int64_t most = 0;
  for (auto [axis, tile] : llvm::enumerate(origin.getTiles())) {
    int64_t extent = origin.getStaticExtents()[axis];
    if (ShapedType::isDynamic(extent))
      extent = sampleExtent;
    int64_t last = (extent - 1) / tile * tile;
    int64_t change = countIterations(kernel, origin, items, axis, last) -
                     countIterations(kernel, origin, items, axis, 0);
    if (std::abs(change) > most) {
      most = std::abs(change);
      found = {unsigned(axis), change > 0};
    }
  }
  return found;
}
