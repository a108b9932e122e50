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

static std::optional<Subscript> splitSubscript(AffineExpr expr, ArrayRef<int64_t> sizes) {
  Subscript result{std::nullopt, getAffineConstantExpr(0, expr.getContext())};
  SmallVector<AffineExpr> terms;
  collectTerms(expr, terms);
  for (AffineExpr term : terms) {
    bool isWide = false;
    for (auto [axis, size] : llvm::enumerate(sizes))
      isWide |= size > 1 && term.isFunctionOfDim(axis);
    if (!isWide) {
      result.rest = result.rest + term;
      continue;
    }
    auto axis = dyn_cast<AffineDimExpr>(term);
    if (!axis || result.axis)
      return std::nullopt;
    result.axis = axis.getPosition();
  }
  return result;
}

/// In a tile, a dim is walked whole by one axis or has one point.
static bool fitsTile(const Subscript &subscript, int64_t extent, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> zeros(sizes.size(),
                                getAffineConstantExpr(0, subscript.rest.getContext()));
  auto offset = dyn_cast<AffineConstantExpr>(subscript.rest.replaceDims(zeros));
  if (!offset || offset.getValue() != 0)
    return false;
  return extent == (subscript.axis ? sizes[*subscript.axis] : 1);
}

FailureOr<Access> nautilus::analyzeAccess(Operation *op, unsigned input, AffineMap map, bool isTile,
                                          ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape) {
  Access access;
  access.isTile = isTile;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    std::optional<Subscript> subscript = splitSubscript(expr, sizes);
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
    if (isTile && !fitsTile(*subscript, shape[dim], sizes)) {
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
