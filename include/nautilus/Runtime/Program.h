// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host program of a bundle: straight-line 64-bit integer code with forward branches, made once
// from the manifest and evaluated at each call. Evaluation is pure: it yields the list of launches
// and the workspace size, so all checks have passed before anything reaches the device.

#ifndef NAUTILUS_RUNTIME_PROGRAM_H
#define NAUTILUS_RUNTIME_PROGRAM_H

#include "nautilus/Runtime/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nautilus::runtime {

enum class Opcode : uint8_t {
  Dim,     // a = named dim
  Stride,  // a = argument, b = tensor dim
  Address, // a = argument
  Multiprocessors,
  Add,
  Sub,
  Mul,
  FloorDiv,
  CeilDiv,
  Mod,
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  Not,
  Select, // a ? b : c
  Copy,
  Workspace,    // a = bytes
  Check,        // a = condition, b = index in checks
  TensorMap,    // b = index in tensorMaps
  Memset,       // b = index in memsets
  Launch,       // b = index in launches
  BranchUnless, // a = condition, b = target
  Jump,         // b = target
};

/// Operands are slots of the evaluation's values unless the opcode says otherwise.
struct Instruction {
  Opcode op;
  int result = -1;
  int a = -1;
  int b = -1;
  int c = -1;
};

struct CheckInfo {
  /// `{0}`, `{1}` … stand for the values.
  std::string message;
  std::vector<int> values;
  Code code = Code::InvalidArgument;
};

struct TensorMapInfo {
  /// For messages: the argument's name, or empty.
  std::string name;
  int dataType = 0;
  int elementBytes = 0;
  int address = -1;
  /// Innermost first; strides in bytes, for dims 1 and up.
  std::vector<int> dims;
  std::vector<int> strides;
  std::vector<uint32_t> box;
  int swizzleBytes = 0;
  int l2PromotionBytes = 0;
  bool fillNaN = false;
};

struct MemsetInfo {
  int address = -1;
  int bytes = -1;
  uint8_t byte = 0;
};

struct LaunchInfo {
  int kernel = -1;
  std::array<int, 3> grid = {-1, -1, -1};
  /// Slots; a tensor map's slot holds its index in tensorMaps, an f32's slot the bits in its low
  /// half.
  std::vector<int> args;
};

struct Program {
  std::vector<Instruction> code;
  /// The values at the start: constants in place, the rest zero.
  std::vector<int64_t> initial;
  std::vector<CheckInfo> checks;
  std::vector<TensorMapInfo> tensorMaps;
  std::vector<MemsetInfo> memsets;
  std::vector<LaunchInfo> launches;
  bool usesWorkspace = false;
  bool usesDevice = false;
};

/// What a call does on the device, in order.
struct Action {
  enum Kind : uint8_t { Launch, Memset } kind;
  int index;
};

/// One evaluation; reused between calls so that the hot path does not allocate.
struct Evaluation {
  std::vector<int64_t> values;
  std::vector<Action> actions;
  uint64_t workspaceBytes = 0;
};

struct Binding;
struct Manifest;

/// Runs the program. `workspace` is the address of the caller's workspace (0 if only sizes are
/// asked).
Status evaluate(const Manifest &manifest, const Binding &binding, uint64_t workspace,
                Evaluation &evaluation);

} // namespace nautilus::runtime

#endif // NAUTILUS_RUNTIME_PROGRAM_H
