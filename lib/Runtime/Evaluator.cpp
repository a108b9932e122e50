// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the host program for one call: bound arguments in; values, workspace size and the list
// of device actions out. Pure, and without allocation once its buffers have grown.

#include "nautilus/Runtime/Binding.h"
#include "nautilus/Runtime/Manifest.h"
#include "nautilus/Runtime/Program.h"

#include <algorithm>
#include <limits>

using namespace nautilus::runtime;

static constexpr int64_t minInt = std::numeric_limits<int64_t>::min();
static constexpr uint64_t workspaceAlignment = 256;
static constexpr uint64_t maxWorkspace = uint64_t(1) << 46;

namespace {
class Evaluator {
public:
  Evaluator(const Manifest &manifest, const Binding &binding, uint64_t workspace,
            Evaluation &evaluation)
      : manifest(manifest), program(manifest.program), binding(binding), workspace(workspace),
        evaluation(evaluation), values(evaluation.values.data()) {}

  Status run();

private:
  /// A failure for instructions that cannot say more than which one they are.
  enum class Fault { None, Overflow, DivideByZero };

  Fault compute(const Instruction &instruction);
  Status perform(const Instruction &instruction);
  Status allocate(const Instruction &instruction);
  Status check(const CheckInfo &info, bool holds) const;
  Status checkTensorMap(const TensorMapInfo &info) const;
  Status checkLaunch(const LaunchInfo &info, bool &isEmpty) const;

  const Manifest &manifest;
  const Program &program;
  const Binding &binding;
  uint64_t workspace;
  Evaluation &evaluation;
  int64_t *values;
};
} // namespace

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - ((a % b != 0 && ((a < 0) != (b < 0))) ? 1 : 0);
}

static int64_t floorModulo(int64_t a, int64_t b) {
  int64_t remainder = a % b;
  return remainder != 0 && ((remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

/// Instructions that cannot fail.
static int64_t combine(Opcode op, int64_t a, int64_t b, int64_t c) {
  switch (op) {
  case Opcode::Min:
    return std::min(a, b);
  case Opcode::Max:
    return std::max(a, b);
  case Opcode::Eq:
    return a == b;
  case Opcode::Ne:
    return a != b;
  case Opcode::Lt:
    return a < b;
  case Opcode::Le:
    return a <= b;
  case Opcode::Gt:
    return a > b;
  case Opcode::Ge:
    return a >= b;
  case Opcode::And:
    return a && b;
  case Opcode::Or:
    return a || b;
  case Opcode::Not:
    return !a;
  case Opcode::Select:
    return a ? b : c;
  default: // Opcode::Copy
    return a;
  }
}

Evaluator::Fault Evaluator::compute(const Instruction &in) {
  int64_t a = values[in.a];
  int64_t b = in.b >= 0 ? values[in.b] : 0;
  int64_t &result = values[in.result];
  switch (in.op) {
  case Opcode::Add:
    return __builtin_add_overflow(a, b, &result) ? Fault::Overflow : Fault::None;
  case Opcode::Sub:
    return __builtin_sub_overflow(a, b, &result) ? Fault::Overflow : Fault::None;
  case Opcode::Mul:
    return __builtin_mul_overflow(a, b, &result) ? Fault::Overflow : Fault::None;
  case Opcode::FloorDiv:
  case Opcode::CeilDiv:
  case Opcode::Mod:
    if (b == 0)
      return Fault::DivideByZero;
    if (b == -1 && a == minInt)
      return Fault::Overflow;
    if (in.op == Opcode::Mod)
      result = floorModulo(a, b);
    else
      result = floorDivide(a, b) + ((in.op == Opcode::CeilDiv && a % b != 0) ? 1 : 0);
    return Fault::None;
  default:
    result = combine(in.op, a, b, in.c >= 0 ? values[in.c] : 0);
    return Fault::None;
  }
}

Status Evaluator::allocate(const Instruction &in) {
  int64_t bytes = values[in.a];
  uint64_t &total = evaluation.workspaceBytes;
  if (bytes < 0 || uint64_t(bytes) > maxWorkspace || total > maxWorkspace)
    return unsupported("'" + manifest.entry + "': a workspace of " + std::to_string(bytes) +
                       " bytes cannot be had");
  values[in.result] = int64_t(workspace + total);
  total += (uint64_t(bytes) + workspaceAlignment - 1) / workspaceAlignment * workspaceAlignment;
  return Status();
}

Status Evaluator::check(const CheckInfo &info, bool holds) const {
  if (holds)
    return Status();
  std::string message = info.message;
  for (size_t i = 0; i < info.values.size(); ++i) {
    std::string hole = "{" + std::to_string(i) + "}";
    std::string text = std::to_string(values[info.values[i]]);
    for (size_t at = message.find(hole); at != std::string::npos;
         at = message.find(hole, at + text.size()))
      message.replace(at, hole.size(), text);
  }
  return Status(info.code, std::move(message));
}

/// The rules of cuTensorMapEncodeTiled, whose own answer is only "invalid value". The program is to
/// have chosen another variant before it comes here.
Status Evaluator::checkTensorMap(const TensorMapInfo &info) const {
  std::string what = "tensor map" + (info.name.empty() ? "" : " of '" + info.name + "'") + ": ";
  bool isEmpty = false;
  for (int dim : info.dims) {
    if (values[dim] < 0 || values[dim] > (int64_t(1) << 32))
      return unsupported(what + "expected extents from 0 to 2^32, got " +
                         std::to_string(values[dim]));
    isEmpty |= values[dim] == 0;
  }
  if (isEmpty)
    return Status();
  if (values[info.address] % 16 != 0)
    return unsupported(what + "expected a 16-byte aligned address");
  for (int stride : info.strides)
    if (values[stride] % 16 != 0 || values[stride] < 0 || values[stride] >= (int64_t(1) << 40))
      return unsupported(what + "expected strides of a multiple of 16 bytes below 2^40, got " +
                         std::to_string(values[stride]));
  return Status();
}

Status Evaluator::checkLaunch(const LaunchInfo &info, bool &isEmpty) const {
  const KernelInfo &kernel = manifest.kernels[info.kernel];
  static constexpr int64_t limits[3] = {0x7fffffff, 65535, 65535};
  isEmpty = false;
  for (int d = 0; d < 3; ++d)
    isEmpty |= values[info.grid[d]] == 0;
  if (isEmpty)
    return Status();
  for (int d = 0; d < 3; ++d) {
    int64_t blocks = values[info.grid[d]];
    if (blocks < 0 || blocks > limits[d])
      return unsupported("kernel '" + kernel.name + "': expected a grid of 0 to " +
                         std::to_string(limits[d]) + " blocks in dim " + std::to_string(d) +
                         ", got " + std::to_string(blocks));
    if (blocks % kernel.cluster[d] != 0)
      return unsupported("kernel '" + kernel.name + "': the grid of " + std::to_string(blocks) +
                         " blocks is not a multiple of the cluster of " +
                         std::to_string(kernel.cluster[d]));
  }
  for (size_t i = 0; i < info.args.size(); ++i) {
    int64_t value = values[info.args[i]];
    if (kernel.params[i] == ParamKind::I32 && value != int64_t(int32_t(value)))
      return unsupported("kernel '" + kernel.name + "': parameter " + std::to_string(i) + " is " +
                         std::to_string(value) + ", which does not fit 32 bits");
  }
  return Status();
}

Status Evaluator::perform(const Instruction &in) {
  switch (in.op) {
  case Opcode::Workspace:
    return allocate(in);
  case Opcode::Check:
    return check(program.checks[in.b], values[in.a] != 0);
  case Opcode::TensorMap:
    return checkTensorMap(program.tensorMaps[in.b]);
  case Opcode::Memset: {
    int64_t bytes = values[program.memsets[in.b].bytes];
    if (bytes < 0)
      return invalidArgument("'" + manifest.entry + "': memset of a negative size");
    if (bytes > 0)
      evaluation.actions.push_back({Action::Memset, in.b});
    return Status();
  }
  default: { // Opcode::Launch
    bool isEmpty;
    Status status = checkLaunch(program.launches[in.b], isEmpty);
    if (status.ok() && !isEmpty)
      evaluation.actions.push_back({Action::Launch, in.b});
    return status;
  }
  }
}

Status Evaluator::run() {
  int count = int(program.code.size());
  for (int pc = 0; pc < count;) {
    const Instruction &in = program.code[pc++];
    switch (in.op) {
    case Opcode::Dim:
      values[in.result] = binding.dims[in.a];
      continue;
    case Opcode::Stride:
      values[in.result] = binding.strides[binding.strideBegin[in.a] + in.b];
      continue;
    case Opcode::Address:
      values[in.result] = int64_t(binding.addresses[in.a]);
      continue;
    case Opcode::Multiprocessors:
      values[in.result] = binding.multiprocessors;
      continue;
    case Opcode::BranchUnless:
      pc = values[in.a] ? pc : in.b;
      continue;
    case Opcode::Jump:
      pc = in.b;
      continue;
    case Opcode::Workspace:
    case Opcode::Check:
    case Opcode::TensorMap:
    case Opcode::Memset:
    case Opcode::Launch:
      if (Status status = perform(in); !status.ok())
        return status;
      continue;
    default:
      if (Fault fault = compute(in); fault != Fault::None)
        return invalidArgument(
            "'" + manifest.entry +
            "': " + (fault == Fault::Overflow ? "sizes overflow 64 bits" : "division by zero") +
            " in the host program (instruction " + std::to_string(pc - 1) + ")");
    }
  }
  return Status();
}

Status nautilus::runtime::evaluate(const Manifest &manifest, const Binding &binding,
                                   uint64_t workspace, Evaluation &evaluation) {
  evaluation.values.assign(manifest.program.initial.begin(), manifest.program.initial.end());
  evaluation.actions.clear();
  evaluation.workspaceBytes = 0;
  return Evaluator(manifest, binding, workspace, evaluation).run();
}
