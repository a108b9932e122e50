// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. Comparisons stand on arguments alone: on computed values they would turn
// roundings into other results.

#include "RandomSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::nautilus;

static constexpr int64_t largest = 24000; // points of a statement

RandomSpec::RandomSpec(uint64_t seed) : random(seed) {
  for (char letter : StringRef("MNKB").take_front(2 + below(3))) {
    int64_t extent =
        letter == 'B' ? pick<int64_t>({0, 1, 2, 3})
                      : pick<int64_t>({0, 1, 2, 5, 7, 8, 16, 17, 31, 32, 33, 40, 63, 64, 65, 72});
    std::string name(1, letter);
    dims[name] = extent;
    all += llvm::toLower(letter);
    if (chance(30) && extent > 0)
      clauses[letter] = name + " = " + std::to_string(extent);
    else if (chance(30))
      clauses[letter] = name + " ~ 4096";
  }
  for (int64_t i = 0, e = 1 + below(4); i < e; ++i) {
    switch (below(6)) {
    case 0:
      reduce();
      break;
    case 1:
    case 2:
      product();
      break;
    case 3:
      softmax();
      break;
    case 4:
      locate();
      break;
    default:
      map();
    }
  }
  if (numStatements == 0) {
    Axes axes = subset(all, 1);
    define(axes, cover(axes, formula(axes)));
  }
  for (Tensor &tensor : tensors) {
    double rounding = tensor.type == "f8e4m3" ? 0.07 : tensor.type == "bf16" ? 0.008 : 0.002;
    if (tensor.type != "f32" && tensor.type != "i64")
      tolerance = std::max(tolerance, rounding);
  }
  for (Tensor &tensor : tensors)
    tensor.isResult = !tensor.isArgument && (!tensor.isRead || chance(15));
}

RandomSpec::Axes RandomSpec::subset(Axes from, size_t count) {
  for (size_t i = from.size(); i > 1; --i)
    std::swap(from[i - 1], from[below(i)]);
  return from.substr(0, count);
}

int64_t RandomSpec::volume(const Axes &axes) const {
  int64_t points = 1;
  for (char axis : axes)
    points *= std::max<int64_t>(1, dims.lookup(std::string(1, llvm::toUpper(axis))));
  return points;
}

std::string RandomSpec::subscript(const Tensor &tensor) const {
  std::string list;
  for (char axis : tensor.axes)
    list += (list.empty() ? "" : ", ") + std::string(1, axis);
  return tensor.name + (list.empty() ? "" : "[" + list + "]");
}

std::string RandomSpec::argument(const Axes &axes) {
  Tensor tensor;
  tensor.name = "A" + std::to_string(numArguments++);
  tensor.axes = subset(axes, axes.size());
  tensor.type = pick<const char *>({"f16", "f16", "f16", "bf16", "f32", "f32", "f8e4m3"});
  tensor.isArgument = tensor.isRead = true;
  tensors.push_back(tensor);
  return subscript(tensor);
}

std::string RandomSpec::operand(const Axes &axes) {
  SmallVector<Tensor *> known;
  for (Tensor &tensor : tensors)
    if (tensor.type != "i64" &&
        llvm::all_of(tensor.axes, [&](char axis) { return axes.find(axis) != Axes::npos; }))
      known.push_back(&tensor);
  if (known.empty() || chance(35))
    return argument(subset(axes, 1 + below(axes.size())));
  Tensor *tensor = known[below(known.size())];
  tensor->isRead = true;
  return subscript(*tensor);
}

std::string RandomSpec::cover(const Axes &axes, std::string formula) {
  for (char axis : axes) {
    std::string name(1, axis);
    bool isThere = llvm::any_of(StringRef("[ "), [&](char before) {
      return StringRef(formula).contains(before + name + ",") ||
             StringRef(formula).contains(before + name + "]");
    });
    if (!isThere)
      formula = argument(name) + " * (" + formula + ")";
  }
  return formula;
}

void RandomSpec::define(const Axes &axes, const std::string &formula) {
  Tensor tensor;
  tensor.name = "T" + std::to_string(numStatements++);
  tensor.axes = axes;
  bool isPosition = StringRef(formula).starts_with("arg");
  // Infinities would meet one another in later formulas, and become NaN at one level only.
  bool isEmpty = llvm::any_of(dims, [](const auto &dim) { return dim.getValue() == 0; });
  tensor.isFinal = isPosition || isEmpty || StringRef(formula).contains("logsumexp");
  tensor.type = isPosition ? "i64" : pick<const char *>({"f32", "f32", "f16", "bf16"});
  std::string target;
  for (char axis : axes)
    target += (target.empty() ? "" : ", ") + std::string(1, axis) + ": " + llvm::toUpper(axis);
  body += "  " + tensor.name + (target.empty() ? "" : "[" + target + "]") + " = " + formula + "\n";
  tensors.push_back(tensor);
}

/// A condition on coordinates, or on arguments where there is only one axis.
std::string RandomSpec::mask(const Axes &axes) {
  if (axes.size() < 2)
    return argument(axes) + " > 0.25";
  std::string x(1, axes[0]), y(1, axes[1]);
  switch (below(4)) {
  case 0:
    return x + " <= " + y;
  case 1:
    return y + " <= " + x + " + " + std::to_string(below(9)) + " and " + x + " - " + y + " < 11";
  case 2:
    return x + " + " + y + " < " + std::to_string(3 + below(90));
  default:
    return argument(subset(axes, 1)) + " > " + argument(subset(axes, 1));
  }
}

std::string RandomSpec::formula(const Axes &axes) {
  std::string a = operand(axes);
  switch (below(9)) {
  case 0:
    return a + " + " + operand(axes);
  case 1:
    return a + " * " + operand(axes) + " - 0.5";
  case 2:
    return "max(" + a + ", " + operand(axes) + ")";
  case 3:
    return "exp(0.5 * tanh(" + a + "))";
  case 4:
    return a + " / (1.5 + abs(" + operand(axes) + "))";
  case 5:
    return a + " if " + mask(axes) + " else 0.25";
  case 6:
    return "sqrt(abs(" + a + ") + 1)";
  case 7:
    return "2 * f16(" + a + ")";
  default:
    return "gelu(" + a + ")";
  }
}

void RandomSpec::map() {
  Axes axes = subset(all, 1 + below(std::min<size_t>(3, all.size())));
  if (volume(axes) <= largest)
    define(axes, cover(axes, formula(axes)));
}

void RandomSpec::reduce() {
  Axes axes = subset(all, 1 + below(std::min<size_t>(3, all.size())));
  if (volume(axes) > largest)
    return;
  std::string over(1, axes.back()), kind = pick<const char *>({"sum", "max", "min", "mean"});
  if (axes.size() > 2 && kind != "mean" && chance(30))
    over += std::string(", ") + axes[1];
  std::string inner = cover(axes, chance(50) ? operand(axes) : formula(axes));
  define(axes.substr(0, axes.size() - (over.size() > 1 ? 2 : 1)),
         kind + "[" + over + "](" + inner + ")");
}

void RandomSpec::product() {
  Axes axes = subset(all, std::min<size_t>(3, all.size()));
  if (volume(axes) > largest * 4)
    return;
  std::string k(1, axes.back());
  Axes free = axes.substr(0, axes.size() - 1);
  Axes left = k + free.substr(0, 1), right = free.size() > 1 ? k + free.substr(1) : k;
  std::string a = chance(40) ? operand(left) : argument(left);
  // A factor over fewer axes is no product for tensor cores, and right all the same.
  define(free, "sum[" + k + "](" + a + " * " + argument(right) + ")" +
                   pick<const char *>({"", " * 0.125", " + 1"}));
}

void RandomSpec::softmax() {
  Axes axes = subset(all, std::min<size_t>(2, all.size()));
  if (volume(axes) > largest)
    return;
  std::string scores = cover(axes, operand(axes));
  if (chance(50))
    scores = scores + " if " + mask(axes) + " else -inf";
  std::string kind = pick<const char *>({"softmax", "softmax", "logsumexp"});
  define(kind == "softmax" ? axes : axes.substr(0, axes.size() - 1),
         kind + "[" + axes.back() + "](" + scores + ")");
}

void RandomSpec::locate() {
  Axes axes = subset(all, std::min<size_t>(2, all.size()));
  define(axes.substr(0, axes.size() - 1), pick<const char *>({"argmax[", "argmin["}) +
                                              std::string(1, axes.back()) + "](" + argument(axes) +
                                              ")");
}

std::string RandomSpec::text() const {
  std::string arguments, results;
  for (const Tensor &tensor : tensors) {
    std::string shape, &list = tensor.isArgument ? arguments : results;
    if (!tensor.isArgument && !tensor.isResult)
      continue;
    for (char axis : tensor.axes)
      shape += (shape.empty() ? "" : ", ") + std::string(1, llvm::toUpper(axis));
    list += (list.empty() ? "" : ", ") + tensor.name + ": " + tensor.type + "[" + shape + "]";
  }
  std::string where;
  for (auto [letter, clause] : clauses)
    if (StringRef(arguments + results).contains(letter + std::string("]")) ||
        StringRef(arguments + results).contains(letter + std::string(",")))
      where += (where.empty() ? " where " : ", ") + clause;
  return "kernel k(" + arguments + ") -> (" + results + ")" + where + " {\n" + body + "}\n";
}

interpreter::Tensor mlir::nautilus::makeInLayout(interpreter::ElementKind kind,
                                                 ArrayRef<int64_t> shape, uint64_t seed) {
  std::mt19937_64 random(seed);
  interpreter::Tensor tensor(kind, shape);
  if (random() % 2) {
    // Dims in a random order from the innermost one on, with gaps of random size.
    SmallVector<unsigned> order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    if (random() % 2)
      for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random() % i]);
    int64_t stride = random() % 4 ? 1 : 2;
    for (unsigned dim : order) {
      tensor.strides[dim] = stride;
      stride = stride * std::max<int64_t>(1, shape[dim]) + int64_t(random() % 3) * 8;
    }
    tensor.data.resize(tensor.getNumElements() ? stride : 0);
    tensor.fill(interpreter::poisonOf(kind));
  }
  fillRandom(tensor, seed);
  return tensor;
}
