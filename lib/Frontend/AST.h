// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spec text as a tree, names not yet resolved. Texts and locations point into the source buffers;
// the expressions of a file live in its `File`.

#ifndef NAUTILUS_FRONTEND_AST_H
#define NAUTILUS_FRONTEND_AST_H

#include "Lexer.h"

#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <optional>
#include <vector>

namespace mlir::nautilus::frontend {

/// A name where it is written.
struct Name {
  llvm::StringRef text;
  llvm::SMLoc loc;
};

/// One dim of a shape: named dims or numbers, multiplied.
struct DimProduct {
  struct Factor {
    Name name;
    /// Set when the factor is written as a number.
    std::optional<int64_t> size;
  };
  llvm::SMLoc loc;
  llvm::SmallVector<Factor, 2> factors;
};

/// An axis in brackets, with the dim that it runs over if that is written: `k` or `k: K`.
struct AxisUse {
  Name name;
  std::optional<DimProduct> over;
};

struct Expr {
  enum Kind {
    Integer,
    Decimal,
    Boolean,
    NameRef,     ///< `text`
    Subscript,   ///< `text[args]`
    Call,        ///< `text[axes if filter](args)`, brackets optional
    Unary,       ///< `op args[0]`
    Binary,      ///< `args[0] op args[1]`
    Conditional, ///< `args[0] if args[1] else args[2]`
  };
  Kind kind;
  llvm::SMLoc loc;
  /// Longest way down; the parser bounds it, so recursive walks need no check of their own.
  unsigned depth = 1;
  llvm::StringRef text;
  Token::Kind op = Token::Error;
  llvm::SmallVector<Expr *, 3> args;
  llvm::SmallVector<AxisUse, 1> axes;
  Expr *filter = nullptr;
};

/// The left side of a statement: `S[b, h]` or `S`.
struct Target {
  Name name;
  std::optional<llvm::SmallVector<AxisUse, 4>> axes;
};

struct Statement {
  llvm::SmallVector<Target, 2> targets;
  Expr *value = nullptr;
};

/// `Q: f16[B, G*R]`.
struct TensorDecl {
  Name name, type;
  llvm::SmallVector<DimProduct, 4> dims;
};

/// `D = 128` or `N ~ 4096`.
struct DimClause {
  Name name;
  bool isHint = false;
  int64_t value = 0;
};

struct KernelDecl {
  Name name;
  std::vector<TensorDecl> arguments, results;
  std::vector<DimClause> clauses;
  std::vector<Statement> statements;
};

/// `def f[axes](params) = value`, or with a block of statements and `-> (results)`.
struct Definition {
  Name name;
  llvm::SmallVector<Name, 2> axes, params, results;
  std::vector<Statement> statements;
  /// Set for the short form.
  Expr *value = nullptr;
};

struct File {
  std::vector<KernelDecl> kernels;
  std::deque<Definition> definitions;
  std::deque<Expr> expressions;
};

} // namespace mlir::nautilus::frontend

#endif
