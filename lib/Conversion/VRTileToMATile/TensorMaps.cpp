// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TMA's rules on loads (what the compiler can see), and the host's side of tensor maps (what only a
// call can show).

#include "TensorMaps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"

using namespace mlir;
using namespace mlir::nautilus;

static host::ViewOp getView(host::LaunchOp launch, Value memref) {
  return launch.getArgs()[cast<BlockArgument>(memref).getArgNumber()].getDefiningOp<host::ViewOp>();
}

/// The dim that dim `dim` of a tensor argument walks.
static scalar::DimAttr getTensorDim(host::ViewOp view, unsigned dim) {
  auto entry = view->getParentOfType<host::EntryOp>();
  auto tensor = cast<scalar::TensorAttr>(entry.getTensors()[entry.lookupTensor(*view.getTensor())]);
  for (auto attr : entry.getDims().getAsRange<scalar::DimAttr>())
    if (attr.getName() == tensor.getFlatDims()[dim])
      return attr;
  return {};
}

/// True when a bound of the access is the extent of the memref dim that it walks, as the launch
/// passes both.
template <typename AccessOp>
static bool boundIsExtent(host::LaunchOp launch, host::ViewOp view, AccessOp op, MemRefType memref,
                          unsigned tileDim) {
  int64_t bound = op.getStaticBounds()[tileDim];
  unsigned dim = op.getWalk()[tileDim];
  if (bound == -1)
    return true; // the tile is inside, so that nothing is filled
  if (!ShapedType::isDynamic(bound))
    return memref.getDimSize(dim) == bound;
  unsigned position = llvm::count(op.getStaticBounds().take_front(tileDim), ShapedType::kDynamic);
  auto arg = dyn_cast<BlockArgument>(op.getBounds()[position]);
  if (!arg)
    return false;
  Value passed = launch.getArgs()[arg.getArgNumber()];
  if (view.getAddress())
    return view.getExtents()[dim] == passed;
  auto extent = passed.getDefiningOp<host::DimOp>();
  return extent && extent.getDimAttr() == getTensorDim(view, dim).getName();
}

template <typename AccessOp>
std::string TensorMaps::getAccessObstacle(AccessOp op, Value source, RankedTensorType tile) {
  auto memref = cast<MemRefType>(source.getType());
  host::ViewOp view = launch ? getView(launch, source) : host::ViewOp();
  if (!view)
    return "its tensor is not known to the host entry";
  if (tile.getRank() != 2)
    return "the tile does not have two dims";
  if (memref.getRank() > 5)
    return "the tensor has more than five dims";
  ArrayRef<int64_t> walk = op.getWalk();
  if (walk[0] > walk[1] || walk[1] != memref.getRank() - 1)
    return "the tile's last dim is not the tensor's last";
  if (tile.getDimSize(0) > 256)
    return "the tile has more than 256 rows";
  for (unsigned dim : {0, 1})
    if (!boundIsExtent(launch, view, op, memref, dim))
      return "the tile ends before the tensor does";
  return "";
}

std::string TensorMaps::getObstacle(vrtile::LoadOp load) {
  if (load.getPadding() && !matchPattern(load.getPaddingAttr(), m_AnyZeroFloat()))
    return "the padding is not zero";
  return getAccessObstacle(load, load.getSource(), cast<RankedTensorType>(load.getType()));
}

std::string TensorMaps::getObstacle(vrtile::StoreOp store) {
  return getAccessObstacle(store, store.getDest(),
                           cast<RankedTensorType>(store.getValue().getType()));
}

unsigned TensorMaps::getMap(Value memref, ArrayRef<int64_t> walk, matile::BufferType buffer) {
  Key key;
  key.argument = cast<BlockArgument>(memref).getArgNumber();
  key.box.assign(cast<MemRefType>(memref.getType()).getRank(), 1);
  key.box[walk[0]] = buffer.getShape()[0];
  key.box[walk[1]] = buffer.getSlabColumns();
  key.swizzle = buffer.getSwizzle();
  auto *it = llvm::find(keys, key);
  if (it == keys.end())
    it = keys.insert(keys.end(), key);
  return it - keys.begin();
}

Value TensorMaps::hostExtent(OpBuilder &b, host::ViewOp view, unsigned dim) {
  if (view.getAddress())
    return view.getExtents()[dim];
  return host::DimOp::create(b, view.getLoc(), b.getI64Type(), getTensorDim(view, dim).getName());
}

Value TensorMaps::hostStride(OpBuilder &b, host::ViewOp view, unsigned dim) {
  Location loc = view.getLoc();
  if (view.getTensor())
    return host::StrideOp::create(b, loc, b.getI64Type(), *view.getTensor(), dim);
  Value stride = arith::ConstantIntOp::create(b, loc, 1, 64);
  for (unsigned inner = dim + 1; inner < view.getExtents().size(); ++inner)
    stride = arith::MulIOp::create(b, loc, stride, view.getExtents()[inner]);
  return stride;
}

Value TensorMaps::hostAddress(OpBuilder &b, host::ViewOp view) {
  if (view.getAddress())
    return view.getAddress();
  return host::AddressOp::create(b, view.getLoc(), b.getI64Type(), *view.getTensor());
}

static host::ViewOp getView(host::LaunchOp launch, unsigned argument) {
  return launch.getArgs()[argument].getDefiningOp<host::ViewOp>();
}

Value TensorMaps::canMap(OpBuilder &b, unsigned argument) {
  host::ViewOp view = getView(launch, argument);
  Location loc = view.getLoc();
  auto memref = cast<MemRefType>(view.getType());
  auto constant = [&](int64_t v) {
    return arith::ConstantIntOp::create(b, loc, v, 64).getResult();
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, predicate, x, constant(y)).getResult();
  };
  auto isMultiple = [&](Value x, int64_t of) {
    return compare(arith::CmpIPredicate::eq, arith::RemSIOp::create(b, loc, x, constant(of)), 0);
  };
  int64_t perChunk = 128 / memref.getElementTypeBitWidth(); // elements in 16 bytes
  Value holds = isMultiple(hostAddress(b, view), 16);
  auto require = [&](Value condition) { holds = arith::AndIOp::create(b, loc, holds, condition); };
  for (int64_t dim = 0; dim < memref.getRank(); ++dim) {
    require(compare(arith::CmpIPredicate::sgt, hostExtent(b, view, dim), 0));
    Value stride = hostStride(b, view, dim);
    if (dim + 1 == memref.getRank()) {
      require(compare(arith::CmpIPredicate::eq, stride, 1));
      continue;
    }
    require(isMultiple(stride, perChunk));
    require(compare(arith::CmpIPredicate::sgt, stride, 0));
  }
  return holds;
}

Value TensorMaps::makeMap(OpBuilder &b, const Key &key) {
  host::ViewOp view = getView(launch, key.argument);
  Location loc = view.getLoc();
  auto memref = cast<MemRefType>(view.getType());
  int64_t bytes = memref.getElementTypeBitWidth() / 8;
  SmallVector<Value> dims, strides;
  SmallVector<int64_t> box;
  for (int64_t dim = memref.getRank() - 1; dim >= 0; --dim) { // innermost first
    dims.push_back(hostExtent(b, view, dim));
    box.push_back(key.box[dim]);
    if (dim + 1 < memref.getRank())
      strides.push_back(arith::MulIOp::create(b, loc, hostStride(b, view, dim),
                                              arith::ConstantIntOp::create(b, loc, bytes, 64)));
  }
  return host::MakeTensorMapOp::create(b, loc, host::TensorMapType::get(b.getContext()),
                                       hostAddress(b, view), memref.getElementType(), dims, strides,
                                       box, key.swizzle);
}

void TensorMaps::requireVectors(Value memref, Value bound, int64_t count) {
  vectors.insert(cast<BlockArgument>(memref).getArgNumber());
  if (bound)
    multiples.insert({cast<BlockArgument>(bound).getArgNumber(), count});
}

void TensorMaps::chooseVariant(OpBuilder &b, StringAttr fast, StringAttr general) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(launch);
  Location loc = launch.getLoc();
  Value allHold;
  auto require = [&](Value holds) {
    allHold = allHold ? arith::AndIOp::create(b, loc, allHold, holds).getResult() : holds;
  };
  llvm::SetVector<unsigned> arguments(vectors);
  for (const Key &key : keys)
    arguments.insert(key.argument);
  for (unsigned argument : arguments)
    require(canMap(b, argument));
  for (auto [argument, count] : multiples) {
    Value divisor = arith::ConstantIntOp::create(b, loc, count, 64),
          zero = arith::ConstantIntOp::create(b, loc, 0, 64);
    Value rest = arith::RemSIOp::create(b, loc, launch.getArgs()[argument], divisor);
    require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, zero));
  }
  auto choice = scf::IfOp::create(b, loc, TypeRange(), allHold, /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.elseBlock());
  auto other = cast<host::LaunchOp>(b.clone(*launch));
  other.setKernelAttr(FlatSymbolRefAttr::get(general));
  b.setInsertionPointToStart(choice.thenBlock());
  SmallVector<Value> maps =
      llvm::map_to_vector(keys, [&](const Key &key) { return makeMap(b, key); });
  launch->moveBefore(choice.thenBlock()->getTerminator());
  launch.setKernelAttr(FlatSymbolRefAttr::get(fast));
  launch.getArgsMutable().append(maps);
}
