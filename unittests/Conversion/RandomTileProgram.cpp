// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator. Values stay within a few units, so that no level overflows or rounds differently.

#include "RandomTileProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

static bool isFloatElement(llvm::StringRef element) { return element.contains('f'); }

static ElementKind kindOf(llvm::StringRef element) {
  for (ElementKind kind : {ElementKind::F64, ElementKind::F32, ElementKind::F16, ElementKind::BF16,
                           ElementKind::I8, ElementKind::I32, ElementKind::I64})
    if (stringify(kind) == element)
      return kind;
  llvm_unreachable("no element of inputs");
}

static std::string tileType(const std::string &element, const std::vector<int64_t> &shape) {
  std::string type = "tensor<";
  for (int64_t extent : shape)
    type += std::to_string(extent) + "x";
  return type + element + ">";
}

static std::string memrefType(const std::string &element, size_t rank) {
  std::string dims, strides;
  for (size_t d = 0; d < rank; ++d) {
    dims += "?x";
    strides += d ? ", ?" : "?";
  }
  return "memref<" + dims + element + ", strided<[" + strides + "], offset: ?>>";
}

static std::string join(llvm::ArrayRef<std::string> parts) { return llvm::join(parts, ", "); }

RandomTileProgram::Shape RandomTileProgram::randomShape(size_t rank) {
  while (true) {
    Shape shape;
    int64_t size = 1;
    for (size_t d = 0; d < rank; ++d) {
      shape.push_back(pick<int64_t>({1, 2, 3, 5, 8, 16, 17, 32, 40, 64, 72, 80, 96, 128}));
      size *= shape.back();
    }
    if (size <= 4096)
      return shape;
  }
}

RandomTileProgram::Tile RandomTileProgram::constant(const std::string &element, const Shape &shape,
                                                    const std::string &value) {
  Tile tile = result(element, shape);
  emit(tile.name + " = arith.constant dense<" + value + "> : " + tileType(element, shape));
  return tile;
}

//===-- Memory ----------------------------------------------------------------===//

std::string RandomTileProgram::access(const std::string &element, const Shape &shape,
                                      bool isResult) {
  size_t rank = shape.size() + (below(4) == 0);
  // The tile's dims walk the memref's in order, or now and then in another.
  std::vector<int64_t> walk;
  for (size_t d = 0; d < shape.size(); ++d)
    walk.push_back(d + (rank - shape.size()));
  if (below(6) == 0)
    std::shuffle(walk.begin(), walk.end(), random);
  std::string tensor = (isResult ? "R" : "T") + std::to_string(numTensors++),
              memref = "%m" + tensor;
  Shape extents(rank, 1);
  std::vector<std::string> indices(rank), bounds(shape.size()), dims, names;
  for (size_t m = 0; m < rank; ++m) {
    int64_t start = pick<int64_t>({0, 0, 0, 1, 8, 16}), extent = start + 1;
    auto found = llvm::find(walk, int64_t(m));
    std::string dim = "d" + std::to_string(numDims++);
    if (found != walk.end()) {
      int64_t tile = shape[found - walk.begin()], missing = below(2) ? 0 : below(tile + 1);
      extent = std::max<int64_t>(1, start + tile - missing + pick<int64_t>({0, 0, 8}));
      bool inside = extent >= start + tile;
      int64_t how = below(3);
      bounds[found - walk.begin()] = inside && how == 0 ? "inside"
                                     : how == 1         ? std::to_string(extent)
                                                        : "%" + dim;
    }
    extents[m] = extent;
    indices[m] = "%c" + std::to_string(start);
    dimAttrs += (dimAttrs.empty() ? "" : ", ") + ("#nautilus_scalar.dim<\"" + dim + "\", ") +
                std::to_string(extent) + ">";
    names.push_back("[\"" + dim + "\"]");
    dimArguments.push_back("%" + dim + ": index");
    entryViews += "  %" + dim + " = nautilus_host.dim \"" + dim + "\"\n";
    passedDims.push_back("%" + dim);
  }
  std::string attr = "#nautilus_scalar.tensor<\"" + tensor + "\", [" + join(names) + "]>";
  (isResult ? resultAttrs : tensorAttrs).push_back(attr);
  (isResult ? resultTypes : tensorTypes).push_back(tileType(element, extents));
  std::string type = memrefType(element, rank);
  arguments.push_back(memref + ": " + type);
  entryViews += "  " + memref + " = nautilus_host.view \"" + tensor + "\" : " + type + "\n";
  passed.push_back(memref);
  passedTypes.push_back(type);
  if (!isResult) {
    inputs.emplace_back(kindOf(element), extents);
    fillRandom(inputs.back(), random());
  }
  std::string walkText;
  for (int64_t m : walk)
    walkText += (walkText.empty() ? "" : ", ") + std::to_string(m);
  return memref + "[" + join(indices) + "] walk [" + walkText + "] bounds [" + join(bounds) +
         "] : ";
}

RandomTileProgram::Tile RandomTileProgram::load(const std::string &element, const Shape &shape) {
  Tile tile = result(element, shape);
  std::string place = access(element, shape, /*isResult=*/false);
  emit(tile.name + " = nautilus_vrtile.load " + place + passedTypes.back() + " -> " +
       tileType(element, shape));
  return tile;
}

void RandomTileProgram::store(Tile tile) {
  if (tile.element == "i1") { // as a choice of numbers
    Tile one = constant("f32", tile.shape, "1.0"), two = constant("f32", tile.shape, "2.0"),
         chosen = result("f32", tile.shape);
    emit(chosen.name + " = arith.select " + tile.name + ", " + one.name + ", " + two.name + " : " +
         tileType("i1", tile.shape) + ", " + tileType("f32", tile.shape));
    tile = chosen;
  }
  if (tile.element == "index")
    tile = cast(tile, "i64");
  std::string place = access(tile.element, tile.shape, /*isResult=*/true);
  emit("nautilus_vrtile.store " + tile.name + ", " + place + tileType(tile.element, tile.shape) +
       ", " + passedTypes.back());
}

//===-- Tiles -----------------------------------------------------------------===//

static int64_t widthOf(llvm::StringRef element) {
  int64_t width = 64; // index
  element.drop_while([](char c) { return !llvm::isDigit(c); }).getAsInteger(10, width);
  return width;
}

RandomTileProgram::Tile RandomTileProgram::cast(const Tile &tile, const std::string &element) {
  if (tile.element == element)
    return tile;
  if (isFloatElement(tile.element) && isFloatElement(element) &&
      widthOf(tile.element) == widthOf(element)) // between the two of 16 bits
    return cast(cast(tile, "f32"), element);
  std::string op;
  if (tile.element == "index" || element == "index")
    op = "arith.index_cast";
  else if (isFloatElement(tile.element) != isFloatElement(element))
    op = isFloatElement(element) ? "arith.sitofp" : "arith.fptosi";
  else if (isFloatElement(element))
    op = widthOf(tile.element) < widthOf(element) ? "arith.extf" : "arith.truncf";
  else
    op = widthOf(tile.element) < widthOf(element) ? "arith.extsi" : "arith.trunci";
  Tile cast = result(element, tile.shape);
  emit(cast.name + " = " + op + " " + tile.name + " : " + tileType(tile.element, tile.shape) +
       " to " + tileType(element, tile.shape));
  return cast;
}

RandomTileProgram::Tile RandomTileProgram::elementwise(const Tile &tile) {
  if (tile.element == "i1" || tile.element == "index")
    return mask(tile);
  bool isFloat = isFloatElement(tile.element);
  if (isFloat && below(3) == 0)
    return cast(tile, pick<std::string>({"f16", "bf16", "f32"}));
  if (!isFloat && below(4) == 0)
    return cast(tile, "f32");
  // The other operand: an input, another tile of the shape, or a number.
  Tile other;
  for (const Tile &candidate : tiles)
    if (candidate.shape == tile.shape && candidate.element == tile.element && below(2))
      other = candidate;
  if (other.name.empty())
    other = below(2) ? load(tile.element, tile.shape)
                     : constant(tile.element, tile.shape, isFloat ? "0.5" : "3");
  std::string op = isFloat ? pick<std::string>({"arith.addf", "arith.subf", "arith.maximumf"})
                           : pick<std::string>({"arith.addi", "arith.subi", "arith.maxsi"});
  Tile combined = result(tile.element, tile.shape);
  emit(combined.name + " = " + op + " " + tile.name + ", " + other.name + " : " +
       tileType(tile.element, tile.shape));
  return combined;
}

/// Picks by a comparison of coordinates, of the tile with a number, or of an i1.
RandomTileProgram::Tile RandomTileProgram::mask(const Tile &tile) {
  if (tile.shape.empty())
    return tile;
  Tile condition = tile;
  if (tile.element != "i1") {
    Tile left = tile, right;
    if (tile.element != "index") {
      left = result("index", tile.shape);
      emit(left.name + " = nautilus_vrtile.iota %c1 along " +
           std::to_string(below(tile.shape.size())) + " : " + tileType("index", tile.shape));
    }
    right = result("index", tile.shape);
    emit(right.name + " = nautilus_vrtile.splat %c8 : index -> " + tileType("index", tile.shape));
    condition = result("i1", tile.shape);
    emit(condition.name + " = arith.cmpi slt, " + left.name + ", " + right.name + " : " +
         tileType("index", tile.shape));
  }
  if (tile.element == "i1" || tile.element == "index")
    return below(2) && tile.element == "index" ? cast(tile, "i32") : condition;
  Tile other = constant(tile.element, tile.shape, isFloatElement(tile.element) ? "0.25" : "2");
  Tile chosen = result(tile.element, tile.shape);
  emit(chosen.name + " = arith.select " + condition.name + ", " + tile.name + ", " + other.name +
       " : " + tileType("i1", tile.shape) + ", " + tileType(tile.element, tile.shape));
  return chosen;
}

RandomTileProgram::Tile RandomTileProgram::reduce(const Tile &tile) {
  if (tile.shape.empty())
    return tile;
  size_t dim = below(tile.shape.size());
  Shape shape(tile.shape);
  shape.erase(shape.begin() + dim);
  bool isFloat = isFloatElement(tile.element);
  std::string op = tile.element == "i1"      ? "arith.ori"
                   : tile.element == "index" ? "arith.maxsi"
                   : isFloat                 ? pick<std::string>({"arith.addf", "arith.maximumf"})
                                             : pick<std::string>({"arith.addi", "arith.maxsi"});
  std::string identity = op == "arith.maximumf" ? (tile.element == "f32"    ? "0xFF800000"
                                                   : tile.element == "bf16" ? "0xFF80"
                                                                            : "0xFC00")
                         : isFloat              ? "0.0"
                         : tile.element == "i1" ? "false"
                         : op == "arith.maxsi"  ? (tile.element == "i8" ? "-128" : "-2147483648")
                                                : "0";
  if (tile.element != "i1")
    identity += " : " + tile.element;
  Tile reduced = result(tile.element, shape);
  emit(reduced.name + " = nautilus_vrtile.reduce " + tile.name + " along " + std::to_string(dim) +
       " identity [" + identity + "] : " + tileType(tile.element, tile.shape) + " -> " +
       tileType(tile.element, shape) + " {");
  emit("^bb0(%l: " + tile.element + ", %r: " + tile.element + "):");
  emit("  %c = " + op + " %l, %r : " + tile.element);
  emit("  nautilus_vrtile.yield %c : " + tile.element);
  emit("}");
  // Sums of narrow types are scaled down, so that a later cast keeps in range.
  if (op != "arith.addf")
    return reduced;
  Tile scale = constant(tile.element, shape, "0.0625"), scaled = result(tile.element, shape);
  emit(scaled.name + " = arith.mulf " + reduced.name + ", " + scale.name + " : " +
       tileType(tile.element, shape));
  return scaled;
}

/// The largest element and where it stands.
RandomTileProgram::Tile RandomTileProgram::reducePair(const Tile &tile) {
  if (tile.shape.empty() || tile.element != "f32")
    return reduce(tile);
  size_t dim = below(tile.shape.size());
  Shape shape(tile.shape);
  shape.erase(shape.begin() + dim);
  Tile place = result("index", tile.shape);
  emit(place.name + " = nautilus_vrtile.iota %c0 along " + std::to_string(dim) + " : " +
       tileType("index", tile.shape));
  Tile most = result("f32", shape), at = result("index", shape);
  emit(most.name + ", " + at.name + " = nautilus_vrtile.reduce " + tile.name + ", " + place.name +
       " along " + std::to_string(dim) +
       " identity [0xFF800000 : f32, 9223372036854775807 : index] : " +
       tileType("f32", tile.shape) + ", " + tileType("index", tile.shape) + " -> " +
       tileType("f32", shape) + ", " + tileType("index", shape) + " {");
  emit("^bb0(%l: f32, %i: index, %r: f32, %j: index):");
  emit("  %more = arith.cmpf ogt, %l, %r : f32");
  emit("  %same = arith.cmpf oeq, %l, %r : f32");
  emit("  %first = arith.cmpi slt, %i, %j : index");
  emit("  %tie = arith.andi %same, %first : i1");
  emit("  %left = arith.ori %more, %tie : i1");
  emit("  %m = arith.select %left, %l, %r : f32");
  emit("  %a = arith.select %left, %i, %j : index");
  emit("  nautilus_vrtile.yield %m, %a : f32, index");
  emit("}");
  tiles.push_back(most);
  return at;
}

RandomTileProgram::Tile RandomTileProgram::broadcast(const Tile &tile) {
  int64_t size = 1;
  for (int64_t extent : tile.shape)
    size *= extent;
  if (tile.shape.size() >= 3)
    return tile;
  size_t at = below(tile.shape.size() + 1);
  int64_t extent = pick<int64_t>({1, 3, 8, 40});
  if (size * extent > 8192)
    return tile;
  Shape shape(tile.shape);
  shape.insert(shape.begin() + at, extent);
  std::string dims;
  for (size_t d = 0; d < shape.size(); ++d)
    if (d != at)
      dims += (dims.empty() ? "" : ", ") + std::to_string(d);
  Tile wide = result(tile.element, shape);
  emit(wide.name + " = nautilus_vrtile.broadcast " + tile.name + " to [" + dims +
       "] : " + tileType(tile.element, tile.shape) + " -> " + tileType(tile.element, shape));
  return wide;
}

RandomTileProgram::Tile RandomTileProgram::transpose(const Tile &tile) {
  if (tile.shape.size() < 2)
    return tile;
  std::vector<int64_t> permutation;
  for (size_t d = 0; d < tile.shape.size(); ++d)
    permutation.push_back(d);
  std::shuffle(permutation.begin(), permutation.end(), random);
  Shape shape;
  std::string text;
  for (int64_t d : permutation) {
    shape.push_back(tile.shape[d]);
    text += (text.empty() ? "" : ", ") + std::to_string(d);
  }
  Tile turned = result(tile.element, shape);
  emit(turned.name + " = nautilus_vrtile.transpose " + tile.name + " [" + text +
       "] : " + tileType(tile.element, tile.shape) + " -> " + tileType(tile.element, shape));
  return turned;
}

//===-- Products ----------------------------------------------------------------===//

RandomTileProgram::Tile RandomTileProgram::product() {
  int64_t m = pick<int64_t>({16, 48, 64, 64, 128, 192, 5}), k = pick<int64_t>({16, 40, 64, 80, 3});
  std::string element = pick<std::string>({"f16", "bf16", "f32"});
  return multiply(load(element, {m, k}));
}

/// `left` (or a rounded copy) times an input.
RandomTileProgram::Tile RandomTileProgram::multiply(const Tile &given) {
  Tile left = given.element == "f32" && below(3) ? cast(given, "f16") : given;
  bool transposeLeft = below(4) == 0, transposeRight = below(2);
  int64_t m = left.shape[transposeLeft], k = left.shape[!transposeLeft],
          n = pick<int64_t>({8, 24, 40, 64, 80, 128, 7});
  Tile right = load(left.element, transposeRight ? Shape{n, k} : Shape{k, n});
  Tile acc = below(3) ? constant("f32", {m, n}, "0.0") : load("f32", {m, n});
  Tile sum = result("f32", {m, n});
  emit(sum.name + " = nautilus_vrtile.dot " + left.name + (transposeLeft ? " transpose" : "") +
       ", " + right.name + (transposeRight ? " transpose" : "") + ", " + acc.name + " : " +
       tileType(left.element, left.shape) + ", " + tileType(right.element, right.shape) + " -> " +
       tileType("f32", {m, n}));
  Tile scale = constant("f32", {m, n}, "0.0625"), scaled = result("f32", {m, n});
  emit(scaled.name + " = arith.mulf " + sum.name + ", " + scale.name + " : " +
       tileType("f32", {m, n}));
  return scaled;
}

//===-- The program ---------------------------------------------------------------===//

void RandomTileProgram::step() {
  const Tile tile = tiles[below(tiles.size())];
  switch (below(9)) {
  case 0:
  case 1:
    return tiles.push_back(elementwise(tile));
  case 2:
    return tiles.push_back(mask(tile));
  case 3:
    return tiles.push_back(reduce(tile));
  case 4:
    return tiles.push_back(reducePair(tile));
  case 5:
    return tiles.push_back(broadcast(tile));
  case 6:
    return tiles.push_back(transpose(tile));
  case 7:
    if (tile.shape.size() == 2 && isFloatElement(tile.element))
      return tiles.push_back(multiply(tile));
    return tiles.push_back(elementwise(tile));
  case 8:
    return tiles.push_back(reduce(broadcast(tile)));
  }
}

RandomTileProgram::RandomTileProgram(uint64_t seed) : random(seed) {
  if (below(2))
    tiles.push_back(product());
  else
    tiles.push_back(
        load(pick<std::string>({"f32", "f16", "bf16", "i32", "i8"}), randomShape(1 + below(3))));
  for (int64_t i = 0, steps = 2 + below(6); i < steps; ++i)
    step();
  // Everything is stored, so that nothing is dead.
  for (const Tile &tile : std::vector<Tile>(tiles))
    store(tile);
}

std::string RandomTileProgram::text() const {
  std::vector<std::string> allArguments(arguments), allPassed(passed), allTypes(passedTypes),
      allAttrs(tensorAttrs), allTensorTypes(tensorTypes);
  llvm::append_range(allArguments, dimArguments);
  llvm::append_range(allPassed, passedDims);
  allTypes.insert(allTypes.end(), passedDims.size(), "i64");
  llvm::append_range(allAttrs, resultAttrs);
  llvm::append_range(allTensorTypes, resultTypes);
  std::string text = "nautilus_vrtile.kernel @body(" + join(allArguments) + ") {\n";
  text += "  %origin = nautilus_vrtile.origin [1 of 1]\n";
  for (int64_t c : {0, 1, 8, 16})
    text += "  %c" + std::to_string(c) + " = arith.constant " + std::to_string(c) + " : index\n";
  text += body + "  nautilus_vrtile.return\n}\n";
  text += "nautilus_host.entry @k dims [" + dimAttrs + "] tensors [" + join(allAttrs) +
          "] types [" + join(allTensorTypes) + "] results " + std::to_string(resultAttrs.size()) +
          " {\n";
  text += entryViews + "  %blocks = arith.constant 1 : i64\n";
  text += "  nautilus_host.launch @body grid(%blocks) (" + join(allPassed) + ") : (" +
          join(allTypes) + ")\n}\n";
  return text;
}
