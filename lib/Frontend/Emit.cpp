// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels and statements as nautilus_scalar ops.

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "nautilus/Interfaces/Combiner.h"

#include "llvm/ADT/MapVector.h"
#include <limits>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::frontend;

namespace {
class KernelEmitter {
public:
  KernelEmitter(const SpecDiagnostics &diagnostics, Program &program, ModuleOp module)
      : diagnostics(diagnostics), program(program), builder(module.getBodyRegion()),
        plan(planStatements(program)) {}

  void emit();

private:
  struct Input {
    Value tensor;
    AffineMap map;
    bool operator==(const Input &other) const { return tensor == other.tensor && map == other.map; }
  };
  /// One statement while it is emitted.
  struct Site {
    GeneratedStatement *statement;
    Location loc;
    /// Parallel, then reduction axes, as positions in the scope.
    SmallVector<unsigned> flatAxes;
    SmallVector<Input> inputs;
    SmallVector<std::pair<const Node *, unsigned>> reads;
  };

  RankedTensorType getTensorType(ArrayRef<const Dim *> dims, Elem type);
  ArrayAttr getDims();
  scalar::TensorAttr getTensor(const Tensor *tensor);
  scalar::KernelOp emitHeader();

  void emitStatement(GeneratedStatement *statement);
  void emitMap(Site &site);
  void emitReduce(Site &site);
  void collectInputs(const Node *node, Site &site, llvm::DenseSet<const Node *> &visited);
  ArrayAttr getAxes(const StatementScope &scope, ArrayRef<unsigned> flatAxes);
  Block *makeBody(Region &region, const Site &site, BodyEmitter &body);
  SmallVector<Value> emitElements(const Node *reduce, BodyEmitter &body, Location loc,
                                  ArrayRef<Attribute> identities);
  void emitCombiner(Region &region, const Node *reduce, TypeRange types, Location loc);
  SmallVector<Attribute> getIdentities(const Node *reduce);

  const SpecDiagnostics &diagnostics;
  Program &program;
  OpBuilder builder;
  Plan plan;
  llvm::DenseMap<const GeneratedStatement *, Value> values;
  SmallVector<Value> arguments;
};
} // namespace

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

RankedTensorType KernelEmitter::getTensorType(ArrayRef<const Dim *> dims, Elem type) {
  auto shape = llvm::map_to_vector(
      dims, [](const Dim *dim) { return dim->size.value_or(ShapedType::kDynamic); });
  return RankedTensorType::get(shape, getType(builder.getContext(), type));
}

ArrayAttr KernelEmitter::getDims() {
  SmallVector<Attribute> dims;
  for (const Dim &dim : program.dims)
    if (dim.isExtent)
      dims.push_back(scalar::DimAttr::get(builder.getContext(), builder.getStringAttr(dim.name),
                                          dim.size.value_or(ShapedType::kDynamic), dim.hint));
  return builder.getArrayAttr(dims);
}

scalar::TensorAttr KernelEmitter::getTensor(const Tensor *tensor) {
  SmallVector<Attribute> dims;
  for (const Extent &extent : tensor->dims) {
    auto names = llvm::map_to_vector(extent, [](const Dim *dim) { return StringRef(dim->name); });
    dims.push_back(builder.getStrArrayAttr(names));
  }
  return scalar::TensorAttr::get(builder.getContext(), builder.getStringAttr(tensor->name),
                                 builder.getArrayAttr(dims));
}

static SmallVector<const Dim *> flatten(const Tensor *tensor) {
  SmallVector<const Dim *> dims;
  for (const Extent &extent : tensor->dims)
    dims.append(extent.begin(), extent.end());
  return dims;
}

scalar::KernelOp KernelEmitter::emitHeader() {
  SmallVector<Attribute> args, results, resultTypes;
  for (const Tensor *tensor : program.arguments)
    args.push_back(getTensor(tensor));
  for (const Tensor *tensor : program.results) {
    results.push_back(getTensor(tensor));
    resultTypes.push_back(TypeAttr::get(getTensorType(flatten(tensor), tensor->type)));
  }
  auto kernel = scalar::KernelOp::create(
      builder, diagnostics.getLocation(program.loc), builder.getStringAttr(program.name),
      StringAttr(), getDims(), builder.getArrayAttr(args), builder.getArrayAttr(results),
      builder.getArrayAttr(resultTypes));
  Block &block = kernel.getBody().emplaceBlock();
  for (const Tensor *tensor : program.arguments)
    arguments.push_back(block.addArgument(getTensorType(flatten(tensor), tensor->type),
                                          diagnostics.getLocation(tensor->loc)));
  return kernel;
}

void KernelEmitter::emit() {
  builder.setInsertionPointToEnd(builder.getInsertionBlock());
  scalar::KernelOp kernel = emitHeader();
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  for (GeneratedStatement *statement : plan.statements)
    emitStatement(statement);
  SmallVector<Value> results;
  for (const Tensor *tensor : program.results)
    results.push_back(values.lookup(tensor->output));
  scalar::ReturnOp::create(builder, kernel.getLoc(), results);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void KernelEmitter::collectInputs(const Node *node, Site &site,
                                  llvm::DenseSet<const Node *> &visited) {
  if (!visited.insert(node).second)
    return;
  MLIRContext *context = builder.getContext();
  GeneratedStatement *source = plan.hoisted.lookup(node);
  if (node->kind == Node::Local)
    source = node->statement;
  if (!source && node->kind != Node::Read) {
    for (const Node *arg : node->args)
      collectInputs(arg, site, visited);
    return;
  }
  Input input;
  SmallVector<AffineExpr> exprs;
  if (source) {
    for (unsigned flat : source->flatAxes)
      exprs.push_back(getAffineDimExpr(flat, context));
    input.tensor = values.lookup(source);
  } else {
    exprs.assign(node->access.begin(), node->access.end());
    const Tensor *tensor = node->tensor;
    input.tensor = tensor->kind == Tensor::Argument ? arguments[tensor->argumentNumber]
                                                    : values.lookup(tensor->definition);
  }
  SmallVector<AffineExpr> positions(site.statement->scope->flatAxes.size(),
                                    getAffineConstantExpr(0, context));
  for (auto [position, flat] : llvm::enumerate(site.flatAxes))
    positions[flat] = getAffineDimExpr(position, context);
  for (AffineExpr &expr : exprs)
    expr = expr.replaceDims(positions);
  input.map = AffineMap::get(site.flatAxes.size(), 0, exprs, context);
  auto *it = llvm::find(site.inputs, input);
  site.reads.emplace_back(node, it - site.inputs.begin());
  if (it == site.inputs.end())
    site.inputs.push_back(input);
}

ArrayAttr KernelEmitter::getAxes(const StatementScope &scope, ArrayRef<unsigned> flatAxes) {
  SmallVector<Attribute> axes;
  for (unsigned flat : flatAxes) {
    const FlatAxis &axis = scope.flatAxes[flat];
    axes.push_back(scalar::AxisAttr::get(builder.getContext(), builder.getStringAttr(axis.name),
                                         builder.getStringAttr(axis.dim->name), 0));
  }
  return builder.getArrayAttr(axes);
}

Block *KernelEmitter::makeBody(Region &region, const Site &site, BodyEmitter &body) {
  Block &block = region.emplaceBlock();
  for (const Input &input : site.inputs)
    block.addArgument(cast<RankedTensorType>(input.tensor.getType()).getElementType(), site.loc);
  for (auto [node, number] : site.reads)
    body.setInput(node, block.getArgument(number));
  return &block;
}

static SmallVector<Attribute> getMaps(ArrayRef<AffineMap> maps) {
  return llvm::map_to_vector(maps,
                             [](AffineMap map) -> Attribute { return AffineMapAttr::get(map); });
}

void KernelEmitter::emitMap(Site &site) {
  GeneratedStatement *statement = site.statement;
  const StatementScope &scope = *statement->scope;
  auto dims =
      llvm::map_to_vector(site.flatAxes, [&](unsigned flat) { return scope.flatAxes[flat].dim; });
  auto tensors = llvm::map_to_vector(site.inputs, [](const Input &input) { return input.tensor; });
  auto maps = llvm::map_to_vector(site.inputs, [](const Input &input) { return input.map; });
  SmallVector<bool> noOrigins(site.flatAxes.size(), false);
  auto map = scalar::MapOp::create(builder, site.loc, getTensorType(dims, statement->type),
                                   statement->name, getAxes(scope, site.flatAxes),
                                   builder.getDenseBoolArrayAttr(noOrigins),
                                   builder.getArrayAttr(getMaps(maps)), tensors, ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  BodyEmitter body(builder, diagnostics, scope);
  builder.setInsertionPointToEnd(makeBody(map.getBody(), site, body));
  Value value = body.emit(statement->value, statement->type);
  scalar::YieldOp::create(builder, site.loc, value);
  values[statement] = map.getResult();
}

void KernelEmitter::emitStatement(GeneratedStatement *statement) {
  Site site{statement, diagnostics.getLocation(statement->place), {}, {}, {}};
  site.flatAxes.assign(statement->flatAxes.begin(), statement->flatAxes.end());
  const Node *value = statement->value;
  GeneratedStatement *hoisted = plan.hoisted.lookup(value);
  llvm::DenseSet<const Node *> visited;
  // A reduction is emitted as such by the statement that it is; others read the result.
  if (value->kind == Node::Reduce && (!hoisted || hoisted == statement)) {
    for (const Axis *axis : value->axes)
      for (unsigned i = 0, e = axis->extent.size(); i < e; ++i)
        site.flatAxes.push_back(axis->firstFlat + i);
    for (const Node *arg : value->args)
      collectInputs(arg, site, visited);
    return emitReduce(site);
  }
  collectInputs(value, site, visited);
  emitMap(site);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static CombinerKind getCombinerKind(ReduceKind kind, Elem type) {
  bool isInteger = !isFloat(type);
  switch (kind) {
  case ReduceKind::Sum:
    return CombinerKind::Add;
  case ReduceKind::Prod:
    return CombinerKind::Mul;
  case ReduceKind::Max:
  case ReduceKind::ArgMax:
    return isInteger ? CombinerKind::MaxSI : CombinerKind::Max;
  case ReduceKind::Min:
  case ReduceKind::ArgMin:
    return isInteger ? CombinerKind::MinSI : CombinerKind::Min;
  case ReduceKind::MaxNum:
    return CombinerKind::MaxNum;
  case ReduceKind::MinNum:
    return CombinerKind::MinNum;
  case ReduceKind::Any:
    return CombinerKind::Or;
  case ReduceKind::All:
    return CombinerKind::And;
  }
  llvm_unreachable("every reduction has a combiner");
}

static bool isArg(ReduceKind kind) {
  return kind == ReduceKind::ArgMax || kind == ReduceKind::ArgMin;
}

/// The type in which the elements are compared or combined.
static Elem getElementType(const Node *reduce) {
  if (!isArg(reduce->reduction))
    return reduce->type;
  return isFloat(reduce->args[0]->type) ? Elem::F32 : Elem::I64;
}

SmallVector<Attribute> KernelEmitter::getIdentities(const Node *reduce) {
  Elem type = getElementType(reduce);
  SmallVector<Attribute> identities = {getCombinerIdentity(getCombinerKind(reduce->reduction, type),
                                                           getType(builder.getContext(), type))};
  // Past every real position, so that a real element wins each tie.
  if (isArg(reduce->reduction))
    identities.push_back(builder.getI64IntegerAttr(std::numeric_limits<int64_t>::max()));
  return identities;
}

SmallVector<Value> KernelEmitter::emitElements(const Node *reduce, BodyEmitter &body, Location loc,
                                               ArrayRef<Attribute> identities) {
  Elem type = getElementType(reduce);
  SmallVector<Value> elements = {body.emit(reduce->args[0], type)};
  if (isArg(reduce->reduction)) {
    Value position;
    for (const Axis *axis : reduce->axes) {
      Value coordinate = body.emitCoordinate(axis, loc);
      if (position) {
        position = arith::MulIOp::create(builder, loc, position, body.emitExtent(axis, loc));
        coordinate = arith::AddIOp::create(builder, loc, position, coordinate);
      }
      position = coordinate;
    }
    elements.push_back(body.convert(position, Elem::Index, Elem::I64, loc));
  }
  if (reduce->args.size() == 1)
    return elements;
  Value condition = body.emit(reduce->args[1], Elem::Bool);
  for (auto [element, identity] : llvm::zip(elements, identities)) {
    Value neutral = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(identity));
    element = arith::SelectOp::create(builder, loc, condition, element, neutral);
  }
  return elements;
}

/// Whether the left of two (value, position) pairs is the better one: NaN first, then the larger
/// (or smaller) value, then the lower position.
static Value emitIsBetter(OpBuilder &b, Location loc, bool isMax, ValueRange args) {
  Value l = args[0], li = args[1], r = args[2], ri = args[3];
  Value isLower = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, li, ri);
  Value wins, ties;
  if (!isa<FloatType>(l.getType())) {
    wins = arith::CmpIOp::create(
        b, loc, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, l, r);
    ties = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, l, r);
  } else {
    using P = arith::CmpFPredicate;
    Value lIsNan = arith::CmpFOp::create(b, loc, P::UNO, l, l);
    Value rIsNumber = arith::CmpFOp::create(b, loc, P::ORD, r, r);
    Value rIsNan = arith::CmpFOp::create(b, loc, P::UNO, r, r);
    Value beyond = arith::CmpFOp::create(b, loc, isMax ? P::OGT : P::OLT, l, r);
    Value equal = arith::CmpFOp::create(b, loc, P::OEQ, l, r);
    wins = arith::OrIOp::create(b, loc, beyond, arith::AndIOp::create(b, loc, lIsNan, rIsNumber));
    ties = arith::OrIOp::create(b, loc, equal, arith::AndIOp::create(b, loc, lIsNan, rIsNan));
  }
  return arith::OrIOp::create(b, loc, wins, arith::AndIOp::create(b, loc, ties, isLower));
}

void KernelEmitter::emitCombiner(Region &region, const Node *reduce, TypeRange types,
                                 Location loc) {
  Block &block = region.emplaceBlock();
  for (unsigned side = 0; side < 2; ++side)
    for (Type type : types)
      block.addArgument(type, loc);
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> results;
  if (isArg(reduce->reduction)) {
    bool isMax = reduce->reduction == ReduceKind::ArgMax;
    Value better = emitIsBetter(builder, loc, isMax, block.getArguments());
    for (unsigned i = 0; i < 2; ++i)
      results.push_back(arith::SelectOp::create(builder, loc, better, block.getArgument(i),
                                                block.getArgument(i + 2)));
  } else {
    CombinerKind kind = getCombinerKind(reduce->reduction, reduce->type);
    results.push_back(buildCombine(builder, loc, kind, block.getArgument(0), block.getArgument(1)));
  }
  scalar::YieldOp::create(builder, loc, results);
}

void KernelEmitter::emitReduce(Site &site) {
  GeneratedStatement *statement = site.statement;
  const StatementScope &scope = *statement->scope;
  const Node *reduce = statement->value;
  ArrayRef<unsigned> allAxes = site.flatAxes;
  ArrayRef<unsigned> parallel = allAxes.take_front(statement->flatAxes.size());
  auto dims =
      llvm::map_to_vector(parallel, [&](unsigned flat) { return scope.flatAxes[flat].dim; });
  auto tensors = llvm::map_to_vector(site.inputs, [](const Input &input) { return input.tensor; });
  auto maps = llvm::map_to_vector(site.inputs, [](const Input &input) { return input.map; });
  SmallVector<bool> noOrigins(allAxes.size(), false);
  SmallVector<Attribute> identities = getIdentities(reduce);
  SmallVector<Type> elementTypes, types;
  for (Attribute identity : identities) {
    elementTypes.push_back(cast<TypedAttr>(identity).getType());
    types.push_back(getTensorType(dims, reduce->type).clone(elementTypes.back()));
  }
  auto op = scalar::ReduceOp::create(
      builder, site.loc, types, statement->name, getAxes(scope, parallel),
      getAxes(scope, allAxes.drop_front(parallel.size())), builder.getDenseBoolArrayAttr(noOrigins),
      builder.getArrayAttr(getMaps(maps)), builder.getArrayAttr(identities), tensors, ValueRange(),
      ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  BodyEmitter body(builder, diagnostics, scope);
  builder.setInsertionPointToEnd(makeBody(op.getBody(), site, body));
  SmallVector<Value> elements = emitElements(reduce, body, site.loc, identities);
  scalar::YieldOp::create(builder, site.loc, elements);
  emitCombiner(op.getCombiner(), reduce, elementTypes, site.loc);
  values[statement] = op.getOutputs().back();
}

void mlir::nautilus::frontend::emitKernel(const SpecDiagnostics &diagnostics, Program &program,
                                          ModuleOp module) {
  KernelEmitter(diagnostics, program, module).emit();
}
