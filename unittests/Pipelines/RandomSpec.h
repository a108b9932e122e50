// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random specs as text: products, reductions, softmaxes, masks and elementwise formulas over a few
// dims, with element types, extents and orders of dims that tend to go wrong (0, 1, primes, a point
// more or less than a tile), and the tensors to run them on, in random layouts.

#ifndef NAUTILUS_UNITTESTS_PIPELINES_RANDOMSPEC_H
#define NAUTILUS_UNITTESTS_PIPELINES_RANDOMSPEC_H

#include "nautilus/Interpreter/Interpreter.h"

#include <map>
#include <random>
#include <string>

namespace mlir::nautilus {

class RandomSpec {
public:
  explicit RandomSpec(uint64_t seed);

  /// A spec with one kernel `k`.
  std::string text() const;
  /// The extent of every dim.
  const interpreter::DimBindings &getDims() const { return dims; }
  /// How far levels may differ, relative: what roundings that fall to the other side make of it.
  double getTolerance() const { return tolerance; }

private:
  /// Dims are capital letters; the axis over a dim is its small letter.
  using Axes = std::string;
  struct Tensor {
    std::string name, type;
    Axes axes;
    bool isArgument = false, isRead = false, isResult = false;
    bool isFinal = false; ///< Not to be read by later statements.
  };

  int64_t below(int64_t bound) { return random() % bound; }
  bool chance(int64_t percent) { return below(100) < percent; }
  template <typename T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  /// `count` letters of `from`, in random order.
  Axes subset(Axes from, size_t count);
  int64_t volume(const Axes &axes) const;
  std::string subscript(const Tensor &tensor) const;
  std::string argument(const Axes &axes);
  /// An argument or an earlier tensor over some of the axes.
  std::string operand(const Axes &axes);
  /// The formula with every axis as a plain subscript of something.
  std::string cover(const Axes &axes, std::string formula);
  void define(const Axes &axes, const std::string &formula);
  std::string formula(const Axes &axes);
  std::string mask(const Axes &axes);
  void map();
  void reduce();
  void product();
  void softmax();
  void locate();

  std::mt19937_64 random;
  interpreter::DimBindings dims;
  Axes all;
  std::map<char, std::string> clauses; ///< By dim: its size or hint.
  std::string body;
  std::vector<Tensor> tensors;
  unsigned numArguments = 0, numStatements = 0;
  double tolerance = 1e-5;
};

/// A tensor of that shape whose elements stand packed, with gaps, or in another order of dims.
interpreter::Tensor makeInLayout(interpreter::ElementKind kind, ArrayRef<int64_t> shape,
                                 uint64_t seed);

} // namespace mlir::nautilus

#endif
