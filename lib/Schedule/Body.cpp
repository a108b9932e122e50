// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of statements: detached copies of regions and their canonical text.

#include "nautilus/Schedule/Body.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

Body::Body(Location loc)
    : loc(loc), region(std::make_unique<Region>()), combiner(std::make_unique<Region>()),
      attributes(DictionaryAttr::get(loc.getContext())) {}

static void cloneRegion(Region &from, Region &to) {
  IRMapping mapping;
  from.cloneInto(&to, mapping);
}

std::shared_ptr<const Body> Body::get(MapOp op) {
  auto body = std::make_shared<Body>(op.getLoc());
  cloneRegion(op.getBody(), *body->region);
  body->attributes = op->getDiscardableAttrDictionary();
  return body;
}

std::shared_ptr<const Body> Body::get(ReduceOp op) {
  auto body = std::make_shared<Body>(op.getLoc());
  cloneRegion(op.getBody(), *body->region);
  cloneRegion(op.getCombiner(), *body->combiner);
  body->identities = op.getIdentities();
  body->attributes = op->getDiscardableAttrDictionary();
  return body;
}

SmallVector<Type> Body::getResultTypes() const {
  return llvm::to_vector(region->front().getTerminator()->getOperandTypes());
}

std::shared_ptr<Body> Body::cloneWithoutRegion() const {
  auto body = std::make_shared<Body>(loc);
  cloneRegion(*combiner, *body->combiner);
  body->identities = identities;
  body->attributes = attributes;
  return body;
}

/// Writes the ops of one block with values numbered in order of definition.
static void printBlock(raw_ostream &os, Block &block, ArrayRef<StringRef> axisNames) {
  DenseMap<Value, unsigned> numbers;
  auto number = [&](Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  };
  for (BlockArgument argument : block.getArguments())
    os << "(" << number(argument) << ": " << argument.getType() << ")";
  for (Operation &op : block) {
    os << "; " << op.getName();
    if (auto index = dyn_cast<IndexOp>(op))
      os << " axis " << llvm::find(axisNames, index.getAxis()) - axisNames.begin();
    else if (DictionaryAttr attributes = op.getAttrDictionary(); !attributes.empty())
      os << " " << attributes;
    for (Value operand : op.getOperands())
      os << " " << number(operand);
    for (Value result : op.getResults())
      os << " -> " << number(result) << ": " << result.getType();
    for (Region &nested : op.getRegions())
      for (Block &inner : nested)
        printBlock(os, inner, axisNames);
  }
}

std::string Body::getCanonicalText(ArrayRef<StringRef> axisNames) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printBlock(os, region->front(), axisNames);
  if (identities) {
    os << " combine " << identities << " ";
    printBlock(os, combiner->front(), {});
  }
  return text;
}
