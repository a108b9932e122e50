// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fast variant of a kernel asks of a call: tensor maps for TMA copies and aligned tensors
// for wide accesses; and the host entry's choice between it and the general variant.

#ifndef NAUTILUS_LIB_CONVERSION_VRTILETOMATILE_TENSORMAPS_H
#define NAUTILUS_LIB_CONVERSION_VRTILETOMATILE_TENSORMAPS_H

#include "mlir/IR/Builders.h"
#include "nautilus/Dialect/Host/IR/Host.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::nautilus {

/// The tensor maps of one launch. A map belongs to a memref argument and a box; loads that agree on
/// both share it.
class TensorMaps {
public:
  TensorMaps(vrtile::KernelOp kernel, host::LaunchOp launch) : kernel(kernel), launch(launch) {}

  /// Why a load or store cannot be a TMA copy, or an empty string.
  std::string getObstacle(vrtile::LoadOp load);
  std::string getObstacle(vrtile::StoreOp store);

  /// The position, among the launch's tensor maps, of the map between a memref argument, walked
  /// like that, and a buffer of that type.
  unsigned getMap(Value memref, ArrayRef<int64_t> walk, matile::BufferType buffer);
  /// Notes that the fast variant moves groups of `count` elements along the last dim of a memref
  /// argument, whose bound there, if any, is `bound`: its address and strides must then be
  /// multiples of 16 bytes and the bound one of `count`.
  void requireVectors(Value memref, Value bound, int64_t count);
  /// Whether the fast variant asks for anything that only a call can tell.
  bool hasConditions() const { return !keys.empty() || !vectors.empty(); }

  /// Puts the launch under the condition that TMA's rules hold at this call, with the maps as
  /// further arguments of `fast`, and a launch of `general`, the same kernel with copies by
  /// threads, for all other calls.
  void chooseVariant(OpBuilder &b, StringAttr fast, StringAttr general);

private:
  struct Key {
    unsigned argument;
    SmallVector<int64_t> box; // per memref dim, outermost first
    int64_t swizzle;
    bool operator==(const Key &o) const {
      return argument == o.argument && box == o.box && swizzle == o.swizzle;
    }
  };
  /// Obstacles that loads and stores share.
  template <typename AccessOp>
  std::string getAccessObstacle(AccessOp op, Value memref, RankedTensorType tile);
  /// Extent of a memref dim as the host knows it: a constant, or an i64 value of the entry.
  Value hostExtent(OpBuilder &b, host::ViewOp view, unsigned dim);
  Value hostStride(OpBuilder &b, host::ViewOp view, unsigned dim);
  /// The address of the tensor behind a view.
  Value hostAddress(OpBuilder &b, host::ViewOp view);
  /// Whether an argument meets TMA's rules: address and strides in 16 bytes, last dim dense, no
  /// extent 0 or dim of stride 0.
  Value canMap(OpBuilder &b, unsigned argument);
  Value makeMap(OpBuilder &b, const Key &key);

  vrtile::KernelOp kernel;
  host::LaunchOp launch;
  SmallVector<Key> keys;
  llvm::SetVector<unsigned> vectors;                       // arguments accessed in groups
  llvm::SetVector<std::pair<unsigned, int64_t>> multiples; // index arguments that must be multiples
};

} // namespace mlir::nautilus

#endif
