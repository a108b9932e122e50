// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns spec text into tokens; see Lexer.h for the rule of line breaks.

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace mlir::nautilus::frontend;

/// Whether a statement goes on after a token of this kind, so that a line break there is a blank.
static bool continuesLine(Token::Kind kind) {
  switch (kind) {
  case Token::Newline:
  case Token::KwWhere:
  case Token::KwReturnsArrow:
  case Token::KwIf:
  case Token::KwElse:
  case Token::KwAnd:
  case Token::KwOr:
  case Token::KwNot:
  case Token::LBrace:
  case Token::Comma:
  case Token::Colon:
  case Token::Tilde:
  case Token::Assign:
  case Token::Plus:
  case Token::Minus:
  case Token::Star:
  case Token::StarStar:
  case Token::Slash:
  case Token::Percent:
  case Token::Less:
  case Token::LessEqual:
  case Token::Greater:
  case Token::GreaterEqual:
  case Token::EqualEqual:
  case Token::NotEqual:
    return true;
  default:
    return false;
  }
}

bool Lexer::skipBlanks() {
  bool sawLineBreak = false;
  while (next != buffer.end()) {
    if (*next == '\n') {
      sawLineBreak = true;
      ++next;
    } else if (*next == ' ' || *next == '\t' || *next == '\r') {
      ++next;
    } else if (*next == '/' && next + 1 != buffer.end() && next[1] == '/') {
      next = std::find(next, buffer.end(), '\n');
    } else {
      break;
    }
  }
  return sawLineBreak;
}

Token Lexer::make(Token::Kind kind, const char *begin) {
  Token token;
  token.kind = kind;
  token.text = llvm::StringRef(begin, next - begin);
  return token;
}

Token Lexer::lexWord() {
  const char *begin = next;
  while (next != buffer.end() && (llvm::isAlnum(*next) || *next == '_'))
    ++next;
  Token token = make(Token::Identifier, begin);
  token.kind = llvm::StringSwitch<Token::Kind>(token.text)
                   .Case("kernel", Token::KwKernel)
                   .Case("def", Token::KwDef)
                   .Case("where", Token::KwWhere)
                   .Case("if", Token::KwIf)
                   .Case("else", Token::KwElse)
                   .Case("and", Token::KwAnd)
                   .Case("or", Token::KwOr)
                   .Case("not", Token::KwNot)
                   .Case("true", Token::KwTrue)
                   .Case("false", Token::KwFalse)
                   .Default(Token::Identifier);
  return token;
}

Token Lexer::lexNumber() {
  const char *begin = next;
  Token::Kind kind = Token::Integer;
  auto skipDigits = [&] {
    while (next != buffer.end() && llvm::isDigit(*next))
      ++next;
  };
  auto digitAt = [&](const char *at) { return at < buffer.end() && llvm::isDigit(*at); };
  skipDigits();
  if (next != buffer.end() && *next == '.' && digitAt(next + 1)) {
    kind = Token::Decimal;
    ++next;
    skipDigits();
  }
  if (next != buffer.end() && (*next == 'e' || *next == 'E')) {
    const char *exponent = next + 1;
    if (exponent != buffer.end() && (*exponent == '+' || *exponent == '-'))
      ++exponent;
    if (digitAt(exponent)) {
      kind = Token::Decimal;
      next = exponent;
      skipDigits();
    }
  }
  if (next == buffer.end() || !(llvm::isAlnum(*next) || *next == '_' || *next == '.'))
    return make(kind, begin);
  while (next != buffer.end() && (llvm::isAlnum(*next) || *next == '_' || *next == '.'))
    ++next;
  Token token = make(Token::Error, begin);
  token.message = "malformed number";
  return token;
}

Token Lexer::lexMark() {
  const char *begin = next;
  char c = *next++;
  char d = next == buffer.end() ? '\0' : *next;
  auto pair = [&](Token::Kind kind) {
    ++next;
    return make(kind, begin);
  };
  switch (c) {
  case '(':
    return make(Token::LParen, begin);
  case ')':
    return make(Token::RParen, begin);
  case '[':
    return make(Token::LSquare, begin);
  case ']':
    return make(Token::RSquare, begin);
  case '{':
    return make(Token::LBrace, begin);
  case '}':
    return make(Token::RBrace, begin);
  case ',':
    return make(Token::Comma, begin);
  case ':':
    return make(Token::Colon, begin);
  case '~':
    return make(Token::Tilde, begin);
  case '+':
    return make(Token::Plus, begin);
  case '/':
    return make(Token::Slash, begin);
  case '%':
    return make(Token::Percent, begin);
  case '-':
    return d == '>' ? pair(Token::KwReturnsArrow) : make(Token::Minus, begin);
  case '*':
    return d == '*' ? pair(Token::StarStar) : make(Token::Star, begin);
  case '<':
    return d == '=' ? pair(Token::LessEqual) : make(Token::Less, begin);
  case '>':
    return d == '=' ? pair(Token::GreaterEqual) : make(Token::Greater, begin);
  case '=':
    return d == '=' ? pair(Token::EqualEqual) : make(Token::Assign, begin);
  case '!':
    if (d == '=')
      return pair(Token::NotEqual);
    break;
  default:
    break;
  }
  // One message for a whole run of bytes that belong to no token (UTF-8, for example).
  while (next != buffer.end() && static_cast<unsigned char>(*next) >= 0x80)
    ++next;
  Token token = make(Token::Error, begin);
  token.message = c == '#' ? "`#` is not a mark of the language; a comment starts with `//`"
                           : "this character is not part of the language";
  return token;
}

Token Lexer::lex() {
  const char *before = next;
  bool lineBreak = skipBlanks();
  Token token;
  if (lineBreak && depth == 0 && !continuesLine(previous)) {
    // The token stands at the line break itself, so that a caret points behind the statement.
    token.kind = Token::Newline;
    token.text = llvm::StringRef(before, 0);
    previous = Token::Newline;
    return token;
  }
  if (next == buffer.end())
    token = make(Token::End, next);
  else if (llvm::isAlpha(*next) || *next == '_')
    token = lexWord();
  else if (llvm::isDigit(*next))
    token = lexNumber();
  else
    token = lexMark();
  token.startsLine = lineBreak;
  if (token.is(Token::LParen) || token.is(Token::LSquare))
    ++depth;
  else if ((token.is(Token::RParen) || token.is(Token::RSquare)) && depth > 0)
    --depth;
  previous = token.kind;
  return token;
}

void Lexer::restartAt(const Token &token) {
  next = token.text.begin();
  depth = 0;
  previous = Token::Newline;
}

void Lexer::restartAfterLineOf(const Token &token) {
  next = std::find(token.text.begin(), buffer.end(), '\n');
  depth = 0;
  previous = Token::Newline;
}

llvm::StringRef mlir::nautilus::frontend::describe(Token::Kind kind) {
  static const llvm::StringRef words[] = {"this text",
                                          "the end of the file",
                                          "the end of the line",
                                          "a name",
                                          "a whole number",
                                          "a number",
                                          "`kernel`",
                                          "`def`",
                                          "`where`",
                                          "`->`",
                                          "`if`",
                                          "`else`",
                                          "`and`",
                                          "`or`",
                                          "`not`",
                                          "`true`",
                                          "`false`",
                                          "`(`",
                                          "`)`",
                                          "`[`",
                                          "`]`",
                                          "`{`",
                                          "`}`",
                                          "`,`",
                                          "`:`",
                                          "`~`",
                                          "`=`",
                                          "`+`",
                                          "`-`",
                                          "`*`",
                                          "`**`",
                                          "`/`",
                                          "`%`",
                                          "`<`",
                                          "`<=`",
                                          "`>`",
                                          "`>=`",
                                          "`==`",
                                          "`!=`"};
  return words[kind];
}
