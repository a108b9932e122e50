// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subscript over a product dim is a number in mixed radix. `h / R` and `h % R` take digits of it,
// `g * R + r` puts digits together; so these stay affine when every extent is dynamic.

#include "Subscripts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

namespace {
/// A product of dims: its static part and the dynamic dims, sorted.
struct Product {
  int64_t size = 1;
  llvm::SmallVector<const Dim *, 2> dims;
  bool operator==(const Product &other) const { return size == other.size && dims == other.dims; }

  void multiply(const Dim *dim) {
    if (dim->size)
      size *= *dim->size;
    else
      dims.insert(llvm::upper_bound(dims, dim), dim);
  }
};
} // namespace

static Product getProduct(llvm::ArrayRef<const Dim *> extent) {
  Product product;
  for (const Dim *dim : extent)
    product.multiply(dim);
  return product;
}

/// The product that a formula of dims and numbers is, if it is one.
static std::optional<Product> getProduct(const Node *node) {
  Product product;
  if (node->kind == Node::DimValue) {
    product.multiply(node->dim);
    return product;
  }
  if (node->kind == Node::Literal && node->type == Elem::Int && node->integer > 0) {
    product.size = node->integer;
    return product;
  }
  if (node->kind != Node::Op || node->opcode != Opcode::Mul)
    return std::nullopt;
  std::optional<Product> l = getProduct(node->args[0]), r = getProduct(node->args[1]);
  if (!l || !r || llvm::MulOverflow(l->size, r->size, l->size))
    return std::nullopt;
  for (const Dim *dim : r->dims)
    l->multiply(dim);
  return l;
}

Extent SubscriptLowering::getExtent(llvm::ArrayRef<unsigned> digits) const {
  Extent extent;
  for (unsigned digit : digits)
    extent.push_back(scope.flatAxes[digit].dim);
  return extent;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

SubscriptLowering::Form SubscriptLowering::evaluateOp(const Node *node) {
  Form form;
  Form l = evaluate(node->args[0]);
  if (node->opcode == Opcode::Neg) {
    form.expr = l.expr ? -l.expr : AffineExpr();
    return form;
  }
  Form r = evaluate(node->args[1]);
  auto constant = [](AffineExpr expr) {
    auto value = dyn_cast_or_null<AffineConstantExpr>(expr);
    return value ? std::optional(value.getValue()) : std::nullopt;
  };
  switch (node->opcode) {
  case Opcode::Add: {
    if (l.expr && r.expr)
      form.expr = l.expr + r.expr;
    // g * R + r
    const Node *scaled = node->args[0];
    if (r.digits.empty() || scaled->kind != Node::Op || scaled->opcode != Opcode::Mul)
      return form;
    Form high = evaluate(scaled->args[0]);
    std::optional<Product> radix = getProduct(scaled->args[1]);
    if (!high.digits.empty() && radix && *radix == getProduct(getExtent(r.digits))) {
      form.digits = high.digits;
      form.digits.append(r.digits);
    }
    return form;
  }
  case Opcode::Sub:
    if (l.expr && r.expr)
      form.expr = l.expr - r.expr;
    return form;
  case Opcode::Mul:
    if (l.expr && r.expr && (constant(l.expr) || constant(r.expr)))
      form.expr = l.expr * r.expr;
    return form;
  case Opcode::FloorDiv:
  case Opcode::Mod: {
    bool isMod = node->opcode == Opcode::Mod;
    if (l.expr && constant(r.expr).value_or(0) > 0)
      form.expr = isMod ? l.expr % r.expr : l.expr.floorDiv(r.expr);
    std::optional<Product> divisor = getProduct(node->args[1]);
    llvm::ArrayRef<unsigned> digits = l.digits;
    for (size_t low = 1; divisor && low < digits.size(); ++low) {
      llvm::ArrayRef<unsigned> suffix = digits.take_back(low);
      if (!(*divisor == getProduct(getExtent(suffix))))
        continue;
      llvm::ArrayRef<unsigned> part = isMod ? suffix : digits.drop_back(low);
      form.digits.assign(part.begin(), part.end());
      // The digit alone is simpler than the quotient that it equals.
      if (part.size() == 1)
        form.expr = getAffineDimExpr(part[0], diagnostics.getContext());
      return form;
    }
    return form;
  }
  default:
    return form;
  }
}

SubscriptLowering::Form SubscriptLowering::evaluate(const Node *node) {
  MLIRContext *context = diagnostics.getContext();
  Form form;
  if (node->kind == Node::Literal && node->type == Elem::Int) {
    form.expr = getAffineConstantExpr(node->integer, context);
    return form;
  }
  if (node->kind == Node::Op)
    return evaluateOp(node);
  if (node->kind != Node::AxisValue)
    return form;
  for (unsigned i = 0, e = node->axis->extent.size(); i < e; ++i) {
    form.digits.push_back(node->axis->firstFlat + i);
    AffineExpr digit = getAffineDimExpr(form.digits.back(), context);
    std::optional<int64_t> radix = node->axis->extent[i]->size;
    if (i == 0)
      form.expr = digit;
    else if (form.expr && radix)
      form.expr = form.expr * *radix + digit;
    else
      form.expr = AffineExpr();
  }
  return form;
}

bool SubscriptLowering::split(AffineExpr expr, const Extent &extent,
                              llvm::SmallVectorImpl<AffineExpr> &parts) {
  llvm::SmallVector<AffineExpr, 4> reversed;
  for (const Dim *dim : llvm::reverse(extent)) {
    if (!dim->size)
      return false;
    bool isFirst = reversed.size() + 1 == extent.size();
    reversed.push_back(isFirst ? expr : expr % *dim->size);
    expr = expr.floorDiv(*dim->size);
  }
  parts.append(reversed.rbegin(), reversed.rend());
  return true;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

SubscriptLowering::Range SubscriptLowering::getRange(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    std::optional<int64_t> size = scope.flatAxes[dim.getPosition()].dim->size;
    return {0, size ? std::optional(*size - 1) : std::nullopt};
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Range l = getRange(binary.getLHS()), r = getRange(binary.getRHS());
  using Bound = std::optional<int64_t>;
  auto combine = [](Bound a, Bound b, auto op) { return a && b ? op(*a, *b) : Bound(); };
  switch (expr.getKind()) {
  case AffineExprKind::Add: {
    auto add = [](int64_t a, int64_t b) -> Bound {
      int64_t sum;
      return llvm::AddOverflow(a, b, sum) ? Bound() : Bound(sum);
    };
    return {combine(l.low, r.low, add), combine(l.high, r.high, add)};
  }
  case AffineExprKind::Mul: {
    auto mul = [](int64_t a, int64_t b) -> Bound {
      int64_t product;
      return llvm::MulOverflow(a, b, product) ? Bound() : Bound(product);
    };
    // The constant is on the right.
    bool flips = r.low && *r.low < 0;
    return {combine(flips ? l.high : l.low, r.low, mul),
            combine(flips ? l.low : l.high, r.low, mul)};
  }
  case AffineExprKind::FloorDiv: {
    auto div = [](int64_t a, int64_t b) -> Bound { return llvm::divideFloorSigned(a, b); };
    return {combine(l.low, r.low, div), combine(l.high, r.low, div)};
  }
  case AffineExprKind::Mod: {
    Bound last = r.low ? Bound(*r.low - 1) : Bound();
    bool fits = l.low && *l.low >= 0 && l.high && last && *l.high <= *last;
    return {0, fits ? l.high : last};
  }
  default:
    return {};
  }
}

static int64_t evaluateAt(AffineExpr expr, llvm::ArrayRef<int64_t> point) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return point[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  // Wraps at 64 bits; such a value is far outside every dim anyway.
  uint64_t l = evaluateAt(binary.getLHS(), point), r = evaluateAt(binary.getRHS(), point);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return l + r;
  case AffineExprKind::Mul:
    return l * r;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned<int64_t>(l, r);
  case AffineExprKind::Mod:
    return llvm::mod(int64_t(l), int64_t(r));
  default:
    llvm_unreachable("no other kind is made");
  }
}

std::optional<llvm::SmallVector<int64_t>>
SubscriptLowering::findPoint(AffineExpr expr, llvm::function_ref<bool(int64_t)> isOutside) const {
  llvm::SmallVector<unsigned> axes;
  for (unsigned flat = 0, e = scope.flatAxes.size(); flat < e; ++flat)
    if (expr.isFunctionOfDim(flat))
      axes.push_back(flat);
  // The first and the last coordinates of each axis; of a dynamic one the first.
  int64_t numSamples = axes.size() <= 1 ? 1 << 16 : axes.size() == 2 ? 256 : 16;
  auto getCount = [&](unsigned flat) {
    return std::min(numSamples, scope.flatAxes[flat].dim->size.value_or(numSamples / 2));
  };
  auto getSample = [&](unsigned flat, int64_t sample) {
    std::optional<int64_t> size = scope.flatAxes[flat].dim->size;
    return size && sample >= numSamples / 2 ? *size - getCount(flat) + sample : sample;
  };
  llvm::SmallVector<int64_t> samples(axes.size(), 0), point(scope.flatAxes.size(), 0);
  while (true) {
    for (auto [flat, sample] : llvm::zip(axes, samples))
      point[flat] = getSample(flat, sample);
    if (isOutside(evaluateAt(expr, point)))
      return point;
    size_t i = 0;
    while (i < axes.size() && ++samples[i] == getCount(axes[i]))
      samples[i++] = 0;
    if (i == axes.size())
      return std::nullopt;
  }
}

std::string SubscriptLowering::spellPoint(AffineExpr expr, llvm::ArrayRef<int64_t> point) const {
  std::string text = std::to_string(evaluateAt(expr, point));
  const char *separator = " at ";
  for (auto [flat, value] : llvm::enumerate(point))
    if (expr.isFunctionOfDim(flat)) {
      text += separator + scope.flatAxes[flat].name + " = " + std::to_string(value);
      separator = ", ";
    }
  return text;
}

LogicalResult SubscriptLowering::checkRange(Node *subscript, AffineExpr expr, Node *read,
                                            unsigned dim) {
  // The range is that of independent terms; a point shows whether the value is really reached.
  Range range = getRange(expr);
  llvm::StringRef name = read->tensor->name;
  const Extent &extent = read->tensor->dims[dim];
  if (!range.low || *range.low < 0)
    if (auto point = findPoint(expr, [](int64_t value) { return value < 0; }))
      return diagnostics.error(subscript->place)
             << "this subscript of `" << name << "` is negative: " << spellPoint(expr, *point);
  Product product = getProduct(extent);
  auto isPastEnd = [&](int64_t value) { return value >= product.size; };
  if (product.dims.empty() && range.high && isPastEnd(*range.high))
    if (auto point = findPoint(expr, isPastEnd))
      return diagnostics.error(subscript->place)
             << "this subscript of `" << name << "` goes past the end of dim " << dim + 1
             << ", which has the extent " << product.size << ": " << spellPoint(expr, *point);
  // i + c over the very dim that i runs over.
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  auto axis = dyn_cast_or_null<AffineDimExpr>(sum ? sum.getLHS() : AffineExpr());
  auto offset = dyn_cast_or_null<AffineConstantExpr>(sum ? sum.getRHS() : AffineExpr());
  if (axis && offset && expr.getKind() == AffineExprKind::Add && offset.getValue() > 0 &&
      extent.size() == 1 && scope.flatAxes[axis.getPosition()].dim == extent[0])
    return diagnostics.error(subscript->place)
           << "this subscript of `" << name << "` goes past the end of dim `" << spell(extent)
           << "`";
  return success();
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

LogicalResult SubscriptLowering::lowerOne(Node *subscript, Node *read, unsigned dim) {
  const Extent &extent = read->tensor->dims[dim];
  Form form = evaluate(subscript);
  if (!form.digits.empty() && getExtent(form.digits) == extent) {
    for (unsigned digit : form.digits)
      read->access.push_back(getAffineDimExpr(digit, diagnostics.getContext()));
    return success();
  }
  // One digit of a dynamic extent is an axis over a dim, and that dim has to be this one.
  bool isOtherDim = form.digits.size() == 1 && extent.size() == 1 &&
                    !(extent[0]->size && scope.flatAxes[form.digits[0]].dim->size);
  if (form.expr && !isOtherDim) {
    if (failed(checkRange(subscript, form.expr, read, dim)))
      return failure();
    if (extent.size() == 1) {
      read->access.push_back(form.expr);
      return success();
    }
    if (split(form.expr, extent, read->access))
      return success();
  }
  if (!form.digits.empty()) {
    return diagnostics.error(subscript->place)
           << "this subscript runs over `" << spell(getExtent(form.digits)) << "`, but dim "
           << dim + 1 << " of `" << read->tensor->name << "` is `" << spell(extent) << "`";
  }
  InFlightDiagnostic diagnostic = diagnostics.error(subscript->place);
  diagnostic << "this subscript is not affine in the axes";
  diagnostics.help(diagnostic, subscript->place.loc,
                   "a subscript may use sums, multiples by constants, `/` and `%` by constants, "
                   "and `/` and `%` by a factor of a product dim");
  return diagnostic;
}

LogicalResult SubscriptLowering::lowerRead(Node *read) {
  read->access.clear();
  for (auto [i, subscript] : llvm::enumerate(read->args))
    if (failed(lowerOne(subscript, read, i)))
      return failure();
  return success();
}

LogicalResult SubscriptLowering::lower(Node *value) {
  if (!done.insert(value).second)
    return success();
  if (value->kind == Node::Read)
    return lowerRead(value);
  for (Node *arg : value->args)
    if (failed(lower(arg)))
      return failure();
  return success();
}
