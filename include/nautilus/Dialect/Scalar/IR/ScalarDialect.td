// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nautilus_scalar dialect: tensor programs as formulas over named axes.

#ifndef NAUTILUS_DIALECT_SCALAR_IR_SCALARDIALECT_TD
#define NAUTILUS_DIALECT_SCALAR_IR_SCALARDIALECT_TD

include "mlir/IR/DialectBase.td"

def Scalar_Dialect : Dialect {
  let name = "nautilus_scalar";
  let summary = "Tensor programs as formulas over named axes, and the same formulas under tile loops";
  let description = [{
    The highest level of the compiler ("nautilus.scalar" in the paper). A `kernel` declares named
    dims and tensors over them; its body is a list of *statements* in value semantics. A statement
    is a `map` (elementwise) or a `reduce`, names its axes, and reads tensors at subscripts that are
    affine in the axes. What one element means is `arith` and `math` in a region.

    The dialect has two forms. In **math form** every axis of a statement runs over a whole dim. In
    **loop form**, which carrying out a schedule produces, the same statements stand under `grid`
    and `for` ops and an axis may be a tile: `i: M tile 128 at %i0` is the slice
    `[%i0, %i0 + 128)` of dim M, cut at the extent of M. Subscripts do not change between forms.

    There are no buffers and no side effects before nautilus_matile.
  }];
  let cppNamespace = "::mlir::nautilus::scalar";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif
