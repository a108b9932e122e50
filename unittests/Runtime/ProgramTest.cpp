// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instruction of the host program, through the reader and the evaluator. The workspace starts
// at 0x200000.

#include "TestManifest.h"

#include <gtest/gtest.h>

using namespace nautilus::runtime;

/// The value numbered `last` after the instructions, read through the message of a failing check.
static int64_t compute(const std::string &instructions, int last) {
  Evaluation evaluation;
  std::string check = R"(,{"op":"check","cond":{"const":0},"message":"{0}","values":[)" +
                      std::to_string(last) + "]}";
  Status status = evaluateProgram(instructions + check, evaluation);
  EXPECT_FALSE(status.ok());
  return std::strtoll(status.getMessage().c_str(), nullptr, 10);
}

static int64_t binary(const std::string &op, int64_t a, int64_t b) {
  return compute(R"({"op":"const","id":0,"value":)" + std::to_string(a) + R"(},{"op":")" + op +
                     R"(","id":1,"a":0,"b":{"const":)" + std::to_string(b) + "}}",
                 1);
}

static std::string failure(const std::string &program) {
  Evaluation evaluation;
  return evaluateProgram(program, evaluation).getMessage();
}

TEST(ProgramTest, Arithmetic) {
  EXPECT_EQ(binary("add", 3, -5), -2);
  EXPECT_EQ(binary("sub", 3, -5), 8);
  EXPECT_EQ(binary("mul", 3, -5), -15);
  EXPECT_EQ(binary("min", 3, -5), -5);
  EXPECT_EQ(binary("max", 3, -5), 3);
}

TEST(ProgramTest, DivisionRoundsDown) {
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b : {-4, -3, -1, 1, 3, 4}) {
      int64_t floor = binary("floordiv", a, b), mod = binary("mod", a, b);
      EXPECT_EQ(floor * b + mod, a);
      EXPECT_TRUE(mod == 0 || (mod < 0) == (b < 0)) << a << " " << b;
      EXPECT_LT(std::abs(mod), std::abs(b));
      EXPECT_EQ(binary("ceildiv", a, b), -binary("floordiv", -a, b));
    }
  EXPECT_EQ(binary("mod", INT64_MIN, 3), 1);
}

TEST(ProgramTest, Comparisons) {
  for (int64_t a : {-1, 0, 1})
    for (int64_t b : {-1, 0, 1}) {
      EXPECT_EQ(binary("eq", a, b), a == b);
      EXPECT_EQ(binary("ne", a, b), a != b);
      EXPECT_EQ(binary("lt", a, b), a < b);
      EXPECT_EQ(binary("le", a, b), a <= b);
      EXPECT_EQ(binary("gt", a, b), a > b);
      EXPECT_EQ(binary("ge", a, b), a >= b);
      EXPECT_EQ(binary("and", a, b), a && b);
      EXPECT_EQ(binary("or", a, b), a || b);
    }
  EXPECT_EQ(compute(R"({"op":"not","id":0,"a":{"const":0}})", 0), 1);
  EXPECT_EQ(
      compute(R"({"op":"select","id":0,"cond":{"const":1},"a":{"const":7},"b":{"const":8}})", 0),
      7);
  EXPECT_EQ(
      compute(R"({"op":"select","id":0,"cond":{"const":0},"a":{"const":7},"b":{"const":8}})", 0),
      8);
}

TEST(ProgramTest, Faults) {
  EXPECT_EQ(failure(R"({"op":"floordiv","id":0,"a":{"const":1},"b":{"const":0}})"),
            "'test': division by zero in the host program (instruction 0)");
  for (const char *op : {"add", "mul"})
    EXPECT_EQ(failure(std::string(R"({"op":")") + op +
                      R"(","id":0,"a":{"const":9223372036854775807},"b":{"const":2}})"),
              "'test': sizes overflow 64 bits in the host program (instruction 0)");
  EXPECT_NE(
      failure(R"({"op":"ceildiv","id":0,"a":{"const":-9223372036854775808},"b":{"const":-1}})"),
      "");
}

TEST(ProgramTest, Arguments) {
  EXPECT_EQ(compute(R"({"op":"dim","id":0,"name":"N"})", 0), 5);
  EXPECT_EQ(compute(R"({"op":"dim","id":0,"name":"W"})", 0), 8);
  EXPECT_EQ(compute(R"({"op":"stride","id":0,"arg":"A","dim":0})", 0), 12);
  EXPECT_EQ(compute(R"({"op":"address","id":0,"arg":"A"})", 0), 0x10000);
  EXPECT_EQ(compute(R"({"op":"multiprocessors","id":0})", 0), 1) << "no device was asked";
}

TEST(ProgramTest, ChecksFillTheirMessage) {
  const std::string dim =
      R"({"op":"dim","id":0,"name":"N"},{"op":"eq","id":1,"a":0,"b":{"const":5}},{"op":"not","id":2,"a":1},)";
  EXPECT_EQ(failure(dim + R"({"op":"check","cond":1,"message":"no"})"), "");
  EXPECT_EQ(
      failure(
          dim +
          R"({"op":"check","cond":2,"message":"N = {0}, {1} and {0} {2}","values":[0,{"const":-1}]})"),
      "N = 5, -1 and 5 {2}");
  Evaluation evaluation;
  EXPECT_EQ(evaluateProgram(dim + R"({"op":"check","cond":2,"message":"m","status":"unsupported"})",
                            evaluation)
                .getCode(),
            Code::Unsupported);
}

TEST(ProgramTest, Workspace) {
  const std::string two =
      R"({"op":"workspace","id":0,"bytes":{"const":1}},{"op":"workspace","id":1,"bytes":{"const":300}})";
  EXPECT_EQ(compute(two, 0), 0x200000);
  EXPECT_EQ(compute(two, 1), 0x200000 + 256);
  Evaluation evaluation;
  ASSERT_TRUE(evaluateProgram(two, evaluation).ok());
  EXPECT_EQ(evaluation.workspaceBytes, 256u + 512u);
  EXPECT_NE(failure(R"({"op":"workspace","id":0,"bytes":{"const":-1}})"), "");
  EXPECT_NE(failure(R"({"op":"workspace","id":0,"bytes":{"const":9223372036854775807}})"), "");
}

TEST(ProgramTest, Branches) {
  auto run = [](int cond, int inner) {
    return compute(R"({"op":"if","cond":{"const":)" + std::to_string(cond) + R"(},"then":[
        {"op":"const","id":0,"value":10},{"op":"if","cond":{"const":)" +
                       std::to_string(inner) + R"(},
         "then":[{"op":"add","id":1,"a":0,"b":{"const":1}}],"else":[],"results":[{"id":2,"then":1,"else":0}]}],
      "else":[{"op":"if","cond":{"const":)" +
                       std::to_string(inner) +
                       R"(},"then":[],"else":[{"op":"const","id":3,"value":20}],
         "results":[{"id":4,"then":{"const":30},"else":3}]}],
      "results":[{"id":5,"then":2,"else":4},{"id":6,"then":{"const":1},"else":{"const":2}}]},
      {"op":"mul","id":7,"a":5,"b":{"const":10}},{"op":"add","id":8,"a":7,"b":6})",
                   8);
  };
  EXPECT_EQ(run(1, 1), 111);
  EXPECT_EQ(run(1, 0), 101);
  EXPECT_EQ(run(0, 1), 302);
  EXPECT_EQ(run(0, 0), 202);
}

TEST(ProgramTest, Launches) {
  Evaluation evaluation;
  auto launch = [](const std::string &grid, const std::string &arg) {
    return R"({"op":"launch","kernel":0,"grid":[)" + grid + R"(],"args":[{"const":)" + arg + "}]}";
  };
  ASSERT_TRUE(evaluateProgram(launch(R"({"const":2})", "1"), evaluation).ok());
  EXPECT_EQ(evaluation.actions.size(), 1u);
  for (const char *grid :
       {R"({"const":0})", R"({"const":3},{"const":0})", R"({"const":3},{"const":1},{"const":0})"}) {
    ASSERT_TRUE(evaluateProgram(launch(grid, "1"), evaluation).ok());
    EXPECT_TRUE(evaluation.actions.empty()) << "a grid of zero blocks does not launch";
  }
  EXPECT_EQ(failure(launch(R"({"const":-1})", "1")),
            "kernel 'k': expected a grid of 0 to 2147483647 blocks in dim 0, got -1");
  EXPECT_NE(failure(launch(R"({"const":2147483648})", "1")), "");
  EXPECT_NE(failure(launch(R"({"const":1},{"const":65536})", "1")), "");
  EXPECT_EQ(failure(launch(R"({"const":1})", "2147483648")),
            "kernel 'k': parameter 0 is 2147483648, which does not fit 32 bits");
  EXPECT_EQ(failure(launch(R"({"const":1})", "-2147483648")), "");
}

TEST(ProgramTest, TensorMapRules) {
  auto map = [](const std::string &address, const std::string &extent, const std::string &stride) {
    return R"({"op":"tensor_map","id":0,"name":"A","address":{"const":)" + address +
           R"(},"dtype":"f16","dims":[{"const":64},{"const":)" + extent +
           R"(}],"strides":[{"const":)" + stride + R"(}],"box":[64,8],"swizzle":128})";
  };
  EXPECT_EQ(failure(map("4096", "3", "128")), "");
  EXPECT_EQ(failure(map("4104", "3", "128")),
            "tensor map of 'A': expected a 16-byte aligned address");
  EXPECT_EQ(failure(map("4096", "3", "120")),
            "tensor map of 'A': expected strides of a multiple of 16 bytes below 2^40, got 120");
  EXPECT_NE(failure(map("4096", "3", "1099511627776")), "");
  EXPECT_EQ(failure(map("4096", "4294967297", "128")),
            "tensor map of 'A': expected extents from 0 to 2^32, got 4294967297");
  EXPECT_EQ(failure(map("4104", "0", "120")), "") << "an empty map is never encoded";
}
