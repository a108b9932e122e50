// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, subscripts, operators and axes; calls are in ResolveCalls.cpp.

#include "Resolver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <utility>

using namespace mlir;
using namespace mlir::nautilus::frontend;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

std::optional<Extent> mlir::nautilus::frontend::lookupExtent(Program &program,
                                                             SpecDiagnostics &diagnostics,
                                                             const DimProduct &product, Place place,
                                                             bool mayDeclare) {
  Extent extent;
  for (const DimProduct::Factor &factor : product.factors) {
    if (factor.size) {
      extent.push_back(program.getLiteralDim(*factor.size, factor.name.loc));
      continue;
    }
    Dim *&dim = program.dimByName[factor.name.text];
    if (!dim && !mayDeclare) {
      program.dimByName.erase(factor.name.text);
      InFlightDiagnostic diagnostic = diagnostics.error(Place{factor.name.loc, place.frame});
      diagnostic << "unknown dim `" << factor.name.text << "`";
      diagnostics.help(diagnostic, factor.name.loc,
                       "a dim is declared by the shape of an argument or a result");
      return std::nullopt;
    }
    if (!dim) {
      dim = &program.dims.emplace_back();
      dim->name = factor.name.text.str();
      dim->loc = factor.name.loc;
    }
    dim->isExtent = true;
    extent.push_back(dim);
  }
  return extent;
}

std::optional<Extent> Resolver::resolveExtentOf(const DimProduct &product, Place place) {
  return lookupExtent(program, diagnostics, product, place, /*mayDeclare=*/false);
}

void Resolver::order(Axis *axis) {
  if (axis->order == ~0u)
    axis->order = scope.numOrdered++;
}

Axis *Resolver::createAxis(const Name &name, Place place) {
  const char *clash = program.dimByName.count(name.text)      ? "dim"
                      : program.tensorByName.count(name.text) ? "tensor"
                      : lookupConstant(name.text)             ? "constant"
                                                              : nullptr;
  if (clash) {
    diagnostics.error(place) << "expected an axis, got the " << clash << " `" << name.text << "`";
    return nullptr;
  }
  Axis *axis = &scope.axes.emplace_back();
  axis->name = name.text;
  axis->place = place;
  scope.axisByName[name.text] = axis;
  return axis;
}

Axis *Resolver::lookupAxis(llvm::StringRef name, bool mayIntroduce, Place place) {
  Axis *axis = scope.axisByName.lookup(name);
  if (!axis && impliedAxes && mayIntroduce)
    axis = createAxis({name, place.loc}, place);
  if (!axis || (!impliedAxes && !visible.lookup(axis)))
    return nullptr;
  order(axis);
  return axis;
}

Axis *Resolver::declareAxis(const AxisUse &use) {
  Place place{use.name.loc};
  if (Axis *previous = scope.axisByName.lookup(use.name.text)) {
    InFlightDiagnostic diagnostic = diagnostics.error(place);
    diagnostic << "axis `" << use.name.text << "` stands twice on the left";
    diagnostics.note(diagnostic, previous->place.loc, "first here");
    return nullptr;
  }
  Axis *axis = createAxis(use.name, place);
  if (!axis)
    return nullptr;
  order(axis);
  ++visible[axis];
  if (!use.over)
    return axis;
  std::optional<Extent> extent = resolveExtentOf(*use.over, place);
  if (!extent || failed(bind(axis, *extent, Place{use.over->loc}, "declared")))
    return nullptr;
  return axis;
}

LogicalResult Resolver::bind(Axis *axis, const Extent &extent, Place place,
                             const llvm::Twine &what) {
  if (axis->extent.empty()) {
    axis->extent = extent;
    axis->boundAt = place.loc;
    axis->boundBy = what.str();
    return success();
  }
  if (axis->extent == extent)
    return success();
  if (std::exchange(axis->hasConflict, true))
    return failure();
  InFlightDiagnostic diagnostic = diagnostics.error(place);
  diagnostic << "axis `" << axis->name << "` runs over `" << spell(axis->extent)
             << "` and cannot run over `" << spell(extent) << "` (" << what.str() << ")";
  diagnostics.note(diagnostic, axis->boundAt,
                   "it runs over `" + spell(axis->extent) + "` because of this (" + axis->boundBy +
                       ")");
  llvm::ArrayRef<const Dim *> whole = axis->extent, part = extent;
  if (whole.size() == 1 && part.size() == 1 && whole[0]->size && part[0]->size &&
      *whole[0]->size < *part[0]->size)
    diagnostics.help(diagnostic, place.loc,
                     "to read the first part of the dim only, write `" + axis->name + " + 0`");
  if (axis->extent.size() > 1 && extent.size() < axis->extent.size()) {
    if (whole.take_front(part.size()) == part)
      diagnostics.help(diagnostic, place.loc,
                       "write `" + axis->name + " / " + spell(whole.drop_front(part.size())) + "`");
    else if (whole.take_back(part.size()) == part)
      diagnostics.help(diagnostic, place.loc, "write `" + axis->name + " % " + spell(part) + "`");
  }
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Node *Resolver::resolveLiteral(const Expr *expr, Frame *frame) {
  Place place = at(expr->loc, frame);
  if (expr->kind == Expr::Boolean)
    return builder.boolean(place, expr->text == "true");
  int64_t integer;
  if (expr->kind == Expr::Integer && !expr->text.getAsInteger(10, integer))
    return builder.integer(place, integer);
  double value;
  // A number past the range of a double is infinite, which getAsDouble allows on request.
  if (expr->text.getAsDouble(value, /*AllowInexact=*/true)) {
    diagnostics.error(place) << "malformed number `" << expr->text << "`";
    return nullptr;
  }
  return builder.number(place, value);
}

Node *Resolver::resolveBareTensor(Place place, Tensor *tensor) {
  tensor->isUsed = true;
  if (tensor->isPoisoned)
    return nullptr;
  if (tensor->axisNames.size() != tensor->dims.size()) {
    InFlightDiagnostic diagnostic = diagnostics.error(place);
    diagnostic << "`" << tensor->name << "` needs subscripts here, as the axes of an argument have "
               << "no names";
    diagnostics.note(diagnostic, tensor->loc, "declared here");
    return nullptr;
  }
  llvm::SmallVector<Node *> subscripts;
  for (auto [name, extent] : llvm::zip(tensor->axisNames, tensor->dims)) {
    Axis *axis = lookupAxis(name, /*mayIntroduce=*/true, place);
    if (!axis) {
      InFlightDiagnostic diagnostic = diagnostics.error(place);
      diagnostic << "axis `" << name << "` of `" << tensor->name
                 << "` is neither on the left nor reduced here";
      diagnostics.note(diagnostic, tensor->loc, "`" + tensor->name + "` has its axes from here");
      diagnostics.help(diagnostic, place.loc, "add the axis on the left, or write the subscripts");
      return nullptr;
    }
    if (failed(bind(axis, extent, place, "axis of `" + tensor->name + "`")))
      return nullptr;
    subscripts.push_back(builder.axis(place, axis));
  }
  return builder.read(place, tensor, subscripts);
}

Node *Resolver::unknownAxis(const Expr *expr, InFlightDiagnostic &diagnostic) {
  diagnostic << "unknown axis `" << expr->text << "`";
  llvm::SmallVector<llvm::StringRef> names;
  for (const auto &entry : scope.axisByName)
    if (visible.lookup(entry.second))
      names.push_back(entry.first());
  llvm::sort(names);
  llvm::StringRef nearest = findNearest(expr->text, names);
  if (!nearest.empty())
    diagnostics.help(diagnostic, expr->loc, "did you mean `" + nearest + "`?");
  else
    diagnostics.help(diagnostic, expr->loc,
                     "an axis stands on the left, or is reduced as in `sum[" + expr->text +
                         "](...)`");
  return nullptr;
}

Node *Resolver::unknownName(const Expr *expr, Frame *frame) {
  InFlightDiagnostic diagnostic = diagnostics.error(at(expr->loc, frame));
  llvm::SmallVector<llvm::StringRef> names;
  if (frame) {
    for (const auto &entry : frame->values)
      names.push_back(entry.first());
    for (const auto &entry : frame->axes)
      names.push_back(entry.first());
  } else {
    if (scope.axisByName.count(expr->text)) {
      diagnostic << "axis `" << expr->text << "` is not visible here: it is neither on the left "
                 << "nor reduced around this use";
      return nullptr;
    }
    if (inSubscript)
      return unknownAxis(expr, diagnostic);
    for (const auto &entry : program.dimByName)
      names.push_back(entry.first());
    for (const auto &entry : program.tensorByName)
      if (entry.second->kind == Tensor::Argument || entry.second->isAssigned)
        names.push_back(entry.first());
  }
  if (Tensor *tensor = frame ? nullptr : program.tensorByName.lookup(expr->text)) {
    diagnostic << "`" << expr->text << "` is used before its statement";
    diagnostics.note(diagnostic, tensor->loc, "declared here");
    return nullptr;
  }
  diagnostic << "unknown name `" << expr->text << "`";
  llvm::sort(names);
  llvm::StringRef nearest = findNearest(expr->text, names);
  if (!nearest.empty())
    diagnostics.help(diagnostic, expr->loc, "did you mean `" + nearest + "`?");
  return nullptr;
}

Node *Resolver::resolveName(const Expr *expr, Frame *frame) {
  Place place = at(expr->loc, frame);
  if (frame) {
    if (Node *value = frame->values.lookup(expr->text))
      return value;
    if (Axis *axis = frame->axes.lookup(expr->text)) {
      order(axis);
      return builder.axis(place, axis);
    }
  } else {
    if (Axis *axis = lookupAxis(expr->text, /*mayIntroduce=*/false, place))
      return builder.axis(place, axis);
    if (Dim *dim = program.dimByName.lookup(expr->text)) {
      dim->isNamed = true;
      return builder.dim(place, dim);
    }
    Tensor *tensor = program.tensorByName.lookup(expr->text);
    if (tensor && (tensor->kind == Tensor::Argument || tensor->isAssigned)) {
      if (!inSubscript)
        return resolveBareTensor(place, tensor);
      diagnostics.error(place) << "a gather is not supported: a subscript cannot read the tensor `"
                               << expr->text << "`";
      return nullptr;
    }
  }
  if (std::optional<double> constant = lookupConstant(expr->text))
    return builder.number(place, *constant);
  return unknownName(expr, frame);
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

Node *Resolver::resolveOneSubscript(const Expr *expr, const Extent &extent,
                                    const llvm::Twine &what) {
  llvm::SaveAndRestore inside(inSubscript, true);
  if (expr->kind != Expr::NameRef)
    return resolve(expr, nullptr);
  Axis *axis = lookupAxis(expr->text, !program.dimByName.count(expr->text), Place{expr->loc});
  if (!axis)
    return resolveName(expr, nullptr);
  if (failed(bind(axis, extent, Place{expr->loc}, what)))
    return nullptr;
  return builder.axis(Place{expr->loc}, axis);
}

Node *Resolver::resolveSubscript(const Expr *expr, Frame *frame) {
  Place place = at(expr->loc, frame);
  if (frame) {
    diagnostics.error(place) << "a definition reads its parameters as they are given; `"
                             << expr->text << "` cannot have subscripts here";
    return nullptr;
  }
  Tensor *tensor = program.tensorByName.lookup(expr->text);
  if (!tensor || (tensor->kind != Tensor::Argument && !tensor->isAssigned))
    return unknownName(expr, frame);
  tensor->isUsed = true;
  if (tensor->isPoisoned)
    return nullptr;
  if (inSubscript) {
    diagnostics.error(place) << "a gather is not supported: a subscript cannot read the tensor `"
                             << expr->text << "`";
    return nullptr;
  }
  if (expr->args.size() != tensor->dims.size()) {
    InFlightDiagnostic diagnostic = diagnostics.error(place);
    diagnostic << "`" << tensor->name << "` has " << tensor->dims.size() << " dim"
               << (tensor->dims.size() == 1 ? "" : "s") << ", got " << expr->args.size()
               << " subscript" << (expr->args.size() == 1 ? "" : "s");
    diagnostics.note(diagnostic, tensor->loc, "declared here");
    return nullptr;
  }
  llvm::SmallVector<Node *> subscripts;
  for (auto [i, arg] : llvm::enumerate(expr->args)) {
    Node *subscript = resolveOneSubscript(
        arg, tensor->dims[i], "dim " + llvm::Twine(i + 1) + " of `" + tensor->name + "`");
    if (!subscript)
      return nullptr;
    if (subscript->type != Elem::Index && subscript->type != Elem::Int) {
      diagnostics.error(subscript->place) << "expected a whole number as subscript";
      return nullptr;
    }
    subscripts.push_back(subscript);
  }
  return builder.read(place, tensor, subscripts);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static Opcode getOpcode(Token::Kind kind) {
  switch (kind) {
  case Token::Plus:
    return Opcode::Add;
  case Token::Minus:
    return Opcode::Sub;
  case Token::Star:
    return Opcode::Mul;
  case Token::Slash:
    return Opcode::Div;
  case Token::Percent:
    return Opcode::Mod;
  case Token::StarStar:
    return Opcode::Pow;
  case Token::Less:
    return Opcode::Less;
  case Token::LessEqual:
    return Opcode::LessEqual;
  case Token::Greater:
    return Opcode::Greater;
  case Token::GreaterEqual:
    return Opcode::GreaterEqual;
  case Token::EqualEqual:
    return Opcode::Equal;
  case Token::NotEqual:
    return Opcode::NotEqual;
  case Token::KwAnd:
    return Opcode::And;
  case Token::KwOr:
    return Opcode::Or;
  default:
    llvm_unreachable("not a binary operator");
  }
}

LogicalResult Resolver::resolveArgs(const Expr *expr, Frame *frame,
                                    llvm::SmallVectorImpl<Node *> &args) {
  // All of them, so that each reports its errors.
  LogicalResult result = success();
  for (const Expr *arg : expr->args) {
    Node *node = resolve(arg, frame);
    if (!node)
      result = failure();
    args.push_back(node);
  }
  return result;
}

Node *Resolver::resolveUnary(const Expr *expr, Frame *frame) {
  Node *arg = resolve(expr->args[0], frame);
  if (!arg)
    return nullptr;
  return builder.op(at(expr->loc, frame), expr->op == Token::Minus ? Opcode::Neg : Opcode::Not,
                    arg);
}

Node *Resolver::resolveBinary(const Expr *expr, Frame *frame) {
  llvm::SmallVector<Node *, 2> args;
  if (failed(resolveArgs(expr, frame, args)))
    return nullptr;
  Opcode opcode = getOpcode(expr->op);
  if (inSubscript && opcode == Opcode::Div)
    opcode = Opcode::FloorDiv;
  return builder.op(at(expr->loc, frame), opcode, args);
}

Node *Resolver::resolveConditional(const Expr *expr, Frame *frame) {
  llvm::SmallVector<Node *, 3> args;
  if (failed(resolveArgs(expr, frame, args)))
    return nullptr;
  return builder.select(at(expr->loc, frame), args[1], args[0], args[2]);
}

Node *Resolver::resolve(const Expr *expr, Frame *frame) {
  switch (expr->kind) {
  case Expr::Integer:
  case Expr::Decimal:
  case Expr::Boolean:
    return resolveLiteral(expr, frame);
  case Expr::NameRef:
    return resolveName(expr, frame);
  case Expr::Subscript:
    return resolveSubscript(expr, frame);
  case Expr::Call:
    return resolveCall(expr, frame);
  case Expr::Unary:
    return resolveUnary(expr, frame);
  case Expr::Binary:
    return resolveBinary(expr, frame);
  case Expr::Conditional:
    return resolveConditional(expr, frame);
  }
  llvm_unreachable("every kind of expression is resolved above");
}
