// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a block to registers and runs it.

#include "BodyProgram.h"

#include "nautilus/Dialect/Scalar/IR/Scalar.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

FailureOr<BodyProgram> BodyProgram::translate(Block &block, ArrayRef<StringRef> axes, Mode mode) {
  BodyProgram program;
  llvm::DenseMap<Value, unsigned> registers;
  for (BlockArgument argument : block.getArguments()) {
    if (!getElementKind(argument.getType()))
      return emitError(argument.getLoc(), "the interpreter does not know the type ")
             << argument.getType();
    registers[argument] = program.numRegisters++;
  }
  program.numArguments = program.numRegisters;
  for (Operation &op : block.without_terminator())
    if (failed(program.translateOp(op, axes, mode, registers)))
      return failure();
  for (Value value : block.getTerminator()->getOperands())
    program.yields.push_back(registers.lookup(value));
  return program;
}

LogicalResult BodyProgram::translateOp(Operation &op, ArrayRef<StringRef> axes, Mode mode,
                                       llvm::DenseMap<Value, unsigned> &registers) {
  if (auto index = dyn_cast<scalar::IndexOp>(op)) {
    auto axis = static_cast<unsigned>(llvm::find(axes, index.getAxis()) - axes.begin());
    indices.push_back({axis, numRegisters});
    registers[index.getResult()] = numRegisters++;
    return success();
  }
  if (auto dim = dyn_cast<scalar::DimOp>(op)) {
    dims.push_back({dim.getDim(), numRegisters});
    registers[dim.getResult()] = numRegisters++;
    return success();
  }
  FailureOr<ElementOp> resolved = resolveElementOp(&op, mode);
  if (failed(resolved))
    return failure();
  if (resolved->isCopy()) {
    registers[op.getResult(0)] = registers.lookup(op.getOperand(0));
    return success();
  }
  Instruction instruction = {*resolved, {}, numRegisters};
  for (Value operand : op.getOperands())
    instruction.operands.push_back(registers.lookup(operand));
  registers[op.getResult(0)] = numRegisters++;
  (op.getNumOperands() == 0 ? constants : instructions).push_back(std::move(instruction));
  return success();
}

Registers::Registers(const BodyProgram &program, size_t numLanes)
    : program(program), numLanes(numLanes), storage(program.numRegisters * numLanes) {
  for (unsigned r = 0; r < program.numRegisters; ++r)
    pointers.push_back(own(r));
  run(program.constants, numLanes);
}

void Registers::run(size_t count) { run(program.instructions, count); }

void Registers::run(ArrayRef<BodyProgram::Instruction> instructions, size_t count) {
  const Element *in[3];
  for (const BodyProgram::Instruction &instruction : instructions) {
    for (auto [i, operand] : llvm::enumerate(instruction.operands))
      in[i] = pointers[operand];
    instruction.op.apply(in, pointers[instruction.result], count);
  }
}

void TupleCombiner::combine(ArrayRef<Element *> into, ArrayRef<const Element *> from,
                            size_t count) {
  size_t size = into.size();
  for (size_t k = 0; k < size; ++k) {
    registers.point(k, into[k]);
    registers.point(size + k, from[k]);
  }
  // With one result, the instruction that makes it may write in place.
  bool inPlace = size == 1 && !program.instructions.empty() &&
                 program.instructions.back().result == program.yields.front();
  if (inPlace)
    registers.point(program.yields.front(), into.front());
  registers.run(count);
  if (inPlace)
    return;
  // A yield may be an argument, so all are read before any is written.
  std::vector<Element> next(size * count);
  for (size_t k = 0; k < size; ++k) {
    const Element *made = registers.get(program.yields[k]);
    std::copy(made, made + count, next.begin() + k * count);
  }
  for (size_t k = 0; k < size; ++k)
    std::copy_n(next.begin() + k * count, count, into[k]);
}
