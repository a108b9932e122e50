// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel, origin, load and store: assembly and verifiers of the ops that touch the outside.

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"

using namespace mlir;
using namespace mlir::nautilus::vrtile;

//===-- kernel ------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> args, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(args, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(p, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

LogicalResult KernelOp::verifyRegions() {
  for (Type type : getArgumentTypes()) // C1
    if (!isa<MemRefType, IndexType>(type))
      return emitOpError("expected memref and index arguments, got ") << type;
  int count = 0;
  getBody().walk([&](OriginOp) { ++count; });
  int atTop = llvm::count_if(getBody().front(), [](Operation &op) { return isa<OriginOp>(op); });
  if (count != 1 || atTop != 1) // C2
    return emitOpError("expected exactly one origin op at the top level of the body, got ")
           << count;
  return success();
}

OriginOp KernelOp::getOrigin() {
  for (Operation &op : getBody().front())
    if (auto origin = dyn_cast<OriginOp>(op))
      return origin;
  return {};
}

//===-- Lists that mix static sizes and operands ---------------------------===//

/// Parses `[` item (`,` item)* `]`, an item being an integer, `-` (-1) or an operand.
static ParseResult parseMixedList(OpAsmParser &parser, SmallVectorImpl<int64_t> &statics,
                                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (isOperand.has_value()) {
      operands.push_back(operand);
      statics.push_back(ShapedType::kDynamic);
      return *isOperand;
    }
    if (succeeded(parser.parseOptionalKeyword("inside"))) {
      statics.push_back(-1);
      return success();
    }
    return parser.parseInteger(statics.emplace_back());
  });
}

static void printMixedList(OpAsmPrinter &p, ArrayRef<int64_t> statics, OperandRange operands) {
  unsigned next = 0;
  p << "[";
  llvm::interleaveComma(statics, p, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      p << operands[next++];
    else if (size == -1)
      p << "inside";
    else
      p << size;
  });
  p << "]";
}

//===-- origin ------------------------------------------------------------===//

ParseResult OriginOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<int64_t> tiles, extents;
  SmallVector<OpAsmParser::UnresolvedOperand> operands, block;
  auto parseAxis = [&]() -> ParseResult {
    if (parser.parseInteger(tiles.emplace_back()) || parser.parseKeyword("of"))
      return failure();
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (!isOperand.has_value())
      return parser.parseInteger(extents.emplace_back());
    operands.push_back(operand);
    extents.push_back(ShapedType::kDynamic);
    return *isOperand;
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseAxis))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("block")))
    if (parser.parseOperand(block.emplace_back()))
      return failure();
  Builder &b = parser.getBuilder();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperands(operands, b.getIndexType(), result.operands) ||
      parser.resolveOperands(block, b.getIndexType(), result.operands))
    return failure();
  result.addAttribute(getTilesAttrName(result.name), b.getDenseI64ArrayAttr(tiles));
  result.addAttribute(getStaticExtentsAttrName(result.name), b.getDenseI64ArrayAttr(extents));
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      b.getDenseI32ArrayAttr({int32_t(operands.size()), int32_t(block.size())}));
  result.addTypes(SmallVector<Type>(tiles.size(), b.getIndexType()));
  return success();
}

void OriginOp::print(OpAsmPrinter &p) {
  unsigned next = 0;
  p << " [";
  llvm::interleaveComma(llvm::seq<size_t>(0, getTiles().size()), p, [&](size_t i) {
    p << getTiles()[i] << " of ";
    if (ShapedType::isDynamic(getStaticExtents()[i]))
      p << getExtents()[next++];
    else
      p << getStaticExtents()[i];
  });
  p << "]";
  if (getBlock())
    p << " block " << getBlock();
  p.printOptionalAttrDict((*this)->getAttrs(), {getTilesAttrName(), getStaticExtentsAttrName(),
                                                getOperandSegmentSizesAttrName()});
}

LogicalResult OriginOp::verify() {
  if (getTiles().size() != getStaticExtents().size() ||
      llvm::any_of(getTiles(), [](int64_t tile) { return tile <= 0; })) // C1
    return emitOpError("expected one positive tile per axis");
  size_t dynamic = llvm::count(getStaticExtents(), ShapedType::kDynamic);
  if (dynamic != getExtents().size()) // C2
    return emitOpError("expected ") << dynamic << " extent operands, got " << getExtents().size();
  if (getOrigins().size() != getTiles().size()) // C3
    return emitOpError("expected one result per axis");
  return success();
}

//===-- load and store ----------------------------------------------------===//

/// The part after the memref operand's name: `[indices] walk [..] (bounds [..])? (padding attr)?`.
struct AccessSyntax {
  SmallVector<OpAsmParser::UnresolvedOperand> indices, bounds;
  SmallVector<int64_t> walk, staticBounds;
};

static ParseResult parseAccess(OpAsmParser &parser, AccessSyntax &access) {
  if (parser.parseOperandList(access.indices, OpAsmParser::Delimiter::Square) ||
      parser.parseKeyword("walk") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(access.walk.emplace_back());
      }))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("bounds")))
    return parseMixedList(parser, access.staticBounds, access.bounds);
  access.staticBounds.assign(access.walk.size(), -1);
  return success();
}

static void printAccess(OpAsmPrinter &p, OperandRange indices, ArrayRef<int64_t> walk,
                        ArrayRef<int64_t> staticBounds, OperandRange bounds) {
  p << "[" << indices << "] walk [";
  llvm::interleaveComma(walk, p);
  p << "]";
  if (llvm::any_of(staticBounds, [](int64_t bound) { return bound != -1; })) {
    p << " bounds ";
    printMixedList(p, staticBounds, bounds);
  }
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  AccessSyntax access;
  Type sourceType, tileType;
  Builder &b = parser.getBuilder();
  if (parser.parseOperand(source) || parseAccess(parser, access))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("padding"))) {
    TypedAttr padding;
    if (parser.parseAttribute(padding, getPaddingAttrName(result.name), result.attributes))
      return failure();
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(sourceType) ||
      parser.parseArrow() || parser.parseType(tileType) ||
      parser.resolveOperand(source, sourceType, result.operands) ||
      parser.resolveOperands(access.indices, b.getIndexType(), result.operands) ||
      parser.resolveOperands(access.bounds, b.getIndexType(), result.operands))
    return failure();
  result.addAttribute(getWalkAttrName(result.name), b.getDenseI64ArrayAttr(access.walk));
  result.addAttribute(getStaticBoundsAttrName(result.name),
                      b.getDenseI64ArrayAttr(access.staticBounds));
  result.addAttribute(
      getOperandSegmentSizesAttrName(result.name),
      b.getDenseI32ArrayAttr({1, int32_t(access.indices.size()), int32_t(access.bounds.size())}));
  result.addTypes(tileType);
  return success();
}

void LoadOp::print(OpAsmPrinter &p) {
  p << " " << getSource();
  printAccess(p, getIndices(), getWalk(), getStaticBounds(), getBounds());
  if (getPadding())
    p << " padding " << getPaddingAttr();
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getWalkAttrName(), getStaticBoundsAttrName(), getPaddingAttrName(),
                           getOperandSegmentSizesAttrName()});
  p << " : " << getSource().getType() << " -> " << getType();
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value, dest;
  AccessSyntax access;
  Type valueType, destType;
  Builder &b = parser.getBuilder();
  if (parser.parseOperand(value) || parser.parseComma() || parser.parseOperand(dest) ||
      parseAccess(parser, access) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(valueType) || parser.parseComma() || parser.parseType(destType) ||
      parser.resolveOperand(value, valueType, result.operands) ||
      parser.resolveOperand(dest, destType, result.operands) ||
      parser.resolveOperands(access.indices, b.getIndexType(), result.operands) ||
      parser.resolveOperands(access.bounds, b.getIndexType(), result.operands))
    return failure();
  result.addAttribute(getWalkAttrName(result.name), b.getDenseI64ArrayAttr(access.walk));
  result.addAttribute(getStaticBoundsAttrName(result.name),
                      b.getDenseI64ArrayAttr(access.staticBounds));
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      b.getDenseI32ArrayAttr(
                          {1, 1, int32_t(access.indices.size()), int32_t(access.bounds.size())}));
  return success();
}

void StoreOp::print(OpAsmPrinter &p) {
  p << " " << getValue() << ", " << getDest();
  printAccess(p, getIndices(), getWalk(), getStaticBounds(), getBounds());
  p.printOptionalAttrDict((*this)->getAttrs(), {getWalkAttrName(), getStaticBoundsAttrName(),
                                                getOperandSegmentSizesAttrName()});
  p << " : " << getValue().getType() << ", " << getDest().getType();
}

static LogicalResult verifyAccess(Operation *op, MemRefType memref, RankedTensorType tile,
                                  size_t numIndices, ArrayRef<int64_t> walk,
                                  ArrayRef<int64_t> staticBounds, size_t numBounds) {
  if (numIndices != size_t(memref.getRank())) // C1
    return op->emitOpError("expected ") << memref.getRank() << " indices, got " << numIndices;
  llvm::SmallDenseSet<int64_t> seen;
  bool distinct = llvm::all_of(walk, [&](int64_t dim) {
    return dim >= 0 && dim < memref.getRank() && seen.insert(dim).second;
  });
  if (!distinct || walk.size() != size_t(tile.getRank())) // C2
    return op->emitOpError("expected walk to name ")
           << tile.getRank() << " distinct dims of the memref";
  size_t dynamic = llvm::count(staticBounds, ShapedType::kDynamic);
  if (staticBounds.size() != walk.size() || dynamic != numBounds) // C3
    return op->emitOpError("expected one bound per tile dim");
  if (memref.getElementType() != tile.getElementType()) // C4
    return op->emitOpError("expected element type ")
           << memref.getElementType() << ", got " << tile.getElementType();
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccess(*this, cast<MemRefType>(getSource().getType()),
                          cast<RankedTensorType>(getType()), getIndices().size(), getWalk(),
                          getStaticBounds(), getBounds().size())))
    return failure();
  if (getPadding() && getPaddingAttr().getType() != getElementTypeOrSelf(getType())) // C4
    return emitOpError("expected padding of type ") << getElementTypeOrSelf(getType());
  return success();
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, cast<MemRefType>(getDest().getType()),
                      cast<RankedTensorType>(getValue().getType()), getIndices().size(), getWalk(),
                      getStaticBounds(), getBounds().size());
}
