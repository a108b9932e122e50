// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes the shared pieces of text. Upstream prints affine expressions over d0, d1, …;
// here a subscript is written with the names of the statement's axes, so this file has its own
// printer.

#include "ScalarAssembly.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::scalar::text;

ParseResult text::parseAxes(OpAsmParser &parser, ParsedAxes &out, bool allowOrigins) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
    std::string name, dim;
    int64_t tile = 0;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name) || parser.parseColon() ||
        parser.parseKeywordOrString(&dim))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("tile")) && parser.parseInteger(tile))
      return failure();
    bool hasOrigin = allowOrigins && succeeded(parser.parseOptionalKeyword("at"));
    if (hasOrigin && parser.parseOperand(out.origins.emplace_back()))
      return failure();
    Builder &builder = parser.getBuilder();
    auto axis = AxisAttr::getChecked([&] { return parser.emitError(loc); }, builder.getContext(),
                                     builder.getStringAttr(name), builder.getStringAttr(dim), tile);
    if (!axis)
      return failure();
    out.axes.push_back(axis);
    out.hasOrigin.push_back(hasOrigin);
    return success();
  });
}

void text::printAxes(OpAsmPrinter &printer, ArrayAttr axes, ArrayRef<Value> origins) {
  printer << "[";
  llvm::interleaveComma(llvm::enumerate(axes.getAsRange<AxisAttr>()), printer, [&](auto it) {
    AxisAttr axis = it.value();
    printer << axis.getName().getValue() << ": ";
    printer.printKeywordOrString(axis.getDim().getValue());
    if (axis.getTile() != 0)
      printer << " tile " << axis.getTile();
    if (it.index() < origins.size() && origins[it.index()])
      printer << " at " << origins[it.index()];
  });
  printer << "]";
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

namespace {
/// Binding strength of what encloses an expression: a weaker operator inside needs parentheses.
enum class Strength { Sum, Product, Atom };
} // namespace

static void printSubscript(raw_ostream &os, AffineExpr expr, ArrayRef<StringRef> names,
                           Strength outer);

/// The sum `lhs + rhs`, with `-` where the second summand is a negative multiple.
static void printSum(raw_ostream &os, AffineBinaryOpExpr sum, ArrayRef<StringRef> names) {
  printSubscript(os, sum.getLHS(), names, Strength::Sum);
  AffineExpr rhs = sum.getRHS();
  if (auto constant = dyn_cast<AffineConstantExpr>(rhs); constant && constant.getValue() < 0) {
    os << " - " << -static_cast<uint64_t>(constant.getValue());
    return;
  }
  if (auto product = dyn_cast<AffineBinaryOpExpr>(rhs);
      product && product.getKind() == AffineExprKind::Mul) {
    auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
    if (factor && factor.getValue() < 0) {
      os << " - ";
      printSubscript(os, product.getLHS(), names, Strength::Atom);
      if (factor.getValue() != -1)
        os << " * " << -static_cast<uint64_t>(factor.getValue());
      return;
    }
  }
  os << " + ";
  printSubscript(os, rhs, names, Strength::Product);
}

static void printSubscript(raw_ostream &os, AffineExpr expr, ArrayRef<StringRef> names,
                           Strength outer) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    os << constant.getValue();
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    // A map with too many dims reaches here only from the printer of an op that does not verify.
    if (dim.getPosition() < names.size())
      os << names[dim.getPosition()];
    else
      os << "<<dim " << dim.getPosition() << ">>";
    return;
  }
  if (isa<AffineSymbolExpr>(expr)) {
    os << "<<symbol>>";
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Strength own = binary.getKind() == AffineExprKind::Add ? Strength::Sum : Strength::Product;
  bool parens = static_cast<int>(own) < static_cast<int>(outer);
  if (parens)
    os << "(";
  if (own == Strength::Sum) {
    printSum(os, binary, names);
  } else {
    StringRef word = binary.getKind() == AffineExprKind::Mul        ? " * "
                     : binary.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                     : binary.getKind() == AffineExprKind::CeilDiv  ? " ceildiv "
                                                                    : " mod ";
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    bool negation = binary.getKind() == AffineExprKind::Mul && factor && factor.getValue() == -1;
    os << (negation ? "-" : "");
    printSubscript(os, binary.getLHS(), names, Strength::Atom);
    if (!negation) {
      os << word;
      printSubscript(os, binary.getRHS(), names, Strength::Atom);
    }
  }
  if (parens)
    os << ")";
}

static ParseResult parseSubscripts(OpAsmParser &parser, ArrayRef<Attribute> axes, Attribute &map) {
  MLIRContext *context = parser.getContext();
  SmallVector<std::pair<StringRef, AffineExpr>> names;
  for (auto [i, axis] : llvm::enumerate(axes))
    names.emplace_back(cast<AxisAttr>(axis).getName().getValue(), getAffineDimExpr(i, context));
  SmallVector<AffineExpr> exprs;
  auto parseOne = [&]() { return parser.parseAffineExpr(names, exprs.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  map = AffineMapAttr::get(AffineMap::get(axes.size(), 0, exprs, context));
  return success();
}

//===----------------------------------------------------------------------===//
// Inputs and result types
//===----------------------------------------------------------------------===//

ParseResult text::parseInputs(OpAsmParser &parser, ArrayRef<Attribute> axes, ParsedInputs &out) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::Argument &argument = out.arguments.emplace_back();
    SMLoc loc;
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(out.operands.emplace_back()) ||
        parseSubscripts(parser, axes, out.maps.emplace_back()) || parser.parseColon() ||
        parser.getCurrentLocation(&loc) || parser.parseType(out.types.emplace_back()))
      return failure();
    auto tensor = dyn_cast<RankedTensorType>(out.types.back());
    if (!tensor)
      return parser.emitError(loc) << "expected a ranked tensor, got " << out.types.back();
    argument.type = tensor.getElementType();
    return success();
  });
}

void text::printInputs(OpAsmPrinter &printer, Block &body, ValueRange inputs, ArrayAttr maps,
                       ArrayRef<StringRef> axisNames) {
  printer << "(";
  llvm::interleaveComma(llvm::zip(body.getArguments(), inputs, maps), printer, [&](auto it) {
    auto [argument, input, map] = it;
    printer << argument << " = " << input << "[";
    auto exprs = cast<AffineMapAttr>(map).getValue().getResults();
    llvm::interleaveComma(exprs, printer, [&](AffineExpr expr) {
      printSubscript(printer.getStream(), expr, axisNames, Strength::Sum);
    });
    printer << "] : " << input.getType();
  });
  printer << ")";
}

ParseResult text::parseResultTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  if (succeeded(parser.parseOptionalLParen())) {
    if (succeeded(parser.parseOptionalRParen()))
      return success();
    return failure(parser.parseTypeList(types) || parser.parseRParen());
  }
  return parser.parseType(types.emplace_back());
}

void text::printResultTypes(OpAsmPrinter &printer, TypeRange types) {
  if (types.empty())
    return;
  printer << " -> ";
  if (types.size() == 1) {
    printer << types.front();
    return;
  }
  printer << "(";
  llvm::interleaveComma(types, printer);
  printer << ")";
}
