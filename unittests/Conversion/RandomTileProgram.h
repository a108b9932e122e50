// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of nautilus_vrtile under a host entry, as text: loads with tails, elementwise
// ops, reductions, broadcasts, transposes, masks and products, over ranks, element types and
// extents that tend to go wrong (1, odd numbers, no powers of two).

#ifndef NAUTILUS_UNITTESTS_CONVERSION_RANDOMTILEPROGRAM_H
#define NAUTILUS_UNITTESTS_CONVERSION_RANDOMTILEPROGRAM_H

#include "nautilus/Interpreter/Tensor.h"

#include <random>
#include <string>

namespace mlir::nautilus {

class RandomTileProgram {
public:
  explicit RandomTileProgram(uint64_t seed);

  /// A module with a host entry @k that launches @body.
  std::string text() const;
  const std::vector<interpreter::Tensor> &getInputs() const { return inputs; }

private:
  using Shape = std::vector<int64_t>;
  struct Tile {
    std::string name, element;
    Shape shape;
  };

  int64_t below(int64_t bound) { return random() % bound; }
  template <typename T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  Shape randomShape(size_t rank);
  std::string fresh() { return "%v" + std::to_string(numValues++); }
  void emit(const std::string &line) { body += "  " + line + "\n"; }
  Tile result(const std::string &element, const Shape &shape) { return {fresh(), element, shape}; }
  Tile constant(const std::string &element, const Shape &shape, const std::string &value);
  /// A memref argument that a tile of `shape` fits over from a random start, and the access's text.
  std::string access(const std::string &element, const Shape &shape, bool isResult);
  Tile load(const std::string &element, const Shape &shape);
  void store(Tile tile);
  Tile cast(const Tile &tile, const std::string &element);
  Tile elementwise(const Tile &tile);
  Tile mask(const Tile &tile);
  Tile reduce(const Tile &tile);
  Tile reducePair(const Tile &tile);
  Tile broadcast(const Tile &tile);
  Tile transpose(const Tile &tile);
  Tile product();
  Tile multiply(const Tile &left);
  void step();

  std::mt19937_64 random;
  std::string body, entryViews, dimAttrs;
  std::vector<std::string> arguments, dimArguments, tensorAttrs, tensorTypes, passed, passedTypes,
      passedDims;
  std::vector<std::string> resultAttrs, resultTypes;
  std::vector<interpreter::Tensor> inputs;
  std::vector<Tile> tiles;
  int64_t numValues = 0, numTensors = 0, numDims = 0;
};

} // namespace mlir::nautilus

#endif
