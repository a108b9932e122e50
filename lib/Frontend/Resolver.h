// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves the formulas of one statement: AST in, nodes out. Names become axes, dims and tensors,
// uses of definitions are expanded like macros (their local statements become generated statements
// of the kernel), and each plain subscript binds its axis to the dim that it stands for.

#ifndef NAUTILUS_FRONTEND_RESOLVER_H
#define NAUTILUS_FRONTEND_RESOLVER_H

#include "AST.h"
#include "Functions.h"
#include "Library.h"
#include "NodeBuilder.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::nautilus::frontend {

class Resolver {
public:
  /// With `impliedAxes` the statement has no axes on its left, and formulas may introduce them.
  Resolver(Program &program, const Library &library, SpecDiagnostics &diagnostics,
           NodeBuilder &builder, StatementScope &scope, bool impliedAxes)
      : program(program), library(library), diagnostics(diagnostics), builder(builder),
        scope(scope), impliedAxes(impliedAxes) {}

  /// Resolves the right side of a statement of `numResults` names; empty after an error.
  llvm::SmallVector<Node *, 2> resolveStatement(const Expr *expr, llvm::ArrayRef<Target> targets);

  /// Declares an axis of the left side; null after an error.
  Axis *declareAxis(const AxisUse &use);
  /// Says that `axis` runs over `extent`, because of `what` at `loc`.
  LogicalResult bind(Axis *axis, const Extent &extent, Place place, const llvm::Twine &what);

private:
  /// The names of a definition while it is expanded; null at the level of the kernel.
  struct Frame {
    const Definition *definition;
    const CallFrame *call;
    std::string prefix;
    llvm::StringMap<Node *> values;
    llvm::StringMap<Axis *> axes;
  };

  Place at(llvm::SMLoc loc, const Frame *frame) const {
    return {loc, frame ? frame->call : nullptr};
  }

  // Formulas. Null after an error. (Resolver.cpp)
  Node *resolve(const Expr *expr, Frame *frame);
  Node *resolveLiteral(const Expr *expr, Frame *frame);
  Node *resolveName(const Expr *expr, Frame *frame);
  Node *resolveBareTensor(Place place, Tensor *tensor);
  Node *resolveUnary(const Expr *expr, Frame *frame);
  Node *resolveBinary(const Expr *expr, Frame *frame);
  Node *resolveConditional(const Expr *expr, Frame *frame);
  Node *resolveSubscript(const Expr *expr, Frame *frame);
  Node *resolveOneSubscript(const Expr *expr, const Extent &extent, const llvm::Twine &what);
  Node *unknownName(const Expr *expr, Frame *frame);
  Node *unknownAxis(const Expr *expr, InFlightDiagnostic &diagnostic);
  LogicalResult resolveArgs(const Expr *expr, Frame *frame, llvm::SmallVectorImpl<Node *> &args);

  // Calls. (ResolveCalls.cpp)
  Node *resolveCall(const Expr *expr, Frame *frame);
  Node *resolveFunction(const Function &function, const Expr *expr, Frame *frame);
  Node *resolveReduction(ReduceKind kind, const Expr *expr, Frame *frame);
  Node *resolveExtent(const Expr *expr, Frame *frame);
  Node *unknownFunction(const Expr *expr, Frame *frame);
  /// The axes in the brackets of a call.
  LogicalResult resolveAxes(const Expr *call, Frame *frame, llvm::SmallVectorImpl<Axis *> &axes);

  // Definitions. (ResolveCalls.cpp)
  llvm::SmallVector<Node *, 2> resolveWhole(const Expr *expr, unsigned numResults,
                                            const std::string &prefix, Frame *frame);
  llvm::SmallVector<Node *, 2> expand(const LibraryEntry &entry, const Expr *call,
                                      unsigned numResults, const std::string &prefix, Frame *frame);
  LogicalResult bindParams(const LibraryEntry &entry, const Expr *call, Frame *outer, Frame &inner);
  LogicalResult expandStatement(const LibraryEntry &entry, const Statement &statement,
                                Frame &frame);
  Node *generate(llvm::StringRef name, Node *value);

  // Axes. (Resolver.cpp)
  Axis *lookupAxis(llvm::StringRef name, bool mayIntroduce, Place place);
  Axis *createAxis(const Name &name, Place place);
  std::optional<Extent> resolveExtentOf(const DimProduct &product, Place place);
  void order(Axis *axis);

  Program &program;
  const Library &library;
  SpecDiagnostics &diagnostics;
  NodeBuilder &builder;
  StatementScope &scope;
  bool impliedAxes;
  /// Open reductions and calls that make an axis visible; axes of the left side always are.
  llvm::DenseMap<Axis *, unsigned> visible;
  /// Whether the formula is a subscript, where quotients are floors.
  bool inSubscript = false;
};

/// The dims of a product; reports an unknown name. Shared by shapes and axes.
std::optional<Extent> lookupExtent(Program &program, SpecDiagnostics &diagnostics,
                                   const DimProduct &product, Place place, bool mayDeclare);

} // namespace mlir::nautilus::frontend

#endif
