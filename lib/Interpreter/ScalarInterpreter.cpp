// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the body of a scalar kernel: statements, grids, serial loops. Blocks of a grid run one
// after the other; a grid's result starts as poison, so an element that no block wrote is seen.

#include "ScalarInterpreter.h"

#include "Statement.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <memory>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

namespace {

class ScalarInterpreter {
public:
  ScalarInterpreter(Mode mode, const DimBindings &dims) : mode(mode), dims(dims) {}

  FailureOr<std::vector<Tensor>> run(scalar::KernelOp kernel, ArrayRef<Tensor> inputs);

private:
  using TensorRef = std::shared_ptr<const Tensor>;

  LogicalResult runOps(Block &block);
  LogicalResult runOp(Operation &op);
  LogicalResult runGrid(scalar::GridOp grid);
  LogicalResult runFor(scalar::ForOp loop);
  LogicalResult runFill(scalar::FillOp fill);
  LogicalResult runScalar(Operation &op);
  template <typename StatementOp> LogicalResult runStatementOp(StatementOp op);
  void assemble(scalar::AssembleOp op, scalar::GridOp grid, ArrayRef<int64_t> origins,
                MutableArrayRef<Tensor> results);

  const Tensor &tensor(Value value) { return *tensors[value]; }
  int64_t extent(scalar::AxisAttr axis) { return dims.lookup(axis.getDim().getValue()); }
  void setResults(Operation *op, std::vector<Tensor> values) {
    for (auto [result, value] : llvm::zip(op->getResults(), values))
      tensors[result] = std::make_shared<Tensor>(std::move(value));
  }

  Mode mode;
  const DimBindings &dims;
  llvm::DenseMap<Value, TensorRef> tensors;
  llvm::DenseMap<Value, Element> scalars;
  llvm::DenseMap<Operation *, std::unique_ptr<Statement>> statements;
  llvm::DenseMap<Operation *, ElementOp> elementOps;
};

} // namespace

template <typename StatementOp> LogicalResult ScalarInterpreter::runStatementOp(StatementOp op) {
  std::unique_ptr<Statement> &statement = statements[op];
  if (!statement) {
    FailureOr<Statement> translated = Statement::translate(op, mode);
    if (failed(translated))
      return failure();
    statement = std::make_unique<Statement>(std::move(*translated));
  }
  StatementOperands operands;
  operands.dims = &dims;
  for (Value input : op.getInputs())
    operands.inputs.push_back(&tensor(input));
  if constexpr (std::is_same_v<StatementOp, scalar::ReduceOp>)
    for (Value init : op.getInits())
      operands.inits.push_back(&tensor(init));
  for (unsigned i = 0; i < op.getNumAxes(); ++i) {
    Value origin = op.getOrigin(i);
    operands.origins.push_back(origin ? scalars[origin].i : 0);
    operands.extents.push_back(extent(op.getAxis(i)));
  }
  FailureOr<std::vector<Tensor>> results = runStatement(*statement, operands);
  if (failed(results))
    return failure();
  setResults(op, std::move(*results));
  return success();
}

/// Writes each tile to its place in the whole result, without what lies outside the extents.
void ScalarInterpreter::assemble(scalar::AssembleOp op, scalar::GridOp grid,
                                 ArrayRef<int64_t> origins, MutableArrayRef<Tensor> results) {
  for (auto [tile, attr, result] : llvm::zip(op.getTiles(), op.getAxes(), results)) {
    auto axes = cast<ArrayAttr>(attr);
    const Tensor &from = tensor(tile);
    SmallVector<int64_t> starts, shape(from.shape);
    for (auto [d, axis] : llvm::enumerate(axes.getAsRange<scalar::AxisAttr>())) {
      const auto *position = llvm::find(grid.getAxes(), axis);
      bool isGridAxis = position != grid.getAxes().end();
      starts.push_back(isGridAxis ? origins[position - grid.getAxes().begin()] : 0);
      shape[d] = std::min(shape[d], result.shape[d] - starts[d]);
    }
    // The part of the tile inside the result, as a strided view, walked by its index.
    SmallVector<int64_t> index(shape.size(), 0), target(starts);
    if (llvm::any_of(shape, [](int64_t extent) { return extent <= 0; }))
      continue;
    while (true) {
      result.at(target) = from.at(index);
      size_t d = shape.size();
      while (d > 0 && ++index[d - 1] == shape[d - 1]) {
        --d;
        index[d] = 0;
        target[d] = starts[d];
      }
      if (d == 0)
        break;
      ++target[d - 1];
    }
  }
}

LogicalResult ScalarInterpreter::runGrid(scalar::GridOp grid) {
  scalar::AssembleOp end = grid.getAssemble();
  std::vector<Tensor> results;
  for (auto [attr, output] : llvm::zip(end.getAxes(), grid.getOutputs())) {
    SmallVector<int64_t> shape;
    for (auto axis : cast<ArrayAttr>(attr).getAsRange<scalar::AxisAttr>())
      shape.push_back(extent(axis));
    std::optional<ElementKind> kind = getElementKind(getElementTypeOrSelf(output.getType()));
    if (!kind)
      return grid.emitError("the interpreter does not know the type ") << output.getType();
    results.emplace_back(*kind, shape).fill(poisonOf(*kind));
  }
  unsigned numAxes = grid.getAxes().size();
  SmallVector<int64_t> origins(numAxes, 0);
  bool isEmpty = false;
  for (unsigned a = 0; a < numAxes; ++a)
    isEmpty |= extent(grid.getAxis(a)) == 0;
  Block &body = grid.getBody().front();
  while (!isEmpty) {
    for (auto [argument, origin] : llvm::zip(body.getArguments(), origins))
      scalars[argument].i = origin;
    if (failed(runOps(body)))
      return failure();
    assemble(end, grid, origins, results);
    size_t a = numAxes;
    while (a > 0 &&
           (origins[a - 1] += grid.getAxis(a - 1).getTile()) >= extent(grid.getAxis(a - 1)))
      origins[--a] = 0;
    if (a == 0)
      break;
  }
  setResults(grid, std::move(results));
  return success();
}

LogicalResult ScalarInterpreter::runFor(scalar::ForOp loop) {
  int64_t lower = loop.getLower() ? scalars[loop.getLower()].i : 0;
  int64_t upper = loop.getUpper() ? scalars[loop.getUpper()].i : extent(loop.getAxis());
  SmallVector<TensorRef> carried;
  for (Value init : loop.getInits())
    carried.push_back(tensors[init]);
  Block &body = loop.getBody().front();
  for (int64_t origin = lower; origin < upper; origin += loop.getAxis().getTile()) {
    scalars[body.getArgument(0)].i = origin;
    for (auto [argument, value] : llvm::zip(body.getArguments().drop_front(), carried))
      tensors[argument] = value;
    if (failed(runOps(body)))
      return failure();
    for (auto [value, yielded] : llvm::zip(carried, body.getTerminator()->getOperands()))
      value = tensors[yielded];
  }
  for (auto [output, value] : llvm::zip(loop.getOutputs(), carried))
    tensors[output] = value;
  return success();
}

LogicalResult ScalarInterpreter::runFill(scalar::FillOp fill) {
  auto type = cast<RankedTensorType>(fill.getType());
  std::optional<ElementKind> kind = getElementKind(type.getElementType());
  std::optional<Element> value = getElement(fill.getValue());
  if (!kind || !value)
    return fill.emitError("the interpreter does not know the value ") << fill.getValue();
  auto filled = std::make_shared<Tensor>(*kind, type.getShape());
  filled->fill(*value);
  tensors[fill.getResult()] = std::move(filled);
  return success();
}

/// Arithmetic on index values between statements.
LogicalResult ScalarInterpreter::runScalar(Operation &op) {
  auto [it, isNew] = elementOps.try_emplace(&op);
  if (isNew) {
    FailureOr<ElementOp> resolved = resolveElementOp(&op, mode);
    if (failed(resolved))
      return failure();
    it->second = *resolved;
  }
  SmallVector<Element, 3> operands;
  for (Value operand : op.getOperands())
    operands.push_back(scalars[operand]);
  const Element *in[3];
  for (auto [i, operand] : llvm::enumerate(operands))
    in[i] = &operand;
  it->second.apply(in, &scalars[op.getResult(0)], 1);
  return success();
}

LogicalResult ScalarInterpreter::runOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<scalar::MapOp, scalar::ReduceOp>(
          [&](auto statement) { return runStatementOp(statement); })
      .Case([&](scalar::GridOp grid) { return runGrid(grid); })
      .Case([&](scalar::ForOp loop) { return runFor(loop); })
      .Case([&](scalar::FillOp fill) { return runFill(fill); })
      .Case([&](scalar::DimOp dim) {
        scalars[dim.getResult()].i = dims.lookup(dim.getDim());
        return success();
      })
      .Default([&](Operation *other) { return runScalar(*other); });
}

LogicalResult ScalarInterpreter::runOps(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOp(op)))
      return failure();
  return success();
}

FailureOr<std::vector<Tensor>> ScalarInterpreter::run(scalar::KernelOp kernel,
                                                      ArrayRef<Tensor> inputs) {
  Block &body = kernel.getBody().front();
  for (auto [argument, input] : llvm::zip(body.getArguments(), inputs))
    tensors[argument] = std::make_shared<Tensor>(input);
  if (failed(runOps(body)))
    return failure();
  std::vector<Tensor> results;
  for (Value value : kernel.getReturn().getOperands())
    results.push_back(packed(tensor(value)));
  return results;
}

FailureOr<std::vector<Tensor>> nautilus::interpreter::runScalarKernel(scalar::KernelOp kernel,
                                                                      Mode mode,
                                                                      ArrayRef<Tensor> inputs,
                                                                      const DimBindings &dims) {
  return ScalarInterpreter(mode, dims).run(kernel, inputs);
}
