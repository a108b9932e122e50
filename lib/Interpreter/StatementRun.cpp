// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a translated statement over its domain. One axis, the *lane axis*, is walked in runs of many
// points at a time, which amortises the walk of the body program; the others are plain loops. When
// the lane axis is a reduction axis, each lane keeps a partial result, and the lanes are merged
// last.

#include "Statement.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

namespace {

constexpr int64_t maxLanes = 256;

/// The value of `expr` at a point, with floor division.
int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> point) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return point[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), point), rhs = evaluate(binary.getRHS(), point);
  int64_t quotient = rhs == 0 ? 0 : lhs / rhs - (lhs % rhs != 0 && (lhs < 0) != (rhs < 0));
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return lhs - quotient * rhs;
  case AffineExprKind::FloorDiv:
    return quotient;
  default: // CeilDiv
    return quotient + (lhs != quotient * rhs);
  }
}

class Run {
public:
  Run(const Statement &statement, const StatementOperands &operands);
  FailureOr<std::vector<Tensor>> run();

private:
  bool isReduction(unsigned axis) const { return axis >= statement.numParallel; }
  int64_t count(unsigned axis) const { return high[axis] - low[axis]; }
  void chooseLaneAxis();
  void makeResults();
  LogicalResult checkBounds(unsigned input);
  InFlightDiagnostic outside(unsigned input, size_t dim, int64_t got);

  /// Calls `visit` at each point of the given axes, the others staying where they are.
  template <typename Visit> void forEachPoint(ArrayRef<unsigned> axes, Visit visit);
  void loadLanes(int64_t lanes);
  void loadLinear(unsigned input, int64_t lanes);
  void loadGeneral(unsigned input, int64_t lanes);
  int64_t resultOffset(const Tensor &result) const;
  int64_t laneStride(const Tensor &result) const;

  void runMap();
  void runReduceOverParallelLanes();
  void runReduceOverReductionLanes();
  void evaluateBody(int64_t lanes) {
    loadLanes(lanes);
    bodyRegisters->run(lanes);
  }

  const Statement &statement;
  const StatementOperands &operands;
  SmallVector<int64_t> low, high; ///< The domain, in coordinates of the tile.
  SmallVector<int64_t> origins;   ///< Per axis, 0 for the axis that stands for none.
  SmallVector<int64_t> point;     ///< Where the loops stand, in coordinates of the tile.
  unsigned laneAxis = 0;
  int64_t numLanes = 1;
  SmallVector<SmallVector<int64_t>> axisStrides; ///< [input][axis], of linear accesses.
  SmallVector<int64_t> bases;                    ///< [input], offset of the tile's first point.
  std::optional<Registers> bodyRegisters;
  std::optional<TupleCombiner> combiner;
  std::vector<Tensor> results;
  LogicalResult status = success();
};

} // namespace

Run::Run(const Statement &statement, const StatementOperands &operands)
    : statement(statement), operands(operands), origins(operands.origins) {
  for (auto [i, axis] : llvm::enumerate(statement.axes)) {
    int64_t tile = axis.getTile() ? axis.getTile() : operands.extents[i];
    low.push_back(std::max<int64_t>(0, -origins[i]));
    high.push_back(std::max(low.back(), std::min(tile, operands.extents[i] - origins[i])));
  }
  if (statement.axes.empty()) {
    low.push_back(0);
    high.push_back(1);
    origins.push_back(0);
  }
  point = low;
}

/// The last parallel axis reads and writes contiguously most often; a short one gives way to the
/// longest axis.
void Run::chooseLaneAxis() {
  constexpr int64_t shortRun = 16;
  laneAxis = statement.numParallel ? statement.numParallel - 1 : 0;
  if (count(laneAxis) < shortRun)
    for (unsigned a = 0; a < statement.numAxes; ++a)
      if (count(a) > count(laneAxis))
        laneAxis = a;
  numLanes = std::min(maxLanes, count(laneAxis));
  // Merging lanes halves them, so a reduction wants a power of two.
  if (isReduction(laneAxis))
    numLanes = llvm::PowerOf2Ceil(numLanes);
  numLanes = std::max<int64_t>(numLanes, 1);
}

void Run::makeResults() {
  SmallVector<int64_t> shape;
  for (unsigned a = 0; a < statement.numParallel && a < statement.axes.size(); ++a) {
    int64_t tile = statement.axes[a].getTile();
    shape.push_back(tile ? tile : operands.extents[a]);
  }
  for (auto [k, kind] : llvm::enumerate(statement.resultKinds)) {
    if (statement.combiner && !operands.inits.empty()) {
      results.push_back(packed(*operands.inits[k]));
      continue;
    }
    results.emplace_back(kind, shape);
    results.back().fill(statement.combiner ? statement.identities[k] : poisonOf(kind));
  }
}

InFlightDiagnostic Run::outside(unsigned input, size_t dim, int64_t got) {
  status = failure();
  return statement.op->emitError("expected subscript ")
         << dim << " of input " << input << " inside [0, " << operands.inputs[input]->shape[dim]
         << "), got " << got;
}

/// A linear subscript over a box takes its least and greatest value at corners, so that looking at
/// these is exact.
LogicalResult Run::checkBounds(unsigned input) {
  const InputAccess &access = statement.inputs[input];
  for (size_t d = 0; d < access.constants.size(); ++d) {
    int64_t least = access.constants[d], greatest = least;
    for (unsigned a = 0; a < statement.numAxes; ++a) {
      int64_t c = access.coefficients[d][a], origin = access.isTile ? 0 : origins[a];
      int64_t first = c * (origin + low[a]), last = c * (origin + high[a] - 1);
      least += std::min(first, last);
      greatest += std::max(first, last);
    }
    if (least < 0)
      return outside(input, d, least);
    if (greatest >= operands.inputs[input]->shape[d])
      return outside(input, d, greatest);
  }
  return success();
}

template <typename Visit> void Run::forEachPoint(ArrayRef<unsigned> axes, Visit visit) {
  for (unsigned a : axes)
    point[a] = low[a];
  while (true) {
    visit();
    size_t d = axes.size();
    while (d > 0 && ++point[axes[d - 1]] == high[axes[d - 1]]) {
      --d;
      point[axes[d]] = low[axes[d]];
    }
    if (d == 0)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

void Run::loadLinear(unsigned input, int64_t lanes) {
  int64_t offset = bases[input];
  for (unsigned a = 0; a < statement.numAxes; ++a)
    offset += axisStrides[input][a] * point[a];
  int64_t stride = axisStrides[input][laneAxis];
  const Element *from = operands.inputs[input]->data.data() + offset;
  if (stride == 1) { // Read in place; the program never writes to its arguments.
    bodyRegisters->point(input, from);
    return;
  }
  Element *to = bodyRegisters->own(input);
  if (stride == 0)
    std::fill(to, to + lanes, *from);
  else
    for (int64_t l = 0; l < lanes; ++l)
      to[l] = from[l * stride];
}

void Run::loadGeneral(unsigned input, int64_t lanes) {
  const InputAccess &access = statement.inputs[input];
  const Tensor &tensor = *operands.inputs[input];
  SmallVector<int64_t> coordinates(point);
  if (!access.isTile)
    for (unsigned a = 0; a < statement.numAxes; ++a)
      coordinates[a] += origins[a];
  Element *to = bodyRegisters->own(input);
  for (int64_t l = 0; l < lanes; ++l, ++coordinates[laneAxis]) {
    int64_t offset = 0;
    for (auto [d, expr] : llvm::enumerate(access.map.getResults())) {
      int64_t subscript = evaluate(expr, coordinates);
      if (subscript < 0 || subscript >= tensor.shape[d]) {
        if (succeeded(status))
          outside(input, d, subscript);
        return;
      }
      offset += subscript * tensor.strides[d];
    }
    to[l] = tensor.data[offset];
  }
}

/// Brings the inputs and coordinates of `lanes` points from `point` on into the body's registers.
void Run::loadLanes(int64_t lanes) {
  for (unsigned i = 0; i < statement.inputs.size(); ++i)
    statement.inputs[i].isLinear ? loadLinear(i, lanes) : loadGeneral(i, lanes);
  for (auto [axis, reg] : statement.body.indices) {
    Element *to = bodyRegisters->own(reg);
    int64_t first = origins[axis] + point[axis], step = axis == laneAxis;
    for (int64_t l = 0; l < lanes; ++l)
      to[l].i = first + l * step;
  }
}

int64_t Run::resultOffset(const Tensor &result) const {
  int64_t offset = 0;
  for (size_t d = 0; d < result.shape.size(); ++d)
    offset += point[d] * result.strides[d];
  return offset;
}

int64_t Run::laneStride(const Tensor &result) const {
  return laneAxis < result.shape.size() ? result.strides[laneAxis] : 0;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void Run::runMap() {
  SmallVector<unsigned> outer;
  for (unsigned a = 0; a < statement.numAxes; ++a)
    if (a != laneAxis)
      outer.push_back(a);
  Tensor &result = results.front();
  int64_t stride = laneStride(result);
  forEachPoint(outer, [&] {
    for (int64_t start = low[laneAxis]; start < high[laneAxis]; start += numLanes) {
      point[laneAxis] = start;
      int64_t lanes = std::min(numLanes, high[laneAxis] - start);
      evaluateBody(lanes);
      const Element *from = bodyRegisters->get(statement.body.yields.front());
      Element *to = result.data.data() + resultOffset(result);
      for (int64_t l = 0; l < lanes; ++l)
        to[l * stride] = from[l];
    }
  });
}

void Run::runReduceOverParallelLanes() {
  SmallVector<unsigned> outer, inner;
  for (unsigned a = 0; a < statement.numAxes; ++a)
    if (a != laneAxis)
      (isReduction(a) ? inner : outer).push_back(a);
  size_t size = results.size();
  std::vector<Element> partial(size * numLanes);
  SmallVector<Element *> into(size);
  SmallVector<const Element *> from(size);
  for (size_t k = 0; k < size; ++k)
    into[k] = partial.data() + k * numLanes;
  auto transfer = [&](int64_t lanes, bool toResult) {
    for (size_t k = 0; k < size; ++k) {
      Element *place = results[k].data.data() + resultOffset(results[k]);
      int64_t stride = laneStride(results[k]);
      for (int64_t l = 0; l < lanes; ++l)
        toResult ? place[l * stride] = into[k][l] : into[k][l] = place[l * stride];
    }
  };
  forEachPoint(outer, [&] {
    for (int64_t start = low[laneAxis]; start < high[laneAxis]; start += numLanes) {
      point[laneAxis] = start;
      int64_t lanes = std::min(numLanes, high[laneAxis] - start);
      transfer(lanes, /*toResult=*/false);
      forEachPoint(inner, [&] {
        evaluateBody(lanes);
        for (size_t k = 0; k < size; ++k)
          from[k] = bodyRegisters->get(statement.body.yields[k]);
        combiner->combine(into, from, lanes);
      });
      transfer(lanes, /*toResult=*/true);
    }
  });
}

void Run::runReduceOverReductionLanes() {
  SmallVector<unsigned> outer, inner;
  for (unsigned a = 0; a < statement.numAxes; ++a)
    if (a != laneAxis)
      (isReduction(a) ? inner : outer).push_back(a);
  size_t size = results.size();
  std::vector<Element> partial(size * numLanes);
  SmallVector<Element *> into(size);
  SmallVector<const Element *> from(size);
  for (size_t k = 0; k < size; ++k)
    into[k] = partial.data() + k * numLanes;
  forEachPoint(outer, [&] {
    for (size_t k = 0; k < size; ++k) {
      std::fill_n(into[k], numLanes, statement.identities[k]);
      into[k][0] = results[k].data[resultOffset(results[k])];
    }
    forEachPoint(inner, [&] {
      for (int64_t start = low[laneAxis]; start < high[laneAxis]; start += numLanes) {
        point[laneAxis] = start;
        int64_t lanes = std::min(numLanes, high[laneAxis] - start);
        evaluateBody(lanes);
        for (size_t k = 0; k < size; ++k)
          from[k] = bodyRegisters->get(statement.body.yields[k]);
        combiner->combine(into, from, lanes);
      }
    });
    for (int64_t half = numLanes / 2; half > 0; half /= 2) {
      for (size_t k = 0; k < size; ++k)
        from[k] = into[k] + half;
      combiner->combine(into, from, half);
    }
    for (size_t k = 0; k < size; ++k)
      results[k].data[resultOffset(results[k])] = into[k][0];
  });
}

FailureOr<std::vector<Tensor>> Run::run() {
  makeResults();
  for (unsigned a = 0; a < statement.numAxes; ++a)
    if (count(a) == 0)
      return std::move(results);
  chooseLaneAxis();
  for (auto [i, access] : llvm::enumerate(statement.inputs)) {
    if (access.isLinear && failed(checkBounds(i)))
      return failure();
    const Tensor &tensor = *operands.inputs[i];
    SmallVector<int64_t> &strides = axisStrides.emplace_back(statement.numAxes, 0);
    int64_t &base = bases.emplace_back(0);
    for (size_t d = 0; d < access.constants.size(); ++d) {
      base += access.constants[d] * tensor.strides[d];
      for (unsigned a = 0; a < statement.numAxes; ++a)
        strides[a] += access.coefficients[d][a] * tensor.strides[d];
    }
    for (unsigned a = 0; a < statement.numAxes && !access.isTile; ++a)
      base += strides[a] * origins[a];
  }
  bodyRegisters.emplace(statement.body, numLanes);
  for (auto [dim, reg] : statement.body.dims) {
    Element extent;
    extent.i = operands.dims->lookup(dim);
    std::fill_n(bodyRegisters->own(reg), numLanes, extent);
  }
  if (!statement.combiner) {
    runMap();
  } else {
    combiner.emplace(*statement.combiner, numLanes);
    isReduction(laneAxis) ? runReduceOverReductionLanes() : runReduceOverParallelLanes();
  }
  if (failed(status))
    return failure();
  return std::move(results);
}

FailureOr<std::vector<Tensor>>
nautilus::interpreter::runStatement(const Statement &statement, const StatementOperands &operands) {
  return Run(statement, operands).run();
}
