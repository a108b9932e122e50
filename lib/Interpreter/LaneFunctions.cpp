// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of element ops. Each entry is a loop over lanes around one C++ function, so that the
// cost of finding out what an op is falls once per many elements. Float functions work in float64;
// `Typed` mode rounds after each op, which for + - * / and sqrt on f32 gives exactly float32
// arithmetic (53 >= 2 * 24 + 2 bits: Figueroa 1995).

#include "ElementOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::nautilus::interpreter;

//===----------------------------------------------------------------------===//
// Loops over lanes
//===----------------------------------------------------------------------===//

template <double (*F)(double)>
static void unaryFloat(const ElementOp &, const Element *const *in, Element *out, size_t count) {
  for (size_t l = 0; l < count; ++l)
    out[l].f = F(in[0][l].f);
}

template <double (*F)(double, double)>
static void binaryFloat(const ElementOp &, const Element *const *in, Element *out, size_t count) {
  for (size_t l = 0; l < count; ++l)
    out[l].f = F(in[0][l].f, in[1][l].f);
}

template <bool (*F)(double)>
static void testFloat(const ElementOp &, const Element *const *in, Element *out, size_t count) {
  for (size_t l = 0; l < count; ++l)
    out[l].i = F(in[0][l].f);
}

template <int64_t (*F)(int64_t, int64_t)>
static void binaryInt(const ElementOp &, const Element *const *in, Element *out, size_t count) {
  for (size_t l = 0; l < count; ++l)
    out[l].i = F(in[0][l].i, in[1][l].i);
}

/// The value of `x` as an unsigned number of its kind.
static uint64_t asUnsigned(ElementKind kind, int64_t x) {
  unsigned width = bitWidth(kind);
  return width == 64 ? x : static_cast<uint64_t>(x) & ((uint64_t{1} << width) - 1);
}

/// The value of `x` as a signed number of its kind: a set i1 is -1.
static int64_t asSigned(ElementKind kind, int64_t x) { return kind == ElementKind::I1 ? -x : x; }

template <uint64_t (*F)(uint64_t, uint64_t)>
static void binaryUnsigned(const ElementOp &op, const Element *const *in, Element *out,
                           size_t count) {
  for (size_t l = 0; l < count; ++l)
    out[l].i = static_cast<int64_t>(
        F(asUnsigned(op.operandKind, in[0][l].i), asUnsigned(op.operandKind, in[1][l].i)));
}

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

static double addF(double a, double b) { return a + b; }
static double subF(double a, double b) { return a - b; }
static double mulF(double a, double b) { return a * b; }
static double divF(double a, double b) { return a / b; }
static double negF(double a) { return -a; }
static double rsqrtF(double a) { return 1.0 / std::sqrt(a); }
/// IEEE 754-2019 maximum: NaN wins, +0 is above -0.
static double maximumF(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return a > b || (a == b && std::signbit(b)) ? a : b;
}
static double minimumF(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
static bool isNaN(double a) { return std::isnan(a); }
static bool isInf(double a) { return std::isinf(a); }
static bool isFiniteF(double a) { return std::isfinite(a); }
static bool isNormalF(double a) { return std::isnormal(a); }

// Signed overflow wraps, so the sums are made in unsigned arithmetic. Division by zero and the
// quotient that overflows are undefined in `arith`; here they give 0 so that the host does not
// trap.
using U = uint64_t;
static int64_t addI(int64_t a, int64_t b) { return U(a) + U(b); }
static int64_t subI(int64_t a, int64_t b) { return U(a) - U(b); }
static int64_t mulI(int64_t a, int64_t b) { return U(a) * U(b); }
static bool divides(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}
static int64_t divSI(int64_t a, int64_t b) { return divides(a, b) ? a / b : 0; }
static int64_t remSI(int64_t a, int64_t b) { return divides(a, b) ? a % b : 0; }
static int64_t floorDivSI(int64_t a, int64_t b) {
  return divides(a, b) ? a / b - (a % b != 0 && (a < 0) != (b < 0)) : 0;
}
static int64_t ceilDivSI(int64_t a, int64_t b) {
  return divides(a, b) ? a / b + (a % b != 0 && (a < 0) == (b < 0)) : 0;
}
static int64_t maxSI(int64_t a, int64_t b) { return std::max(a, b); }
static int64_t minSI(int64_t a, int64_t b) { return std::min(a, b); }
static int64_t andI(int64_t a, int64_t b) { return a & b; }
static int64_t orI(int64_t a, int64_t b) { return a | b; }
static int64_t xorI(int64_t a, int64_t b) { return a ^ b; }
static int64_t shlI(int64_t a, int64_t b) { return b >= 0 && b < 64 ? U(a) << b : 0; }
static int64_t shrSI(int64_t a, int64_t b) { return a >> (b >= 0 && b < 64 ? b : 63); }
static U divUI(U a, U b) { return b ? a / b : 0; }
static U remUI(U a, U b) { return b ? a % b : 0; }
static U ceilDivUI(U a, U b) { return b ? a / b + (a % b != 0) : 0; }
static U maxUI(U a, U b) { return std::max(a, b); }
static U minUI(U a, U b) { return std::min(a, b); }
static U shrUI(U a, U b) { return b < 64 ? a >> b : 0; }

//===----------------------------------------------------------------------===//
// Ops that need more than a function
//===----------------------------------------------------------------------===//

static void constantLanes(const ElementOp &op, const Element *const *, Element *out, size_t count) {
  std::fill(out, out + count, op.constant);
}

static void selectLanes(const ElementOp &, const Element *const *in, Element *out, size_t count) {
  for (size_t l = 0; l < count; ++l)
    out[l] = in[0][l].i ? in[1][l] : in[2][l];
}

static void fmaLanes(const ElementOp &op, const Element *const *in, Element *out, size_t count) {
  bool single = op.rounds && op.resultKind == ElementKind::F32;
  for (size_t l = 0; l < count; ++l) {
    double a = in[0][l].f, b = in[1][l].f, c = in[2][l].f;
    out[l].f = single ? std::fma(float(a), float(b), float(c)) : std::fma(a, b, c);
  }
}

static void powIntLanes(const ElementOp &, const Element *const *in, Element *out, size_t count) {
  for (size_t l = 0; l < count; ++l)
    out[l].f = std::pow(in[0][l].f, static_cast<double>(in[1][l].i));
}

static void absIntLanes(const ElementOp &, const Element *const *in, Element *out, size_t count) {
  for (size_t l = 0; l < count; ++l)
    out[l].i = in[0][l].i < 0 ? subI(0, in[0][l].i) : in[0][l].i;
}

static void copyLanes(const ElementOp &, const Element *const *in, Element *out, size_t count) {
  std::copy(in[0], in[0] + count, out);
}

static void extendUnsigned(const ElementOp &op, const Element *const *in, Element *out, size_t n) {
  for (size_t l = 0; l < n; ++l)
    out[l].i = static_cast<int64_t>(asUnsigned(op.operandKind, in[0][l].i));
}

static void extendSigned(const ElementOp &op, const Element *const *in, Element *out, size_t n) {
  for (size_t l = 0; l < n; ++l)
    out[l].i = asSigned(op.operandKind, in[0][l].i);
}

static void signedToFloat(const ElementOp &op, const Element *const *in, Element *out, size_t n) {
  for (size_t l = 0; l < n; ++l)
    out[l].f = static_cast<double>(asSigned(op.operandKind, in[0][l].i));
}

static void unsignedToFloat(const ElementOp &op, const Element *const *in, Element *out, size_t n) {
  for (size_t l = 0; l < n; ++l)
    out[l].f = static_cast<double>(asUnsigned(op.operandKind, in[0][l].i));
}

/// Out-of-range conversions are undefined in `arith`; they give 0 here.
static void floatToSigned(const ElementOp &, const Element *const *in, Element *out, size_t n) {
  for (size_t l = 0; l < n; ++l)
    out[l].i = std::fabs(in[0][l].f) < 0x1p63 ? static_cast<int64_t>(in[0][l].f) : 0;
}

static void floatToUnsigned(const ElementOp &, const Element *const *in, Element *out, size_t n) {
  for (size_t l = 0; l < n; ++l) {
    double x = in[0][l].f;
    out[l].i = x > -1 && x < 0x1p64 ? static_cast<int64_t>(static_cast<uint64_t>(x)) : 0;
  }
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return a == b;
  case P::ONE:
    return !unordered && a != b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::UEQ:
    return unordered || a == b;
  case P::UNE:
    return unordered || a != b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  }
  return false;
}

static bool compareInts(arith::CmpIPredicate predicate, ElementKind kind, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  uint64_t ua = asUnsigned(kind, a), ub = asUnsigned(kind, b);
  int64_t sa = asSigned(kind, a), sb = asSigned(kind, b);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return sa < sb;
  case P::sle:
    return sa <= sb;
  case P::sgt:
    return sa > sb;
  case P::sge:
    return sa >= sb;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

static void compareFloatLanes(const ElementOp &op, const Element *const *in, Element *out,
                              size_t count) {
  auto predicate = static_cast<arith::CmpFPredicate>(op.predicate);
  for (size_t l = 0; l < count; ++l)
    out[l].i = compareFloats(predicate, in[0][l].f, in[1][l].f);
}

static void compareIntLanes(const ElementOp &op, const Element *const *in, Element *out,
                            size_t count) {
  auto predicate = static_cast<arith::CmpIPredicate>(op.predicate);
  for (size_t l = 0; l < count; ++l)
    out[l].i = compareInts(predicate, op.operandKind, in[0][l].i, in[1][l].i);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static llvm::StringMap<LaneFunction> arithFunctions() {
  return {{"arith.addf", binaryFloat<addF>},
          {"arith.subf", binaryFloat<subF>},
          {"arith.mulf", binaryFloat<mulF>},
          {"arith.divf", binaryFloat<divF>},
          {"arith.remf", binaryFloat<std::fmod>},
          {"arith.negf", unaryFloat<negF>},
          {"arith.maximumf", binaryFloat<maximumF>},
          {"arith.minimumf", binaryFloat<minimumF>},
          {"arith.maxnumf", binaryFloat<std::fmax>},
          {"arith.minnumf", binaryFloat<std::fmin>},
          {"arith.addi", binaryInt<addI>},
          {"arith.subi", binaryInt<subI>},
          {"arith.muli", binaryInt<mulI>},
          {"arith.divsi", binaryInt<divSI>},
          {"arith.remsi", binaryInt<remSI>},
          {"arith.floordivsi", binaryInt<floorDivSI>},
          {"arith.ceildivsi", binaryInt<ceilDivSI>},
          {"arith.maxsi", binaryInt<maxSI>},
          {"arith.minsi", binaryInt<minSI>},
          {"arith.andi", binaryInt<andI>},
          {"arith.ori", binaryInt<orI>},
          {"arith.xori", binaryInt<xorI>},
          {"arith.shli", binaryInt<shlI>},
          {"arith.shrsi", binaryInt<shrSI>},
          {"arith.shrui", binaryUnsigned<shrUI>},
          {"arith.divui", binaryUnsigned<divUI>},
          {"arith.remui", binaryUnsigned<remUI>},
          {"arith.ceildivui", binaryUnsigned<ceilDivUI>},
          {"arith.maxui", binaryUnsigned<maxUI>},
          {"arith.minui", binaryUnsigned<minUI>},
          {"arith.cmpf", compareFloatLanes},
          {"arith.cmpi", compareIntLanes},
          {"arith.select", selectLanes},
          {"arith.constant", constantLanes},
          {"arith.extf", nullptr},
          {"arith.truncf", copyLanes},
          {"arith.extsi", extendSigned},
          {"arith.extui", extendUnsigned},
          {"arith.trunci", copyLanes},
          {"arith.index_cast", extendSigned},
          {"arith.index_castui", extendUnsigned},
          {"arith.sitofp", signedToFloat},
          {"arith.uitofp", unsignedToFloat},
          {"arith.fptosi", floatToSigned},
          {"arith.fptoui", floatToUnsigned}};
}

static llvm::StringMap<LaneFunction> mathFunctions() {
  return {{"math.exp", unaryFloat<std::exp>},
          {"math.exp2", unaryFloat<std::exp2>},
          {"math.expm1", unaryFloat<std::expm1>},
          {"math.log", unaryFloat<std::log>},
          {"math.log2", unaryFloat<std::log2>},
          {"math.log10", unaryFloat<std::log10>},
          {"math.log1p", unaryFloat<std::log1p>},
          {"math.sqrt", unaryFloat<std::sqrt>},
          {"math.rsqrt", unaryFloat<rsqrtF>},
          {"math.cbrt", unaryFloat<std::cbrt>},
          {"math.sin", unaryFloat<std::sin>},
          {"math.cos", unaryFloat<std::cos>},
          {"math.tan", unaryFloat<std::tan>},
          {"math.asin", unaryFloat<std::asin>},
          {"math.acos", unaryFloat<std::acos>},
          {"math.atan", unaryFloat<std::atan>},
          {"math.sinh", unaryFloat<std::sinh>},
          {"math.cosh", unaryFloat<std::cosh>},
          {"math.tanh", unaryFloat<std::tanh>},
          {"math.erf", unaryFloat<std::erf>},
          {"math.erfc", unaryFloat<std::erfc>},
          {"math.absf", unaryFloat<std::fabs>},
          {"math.floor", unaryFloat<std::floor>},
          {"math.ceil", unaryFloat<std::ceil>},
          {"math.trunc", unaryFloat<std::trunc>},
          {"math.round", unaryFloat<std::round>},
          {"math.roundeven", unaryFloat<std::nearbyint>},
          {"math.atan2", binaryFloat<std::atan2>},
          {"math.copysign", binaryFloat<std::copysign>},
          {"math.powf", binaryFloat<std::pow>},
          {"math.fpowi", powIntLanes},
          {"math.fma", fmaLanes},
          {"math.absi", absIntLanes},
          {"math.isnan", testFloat<isNaN>},
          {"math.isinf", testFloat<isInf>},
          {"math.isfinite", testFloat<isFiniteF>},
          {"math.isnormal", testFloat<isNormalF>}};
}

std::optional<LaneFunction> nautilus::interpreter::lookupLaneFunction(StringRef name) {
  static const llvm::StringMap<LaneFunction> arith = arithFunctions(), math = mathFunctions();
  for (const auto *table : {&arith, &math})
    if (auto it = table->find(name); it != table->end())
      return it->second;
  return std::nullopt;
}
