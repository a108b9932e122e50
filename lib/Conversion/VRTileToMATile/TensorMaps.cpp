// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TMA's rules on loads (what the compiler can see), and the host's side of tensor maps (what only a
// call can show).

#include "TensorMaps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// True when a bound of the load is the extent of the memref dim that it walks, as the launch
/// passes both.
static bool boundIsExtent(host::LaunchOp launch, host::ViewOp view, vrtile::LoadOp load,
                          unsigned tileDim) {
  int64_t bound = load.getStaticBounds()[tileDim];
  unsigned dim = load.getWalk()[tileDim];
  auto memref = cast<MemRefType>(load.getSource().getType());
  if (bound == -1)
    return true; // the tile is inside, so that nothing is filled
  if (!ShapedType::isDynamic(bound))
    return memref.getDimSize(dim) == bound;
  unsigned position = llvm::count(load.getStaticBounds().take_front(tileDim), ShapedType::kDynamic);
  auto arg = dyn_cast<BlockArgument>(load.getBounds()[position]);
  if (!arg)
    return false;
  Value passed = launch.getArgs()[arg.getArgNumber()];
  if (view.getAddress())
    return view.getExtents()[dim] == passed;
  auto extent = passed.getDefiningOp<host::DimOp>();
  return extent && extent.getDimAttr() == getTensorDim(view, dim).getName();
}

std::string TensorMaps::getObstacle(vrtile::LoadOp load) {
  auto tile = cast<RankedTensorType>(load.getType());
  auto memref = cast<MemRefType>(load.getSource().getType());
  host::ViewOp view = launch ? getView(launch, load.getSource()) : host::ViewOp();
  if (!view)
    return "its tensor is not known to the host entry";
  if (tile.getRank() != 2)
    return "the tile does not have two dims";
  if (memref.getRank() > 5)
    return "the tensor has more than five dims";
  ArrayRef<int64_t> walk = load.getWalk();
  if (walk[0] > walk[1] || walk[1] != memref.getRank() - 1)
    return "the tile's last dim is not the tensor's last";
  if (tile.getDimSize(0) > 256)
    return "the tile has more than 256 rows";
  if (load.getPadding() && !matchPattern(load.getPaddingAttr(), m_AnyZeroFloat()))
    return "the padding is not zero";
  for (unsigned dim : {0, 1})
    if (!boundIsExtent(launch, view, load, dim))
      return "the tile ends before the tensor does";
  return "";
}

unsigned TensorMaps::getMap(vrtile::LoadOp load, matile::BufferType buffer) {
  Key key;
  key.argument = cast<BlockArgument>(load.getSource()).getArgNumber();
  key.box.assign(cast<MemRefType>(load.getSource().getType()).getRank(), 1);
  key.box[load.getWalk()[0]] = buffer.getShape()[0];
  key.box[load.getWalk()[1]] = buffer.getSlabColumns();
  key.swizzle = buffer.getSwizzle();
  auto it = llvm::find(keys, key);
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

/// `value % 16 == 0`, checked with a message.
static void checkAligned(OpBuilder &b, Location loc, Value value, const Twine &what) {
  auto c = [&](int64_t v) { return arith::ConstantIntOp::create(b, loc, v, 64).getResult(); };
  Value aligned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        arith::RemSIOp::create(b, loc, value, c(16)), c(0));
  host::CheckOp::create(b, loc, aligned, b.getStringAttr(what + ", got {0}"), value);
}

Value TensorMaps::makeMap(OpBuilder &b, const Key &key) {
  auto view = launch.getArgs()[key.argument].getDefiningOp<host::ViewOp>();
  Location loc = view.getLoc();
  auto memref = cast<MemRefType>(view.getType());
  int64_t bytes = memref.getElementTypeBitWidth() / 8;
  std::string name = view.getTensor() ? view.getTensor()->str() : "workspace";
  Value address =
      view.getTensor()
          ? host::AddressOp::create(b, loc, b.getI64Type(), *view.getTensor()).getResult()
          : view.getAddress();
  checkAligned(b, loc, address,
               "expected the address of '" + name + "' to be a multiple of 16 bytes");
  SmallVector<Value> dims, strides;
  SmallVector<int64_t> box;
  unsigned rank = memref.getRank();
  for (unsigned i = 0; i < rank; ++i) { // innermost first
    unsigned dim = rank - 1 - i;
    dims.push_back(hostExtent(b, view, dim));
    box.push_back(key.box[dim]);
    Value stride = hostStride(b, view, dim);
    if (i == 0) {
      Value one = arith::ConstantIntOp::create(b, loc, 1, 64);
      Value dense = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, stride, one);
      host::CheckOp::create(
          b, loc, dense,
          b.getStringAttr("expected the last dim of '" + name + "' to have stride 1, got {0}"),
          stride);
      continue;
    }
    Value inBytes =
        arith::MulIOp::create(b, loc, stride, arith::ConstantIntOp::create(b, loc, bytes, 64));
    checkAligned(b, loc, inBytes,
                 "expected the strides of '" + name + "' to be multiples of 16 bytes");
    strides.push_back(inBytes);
  }
  return host::MakeTensorMapOp::create(b, loc, host::TensorMapType::get(b.getContext()), address,
                                       memref.getElementType(), dims, strides, box, key.swizzle);
}

void TensorMaps::finishLaunch(OpBuilder &b) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(launch);
  SmallVector<Value> maps =
      llvm::map_to_vector(keys, [&](const Key &key) { return makeMap(b, key); });
  launch.getArgsMutable().append(maps);
}
