// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk that makes a matile kernel of a vrtile kernel; see the header.

#include "KernelRewriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;

static RankedTensorType getTile(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

FailureOr<matile::KernelOp> KernelRewriter::rewrite(StringRef name, bool fastVariant) {
  fast = fastVariant;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(kernel);
  SmallVector<Type> types(kernel.getArgumentTypes());
  result = matile::KernelOp::create(b, kernel.getLoc(), b.getStringAttr(name), StringAttr(),
                                    TypeAttr::get(b.getFunctionType(types, {})),
                                    kernel.getArgAttrsAttr(), ArrayAttr(),
                                    b.getI64IntegerAttr(warps), IntegerAttr());
  if (auto options = scalar::LaunchAttr::lookup(kernel))
    result->setAttr(scalar::kLaunchAttrName, options);
  Block *body = b.createBlock(&result.getBody(), {}, types,
                              SmallVector<Location>(types.size(), kernel.getLoc()));
  map.map(kernel.getBody().getArguments(), body->getArguments());
  b.setInsertionPointToEnd(body);
  if (failed(rewriteBlock(kernel.getBody().front())))
    return failure();
  matile::ReturnOp::create(b, kernel.getLoc());
  // Tensor maps became block arguments as they were needed.
  result.setFunctionType(b.getFunctionType(body->getArgumentTypes(), {}));
  if (result.getArgAttrsAttr())
    result.removeArgAttrsAttr();
  return result;
}

LogicalResult KernelRewriter::rewriteBlock(Block &block) {
  for (Operation &op : block)
    if (failed(rewriteOp(&op)))
      return failure();
  return success();
}

LogicalResult KernelRewriter::rewriteOp(Operation *op) {
  if (op->getNumResults() == 1 && getTile(op->getResult(0)) && isFreeTile(op->getResult(0)))
    return success(); // made at its uses
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<vrtile::ReturnOp, scf::YieldOp>([](auto) { return success(); })
      .Case<scf::ForOp>([&](auto o) { return rewriteFor(o); })
      .Case<scf::IfOp>([&](auto o) { return rewriteIf(o); })
      .Case<vrtile::OriginOp>([&](vrtile::OriginOp o) {
        SmallVector<Value> extents =
            llvm::map_to_vector(o.getExtents(), [&](Value v) { return lookup(v); });
        SmallVector<Type> types(o->getResultTypes());
        auto origin =
            matile::OriginOp::create(b, o.getLoc(), types, o.getTiles(), o.getStaticExtents(),
                                     extents, o.getBlock() ? lookup(o.getBlock()) : Value());
        map.map(o->getResults(), origin->getResults());
        return success();
      })
      .Case<vrtile::LoadOp>([&](auto o) { return rewriteLoad(o); })
      .Case<vrtile::StoreOp>([&](auto o) { return rewriteStore(o); })
      .Case<vrtile::DotOp>([&](auto o) { return rewriteDot(o); })
      .Case<vrtile::ReduceOp>([&](auto o) { return rewriteReduce(o); })
      .Case<vrtile::BroadcastOp>([&](vrtile::BroadcastOp o) {
        Layout layout = layouts.get(o.getResult());
        for (int64_t dim = getTile(o.getResult()).getRank() - 1; dim >= 0; --dim)
          if (!llvm::is_contained(o.getDims(), dim))
            layout = layout.dropDim(dim);
        map.map(o.getResult(),
                matile::BroadcastOp::create(b, o.getLoc(), fragmentType(o.getResult()),
                                            inLayout(o.getSource(), layout), o.getDims())
                    .getResult());
        return success();
      })
      .Case<vrtile::TransposeOp>([&](vrtile::TransposeOp o) {
        SmallVector<int64_t> inverse(o.getPermutation().size());
        for (auto [i, dim] : llvm::enumerate(o.getPermutation()))
          inverse[dim] = i;
        Value source = inLayout(o.getSource(), layouts.get(o.getResult()).permuteDims(inverse));
        map.map(o.getResult(),
                matile::TransposeOp::create(b, o.getLoc(), fragmentType(o.getResult()), source,
                                            o.getPermutation())
                    .getResult());
        return success();
      })
      .Default([&](Operation *o) { return rewriteElementwise(o); });
}

Value KernelRewriter::inLayout(Value tile, const Layout &layout) {
  RankedTensorType type =
      matile::getFragmentType(b.getContext(), getTile(tile).getElementType(), layout);
  Location loc = tile.getLoc();
  if (isFreeTile(tile)) {
    Operation *op = tile.getDefiningOp();
    if (auto splat = dyn_cast<vrtile::SplatOp>(op))
      return matile::SplatOp::create(b, loc, type, lookup(splat.getValue()));
    if (auto iota = dyn_cast<vrtile::IotaOp>(op))
      return matile::IotaOp::create(b, loc, type, lookup(iota.getStart()), iota.getDim());
    auto dense = cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
    return arith::ConstantOp::create(b, loc, dense.reshape(type));
  }
  Value value = lookup(tile);
  if (value.getType() == type)
    return value;
  ++counts.conversions;
  return matile::ConvertLayoutOp::create(b, loc, type, value, IntegerAttr());
}

LogicalResult KernelRewriter::rewriteElementwise(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return op->emitError("expected an op of nautilus_vrtile, arith, math or scf, got '")
           << op->getName() << "'";
  if (op->getNumResults() != 1 || !getTile(op->getResult(0))) {
    b.clone(*op, map);
    return success();
  }
  Value result = op->getResult(0);
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    return getTile(operand) ? inLayout(operand, layouts.get(result)) : lookup(operand);
  });
  OperationState state(op->getLoc(), op->getName(), operands, fragmentType(result), op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  map.map(result, b.create(state)->getResult(0));
  return success();
}

LogicalResult KernelRewriter::rewriteFor(scf::ForOp op) {
  auto carried = [&](Value value, Value arg) {
    return getTile(arg) ? inLayout(value, layouts.get(arg)) : lookup(value);
  };
  SmallVector<Value> inits;
  for (auto [init, arg] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs()))
    inits.push_back(carried(init, arg));
  auto loop = scf::ForOp::create(b, op.getLoc(), lookup(op.getLowerBound()),
                                 lookup(op.getUpperBound()), lookup(op.getStep()), inits);
  map.map(op.getInductionVar(), loop.getInductionVar());
  map.map(op.getRegionIterArgs(), loop.getRegionIterArgs());
  OpBuilder::InsertionGuard guard(b);
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  b.setInsertionPointToEnd(loop.getBody());
  if (failed(rewriteBlock(*op.getBody())))
    return failure();
  SmallVector<Value> next;
  for (auto [value, arg] : llvm::zip(op.getYieldedValues(), op.getRegionIterArgs()))
    next.push_back(carried(value, arg));
  scf::YieldOp::create(b, op.getLoc(), next);
  map.map(op.getResults(), loop.getResults());
  return success();
}

LogicalResult KernelRewriter::rewriteIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value value : op.getResults())
    types.push_back(getTile(value) ? Type(fragmentType(value)) : value.getType());
  bool withElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, op.getLoc(), types, lookup(op.getCondition()), withElse);
  auto side = [&](Block *from, Block *to) {
    OpBuilder::InsertionGuard guard(b);
    if (!to->empty())
      to->back().erase();
    b.setInsertionPointToEnd(to);
    if (failed(rewriteBlock(*from)))
      return failure();
    SmallVector<Value> yielded;
    for (auto [value, result] : llvm::zip(from->getTerminator()->getOperands(), op.getResults()))
      yielded.push_back(getTile(result) ? inLayout(value, layouts.get(result)) : lookup(value));
    scf::YieldOp::create(b, op.getLoc(), yielded);
    return success();
  };
  if (failed(side(op.thenBlock(), branch.thenBlock())) ||
      (withElse && failed(side(op.elseBlock(), branch.elseBlock()))))
    return failure();
  map.map(op.getResults(), branch.getResults());
  return success();
}

//===-- Memory ----------------------------------------------------------------===//

/// Collects the products that read the tile, through transposes; false if anything else reads it.
static bool collectProducts(Value tile, SmallVectorImpl<vrtile::DotOp> &dots) {
  for (Operation *user : tile.getUsers()) {
    if (isa<vrtile::TransposeOp>(user)) {
      if (!collectProducts(user->getResult(0), dots))
        return false;
      continue;
    }
    auto dot = dyn_cast<vrtile::DotOp>(user);
    if (!dot || dot.getAcc() == tile)
      return false;
    dots.push_back(dot);
  }
  return true;
}

LogicalResult KernelRewriter::rewriteLoad(vrtile::LoadOp op) {
  SmallVector<vrtile::DotOp> dots;
  if (collectProducts(op.getResult(), dots) && !dots.empty()) {
    // Made once, here, for all products that read it; a loop further in does not copy again.
    for (vrtile::DotOp dot : dots) {
      int64_t swizzle = plan.choose(dot).onTensorCores() ? 128 : 0;
      Value &buffer = staged[{op, swizzle}];
      if (!buffer)
        buffer = stageLoad(op, swizzle);
    }
    return success();
  }
  map.map(op.getResult(), loadFragment(op, layouts.get(op.getResult())));
  return success();
}

/// True if the index is known to be a multiple of `count`.
static bool isMultiple(Value index, int64_t count) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getSExtValue() % count == 0;
  if (auto origin = index.getDefiningOp<vrtile::OriginOp>())
    return origin.getTiles()[cast<OpResult>(index).getResultNumber()] % count == 0;
  if (auto arg = dyn_cast<BlockArgument>(index))
    if (auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
        loop && arg.getArgNumber() == 0)
      return isMultiple(loop.getLowerBound(), count) && isMultiple(loop.getStep(), count);
  return false;
}

template <typename OpTy>
int64_t KernelRewriter::getVector(OpTy op, Value memref, RankedTensorType tile,
                                  const Layout &layout) {
  int64_t bits = 8 * matile::getElementBytes(tile.getElementType()), rank = tile.getRank();
  int64_t last = cast<MemRefType>(memref.getType()).getRank() - 1;
  if (!fast || rank == 0 || tile.getElementType().isInteger(1) || op.getWalk().back() != last)
    return 1;
  int64_t count = 1;
  for (const Layout::Basis &basis : layout.registerBases()) {
    bool follows =
        basis[rank - 1] == count &&
        llvm::all_of(llvm::ArrayRef<int32_t>(basis).drop_back(), [](int32_t x) { return x == 0; });
    if (!follows || count * bits >= 128)
      break;
    count *= 2;
  }
  // The bound must be an argument, so that the host can check it, or nothing.
  int64_t staticBound = op.getStaticBounds().back();
  Value bound;
  if (ShapedType::isDynamic(staticBound))
    bound = op.getBounds().back();
  while (count > 1 &&
         (tile.getShape().back() % count || !isMultiple(op.getIndices()[last], count) ||
          (!ShapedType::isDynamic(staticBound) && staticBound != -1 && staticBound % count)))
    count /= 2;
  if (count == 1 || (bound && !isa<BlockArgument>(bound)))
    return 1;
  maps.requireVectors(memref, bound, count);
  return count;
}

Value KernelRewriter::loadFragment(vrtile::LoadOp op, const Layout &layout) {
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return lookup(v); });
  };
  auto type =
      matile::getFragmentType(b.getContext(), getTile(op.getResult()).getElementType(), layout);
  return matile::LoadOp::create(b, op.getLoc(), type, lookup(op.getSource()),
                                mapped(op.getIndices()), op.getWalk(), op.getStaticBounds(),
                                mapped(op.getBounds()), op.getPaddingAttr(),
                                getVector(op, op.getSource(), getTile(op.getResult()), layout));
}

/// A layout for tiles that only pass through registers on their way to or from memory.
static ::nautilus::layout::RegisterLayout getMemoryLayout(RankedTensorType tile, int64_t warps) {
  return ::nautilus::layout::blockedFor(
      tile.getShape(), warps, matile::getElementBytes(tile.getElementType()), tile.getRank() - 1);
}

Value KernelRewriter::writeBuffer(Value fragment, matile::BufferType type) {
  Value buffer = matile::AllocOp::create(b, fragment.getLoc(), type, IntegerAttr());
  matile::WriteOp::create(b, fragment.getLoc(), fragment, buffer);
  return buffer;
}

KernelRewriter::PaddedLoad KernelRewriter::padContraction(vrtile::LoadOp load) {
  RankedTensorType tile = getTile(load.getResult());
  PaddedLoad padded{SmallVector<int64_t>(tile.getShape()),
                    SmallVector<int64_t>(load.getStaticBounds())};
  SmallVector<vrtile::DotOp> dots;
  collectProducts(load.getResult(), dots);
  for (vrtile::DotOp dot : dots) {
    bool transposed = dot.getTransposeLhs();
    bool isLhs = getOperandLoad(dot.getLhs(), transposed) == load;
    if (!isLhs) {
      transposed = dot.getTransposeRhs();
      getOperandLoad(dot.getRhs(), transposed);
    }
    unsigned dim = transposed == isLhs ? 0 : 1;
    int64_t contraction = plan.choose(dot).contraction;
    if (contraction == tile.getDimSize(dim))
      continue;
    padded.shape[dim] = contraction;
    padded.staticBounds[dim] = tile.getDimSize(dim);
  }
  return padded;
}

Value KernelRewriter::getMap(Value memref, ArrayRef<int64_t> walk, matile::BufferType buffer) {
  unsigned number = maps.getMap(memref, walk, buffer), first = kernel.getArgumentTypes().size();
  Block &body = result.getBody().front();
  while (body.getNumArguments() <= first + number)
    body.addArgument(host::TensorMapType::get(b.getContext()), memref.getLoc());
  return body.getArgument(first + number);
}

Value KernelRewriter::stageLoad(vrtile::LoadOp load, int64_t swizzle) {
  PaddedLoad padded = padContraction(load);
  Type element = getTile(load.getResult()).getElementType();
  auto type = matile::BufferType::get(b.getContext(), padded.shape, element, swizzle);
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return lookup(v); });
  };
  std::string obstacle = !swizzle ? "its product runs on FMA units"
                         : !plan.hasAsyncCopies()
                             ? "the architecture's products read what threads copy"
                             : maps.getObstacle(load);
  if (!fast || !obstacle.empty()) {
    if (fast)
      remark::missed(load.getLoc(), remark::RemarkOpts::name("TMALoad").category("TMA"))
          << "tile is copied by threads: " << obstacle;
    auto layout = getMemoryLayout(RankedTensorType::get(padded.shape, element), warps);
    Value fragment = matile::LoadOp::create(
        b, load.getLoc(), matile::getFragmentType(b.getContext(), element, layout),
        lookup(load.getSource()), mapped(load.getIndices()), load.getWalk(), padded.staticBounds,
        mapped(load.getBounds()), load.getPaddingAttr(), /*vector=*/1);
    return writeBuffer(fragment, type);
  }
  return matile::StageOp::create(b, load.getLoc(), type, lookup(load.getSource()),
                                 mapped(load.getIndices()), load.getWalk(), padded.staticBounds,
                                 mapped(load.getBounds()),
                                 getMap(load.getSource(), load.getWalk(), type));
}

/// Bytes of the widest swizzle that rows of the tile fill; 0 if there is none.
static int64_t getSwizzle(RankedTensorType tile) {
  int64_t bytes = tile.getShape().back() * matile::getElementBytes(tile.getElementType());
  for (int64_t swizzle : {128, 64, 32})
    if (bytes % swizzle == 0)
      return swizzle;
  return 0;
}

LogicalResult KernelRewriter::rewriteStore(vrtile::StoreOp op) {
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return lookup(v); });
  };
  Value value = isFreeTile(op.getValue())
                    ? inLayout(op.getValue(), getMemoryLayout(getTile(op.getValue()), warps))
                    : lookup(op.getValue());
  int64_t vector = getVector(op, op.getDest(), getTile(op.getValue()),
                             matile::getLayout(cast<RankedTensorType>(value.getType())));
  // Threads of an accumulator that move 4 bytes each leave sectors of memory half written; from
  // shared memory TMA writes whole rows. The call is asked for aligned rows anyway where threads
  // move several elements at once.
  RankedTensorType tile = getTile(op.getValue());
  bool scattered = vector * matile::getElementBytes(tile.getElementType()) < 8;
  Value tensorMap;
  IntegerAttr swizzle;
  if (vector > 1 && scattered && plan.hasAsyncCopies() && getSwizzle(tile) &&
      maps.getObstacle(op).empty()) {
    swizzle = b.getI64IntegerAttr(getSwizzle(tile));
    tensorMap = getMap(op.getDest(), op.getWalk(),
                       matile::BufferType::get(b.getContext(), tile.getShape(),
                                               tile.getElementType(), swizzle.getInt()));
  }
  matile::StoreOp::create(b, op.getLoc(), value, lookup(op.getDest()), mapped(op.getIndices()),
                          op.getWalk(), op.getStaticBounds(), mapped(op.getBounds()), tensorMap,
                          swizzle, vector);
  return success();
}

//===-- Products ----------------------------------------------------------------===//

Value KernelRewriter::getStaged(Value operand, bool &transpose, int64_t swizzle) {
  bool transposed = transpose;
  vrtile::LoadOp load = getOperandLoad(operand, transposed);
  auto it = load ? staged.find({load, swizzle}) : staged.end();
  if (it == staged.end())
    return {};
  transpose = transposed;
  return it->second;
}

Value KernelRewriter::operandBuffer(Value operand, bool &transpose, int64_t swizzle) {
  if (Value buffer = getStaged(operand, transpose, swizzle))
    return buffer;
  RankedTensorType tile = getTile(operand);
  Value fragment =
      isFreeTile(operand) ? inLayout(operand, getMemoryLayout(tile, warps)) : lookup(operand);
  return writeBuffer(fragment, matile::BufferType::get(b.getContext(), tile.getShape(),
                                                       tile.getElementType(), swizzle));
}

LogicalResult KernelRewriter::rewriteDot(vrtile::DotOp op) {
  DotChoice choice = plan.choose(op);
  Location loc = op.getLoc();
  bool transposeLhs = op.getTransposeLhs(), transposeRhs = op.getTransposeRhs();
  Value lhs, rhs;
  if (choice.onTensorCores()) {
    ++counts.tensorCoreDots;
    rhs = operandBuffer(op.getRhs(), transposeRhs, 128);
    lhs = getStaged(op.getLhs(), transposeLhs, 128);
    if (!lhs && !isFreeTile(op.getLhs()) && !transposeLhs) { // already in registers
      RankedTensorType type = getTile(op.getLhs());
      lhs = inLayout(op.getLhs(),
                     ::nautilus::layout::wgmmaOperandA(type.getDimSize(0), type.getDimSize(1),
                                                       type.getElementTypeBitWidth(), warps));
    }
    if (!lhs)
      lhs = operandBuffer(op.getLhs(), transposeLhs, 128);
  } else {
    ++counts.plainDots;
    remark::missed(loc, remark::RemarkOpts::name("TensorCoreDot").category("TensorCore"))
        << "product runs on FMA units: " << choice.reason;
    rhs = operandBuffer(op.getRhs(), transposeRhs, 0);
    lhs = operandBuffer(op.getLhs(), transposeLhs, 0);
  }
  auto kind = matile::DotKindAttr::get(b.getContext(), choice.kind);
  Value acc = inLayout(op.getAcc(), layouts.get(op.getResult()));
  auto unit = [&](bool set) { return set ? b.getUnitAttr() : UnitAttr(); };
  map.map(op.getResult(), matile::DotOp::create(b, loc, acc.getType(), lhs, rhs, acc,
                                                unit(transposeLhs), unit(transposeRhs), kind)
                              .getResult());
  return success();
}

LogicalResult KernelRewriter::rewriteReduce(vrtile::ReduceOp op) {
  // Inputs share one class, unless all are free; then the layout follows from the result's, which a
  // blocked default gives.
  Value anchor;
  for (Value input : op.getInputs())
    if (!isFreeTile(input))
      anchor = input;
  RankedTensorType type = getTile(op.getInputs()[0]);
  Layout layout = anchor ? layouts.get(anchor) : getMemoryLayout(type, warps);
  SmallVector<Value> inputs =
      llvm::map_to_vector(op.getInputs(), [&](Value input) { return inLayout(input, layout); });
  Layout reduced = layout.dropDim(op.getDim());
  SmallVector<Type> types = llvm::map_to_vector(op.getOutputs(), [&](Value output) -> Type {
    return matile::getFragmentType(b.getContext(), getTile(output).getElementType(), reduced);
  });
  auto reduce = matile::ReduceOp::create(b, op.getLoc(), types, inputs, op.getDim(),
                                         op.getIdentities(), IntegerAttr());
  IRMapping inner;
  op.getCombiner().cloneInto(&reduce.getCombiner(), inner);
  Operation *yield = reduce.getCombiner().front().getTerminator();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(yield);
    matile::YieldOp::create(b, yield->getLoc(), yield->getOperands());
    yield->erase();
  }
  for (auto [old, made] : llvm::zip(op.getOutputs(), reduce.getOutputs())) {
    // The class of the result may have been given another layout by other users.
    Value value = made;
    RankedTensorType wanted = fragmentType(old);
    if (wanted != value.getType()) {
      ++counts.conversions;
      value = matile::ConvertLayoutOp::create(b, op.getLoc(), wanted, value, IntegerAttr());
    }
    map.map(old, value);
  }
  return success();
}
