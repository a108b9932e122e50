// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Functions.h.

#include "Functions.h"

#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace mlir::nautilus::frontend;

static constexpr unsigned any = ~0u;

static constexpr Function functions[] = {
    {"exp", Opcode::Exp, 1, 1},           {"exp2", Opcode::Exp2, 1, 1},
    {"log", Opcode::Log, 1, 1},           {"log2", Opcode::Log2, 1, 1},
    {"sqrt", Opcode::Sqrt, 1, 1},         {"rsqrt", Opcode::Rsqrt, 1, 1},
    {"tanh", Opcode::Tanh, 1, 1},         {"erf", Opcode::Erf, 1, 1},
    {"sin", Opcode::Sin, 1, 1},           {"cos", Opcode::Cos, 1, 1},
    {"abs", Opcode::Abs, 1, 1},           {"floor", Opcode::Floor, 1, 1},
    {"ceil", Opcode::Ceil, 1, 1},         {"pow", Opcode::Pow, 2, 2},
    {"max", Opcode::Max, 2, any},         {"min", Opcode::Min, 2, any},
    {"maxnum", Opcode::MaxNum, 2, 2},     {"minnum", Opcode::MinNum, 2, 2},
    {"floordiv", Opcode::FloorDiv, 2, 2},
};

namespace {
struct Reduction {
  llvm::StringRef name;
  ReduceKind kind;
};
struct Constant {
  llvm::StringRef name;
  double value;
};
} // namespace

static constexpr Reduction reductions[] = {
    {"sum", ReduceKind::Sum},       {"prod", ReduceKind::Prod},     {"max", ReduceKind::Max},
    {"min", ReduceKind::Min},       {"maxnum", ReduceKind::MaxNum}, {"minnum", ReduceKind::MinNum},
    {"argmax", ReduceKind::ArgMax}, {"argmin", ReduceKind::ArgMin}, {"any", ReduceKind::Any},
    {"all", ReduceKind::All}};

static constexpr Constant constants[] = {{"inf", std::numeric_limits<double>::infinity()},
                                         {"nan", std::numeric_limits<double>::quiet_NaN()},
                                         {"pi", 3.14159265358979323846}};

const Function *mlir::nautilus::frontend::lookupFunction(llvm::StringRef name) {
  const auto *it = llvm::find_if(functions, [&](const Function &f) { return f.name == name; });
  return it == std::end(functions) ? nullptr : it;
}

std::optional<ReduceKind> mlir::nautilus::frontend::lookupReduction(llvm::StringRef name) {
  for (const Reduction &reduction : reductions)
    if (reduction.name == name)
      return reduction.kind;
  return std::nullopt;
}

std::optional<double> mlir::nautilus::frontend::lookupConstant(llvm::StringRef name) {
  for (const Constant &constant : constants)
    if (constant.name == name)
      return constant.value;
  return std::nullopt;
}

bool mlir::nautilus::frontend::isReservedName(llvm::StringRef name) {
  return lookupFunction(name) || lookupReduction(name) || lookupConstant(name) || parseElem(name) ||
         name == "extent" || name == "nautilus" || name == "_";
}

void mlir::nautilus::frontend::appendFunctionNames(llvm::SmallVectorImpl<llvm::StringRef> &names) {
  for (const Function &function : functions)
    names.push_back(function.name);
  for (const Reduction &reduction : reductions)
    names.push_back(reduction.name);
  names.append({"extent", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i8", "i32", "i64", "bool"});
}
