// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a statement computes per element, apart from where it stands. A Body owns detached copies of
// the op's regions, so that a schedule state outlives and never touches the IR it was read from.
// Bodies are immutable and shared by all states that hold the statement.

#ifndef NAUTILUS_SCHEDULE_BODY_H
#define NAUTILUS_SCHEDULE_BODY_H

#include "nautilus/Dialect/Scalar/IR/Scalar.h"

#include <memory>
#include <string>

namespace mlir::nautilus::schedule {

class Body {
public:
  /// An empty body at `loc`; fill `getRegion()` before it is shared.
  explicit Body(Location loc);

  /// A copy with an empty region in place of `getRegion()`.
  std::shared_ptr<Body> cloneWithoutRegion() const;

  static std::shared_ptr<const Body> get(scalar::MapOp op);
  static std::shared_ptr<const Body> get(scalar::ReduceOp op);

  /// One block: an argument per read, ended by `nautilus_scalar.yield`.
  Region &getRegion() const { return *region; }
  /// The combiner of a reduction; an empty region for a map.
  Region &getCombiner() const { return *combiner; }
  /// The identities of a reduction; null for a map.
  ArrayAttr getIdentities() const { return identities; }
  void setIdentities(ArrayAttr attr) { identities = attr; }
  Location getLoc() const { return loc; }
  SmallVector<Type> getResultTypes() const;
  /// Discardable attributes that the statement carries along.
  DictionaryAttr getAttributes() const { return attributes; }

  /// Text that is equal for equal computations. Axes are written as positions in `axisNames`, so
  /// that the text doesn't depend on what axes are called.
  std::string getCanonicalText(ArrayRef<StringRef> axisNames) const;

private:
  Location loc;
  std::unique_ptr<Region> region, combiner;
  ArrayAttr identities;
  DictionaryAttr attributes;
};

} // namespace mlir::nautilus::schedule

#endif
