// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads definitions and checks what can be checked without their use: names, results, recursion.

#include "Library.h"
#include "Functions.h"
#include "Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

static void visitFormulas(const Definition &definition,
                          llvm::function_ref<void(const Expr &)> visit) {
  auto walk = [&](auto &self, const Expr *expr) -> void {
    visit(*expr);
    for (const Expr *arg : expr->args)
      self(self, arg);
    if (expr->filter)
      self(self, expr->filter);
  };
  if (definition.value)
    walk(walk, definition.value);
  for (const Statement &statement : definition.statements)
    walk(walk, statement.value);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Declares `name` in the scope of one definition.
static LogicalResult declare(SpecDiagnostics &diagnostics, const Name &name,
                             llvm::StringMap<llvm::SMLoc> &scope) {
  auto [it, isNew] = scope.try_emplace(name.text, name.loc);
  if (isNew)
    return success();
  InFlightDiagnostic diagnostic = diagnostics.error(name.loc);
  diagnostic << "`" << name.text << "` is declared twice";
  diagnostics.note(diagnostic, it->second, "first declared here");
  return diagnostic;
}

static LogicalResult checkTargets(SpecDiagnostics &diagnostics, const Definition &definition,
                                  llvm::StringMap<llvm::SMLoc> &scope,
                                  llvm::StringSet<> &assigned) {
  for (const Statement &statement : definition.statements)
    for (const Target &target : statement.targets) {
      if (target.axes)
        return diagnostics.error(target.name.loc)
               << "a name in a definition takes its axes from its formula; write it without "
                  "subscripts";
      if (target.name.text == "_")
        continue;
      if (failed(declare(diagnostics, target.name, scope)))
        return failure();
      assigned.insert(target.name.text);
    }
  return success();
}

static LogicalResult checkDefinition(SpecDiagnostics &diagnostics, const Definition &definition,
                                     const LibraryEntry &entry) {
  if (isReservedName(definition.name.text))
    return diagnostics.error(definition.name.loc)
           << "`" << definition.name.text << "` is a word of the language and cannot be defined";
  llvm::StringMap<llvm::SMLoc> scope;
  for (const Name &axis : definition.axes)
    if (failed(declare(diagnostics, axis, scope)))
      return failure();
  for (const Name &param : definition.params) {
    if (failed(declare(diagnostics, param, scope)))
      return failure();
    if (!entry.uses.count(param.text))
      return diagnostics.error(param.loc) << "parameter `" << param.text << "` is never used";
  }
  llvm::StringSet<> assigned;
  if (failed(checkTargets(diagnostics, definition, scope, assigned)))
    return failure();
  if (!definition.value && definition.results.empty())
    return diagnostics.error(definition.name.loc) << "a definition needs a result";
  for (const Name &result : definition.results)
    if (!assigned.contains(result.text))
      return diagnostics.error(result.loc) << "result `" << result.text << "` of `"
                                           << definition.name.text << "` has no statement";
  return success();
}

LogicalResult Library::checkRecursion(SpecDiagnostics &diagnostics) const {
  enum State { New, Open, Done };
  llvm::StringMap<State> states;
  LogicalResult result = success();
  auto visit = [&](auto &self, const LibraryEntry &entry, llvm::SMLoc use, unsigned depth) -> bool {
    State &state = states[entry.definition->name.text];
    if (state == Done)
      return true;
    // A chain this long would not fit the stack; no sound library has one.
    if (state == Open || depth > 200) {
      InFlightDiagnostic diagnostic = diagnostics.error(use);
      diagnostic << "definition `" << entry.definition->name.text << "` uses itself";
      diagnostics.note(diagnostic, entry.definition->name.loc, "defined here");
      return false;
    }
    state = Open;
    bool isSound = true;
    visitFormulas(*entry.definition, [&](const Expr &expr) {
      const LibraryEntry *callee = expr.kind == Expr::Call ? lookup(expr.text) : nullptr;
      if (callee && isSound)
        isSound = self(self, *callee, expr.loc, depth + 1);
    });
    states[entry.definition->name.text] = Done;
    return isSound;
  };
  for (const auto &entry : entries)
    if (!visit(visit, entry.second, entry.second.definition->name.loc, 0))
      result = failure();
  return result;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

LogicalResult Library::add(SpecDiagnostics &diagnostics, const File &file) {
  LogicalResult result = success();
  llvm::StringMap<llvm::SMLoc> own;
  for (const Definition &definition : file.definitions) {
    if (failed(declare(diagnostics, definition.name, own))) {
      result = failure();
      continue;
    }
    LibraryEntry entry;
    entry.definition = &definition;
    visitFormulas(definition, [&](const Expr &expr) {
      if (expr.kind == Expr::Call)
        entry.combines |= !expr.axes.empty() || !isReservedName(expr.text);
      else if (expr.kind == Expr::NameRef || expr.kind == Expr::Subscript)
        ++entry.uses[expr.text];
    });
    if (failed(checkDefinition(diagnostics, definition, entry))) {
      result = failure();
      continue;
    }
    entries[definition.name.text] = std::move(entry);
  }
  return result;
}

LogicalResult Library::parse(SpecDiagnostics &diagnostics,
                             std::unique_ptr<llvm::MemoryBuffer> buffer) {
  llvm::SourceMgr &sourceMgr = diagnostics.getSourceMgr();
  unsigned id = sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  File &file = files.emplace_back();
  if (failed(Parser(diagnostics, sourceMgr.getMemoryBuffer(id)->getBuffer(), file).parseFile()))
    return failure();
  if (!file.kernels.empty())
    return diagnostics.error(file.kernels.front().name.loc)
           << "a library file holds definitions only";
  return add(diagnostics, file);
}

LogicalResult Library::load(SpecDiagnostics &diagnostics, const SpecOptions &options) {
  if (options.useStandardLibrary)
    for (const StandardFile &file : getStandardLibrary())
      if (failed(parse(diagnostics, llvm::MemoryBuffer::getMemBuffer(file.text, file.name))))
        return failure();
  for (const std::string &path : options.libraryFiles) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return emitError(FileLineColLoc::get(diagnostics.getContext(), path, 0, 0))
             << "cannot read the library file: " << buffer.getError().message();
    if (failed(parse(diagnostics, std::move(*buffer))))
      return failure();
  }
  return success();
}

const LibraryEntry *Library::lookup(llvm::StringRef name) const {
  auto it = entries.find(name);
  return it == entries.end() ? nullptr : &it->second;
}

void Library::appendNames(llvm::SmallVectorImpl<llvm::StringRef> &names) const {
  for (const auto &entry : entries)
    names.push_back(entry.first());
}
