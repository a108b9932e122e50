// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the nautilus_vrtile dialect.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"

using namespace mlir;
using namespace mlir::nautilus::vrtile;

#include "nautilus/Dialect/VRTile/IR/VRTileDialect.cpp.inc"

void VRTileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "nautilus/Dialect/VRTile/IR/VRTileOps.cpp.inc"
      >();
}

/// Folded tiles are splats.
Operation *VRTileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
