// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits subscripts into the tile axis that they walk and an offset; see the header.

#include "Access.h"

#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::nautilus;

static std::string toString(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << expr;
  return text;
}

/// The terms of a sum.
static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms) {
  if (expr.getKind() != AffineExprKind::Add) {
    terms.push_back(expr);
    return;
  }
  auto sum = cast<AffineBinaryOpExpr>(expr);
  collectTerms(sum.getLHS(), terms);
  collectTerms(sum.getRHS(), terms);
}

namespace {
class Splitter {
public:
  explicit Splitter(const AccessAxes &axes) : axes(axes) {}
  std::optional<Subscript> split(AffineExpr expr) const;

private:
  bool isWide(AffineExpr expr) const {
    for (auto [axis, size] : llvm::enumerate(axes.sizes))
      if (size > 1 && expr.isFunctionOfDim(axis))
        return true;
    return false;
  }
  /// A remainder (walks) or quotient (does not) of what walks an aligned tile.
  std::optional<Subscript> splitDivision(AffineBinaryOpExpr division) const;

  const AccessAxes &axes;
};
} // namespace

std::optional<Subscript> Splitter::splitDivision(AffineBinaryOpExpr division) const {
  auto divisor = dyn_cast<AffineConstantExpr>(division.getRHS());
  std::optional<Subscript> inner = divisor ? split(division.getLHS()) : std::nullopt;
  if (!inner)
    return std::nullopt;
  if (!inner->axis) // Constant along the tile already.
    return Subscript{std::nullopt, division};
  int64_t size = axes.sizes[*inner->axis];
  if (divisor.getValue() % size != 0 || !axes.isAligned(*inner->axis))
    return std::nullopt;
  // The base is the origin plus terms that are multiples of the size too.
  SmallVector<AffineExpr> terms;
  collectTerms(inner->base, terms);
  for (AffineExpr term : terms)
    if (term != getAffineDimExpr(*inner->axis, term.getContext()) && !term.isMultipleOf(size))
      return std::nullopt;
  bool walks = division.getKind() == AffineExprKind::Mod;
  return Subscript{walks ? inner->axis : std::nullopt, division};
}

std::optional<Subscript> Splitter::split(AffineExpr expr) const {
  Subscript result{std::nullopt, expr};
  SmallVector<AffineExpr> terms;
  collectTerms(expr, terms);
  for (AffineExpr term : terms) {
    if (!isWide(term))
      continue;
    std::optional<Subscript> part;
    if (auto axis = dyn_cast<AffineDimExpr>(term))
      part = Subscript{axis.getPosition(), term};
    else if (term.getKind() == AffineExprKind::Mod || term.getKind() == AffineExprKind::FloorDiv)
      part = splitDivision(cast<AffineBinaryOpExpr>(term));
    else if (term.getKind() == AffineExprKind::Mul)
      part = split(cast<AffineBinaryOpExpr>(term).getLHS());
    bool isScaled = term.getKind() == AffineExprKind::Mul;
    if (!part || (part->axis && (result.axis || isScaled)))
      return std::nullopt;
    if (part->axis)
      result.axis = part->axis;
  }
  return result;
}

/// In a tile, a dim is walked whole by one axis or has one point.
static bool fitsTile(const Subscript &subscript, int64_t extent, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> zeros(sizes.size(),
                                getAffineConstantExpr(0, subscript.base.getContext()));
  auto offset = dyn_cast<AffineConstantExpr>(subscript.base.replaceDims(zeros));
  if (!offset || offset.getValue() != 0)
    return false;
  return extent == (subscript.axis ? sizes[*subscript.axis] : 1);
}

FailureOr<Access> nautilus::analyzeAccess(Operation *op, unsigned input, AffineMap map, bool isTile,
                                          const AccessAxes &axes, ArrayRef<int64_t> shape) {
  Splitter splitter(axes);
  Access access;
  access.isTile = isTile;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    std::optional<Subscript> subscript = splitter.split(expr);
    if (!subscript) {
      op->emitOpError("expected subscript ")
          << dim << " of input " << input
          << " to be a tile axis plus an offset (rule: a tile walks a dim with stride 1), got '"
          << toString(expr) << "'";
      return failure();
    }
    if (subscript->axis && access.walks(*subscript->axis)) {
      op->emitOpError("expected a tile axis in one subscript of input ")
          << input << " only (rule: a tile has no diagonals), got '" << toString(expr)
          << "' as subscript " << dim;
      return failure();
    }
    if (isTile && !fitsTile(*subscript, shape[dim], axes.sizes)) {
      op->emitOpError("expected subscript ")
          << dim << " of input " << input << " to walk all " << shape[dim]
          << " points of the tile's dim (rule: a tile value is read whole), got '" << toString(expr)
          << "'";
      return failure();
    }
    access.subscripts.push_back(*subscript);
  }
  return access;
}
