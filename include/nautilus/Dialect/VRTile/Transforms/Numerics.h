// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much a rewrite of tile algebra may change numbers, and how much the user lets it.

#ifndef NAUTILUS_DIALECT_VRTILE_TRANSFORMS_NUMERICS_H
#define NAUTILUS_DIALECT_VRTILE_TRANSFORMS_NUMERICS_H

namespace mlir::nautilus::vrtile {

/// Exact: the same bits. Algebraic: an identity of real numbers; roundings and overflows move.
/// Approved: changes values by design.
enum class NumericClass { Exact, Algebraic, Approved };

/// The classes that are allowed: exact alone, up to algebraic, all.
enum class NumericPolicy { Strict, Default, Fast };

inline bool isAllowed(NumericClass numericClass, NumericPolicy policy) {
  return static_cast<int>(numericClass) <= static_cast<int>(policy);
}

} // namespace mlir::nautilus::vrtile

#endif
