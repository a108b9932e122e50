// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear equations over GF(2): a span of vectors that remembers from which inputs each combination
// was made.

#ifndef NAUTILUS_LIB_LAYOUT_LINEARSPAN_H
#define NAUTILUS_LIB_LAYOUT_LINEARSPAN_H

#include "nautilus/Layout/RegisterLayout.h"
#include <optional>

namespace nautilus::layout {

class LinearSpan {
public:
  using Vector = llvm::SmallVector<int32_t, 2>;

  /// Adds `vector` under `tag` (bits that name it); false if it lies in the span already.
  bool insert(Vector vector, uint64_t tag);
  /// The exclusive or of the tags of the inserted vectors that sum up to `vector`, if any do.
  std::optional<uint64_t> solve(Vector vector) const;

private:
  struct Row {
    Vector vector;
    uint64_t tag;
    unsigned dim; // where the leading bit is
    int32_t lead; // the leading bit, set in no later row's reduced vector
  };
  /// Eliminates the leading bits of all rows from `vector`; the tags used.
  uint64_t reduce(Vector &vector) const;
  llvm::SmallVector<Row> rows;
};

} // namespace nautilus::layout

#endif
