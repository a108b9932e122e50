// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of loop form: grid with assemble, serial for, fill. Text and constraints.

#include "ScalarAssembly.h"
#include "ScalarVerifiers.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::scalar::checks;
using namespace mlir::nautilus::scalar::text;

/// (C1) of both loops: axes that can be walked by tiles.
static LogicalResult verifyLoopAxes(Operation *op, ArrayRef<Attribute> axes) {
  if (failed(verifyAxes(op, axes)))
    return failure();
  for (Attribute attr : axes)
    if (cast<AxisAttr>(attr).getTile() == 0)
      return op->emitOpError("expected a tile > 0 for loop axis ")
             << cast<AxisAttr>(attr).getName() << ", got a whole dim";
  return success();
}

/// Origin arguments print as `i0` for axis `i`.
static void nameOrigin(BlockArgument argument, Attribute axis, OpAsmSetValueNameFn setName) {
  if (auto attr = dyn_cast<AxisAttr>(axis))
    setName(argument, (attr.getName().getValue() + "0").str());
}

//===----------------------------------------------------------------------===//
// GridOp
//===----------------------------------------------------------------------===//

AssembleOp GridOp::getAssemble() { return cast<AssembleOp>(getBody().front().getTerminator()); }

void GridOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (auto [argument, axis] : llvm::zip(region.getArguments(), getAxes()))
    nameOrigin(argument, axis, setName);
}

ParseResult GridOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> origins;
  ParsedAxes axes;
  if (parser.parseArgumentList(origins, OpAsmParser::Delimiter::Paren) || parser.parseEqual() ||
      parseAxes(parser, axes, /*allowOrigins=*/false) || parseResultTypes(parser, result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (OpAsmParser::Argument &origin : origins)
    origin.type = parser.getBuilder().getIndexType();
  result.getOrAddProperties<Properties>().axes = parser.getBuilder().getArrayAttr(axes.axes);
  return parser.parseRegion(*result.addRegion(), origins);
}

void GridOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getBody().getArguments(), printer);
  printer << ") = ";
  printAxes(printer, getAxes(), {});
  printResultTypes(printer, getOperation()->getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getAxesAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// (C3) and (C4) for one result: every grid axis is there, and the result has the dims' extents.
static LogicalResult verifyAssembled(GridOp grid, ArrayAttr axes, Type tile, Type result) {
  for (Attribute axis : grid.getAxes())
    if (!llvm::is_contained(axes, axis))
      return grid.emitOpError("expected assemble to name grid axis ")
             << axis << " in every result, got " << axes;
  SmallVector<Attribute> whole;
  for (auto axis : axes.getAsRange<AxisAttr>())
    whole.push_back(AxisAttr::get(grid.getContext(), axis.getName(), axis.getDim(), 0));
  auto ranked = cast<RankedTensorType>(result);
  if (failed(verifyExtents(grid, whole, ranked, "a result")))
    return failure();
  Type element = getElementTypeOrSelf(tile);
  if (ranked.getElementType() != element)
    return grid.emitOpError("expected element type ") << element << " of a result, got " << result;
  return success();
}

LogicalResult GridOp::verifyRegions() {
  // (C1)
  if (failed(verifyLoopAxes(*this, getAxes().getValue())))
    return failure();
  // (C2)
  SmallVector<Type> origins(getAxes().size(), IndexType::get(getContext()));
  if (failed(verifyArguments(*this, getBody().front(), origins, "the body")))
    return failure();
  auto assemble = dyn_cast<AssembleOp>(getBody().front().back());
  if (!assemble)
    return emitOpError("expected the body to end in nautilus_scalar.assemble");
  if (assemble.getTiles().size() != getNumResults())
    return emitOpError("expected one assembled tile per result (")
           << getNumResults() << "), got " << assemble.getTiles().size();
  for (auto [axes, tile, result] : llvm::zip(assemble.getAxes(), assemble.getTiles(), getOutputs()))
    if (failed(verifyAssembled(*this, cast<ArrayAttr>(axes), tile.getType(), result.getType())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// AssembleOp
//===----------------------------------------------------------------------===//

/// Sets each axis' tile to the size of the tile's dim, which the text leaves out. An axis that was
/// given a tile keeps it, and a rank mismatch stays for the verifier.
static Attribute withTiles(Builder &builder, ArrayRef<Attribute> axes, Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  SmallVector<Attribute> tiled;
  for (auto [i, attr] : llvm::enumerate(axes)) {
    auto axis = cast<AxisAttr>(attr);
    bool known = ranked && static_cast<int64_t>(i) < ranked.getRank() && !ranked.isDynamicDim(i);
    if (axis.getTile() == 0 && known)
      axis =
          AxisAttr::get(builder.getContext(), axis.getName(), axis.getDim(), ranked.getDimSize(i));
    tiled.push_back(axis);
  }
  return builder.getArrayAttr(tiled);
}

ParseResult AssembleOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> tiles;
  SmallVector<ParsedAxes> lists;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  while (true) {
    OptionalParseResult operand = parser.parseOptionalOperand(tiles.emplace_back());
    if (!operand.has_value()) {
      tiles.pop_back();
      break;
    }
    if (failed(*operand) || parseAxes(parser, lists.emplace_back(), /*allowOrigins=*/false))
      return failure();
    if (failed(parser.parseOptionalComma()))
      break;
  }
  if (parser.parseOptionalAttrDict(result.attributes) ||
      (!tiles.empty() && parser.parseColonTypeList(types)) ||
      parser.resolveOperands(tiles, types, loc, result.operands))
    return failure();
  SmallVector<Attribute> axes;
  for (auto [list, type] : llvm::zip(lists, types))
    axes.push_back(withTiles(parser.getBuilder(), list.axes, type));
  result.getOrAddProperties<Properties>().axes = parser.getBuilder().getArrayAttr(axes);
  return success();
}

void AssembleOp::print(OpAsmPrinter &printer) {
  if (!getTiles().empty())
    printer << " ";
  llvm::interleaveComma(llvm::zip(getTiles(), getAxes()), printer, [&](auto it) {
    auto [tile, axes] = it;
    printer << tile << " [";
    llvm::interleaveComma(cast<ArrayAttr>(axes).template getAsRange<AxisAttr>(), printer,
                          [&](AxisAttr axis) {
                            printer << axis.getName().getValue() << ": ";
                            printer.printKeywordOrString(axis.getDim().getValue());
                          });
    printer << "]";
  });
  printer.printOptionalAttrDict((*this)->getAttrs(), {getAxesAttrName()});
  if (!getTiles().empty())
    printer << " : " << getTiles().getTypes();
}

LogicalResult AssembleOp::verify() {
  // (C1)
  if (getAxes().size() != getTiles().size())
    return emitOpError("expected one list of axes per tile (")
           << getTiles().size() << "), got " << getAxes().size();
  for (auto [attr, tile] : llvm::zip(getAxes(), getTiles())) {
    auto axes = dyn_cast<ArrayAttr>(attr);
    if (!axes)
      return emitOpError("expected a list of axes, got ") << attr;
    // (C2)
    if (failed(verifyAxes(*this, axes.getValue())))
      return failure();
    // (C1)
    auto type = cast<RankedTensorType>(tile.getType());
    if (!type.hasStaticShape())
      return emitOpError("expected a tile of static shape, got ") << type;
    if (type.getRank() != static_cast<int64_t>(axes.size()))
      return emitOpError("expected one axis per dim of ") << type << ", got " << axes.size();
    for (auto [axis, size] : llvm::zip(axes.getAsRange<AxisAttr>(), type.getShape()))
      if (axis.getTile() != size)
        return emitOpError("expected tile ")
               << size << " of axis " << axis.getName() << ", got " << axis.getTile();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ForOp
//===----------------------------------------------------------------------===//

void ForOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() != 0)
    nameOrigin(region.getArgument(0), getAxis(), setName);
}

/// An optional `keyword %value` of type index.
static ParseResult parseBound(OpAsmParser &parser, StringRef keyword, OperationState &result,
                              int32_t &count) {
  count = 0;
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  OpAsmParser::UnresolvedOperand bound;
  count = 1;
  return failure(parser.parseOperand(bound) ||
                 parser.resolveOperand(bound, parser.getBuilder().getIndexType(), result.operands));
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments(1);
  ParsedAxes axes;
  int32_t numLower, numUpper;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgument(arguments.front()) || parser.parseEqual() ||
      parseAxes(parser, axes, /*allowOrigins=*/false) ||
      parseBound(parser, "from", result, numLower) || parseBound(parser, "to", result, numUpper))
    return failure();
  if (axes.axes.size() != 1)
    return parser.emitError(loc) << "expected one axis, got " << axes.axes.size();
  arguments.front().type = parser.getBuilder().getIndexType();
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  auto parseCarried = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseColonType(argument.type))
      return failure();
    result.types.push_back(argument.type);
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("iter")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseCarried))
    return failure();
  if (parser.resolveOperands(inits, result.types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.axis = cast<AxisAttr>(axes.axes.front());
  properties.operandSegmentSizes = {numLower, numUpper, static_cast<int32_t>(inits.size())};
  return parser.parseRegion(*result.addRegion(), arguments);
}

void ForOp::print(OpAsmPrinter &printer) {
  Block &body = getBody().front();
  printer << " " << body.getArgument(0) << " = ";
  printAxes(printer, ArrayAttr::get(getContext(), {getAxis()}), {});
  if (getLower())
    printer << " from " << getLower();
  if (getUpper())
    printer << " to " << getUpper();
  if (!getInits().empty()) {
    printer << " iter (";
    llvm::interleaveComma(llvm::zip(body.getArguments().drop_front(), getInits()), printer,
                          [&](auto it) {
                            auto [argument, init] = it;
                            printer << argument << " = " << init << " : " << init.getType();
                          });
    printer << ")";
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getAxisAttrName(), getOperandSegmentSizesAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult ForOp::verifyRegions() {
  // (C1)
  if (failed(verifyLoopAxes(*this, {getAxis()})))
    return failure();
  // (C2)
  SmallVector<Type> carried(getInits().getTypes());
  SmallVector<Type> arguments = {IndexType::get(getContext())};
  llvm::append_range(arguments, carried);
  if (failed(verifyArguments(*this, getBody().front(), arguments, "the body")) ||
      failed(verifyYield(*this, getBody().front(), carried, "the body")))
    return failure();
  if (!llvm::equal(getOutputs().getTypes(), carried))
    return emitOpError("expected results of the carried types (")
           << carried << "), got (" << getOutputs().getTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// FillOp
//===----------------------------------------------------------------------===//

LogicalResult FillOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  // (C1)
  if (!type.hasStaticShape())
    return emitOpError("expected a static shape, got ") << type;
  // (C2)
  if (getValue().getType() != type.getElementType())
    return emitOpError("expected a value of type ")
           << type.getElementType() << ", got " << getValue().getType();
  return success();
}
