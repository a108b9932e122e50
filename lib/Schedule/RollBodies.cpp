// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of a path into expressions, and statements of expressions; see the header.

#include "RollBodies.h"

#include "nautilus/Interfaces/Combiner.h"
#include "nautilus/Schedule/ExprIR.h"
#include "nautilus/Schedule/ReadState.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;
using llvm::SmallBitVector;

RollBodies::RollBodies(const State &state, unsigned target, unsigned loop)
    : state(state), target(state.statements[target]) {
  for (unsigned stmt : state.getStatementsBelow({Node::Kind::Loop, loop}))
    if (state.isCarriedBy(stmt, loop))
      frontier.push_back(stmt);
  for (auto [i, local] : llvm::enumerate(this->target.axes))
    if (local.axis == state.loops[loop].axis)
      reductionPosition = i;
}

std::optional<unsigned> RollBodies::getDimNumber(StringRef dim) const {
  const auto *it = llvm::find(dims, dim);
  return it == dims.end() ? std::nullopt : std::optional<unsigned>(it - dims.begin());
}

Expr RollBodies::getExtent(StringRef dim) {
  if (!getDimNumber(dim))
    dims.push_back(dim.str());
  return context.leaf(LeafRole::DimExtent, *getDimNumber(dim), ScalarType::Index);
}

bool RollBodies::dependsOnFrontier(unsigned stmt) {
  if (auto it = depends.find(stmt); it != depends.end())
    return it->second;
  depends[stmt] = false;
  bool result = llvm::any_of(state.statements[stmt].reads, [&](const Read &read) {
    return read.value.kind != ValueRef::Kind::Argument &&
           (llvm::is_contained(frontier, read.value.id) || dependsOnFrontier(read.value.id));
  });
  return depends[stmt] = result;
}

//===-- Import ------------------------------------------------------------------===//

Expr RollBodies::importCoordinate(AffineExpr expr) {
  if (std::optional<unsigned> axis = getBareAxis(expr))
    return context.leaf(LeafRole::AxisIndex, *axis, ScalarType::Index);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return context.intConstant(constant.getValue(), ScalarType::Index);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary ||
      (binary.getKind() != AffineExprKind::Add && binary.getKind() != AffineExprKind::Mul))
    return nullptr;
  Expr lhs = importCoordinate(binary.getLHS()), rhs = importCoordinate(binary.getRHS());
  if (!lhs || !rhs)
    return nullptr;
  return binary.getKind() == AffineExprKind::Add ? context.add(lhs, rhs) : context.mul(lhs, rhs);
}

Expr RollBodies::importRead(const Read &read) {
  bool isResult = read.value.kind == ValueRef::Kind::Result;
  if (read.value.kind == ValueRef::Kind::Previous) {
    obstacle = state.statements[read.value.id].name + " before this iteration";
    return nullptr;
  }
  auto *position = isResult ? llvm::find(frontier, read.value.id) : frontier.end();
  bool isFrontier = isResult && position != frontier.end();
  if (isResult && !isFrontier && dependsOnFrontier(read.value.id)) {
    if (state.statements[read.value.id].isReduce()) {
      obstacle = state.statements[read.value.id].name;
      return nullptr;
    }
    if (!llvm::is_contained(path, read.value.id))
      path.push_back(read.value.id);
    return importStatement(read.value.id, read.map);
  }
  for (auto &[other, leaf] : leaves)
    if (other.value == read.value && other.map == read.map)
      return leaf;
  Type type =
      isResult ? state.statements[read.value.id].body->getResultTypes()[read.value.result] : Type();
  if (!type)
    type = argumentType;
  std::optional<ScalarType> scalarType = getScalarType(type);
  if (!scalarType) {
    obstacle = "a value of a type without algebra";
    return nullptr;
  }
  bool along = llvm::any_of(read.map.getResults(),
                            [&](AffineExpr e) { return e.isFunctionOfDim(reductionPosition); });
  Expr leaf;
  if (isFrontier) {
    unsigned q = position - frontier.begin();
    if (along || read.value.result != 0 || llvm::any_of(leaves, [&](const auto &entry) {
          return entry.second->isLeaf(LeafRole::Frontier) && entry.second->getIndex() == q;
        })) {
      obstacle = state.statements[read.value.id].name + " at several subscripts";
      return nullptr;
    }
    leaf = context.leaf(LeafRole::Frontier, q, *scalarType);
  } else {
    leaf = context.leaf(along ? LeafRole::Element : LeafRole::Uniform, leaves.size(), *scalarType);
  }
  leaves.push_back({read, leaf});
  return leaf;
}

Expr RollBodies::importStatement(unsigned stmt, AffineMap at) {
  const Statement &statement = state.statements[stmt];
  Block &block = statement.body->getRegion().front();
  SmallVector<Expr> arguments;
  for (auto [read, argument] : llvm::zip(statement.reads, block.getArguments())) {
    argumentType = argument.getType();
    Expr value = importRead({read.value, read.map.compose(at)});
    if (!value)
      return nullptr;
    arguments.push_back(value);
  }
  Operation *offender = nullptr;
  auto leafOfOp = [&](Operation *op) -> Expr {
    if (auto index = dyn_cast<IndexOp>(op))
      return importCoordinate(at.getResult(*statement.findAxis(index.getAxis())));
    auto dim = dyn_cast<DimOp>(op);
    if (!dim)
      return nullptr;
    return getExtent(dim.getDim());
  };
  FailureOr<SmallVector<Expr>> results = importBody(context, block, arguments, leafOfOp, &offender);
  if (failed(results) || results->size() != 1) {
    obstacle = offender ? offender->getName().getStringRef().str() : statement.name;
    return nullptr;
  }
  return results->front();
}

AffineMap RollBodies::getAxesOf(unsigned stmt) const {
  MLIRContext *mlirContext = target.body->getLoc().getContext();
  SmallVector<AffineExpr> results;
  for (const Statement::LocalAxis &local : state.statements[stmt].axes) {
    const auto *same = llvm::find_if(
        target.axes, [&](const Statement::LocalAxis &other) { return other.axis == local.axis; });
    if (same == target.axes.end())
      return AffineMap();
    results.push_back(getAffineDimExpr(same - target.axes.begin(), mlirContext));
  }
  return AffineMap::get(target.axes.size(), 0, results, mlirContext);
}

//===-- Statements of expressions -------------------------------------------------===//

/// The subscripts of a value that has just those axes of the target.
AffineMap RollBodies::selectAxes(const SmallBitVector &axes) const {
  MLIRContext *mlirContext = target.body->getLoc().getContext();
  SmallVector<AffineExpr> results;
  for (unsigned i : axes.set_bits())
    results.push_back(getAffineDimExpr(i, mlirContext));
  return AffineMap::get(target.axes.size(), 0, results, mlirContext);
}

void RollBodies::setAccumulator(unsigned k, unsigned stmt, const SmallBitVector &axes) {
  accumulators[k] = stmt;
  accumulatorMaps[k] = selectAxes(axes);
}

void RollBodies::setCount(unsigned stmt, const SmallBitVector &axes) {
  count = {{ValueRef::Kind::Result, stmt, 0}, selectAxes(axes)};
}

Read RollBodies::getRead(Expr leaf, bool inLoop) {
  if (leaf->isLeaf(LeafRole::Accumulator)) {
    unsigned stmt = accumulators.lookup(leaf->getIndex());
    return {{inLoop ? ValueRef::Kind::Previous : ValueRef::Kind::Result, stmt, 0},
            accumulatorMaps.lookup(leaf->getIndex())};
  }
  if (leaf->isLeaf(LeafRole::Count) || leaf->isLeaf(LeafRole::CountOld)) {
    auto kind = leaf->isLeaf(LeafRole::Count) ? ValueRef::Kind::Result : ValueRef::Kind::Previous;
    return {{kind, count.value.id, 0}, count.map};
  }
  bool old = leaf->isLeaf(LeafRole::FrontierOld);
  for (auto &[read, known] : leaves) {
    if (known == leaf)
      return read;
    if (old && known->isLeaf(LeafRole::Frontier) && known->getIndex() == leaf->getIndex())
      return {{ValueRef::Kind::Previous, read.value.id, 0}, read.map};
  }
  // A carried value of the loop that the body doesn't read, but a repair does.
  assert((old || leaf->isLeaf(LeafRole::Frontier)) && "expected a leaf of the problem");
  unsigned stmt = frontier[leaf->getIndex()];
  unsigned numParallel = state.statements[stmt].numParallel;
  return {{old ? ValueRef::Kind::Previous : ValueRef::Kind::Result, stmt, 0},
          getAxesOf(stmt).getSliceMap(0, numParallel)};
}

SmallBitVector RollBodies::getAxes(Expr e) {
  SmallBitVector axes(target.axes.size());
  for (Expr leaf : getLeaves(e)) {
    if (leaf->isLeaf(LeafRole::DimExtent))
      continue;
    if (leaf->isLeaf(LeafRole::AxisIndex)) {
      axes.set(leaf->getIndex());
      continue;
    }
    AffineMap map = getRead(leaf, true).map;
    for (unsigned i = 0; i < axes.size(); ++i)
      if (llvm::any_of(map.getResults(), [&](AffineExpr r) { return r.isFunctionOfDim(i); }))
        axes.set(i);
  }
  return axes;
}

Expr RollBodies::hoist(State &next, StringRef name, Expr e, const SmallBitVector &axes, bool inLoop,
                       SmallVectorImpl<Node> &nodes) {
  SmallVector<Expr> operands;
  for (Expr operand : e->getOperands()) {
    // A conversion from a narrow type stays with its reader, which may take the narrow value as it
    // is.
    Expr inner = operand;
    bool widens = inner->getOp() == ExprOp::Cast &&
                  getBitWidth(inner->getOperand(0)->getType()) < getBitWidth(inner->getType());
    if (widens)
      inner = inner->getOperand(0);
    if (!inner->isLeaf() && !inner->isConstant()) {
      SmallBitVector own = getAxes(inner);
      if (own.any() && own != axes) {
        unsigned stmt = addMap(next, name, inner, own, inLoop, nodes);
        inner = partLeaf(stmt, inner, own);
      } else {
        inner = hoist(next, name, inner, axes, inLoop, nodes);
      }
    }
    operands.push_back(widens ? context.withOperands(operand, inner) : inner);
  }
  return operands.empty() ? e : context.withOperands(e, operands);
}

Expr RollBodies::partLeaf(unsigned stmt, Expr value, const SmallBitVector &axes) {
  Read read{{ValueRef::Kind::Result, stmt, 0}, selectAxes(axes)};
  LeafRole role = axes.test(reductionPosition) ? LeafRole::Element : LeafRole::Uniform;
  Expr leaf = context.leaf(role, leaves.size(), value->getType());
  leaves.push_back({read, leaf});
  return leaf;
}

std::shared_ptr<Body> RollBodies::fillStatement(Statement &statement, Expr e,
                                                const SmallBitVector &axes, bool inLoop) {
  Location loc = target.body->getLoc();
  auto body = std::make_shared<Body>(loc);
  Block &block = body->getRegion().emplaceBlock();
  OpBuilder builder(loc.getContext());
  builder.setInsertionPointToStart(&block);
  SmallVector<AffineExpr> positions(target.axes.size(), getAffineConstantExpr(0, loc.getContext()));
  for (auto [position, i] : llvm::enumerate(axes.set_bits())) {
    statement.axes.push_back(target.axes[i]);
    positions[i] = getAffineDimExpr(position, loc.getContext());
  }
  llvm::DenseMap<Expr, Value> values;
  for (Expr leaf : getLeaves(e)) {
    if (leaf->isLeaf(LeafRole::AxisIndex)) {
      values[leaf] =
          IndexOp::create(builder, loc, builder.getIndexType(), target.axes[leaf->getIndex()].name);
    } else if (leaf->isLeaf(LeafRole::DimExtent)) {
      values[leaf] = DimOp::create(builder, loc, builder.getIndexType(), dims[leaf->getIndex()]);
    } else {
      Read read = getRead(leaf, inLoop);
      read.map = read.map.replaceDimsAndSymbols(positions, {}, axes.count(), 0);
      statement.reads.push_back(read);
      values[leaf] = block.addArgument(getMLIRType(leaf->getType(), loc.getContext()), loc);
    }
  }
  SmallVector<Value> results =
      emit(builder, loc, context, e, [&](Expr leaf) { return values.lookup(leaf); });
  YieldOp::create(builder, loc, results);
  return body;
}

/// A name that no statement has, also none that does not stand in the tree yet.
static std::string getFreshName(const State &next, StringRef base) {
  auto isTaken = [&](StringRef name) {
    return llvm::any_of(next.statements,
                        [&](const Statement &statement) { return statement.name == name; });
  };
  std::string name = base.str();
  for (unsigned i = 1; isTaken(name); ++i)
    name = (base + "." + Twine(i)).str();
  return name;
}

unsigned RollBodies::addMap(State &next, StringRef name, Expr e, SmallBitVector axes, bool inLoop,
                            SmallVectorImpl<Node> &nodes) {
  e = hoist(next, name, e, axes, inLoop, nodes);
  Statement statement;
  statement.name = getFreshName(next, name);
  statement.body = fillStatement(statement, e, axes, inLoop);
  statement.numParallel = statement.axes.size();
  unsigned id = next.statements.size();
  next.statements.push_back(std::move(statement));
  nodes.push_back({Node::Kind::Statement, id});
  return id;
}

void RollBodies::makeReduction(State &next, unsigned stmt, StringRef name, CombinerKind kind,
                               Expr e, SmallBitVector axes, SmallVectorImpl<Node> &nodes) {
  // Parallel axes come first in a statement; the reduction axis is the last of the target's.
  e = hoist(next, (name + ".part").str(), e, axes, true, nodes);
  Statement statement;
  statement.name = name.str();
  std::shared_ptr<Body> body = fillStatement(statement, e, axes, true);
  statement.numParallel = statement.axes.size() - 1;
  Type type = getMLIRType(e->getType(), target.body->getLoc().getContext());
  Location loc = body->getLoc();
  OpBuilder builder(loc.getContext());
  Block *combiner = builder.createBlock(&body->getCombiner(), {}, {type, type}, {loc, loc});
  Value combined =
      buildCombine(builder, loc, kind, combiner->getArgument(0), combiner->getArgument(1));
  YieldOp::create(builder, loc, combined);
  body->setIdentities(builder.getArrayAttr(getCombinerIdentity(kind, type)));
  statement.body = std::move(body);
  next.statements[stmt] = std::move(statement);
  nodes.push_back({Node::Kind::Statement, stmt});
}
