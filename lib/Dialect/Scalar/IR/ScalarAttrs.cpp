// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of nautilus_scalar and what makes each of them well formed by itself; whether a
// dim is declared is checked by the ops.

#include "nautilus/Dialect/Scalar/IR/Scalar.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;

#include "nautilus/Dialect/Scalar/IR/ScalarEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "nautilus/Dialect/Scalar/IR/ScalarAttrs.cpp.inc"

void ScalarDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nautilus/Dialect/Scalar/IR/ScalarAttrs.cpp.inc"
      >();
}

LogicalResult DimAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                              int64_t size, int64_t hint) {
  if (name.getValue().empty())
    return emitError() << "expected a dim name, got an empty string";
  if (size < 0 && !ShapedType::isDynamic(size))
    return emitError() << "expected size >= 0 of dim " << name << ", got " << size;
  if (hint < 0)
    return emitError() << "expected hint >= 0 of dim " << name << ", got " << hint;
  return success();
}

/// True for a name that the affine parser reads back as one operand.
static bool isSubscriptName(StringRef name) {
  if (name.empty() || !(llvm::isAlpha(name.front()) || name.front() == '_'))
    return false;
  if (!llvm::all_of(name,
                    [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }))
    return false;
  return name != "mod" && name != "floordiv" && name != "ceildiv" && name != "symbol";
}

LogicalResult AxisAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                               StringAttr dim, int64_t tile) {
  if (!isSubscriptName(name.getValue()))
    return emitError() << "expected an identifier that is no affine keyword as axis name, got "
                       << name;
  if (tile < 0)
    return emitError() << "expected tile >= 0 of axis " << name << ", got " << tile;
  return success();
}

LogicalResult TensorAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                 ArrayAttr dims) {
  for (Attribute dim : dims) {
    auto factors = dyn_cast<ArrayAttr>(dim);
    if (!factors || factors.empty() ||
        !llvm::all_of(factors, [](Attribute f) { return isa<StringAttr>(f); }))
      return emitError() << "expected one or more dim names per dim of tensor " << name << ", got "
                         << dim;
  }
  return success();
}

SmallVector<StringAttr> TensorAttr::getFlatDims() const {
  SmallVector<StringAttr> flat;
  for (Attribute dim : getDims())
    llvm::append_range(flat, cast<ArrayAttr>(dim).getAsRange<StringAttr>());
  return flat;
}

//===----------------------------------------------------------------------===//
// LaunchAttr
//===----------------------------------------------------------------------===//

LaunchAttr LaunchAttr::lookup(Operation *op) {
  return op->getAttrOfType<LaunchAttr>(kLaunchAttrName);
}

LogicalResult LaunchAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t warps,
                                 int64_t stages, bool persistent, GridOrder order) {
  if (warps < 0 || warps > kMaxCount) // (C1)
    return emitError() << "expected 0 to " << kMaxCount << " warps, got " << warps;
  if (stages < 0 || stages > kMaxCount) // (C2)
    return emitError() << "expected 0 to " << kMaxCount << " stages, got " << stages;
  return success();
}

/// `= value` of one option.
static ParseResult parseOption(AsmParser &parser, StringRef name, int64_t &number,
                               GridOrder &order) {
  if (parser.parseEqual())
    return failure();
  if (name != "order")
    return parser.parseInteger(number);
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<GridOrder> known = symbolizeGridOrder(word);
  if (!known)
    return parser.emitError(loc) << "expected natural, longest_first or grouped as order, got "
                                 << word;
  order = *known;
  return success();
}

Attribute LaunchAttr::parse(AsmParser &parser, Type) {
  int64_t warps = 0, stages = 0;
  bool persistent = false;
  GridOrder order = GridOrder::Natural;
  SMLoc start = parser.getCurrentLocation();
  auto parseAny = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    if (name == "persistent") {
      persistent = true;
      return success();
    }
    if (name != "warps" && name != "stages" && name != "order")
      return parser.emitError(loc) << "expected warps, stages, persistent or order, got " << name;
    return parseOption(parser, name, name == "warps" ? warps : stages, order);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseAny))
    return {};
  return parser.getChecked<LaunchAttr>(start, parser.getContext(), warps, stages, persistent,
                                       order);
}

void LaunchAttr::print(AsmPrinter &printer) const {
  SmallVector<std::string> options;
  if (getWarps() != 0)
    options.push_back("warps = " + std::to_string(getWarps()));
  if (getStages() != 0)
    options.push_back("stages = " + std::to_string(getStages()));
  if (getPersistent())
    options.push_back("persistent");
  if (getOrder() != GridOrder::Natural)
    options.push_back(("order = " + stringifyGridOrder(getOrder())).str());
  printer << "<";
  llvm::interleaveComma(options, printer);
  printer << ">";
}
