// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of types and dims; see Program.h.

#include "Program.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir::nautilus::frontend;

namespace {
struct ElemName {
  Elem type;
  llvm::StringRef name;
};
} // namespace

/// The first name of a type is the one for messages.
static constexpr ElemName elemNames[] = {{Elem::Bool, "bool"},
                                         {Elem::Bool, "i1"},
                                         {Elem::I8, "i8"},
                                         {Elem::I32, "i32"},
                                         {Elem::I64, "i64"},
                                         {Elem::F8E4M3, "f8e4m3"},
                                         {Elem::F16, "f16"},
                                         {Elem::BF16, "bf16"},
                                         {Elem::F8E5M2, "f8e5m2"},
                                         {Elem::F32, "f32"},
                                         {Elem::Int, "a whole number"},
                                         {Elem::Index, "an index"}};

bool mlir::nautilus::frontend::isNarrowFloat(Elem type) {
  return type == Elem::F8E4M3 || type == Elem::F8E5M2 || type == Elem::F16 || type == Elem::BF16;
}

bool mlir::nautilus::frontend::isFloat(Elem type) {
  return isNarrowFloat(type) || type == Elem::F32;
}

llvm::StringRef mlir::nautilus::frontend::spell(Elem type) {
  for (const ElemName &entry : elemNames)
    if (entry.type == type)
      return entry.name;
  llvm_unreachable("every type has a name");
}

std::optional<Elem> mlir::nautilus::frontend::parseElem(llvm::StringRef name) {
  for (const ElemName &entry : elemNames)
    if (entry.name == name && entry.type != Elem::Int && entry.type != Elem::Index)
      return entry.type;
  return std::nullopt;
}

/// A number in a shape is spelled as one although its dim has a name in IR.
static llvm::StringRef spellDim(const Dim *dim) {
  llvm::StringRef name = dim->name;
  name.consume_front("size.");
  return name;
}

std::string mlir::nautilus::frontend::spell(llvm::ArrayRef<const Dim *> extent) {
  return llvm::join(llvm::map_range(extent, [](const Dim *dim) { return spellDim(dim).str(); }),
                    "*");
}

Dim *Program::getLiteralDim(int64_t size, llvm::SMLoc loc) {
  // A name of the user's has no dot.
  std::string name = "size." + std::to_string(size);
  Dim *&dim = dimByName[name];
  if (!dim) {
    dim = &dims.emplace_back();
    dim->name = name;
    dim->loc = loc;
    dim->size = size;
  }
  dim->isExtent = true;
  return dim;
}
