// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the interpreter's tests: parses a module given as text and runs it.

#ifndef NAUTILUS_UNITTESTS_INTERPRETER_RUNTEXT_H
#define NAUTILUS_UNITTESTS_INTERPRETER_RUNTEXT_H

#include "nautilus/InitAll.h"
#include "nautilus/Interpreter/Interpreter.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace mlir::nautilus::interpreter {

struct RunText {
  RunText() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return success();
    });
  }

  /// Runs @k; an empty vector on failure, with the diagnostics in `messages`.
  std::vector<Tensor> run(StringRef text, ArrayRef<Tensor> inputs, const DimBindings &dims = {},
                          Mode mode = Mode::Real, Level level = Level::Scalar) {
    messages.clear();
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    auto results = interpreter::run(*module, "k", level, mode, inputs, dims);
    return succeeded(results) ? std::move(*results) : std::vector<Tensor>();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string messages;
};

inline Tensor randomTensor(ElementKind kind, ArrayRef<int64_t> shape, uint64_t seed) {
  Tensor tensor(kind, shape);
  fillRandom(tensor, seed);
  return tensor;
}

} // namespace mlir::nautilus::interpreter

#endif
