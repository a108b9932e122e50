// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the manifest: what it says arrives, and each wrong form is one clear message.

#include "TestManifest.h"

#include <gtest/gtest.h>

using namespace nautilus::runtime;

static Status parse(const std::string &text) {
  Manifest manifest;
  return parseManifest(text, manifest);
}

/// The message for a program over one argument `A: f16[N]` and a kernel `k(tensor_map, i32)`.
static std::string refuse(const std::string &program) {
  Status status = parse(makeManifest(
      R"({"name":"N","size":-1})", R"({"name":"A","dtype":"f16","dims":[["N"]]})",
      R"({"name":"k","module":"m","threads":32,"smem":0,"params":[{"kind":"tensor_map"},{"kind":"i32"}]})",
      program));
  EXPECT_EQ(status.getCode(), Code::InvalidArgument) << program;
  return status.getMessage();
}

TEST(ManifestTest, ReadsDeclarations) {
  Manifest manifest;
  Status status = parseManifest(makeMatmulManifest(), manifest);
  ASSERT_TRUE(status.ok()) << status.getMessage();
  EXPECT_EQ(manifest.entry, "test");
  ASSERT_EQ(manifest.dims.size(), 3u);
  EXPECT_EQ(manifest.dims[0].hint, 4096);
  EXPECT_EQ(manifest.dims[2].size, 64);
  ASSERT_EQ(manifest.args.size(), 3u);
  EXPECT_EQ(manifest.numInputs, 2);
  EXPECT_TRUE(manifest.args[2].isOutput);
  ASSERT_EQ(manifest.kernels.size(), 2u);
  EXPECT_EQ(manifest.kernels[0].cluster[0], 2);
  EXPECT_EQ(manifest.kernels[0].params[4], ParamKind::F32);
}

TEST(ManifestTest, NotJson) {
  for (const char *text : {"", "{", "[]", "null", "3", "{\"version\":1", "\xff\xfe"})
    EXPECT_EQ(parse(text).getMessage(), "manifest: expected one JSON object") << text;
  EXPECT_FALSE(parse(std::string(200000, '[')).ok()) << "deep nesting does not overflow the stack";
}

TEST(ManifestTest, FutureSchema) {
  std::string text = makeMatmulManifest();
  text.replace(text.find("\"version\":1"), 11, "\"version\":2");
  EXPECT_EQ(parse(text).getCode(), Code::Unsupported);
}

TEST(ManifestTest, WrongDeclarations) {
  auto messageOf = [](const std::string &dims, const std::string &args,
                      const std::string &kernels) {
    return parse(makeManifest(dims, args, kernels, "")).getMessage();
  };
  EXPECT_EQ(messageOf(R"({"name":"N","size":-2})", "", ""),
            "manifest: dims[0].size: expected an integer from -1 to 9223372036854775807");
  EXPECT_EQ(messageOf(R"({"name":"N","size":1,"colour":2})", "", ""),
            "manifest: dims[0]: unknown key 'colour'");
  EXPECT_EQ(messageOf(R"({"name":"N","size":1},{"name":"N","size":1})", "", ""),
            "manifest: dims[1]: the name 'N' is used twice");
  EXPECT_EQ(messageOf("", R"({"name":"A","dtype":"f16","dims":[["Q"]]})", ""),
            "manifest: args[0].dims[0]: expected the name of a declared dim, got \"Q\"");
  EXPECT_EQ(messageOf("", R"({"name":"A","dtype":"f17","dims":[]})", ""),
            "manifest: args[0]: unknown dtype 'f17'");
  EXPECT_EQ(
      messageOf(
          "",
          R"({"name":"A","dtype":"f16","dims":[],"out":true},{"name":"B","dtype":"f16","dims":[]})",
          ""),
      "manifest: args[1]: expected the inputs before the outputs");
  EXPECT_EQ(messageOf("", "", R"({"name":"k","module":"m","threads":2000,"smem":0,"params":[]})"),
            "manifest: kernels[0].threads: expected an integer from 1 to 1024");
  EXPECT_EQ(
      messageOf("", "",
                R"({"name":"k","module":"m","threads":32,"smem":0,"params":[{"kind":"f99"}]})"),
      "manifest: kernels[0].params[0]: unknown parameter kind 'f99'");
  EXPECT_EQ(messageOf(R"({"name":"G","size":-1},{"name":"R","size":-1})",
                      R"({"name":"A","dtype":"f16","dims":[["G","R"]]})", ""),
            "manifest: the dim 'G' cannot be determined from the arguments");
}

TEST(ManifestTest, ValuesAreNumberedAndScoped) {
  EXPECT_EQ(refuse(R"({"op":"const","id":1,"value":3})"),
            "manifest: program[0]: expected the id 0");
  EXPECT_EQ(refuse(R"({"op":"not","id":0,"a":0})"),
            "manifest: program[0].a: the value 0 is not defined here");
  EXPECT_EQ(
      refuse(R"({"op":"if","cond":{"const":1},"then":[{"op":"const","id":0,"value":3}],"else":[
                       {"op":"not","id":1,"a":0}]})"),
      "manifest: program[0].else[0].a: the value 0 is not defined here");
  EXPECT_EQ(
      refuse(
          R"({"op":"if","cond":{"const":1},"then":[{"op":"const","id":0,"value":3}]},{"op":"not","id":1,"a":0})"),
      "manifest: program[1].a: the value 0 is not defined here");
  EXPECT_EQ(
      refuse(R"({"op":"if","cond":{"const":1},"then":[{"op":"const","id":0,"value":3}],"else":[],
                       "results":[{"id":1,"then":0,"else":0}]})"),
      "manifest: program[0].results.else: the value 0 is not defined here");
}

TEST(ManifestTest, WrongInstructions) {
  EXPECT_EQ(refuse(R"({"op":"fly"})"), "manifest: program[0]: unknown instruction 'fly'");
  EXPECT_EQ(refuse(R"({"op":"add","id":0,"a":{"const":1}})"),
            "manifest: program[0]: expected a key 'b'");
  EXPECT_EQ(refuse(R"({"op":"dim","id":0,"name":"Z"})"),
            "manifest: program[0]: no dim is named 'Z'");
  EXPECT_EQ(refuse(R"({"op":"stride","id":0,"arg":"A","dim":1})"),
            "manifest: program[0].dim: expected an integer from 0 to 0");
  EXPECT_EQ(refuse(R"({"op":"const","id":0,"value":99999999999999999999})"),
            "manifest: program[0].value: expected an integer from -9223372036854775808 to "
            "9223372036854775807");
  EXPECT_EQ(refuse(R"({"op":"launch","kernel":1,"grid":[{"const":1}],"args":[]})"),
            "manifest: program[0].kernel: expected an integer from 0 to 0");
  EXPECT_EQ(refuse(R"({"op":"launch","kernel":0,"grid":[{"const":1}],"args":[]})"),
            "manifest: program[0]: expected 2 arguments for the kernel 'k', got 0");
  EXPECT_EQ(
      refuse(
          R"({"op":"const","id":0,"value":1},{"op":"launch","kernel":0,"grid":[0],"args":[0,0]})"),
      "manifest: program[1].args[0]: expected a tensor map, got an integer");
  EXPECT_EQ(
      refuse(
          R"({"op":"tensor_map","id":0,"address":{"const":0},"dtype":"f16","dims":[{"const":1}],"strides":[],
                       "box":[128],"swizzle":128})"),
      "manifest: program[0]: expected an inner box of a multiple of 16 bytes and at most the "
      "swizzle's");
  std::string nested = R"({"op":"const","id":0,"value":3})";
  for (int i = 0; i < 40; ++i)
    nested = R"({"op":"if","cond":{"const":1},"then":[)" + nested + "]}";
  EXPECT_NE(refuse(nested).find("more than 32 nested branches"), std::string::npos);
}
