// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements (map, reduce) and what stands in their bodies: text, constraints, folds.

#include "ScalarAssembly.h"
#include "ScalarVerifiers.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::scalar::checks;
using namespace mlir::nautilus::scalar::text;

/// The origin operand of axis `i`: origins stand in axis order, for the axes whose bit is set.
static Value lookupOrigin(ArrayRef<bool> originAxes, ValueRange origins, unsigned i) {
  if (!originAxes[i])
    return {};
  return origins[llvm::count(originAxes.take_front(i), true)];
}

Value MapOp::getOrigin(unsigned i) { return lookupOrigin(getOriginAxes(), getOrigins(), i); }
Value ReduceOp::getOrigin(unsigned i) { return lookupOrigin(getOriginAxes(), getOrigins(), i); }

void MapOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }

void ReduceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults() != 0)
    setName(getResult(0), getName());
}

/// All axes of a statement, parallel ones first.
static SmallVector<Attribute> allAxes(MapOp op) {
  return SmallVector<Attribute>(op.getAxes().getValue());
}
static SmallVector<Attribute> allAxes(ReduceOp op) {
  SmallVector<Attribute> axes(op.getAxes().getValue());
  llvm::append_range(axes, op.getReductionAxes().getValue());
  return axes;
}

/// The origins of all axes for the printer, null where there is none.
template <typename StatementOp> static SmallVector<Value> originsOf(StatementOp op) {
  SmallVector<Value> origins;
  for (unsigned i = 0; i < op.getNumAxes(); ++i)
    origins.push_back(op.getOrigin(i));
  return origins;
}

template <typename StatementOp> static SmallVector<StringRef> axisNamesOf(StatementOp op) {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i < op.getNumAxes(); ++i)
    names.push_back(op.getAxis(i).getName().getValue());
  return names;
}

//===----------------------------------------------------------------------===//
// MapOp
//===----------------------------------------------------------------------===//

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  ParsedAxes axes;
  ParsedInputs inputs;
  Type indexType = builder.getIndexType();
  SMLoc loc;
  if (parser.parseAttribute(properties.name) || parseAxes(parser, axes, /*allowOrigins=*/true) ||
      parser.getCurrentLocation(&loc) || parseInputs(parser, axes.axes, inputs) ||
      parseResultTypes(parser, result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(inputs.operands, inputs.types, loc, result.operands) ||
      parser.resolveOperands(axes.origins, indexType, result.operands))
    return failure();
  properties.axes = builder.getArrayAttr(axes.axes);
  properties.origin_axes = builder.getDenseBoolArrayAttr(axes.hasOrigin);
  properties.indexing_maps = builder.getArrayAttr(inputs.maps);
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.operands.size()),
                                    static_cast<int32_t>(axes.origins.size())};
  return parser.parseRegion(*result.addRegion(), inputs.arguments);
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printAttribute(getNameAttr());
  printer << " ";
  printAxes(printer, getAxes(), originsOf(*this));
  printer << " ";
  printInputs(printer, getBody().front(), getInputs(), getIndexingMaps(), axisNamesOf(*this));
  printResultTypes(printer, getOperation()->getResultTypes());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getNameAttrName(), getAxesAttrName(), getOriginAxesAttrName(),
                            getIndexingMapsAttrName(), getOperandSegmentSizesAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// The body's arguments are the elements of the inputs; (C5) of both statements.
static LogicalResult verifyBodyArguments(Operation *op, Block &body, ValueRange inputs) {
  SmallVector<Type> elements;
  for (Value input : inputs)
    elements.push_back(getElementTypeOrSelf(input.getType()));
  return verifyArguments(op, body, elements, "the body");
}

LogicalResult MapOp::verify() {
  SmallVector<Attribute> axes = allAxes(*this);
  auto type = cast<RankedTensorType>(getResult().getType());
  if (failed(verifyAxes(*this, axes)) ||                                          // (C2)
      failed(verifyOrigins(*this, axes, getOriginAxes(), getOrigins().size())) || // (C4)
      failed(verifyMaps(*this, axes.size(), getIndexingMaps(), getInputs())) ||   // (C1)
      failed(verifyExtents(*this, axes, type, "the result")) ||                   // (C3)
      failed(verifyBodyArguments(*this, getBody().front(), getInputs())))         // (C5)
    return failure();
  // (C5)
  return verifyYield(*this, getBody().front(), {type.getElementType()}, "the body");
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

/// `init(%a, %b : type, type)`, or nothing.
static ParseResult parseInits(OpAsmParser &parser, OperationState &result, int32_t &count) {
  if (failed(parser.parseOptionalKeyword("init")))
    return success();
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperandList(inits) || parser.parseColonTypeList(types) ||
      parser.parseRParen())
    return failure();
  count = inits.size();
  return parser.resolveOperands(inits, types, loc, result.operands);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  ParsedAxes axes;
  ParsedInputs inputs;
  Type indexType = builder.getIndexType();
  int32_t numInits = 0;
  SMLoc loc;
  if (parser.parseAttribute(properties.name) || parseAxes(parser, axes, /*allowOrigins=*/true))
    return failure();
  size_t numParallel = axes.axes.size();
  if (parser.parseKeyword("over") || parseAxes(parser, axes, /*allowOrigins=*/true) ||
      parser.getCurrentLocation(&loc) || parseInputs(parser, axes.axes, inputs) ||
      parser.resolveOperands(inputs.operands, inputs.types, loc, result.operands) ||
      parser.resolveOperands(axes.origins, indexType, result.operands) ||
      parseInits(parser, result, numInits) || parseResultTypes(parser, result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  ArrayRef<Attribute> all = axes.axes;
  properties.axes = builder.getArrayAttr(all.take_front(numParallel));
  properties.reduction_axes = builder.getArrayAttr(all.drop_front(numParallel));
  properties.origin_axes = builder.getDenseBoolArrayAttr(axes.hasOrigin);
  properties.indexing_maps = builder.getArrayAttr(inputs.maps);
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.operands.size()),
                                    static_cast<int32_t>(axes.origins.size()), numInits};
  return failure(parser.parseRegion(*result.addRegion(), inputs.arguments) ||
                 parser.parseKeyword("combine") || parser.parseKeyword("identity") ||
                 parser.parseAttribute(properties.identities) ||
                 parser.parseRegion(*result.addRegion()));
}

void ReduceOp::print(OpAsmPrinter &printer) {
  SmallVector<Value> origins = originsOf(*this);
  printer << " ";
  printer.printAttribute(getNameAttr());
  printer << " ";
  printAxes(printer, getAxes(), ArrayRef(origins).take_front(getNumParallelAxes()));
  printer << " over ";
  printAxes(printer, getReductionAxes(), ArrayRef(origins).drop_front(getNumParallelAxes()));
  printer << " ";
  printInputs(printer, getBody().front(), getInputs(), getIndexingMaps(), axisNamesOf(*this));
  if (!getInits().empty())
    printer << " init(" << getInits() << " : " << getInits().getTypes() << ")";
  printResultTypes(printer, getOperation()->getResultTypes());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getNameAttrName(), getAxesAttrName(), getReductionAxesAttrName(), getOriginAxesAttrName(),
       getIndexingMapsAttrName(), getIdentitiesAttrName(), getOperandSegmentSizesAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer << " combine identity " << getIdentities() << " ";
  printer.printRegion(getCombiner());
}

/// (C6): the combiner and its identity work on tuples of the results' element types.
static LogicalResult verifyCombiner(ReduceOp op, ArrayRef<Type> elements) {
  SmallVector<Type> pairs(elements);
  llvm::append_range(pairs, elements);
  if (failed(verifyArguments(op, op.getCombiner().front(), pairs, "the combiner")) ||
      failed(verifyYield(op, op.getCombiner().front(), elements, "the combiner")))
    return failure();
  if (op.getIdentities().size() != elements.size())
    return op.emitOpError("expected one identity per result (")
           << elements.size() << "), got " << op.getIdentities().size();
  for (auto [attr, type] : llvm::zip(op.getIdentities(), elements)) {
    auto identity = dyn_cast<TypedAttr>(attr);
    if (!identity || identity.getType() != type)
      return op.emitOpError("expected an identity of type ") << type << ", got " << attr;
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  SmallVector<Attribute> axes = allAxes(*this);
  if (getReductionAxes().empty()) // (C2)
    return emitOpError("expected at least one reduction axis, got none");
  if (getNumResults() == 0)
    return emitOpError("expected at least one result, got none");
  if (failed(verifyAxes(*this, axes)) ||                                          // (C2)
      failed(verifyOrigins(*this, axes, getOriginAxes(), getOrigins().size())) || // (C4)
      failed(verifyMaps(*this, axes.size(), getIndexingMaps(), getInputs())))     // (C1)
    return failure();
  SmallVector<Type> elements;
  for (Type type : getOperation()->getResultTypes()) {
    auto ranked = cast<RankedTensorType>(type);
    if (failed(verifyExtents(*this, getAxes().getValue(), ranked, "a result"))) // (C3)
      return failure();
    elements.push_back(ranked.getElementType());
  }
  if (failed(verifyBodyArguments(*this, getBody().front(), getInputs())) ||  // (C5)
      failed(verifyYield(*this, getBody().front(), elements, "the body")) || // (C5)
      failed(verifyCombiner(*this, elements)))                               // (C6)
    return failure();
  // (C7)
  if (!getInits().empty() && !llvm::equal(getInits().getTypes(), getOperation()->getResultTypes()))
    return emitOpError("expected inits of the results' types (")
           << getOperation()->getResultTypes() << "), got (" << getInits().getTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// IndexOp and DimOp
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  // (C1)
  Operation *parent = (*this)->getParentOp();
  SmallVector<StringRef> names;
  if (auto map = dyn_cast_if_present<MapOp>(parent)) {
    names = axisNamesOf(map);
  } else if (auto reduce = dyn_cast_if_present<ReduceOp>(parent);
             reduce && (*this)->getParentRegion() == &reduce.getBody()) {
    names = axisNamesOf(reduce);
  } else {
    return emitOpError("expected to stand in the body of a statement");
  }
  if (!llvm::is_contained(names, getAxis()))
    return emitOpError("expected an axis of the enclosing statement, got \"") << getAxis() << "\"";
  return success();
}

LogicalResult DimOp::verify() {
  KernelOp kernel = getKernel(*this);
  if (!kernel)
    return emitOpError("expected to stand in a kernel");
  // (C1)
  if (!kernel.lookupDim(getDim()))
    return emitOpError("expected a dim that the kernel declares, got \"") << getDim() << "\"";
  return success();
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  KernelOp kernel = getKernel(*this);
  DimAttr dim = kernel ? kernel.lookupDim(getDim()) : DimAttr();
  if (!dim || dim.isDynamic())
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), dim.getSize());
}

#define GET_OP_CLASSES
#include "nautilus/Dialect/Scalar/IR/ScalarOps.cpp.inc"
