// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear forms of index values, tiles and masks; see the header. Proofs are in IndexProofs.cpp.

#include "IndexForms.h"
#include "Splat.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

void LinearForm::add(const LinearForm &other, int64_t factor) {
  for (auto [value, coefficient] : other.terms) {
    int64_t &sum = terms[value];
    sum += factor * coefficient;
    if (sum == 0)
      terms.erase(value);
  }
  if (positions.size() < other.positions.size())
    positions.resize(other.positions.size(), 0);
  for (auto [i, coefficient] : llvm::enumerate(other.positions))
    positions[i] += factor * coefficient;
  constant += factor * other.constant;
}

static std::optional<int64_t> getIntegerSplat(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

LinearForm vrtile::getIndexForm(Value index) {
  LinearForm form;
  if (std::optional<int64_t> constant = getIntegerSplat(index)) {
    form.constant = *constant;
    return form;
  }
  Operation *op = index.getDefiningOp();
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op)) {
    form.add(getIndexForm(op->getOperand(0)), 1);
    form.add(getIndexForm(op->getOperand(1)), isa<arith::AddIOp>(op) ? 1 : -1);
    return form;
  }
  if (auto product = dyn_cast_if_present<arith::MulIOp>(op))
    if (std::optional<int64_t> factor = getIntegerSplat(product.getRhs())) {
      form.add(getIndexForm(product.getLhs()), *factor);
      return form;
    }
  form.terms[index] = 1;
  return form;
}

std::optional<LinearForm> vrtile::getTileForm(Value tile) {
  RankedTensorType type = getTileType(tile);
  if (!type || !type.getElementType().isIndex())
    return std::nullopt;
  LinearForm form;
  form.positions.assign(type.getRank(), 0);
  if (std::optional<int64_t> constant = getIntegerSplat(tile)) {
    form.constant = *constant;
    return form;
  }
  // Follows the source with its positions renamed by `where`.
  auto renamed = [&](Value source, auto where) -> std::optional<LinearForm> {
    std::optional<LinearForm> inner = getTileForm(source);
    if (!inner)
      return std::nullopt;
    SmallVector<int64_t> positions(type.getRank(), 0);
    for (auto [i, coefficient] : llvm::enumerate(inner->positions))
      positions[where(i)] = coefficient;
    inner->positions = positions;
    return inner;
  };
  Operation *op = tile.getDefiningOp();
  if (auto iota = dyn_cast_if_present<IotaOp>(op)) {
    form.add(getIndexForm(iota.getStart()), 1);
    form.positions[iota.getDim()] = 1;
    return form;
  }
  if (auto splat = dyn_cast_if_present<SplatOp>(op)) {
    form.add(getIndexForm(splat.getValue()), 1);
    return form;
  }
  if (auto broadcast = dyn_cast_if_present<BroadcastOp>(op))
    return renamed(broadcast.getSource(), [&](size_t i) { return broadcast.getDims()[i]; });
  if (auto transpose = dyn_cast_if_present<TransposeOp>(op))
    return renamed(transpose.getSource(), [&](size_t i) {
      return llvm::find(transpose.getPermutation(), int64_t(i)) -
             transpose.getPermutation().begin();
    });
  if (!isa_and_present<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<LinearForm> lhs = getTileForm(op->getOperand(0));
  std::optional<LinearForm> rhs = getTileForm(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (!isa<arith::MulIOp>(op)) {
    lhs->add(*rhs, isa<arith::AddIOp>(op) ? 1 : -1);
    return lhs;
  }
  std::optional<int64_t> factor = getIntegerSplat(op->getOperand(1));
  if (!factor)
    return std::nullopt;
  form.add(*lhs, *factor);
  return form;
}

std::optional<MaskForm> vrtile::getMaskForm(arith::CmpIOp mask) {
  RankedTensorType type = getTileType(mask.getLhs());
  std::optional<LinearForm> lhs = getTileForm(mask.getLhs()), rhs = getTileForm(mask.getRhs());
  if (!type || !lhs || !rhs)
    return std::nullopt;
  using P = arith::CmpIPredicate;
  MaskForm result;
  llvm::append_range(result.shape, type.getShape());
  auto require = [&](const LinearForm &greater, const LinearForm &less, int64_t slack) {
    LinearForm &form = result.conditions.emplace_back(greater);
    form.add(less, -1);
    form.constant -= slack;
  };
  switch (mask.getPredicate()) {
  case P::slt:
    require(*rhs, *lhs, 1);
    return result;
  case P::sle:
    require(*rhs, *lhs, 0);
    return result;
  case P::sgt:
    require(*lhs, *rhs, 1);
    return result;
  case P::sge:
    require(*lhs, *rhs, 0);
    return result;
  case P::ult:
  case P::ule:
    // Below zero is above every bound, if the bound is not below zero itself.
    if (!isProvenNonNegative(*rhs, type.getShape()))
      return std::nullopt;
    require(*rhs, *lhs, mask.getPredicate() == P::ult);
    require(*lhs, LinearForm(), 0);
    return result;
  default:
    return std::nullopt;
  }
}

LinearForm vrtile::getExtreme(const LinearForm &form, ArrayRef<int64_t> shape, bool greatest) {
  LinearForm result = form;
  for (auto [coefficient, size] : llvm::zip(form.positions, shape))
    if ((coefficient > 0) == greatest)
      result.constant += coefficient * (size - 1);
  result.positions.clear();
  return result;
}

Value vrtile::buildIndexForm(OpBuilder &b, Location loc, const LinearForm &form) {
  Value sum;
  auto add = [&](Value term) {
    sum = sum ? arith::AddIOp::create(b, loc, sum, term).getResult() : term;
  };
  for (auto [value, coefficient] : form.terms) {
    if (coefficient == 1) {
      add(value);
      continue;
    }
    if (coefficient == -1 && sum) {
      sum = arith::SubIOp::create(b, loc, sum, value);
      continue;
    }
    Value factor = arith::ConstantIndexOp::create(b, loc, coefficient);
    add(arith::MulIOp::create(b, loc, value, factor));
  }
  if (form.constant != 0 || !sum)
    add(arith::ConstantIndexOp::create(b, loc, form.constant));
  return sum;
}
