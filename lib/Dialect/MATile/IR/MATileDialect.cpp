// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the nautilus_matile dialect.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus::matile;

#include "nautilus/Dialect/MATile/IR/MATileDialect.cpp.inc"

namespace {
/// Prints long layouts once, as `#layout`, `#layout1`…
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void MATileDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "nautilus/Dialect/MATile/IR/MATileOps.cpp.inc"
      >();
  addInterfaces<LayoutAliases>();
}
