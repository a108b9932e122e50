// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the body of a scalar kernel: statements, grids, serial loops. Blocks of a grid run one
// after the other; a grid's result starts as poison, so an element that no block wrote is seen.

#include "ScalarInterpreter.h"

#include "Statement.h"
#include "StructuredInterpreter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

namespace {

class ScalarInterpreter : public StructuredInterpreter {
public:
  ScalarInterpreter(Mode mode, const DimBindings &dims) : StructuredInterpreter(mode), dims(dims) {}

  FailureOr<std::vector<Tensor>> run(scalar::KernelOp kernel, ArrayRef<Tensor> inputs);

private:
  std::optional<LogicalResult> runLevelOp(Operation &op) override;
  LogicalResult runGrid(scalar::GridOp grid);
  LogicalResult runFor(scalar::ForOp loop);
  LogicalResult runFill(scalar::FillOp fill);
  template <typename StatementOp> LogicalResult runStatementOp(StatementOp op);
  void assemble(scalar::AssembleOp op, scalar::GridOp grid, ArrayRef<int64_t> origins,
                MutableArrayRef<Tensor> results);

  int64_t extent(scalar::AxisAttr axis) { return dims.lookup(axis.getDim().getValue()); }
  void setResults(Operation *op, std::vector<Tensor> tensors) {
    for (auto [result, tensor] : llvm::zip(op->getResults(), tensors))
      setTile(result, std::move(tensor));
  }

  const DimBindings &dims;
  llvm::DenseMap<Operation *, std::unique_ptr<Statement>> statements;
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
    operands.inputs.push_back(&tile(input));
  if constexpr (std::is_same_v<StatementOp, scalar::ReduceOp>)
    for (Value init : op.getInits())
      operands.inits.push_back(&tile(init));
  for (unsigned i = 0; i < op.getNumAxes(); ++i) {
    Value origin = op.getOrigin(i);
    operands.origins.push_back(origin ? integer(origin) : 0);
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
  for (auto [operand, attr, result] : llvm::zip(op.getTiles(), op.getAxes(), results)) {
    auto axes = cast<ArrayAttr>(attr);
    const Tensor &from = tile(operand);
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
      integer(argument) = origin;
    if (failed(runBlock(body)))
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
  int64_t lower = loop.getLower() ? integer(loop.getLower()) : 0;
  int64_t upper = loop.getUpper() ? integer(loop.getUpper()) : extent(loop.getAxis());
  SmallVector<RuntimeValue> carried;
  for (Value init : loop.getInits())
    carried.push_back(value(init));
  Block &body = loop.getBody().front();
  for (int64_t origin = lower; origin < upper; origin += loop.getAxis().getTile()) {
    integer(body.getArgument(0)) = origin;
    for (auto [argument, next] : llvm::zip(body.getArguments().drop_front(), carried))
      value(argument) = next;
    if (failed(runBlock(body)))
      return failure();
    for (auto [next, yielded] : llvm::zip(carried, body.getTerminator()->getOperands()))
      next = value(yielded);
  }
  for (auto [output, last] : llvm::zip(loop.getOutputs(), carried))
    value(output) = last;
  return success();
}

LogicalResult ScalarInterpreter::runFill(scalar::FillOp fill) {
  auto type = cast<RankedTensorType>(fill.getType());
  std::optional<ElementKind> kind = getElementKind(type.getElementType());
  std::optional<Element> element = getElement(fill.getValue());
  if (!kind || !element)
    return fill.emitError("the interpreter does not know the value ") << fill.getValue();
  Tensor filled(*kind, type.getShape());
  filled.fill(*element);
  setTile(fill.getResult(), std::move(filled));
  return success();
}

std::optional<LogicalResult> ScalarInterpreter::runLevelOp(Operation &op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case<scalar::MapOp, scalar::ReduceOp>(
          [&](auto statement) { return runStatementOp(statement); })
      .Case([&](scalar::GridOp grid) { return runGrid(grid); })
      .Case([&](scalar::ForOp loop) { return runFor(loop); })
      .Case([&](scalar::FillOp fill) { return runFill(fill); })
      .Case([&](scalar::DimOp dim) {
        integer(dim.getResult()) = dims.lookup(dim.getDim());
        return success();
      })
      .Default([](Operation *) { return std::nullopt; });
}

FailureOr<std::vector<Tensor>> ScalarInterpreter::run(scalar::KernelOp kernel,
                                                      ArrayRef<Tensor> inputs) {
  Block &body = kernel.getBody().front();
  for (auto [argument, input] : llvm::zip(body.getArguments(), inputs))
    setTile(argument, input);
  if (failed(runBlock(body)))
    return failure();
  std::vector<Tensor> results;
  for (Value result : kernel.getReturn().getOperands())
    results.push_back(packed(tile(result)));
  return results;
}

FailureOr<std::vector<Tensor>>
mlir::nautilus::interpreter::runScalarKernel(scalar::KernelOp kernel, Mode mode,
                                             ArrayRef<Tensor> inputs, const DimBindings &dims) {
  return ScalarInterpreter(mode, dims).run(kernel, inputs);
}
