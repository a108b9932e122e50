// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of the parts of a masked loop. For an upper condition j <= r(i), with r between its least
// and its greatest value over the rows of the tile: tiles that end at or before the least value are
// bare, tiles that start after the greatest are dropped. Lower conditions mirror this.
//
//   0 ..... anyLow [masked] allLow [bare] allHigh [masked] anyHigh ..... N
//
// The lower ends of all parts are multiples of the tile, so that the parts walk the tiles of the
// unsplit loop.

#include "MaskBounds.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

namespace {

class BoundEmitter {
public:
  BoundEmitter(OpBuilder &builder, Location loc, const State &state, unsigned loop,
               function_ref<std::pair<Value, int64_t>(unsigned)> getOrigin)
      : builder(builder), loc(loc), state(state), loop(state.loops[loop]), getOrigin(getOrigin) {}

  SmallVector<LoopPart> run();

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  template <typename OpTy> Value binary(Value a, Value b) {
    return OpTy::create(builder, loc, a, b);
  }
  Value scaled(Value value, int64_t factor) {
    return factor == 1 ? value : binary<arith::MulIOp>(value, constant(factor));
  }
  /// The least or greatest value of a form over the points of the enclosing tiles.
  Value emitExtreme(const LinearForm &form, bool greatest);
  /// `value` cut to [0, extent of the loop's dim].
  Value clamp(Value value) {
    Value extent = DimOp::create(builder, loc, builder.getIndexType(), state.axes[loop.axis].dim);
    Value notNegative = binary<arith::MaxSIOp>(value, constant(0));
    return binary<arith::MinSIOp>(notNegative, extent);
  }
  /// A non-negative value down or up to a multiple of the tile.
  Value align(Value value, bool up) {
    Value tile = constant(loop.tile.value);
    if (up)
      value = binary<arith::AddIOp>(value, constant(loop.tile.value - 1));
    return binary<arith::MulIOp>(binary<arith::DivSIOp>(value, tile), tile);
  }
  template <typename OpTy> void accumulate(Value &bound, Value value) {
    bound = bound ? binary<OpTy>(bound, value) : value;
  }

  OpBuilder &builder;
  Location loc;
  const State &state;
  const Loop &loop;
  function_ref<std::pair<Value, int64_t>(unsigned)> getOrigin;
};

} // namespace

Value BoundEmitter::emitExtreme(const LinearForm &form, bool greatest) {
  int64_t offset = form.constant;
  Value sum;
  for (auto [axis, coefficient] : form.axes) {
    if (coefficient == 0)
      continue;
    auto [origin, tile] = getOrigin(axis);
    // The last point of a tile may lie outside its dim, which only widens the range.
    if (greatest == (coefficient > 0))
      offset += coefficient * (tile - 1);
    if (origin)
      accumulate<arith::AddIOp>(sum, scaled(origin, coefficient));
  }
  for (const auto &[dim, coefficient] : form.dims)
    if (coefficient != 0)
      accumulate<arith::AddIOp>(
          sum, scaled(DimOp::create(builder, loc, builder.getIndexType(), dim), coefficient));
  if (offset != 0 || !sum)
    accumulate<arith::AddIOp>(sum, constant(offset));
  return sum;
}

SmallVector<LoopPart> BoundEmitter::run() {
  Value anyLow, allLow, allHigh, anyHigh;
  for (const MaskCondition &condition : loop.split->conditions) {
    if (condition.isUpper) { // j <= form
      Value least = emitExtreme(condition.form, /*greatest=*/false);
      Value greatest = emitExtreme(condition.form, /*greatest=*/true);
      Value one = constant(1);
      accumulate<arith::MinSIOp>(allHigh,
                                 align(clamp(binary<arith::AddIOp>(least, one)), /*up=*/false));
      accumulate<arith::MinSIOp>(anyHigh, clamp(binary<arith::AddIOp>(greatest, one)));
      continue;
    }
    // j >= -form
    Value zero = constant(0);
    Value least = binary<arith::SubIOp>(zero, emitExtreme(condition.form, /*greatest=*/true));
    Value greatest = binary<arith::SubIOp>(zero, emitExtreme(condition.form, /*greatest=*/false));
    accumulate<arith::MaxSIOp>(anyLow, align(clamp(least), /*up=*/false));
    accumulate<arith::MaxSIOp>(allLow, align(clamp(greatest), /*up=*/true));
  }
  SmallVector<LoopPart> parts;
  if (anyLow) {
    Value end = anyHigh ? binary<arith::MinSIOp>(allLow, anyHigh) : allLow;
    parts.push_back({anyLow, end, /*isBare=*/false});
  }
  parts.push_back({anyLow ? allLow : Value(), allHigh, /*isBare=*/true});
  if (allHigh) {
    Value start = anyLow ? binary<arith::MaxSIOp>(allLow, allHigh) : allHigh;
    parts.push_back({start, anyHigh, /*isBare=*/false});
  }
  return parts;
}

SmallVector<LoopPart> mlir::nautilus::schedule::emitLoopParts(
    OpBuilder &builder, Location loc, const State &state, unsigned loop,
    function_ref<std::pair<Value, int64_t>(unsigned axis)> getOrigin) {
  return BoundEmitter(builder, loc, state, loop, getOrigin).run();
}

LoopPart mlir::nautilus::schedule::emitPartRange(OpBuilder &builder, Location loc,
                                                 const State &state, unsigned loop, Value number) {
  const Loop &info = state.loops[loop];
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // Whole tiles for each part, as many for all but the last ones.
  Value extent = DimOp::create(builder, loc, builder.getIndexType(), state.axes[info.axis].dim);
  int64_t share = info.tile.value * state.axes[*info.part].extent;
  Value tiles = arith::CeilDivSIOp::create(builder, loc, extent, constant(share));
  Value points = arith::MulIOp::create(builder, loc, tiles, constant(info.tile.value));
  Value lower = arith::MulIOp::create(builder, loc, number, points);
  Value end = arith::AddIOp::create(builder, loc, lower, points);
  return {lower, arith::MinSIOp::create(builder, loc, end, extent), /*isBare=*/false};
}
