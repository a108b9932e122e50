// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements of linalg ops; see the header.

#include "StatementImporter.h"
#include "mlir/IR/Matchers.h"
#include "nautilus/Interfaces/Combiner.h"

using namespace mlir;
using namespace mlir::nautilus;

//===-- The kernel ------------------------------------------------------------===//

LogicalResult StatementImporter::beginKernel() {
  SmallVector<Attribute> dims, arguments, results, resultTypes;
  SmallVector<Type> types;
  auto tensorAttr = [&](StringRef name, Value value) {
    SmallVector<Attribute> factors;
    SmallVector<int64_t> shape;
    auto type = cast<RankedTensorType>(value.getType());
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      unsigned number = classes.get(value, dim);
      factors.push_back(b.getArrayAttr(b.getStringAttr(DimClasses::getName(number))));
      shape.push_back(classes.getExtent(number));
    }
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
    return scalar::TensorAttr::get(b.getContext(), b.getStringAttr(name), b.getArrayAttr(factors));
  };
  for (auto [i, arg] : llvm::enumerate(function.getArguments()))
    arguments.push_back(tensorAttr("arg" + std::to_string(i), arg));
  SmallVector<Type> argumentTypes = std::move(types);
  types.clear();
  Operation *ret = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(ret->getOperands()))
    results.push_back(tensorAttr("result" + std::to_string(i), value));
  for (Type type : types)
    resultTypes.push_back(TypeAttr::get(type));
  for (unsigned number = 0; number < classes.size(); ++number) {
    if (!classes.isBound(number))
      return function.emitError("expected every extent to be static or a dim of an argument");
    dims.push_back(scalar::DimAttr::get(b.getContext(),
                                        b.getStringAttr(DimClasses::getName(number)),
                                        classes.getExtent(number), 0));
  }
  kernel = scalar::KernelOp::create(b, function.getLoc(), function.getSymNameAttr(), StringAttr(),
                                    b.getArrayAttr(dims), b.getArrayAttr(arguments),
                                    b.getArrayAttr(results), b.getArrayAttr(resultTypes));
  Block *body = b.createBlock(&kernel.getBody(), {}, argumentTypes,
                              SmallVector<Location>(argumentTypes.size(), function.getLoc()));
  values.map(function.getArguments(), body->getArguments());
  return success();
}

LogicalResult StatementImporter::endKernel(func::ReturnOp op) {
  SmallVector<Value> results;
  for (Value value : op.getOperands()) {
    if (!values.contains(value))
      return op.emitError("expected results that linalg ops compute");
    results.push_back(values.lookup(value));
  }
  scalar::ReturnOp::create(b, op.getLoc(), results);
  return success();
}

//===-- Iteration spaces --------------------------------------------------------===//

std::string StatementImporter::makeName(Operation *op) {
  std::string stem = op->getName().stripDialect().str();
  return stem + std::to_string(names[stem]++);
}

FailureOr<StatementImporter::Space> StatementImporter::getSpace(linalg::LinalgOp op) {
  Space space;
  unsigned numLoops = op.getNumLoops();
  space.axisOf.assign(numLoops, 0);
  space.axisName.assign(numLoops, StringAttr());
  llvm::StringMap<unsigned> used;
  auto makeAxis = [&](unsigned loop) {
    unsigned number = classes.get(op, loop);
    std::string name = "i" + std::to_string(number);
    if (unsigned repeat = used[name]++)
      name += "_" + std::to_string(repeat);
    space.axisName[loop] = b.getStringAttr(name);
    return scalar::AxisAttr::get(b.getContext(), space.axisName[loop],
                                 b.getStringAttr(DimClasses::getName(number)), 0);
  };
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.getMatchingIndexingMap(&init) != out)
      return op.emitError("expected all results over the same subscripts");
  for (AffineExpr result : out.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(result);
    if (!loop || op.getIteratorTypesArray()[loop.getPosition()] != utils::IteratorType::parallel)
      return op.emitError("expected result subscripts that are parallel iteration dims");
    space.axisOf[loop.getPosition()] = space.parallel.size();
    space.parallel.push_back(makeAxis(loop.getPosition()));
  }
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    if (space.axisName[loop])
      continue;
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::reduction)
      return op.emitError("expected every parallel iteration dim to be a subscript of the result");
    space.axisOf[loop] = space.parallel.size() + space.reduction.size();
    space.reduction.push_back(makeAxis(loop));
  }
  return space;
}

RankedTensorType StatementImporter::getType(const Space &space, Type element) {
  SmallVector<int64_t> shape;
  for (scalar::AxisAttr axis : space.parallel)
    shape.push_back(kernel.lookupDim(axis.getDim()).getSize());
  return RankedTensorType::get(shape, element);
}

FailureOr<SmallVector<StatementImporter::Input>>
StatementImporter::getInputs(linalg::LinalgOp op, const Space &space, bool withInit) {
  SmallVector<AffineExpr> axes;
  for (unsigned axis : space.axisOf)
    axes.push_back(b.getAffineDimExpr(axis));
  unsigned numAxes = space.parallel.size() + space.reduction.size();
  SmallVector<Input> inputs;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if ((op.isDpsInit(&operand) && !withInit) || argument.use_empty() ||
        !isa<RankedTensorType>(operand.get().getType()))
      continue;
    if (!values.contains(operand.get()))
      return op.emitError("expected operands that are arguments or results of linalg ops");
    AffineMap map = op.getMatchingIndexingMap(&operand).replaceDimsAndSymbols(axes, {}, numAxes, 0);
    inputs.push_back({values.lookup(operand.get()), map, argument});
  }
  return inputs;
}

//===-- Bodies --------------------------------------------------------------------===//

Block *StatementImporter::makeBody(Region &region, ArrayRef<Input> inputs, Location loc,
                                   IRMapping &map) {
  Block *body = b.createBlock(&region);
  for (const Input &input : inputs)
    map.map(input.bodyArgument, body->addArgument(input.bodyArgument.getType(), loc));
  return body;
}

FailureOr<Value> StatementImporter::cloneValue(Value value, IRMapping &map, linalg::LinalgOp op,
                                               const Space &space) {
  if (map.contains(value))
    return map.lookup(value);
  Operation *def = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // A scalar operand of the op, such as the value of a fill.
    if (argument.getOwner() == op.getBlock())
      return cloneValue(op.getMatchingOpOperand(argument)->get(), map, op, space);
  }
  Attribute constant;
  if (!def || (!op->isProperAncestor(def) && !matchPattern(value, m_Constant(&constant))))
    return op.emitError("expected a body that reads operands and constants only"), failure();
  if (auto index = dyn_cast<linalg::IndexOp>(def)) {
    Value made =
        scalar::IndexOp::create(b, def->getLoc(), b.getIndexType(), space.axisName[index.getDim()]);
    map.map(value, made);
    return made;
  }
  for (Value operand : def->getOperands())
    if (failed(cloneValue(operand, map, op, space)))
      return failure();
  if (def->getNumRegions() || !isMemoryEffectFree(def))
    return def->emitError("expected ops without effects or regions in the body of a statement"),
           failure();
  b.clone(*def, map);
  return map.lookup(value);
}

static ArrayAttr getAxesAttr(OpBuilder &b, ArrayRef<scalar::AxisAttr> axes) {
  return b.getArrayAttr(SmallVector<Attribute>(axes.begin(), axes.end()));
}

LogicalResult StatementImporter::importMap(linalg::LinalgOp op, const Space &space) {
  FailureOr<SmallVector<Input>> inputs = getInputs(op, space, /*withInit=*/true);
  if (failed(inputs))
    return failure();
  Location loc = op.getLoc();
  for (auto [i, yielded] : llvm::enumerate(op.getBlock()->getTerminator()->getOperands())) {
    SmallVector<AffineMap> maps =
        llvm::map_to_vector(*inputs, [](const Input &input) { return input.map; });
    SmallVector<Value> tensors =
        llvm::map_to_vector(*inputs, [](const Input &input) { return input.tensor; });
    auto statement = scalar::MapOp::create(
        b, loc, getType(space, yielded.getType()), b.getStringAttr(makeName(op)),
        getAxesAttr(b, space.parallel),
        b.getDenseBoolArrayAttr(SmallVector<bool>(space.parallel.size(), false)),
        b.getAffineMapArrayAttr(maps), tensors, ValueRange());
    OpBuilder::InsertionGuard guard(b);
    IRMapping map;
    makeBody(statement.getBody(), *inputs, loc, map);
    FailureOr<Value> value = cloneValue(yielded, map, op, space);
    if (failed(value))
      return failure();
    scalar::YieldOp::create(b, loc, *value);
    values.map(op->getResult(i), statement.getResult());
  }
  return success();
}

//===-- Reductions --------------------------------------------------------------------===//

LogicalResult StatementImporter::importReduction(linalg::LinalgOp op, const Space &space) {
  if (op->getNumResults() != 1)
    return op.emitError("expected a reduction with one result");
  Location loc = op.getLoc();
  BlockArgument acc = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  Operation *combine = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combine || combine->getNumOperands() != 2 || !acc.hasOneUse() ||
      *acc.getUsers().begin() != combine)
    return op.emitError("expected a body that ends in one op of the accumulator and the element");
  Value element = combine->getOperand(combine->getOperand(0) == acc ? 1 : 0);
  FailureOr<SmallVector<Input>> inputs = getInputs(op, space, /*withInit=*/false);
  if (failed(inputs))
    return failure();
  // Sums and products of narrow floats accumulate in f32, as everywhere in the compiler.
  Type type = element.getType();
  bool widen = isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  Type accType = widen ? b.getF32Type() : type;
  Region scratch;
  Block *combiner = b.createBlock(&scratch, {}, {accType, accType}, {loc, loc});
  {
    OperationState state(loc, combine->getName(), combiner->getArguments(), accType);
    Operation *made = b.create(state);
    scalar::YieldOp::create(b, loc, made->getResults());
  }
  CombinerKind kind = classifyCombiner(scratch);
  TypedAttr identity = getCombinerIdentity(kind, accType);
  b.setInsertionPointToEnd(&kernel.getBody().front());
  if (!identity)
    return op.emitError("expected a sum, product, minimum, maximum or bitwise reduction, got '")
           << combine->getName() << "'";
  SmallVector<AffineMap> maps =
      llvm::map_to_vector(*inputs, [](const Input &input) { return input.map; });
  SmallVector<Value> tensors =
      llvm::map_to_vector(*inputs, [](const Input &input) { return input.tensor; });
  unsigned numAxes = space.parallel.size() + space.reduction.size();
  auto statement = scalar::ReduceOp::create(
      b, loc, TypeRange(getType(space, accType)), b.getStringAttr(makeName(op)),
      getAxesAttr(b, space.parallel), getAxesAttr(b, space.reduction),
      b.getDenseBoolArrayAttr(SmallVector<bool>(numAxes, false)), b.getAffineMapArrayAttr(maps),
      b.getArrayAttr(identity), tensors, ValueRange(), ValueRange());
  statement.getCombiner().takeBody(scratch);
  {
    OpBuilder::InsertionGuard guard(b);
    IRMapping map;
    makeBody(statement.getBody(), *inputs, loc, map);
    Value value;
    auto extend = [&](Value narrow) {
      return arith::ExtFOp::create(b, loc, accType, narrow).getResult();
    };
    auto product = element.getDefiningOp<arith::MulFOp>();
    if (widen && product) { // the product itself is exact in f32
      FailureOr<Value> x = cloneValue(product.getLhs(), map, op, space),
                       y = cloneValue(product.getRhs(), map, op, space);
      if (failed(x) || failed(y))
        return failure();
      value = arith::MulFOp::create(b, loc, extend(*x), extend(*y));
    } else {
      FailureOr<Value> cloned = cloneValue(element, map, op, space);
      if (failed(cloned))
        return failure();
      value = widen ? extend(*cloned) : *cloned;
    }
    scalar::YieldOp::create(b, loc, value);
  }
  FailureOr<Value> result = combineWithInit(op, space, combine, statement.getResult(0), identity);
  if (failed(result))
    return failure();
  values.map(op->getResult(0), *result);
  return success();
}

FailureOr<Value> StatementImporter::combineWithInit(linalg::LinalgOp op, const Space &space,
                                                    Operation *combine, Value reduced,
                                                    TypedAttr identity) {
  Location loc = op.getLoc();
  Value init = op.getDpsInitOperand(0)->get();
  Type type = cast<RankedTensorType>(init.getType()).getElementType(), accType = identity.getType();
  bool isNeutral = false;
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    TypedAttr value;
    if (matchPattern(fill.getInputs()[0], m_Constant(&value)))
      isNeutral =
          value ==
          getCombinerIdentity(
              classifyCombiner(cast<scalar::ReduceOp>(reduced.getDefiningOp()).getCombiner()),
              value.getType());
  }
  if (isNeutral && type == accType)
    return reduced;
  if (!isNeutral && !values.contains(init))
    return op.emitError(
               "expected an init that is an argument, a fill or the result of a linalg op"),
           failure();
  unsigned rank = space.parallel.size();
  SmallVector<Value> tensors{reduced};
  if (!isNeutral)
    tensors.push_back(values.lookup(init));
  SmallVector<AffineMap> maps(tensors.size(), b.getMultiDimIdentityMap(rank));
  auto statement = scalar::MapOp::create(
      b, loc, getType(space, type), b.getStringAttr(makeName(op)), getAxesAttr(b, space.parallel),
      b.getDenseBoolArrayAttr(SmallVector<bool>(rank, false)), b.getAffineMapArrayAttr(maps),
      tensors, ValueRange());
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&statement.getBody());
  for (Value tensor : tensors)
    body->addArgument(cast<RankedTensorType>(tensor.getType()).getElementType(), loc);
  Value value = body->getArgument(0);
  if (!isNeutral) {
    Value start = body->getArgument(1);
    if (type != accType)
      start = arith::ExtFOp::create(b, loc, accType, start);
    OperationState state(loc, combine->getName(), {start, value}, accType);
    value = b.create(state)->getResult(0);
  }
  if (type != accType)
    value = arith::TruncFOp::create(b, loc, type, value);
  scalar::YieldOp::create(b, loc, value);
  return statement.getResult();
}

LogicalResult StatementImporter::importOp(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitError("expected linalg on tensors; bufferise after this conversion, not before");
  FailureOr<Space> space = getSpace(op);
  if (failed(space))
    return failure();
  b.setInsertionPointToEnd(&kernel.getBody().front());
  return space->reduction.empty() ? importMap(op, *space) : importReduction(op, *space);
}
