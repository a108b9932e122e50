// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spec text to AST. After an error the parser goes on with the next statement, so that one run
// reports every line that is wrong.

#ifndef NAUTILUS_FRONTEND_PARSER_H
#define NAUTILUS_FRONTEND_PARSER_H

#include "AST.h"
#include "SpecDiagnostics.h"

#include "mlir/Support/LLVM.h"

namespace mlir::nautilus::frontend {

class Parser {
public:
  Parser(SpecDiagnostics &diagnostics, llvm::StringRef buffer, File &file)
      : diagnostics(diagnostics), lexer(buffer), file(file) {
    advance();
  }

  /// Parses the whole buffer. On failure at least one error was reported, and `file` holds what
  /// could be understood.
  LogicalResult parseFile();

private:
  // Tokens.
  void advance() {
    previousEnd = token.getEndLoc();
    token = lexer.lex();
  }
  bool consumeIf(Token::Kind kind);
  LogicalResult expect(Token::Kind kind, const llvm::Twine &where);
  /// For a closing bracket: also names the one it belongs to.
  LogicalResult expectClosing(Token::Kind kind, llvm::SMLoc opening);
  /// Reports "expected X, got Y" at the current token.
  LogicalResult unexpected(const llvm::Twine &expected);
  void skipNewlines();
  void recoverAtNextStatement();
  void recoverAtNextDeclaration();

  // Declarations.
  LogicalResult parseVersion();
  LogicalResult parseKernel();
  LogicalResult parseDefinition();
  LogicalResult parseName(Name &name, const llvm::Twine &what);
  LogicalResult parseNames(Token::Kind closing, llvm::SMLoc opening,
                           llvm::SmallVectorImpl<Name> &names, const llvm::Twine &what);
  LogicalResult parseSize(int64_t &value);
  LogicalResult parseDimProduct(DimProduct &product);
  LogicalResult parseTensors(std::vector<TensorDecl> &tensors);
  LogicalResult parseTensor(TensorDecl &tensor);
  LogicalResult parseClauses(std::vector<DimClause> &clauses);
  LogicalResult parseAxisUse(AxisUse &axis);

  // Statements.
  LogicalResult parseBlock(std::vector<Statement> &statements);
  LogicalResult parseStatement(Statement &statement);
  LogicalResult parseTarget(Target &target);

  // Expressions (ParseExpressions.cpp); null after an error.
  Expr *parseExpr();
  Expr *parseBinary(unsigned level);
  Expr *parseComparison();
  Expr *parseNot();
  Expr *parseUnary();
  Expr *parsePower();
  Expr *parsePrimary();
  Expr *parseNumber();
  Expr *parseNamed();
  Expr *parseBracketed(Expr *named);
  Expr *parseArguments(Expr *call);
  Expr *make(Expr::Kind kind, llvm::SMLoc loc, llvm::ArrayRef<Expr *> args = {});
  /// Sets the depth of `expr`; null after an error when it is too deep.
  Expr *checkDepth(Expr *expr);

  SpecDiagnostics &diagnostics;
  Lexer lexer;
  File &file;
  Token token;
  /// End of the token before.
  llvm::SMLoc previousEnd;
  /// Open expressions around the current one.
  unsigned nesting = 0;
};

} // namespace mlir::nautilus::frontend

#endif
