// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a statement (or a combiner) as a flat program over registers. A register holds one
// value for each of a run of lanes, so that the program is walked once per many elements.

#ifndef NAUTILUS_LIB_INTERPRETER_BODYPROGRAM_H
#define NAUTILUS_LIB_INTERPRETER_BODYPROGRAM_H

#include "ElementOps.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::nautilus::interpreter {

/// A translated block; shared by all runs of the statement.
class BodyProgram {
public:
  /// Translates a block of `arith`, `math`, `nautilus_scalar.index` and `dim` ops that ends in a
  /// yield. `axes` are the names that `index` may refer to.
  static FailureOr<BodyProgram> translate(Block &block, ArrayRef<StringRef> axes, Mode mode);

  struct Instruction {
    ElementOp op;
    SmallVector<unsigned, 3> operands;
    unsigned result;
  };
  /// A register that the runner fills with the coordinate of an axis.
  struct IndexRegister {
    unsigned axis, reg;
  };
  /// A register that the runner fills with the extent of a dim.
  struct DimRegister {
    StringRef dim;
    unsigned reg;
  };

  unsigned numRegisters = 0;
  /// The first registers are the block's arguments, in order.
  unsigned numArguments = 0;
  SmallVector<Instruction> constants; ///< Run once.
  SmallVector<Instruction> instructions;
  SmallVector<IndexRegister> indices;
  SmallVector<DimRegister> dims;
  SmallVector<unsigned> yields;

private:
  LogicalResult translateOp(Operation &op, ArrayRef<StringRef> axes, Mode mode,
                            llvm::DenseMap<Value, unsigned> &registers);
};

/// The registers of one run.
class Registers {
public:
  Registers(const Registers &) = delete; // `pointers` point into `storage`.
  Registers &operator=(const Registers &) = delete;
  /// Runs the program's constants.
  Registers(const BodyProgram &program, size_t numLanes);

  size_t getNumLanes() const { return numLanes; }
  /// Storage of a register that belongs to this run.
  Element *own(unsigned reg) { return storage.data() + reg * numLanes; }
  /// Where a register is read and written; its own storage unless it was pointed elsewhere.
  Element *get(unsigned reg) const { return pointers[reg]; }
  void point(unsigned reg, Element *place) { pointers[reg] = place; }
  /// For arguments, which the program only reads.
  void point(unsigned reg, const Element *place) { pointers[reg] = const_cast<Element *>(place); }

  void run(size_t count);

private:
  void run(ArrayRef<BodyProgram::Instruction> instructions, size_t count);

  const BodyProgram &program;
  size_t numLanes;
  std::vector<Element> storage;
  SmallVector<Element *> pointers;
};

/// Applies a combiner `(l0, l1, ..., r0, r1, ...) -> (c0, c1, ...)` to tuples of lanes.
class TupleCombiner {
public:
  TupleCombiner(const BodyProgram &program, size_t numLanes)
      : program(program), registers(program, numLanes) {}

  /// into[k] = combiner(into, from)[k] for the first `count` lanes.
  void combine(ArrayRef<Element *> into, ArrayRef<const Element *> from, size_t count);

private:
  const BodyProgram &program;
  Registers registers;
};

} // namespace mlir::nautilus::interpreter

#endif
