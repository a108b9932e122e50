// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convert-nautilus-scalar-to-vrtile: kernels in loop form to one nautilus_vrtile.kernel per grid
// and a nautilus_host.entry that launches them. It stands after the schedule has been carried out;
// from here on a kernel is the program of one thread block.

#include "GridConverter.h"
#include "HostEntry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "nautilus/Conversion/Passes.h"

namespace mlir::nautilus {
#define GEN_PASS_DEF_CONVERTNAUTILUSSCALARTOVRTILEPASS
#include "nautilus/Conversion/Passes.h.inc"
} // namespace mlir::nautilus

using namespace mlir;
using namespace mlir::nautilus;

/// The named dims that result `number` of a grid walks.
static SmallVector<StringAttr> getResultDims(scalar::GridOp grid, unsigned number) {
  auto axes = cast<ArrayAttr>(grid.getAssemble().getAxes()[number]);
  return llvm::map_to_vector(axes.getAsRange<scalar::AxisAttr>(),
                             [](scalar::AxisAttr axis) { return axis.getDim(); });
}

/// Adds the arguments of the kernel and its results, which grids must have made.
static LogicalResult addNamedTensors(scalar::KernelOp kernel, TensorTable &table) {
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments())) {
    scalar::TensorAttr tensor = kernel.getArgument(i);
    table.reads[argument] = table.tensors.size();
    table.tensors.push_back(
        {tensor.getName(), cast<RankedTensorType>(argument.getType()), tensor.getFlatDims()});
  }
  scalar::ReturnOp end = kernel.getReturn();
  for (auto [i, value] : llvm::enumerate(end.getOperands())) {
    scalar::TensorAttr tensor = kernel.getResultTensor(i);
    auto grid = value.getDefiningOp<scalar::GridOp>();
    if (!grid)
      return end.emitOpError("expected result ")
             << tensor.getName() << " to be made by a grid (rule: loop form only), got "
             << (value.getDefiningOp() ? "a statement outside of grids" : "an argument");
    SmallVector<StringAttr> dims = tensor.getFlatDims();
    for (auto [want, got] :
         llvm::zip(dims, getResultDims(grid, cast<OpResult>(value).getResultNumber())))
      if (want != got && kernel.lookupDim(want).isDynamic())
        return end.emitOpError("expected a result over dim ")
               << want << " of " << tensor.getName() << ", got dim " << got;
    table.reads.try_emplace(value, table.tensors.size());
    table.writes[value].push_back(table.tensors.size());
    table.tensors.push_back({tensor.getName(), kernel.getResultTensorType(i), dims});
  }
  return success();
}

/// Adds a workspace for each grid result that only other grids read.
static void addWorkspaces(scalar::GridOp grid, TensorTable &table) {
  for (auto [i, result] : llvm::enumerate(grid.getOutputs())) {
    if (result.use_empty() || table.reads.contains(result))
      continue;
    table.reads[result] = table.tensors.size();
    table.writes[result].push_back(table.tensors.size());
    table.tensors.push_back(
        {StringAttr(), cast<RankedTensorType>(result.getType()), getResultDims(grid, i)});
  }
}

static LogicalResult convertKernel(scalar::KernelOp kernel, OpBuilder &b,
                                   ConversionCounts &counts) {
  SmallVector<scalar::GridOp> grids;
  for (Operation &op : kernel.getBody().front()) {
    if (auto grid = dyn_cast<scalar::GridOp>(op))
      grids.push_back(grid);
    else if (isa<scalar::MapOp, scalar::ReduceOp, scalar::ForOp, scalar::FillOp>(op))
      return op.emitOpError("expected to stand in a grid (rule: the schedule has been applied)");
  }
  TensorTable table;
  if (failed(addNamedTensors(kernel, table)))
    return failure();
  for (scalar::GridOp grid : grids)
    addWorkspaces(grid, table);

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(kernel);
  SmallVector<LaunchPlan> launches;
  for (scalar::GridOp grid : grids) {
    if (llvm::none_of(grid.getOutputs(), [&](Value v) { return table.writes.contains(v); }))
      continue; // Nobody reads it.
    std::string name = (kernel.getSymName() + "_" + Twine(launches.size())).str();
    FailureOr<LaunchPlan> plan = GridConverter(kernel, grid, table, b, counts).convert(name);
    if (failed(plan))
      return failure();
    launches.push_back(std::move(*plan));
  }
  buildHostEntry(b, kernel, table, launches);
  counts.kernels += launches.size();
  kernel.erase();
  return success();
}

namespace {
struct ConvertScalarToVRTile
    : mlir::nautilus::impl::ConvertNautilusScalarToVRTilePassBase<ConvertScalarToVRTile> {
  using ConvertNautilusScalarToVRTilePassBase::ConvertNautilusScalarToVRTilePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b(module.getContext());
    ConversionCounts counts;
    for (auto kernel : llvm::make_early_inc_range(module.getOps<scalar::KernelOp>()))
      if (failed(convertKernel(kernel, b, counts)))
        return signalPassFailure();
    numKernels += counts.kernels;
    numDots += counts.dots;
    numMasks += counts.masks;

    ConversionTarget target(getContext());
    target.addIllegalDialect<scalar::ScalarDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, target, RewritePatternSet(&getContext()))))
      signalPassFailure();
  }
};
} // namespace
