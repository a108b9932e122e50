// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that the language itself knows: functions, reductions, constants.

#ifndef NAUTILUS_FRONTEND_FUNCTIONS_H
#define NAUTILUS_FRONTEND_FUNCTIONS_H

#include "Program.h"

namespace mlir::nautilus::frontend {

struct Function {
  llvm::StringRef name;
  Opcode opcode;
  unsigned minArgs, maxArgs;
};
const Function *lookupFunction(llvm::StringRef name);
std::optional<ReduceKind> lookupReduction(llvm::StringRef name);
/// inf, nan, pi.
std::optional<double> lookupConstant(llvm::StringRef name);

/// Whether the language gives `name` a meaning, so that a spec cannot.
bool isReservedName(llvm::StringRef name);
/// All functions, casts and reductions, for suggestions.
void appendFunctionNames(llvm::SmallVectorImpl<llvm::StringRef> &names);

} // namespace mlir::nautilus::frontend

#endif
