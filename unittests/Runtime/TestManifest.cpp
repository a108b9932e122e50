// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Manifests and tensors for the runtime's tests; see the header.

#include "TestManifest.h"

#include <gtest/gtest.h>

using namespace nautilus::runtime;

TestTensor::TestTensor(std::vector<int64_t> shapeIn, uint64_t address,
                       std::vector<int64_t> stridesIn)
    : shape(std::move(shapeIn)), strides(std::move(stridesIn)) {
  tensor = {};
  tensor.data = reinterpret_cast<void *>(uintptr_t(address));
  tensor.device_type = 2;
  tensor.ndim = int32_t(shape.size());
  tensor.dtype_code = 2;
  tensor.dtype_bits = 16;
  tensor.dtype_lanes = 1;
  tensor.shape = shape.data();
  tensor.strides = strides.empty() ? nullptr : strides.data();
}

std::string makeManifest(const std::string &dims, const std::string &args,
                         const std::string &kernels, const std::string &program) {
  return R"({"version":1,"entry":"test","arch":"sm_90a","compiler":"test","ptxas":"none","dims":[)" +
         dims + "],\"args\":[" + args + "],\"kernels\":[" + kernels + "],\"program\":[" + program +
         "]}";
}

std::string makeMatmulManifest() {
  return makeManifest(
      R"({"name":"M","size":-1,"hint":4096},{"name":"N","size":-1},{"name":"K","size":64})",
      R"({"name":"A","dtype":"f16","dims":[["M"],["K"]]},{"name":"B","dtype":"f16","dims":[["K"],["N"]]},
         {"name":"C","dtype":"f16","dims":[["M"],["N"]],"out":true})",
      R"({"name":"fast","module":"sm_90a","threads":384,"smem":164864,"cluster":[2,1,1],"registers":168,
          "params":[{"kind":"tensor_map"},{"kind":"tensor_map"},{"kind":"ptr"},{"kind":"i32"},{"kind":"f32"}]},
         {"name":"general","module":"sm_90a","threads":128,"smem":0,"params":[{"kind":"ptr"},{"kind":"ptr"},
          {"kind":"ptr"},{"kind":"i64"},{"kind":"i64"}]})",
      R"({"op":"dim","id":0,"name":"M"},{"op":"dim","id":1,"name":"N"},{"op":"dim","id":2,"name":"K"},
         {"op":"address","id":3,"arg":"A"},{"op":"address","id":4,"arg":"B"},{"op":"address","id":5,"arg":"C"},
         {"op":"stride","id":6,"arg":"A","dim":0},{"op":"stride","id":7,"arg":"B","dim":0},
         {"op":"le","id":8,"a":0,"b":{"const":1000000}},
         {"op":"check","cond":8,"message":"M is {0}, more than {1}","values":[0,{"const":1000000}],"status":"unsupported"},
         {"op":"mul","id":9,"a":0,"b":{"const":4}},{"op":"workspace","id":10,"bytes":9},
         {"op":"memset","address":10,"bytes":9,"byte":0},
         {"op":"mul","id":11,"a":6,"b":{"const":2}},{"op":"mul","id":12,"a":7,"b":{"const":2}},
         {"op":"or","id":13,"a":3,"b":4},{"op":"mod","id":14,"a":3,"b":{"const":16}},
         {"op":"mod","id":15,"a":11,"b":{"const":16}},{"op":"mod","id":16,"a":12,"b":{"const":16}},
         {"op":"add","id":17,"a":14,"b":15},{"op":"add","id":18,"a":17,"b":16},{"op":"eq","id":19,"a":18,"b":{"const":0}},
         {"op":"if","cond":19,"then":[
           {"op":"tensor_map","id":20,"name":"A","address":3,"dtype":"f16","dims":[2,0],"strides":[11],"box":[64,128],"swizzle":128,"l2":128},
           {"op":"tensor_map","id":21,"name":"B","address":4,"dtype":"f16","dims":[1,2],"strides":[12],"box":[32,64],"swizzle":64,"oob":"nan"},
           {"op":"ceildiv","id":22,"a":0,"b":{"const":128}},{"op":"mul","id":23,"a":22,"b":{"const":2}},
           {"op":"launch","kernel":0,"grid":[23],"args":[20,21,5,1,{"f32":0.125}]}],
          "else":[
           {"op":"ceildiv","id":24,"a":0,"b":{"const":16}},
           {"op":"launch","kernel":1,"grid":[24,{"const":3}],"args":[3,4,10,6,{"const":-7}]}]})");
}

Bundle makeBundle(const std::string &manifest) {
  Bundle bundle;
  bundle.manifest = manifest;
  bundle.modules = {{CodeKind::PTX, "sm_90a", "ptx text"},
                    {CodeKind::Cubin, "sm_90a", "cubin bytes"}};
  return bundle;
}

Status evaluateProgram(const std::string &program, Evaluation &evaluation) {
  Manifest manifest;
  Status parsed = parseManifest(
      makeManifest(
          R"({"name":"N","size":-1},{"name":"W","size":8})",
          R"({"name":"A","dtype":"f16","dims":[["N"],["W"]]},{"name":"O","dtype":"f16","dims":[["N"]],"out":true})",
          R"({"name":"k","module":"m","threads":32,"smem":0,"params":[{"kind":"i32"}]})", program),
      manifest);
  EXPECT_TRUE(parsed.ok()) << parsed.getMessage();
  if (!parsed.ok())
    return parsed;
  TestTensor a({5, 8}, 0x10000, {12, 1}), o({5});
  const NautilusTensor *tensors[] = {&a.tensor, &o.tensor};
  Binding binding;
  Status bound = bindArguments(manifest, tensors, 2, BindMode::Run, binding);
  EXPECT_TRUE(bound.ok()) << bound.getMessage();
  return evaluate(manifest, binding, 0x200000, evaluation);
}
