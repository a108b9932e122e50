// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of the spec language, loosest first: `a if c else b`, `or`, `and`, `not`, comparisons
// (which chain, as in `0 <= j <= i`), `+ -`, `* / %`, unary `-`, `**`.

#include "Parser.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

/// Deeper expressions are refused, which keeps every recursive walk within the stack.
static constexpr unsigned maxDepth = 256;

Expr *Parser::make(Expr::Kind kind, llvm::SMLoc loc, llvm::ArrayRef<Expr *> args) {
  Expr &expr = file.expressions.emplace_back();
  expr.kind = kind;
  expr.loc = loc;
  expr.args.assign(args.begin(), args.end());
  return checkDepth(&expr);
}

Expr *Parser::checkDepth(Expr *expr) {
  for (Expr *arg : expr->args)
    expr->depth = std::max(expr->depth, arg->depth + 1);
  if (expr->filter)
    expr->depth = std::max(expr->depth, expr->filter->depth + 1);
  if (expr->depth <= maxDepth)
    return expr;
  diagnostics.error(expr->loc) << "this expression is nested more than " << maxDepth
                               << " levels deep";
  return nullptr;
}

Expr *Parser::parseExpr() {
  if (nesting >= maxDepth) {
    diagnostics.error(token.getLoc())
        << "this expression is nested more than " << maxDepth << " levels deep";
    return nullptr;
  }
  ++nesting;
  llvm::scope_exit leave([&] { --nesting; });
  Expr *value = parseBinary(0);
  if (!value || !token.is(Token::KwIf))
    return value;
  llvm::SMLoc loc = token.getLoc();
  advance();
  Expr *condition = parseBinary(0);
  if (!condition)
    return nullptr;
  if (failed(expect(Token::KwElse, " and the value when the condition is false")))
    return nullptr;
  Expr *otherwise = parseExpr();
  if (!otherwise)
    return nullptr;
  return make(Expr::Conditional, loc, {value, condition, otherwise});
}

Expr *Parser::parseBinary(unsigned level) {
  static constexpr unsigned orLevel = 0, andLevel = 1, sumLevel = 2, productLevel = 3;
  auto parseOperand = [&]() -> Expr * {
    if (level == orLevel)
      return parseBinary(andLevel);
    if (level == andLevel)
      return parseNot();
    return level == sumLevel ? parseBinary(productLevel) : parseUnary();
  };
  auto isOperator = [&] {
    switch (token.kind) {
    case Token::KwOr:
      return level == orLevel;
    case Token::KwAnd:
      return level == andLevel;
    case Token::Plus:
    case Token::Minus:
      return level == sumLevel;
    case Token::Star:
    case Token::Slash:
    case Token::Percent:
      return level == productLevel;
    default:
      return false;
    }
  };
  Expr *left = parseOperand();
  while (left && isOperator()) {
    Token op = token;
    advance();
    Expr *right = parseOperand();
    left = right ? make(Expr::Binary, op.getLoc(), {left, right}) : nullptr;
    if (left)
      left->op = op.kind;
  }
  return left;
}

Expr *Parser::parseNot() {
  if (!token.is(Token::KwNot))
    return parseComparison();
  if (nesting >= maxDepth)
    return parseExpr();
  ++nesting;
  llvm::scope_exit leave([&] { --nesting; });
  llvm::SMLoc loc = token.getLoc();
  advance();
  Expr *operand = parseNot();
  Expr *expr = operand ? make(Expr::Unary, loc, {operand}) : nullptr;
  if (expr)
    expr->op = Token::KwNot;
  return expr;
}

Expr *Parser::parseComparison() {
  static constexpr unsigned sumLevel = 2;
  Expr *left = parseBinary(sumLevel);
  Expr *chain = nullptr;
  while (left && token.kind >= Token::Less) {
    Token op = token;
    advance();
    Expr *right = parseBinary(sumLevel);
    Expr *link = right ? make(Expr::Binary, op.getLoc(), {left, right}) : nullptr;
    if (!link)
      return nullptr;
    link->op = op.kind;
    if (chain) {
      link = make(Expr::Binary, op.getLoc(), {chain, link});
      if (!link)
        return nullptr;
      link->op = Token::KwAnd;
    }
    chain = link;
    left = right;
  }
  return left && chain ? chain : left;
}

Expr *Parser::parseUnary() {
  if (!token.is(Token::Minus))
    return parsePower();
  if (nesting >= maxDepth)
    return parseExpr();
  ++nesting;
  llvm::scope_exit leave([&] { --nesting; });
  llvm::SMLoc loc = token.getLoc();
  advance();
  Expr *operand = parseUnary();
  Expr *expr = operand ? make(Expr::Unary, loc, {operand}) : nullptr;
  if (expr)
    expr->op = Token::Minus;
  return expr;
}

Expr *Parser::parsePower() {
  Expr *base = parsePrimary();
  if (!base || !token.is(Token::StarStar))
    return base;
  if (nesting >= maxDepth)
    return parseExpr();
  ++nesting;
  llvm::scope_exit leave([&] { --nesting; });
  llvm::SMLoc loc = token.getLoc();
  advance();
  Expr *exponent = parseUnary();
  Expr *expr = exponent ? make(Expr::Binary, loc, {base, exponent}) : nullptr;
  if (expr)
    expr->op = Token::StarStar;
  return expr;
}

Expr *Parser::parsePrimary() {
  switch (token.kind) {
  case Token::Integer:
  case Token::Decimal:
  case Token::KwTrue:
  case Token::KwFalse:
    return parseNumber();
  case Token::Identifier:
    return parseNamed();
  case Token::LParen: {
    llvm::SMLoc opening = token.getLoc();
    advance();
    Expr *expr = parseExpr();
    if (!expr || failed(expectClosing(Token::RParen, opening)))
      return nullptr;
    return expr;
  }
  default:
    (void)unexpected("a formula");
    return nullptr;
  }
}

Expr *Parser::parseNumber() {
  Expr::Kind kind = token.is(Token::Integer)   ? Expr::Integer
                    : token.is(Token::Decimal) ? Expr::Decimal
                                               : Expr::Boolean;
  int64_t value;
  if (kind == Expr::Integer && token.text.getAsInteger(10, value)) {
    InFlightDiagnostic diagnostic = diagnostics.error(token.getLoc());
    diagnostic << "this whole number needs more than 64 bits";
    diagnostics.help(diagnostic, token.getLoc(), "write it as a decimal number, as in `1e20`");
    return nullptr;
  }
  Expr *expr = make(kind, token.getLoc());
  expr->text = token.text;
  advance();
  return expr;
}

Expr *Parser::parseNamed() {
  Token name = token;
  advance();
  Expr *expr = make(Expr::NameRef, name.getLoc());
  expr->text = name.text;
  if (token.is(Token::LSquare))
    return parseBracketed(expr);
  if (token.is(Token::LParen)) {
    expr->kind = Expr::Call;
    return parseArguments(expr);
  }
  return expr;
}

/// `name[a, b]` is a subscript, `name[a: A if c](x)` the use of a reduction or a definition; which
/// of the two is known behind the bracket only.
Expr *Parser::parseBracketed(Expr *named) {
  llvm::SMLoc opening = token.getLoc();
  advance();
  named->kind = Expr::Subscript;
  llvm::SmallVector<AxisUse, 2> axes;
  bool onlyAxes = true;
  if (!token.is(Token::RSquare)) {
    do {
      Expr *subscript = parseBinary(0);
      if (!subscript)
        return nullptr;
      named->args.push_back(subscript);
      onlyAxes &= subscript->kind == Expr::NameRef;
      AxisUse &axis = axes.emplace_back();
      axis.name = {subscript->text, subscript->loc};
      if (onlyAxes && consumeIf(Token::Colon) && failed(parseDimProduct(axis.over.emplace())))
        return nullptr;
    } while (consumeIf(Token::Comma));
  }
  if (consumeIf(Token::KwIf)) {
    named->filter = parseBinary(0);
    if (!named->filter)
      return nullptr;
  }
  if (failed(expectClosing(Token::RSquare, opening)))
    return nullptr;
  if (token.is(Token::LParen)) {
    if (!onlyAxes) {
      diagnostics.error(opening) << "expected axes in the brackets of `" << named->text
                                 << "`, as it is applied to arguments";
      return nullptr;
    }
    named->kind = Expr::Call;
    named->args.clear();
    named->axes = std::move(axes);
    return parseArguments(named);
  }
  bool namesDims = llvm::any_of(axes, [](const AxisUse &axis) { return axis.over.has_value(); });
  if (named->filter || namesDims) {
    (void)unexpected("`(` and what is combined over these axes");
    return nullptr;
  }
  return checkDepth(named);
}

Expr *Parser::parseArguments(Expr *call) {
  llvm::SMLoc opening = token.getLoc();
  advance();
  if (!token.is(Token::RParen)) {
    do {
      Expr *argument = parseExpr();
      if (!argument)
        return nullptr;
      call->args.push_back(argument);
    } while (consumeIf(Token::Comma));
  }
  if (failed(expectClosing(Token::RParen, opening)))
    return nullptr;
  return checkDepth(call);
}
