// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primitives that move work: inline computes an elementwise statement at each reader, clone
// gives one reader a copy of its own.

#include "Edits.h"
#include "nautilus/Schedule/ReadState.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

namespace {

/// Rewrites one reader of an elementwise statement. Reads that become equal are merged, so that a
/// value read by both is read once.
class Inliner {
public:
  Inliner(const Statement &producer, unsigned producerId, Statement &reader)
      : producer(producer), producerId(producerId), reader(reader), old(reader.body),
        body(old->cloneWithoutRegion()), builder(old->getLoc().getContext()) {}

  /// False if a subscript can't be written out in the body.
  bool run();

private:
  Value getArgument(const Read &read, Type type);
  FailureOr<Value> emitProducer(AffineMap subscripts);
  FailureOr<Value> emitCoordinate(AffineExpr expr);

  const Statement &producer;
  unsigned producerId;
  Statement &reader;
  std::shared_ptr<const Body> old;
  std::shared_ptr<Body> body;
  OpBuilder builder;
  SmallVector<Read> reads;
};

} // namespace

/// The block argument for a read, shared with an equal one.
Value Inliner::getArgument(const Read &read, Type type) {
  Block &block = body->getRegion().front();
  for (auto [i, other] : llvm::enumerate(reads))
    if (other.value == read.value && other.map == read.map)
      return block.getArgument(i);
  reads.push_back(read);
  return block.addArgument(type, old->getLoc());
}

/// The value of a subscript of the reader: a bare axis, a constant, or sums and multiples of these.
FailureOr<Value> Inliner::emitCoordinate(AffineExpr expr) {
  Location loc = old->getLoc();
  if (std::optional<unsigned> axis = getBareAxis(expr))
    return Value(IndexOp::create(builder, loc, builder.getIndexType(), reader.axes[*axis].name));
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Value(arith::ConstantIndexOp::create(builder, loc, constant.getValue()));
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  bool isAdd = binary && binary.getKind() == AffineExprKind::Add;
  if (!isAdd && !(binary && binary.getKind() == AffineExprKind::Mul))
    return failure();
  FailureOr<Value> lhs = emitCoordinate(binary.getLHS()), rhs = emitCoordinate(binary.getRHS());
  if (failed(lhs) || failed(rhs))
    return failure();
  return isAdd ? Value(arith::AddIOp::create(builder, loc, *lhs, *rhs))
               : Value(arith::MulIOp::create(builder, loc, *lhs, *rhs));
}

/// Copies the producer's body for the point that `subscripts` names.
FailureOr<Value> Inliner::emitProducer(AffineMap subscripts) {
  Block &source = producer.body->getRegion().front();
  IRMapping mapping;
  for (auto [read, argument] : llvm::zip(producer.reads, source.getArguments()))
    mapping.map(argument,
                getArgument({read.value, read.map.compose(subscripts)}, argument.getType()));
  for (Operation &op : source.without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(op)) {
      FailureOr<Value> value =
          emitCoordinate(subscripts.getResult(*producer.findAxis(index.getAxis())));
      if (failed(value))
        return failure();
      mapping.map(index.getResult(), *value);
      continue;
    }
    builder.clone(op, mapping);
  }
  return mapping.lookup(source.getTerminator()->getOperand(0));
}

bool Inliner::run() {
  Block &source = old->getRegion().front();
  builder.setInsertionPointToEnd(&body->getRegion().emplaceBlock());
  IRMapping mapping;
  DenseMap<AffineMap, Value> done;
  for (auto [read, argument] : llvm::zip(reader.reads, source.getArguments())) {
    if (!read.value.isResultOf(producerId)) {
      mapping.map(argument, getArgument(read, argument.getType()));
      continue;
    }
    Value &value = done[read.map];
    if (!value) {
      FailureOr<Value> emitted = emitProducer(read.map);
      if (failed(emitted))
        return false;
      value = *emitted;
    }
    mapping.map(argument, value);
  }
  for (Operation &op : source)
    builder.clone(op, mapping);
  reader.reads = std::move(reads);
  reader.body = std::move(body);
  return true;
}

Proposal mlir::nautilus::schedule::propose(const State &state, const Inline &step) {
  std::optional<unsigned> stmt = state.findStatement(step.statement);
  if (!stmt)
    return Reason(ReasonCode::UnknownStatement, {step.statement});
  if (state.statements[*stmt].isReduce())
    return Reason(ReasonCode::NotElementwise, {step.statement});
  if (state.isOutput(*stmt))
    return Reason(ReasonCode::IsOutput, {step.statement});
  SmallVector<unsigned> readers = state.getReaders(*stmt);
  if (readers.empty())
    return Reason(ReasonCode::NoReader, {step.statement});
  State next = state;
  for (unsigned reader : readers) {
    // A start value of a reduction has no body to go into.
    bool isStart = llvm::any_of(state.statements[reader].inits,
                                [&](const ValueRef &init) { return init.isResultOf(*stmt); });
    if (isStart || !Inliner(state.statements[*stmt], *stmt, next.statements[reader]).run())
      return Reason(ReasonCode::NotComposable, {state.statements[reader].name, step.statement});
  }
  eraseStatement(next, *stmt);
  return next;
}

/// True if a statement gives the same value wherever it stands: it goes on from nothing.
static bool isSelfContained(const Statement &statement) {
  return statement.inits.empty() && llvm::none_of(statement.reads, [](const Read &read) {
           return read.value.kind == ValueRef::Kind::Previous;
         });
}

Proposal mlir::nautilus::schedule::propose(const State &state, const Clone &step) {
  std::optional<unsigned> stmt = state.findStatement(step.statement);
  std::optional<unsigned> reader = state.findStatement(step.reader);
  if (!stmt || !reader)
    return Reason(ReasonCode::UnknownStatement, {stmt ? step.reader : step.statement});
  if (!isSelfContained(state.statements[*stmt]))
    return Reason(ReasonCode::NotPure, {step.statement});
  if (state.findStatement(step.name))
    return Reason(ReasonCode::NameTaken, {step.name});
  if (!llvm::is_contained(state.getReaders(*stmt), *reader))
    return Reason(ReasonCode::NotComposable, {step.reader, step.statement});
  State next = state;
  unsigned clone = next.statements.size();
  next.statements.push_back(state.statements[*stmt]);
  next.statements[clone].name = step.name;
  redirectReads(next.statements[*reader], *stmt, clone);
  Node node{Node::Kind::Statement, clone};
  next.roots.insert(next.roots.begin() + state.getRoot(*reader), node);
  if (state.getReaders(*stmt).size() == 1 && !state.isOutput(*stmt))
    eraseStatement(next, *stmt);
  return next;
}
