// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens, and where a line break ends a statement.

#include "Lexer.h"

#include "gtest/gtest.h"
#include <vector>

using namespace mlir::nautilus::frontend;

static std::vector<Token::Kind> lexAll(llvm::StringRef text) {
  Lexer lexer(text);
  std::vector<Token::Kind> kinds;
  for (Token token = lexer.lex(); !token.is(Token::End); token = lexer.lex())
    kinds.push_back(token.kind);
  return kinds;
}

using Kinds = std::vector<Token::Kind>;

TEST(Lexer, MarksOfTwoCharactersAreOneToken) {
  EXPECT_EQ(lexAll("** * <= < >= == = != -> -"),
            (Kinds{Token::StarStar, Token::Star, Token::LessEqual, Token::Less, Token::GreaterEqual,
                   Token::EqualEqual, Token::Assign, Token::NotEqual, Token::KwReturnsArrow,
                   Token::Minus}));
}

TEST(Lexer, WordsThatOnlyBeginLikeKeywordsAreNames) {
  EXPECT_EQ(lexAll("if iff kernel kernel_ _def def"),
            (Kinds{Token::KwIf, Token::Identifier, Token::KwKernel, Token::Identifier,
                   Token::Identifier, Token::KwDef}));
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(lexAll("12 1.5 1e5 1.5e-3 2E+4"), (Kinds{Token::Integer, Token::Decimal, Token::Decimal,
                                                     Token::Decimal, Token::Decimal}));
  for (llvm::StringRef bad : {"1.", "1.5.2", "3x", "1e", "1_000"})
    EXPECT_EQ(lexAll(bad), Kinds{Token::Error}) << bad.str();
}

TEST(Lexer, LineBreakEndsAStatement) {
  EXPECT_EQ(lexAll("a\n\n b"), (Kinds{Token::Identifier, Token::Newline, Token::Identifier}));
  EXPECT_EQ(lexAll("a // words\nb"), (Kinds{Token::Identifier, Token::Newline, Token::Identifier}));
}

TEST(Lexer, LineBreakInBracketsOrAfterAnOperatorIsABlank) {
  EXPECT_EQ(lexAll("(a\nb)"),
            (Kinds{Token::LParen, Token::Identifier, Token::Identifier, Token::RParen}));
  EXPECT_EQ(lexAll("[a\n]"), (Kinds{Token::LSquare, Token::Identifier, Token::RSquare}));
  EXPECT_EQ(lexAll("a +\nb"), (Kinds{Token::Identifier, Token::Plus, Token::Identifier}));
  EXPECT_EQ(lexAll("{\na\n}"),
            (Kinds{Token::LBrace, Token::Identifier, Token::Newline, Token::RBrace}));
}

TEST(Lexer, RestartForgetsOpenBrackets) {
  Lexer lexer("((a\nb\nc");
  for (int i = 0; i < 3; ++i)
    lexer.lex();
  Token b = lexer.lex();
  EXPECT_EQ(b.text, "b");
  EXPECT_TRUE(b.startsLine);
  lexer.restartAt(b);
  EXPECT_EQ(lexer.lex().text, "b");
  EXPECT_TRUE(lexer.lex().is(Token::Newline));
  EXPECT_EQ(lexer.lex().text, "c");
}

TEST(Lexer, BytesOutsideTheLanguageAreOneError) {
  Lexer lexer("a \xc3\xa9\xe2\x82\xac b");
  EXPECT_EQ(lexer.lex().text, "a");
  Token bad = lexer.lex();
  EXPECT_TRUE(bad.is(Token::Error));
  EXPECT_EQ(bad.text.size(), 5u);
  EXPECT_EQ(lexer.lex().text, "b");
}

TEST(Lexer, TokensPointIntoTheText) {
  llvm::StringRef text = "  name";
  Lexer lexer(text);
  EXPECT_EQ(lexer.lex().getLoc().getPointer(), text.data() + 2);
}
