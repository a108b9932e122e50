// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, casts, reductions and the expansion of definitions.

#include "Resolver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

//===----------------------------------------------------------------------===//
// Functions and reductions
//===----------------------------------------------------------------------===//

LogicalResult Resolver::resolveAxes(const Expr *call, Frame *frame,
                                    llvm::SmallVectorImpl<Axis *> &axes) {
  for (const AxisUse &use : call->axes) {
    Place place = at(use.name.loc, frame);
    Axis *axis = nullptr;
    if (frame) {
      axis = frame->axes.lookup(use.name.text);
      if (!axis)
        return diagnostics.error(place) << "`" << use.name.text << "` is not an axis of `"
                                        << frame->definition->name.text << "`";
    } else {
      axis = scope.axisByName.lookup(use.name.text);
      if (!axis)
        axis = createAxis(use.name, place);
    }
    if (!axis)
      return failure();
    if (llvm::is_contained(axes, axis))
      return diagnostics.error(place) << "axis `" << use.name.text << "` stands twice here";
    if (use.over) {
      std::optional<Extent> extent = resolveExtentOf(*use.over, place);
      if (!extent || failed(bind(axis, *extent, at(use.over->loc, frame), "declared")))
        return failure();
    }
    axes.push_back(axis);
  }
  return success();
}

Node *Resolver::resolveReduction(ReduceKind kind, const Expr *expr, Frame *frame) {
  Place place = at(expr->loc, frame);
  if (expr->args.size() != 1) {
    diagnostics.error(place) << "`" << expr->text << "[...]` combines one value, got "
                             << expr->args.size();
    return nullptr;
  }
  llvm::SmallVector<Axis *, 2> axes;
  if (failed(resolveAxes(expr, frame, axes)))
    return nullptr;
  for (Axis *axis : axes)
    ++visible[axis];
  llvm::scope_exit leave([&] {
    for (Axis *axis : axes)
      --visible[axis];
  });
  Node *value = resolve(expr->args[0], frame);
  if (!value)
    return nullptr;
  Node *condition = nullptr;
  if (expr->filter && !(condition = resolve(expr->filter, frame)))
    return nullptr;
  llvm::for_each(axes, [&](Axis *axis) { order(axis); });
  return builder.reduce(place, kind, axes, value, condition);
}

Node *Resolver::resolveFunction(const Function &function, const Expr *expr, Frame *frame) {
  Place place = at(expr->loc, frame);
  unsigned given = expr->args.size();
  if (given < function.minArgs || given > function.maxArgs) {
    InFlightDiagnostic diagnostic = diagnostics.error(place);
    diagnostic << "`" << expr->text << "` takes " << function.minArgs
               << (function.maxArgs > function.minArgs ? " or more" : "") << " argument"
               << (function.maxArgs == 1 ? "" : "s") << ", got " << given;
    if (lookupReduction(expr->text))
      diagnostics.help(diagnostic, expr->loc,
                       "to combine over an axis write `" + expr->text + "[k](...)`");
    return nullptr;
  }
  llvm::SmallVector<Node *, 3> args;
  if (failed(resolveArgs(expr, frame, args)))
    return nullptr;
  // max(a, b, c) is max(max(a, b), c).
  Node *result =
      builder.op(place, function.opcode, llvm::ArrayRef(args).take_front(std::min(2u, given)));
  for (unsigned i = 2; result && i < given; ++i)
    result = builder.op(place, function.opcode, {result, args[i]});
  return result;
}

Node *Resolver::resolveExtent(const Expr *expr, Frame *frame) {
  Place place = at(expr->loc, frame);
  const Expr *arg = expr->args.size() == 1 ? expr->args[0] : nullptr;
  Axis *axis = nullptr;
  if (arg && arg->kind == Expr::NameRef)
    axis = frame ? frame->axes.lookup(arg->text) : lookupAxis(arg->text, false, place);
  if (!axis) {
    diagnostics.error(place) << "`extent` takes one axis";
    return nullptr;
  }
  bool isStatic = !axis->extent.empty() &&
                  llvm::all_of(axis->extent, [](const Dim *dim) { return dim->size.has_value(); });
  if (!isStatic)
    return builder.extentOf(place, axis);
  Node *size = builder.integer(place, 1);
  for (const Dim *dim : axis->extent)
    size = builder.op(place, Opcode::Mul, {size, builder.dim(place, dim)});
  return size;
}

Node *Resolver::unknownFunction(const Expr *expr, Frame *frame) {
  InFlightDiagnostic diagnostic = diagnostics.error(at(expr->loc, frame));
  diagnostic << "unknown function `" << expr->text << "`";
  if (!frame && program.tensorByName.count(expr->text)) {
    diagnostics.help(diagnostic, expr->loc, "it is a tensor; a product is written with `*`");
    return nullptr;
  }
  llvm::SmallVector<llvm::StringRef> names;
  appendFunctionNames(names);
  library.appendNames(names);
  llvm::sort(names);
  llvm::StringRef nearest = findNearest(expr->text, names);
  if (!nearest.empty())
    diagnostics.help(diagnostic, expr->loc, "did you mean `" + nearest + "`?");
  return nullptr;
}

Node *Resolver::resolveCall(const Expr *expr, Frame *frame) {
  Place place = at(expr->loc, frame);
  const LibraryEntry *entry = library.lookup(expr->text);
  std::optional<ReduceKind> reduction = lookupReduction(expr->text);
  if (inSubscript && (entry || reduction)) {
    diagnostics.error(place) << "a subscript cannot use `" << expr->text << "`";
    return nullptr;
  }
  if (reduction && !expr->axes.empty())
    return resolveReduction(*reduction, expr, frame);
  if (entry) {
    unsigned &numTemporaries = scope.numTemporaries[scope.name];
    unsigned number = numTemporaries++;
    size_t before = program.statements.size();
    llvm::SmallVector<Node *, 2> results =
        expand(*entry, expr, 1, scope.name + "." + std::to_string(number), frame);
    // The number is free again if nothing was named with it.
    if (program.statements.size() == before && numTemporaries == number + 1)
      numTemporaries = number;
    return results.empty() ? nullptr : results[0];
  }
  const Function *function = lookupFunction(expr->text);
  std::optional<Elem> castType = parseElem(expr->text);
  bool isExtent = expr->text == "extent";
  if ((function || castType || isExtent) && !expr->axes.empty()) {
    diagnostics.error(place) << "`" << expr->text << "` takes no axes";
    return nullptr;
  }
  if (function)
    return resolveFunction(*function, expr, frame);
  if (isExtent)
    return resolveExtent(expr, frame);
  if (reduction) {
    InFlightDiagnostic diagnostic = diagnostics.error(place);
    diagnostic << "`" << expr->text << "` needs the axes that it combines over";
    diagnostics.help(diagnostic, expr->loc, "write `" + expr->text + "[k](...)`");
    return nullptr;
  }
  if (!castType)
    return unknownFunction(expr, frame);
  if (expr->args.size() != 1) {
    diagnostics.error(place) << "a cast takes one argument, got " << expr->args.size();
    return nullptr;
  }
  Node *value = resolve(expr->args[0], frame);
  return value ? builder.cast(place, *castType, value) : nullptr;
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

Node *Resolver::generate(llvm::StringRef name, Node *value) {
  // What needs no element is cheaper computed again than kept.
  if (!value->readsTensor)
    return value;
  GeneratedStatement *statement = &program.storage.emplace_back();
  statement->name = name.str();
  statement->place = value->place;
  statement->value = value;
  statement->type = NodeBuilder::getStoredType(value);
  statement->scope = &scope;
  program.statements.push_back(statement);
  return builder.local(value->place, statement);
}

LogicalResult Resolver::bindParams(const LibraryEntry &entry, const Expr *call, Frame *outer,
                                   Frame &inner) {
  const Definition &definition = *entry.definition;
  llvm::SmallVector<Axis *, 2> axes;
  if (failed(resolveAxes(call, outer, axes)))
    return failure();
  for (auto [name, axis] : llvm::zip(definition.axes, axes)) {
    inner.axes[name.text] = axis;
    ++visible[axis];
  }
  llvm::scope_exit leave([&] {
    for (Axis *axis : axes)
      --visible[axis];
  });
  llvm::SmallVector<Node *, 4> args;
  if (failed(resolveArgs(call, outer, args)))
    return failure();
  llvm::for_each(axes, [&](Axis *axis) { order(axis); });
  for (auto [param, arg] : llvm::zip(definition.params, args)) {
    bool isSimple = arg->kind != Node::Op && arg->kind != Node::Select && arg->kind != Node::Reduce;
    bool isShared = entry.combines && entry.uses.lookup(param.text) > 1;
    inner.values[param.text] =
        isShared && !isSimple ? generate(inner.prefix + "." + param.text.str(), arg) : arg;
  }
  return success();
}

LogicalResult Resolver::expandStatement(const LibraryEntry &entry, const Statement &statement,
                                        Frame &frame) {
  std::string prefix = frame.prefix + "." + statement.targets[0].name.text.str();
  llvm::SmallVector<Node *, 2> values =
      resolveWhole(statement.value, statement.targets.size(), prefix, &frame);
  if (values.empty())
    return failure();
  for (auto [target, value] : llvm::zip(statement.targets, values)) {
    llvm::StringRef name = target.name.text;
    if (name == "_")
      continue;
    // A result that the definition does not read itself is computed where it is used.
    bool isSimple = value->kind != Node::Op && value->kind != Node::Select &&
                    value->kind != Node::Reduce && value->kind != Node::Cast;
    bool isKept = entry.uses.lookup(name) > 0 && !isSimple;
    frame.values[name] = isKept ? generate(frame.prefix + "." + name.str(), value) : value;
  }
  return success();
}

llvm::SmallVector<Node *, 2> Resolver::expand(const LibraryEntry &entry, const Expr *call,
                                              unsigned numResults, const std::string &prefix,
                                              Frame *frame) {
  const Definition &definition = *entry.definition;
  Place place = at(call->loc, frame);
  auto mismatch = [&](const llvm::Twine &what, size_t expected, size_t got) {
    InFlightDiagnostic diagnostic = diagnostics.error(place);
    diagnostic << "`" << definition.name.text << "` " << what.str() << " " << expected << ", got "
               << got;
    diagnostics.note(diagnostic, definition.name.loc, "defined here");
    return llvm::SmallVector<Node *, 2>();
  };
  if (call->axes.size() != definition.axes.size())
    return mismatch("expects this many axes in brackets:", definition.axes.size(),
                    call->axes.size());
  if (call->args.size() != definition.params.size())
    return mismatch("expects this many arguments:", definition.params.size(), call->args.size());
  size_t given = definition.value ? 1 : definition.results.size();
  if (given != numResults)
    return mismatch("gives this many results:", given, numResults);
  if (call->filter) {
    diagnostics.error(at(call->filter->loc, frame))
        << "only a reduction takes a condition in its brackets";
    return {};
  }
  Frame inner;
  inner.definition = &definition;
  inner.call = &program.frames.emplace_back(CallFrame{definition.name.text, place});
  inner.prefix = prefix;
  if (failed(bindParams(entry, call, frame, inner)))
    return {};
  if (definition.value)
    return resolveWhole(definition.value, 1, prefix, &inner);
  for (const Statement &statement : definition.statements)
    if (failed(expandStatement(entry, statement, inner)))
      return {};
  llvm::SmallVector<Node *, 2> results;
  for (const Name &result : definition.results)
    results.push_back(inner.values.lookup(result.text));
  return results;
}

llvm::SmallVector<Node *, 2> Resolver::resolveWhole(const Expr *expr, unsigned numResults,
                                                    const std::string &prefix, Frame *frame) {
  const LibraryEntry *entry = expr->kind == Expr::Call ? library.lookup(expr->text) : nullptr;
  if (entry)
    return expand(*entry, expr, numResults, prefix, frame);
  if (numResults != 1) {
    InFlightDiagnostic diagnostic = diagnostics.error(at(expr->loc, frame));
    diagnostic << "a formula gives 1 result, got " << numResults << " names on the left";
    return {};
  }
  Node *value = resolve(expr, frame);
  return value ? llvm::SmallVector<Node *, 2>{value} : llvm::SmallVector<Node *, 2>{};
}

llvm::SmallVector<Node *, 2> Resolver::resolveStatement(const Expr *expr,
                                                        llvm::ArrayRef<Target> targets) {
  return resolveWhole(expr, targets.size(), scope.name, nullptr);
}
