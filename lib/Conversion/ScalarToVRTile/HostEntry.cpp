// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds host entries; see the header. All integer work is i64.

#include "HostEntry.h"
#include "BoundsChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::nautilus;

namespace {
class EntryBuilder {
public:
  EntryBuilder(OpBuilder &builder, scalar::KernelOp kernel, const TensorTable &table)
      : b(builder), kernel(kernel), loc(kernel.getLoc()), table(table) {}

  host::EntryOp build(ArrayRef<LaunchPlan> launches);

private:
  Value constant(int64_t value) {
    Value &made = constants[value];
    if (!made)
      made = arith::ConstantIntOp::create(b, loc, value, 64);
    return made;
  }
  Value extent(StringAttr dim);
  Value view(unsigned tensor, Type type);
  Value workspace(const WholeTensor &tensor, Type type);
  Value gridSize(scalar::GridOp grid);
  void checkCovered(const LaunchPlan &plan);

  OpBuilder &b;
  scalar::KernelOp kernel;
  Location loc;
  const TensorTable &table;
  DenseMap<int64_t, Value> constants;
  DenseMap<StringAttr, Value> extents;
  DenseMap<unsigned, Value> views;
};
} // namespace

Value EntryBuilder::extent(StringAttr dim) {
  int64_t size = kernel.lookupDim(dim).getSize();
  if (!ShapedType::isDynamic(size))
    return constant(size);
  Value &made = extents[dim];
  if (!made)
    made = host::DimOp::create(b, loc, b.getI64Type(), dim);
  return made;
}

Value EntryBuilder::workspace(const WholeTensor &tensor, Type type) {
  int64_t bits = tensor.type.getElementType().isIndex() ? 64 : tensor.type.getElementTypeBitWidth();
  Value bytes = constant(llvm::divideCeil(bits, 8));
  SmallVector<Value> sizes =
      llvm::map_to_vector(tensor.dims, [&](StringAttr d) { return extent(d); });
  for (Value size : sizes)
    bytes = arith::MulIOp::create(b, loc, bytes, size);
  Value address = host::WorkspaceOp::create(b, loc, b.getI64Type(), bytes);
  return host::ViewOp::create(b, loc, type, StringAttr(), address, sizes);
}

Value EntryBuilder::view(unsigned tensor, Type type) {
  Value &made = views[tensor];
  if (!made) {
    const WholeTensor &whole = table.tensors[tensor];
    made = whole.name ? host::ViewOp::create(b, loc, type, whole.name, Value(), ValueRange())
                      : workspace(whole, type);
  }
  return made;
}

/// The product of ceil(extent / tile) over the grid's axes.
Value EntryBuilder::gridSize(scalar::GridOp grid) {
  Value size;
  int64_t known = 1;
  for (auto axis : grid.getAxes().getAsRange<scalar::AxisAttr>()) {
    scalar::DimAttr dim = kernel.lookupDim(axis.getDim());
    if (!dim.isDynamic()) {
      known *= llvm::divideCeil(dim.getSize(), axis.getTile());
      continue;
    }
    Value count = extent(axis.getDim());
    if (axis.getTile() != 1)
      count = arith::CeilDivSIOp::create(b, loc, count, constant(axis.getTile()));
    size = size ? arith::MulIOp::create(b, loc, size, count).getResult() : count;
  }
  if (!size)
    return constant(known);
  return known == 1 ? size : arith::MulIOp::create(b, loc, size, constant(known)).getResult();
}

void EntryBuilder::checkCovered(const LaunchPlan &plan) {
  for (auto [dim, tile] : plan.covered) {
    Value size = extent(dim), most = constant(tile);
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, size, most);
    std::string message = "expected " + dim.getValue().str() +
                          " to be at most {1} (it must fit one tile of this schedule), got {0}";
    host::CheckOp::create(b, loc, fits, message, ValueRange{size, most});
  }
}

host::EntryOp EntryBuilder::build(ArrayRef<LaunchPlan> launches) {
  SmallVector<Attribute> tensors(kernel.getArguments().getValue());
  llvm::append_range(tensors, kernel.getResults().getValue());
  SmallVector<Attribute> types;
  for (Type type : kernel.getBody().getArgumentTypes())
    types.push_back(TypeAttr::get(type));
  llvm::append_range(types, kernel.getResultTypes().getValue());
  auto entry =
      host::EntryOp::create(b, loc, kernel.getSymName(), kernel.getDims(), b.getArrayAttr(tensors),
                            b.getArrayAttr(types), kernel.getResults().size());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&entry.getBody());
  for (const LaunchPlan &plan : launches)
    checkCovered(plan);
  buildBoundsChecks(b, kernel, table, [&](StringAttr dim) { return extent(dim); });
  for (LaunchPlan plan : launches) {
    SmallVector<Value> arguments;
    for (auto [tensor, type] : llvm::zip(plan.tensors, plan.kernel.getArgumentTypes()))
      arguments.push_back(view(tensor, type));
    for (StringAttr dim : plan.dims)
      arguments.push_back(extent(dim));
    host::LaunchOp::create(b, plan.grid.getLoc(), SymbolRefAttr::get(plan.kernel),
                           gridSize(plan.grid), arguments, IntegerAttr(), IntegerAttr(),
                           IntegerAttr());
  }
  return entry;
}

host::EntryOp nautilus::buildHostEntry(OpBuilder &builder, scalar::KernelOp kernel,
                                       const TensorTable &table, ArrayRef<LaunchPlan> launches) {
  return EntryBuilder(builder, kernel, table).build(launches);
}
