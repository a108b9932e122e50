// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the manifest's program: a nested list of instructions over numbered values in, flat code
// over slots with forward branches out. Numbering, scopes, value types and launch signatures are
// verified here, so the evaluator need not.

#include "ManifestReader.h"

#include <cstring>
#include <limits>

using namespace nautilus::runtime;

static constexpr int64_t minInt = std::numeric_limits<int64_t>::min();
static constexpr int64_t maxInt = std::numeric_limits<int64_t>::max();
static constexpr int maxNesting = 32;

namespace {

struct BinaryName {
  const char *name;
  Opcode opcode;
};
constexpr BinaryName binaryNames[] = {{"add", Opcode::Add},         {"sub", Opcode::Sub},
                                      {"mul", Opcode::Mul},         {"floordiv", Opcode::FloorDiv},
                                      {"ceildiv", Opcode::CeilDiv}, {"mod", Opcode::Mod},
                                      {"min", Opcode::Min},         {"max", Opcode::Max},
                                      {"eq", Opcode::Eq},           {"ne", Opcode::Ne},
                                      {"lt", Opcode::Lt},           {"le", Opcode::Le},
                                      {"gt", Opcode::Gt},           {"ge", Opcode::Ge},
                                      {"and", Opcode::And},         {"or", Opcode::Or}};

class ProgramReader {
public:
  ProgramReader(JsonReader &reader, Manifest &manifest)
      : reader(reader), manifest(manifest), program(manifest.program) {}

  void readBlock(const Json &block, const std::string &where, int depth);

private:
  enum class Type : uint8_t { Int, Map };
  struct Value {
    Type type;
    int slot;
    bool visible;
  };

  void readInstruction(const Json &json, const std::string &where, int depth);
  bool readArithmetic(const std::string &op, const Json &json, const std::string &where);
  bool readQuery(const std::string &op, const Json &json, const std::string &where);
  void readCheck(const Json &json, const std::string &where);
  void readTensorMap(const Json &json, const std::string &where);
  void readMemset(const Json &json, const std::string &where);
  void readLaunch(const Json &json, const std::string &where);
  void readIf(const Json &json, const std::string &where, int depth);
  void readMerges(const Json &results, const char *side, const std::string &where, int firstSlot);

  int newSlot(int64_t initial = 0);
  /// The slot of the instruction's result, after its "id" is verified to be the next number.
  int define(const Json &json, const std::string &where, Type type);
  /// The slot of an operand: a value's number or {"const": n}.
  int readOperand(const Json &json, const std::string &where, Type type = Type::Int);
  int getOperand(const Json &json, const char *key, const std::string &where);
  std::vector<int> readOperands(const Json &json, const char *key, const std::string &where);
  int readLaunchArg(const Json &json, const std::string &where, ParamKind kind);
  int readArg(const Json &json, const std::string &where);
  void defineAs(const Json &json, const std::string &where, Value value);
  void hideSince(size_t begin) {
    for (size_t i = begin; i < values.size(); ++i)
      values[i].visible = false;
  }
  /// Returns the instruction's position.
  int emit(Opcode op, int result = -1, int a = -1, int b = -1, int c = -1) {
    program.code.push_back({op, result, a, b, c});
    return int(program.code.size()) - 1;
  }

  JsonReader &reader;
  Manifest &manifest;
  Program &program;
  std::vector<Value> values;
};

} // namespace

int ProgramReader::newSlot(int64_t initial) {
  program.initial.push_back(initial);
  return int(program.initial.size()) - 1;
}

void ProgramReader::defineAs(const Json &json, const std::string &where, Value value) {
  int64_t next = int64_t(values.size());
  if (reader.getInt(json, "id", where, 0, maxInt) != next)
    reader.fail(where, "expected the id " + std::to_string(next));
  values.push_back(value);
}

int ProgramReader::define(const Json &json, const std::string &where, Type type) {
  int slot = newSlot();
  defineAs(json, where, {type, slot, true});
  return slot;
}

int ProgramReader::readOperand(const Json &json, const std::string &where, Type type) {
  if (json.is_object() && type == Type::Int) {
    reader.checkObject(json, where, {"const"});
    return newSlot(reader.getInt(json, "const", where, minInt, maxInt));
  }
  int64_t id = reader.asInt(json, where, 0, maxInt);
  if (reader.failed())
    return 0;
  if (id >= int64_t(values.size()) || !values[id].visible) {
    reader.fail(where, "the value " + std::to_string(id) + " is not defined here");
    return 0;
  }
  if (values[id].type != type)
    reader.fail(where, type == Type::Int ? "expected an integer, got a tensor map"
                                         : "expected a tensor map, got an integer");
  return values[id].slot;
}

int ProgramReader::getOperand(const Json &json, const char *key, const std::string &where) {
  auto it = json.find(key);
  if (it != json.end())
    return readOperand(*it, where + "." + key);
  reader.fail(where, std::string("expected a key '") + key + "'");
  return 0;
}

std::vector<int> ProgramReader::readOperands(const Json &json, const char *key,
                                             const std::string &where) {
  std::vector<int> slots;
  for (const Json &operand : reader.getArray(json, key, where))
    slots.push_back(readOperand(operand, where + "." + key));
  return slots;
}

int ProgramReader::readArg(const Json &json, const std::string &where) {
  std::string name = reader.getString(json, "arg", where);
  int arg = lookupArg(manifest, name);
  if (arg < 0)
    reader.fail(where, "no argument is named '" + name + "'");
  return arg;
}

bool ProgramReader::readArithmetic(const std::string &op, const Json &json,
                                   const std::string &where) {
  for (const BinaryName &binary : binaryNames) {
    if (op != binary.name)
      continue;
    reader.checkObject(json, where, {"op", "id", "a", "b"});
    int a = getOperand(json, "a", where), b = getOperand(json, "b", where);
    emit(binary.opcode, define(json, where, Type::Int), a, b);
    return true;
  }
  if (op == "const") {
    reader.checkObject(json, where, {"op", "id", "value"});
    int64_t value = reader.getInt(json, "value", where, minInt, maxInt);
    program.initial[define(json, where, Type::Int)] = value;
  } else if (op == "not") {
    reader.checkObject(json, where, {"op", "id", "a"});
    int a = getOperand(json, "a", where);
    emit(Opcode::Not, define(json, where, Type::Int), a);
  } else if (op == "select") {
    reader.checkObject(json, where, {"op", "id", "cond", "a", "b"});
    int cond = getOperand(json, "cond", where);
    int a = getOperand(json, "a", where), b = getOperand(json, "b", where);
    emit(Opcode::Select, define(json, where, Type::Int), cond, a, b);
  } else {
    return false;
  }
  return true;
}

bool ProgramReader::readQuery(const std::string &op, const Json &json, const std::string &where) {
  if (op == "dim") {
    reader.checkObject(json, where, {"op", "id", "name"});
    std::string name = reader.getString(json, "name", where);
    int dim = lookupDim(manifest, name);
    if (dim < 0)
      reader.fail(where, "no dim is named '" + name + "'");
    emit(Opcode::Dim, define(json, where, Type::Int), dim);
  } else if (op == "stride") {
    reader.checkObject(json, where, {"op", "id", "arg", "dim"});
    int arg = readArg(json, where);
    int64_t rank = arg < 0 ? 0 : int64_t(manifest.args[arg].dims.size());
    int64_t dim = reader.getInt(json, "dim", where, 0, rank - 1);
    emit(Opcode::Stride, define(json, where, Type::Int), arg, int(dim));
  } else if (op == "address") {
    reader.checkObject(json, where, {"op", "id", "arg"});
    int arg = readArg(json, where);
    emit(Opcode::Address, define(json, where, Type::Int), arg);
  } else if (op == "multiprocessors") {
    reader.checkObject(json, where, {"op", "id"});
    emit(Opcode::Multiprocessors, define(json, where, Type::Int));
    program.usesDevice = true;
  } else if (op == "workspace") {
    reader.checkObject(json, where, {"op", "id", "bytes"});
    int bytes = getOperand(json, "bytes", where);
    emit(Opcode::Workspace, define(json, where, Type::Int), bytes);
    program.usesWorkspace = true;
  } else {
    return false;
  }
  return true;
}

void ProgramReader::readCheck(const Json &json, const std::string &where) {
  reader.checkObject(json, where, {"op", "cond", "message", "values", "status"});
  CheckInfo check;
  int cond = getOperand(json, "cond", where);
  check.message = reader.getString(json, "message", where);
  if (json.contains("values"))
    check.values = readOperands(json, "values", where);
  if (json.contains("status")) {
    std::string name = reader.getString(json, "status", where);
    if (name == "unsupported")
      check.code = Code::Unsupported;
    else if (name != "invalid")
      reader.fail(where, "expected the status 'invalid' or 'unsupported'");
  }
  emit(Opcode::Check, -1, cond, int(program.checks.size()));
  program.checks.push_back(std::move(check));
}

void ProgramReader::readTensorMap(const Json &json, const std::string &where) {
  reader.checkObject(
      json, where,
      {"op", "id", "name", "address", "dtype", "dims", "strides", "box", "swizzle", "l2", "oob"});
  TensorMapInfo map;
  if (json.contains("name"))
    map.name = reader.getString(json, "name", where);
  const DType *dtype = lookupDType(reader.getString(json, "dtype", where));
  if (!dtype)
    return reader.fail(where, "unknown dtype");
  map.dataType = dtype->tensorMapType;
  map.elementBytes = dtype->bits / 8;
  map.address = getOperand(json, "address", where);
  map.dims = readOperands(json, "dims", where);
  map.strides = readOperands(json, "strides", where);
  for (const Json &extent : reader.getArray(json, "box", where))
    map.box.push_back(uint32_t(reader.asInt(extent, where + ".box", 1, 256)));
  size_t rank = map.dims.size();
  if (rank < 1 || rank > 5 || map.strides.size() != rank - 1 || map.box.size() != rank)
    return reader.fail(where, "expected 1 to 5 dims, one stride less and as many box extents");
  map.swizzleBytes = int(reader.getInt(json, "swizzle", where, 0, 128));
  if (map.swizzleBytes != 0 && map.swizzleBytes != 32 && map.swizzleBytes != 64 &&
      map.swizzleBytes != 128)
    reader.fail(where, "expected a swizzle of 0, 32, 64 or 128");
  int innerBytes = int(map.box[0]) * map.elementBytes;
  if (innerBytes % 16 != 0 || (map.swizzleBytes != 0 && innerBytes > map.swizzleBytes))
    reader.fail(where, "expected an inner box of a multiple of 16 bytes and at most the swizzle's");
  if (json.contains("l2"))
    map.l2PromotionBytes = int(reader.getInt(json, "l2", where, 0, 256));
  if (map.l2PromotionBytes != 0 && map.l2PromotionBytes != 64 && map.l2PromotionBytes != 128 &&
      map.l2PromotionBytes != 256)
    reader.fail(where, "expected an l2 promotion of 0, 64, 128 or 256");
  if (json.contains("oob")) {
    std::string fill = reader.getString(json, "oob", where);
    map.fillNaN = fill == "nan";
    if (fill != "zero" && fill != "nan")
      reader.fail(where, "expected the out-of-bounds fill 'zero' or 'nan'");
  }
  int slot = define(json, where, Type::Map);
  program.initial[slot] = int64_t(program.tensorMaps.size());
  emit(Opcode::TensorMap, -1, -1, int(program.tensorMaps.size()));
  program.tensorMaps.push_back(std::move(map));
}

void ProgramReader::readMemset(const Json &json, const std::string &where) {
  reader.checkObject(json, where, {"op", "address", "bytes", "byte"});
  MemsetInfo memset;
  memset.address = getOperand(json, "address", where);
  memset.bytes = getOperand(json, "bytes", where);
  memset.byte = uint8_t(reader.getInt(json, "byte", where, 0, 255));
  emit(Opcode::Memset, -1, -1, int(program.memsets.size()));
  program.memsets.push_back(memset);
}

int ProgramReader::readLaunchArg(const Json &json, const std::string &where, ParamKind kind) {
  if (kind != ParamKind::F32)
    return readOperand(json, where, kind == ParamKind::TensorMap ? Type::Map : Type::Int);
  reader.checkObject(json, where, {"f32"});
  auto it = json.is_object() ? json.find("f32") : json.end();
  if (it == json.end() || !it->is_number()) {
    reader.fail(where, "expected {\"f32\": number}");
    return 0;
  }
  float number = float(it->get<double>());
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return newSlot(int64_t(bits));
}

void ProgramReader::readLaunch(const Json &json, const std::string &where) {
  reader.checkObject(json, where, {"op", "kernel", "grid", "args"});
  LaunchInfo launch;
  launch.kernel =
      int(reader.getInt(json, "kernel", where, 0, int64_t(manifest.kernels.size()) - 1));
  std::vector<int> grid = readOperands(json, "grid", where);
  if (grid.empty() || grid.size() > 3)
    reader.fail(where, "expected 1 to 3 grid extents");
  const Json &args = reader.getArray(json, "args", where);
  if (reader.failed())
    return;
  const KernelInfo &kernel = manifest.kernels[launch.kernel];
  if (args.size() != kernel.params.size())
    return reader.fail(where, "expected " + std::to_string(kernel.params.size()) +
                                  " arguments for the kernel '" + kernel.name + "', got " +
                                  std::to_string(args.size()));
  for (size_t d = 0; d < 3; ++d)
    launch.grid[d] = d < grid.size() ? grid[d] : newSlot(1);
  for (size_t i = 0; i < args.size() && !reader.failed(); ++i)
    launch.args.push_back(
        readLaunchArg(args[i], where + ".args[" + std::to_string(i) + "]", kernel.params[i]));
  emit(Opcode::Launch, -1, -1, int(program.launches.size()));
  program.launches.push_back(std::move(launch));
}

/// One side of the results of an `if`, at the end of that branch, where its values are visible.
void ProgramReader::readMerges(const Json &results, const char *side, const std::string &where,
                               int firstSlot) {
  for (const Json &merge : results)
    if (reader.checkObject(merge, where, {"id", "then", "else"}))
      emit(Opcode::Copy, firstSlot++, getOperand(merge, side, where));
}

void ProgramReader::readIf(const Json &json, const std::string &where, int depth) {
  reader.checkObject(json, where, {"op", "cond", "then", "else", "results"});
  static const Json none = Json::array();
  const Json &results = json.contains("results") ? reader.getArray(json, "results", where) : none;
  int firstSlot = int(program.initial.size());
  program.initial.resize(firstSlot + results.size(), 0);

  int branch = emit(Opcode::BranchUnless, -1, getOperand(json, "cond", where));
  size_t outer = values.size();
  readBlock(reader.getArray(json, "then", where), where + ".then", depth + 1);
  readMerges(results, "then", where + ".results", firstSlot);
  int jump = emit(Opcode::Jump);
  hideSince(outer);
  if (json.contains("else"))
    readBlock(reader.getArray(json, "else", where), where + ".else", depth + 1);
  readMerges(results, "else", where + ".results", firstSlot);
  hideSince(outer);
  program.code[branch].b = jump + 1;
  program.code[jump].b = int(program.code.size());
  for (const Json &merge : results)
    defineAs(merge, where + ".results", {Type::Int, firstSlot++, true});
}

void ProgramReader::readInstruction(const Json &json, const std::string &where, int depth) {
  std::string op = reader.getString(json, "op", where);
  if (reader.failed() || readArithmetic(op, json, where) || readQuery(op, json, where))
    return;
  if (op == "check")
    return readCheck(json, where);
  if (op == "tensor_map")
    return readTensorMap(json, where);
  if (op == "memset")
    return readMemset(json, where);
  if (op == "launch")
    return readLaunch(json, where);
  if (op == "if")
    return readIf(json, where, depth);
  reader.fail(where, "unknown instruction '" + op + "'");
}

void ProgramReader::readBlock(const Json &block, const std::string &where, int depth) {
  if (depth > maxNesting)
    return reader.fail(where, "more than 32 nested branches");
  for (size_t i = 0; i < block.size() && !reader.failed(); ++i)
    readInstruction(block[i], where + "[" + std::to_string(i) + "]", depth);
}

void nautilus::runtime::readProgram(JsonReader &reader, const Json &program, Manifest &manifest) {
  ProgramReader(reader, manifest).readBlock(program, "program", 0);
}
