// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations and statements of the spec language, and how the parser recovers. Expressions are in
// ParseExpressions.cpp.

#include "Parser.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool Parser::consumeIf(Token::Kind kind) {
  if (!token.is(kind))
    return false;
  advance();
  return true;
}

LogicalResult Parser::unexpected(const llvm::Twine &expected) {
  if (token.is(Token::Error)) {
    InFlightDiagnostic diagnostic = diagnostics.error(token.getLoc());
    return diagnostic << token.message << (token.message[0] == '`' ? "" : ": `")
                      << (token.message[0] == '`' ? "" : token.text)
                      << (token.message[0] == '`' ? "" : "`");
  }
  InFlightDiagnostic diagnostic = diagnostics.error(token.getLoc());
  diagnostic << "expected " << expected << ", got ";
  if (token.is(Token::Identifier) || token.is(Token::Integer) || token.is(Token::Decimal))
    diagnostic << "`" << token.text << "`";
  else
    diagnostic << describe(token.kind);
  return diagnostic;
}

LogicalResult Parser::expect(Token::Kind kind, const llvm::Twine &where) {
  if (consumeIf(kind))
    return success();
  return unexpected(describe(kind) + where);
}

LogicalResult Parser::expectClosing(Token::Kind kind, llvm::SMLoc opening) {
  if (consumeIf(kind))
    return success();
  if (token.is(Token::Error))
    return unexpected("");
  // What is missing at the end of a line is missing there, not on the next line.
  bool atLineEnd = token.startsLine || token.is(Token::End);
  InFlightDiagnostic diagnostic = diagnostics.error(atLineEnd ? previousEnd : token.getLoc());
  diagnostic << "expected " << describe(kind) << ", got "
             << (token.is(Token::Identifier) ? "`" + token.text.str() + "`"
                                             : describe(token.kind).str());
  diagnostics.note(diagnostic, opening, "to match this bracket");
  return diagnostic;
}

void Parser::skipNewlines() {
  while (token.is(Token::Newline))
    advance();
}

void Parser::recoverAtNextStatement() {
  // An error at the start of a line was found while looking for the end of an earlier one.
  if (token.is(Token::End) || token.is(Token::RBrace))
    return;
  if (token.startsLine && !token.is(Token::Error))
    lexer.restartAt(token);
  else
    lexer.restartAfterLineOf(token);
  advance();
}

void Parser::recoverAtNextDeclaration() {
  bool first = true;
  while (!token.is(Token::End)) {
    if (!first && (token.is(Token::KwKernel) || token.is(Token::KwDef)) && token.startsLine)
      return;
    first = false;
    lexer.restartAfterLineOf(token);
    advance();
    skipNewlines();
    // A Newline token swallowed the mark of the line's first token.
    token.startsLine = true;
  }
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

LogicalResult Parser::parseFile() {
  unsigned errorsBefore = diagnostics.getNumErrors();
  skipNewlines();
  if (token.is(Token::Identifier) && token.text == "nautilus" && failed(parseVersion()))
    recoverAtNextStatement();
  for (skipNewlines(); !token.is(Token::End); skipNewlines()) {
    LogicalResult parsed = failure();
    if (token.is(Token::KwKernel))
      parsed = parseKernel();
    else if (token.is(Token::KwDef))
      parsed = parseDefinition();
    else
      parsed = unexpected("`kernel` or `def`");
    if (failed(parsed))
      recoverAtNextDeclaration();
  }
  return success(diagnostics.getNumErrors() == errorsBefore);
}

LogicalResult Parser::parseVersion() {
  advance();
  Token number = token;
  if (failed(expect(Token::Integer, " (the version of the language)")))
    return failure();
  if (number.text != "1") {
    InFlightDiagnostic diagnostic = diagnostics.error(number.getLoc());
    diagnostic << "unknown version " << number.text << " of the language";
    diagnostics.help(diagnostic, number.getLoc(), "this compiler knows `nautilus 1`");
    return diagnostic;
  }
  if (token.is(Token::Newline) || token.is(Token::End))
    return success();
  return unexpected("the end of the line");
}

LogicalResult Parser::parseName(Name &name, const llvm::Twine &what) {
  if (!token.is(Token::Identifier))
    return unexpected(what);
  name = {token.text, token.getLoc()};
  advance();
  return success();
}

LogicalResult Parser::parseNames(Token::Kind closing, llvm::SMLoc opening,
                                 llvm::SmallVectorImpl<Name> &names, const llvm::Twine &what) {
  if (consumeIf(closing))
    return success();
  do {
    if (failed(parseName(names.emplace_back(), what)))
      return failure();
  } while (consumeIf(Token::Comma));
  return expectClosing(closing, opening);
}

LogicalResult Parser::parseSize(int64_t &value) {
  Token number = token;
  if (failed(expect(Token::Integer, "")))
    return failure();
  if (number.text.getAsInteger(10, value) || value > (int64_t(1) << 40) || value < 1)
    return diagnostics.error(number.getLoc())
           << "expected an extent between 1 and 2**40, got " << number.text;
  return success();
}

LogicalResult Parser::parseDimProduct(DimProduct &product) {
  product.loc = token.getLoc();
  do {
    DimProduct::Factor &factor = product.factors.emplace_back();
    factor.name = {token.text, token.getLoc()};
    if (token.is(Token::Integer)) {
      if (failed(parseSize(factor.size.emplace())))
        return failure();
    } else if (failed(parseName(factor.name, "a dim (a name or a number)"))) {
      return failure();
    }
  } while (consumeIf(Token::Star));
  return success();
}

LogicalResult Parser::parseTensor(TensorDecl &tensor) {
  if (failed(parseName(tensor.name, "a tensor as `name: type[dims]`")) ||
      failed(expect(Token::Colon, " and a type after the name of a tensor")) ||
      failed(parseName(tensor.type, "an element type")))
    return failure();
  llvm::SMLoc opening = token.getLoc();
  if (!consumeIf(Token::LSquare) || consumeIf(Token::RSquare))
    return success();
  do {
    if (failed(parseDimProduct(tensor.dims.emplace_back())))
      return failure();
  } while (consumeIf(Token::Comma));
  return expectClosing(Token::RSquare, opening);
}

LogicalResult Parser::parseTensors(std::vector<TensorDecl> &tensors) {
  llvm::SMLoc opening = token.getLoc();
  if (failed(expect(Token::LParen, "")))
    return failure();
  if (consumeIf(Token::RParen))
    return success();
  do {
    if (failed(parseTensor(tensors.emplace_back())))
      return failure();
  } while (consumeIf(Token::Comma));
  return expectClosing(Token::RParen, opening);
}

LogicalResult Parser::parseClauses(std::vector<DimClause> &clauses) {
  do {
    DimClause &clause = clauses.emplace_back();
    if (failed(parseName(clause.name, "a dim as `D = 128` or `N ~ 4096`")))
      return failure();
    clause.isHint = token.is(Token::Tilde);
    if (!consumeIf(Token::Tilde) && !consumeIf(Token::Assign))
      return unexpected("`=` and the extent of the dim, or `~` and a typical one");
    if (failed(parseSize(clause.value)))
      return failure();
  } while (consumeIf(Token::Comma));
  return success();
}

LogicalResult Parser::parseKernel() {
  advance();
  KernelDecl kernel;
  if (failed(parseName(kernel.name, "the name of the kernel")) ||
      failed(parseTensors(kernel.arguments)))
    return failure();
  skipNewlines();
  if (failed(expect(Token::KwReturnsArrow, " and the results of the kernel")) ||
      failed(parseTensors(kernel.results)))
    return failure();
  skipNewlines();
  if (consumeIf(Token::KwWhere) && failed(parseClauses(kernel.clauses)))
    return failure();
  skipNewlines();
  if (!token.is(Token::LBrace))
    return unexpected(kernel.clauses.empty() ? "`where` or `{`" : "`,` or `{`");
  LogicalResult parsed = parseBlock(kernel.statements);
  file.kernels.push_back(std::move(kernel));
  return parsed;
}

LogicalResult Parser::parseDefinition() {
  advance();
  Definition definition;
  if (failed(parseName(definition.name, "the name of the definition")))
    return failure();
  llvm::SMLoc opening = token.getLoc();
  if (consumeIf(Token::LSquare) &&
      failed(parseNames(Token::RSquare, opening, definition.axes, "an axis")))
    return failure();
  opening = token.getLoc();
  if (failed(expect(Token::LParen, " and the parameters of the definition")) ||
      failed(parseNames(Token::RParen, opening, definition.params, "a parameter")))
    return failure();
  if (consumeIf(Token::Assign)) {
    definition.value = parseExpr();
    if (!definition.value)
      return failure();
    if (!token.is(Token::Newline) && !token.is(Token::End))
      return unexpected("the end of the line");
    file.definitions.push_back(std::move(definition));
    return success();
  }
  if (!token.is(Token::KwReturnsArrow))
    return unexpected("`=` and a formula, or `->` and the results of a block");
  advance();
  opening = token.getLoc();
  if (failed(expect(Token::LParen, " and the results of the definition")) ||
      failed(parseNames(Token::RParen, opening, definition.results, "a result")))
    return failure();
  skipNewlines();
  if (!token.is(Token::LBrace))
    return unexpected("`{`");
  LogicalResult parsed = parseBlock(definition.statements);
  file.definitions.push_back(std::move(definition));
  return parsed;
}

LogicalResult Parser::parseAxisUse(AxisUse &axis) {
  if (failed(parseName(axis.name, "an axis")))
    return failure();
  if (!consumeIf(Token::Colon))
    return success();
  return parseDimProduct(axis.over.emplace());
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

LogicalResult Parser::parseBlock(std::vector<Statement> &statements) {
  llvm::SMLoc opening = token.getLoc();
  unsigned errorsBefore = diagnostics.getNumErrors();
  advance();
  for (skipNewlines(); !token.is(Token::RBrace); skipNewlines()) {
    // After an error the end of the file may come of the same mistake.
    if (token.is(Token::End) && diagnostics.getNumErrors() != errorsBefore)
      return failure();
    if (token.is(Token::End) || token.is(Token::KwKernel) || token.is(Token::KwDef)) {
      InFlightDiagnostic diagnostic = diagnostics.error(token.getLoc());
      diagnostic << "expected `}`, got " << describe(token.kind);
      diagnostics.note(diagnostic, opening, "to match this bracket");
      return diagnostic;
    }
    Statement statement;
    if (succeeded(parseStatement(statement)))
      statements.push_back(std::move(statement));
    else
      recoverAtNextStatement();
  }
  advance();
  return success();
}

LogicalResult Parser::parseTarget(Target &target) {
  if (failed(parseName(target.name, "a statement as `name[axes] = formula`")))
    return failure();
  llvm::SMLoc opening = token.getLoc();
  if (!consumeIf(Token::LSquare))
    return success();
  target.axes.emplace();
  if (consumeIf(Token::RSquare))
    return success();
  do {
    if (failed(parseAxisUse(target.axes->emplace_back())))
      return failure();
  } while (consumeIf(Token::Comma));
  return expectClosing(Token::RSquare, opening);
}

LogicalResult Parser::parseStatement(Statement &statement) {
  do {
    if (failed(parseTarget(statement.targets.emplace_back())))
      return failure();
  } while (consumeIf(Token::Comma));
  if (failed(expect(Token::Assign, " and a formula")))
    return failure();
  statement.value = parseExpr();
  if (!statement.value)
    return failure();
  if (token.is(Token::Newline) || token.is(Token::RBrace) || token.is(Token::End))
    return success();
  return unexpected("an operator or the end of the line");
}
