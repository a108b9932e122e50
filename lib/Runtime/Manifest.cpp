// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the manifest: JSON text in, dims, arguments, kernels and the compiled host program out. All
// that can be verified once is verified here, so that a call has only the caller's data to doubt.

#include "nautilus/Runtime/Manifest.h"

#include "ManifestReader.h"

#include "nautilus/Runtime/Binding.h"

#include <limits>

using namespace nautilus::runtime;

static constexpr int64_t schemaVersion = 1;
static constexpr int64_t maxInt = std::numeric_limits<int64_t>::max();
static constexpr size_t maxRank = 32;

// DLPack codes: 0 signed, 1 unsigned, 2 float, 4 bfloat, 6 bool, 10 float8_e4m3fn, 12 float8_e5m2.
// Tensor map types: CUtensorMapDataType of cuda.h; a copy does not care about signs of 8- and
// 16-bit integers.
static constexpr DType dtypes[] = {
    {"f16", 2, 16, 6},    {"bf16", 4, 16, 9},   {"f32", 2, 32, 7}, {"f64", 2, 64, 8},
    {"f8e4m3", 10, 8, 0}, {"f8e5m2", 12, 8, 0}, {"i8", 0, 8, 0},   {"u8", 1, 8, 0},
    {"i16", 0, 16, 1},    {"u16", 1, 16, 1},    {"i32", 0, 32, 3}, {"u32", 1, 32, 2},
    {"i64", 0, 64, 5},    {"u64", 1, 64, 4},    {"bool", 6, 8, 0},
};

const DType *nautilus::runtime::lookupDType(const std::string &name) {
  for (const DType &dtype : dtypes)
    if (name == dtype.name)
      return &dtype;
  return nullptr;
}

int nautilus::runtime::lookupDim(const Manifest &manifest, const std::string &name) {
  for (size_t i = 0; i < manifest.dims.size(); ++i)
    if (manifest.dims[i].name == name)
      return int(i);
  return -1;
}

int nautilus::runtime::lookupArg(const Manifest &manifest, const std::string &name) {
  for (size_t i = 0; i < manifest.args.size(); ++i)
    if (manifest.args[i].name == name)
      return int(i);
  return -1;
}

static std::string at(const char *list, size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

static void readDims(JsonReader &reader, const Json &json, Manifest &manifest) {
  for (size_t i = 0; i < json.size() && !reader.failed(); ++i) {
    const std::string where = at("dims", i);
    if (!reader.checkObject(json[i], where, {"name", "size", "hint"}))
      return;
    DimInfo dim;
    dim.name = reader.getString(json[i], "name", where);
    dim.size = reader.getInt(json[i], "size", where, -1, maxInt);
    if (json[i].contains("hint"))
      dim.hint = reader.getInt(json[i], "hint", where, -1, maxInt);
    if (lookupDim(manifest, dim.name) >= 0)
      reader.fail(where, "the name '" + dim.name + "' is used twice");
    manifest.dims.push_back(std::move(dim));
  }
}

/// One tensor dim: an array of the names of its factors.
static std::vector<int> readFactors(JsonReader &reader, const Json &json, const std::string &where,
                                    const Manifest &manifest) {
  std::vector<int> factors;
  if (!json.is_array() || json.size() > maxRank) {
    reader.fail(where, "expected each tensor dim as an array of at most 32 dim names");
    return factors;
  }
  for (const Json &factor : json) {
    int dim = factor.is_string() ? lookupDim(manifest, *factor.get_ptr<const std::string *>()) : -1;
    if (dim < 0)
      reader.fail(where, "expected the name of a declared dim, got " +
                             factor.dump(-1, ' ', false, Json::error_handler_t::replace));
    factors.push_back(dim);
  }
  return factors;
}

static void readArgs(JsonReader &reader, const Json &json, Manifest &manifest) {
  for (size_t i = 0; i < json.size() && !reader.failed(); ++i) {
    const std::string where = at("args", i);
    if (!reader.checkObject(json[i], where, {"name", "dtype", "dims", "out"}))
      return;
    ArgInfo arg;
    arg.name = reader.getString(json[i], "name", where);
    std::string dtype = reader.getString(json[i], "dtype", where);
    arg.dtype = lookupDType(dtype);
    if (!arg.dtype)
      reader.fail(
          Status(Code::Unsupported, "manifest: " + where + ": unknown dtype '" + dtype + "'"));
    const Json &dims = reader.getArray(json[i], "dims", where);
    if (dims.size() > maxRank)
      reader.fail(where, "expected at most 32 dims");
    for (size_t d = 0; d < dims.size() && !reader.failed(); ++d)
      arg.dims.push_back(readFactors(reader, dims[d], where + "." + at("dims", d), manifest));
    if (json[i].contains("out"))
      arg.isOutput = reader.getBool(json[i], "out", where);
    if (lookupArg(manifest, arg.name) >= 0)
      reader.fail(where, "the name '" + arg.name + "' is used twice");
    if (!arg.isOutput && manifest.numInputs != int(i))
      reader.fail(where, "expected the inputs before the outputs");
    manifest.numInputs += !arg.isOutput;
    manifest.args.push_back(std::move(arg));
  }
}

static ParamKind readParam(JsonReader &reader, const Json &json, const std::string &where) {
  if (!reader.checkObject(json, where, {"kind"}))
    return ParamKind::I64;
  static const std::pair<const char *, ParamKind> kinds[] = {{"tensor_map", ParamKind::TensorMap},
                                                             {"ptr", ParamKind::Pointer},
                                                             {"i32", ParamKind::I32},
                                                             {"i64", ParamKind::I64},
                                                             {"f32", ParamKind::F32}};
  std::string kind = reader.getString(json, "kind", where);
  for (const auto &[name, value] : kinds)
    if (kind == name)
      return value;
  reader.fail(where, "unknown parameter kind '" + kind + "'");
  return ParamKind::I64;
}

static void readKernels(JsonReader &reader, const Json &json, Manifest &manifest) {
  for (size_t i = 0; i < json.size() && !reader.failed(); ++i) {
    const std::string where = at("kernels", i);
    if (!reader.checkObject(
            json[i], where,
            {"name", "module", "threads", "smem", "cluster", "registers", "params"}))
      return;
    KernelInfo kernel;
    kernel.name = reader.getString(json[i], "name", where);
    kernel.module = reader.getString(json[i], "module", where);
    kernel.threads = int(reader.getInt(json[i], "threads", where, 1, 1024));
    kernel.sharedBytes = reader.getInt(json[i], "smem", where, 0, 1 << 30);
    if (json[i].contains("registers"))
      kernel.registers = int(reader.getInt(json[i], "registers", where, 0, 255));
    if (json[i].contains("cluster")) {
      const Json &cluster = reader.getArray(json[i], "cluster", where);
      if (cluster.size() != 3)
        reader.fail(where, "expected three cluster extents");
      for (size_t d = 0; d < 3 && !reader.failed(); ++d)
        kernel.cluster[d] = int(reader.asInt(cluster[d], where + ".cluster", 1, 16));
    }
    const Json &params = reader.getArray(json[i], "params", where);
    for (size_t p = 0; p < params.size() && !reader.failed(); ++p)
      kernel.params.push_back(readParam(reader, params[p], where + "." + at("params", p)));
    manifest.kernels.push_back(std::move(kernel));
  }
}

Status nautilus::runtime::parseManifest(const std::string &text, Manifest &manifest) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object())
    return invalidArgument("manifest: expected one JSON object");
  JsonReader reader;
  int64_t version = reader.getInt(json, "version", "manifest", 1, maxInt);
  if (!reader.failed() && version > schemaVersion)
    return unsupported("manifest: schema version " + std::to_string(version) +
                       ", but this runtime reads versions up to " + std::to_string(schemaVersion) +
                       "; use a newer Nautilus runtime or compile again");
  reader.checkObject(json, "manifest",
                     {"version", "entry", "arch", "compiler", "ptxas", "info", "dims", "args",
                      "kernels", "program"});
  Manifest result;
  result.entry = reader.getString(json, "entry", "manifest");
  result.arch = reader.getString(json, "arch", "manifest");
  readDims(reader, reader.getArray(json, "dims", "manifest"), result);
  readArgs(reader, reader.getArray(json, "args", "manifest"), result);
  readKernels(reader, reader.getArray(json, "kernels", "manifest"), result);
  if (!reader.failed())
    readProgram(reader, reader.getArray(json, "program", "manifest"), result);
  if (reader.failed())
    return reader.takeStatus();
  if (Status status = planBinding(result); !status.ok())
    return status;
  manifest = std::move(result);
  return Status();
}
