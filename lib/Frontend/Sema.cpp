// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the dims and tensors of a kernel, checks its statements one by one, and then what only
// the whole kernel shows: missing results, unused arguments.

#include "Sema.h"
#include "Resolver.h"
#include "Subscripts.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

namespace {
class KernelChecker {
public:
  KernelChecker(SpecDiagnostics &diagnostics, const Library &library, Numerics numerics,
                const KernelDecl &kernel, Program &program)
      : diagnostics(diagnostics), library(library), kernel(kernel), program(program),
        builder(program, diagnostics, numerics) {}

  LogicalResult check();

private:
  void declareTensors(llvm::ArrayRef<TensorDecl> decls, Tensor::Kind kind);
  void declareClauses();
  void checkDims();

  void checkStatement(const Statement &statement);
  /// The tensors of the left side; empty after an error that leaves nothing to define.
  LogicalResult declareTargets(const Statement &statement,
                               llvm::SmallVectorImpl<Tensor *> &targets);
  LogicalResult declareAxes(Resolver &resolver, const Target &target, Tensor *tensor,
                            llvm::SmallVectorImpl<Axis *> &axes);
  LogicalResult checkAxes(Resolver &resolver, const Target &target, Tensor *tensor, Node *value,
                          llvm::SmallVectorImpl<Axis *> &axes);
  LogicalResult define(const Target &target, Tensor *tensor, Node *value,
                       llvm::ArrayRef<Axis *> axes, StatementScope &scope);
  LogicalResult checkScope(StatementScope &scope);
  LogicalResult checkResultType(const Target &target, Tensor *tensor, Node *value);

  void convertResult(Tensor *result);
  void checkUnused();

  SpecDiagnostics &diagnostics;
  const Library &library;
  const KernelDecl &kernel;
  Program &program;
  NodeBuilder builder;
};
} // namespace

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void KernelChecker::declareTensors(llvm::ArrayRef<TensorDecl> decls, Tensor::Kind kind) {
  for (const TensorDecl &decl : decls) {
    if (Tensor *previous = program.tensorByName.lookup(decl.name.text)) {
      InFlightDiagnostic diagnostic = diagnostics.error(decl.name.loc);
      diagnostic << "`" << decl.name.text << "` is declared twice";
      diagnostics.note(diagnostic, previous->loc, "first declared here");
      continue;
    }
    if (lookupConstant(decl.name.text) || decl.name.text == "_") {
      diagnostics.error(decl.name.loc)
          << "`" << decl.name.text << "` is a word of the language and cannot name a tensor";
      continue;
    }
    std::optional<Elem> type = parseElem(decl.type.text);
    if (!type) {
      InFlightDiagnostic diagnostic = diagnostics.error(decl.type.loc);
      diagnostic << "unknown element type `" << decl.type.text << "`";
      diagnostics.help(diagnostic, decl.type.loc,
                       "the types are f32, f16, bf16, f8e4m3, f8e5m2, i8, i32, i64 and bool");
    }
    Tensor *tensor = &program.tensors.emplace_back();
    tensor->name = decl.name.text;
    tensor->loc = decl.name.loc;
    tensor->type = tensor->readType = type.value_or(Elem::F32);
    tensor->kind = kind;
    tensor->isPoisoned = !type;
    for (const DimProduct &product : decl.dims)
      tensor->dims.push_back(
          *lookupExtent(program, diagnostics, product, Place{product.loc}, /*mayDeclare=*/true));
    auto &list = kind == Tensor::Argument ? program.arguments : program.results;
    tensor->argumentNumber = list.size();
    list.push_back(tensor);
    program.tensorByName[decl.name.text] = tensor;
  }
}

void KernelChecker::declareClauses() {
  for (const DimClause &clause : kernel.clauses) {
    Dim *&dim = program.dimByName[clause.name.text];
    if (!dim) {
      dim = &program.dims.emplace_back();
      dim->name = clause.name.text.str();
    }
    if (dim->hasClause) {
      InFlightDiagnostic diagnostic = diagnostics.error(clause.name.loc);
      diagnostic << "dim `" << clause.name.text << "` is given twice";
      diagnostics.note(diagnostic, dim->loc, "first given here");
      continue;
    }
    dim->loc = clause.name.loc;
    dim->hasClause = true;
    if (clause.isHint)
      dim->hint = clause.value;
    else
      dim->size = clause.value;
  }
}

void KernelChecker::checkDims() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Dim &dim : program.dims)
    if (dim.isExtent)
      names.push_back(dim.name);
  for (const Dim &dim : program.dims) {
    if (Tensor *tensor = program.tensorByName.lookup(dim.name)) {
      InFlightDiagnostic diagnostic = diagnostics.error(tensor->loc);
      diagnostic << "`" << dim.name << "` names both a tensor and a dim";
      diagnostics.note(diagnostic, dim.loc, "the dim");
    }
    // A dim with a number may serve as a named constant.
    if (dim.isExtent || dim.size)
      continue;
    InFlightDiagnostic diagnostic = diagnostics.error(dim.loc);
    diagnostic << "dim `" << dim.name << "` is in no shape of the kernel";
    llvm::StringRef nearest = findNearest(dim.name, names);
    if (!nearest.empty())
      diagnostics.help(diagnostic, dim.loc, "did you mean `" + nearest + "`?");
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

LogicalResult KernelChecker::declareTargets(const Statement &statement,
                                            llvm::SmallVectorImpl<Tensor *> &targets) {
  bool isSound = true;
  for (const Target &target : statement.targets) {
    llvm::StringRef name = target.name.text;
    if (name == "_") {
      targets.push_back(nullptr);
      continue;
    }
    Tensor *&tensor = program.tensorByName[name];
    if (tensor && (tensor->isAssigned || tensor->kind == Tensor::Argument)) {
      InFlightDiagnostic diagnostic = diagnostics.error(target.name.loc);
      diagnostic << (tensor->kind == Tensor::Argument ? "an argument cannot be assigned: `"
                                                      : "a name has one statement only: `")
                 << name << "`";
      diagnostics.note(diagnostic, tensor->loc, "first here");
      isSound = false;
      continue;
    }
    if (!tensor && (program.dimByName.count(name) || lookupConstant(name))) {
      program.tensorByName.erase(name);
      diagnostics.error(target.name.loc)
          << "`" << name << "` is a " << (lookupConstant(name) ? "constant" : "dim")
          << "; an intermediate needs another name";
      isSound = false;
      continue;
    }
    if (!tensor) {
      tensor = &program.tensors.emplace_back();
      tensor->name = name;
    }
    if (llvm::is_contained(targets, tensor)) {
      diagnostics.error(target.name.loc) << "`" << name << "` stands twice on the left";
      isSound = false;
    }
    if (tensor->kind == Tensor::Intermediate)
      tensor->loc = target.name.loc;
    targets.push_back(tensor);
  }
  return success(isSound);
}

LogicalResult KernelChecker::declareAxes(Resolver &resolver, const Target &target, Tensor *tensor,
                                         llvm::SmallVectorImpl<Axis *> &axes) {
  for (const AxisUse &use : *target.axes) {
    Axis *axis = resolver.declareAxis(use);
    if (!axis)
      return failure();
    axes.push_back(axis);
  }
  return success();
}

LogicalResult KernelChecker::checkAxes(Resolver &resolver, const Target &target, Tensor *tensor,
                                       Node *value, llvm::SmallVectorImpl<Axis *> &axes) {
  if (!target.axes)
    axes.assign(value->freeAxes.begin(), value->freeAxes.end());
  for (Axis *axis : value->freeAxes) {
    if (llvm::is_contained(axes, axis))
      continue;
    InFlightDiagnostic diagnostic = diagnostics.error(axis->place);
    diagnostic << "axis `" << axis->name << "` is neither on the left of `" << target.name.text
               << "` nor reduced";
    diagnostics.help(diagnostic, target.name.loc,
                     "add it here, or combine over it as in `sum[" + axis->name + "](...)`");
    return diagnostic;
  }
  if (!tensor || tensor->kind != Tensor::Result)
    return success();
  if (axes.size() != tensor->dims.size()) {
    InFlightDiagnostic diagnostic = diagnostics.error(target.name.loc);
    diagnostic << "result `" << tensor->name << "` has " << tensor->dims.size()
               << " dim(s), its statement has " << axes.size() << " axes";
    diagnostics.note(diagnostic, tensor->loc, "declared here");
    return diagnostic;
  }
  for (auto [i, axis] : llvm::enumerate(axes))
    if (failed(resolver.bind(axis, tensor->dims[i], Place{axis->place.loc},
                             "dim " + llvm::Twine(i + 1) + " of `" + tensor->name + "`")))
      return failure();
  return success();
}

LogicalResult KernelChecker::checkScope(StatementScope &scope) {
  llvm::SmallVector<Axis *> axes;
  for (Axis &axis : scope.axes) {
    if (axis.extent.empty()) {
      InFlightDiagnostic diagnostic = diagnostics.error(axis.place);
      diagnostic << "axis `" << axis.name
                 << "` has no extent: it is no plain subscript of a tensor";
      diagnostics.help(diagnostic, axis.place.loc,
                       "write the dim that it runs over, as in `" + axis.name + ": N`");
      return diagnostic;
    }
    if (axis.order == ~0u)
      axis.order = scope.numOrdered++;
    axes.push_back(&axis);
  }
  llvm::sort(axes, [](Axis *a, Axis *b) { return a->order < b->order; });
  for (Axis *axis : axes) {
    axis->firstFlat = scope.flatAxes.size();
    llvm::StringMap<unsigned> repeated;
    for (auto [i, dim] : llvm::enumerate(axis->extent)) {
      std::string name = axis->name.str();
      if (axis->extent.size() > 1)
        name += "." + dim->name;
      if (unsigned number = repeated[dim->name]++)
        name += "." + std::to_string(number);
      scope.flatAxes.push_back({axis, unsigned(i), dim, name});
    }
  }
  return success();
}

LogicalResult KernelChecker::checkResultType(const Target &target, Tensor *tensor, Node *value) {
  bool isBool = value->type == Elem::Bool;
  bool isSound =
      isBool == (tensor->type == Elem::Bool) && (isFloat(tensor->type) || !isFloat(value->type));
  if (isSound)
    return success();
  InFlightDiagnostic diagnostic = diagnostics.error(target.name.loc);
  diagnostic << "result `" << tensor->name << "` is declared " << spell(tensor->type)
             << " and its formula gives " << spell(value->type);
  diagnostics.note(diagnostic, tensor->loc, "declared here");
  if (!isBool)
    diagnostics.help(diagnostic, target.name.loc,
                     "convert it, as in `" + spell(tensor->type) + "(...)`");
  return diagnostic;
}

LogicalResult KernelChecker::define(const Target &target, Tensor *tensor, Node *value,
                                    llvm::ArrayRef<Axis *> axes, StatementScope &scope) {
  if (!tensor)
    return success();
  if (tensor->kind == Tensor::Result && failed(checkResultType(target, tensor, value)))
    return failure();
  GeneratedStatement *statement = &program.storage.emplace_back();
  statement->name = tensor->name.str();
  statement->place = Place{target.name.loc};
  statement->value = value;
  statement->type = NodeBuilder::getStoredType(value);
  // A number alone takes the type of the result; a whole one keeps its value.
  if (tensor->kind == Tensor::Result && value->type == Elem::Int)
    statement->type = tensor->type;
  statement->scope = &scope;
  statement->axes.emplace(axes.begin(), axes.end());
  program.statements.push_back(statement);
  tensor->definition = statement;
  tensor->readType = statement->type;
  for (Axis *axis : axes) {
    tensor->axisNames.push_back(axis->name);
    if (tensor->kind != Tensor::Result)
      tensor->dims.push_back(axis->extent);
  }
  return success();
}

void KernelChecker::checkStatement(const Statement &statement) {
  llvm::SmallVector<Tensor *, 2> tensors;
  LogicalResult result = declareTargets(statement, tensors);
  size_t firstStatement = program.statements.size();
  StatementScope &scope = program.scopes.emplace_back();
  scope.name = statement.targets.front().name.text.str();
  bool impliedAxes = llvm::none_of(statement.targets,
                                   [](const Target &target) { return target.axes.has_value(); });
  Resolver resolver(program, library, diagnostics, builder, scope, impliedAxes);

  auto checkAll = [&]() -> LogicalResult {
    llvm::SmallVector<llvm::SmallVector<Axis *>> axes(statement.targets.size());
    for (auto [i, target] : llvm::enumerate(statement.targets))
      if (target.axes && failed(declareAxes(resolver, target, tensors[i], axes[i])))
        return failure();
    auto values = resolver.resolveStatement(statement.value, statement.targets);
    if (values.empty())
      return failure();
    for (auto [i, target] : llvm::enumerate(statement.targets))
      if (failed(checkAxes(resolver, target, tensors[i], values[i], axes[i])))
        return failure();
    if (failed(checkScope(scope)))
      return failure();
    SubscriptLowering subscripts(diagnostics, scope);
    for (size_t i = firstStatement; i < program.statements.size(); ++i)
      if (failed(subscripts.lower(program.statements[i]->value)))
        return failure();
    for (Node *value : values)
      if (failed(subscripts.lower(value)))
        return failure();
    for (auto [i, target] : llvm::enumerate(statement.targets))
      if (failed(define(target, tensors[i], values[i], axes[i], scope)))
        return failure();
    return success();
  };
  if (succeeded(result))
    result = checkAll();
  for (Tensor *tensor : tensors) {
    if (!tensor)
      continue;
    tensor->isAssigned = true;
    tensor->isPoisoned |= failed(result);
  }
}

//===----------------------------------------------------------------------===//
// The whole kernel
//===----------------------------------------------------------------------===//

void KernelChecker::convertResult(Tensor *result) {
  GeneratedStatement *statement = result->output = result->definition;
  if (statement->type == result->type)
    return;
  // A reduction keeps the type that it combines in, and a value that others read is not rounded.
  if (statement->value->kind != Node::Reduce && !result->isUsed) {
    statement->value = builder.cast(statement->value->place, result->type, statement->value);
    statement->type = result->type;
    return;
  }
  GeneratedStatement *converted = &program.storage.emplace_back();
  *converted = *statement;
  converted->name += ".cast";
  converted->type = result->type;
  converted->value = builder.cast(statement->value->place, result->type,
                                  builder.local(statement->value->place, statement));
  program.statements.push_back(converted);
  result->output = converted;
}

void KernelChecker::checkUnused() {
  for (const Dim &dim : program.dims)
    if (!dim.isExtent && !dim.isNamed)
      diagnostics.error(dim.loc) << "dim `" << dim.name << "` is never used";
  for (Tensor &tensor : program.tensors) {
    if (tensor.isUsed || tensor.kind == Tensor::Result)
      continue;
    InFlightDiagnostic diagnostic = diagnostics.error(tensor.loc);
    if (tensor.kind == Tensor::Argument) {
      diagnostic << "argument `" << tensor.name << "` is never read";
      continue;
    }
    diagnostic << "`" << tensor.name << "` is computed and never used";
    diagnostics.help(diagnostic, tensor.loc,
                     "remove it, or name it `_` if the definition gives it");
  }
}

LogicalResult KernelChecker::check() {
  unsigned errorsBefore = diagnostics.getNumErrors();
  auto isSound = [&] { return diagnostics.getNumErrors() == errorsBefore; };
  program.name = kernel.name.text;
  program.loc = kernel.name.loc;
  declareTensors(kernel.arguments, Tensor::Argument);
  declareTensors(kernel.results, Tensor::Result);
  declareClauses();
  checkDims();
  if (kernel.results.empty())
    diagnostics.error(kernel.name.loc) << "a kernel needs a result";
  // Statements over dims or tensors that are not there would repeat the same errors.
  if (!isSound())
    return failure();
  for (const Statement &statement : kernel.statements)
    checkStatement(statement);
  for (Tensor *result : program.results)
    if (!result->isAssigned)
      diagnostics.error(result->loc) << "result `" << result->name << "` has no statement";
  if (isSound())
    checkUnused();
  if (!isSound())
    return failure();
  for (Tensor *result : program.results)
    convertResult(result);
  return success(isSound());
}

LogicalResult mlir::nautilus::frontend::checkKernel(SpecDiagnostics &diagnostics,
                                                    const Library &library, Numerics numerics,
                                                    const KernelDecl &kernel, Program &program) {
  return KernelChecker(diagnostics, library, numerics, kernel, program).check();
}
