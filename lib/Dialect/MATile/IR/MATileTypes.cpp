// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout attribute, buffer and channel types of nautilus_matile: assembly, verifiers, and the step
// to and from nautilus::layout.

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;
using ::nautilus::layout::RegisterLayout;

#include "nautilus/Dialect/MATile/IR/MATileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "nautilus/Dialect/MATile/IR/MATileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "nautilus/Dialect/MATile/IR/MATileTypes.cpp.inc"

void MATileDialect::registerTypes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nautilus/Dialect/MATile/IR/MATileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "nautilus/Dialect/MATile/IR/MATileTypes.cpp.inc"
      >();
}

//===-- layout -------------------------------------------------------------===//

/// Parses `key = [[a, b], ...]` into a flat list; `rank` is set by the first basis seen.
static ParseResult parseBases(AsmParser &parser, StringRef key, std::optional<unsigned> &rank,
                              SmallVectorImpl<int32_t> &bases) {
  auto parseBasis = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    size_t before = bases.size();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       [&] { return parser.parseInteger(bases.emplace_back()); }))
      return failure();
    unsigned size = bases.size() - before;
    if (rank.value_or(size) != size)
      return parser.emitError(loc, "expected every basis to have ")
             << *rank << " coordinates, got " << size;
    rank = size;
    return success();
  };
  return failure(parser.parseKeyword(key) || parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBasis));
}

static void printBases(AsmPrinter &p, StringRef key, unsigned rank, ArrayRef<int32_t> bases) {
  p << key << " = [";
  for (size_t i = 0; i < bases.size(); i += std::max(rank, 1u)) {
    p << (i ? ", [" : "[");
    llvm::interleaveComma(bases.slice(i, rank), p);
    p << "]";
  }
  p << "]";
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::optional<unsigned> rank;
  SmallVector<int32_t> reg, lane, warp;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("rank"))) {
    if (parser.parseEqual() || parser.parseInteger(rank.emplace()) || parser.parseComma())
      return {};
  }
  if (parseBases(parser, "reg", rank, reg) || parser.parseComma() ||
      parseBases(parser, "lane", rank, lane) || parser.parseComma() ||
      parseBases(parser, "warp", rank, warp) || parser.parseGreater())
    return {};
  return get(parser.getContext(), rank.value_or(0), reg, lane, warp);
}

void LayoutAttr::print(AsmPrinter &p) const {
  p << "<";
  if (getRank() == 0)
    p << "rank = 0, ";
  printBases(p, "reg", getRank(), getReg());
  p << ", ";
  printBases(p, "lane", getRank(), getLane());
  p << ", ";
  printBases(p, "warp", getRank(), getWarp());
  p << ">";
}

static SmallVector<RegisterLayout::Basis> unflatten(unsigned rank, ArrayRef<int32_t> flat) {
  SmallVector<RegisterLayout::Basis> bases;
  for (size_t i = 0; i < flat.size(); i += std::max(rank, 1u))
    bases.emplace_back(flat.slice(i, rank).begin(), flat.slice(i, rank).end());
  return bases;
}

static RegisterLayout makeLayout(LayoutAttr attr, ArrayRef<int64_t> shape) {
  unsigned rank = attr.getRank();
  return RegisterLayout(shape, unflatten(rank, attr.getReg()), unflatten(rank, attr.getLane()),
                        unflatten(rank, attr.getWarp()));
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getRank()) // C1
    return emitError() << "expected a layout of rank " << shape.size() << ", got " << getRank();
  std::string why;
  if (!makeLayout(*this, shape).isValid(&why)) // C2
    return emitError() << "expected a layout that covers the tile: " << why;
  return success();
}

RegisterLayout matile::getLayout(RankedTensorType fragment) {
  return makeLayout(cast<LayoutAttr>(fragment.getEncoding()), fragment.getShape());
}

int64_t matile::getElementBytes(Type elementType) {
  return elementType.isIndex() ? 4 : std::max(1u, elementType.getIntOrFloatBitWidth() / 8);
}

static SmallVector<int32_t> flatten(ArrayRef<RegisterLayout::Basis> bases) {
  SmallVector<int32_t> flat;
  for (const RegisterLayout::Basis &basis : bases)
    llvm::append_range(flat, basis);
  return flat;
}

RankedTensorType matile::getFragmentType(MLIRContext *context, Type elementType,
                                         const RegisterLayout &layout) {
  auto attr = LayoutAttr::get(context, layout.shape().size(), flatten(layout.registerBases()),
                              flatten(layout.laneBases()), flatten(layout.warpBases()));
  return RankedTensorType::get(layout.shape(), elementType, attr);
}

//===-- buffer -------------------------------------------------------------===//

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  int64_t swizzle = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("swizzle") || parser.parseInteger(swizzle))
      return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType,
                    swizzle);
}

void BufferType::print(AsmPrinter &p) const {
  p << "<";
  for (int64_t size : getShape())
    p << size << "x";
  p << getElementType();
  if (getSwizzle())
    p << ", swizzle " << getSwizzle();
  p << ">";
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType, int64_t swizzle) {
  if (shape.empty() || !elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() % 8)
    return emitError() << "expected a tile of whole-byte elements";
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "expected swizzle 0, 32, 64 or 128, got " << swizzle;
  if (swizzle && shape.size() != 2)
    return emitError() << "expected a swizzled buffer to have rank 2";
  return success();
}

BufferType BufferType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const {
  return get(getContext(), shape.value_or(getShape()), elementType, getSwizzle());
}

::nautilus::layout::SharedLayout BufferType::getSharedLayout() const {
  int64_t rows = 1;
  for (int64_t size : getShape().drop_back())
    rows *= size;
  int64_t columns = getShape().back(), bytes = getElementType().getIntOrFloatBitWidth() / 8;
  using ::nautilus::layout::SharedLayout;
  return getSwizzle() ? SharedLayout::swizzled(rows, columns, bytes, getSwizzle())
                      : SharedLayout::rowMajor(rows, columns, bytes);
}

int64_t BufferType::getSlabColumns() const { return getSharedLayout().slabColumns(); }
int64_t BufferType::getNumSlabs() const { return getSharedLayout().numSlabs(); }
int64_t BufferType::getSlabStride() const { return getSharedLayout().slabStride(); }
int64_t BufferType::getSizeInBytes() const { return getSharedLayout().sizeInBytes(); }

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                                  BufferType) {
  if (slots < 1)
    return emitError() << "expected at least one slot, got " << slots;
  return success();
}
