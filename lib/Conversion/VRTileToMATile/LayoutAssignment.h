// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a register layout for every tile of a vrtile kernel.
//
// Tiles that elementwise ops, loops and accumulators tie together form a class and share one
// layout. Products fix the layout of their accumulator's class; from there layouts spread through
// reductions and broadcasts (which drop dims) and transposes. Classes that no product reaches get a
// blocked layout that suits the memory they are loaded from or stored to. Where two demands meet,
// the first wins and the conversion inserts a layout conversion at the use.
//
// Constants, splats and iotas belong to no class: they are made anew in whatever layout a use
// wants.

#ifndef NAUTILUS_LIB_CONVERSION_VRTILETOMATILE_LAYOUTASSIGNMENT_H
#define NAUTILUS_LIB_CONVERSION_VRTILETOMATILE_LAYOUTASSIGNMENT_H

#include "DotPlan.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"
#include "nautilus/Layout/Layout.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <optional>

namespace mlir::nautilus {

/// True for a tile that costs nothing to make again in another layout.
bool isFreeTile(Value tile);

class LayoutAssignment {
public:
  using Layout = ::nautilus::layout::RegisterLayout;
  LayoutAssignment(vrtile::KernelOp kernel, const DotPlan &plan);
  /// The layout of a tile that is not free.
  const Layout &get(Value tile) const;

private:
  void unify(Value a, Value b);
  void collect(vrtile::KernelOp kernel);
  void assign(Value tile, const Layout &layout);
  void propagate();
  void assignMemoryOrder(vrtile::KernelOp kernel);

  const DotPlan &plan;
  llvm::EquivalenceClasses<void *> classes;
  llvm::DenseMap<void *, Layout> layouts; // by class leader
  SmallVector<Operation *> relations;     // reductions, broadcasts, transposes
};

} // namespace mlir::nautilus

#endif
