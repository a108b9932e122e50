// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks at each call that subscripts stay inside their tensors. A bare axis over the tensor's own
// dim always does; what else follows from static extents is proven here, and the rest depends on
// the call: `A[i + 1]` over M of A[N] needs M + 1 <= N.

#include "BoundsChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace mlir::nautilus;

namespace {
/// A number that is known now, or at the call.
struct Number {
  std::optional<int64_t> known;
  Value value; // i64, where it is not known
};

struct Interval {
  Number low, high;
};

class Checker {
public:
  Checker(OpBuilder &b, scalar::KernelOp kernel, llvm::function_ref<Value(StringAttr)> extentOf)
      : b(b), kernel(kernel), extentOf(extentOf) {}

  template <typename StatementOp> void check(StatementOp op, const TensorTable &table);

private:
  Value get(const Number &number) {
    return number.known ? arith::ConstantIntOp::create(b, loc, *number.known, 64).getResult()
                        : number.value;
  }
  Number extent(StringAttr dim) {
    int64_t size = kernel.lookupDim(dim).getSize();
    return ShapedType::isDynamic(size) ? Number{std::nullopt, extentOf(dim)} : Number{size, {}};
  }
  Number add(const Number &x, const Number &y) {
    if (x.known && y.known)
      return {*x.known + *y.known, {}};
    return {std::nullopt, arith::AddIOp::create(b, loc, get(x), get(y))};
  }
  Number multiply(const Number &x, int64_t factor) {
    if (x.known)
      return {*x.known * factor, {}};
    return {std::nullopt, arith::MulIOp::create(b, loc, x.value, get({factor, {}}))};
  }
  Number divide(const Number &x, int64_t divisor) {
    if (x.known)
      return {llvm::divideFloorSigned(*x.known, divisor), {}};
    return {std::nullopt, arith::FloorDivSIOp::create(b, loc, x.value, get({divisor, {}}))};
  }
  /// The values that an expression takes over the axes; nothing for forms beyond affine ones.
  std::optional<Interval> range(AffineExpr expr, ArrayRef<Number> extents);
  void emit(StringRef statement, unsigned dim, StringRef tensor, const Interval &subscript,
            const Number &size, ArrayRef<Number> extents);

  OpBuilder &b;
  scalar::KernelOp kernel;
  Location loc = kernel.getLoc();
  llvm::function_ref<Value(StringAttr)> extentOf;
};
} // namespace

std::optional<Interval> Checker::range(AffineExpr expr, ArrayRef<Number> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Interval{{constant.getValue(), {}}, {constant.getValue(), {}}};
  if (auto axis = dyn_cast<AffineDimExpr>(expr))
    return Interval{{0, {}}, add(extents[axis.getPosition()], {-1, {}})};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Interval> left = range(binary.getLHS(), extents);
  if (!left)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<Interval> right = range(binary.getRHS(), extents);
    if (!right)
      return std::nullopt;
    return Interval{add(left->low, right->low), add(left->high, right->high)};
  }
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return std::nullopt;
  int64_t number = constant.getValue();
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    if (number < 0)
      std::swap(left->low, left->high);
    return Interval{multiply(left->low, number), multiply(left->high, number)};
  case AffineExprKind::FloorDiv:
    return Interval{divide(left->low, number), divide(left->high, number)};
  case AffineExprKind::Mod:
    return Interval{{0, {}}, {number - 1, {}}};
  default:
    return std::nullopt;
  }
}

void Checker::emit(StringRef statement, unsigned dim, StringRef tensor, const Interval &subscript,
                   const Number &size, ArrayRef<Number> extents) {
  auto compare = [&](arith::CmpIPredicate predicate, const Number &x, const Number &y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, get(x), get(y));
  };
  Value good = compare(arith::CmpIPredicate::sge, subscript.low, {0, {}});
  Value below = compare(arith::CmpIPredicate::slt, subscript.high, size);
  good = arith::AndIOp::create(b, loc, good, below);
  // Over no points there is nothing to read.
  for (const Number &extent : extents)
    if (!extent.known)
      good = arith::OrIOp::create(b, loc, good, compare(arith::CmpIPredicate::eq, extent, {0, {}}));
  std::string message = ("expected subscript " + Twine(dim) + " of " + tensor + " in " + statement +
                         " to stay inside [0, {0}), got {1} to {2}")
                            .str();
  host::CheckOp::create(b, loc, good, message,
                        ValueRange{get(size), get(subscript.low), get(subscript.high)});
}

template <typename StatementOp> void Checker::check(StatementOp op, const TensorTable &table) {
  loc = op.getLoc();
  SmallVector<StringAttr> dims;
  for (unsigned i = 0; i < op.getNumAxes(); ++i)
    dims.push_back(op.getAxis(i).getDim());
  for (auto [input, attribute] : llvm::zip(op.getInputs(), op.getIndexingMaps())) {
    auto found = table.reads.find(input);
    if (found == table.reads.end())
      continue;
    const WholeTensor &tensor = table.tensors[found->second];
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto axis = dyn_cast<AffineDimExpr>(expr);
      if (axis && dims[axis.getPosition()] == tensor.dims[dim])
        continue;
      SmallVector<Number> extents =
          llvm::map_to_vector(dims, [&](StringAttr d) { return extent(d); });
      if (llvm::any_of(extents, [](const Number &n) { return n.known == 0; }))
        continue;
      std::optional<Interval> subscript = range(expr, extents);
      Number size = extent(tensor.dims[dim]);
      if (!subscript ||
          (subscript->low.known && *subscript->low.known >= 0 && subscript->high.known &&
           size.known && *subscript->high.known < *size.known))
        continue;
      emit(op.getName(), dim, tensor.name ? tensor.name.getValue() : "an intermediate", *subscript,
           size, extents);
    }
  }
}

void nautilus::buildBoundsChecks(OpBuilder &builder, scalar::KernelOp kernel,
                                 const TensorTable &table,
                                 llvm::function_ref<Value(StringAttr)> extentOf) {
  Checker checker(builder, kernel, extentOf);
  kernel.walk([&](Operation *op) {
    if (auto map = dyn_cast<scalar::MapOp>(op))
      checker.check(map, table);
    else if (auto reduce = dyn_cast<scalar::ReduceOp>(op))
      checker.check(reduce, table);
  });
}
