// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel op: its header in text, and the constraints that tie tensors to named dims.

#include "nautilus/Dialect/Scalar/IR/Scalar.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;

DimAttr KernelOp::lookupDim(StringRef name) {
  for (auto dim : getDims().getAsRange<DimAttr>())
    if (dim.getName().getValue() == name)
      return dim;
  return {};
}

ReturnOp KernelOp::getReturn() { return cast<ReturnOp>(getBody().front().getTerminator()); }

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (auto [argument, attr] : llvm::zip(region.getArguments(), getArguments()))
    if (auto tensor = dyn_cast<TensorAttr>(attr))
      setName(argument, tensor.getName().getValue());
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `M = 128`, `N`, `N hint 4096`.
static ParseResult parseDim(OpAsmParser &parser, SmallVectorImpl<Attribute> &dims) {
  std::string name;
  int64_t size = ShapedType::kDynamic, hint = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&name))
    return failure();
  if (succeeded(parser.parseOptionalEqual()) && parser.parseInteger(size))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("hint")) && parser.parseInteger(hint))
    return failure();
  auto dim = DimAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                                 parser.getBuilder().getStringAttr(name), size, hint);
  if (!dim)
    return failure();
  dims.push_back(dim);
  return success();
}

static void printDim(OpAsmPrinter &printer, DimAttr dim) {
  printer.printKeywordOrString(dim.getName().getValue());
  if (!dim.isDynamic())
    printer << " = " << dim.getSize();
  if (dim.getHint() != 0)
    printer << " hint " << dim.getHint();
}

/// `A[M, G*R]`.
static ParseResult parseTensor(OpAsmParser &parser, SmallVectorImpl<Attribute> &tensors) {
  Builder &builder = parser.getBuilder();
  std::string name;
  SmallVector<Attribute> dims;
  auto parseProduct = [&]() -> ParseResult {
    SmallVector<Attribute> factors;
    do {
      std::string factor;
      if (parser.parseKeywordOrString(&factor))
        return failure();
      factors.push_back(builder.getStringAttr(factor));
    } while (succeeded(parser.parseOptionalStar()));
    dims.push_back(builder.getArrayAttr(factors));
    return success();
  };
  if (parser.parseKeywordOrString(&name) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseProduct))
    return failure();
  tensors.push_back(TensorAttr::get(parser.getContext(), builder.getStringAttr(name),
                                    builder.getArrayAttr(dims)));
  return success();
}

static void printTensor(OpAsmPrinter &printer, TensorAttr tensor) {
  printer.printKeywordOrString(tensor.getName().getValue());
  printer << "[";
  llvm::interleaveComma(tensor.getDims().getAsRange<ArrayAttr>(), printer, [&](ArrayAttr factors) {
    llvm::interleave(
        factors.getAsRange<StringAttr>(), printer,
        [&](StringAttr factor) { printer.printKeywordOrString(factor.getValue()); }, "*");
  });
  printer << "]";
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  StringRef visibility;
  if (succeeded(parser.parseOptionalKeyword(&visibility, {"public", "private", "nested"})))
    properties.sym_visibility = builder.getStringAttr(visibility);
  SmallVector<Attribute> dims, tensors, results, resultTypes;
  if (parser.parseSymbolName(properties.sym_name) || parser.parseKeyword("dims") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&] { return parseDim(parser, dims); }))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseArgument = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                   parseTensor(parser, tensors) || parser.parseColonType(argument.type));
  };
  auto parseResult = [&]() -> ParseResult {
    Type type;
    if (parseTensor(parser, results) || parser.parseColonType(type))
      return failure();
    resultTypes.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseArgument) ||
      parser.parseArrow() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseResult) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  properties.dims = builder.getArrayAttr(dims);
  properties.arguments = builder.getArrayAttr(tensors);
  properties.results = builder.getArrayAttr(results);
  properties.result_types = builder.getArrayAttr(resultTypes);
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " ";
  if (getSymVisibility())
    printer << *getSymVisibility() << " ";
  printer.printSymbolName(getSymName());
  printer << " dims [";
  llvm::interleaveComma(getDims().getAsRange<DimAttr>(), printer,
                        [&](DimAttr dim) { printDim(printer, dim); });
  printer << "](";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getArguments()), printer, [&](auto it) {
    auto [argument, tensor] = it;
    printer << argument << " = ";
    printTensor(printer, cast<TensorAttr>(tensor));
    printer << " : " << argument.getType();
  });
  printer << ") -> (";
  llvm::interleaveComma(llvm::zip(getResults(), getResultTypes()), printer, [&](auto it) {
    auto [tensor, type] = it;
    printTensor(printer, cast<TensorAttr>(tensor));
    printer << " : " << cast<TypeAttr>(type).getValue();
  });
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getSymVisibilityAttrName(),
                                            getDimsAttrName(), getArgumentsAttrName(),
                                            getResultsAttrName(), getResultTypesAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// (C2) and (C3) for one tensor.
static LogicalResult verifyTensor(KernelOp kernel, TensorAttr tensor, Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  SmallVector<StringAttr> dims = tensor.getFlatDims();
  // (C3)
  if (!ranked || ranked.getRank() != static_cast<int64_t>(dims.size()))
    return kernel.emitOpError("expected a ranked tensor of rank ")
           << dims.size() << " for " << tensor.getName() << " (one dim per factor), got " << type;
  for (auto [i, name] : llvm::enumerate(dims)) {
    DimAttr dim = kernel.lookupDim(name.getValue());
    // (C2)
    if (!dim)
      return kernel.emitOpError("expected declared dims for ")
             << tensor.getName() << ", got " << name;
    // (C3)
    if (ranked.getDimSize(i) == dim.getSize())
      continue;
    InFlightDiagnostic diag = kernel.emitOpError("expected extent ");
    dim.isDynamic() ? diag << "?" : diag << dim.getSize();
    return diag << " of " << tensor.getName() << " along " << name << ", got " << type;
  }
  return success();
}

LogicalResult KernelOp::verify() {
  llvm::SmallDenseSet<StringAttr> dimNames, tensorNames;
  for (Attribute attr : getDims()) {
    auto dim = dyn_cast<DimAttr>(attr);
    if (!dim)
      return emitOpError("expected dims to hold dims, got ") << attr;
    // (C1)
    if (!dimNames.insert(dim.getName()).second)
      return emitOpError("expected distinct dim names, got ") << dim.getName() << " twice";
  }
  Block &block = getBody().front();
  if (block.getNumArguments() != getArguments().size())
    return emitOpError("expected one block argument per argument tensor (")
           << getArguments().size() << "), got " << block.getNumArguments();
  if (getResultTypes().size() != getResults().size())
    return emitOpError("expected one result type per result tensor (")
           << getResults().size() << "), got " << getResultTypes().size();
  SmallVector<Type> types(block.getArgumentTypes());
  for (Attribute attr : getResultTypes()) {
    auto type = dyn_cast<TypeAttr>(attr);
    if (!type)
      return emitOpError("expected result_types to hold types, got ") << attr;
    types.push_back(type.getValue());
  }
  SmallVector<Attribute> tensors(getArguments().getValue());
  llvm::append_range(tensors, getResults().getValue());
  for (auto [attr, type] : llvm::zip(tensors, types)) {
    auto tensor = dyn_cast<TensorAttr>(attr);
    if (!tensor)
      return emitOpError("expected a tensor declaration, got ") << attr;
    // (C4)
    if (!tensorNames.insert(tensor.getName()).second)
      return emitOpError("expected distinct tensor names, got ") << tensor.getName() << " twice";
    if (failed(verifyTensor(*this, tensor, type)))
      return failure();
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  // (C5)
  auto terminator = dyn_cast<ReturnOp>(getBody().front().back());
  if (!terminator)
    return emitOpError("expected the body to end in nautilus_scalar.return");
  SmallVector<Type> expected;
  for (unsigned i = 0; i < getResults().size(); ++i)
    expected.push_back(getResultTensorType(i));
  if (!llvm::equal(terminator.getOperandTypes(), expected))
    return terminator.emitOpError("expected (")
           << expected << ") as the kernel declares, got (" << terminator.getOperandTypes() << ")";
  return success();
}
