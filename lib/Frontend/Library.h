// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definitions that a spec may use: those of the standard library, of the files that the options
// name, and of the spec itself, where a later one replaces an earlier one of its name.

#ifndef NAUTILUS_FRONTEND_LIBRARY_H
#define NAUTILUS_FRONTEND_LIBRARY_H

#include "AST.h"
#include "SpecDiagnostics.h"
#include "nautilus/Frontend/Frontend.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::nautilus::frontend {

struct LibraryEntry {
  const Definition *definition = nullptr;
  /// How often each name occurs in formulas of the definition.
  llvm::StringMap<unsigned> uses;
  /// Whether a formula may combine over an axis, so that its parameters are read at other points.
  bool combines = false;
};

/// A file of the standard library, embedded when the compiler is built.
struct StandardFile {
  llvm::StringRef name, text;
};
llvm::ArrayRef<StandardFile> getStandardLibrary();

class Library {
public:
  /// Parses the library files. Errors are reported.
  LogicalResult load(SpecDiagnostics &diagnostics, const SpecOptions &options);
  /// Adds the definitions of `file`, which the caller keeps.
  LogicalResult add(SpecDiagnostics &diagnostics, const File &file);
  /// Rejects definitions that use themselves.
  LogicalResult checkRecursion(SpecDiagnostics &diagnostics) const;

  const LibraryEntry *lookup(llvm::StringRef name) const;
  void appendNames(llvm::SmallVectorImpl<llvm::StringRef> &names) const;

private:
  LogicalResult parse(SpecDiagnostics &diagnostics, std::unique_ptr<llvm::MemoryBuffer> buffer);

  std::deque<File> files;
  llvm::StringMap<LibraryEntry> entries;
};

} // namespace mlir::nautilus::frontend

#endif
