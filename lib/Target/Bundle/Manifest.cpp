// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a host entry as the manifest's instruction list. Values are numbered in the order of the
// text; constants stand at their uses.

#include "nautilus/Target/Bundle/BundleTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::nautilus;
namespace json = llvm::json;

static StringRef getDType(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return "f8e4m3";
  if (isa<Float8E5M2Type>(type))
    return "f8e5m2";
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case<Float16Type>([](auto) { return "f16"; })
      .Case<BFloat16Type>([](auto) { return "bf16"; })
      .Case<Float32Type>([](auto) { return "f32"; })
      .Case<Float64Type>([](auto) { return "f64"; })
      .Case<IntegerType>([](IntegerType t) -> StringRef {
        switch (t.getWidth()) {
        case 1:
          return "bool";
        case 8:
          return "i8";
        case 16:
          return "i16";
        case 32:
          return "i32";
        case 64:
          return "i64";
        default:
          return "";
        }
      })
      .Default([](Type) { return ""; });
}

namespace {
class ManifestWriter {
public:
  ManifestWriter(host::EntryOp entry, const ManifestFacts &facts) : entry(entry), facts(facts) {}
  FailureOr<std::string> write();

private:
  json::Value operand(Value value);
  int64_t number(Value value) { return numbers[value] = next++; }
  json::Array operands(ValueRange values) {
    return json::Array(llvm::map_range(values, [&](Value v) { return operand(v); }));
  }
  LogicalResult writeBlock(Block &block, json::Array &out);
  LogicalResult writeOp(Operation *op, json::Array &out);
  LogicalResult writeArith(Operation *op, json::Array &out);
  LogicalResult writeIf(scf::IfOp op, json::Array &out);
  LogicalResult writeLaunch(host::LaunchOp op, json::Array &out);
  void writeStride(host::StrideOp op, json::Array &out);
  void binary(json::Array &out, Value result, StringRef name, json::Value a, json::Value b);
  FailureOr<json::Object> writeKernel(host::LaunchOp op, LLVM::LLVMFuncOp function);

  host::EntryOp entry;
  const ManifestFacts &facts;
  DenseMap<Value, int64_t> numbers;
  int64_t next = 0;
  json::Array kernels;
  llvm::StringMap<int64_t> kernelPositions;
};
} // namespace

json::Value ManifestWriter::operand(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return json::Object{{"const", value.getType().isInteger(1) ? int64_t(constant.getZExtValue())
                                                               : constant.getSExtValue()}};
  return numbers.lookup(value);
}

void ManifestWriter::binary(json::Array &out, Value result, StringRef name, json::Value a,
                            json::Value b) {
  out.push_back(
      json::Object{{"op", name}, {"id", number(result)}, {"a", std::move(a)}, {"b", std::move(b)}});
}

/// The manifest's name of an arith op with two operands, or empty.
static StringRef getBinaryName(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return "eq";
    case arith::CmpIPredicate::ne:
      return "ne";
    case arith::CmpIPredicate::slt:
      return "lt";
    case arith::CmpIPredicate::sle:
      return "le";
    case arith::CmpIPredicate::sgt:
      return "gt";
    case arith::CmpIPredicate::sge:
      return "ge";
    default:
      return "";
    }
  }
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddIOp>([](auto) { return "add"; })
      .Case<arith::SubIOp>([](auto) { return "sub"; })
      .Case<arith::MulIOp>([](auto) { return "mul"; })
      .Case<arith::FloorDivSIOp>([](auto) { return "floordiv"; })
      .Case<arith::CeilDivSIOp>([](auto) { return "ceildiv"; })
      .Case<arith::RemSIOp>([](auto) { return "mod"; })
      .Case<arith::MinSIOp>([](auto) { return "min"; })
      .Case<arith::MaxSIOp>([](auto) { return "max"; })
      .Case<arith::AndIOp>([](auto) { return "and"; })
      .Case<arith::OrIOp>([](auto) { return "or"; })
      .Default([](Operation *) { return ""; });
}

LogicalResult ManifestWriter::writeArith(Operation *op, json::Array &out) {
  if (isa<arith::ConstantOp>(op))
    return success();
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    json::Value cond = operand(select.getCondition()), a = operand(select.getTrueValue()),
                b = operand(select.getFalseValue());
    out.push_back(json::Object{{"op", "select"},
                               {"id", number(select)},
                               {"cond", std::move(cond)},
                               {"a", std::move(a)},
                               {"b", std::move(b)}});
    return success();
  }
  StringRef name = getBinaryName(op);
  bool logical = isa<arith::AndIOp, arith::OrIOp>(op);
  if (name.empty() || (logical && !op->getResult(0).getType().isInteger(1)))
    return op->emitError("expected an op of nautilus_host, scf.if or integer arithmetic that the "
                         "manifest knows, got '")
           << op->getName() << "'";
  json::Value a = operand(op->getOperand(0)), b = operand(op->getOperand(1));
  binary(out, op->getResult(0), name, std::move(a), std::move(b));
  return success();
}

void ManifestWriter::writeStride(host::StrideOp op, json::Array &out) {
  // Kernel dims are flattened factors: the manifest gives the stride of the caller's dim, which is
  // the last factor's.
  int64_t position = entry.lookupTensor(op.getTensor());
  auto tensor = cast<scalar::TensorAttr>(entry.getTensors()[position]);
  int64_t index = op.getIndex(), outer = 0;
  ArrayAttr factors;
  for (auto dims : tensor.getDims().getAsRange<ArrayAttr>()) {
    if (index < int64_t(dims.size())) {
      factors = dims;
      break;
    }
    index -= dims.size();
    ++outer;
  }
  int64_t id = next++;
  out.push_back(json::Object{
      {"op", "stride"}, {"id", id}, {"arg", tensor.getName().getValue()}, {"dim", outer}});
  for (int64_t later = index + 1; later < int64_t(factors.size()); ++later) {
    int64_t extent = next++, product = next++;
    out.push_back(json::Object{
        {"op", "dim"}, {"id", extent}, {"name", cast<StringAttr>(factors[later]).getValue()}});
    out.push_back(json::Object{{"op", "mul"}, {"id", product}, {"a", id}, {"b", extent}});
    id = product;
  }
  numbers[op.getResult()] = id;
}

LogicalResult ManifestWriter::writeIf(scf::IfOp op, json::Array &out) {
  json::Array thenList, elseList, results;
  json::Value condition = operand(op.getCondition());
  if (failed(writeBlock(*op.thenBlock(), thenList)) ||
      (op.elseBlock() && failed(writeBlock(*op.elseBlock(), elseList))))
    return failure();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    json::Value thenValue = operand(op.thenYield().getOperand(i)),
                elseValue = operand(op.elseYield().getOperand(i));
    results.push_back(json::Object{
        {"id", number(result)}, {"then", std::move(thenValue)}, {"else", std::move(elseValue)}});
  }
  json::Object object{{"op", "if"}, {"cond", std::move(condition)}, {"then", std::move(thenList)}};
  if (!elseList.empty())
    object["else"] = std::move(elseList);
  if (!results.empty())
    object["results"] = std::move(results);
  out.push_back(std::move(object));
  return success();
}

FailureOr<json::Object> ManifestWriter::writeKernel(host::LaunchOp op, LLVM::LLVMFuncOp function) {
  json::Array params;
  for (auto [i, type] : llvm::enumerate(function.getFunctionType().getParams())) {
    bool byValue = bool(function.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()));
    StringRef kind = byValue                            ? "tensor_map"
                     : isa<LLVM::LLVMPointerType>(type) ? "ptr"
                     : type.isInteger(64)               ? "i64"
                     : type.isInteger(32)               ? "i32"
                     : type.isF32()                     ? "f32"
                                                        : "";
    if (kind.empty())
      return function.emitError("expected pointer, i32, i64, f32 and tensor map parameters, got ")
             << type;
    params.push_back(json::Object{{"kind", kind}});
  }
  json::Object kernel{{"name", function.getName()},
                      {"module", facts.arch},
                      {"threads", int64_t(op.getThreads().value_or(1))},
                      {"smem", int64_t(op.getSharedBytes().value_or(0))},
                      {"params", std::move(params)}};
  if (auto it = facts.registers.find(function.getName()); it != facts.registers.end())
    kernel["registers"] = it->second;
  return kernel;
}

LogicalResult ManifestWriter::writeLaunch(host::LaunchOp op, json::Array &out) {
  auto module = entry->getParentOfType<ModuleOp>();
  auto function =
      dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(module, op.getKernel()));
  if (!function)
    return op.emitError("expected a kernel at stage nvvm, got ") << op.getKernel();
  StringRef name = function.getName();
  if (!kernelPositions.contains(name)) {
    kernelPositions[name] = kernels.size();
    FailureOr<json::Object> kernel = writeKernel(op, function);
    if (failed(kernel))
      return failure();
    kernels.push_back(std::move(*kernel));
  }
  json::Array args = operands(op.getArgs()), grid{operand(op.getGrid())};
  out.push_back(json::Object{{"op", "launch"},
                             {"kernel", kernelPositions[name]},
                             {"grid", std::move(grid)},
                             {"args", std::move(args)}});
  return success();
}

LogicalResult ManifestWriter::writeOp(Operation *op, json::Array &out) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<host::DimOp>([&](host::DimOp o) {
        out.push_back(json::Object{{"op", "dim"}, {"id", number(o)}, {"name", o.getDim()}});
        return success();
      })
      .Case<host::MultiprocessorsOp>([&](host::MultiprocessorsOp o) {
        out.push_back(json::Object{{"op", "multiprocessors"}, {"id", number(o)}});
        return success();
      })
      .Case<host::AddressOp>([&](host::AddressOp o) {
        out.push_back(json::Object{{"op", "address"}, {"id", number(o)}, {"arg", o.getTensor()}});
        return success();
      })
      .Case<host::StrideOp>([&](host::StrideOp o) {
        writeStride(o, out);
        return success();
      })
      .Case<host::WorkspaceOp>([&](host::WorkspaceOp o) {
        json::Value bytes = operand(o.getBytes());
        out.push_back(json::Object{
            {"op", "workspace"}, {"id", number(o.getAddress())}, {"bytes", std::move(bytes)}});
        return success();
      })
      .Case<host::CheckOp>([&](host::CheckOp o) {
        out.push_back(json::Object{{"op", "check"},
                                   {"cond", operand(o.getCondition())},
                                   {"message", o.getMessage()},
                                   {"values", operands(o.getValues())}});
        return success();
      })
      .Case<host::MakeTensorMapOp>([&](host::MakeTensorMapOp o) {
        json::Value address = operand(o.getAddress());
        json::Array dims = operands(o.getDims()), strides = operands(o.getStrides()),
                    box(o.getBox());
        out.push_back(json::Object{{"op", "tensor_map"},
                                   {"id", number(o)},
                                   {"address", std::move(address)},
                                   {"dtype", getDType(o.getElementType())},
                                   {"dims", std::move(dims)},
                                   {"strides", std::move(strides)},
                                   {"box", std::move(box)},
                                   {"swizzle", int64_t(o.getSwizzle())}});
        return success();
      })
      .Case<host::LaunchOp>([&](auto o) { return writeLaunch(o, out); })
      .Case<scf::IfOp>([&](auto o) { return writeIf(o, out); })
      .Case<scf::YieldOp>([](auto) { return success(); })
      .Default([&](Operation *o) { return writeArith(o, out); });
}

LogicalResult ManifestWriter::writeBlock(Block &block, json::Array &out) {
  for (Operation &op : block)
    if (failed(writeOp(&op, out)))
      return failure();
  return success();
}

FailureOr<std::string> ManifestWriter::write() {
  json::Array dims, args, program;
  for (auto dim : entry.getDims().getAsRange<scalar::DimAttr>()) {
    json::Object object{{"name", dim.getName().getValue()},
                        {"size", dim.isDynamic() ? -1 : dim.getSize()}};
    if (dim.getHint())
      object["hint"] = dim.getHint();
    dims.push_back(std::move(object));
  }
  size_t inputs = entry.getTensors().size() - entry.getNumResults();
  for (auto [i, tensor] : llvm::enumerate(entry.getTensors().getAsRange<scalar::TensorAttr>())) {
    json::Array shape;
    for (auto factors : tensor.getDims().getAsRange<ArrayAttr>())
      shape.push_back(json::Array(llvm::map_range(
          factors.getAsRange<StringAttr>(), [](StringAttr name) { return name.getValue(); })));
    Type element =
        cast<RankedTensorType>(cast<TypeAttr>(entry.getTypes()[i]).getValue()).getElementType();
    json::Object object{{"name", tensor.getName().getValue()},
                        {"dtype", getDType(element)},
                        {"dims", std::move(shape)}};
    if (i >= inputs)
      object["out"] = true;
    args.push_back(std::move(object));
  }
  if (failed(writeBlock(entry.getBody().front(), program)))
    return failure();
  json::Object manifest{{"version", 1},
                        {"entry", entry.getSymName()},
                        {"arch", facts.arch},
                        {"compiler", "nautilus 0.1.0"},
                        {"dims", std::move(dims)},
                        {"args", std::move(args)},
                        {"kernels", std::move(kernels)},
                        {"program", std::move(program)}};
  if (!facts.ptxas.empty())
    manifest["ptxas"] = facts.ptxas;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << json::Value(std::move(manifest));
  return text;
}

FailureOr<std::string> mlir::nautilus::exportManifest(host::EntryOp entry,
                                                      const ManifestFacts &facts) {
  return ManifestWriter(entry, facts).write();
}
