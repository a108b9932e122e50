// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens of the spec language. The language is line-oriented: a line break ends a statement unless
// it stands inside ( ) or [ ] or after a token that cannot end one; the lexer decides this, so the
// parser sees a Newline token only where it means something.

#ifndef NAUTILUS_FRONTEND_LEXER_H
#define NAUTILUS_FRONTEND_LEXER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

namespace mlir::nautilus::frontend {

struct Token {
  enum Kind {
    Error, ///< `text` is the bad text; `message` says why
    End,
    Newline,
    Identifier,
    Integer,
    Decimal,
    // Words.
    KwKernel,
    KwDef,
    KwWhere,
    KwReturnsArrow, ///< ->
    KwIf,
    KwElse,
    KwAnd,
    KwOr,
    KwNot,
    KwTrue,
    KwFalse,
    // Marks.
    LParen,
    RParen,
    LSquare,
    RSquare,
    LBrace,
    RBrace,
    Comma,
    Colon,
    Tilde,
    Assign,
    Plus,
    Minus,
    Star,
    StarStar,
    Slash,
    Percent,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    EqualEqual,
    NotEqual
  };

  Kind kind = End;
  llvm::StringRef text;
  /// Why an Error token is one.
  const char *message = nullptr;
  /// Whether a line break stands before the token, also one that is not a Newline token.
  bool startsLine = false;

  bool is(Kind k) const { return kind == k; }
  llvm::SMLoc getLoc() const { return llvm::SMLoc::getFromPointer(text.data()); }
  llvm::SMLoc getEndLoc() const { return llvm::SMLoc::getFromPointer(text.end()); }
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef buffer) : buffer(buffer), next(buffer.begin()) {}

  Token lex();

  /// Starts again at the beginning of `token`, outside all brackets.
  void restartAt(const Token &token);
  /// Starts again at the end of the line in which `token` begins, outside all brackets.
  void restartAfterLineOf(const Token &token);

private:
  /// Skips blanks and comments; true if a line break was among them.
  bool skipBlanks();
  Token lexWord();
  Token lexNumber();
  Token lexMark();
  Token make(Token::Kind kind, const char *begin);

  llvm::StringRef buffer;
  const char *next;
  Token::Kind previous = Token::Newline;
  /// Open ( and [.
  unsigned depth = 0;
};

/// How a kind is written in messages, e.g. "`)`" or "a name".
llvm::StringRef describe(Token::Kind kind);

} // namespace mlir::nautilus::frontend

#endif
