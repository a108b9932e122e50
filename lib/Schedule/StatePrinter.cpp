// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The canonical text of a state, from which equality and hash follow. Axes and loops are numbered
// by first appearance in tree order.

#include "nautilus/Schedule/State.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

namespace {
class StatePrinter {
public:
  StatePrinter(raw_ostream &os, const State &state, Naming naming)
      : os(os), state(state), named(naming == Naming::Named) {}

  void run() {
    for (unsigned stmt : state.getOrder())
      statementNumbers.try_emplace(stmt, statementNumbers.size());
    for (Node root : state.roots) {
      printLaunch(state.getLaunch(root));
      printNodes(root, 0);
    }
    os << "return";
    for (const ValueRef &value : state.outputs) {
      os << " ";
      printValue(value);
    }
    os << "\n";
  }

private:
  void printLaunch(const LaunchOptions &options) {
    if (options == LaunchOptions())
      return;
    os << "launch warps " << options.warps << " stages " << options.stages
       << (options.persistent ? " persistent" : "") << " order "
       << mlir::nautilus::scalar::stringifyGridOrder(options.order) << "\n";
  }

  void printNodes(ArrayRef<Node> nodes, unsigned depth) {
    for (Node node : nodes) {
      os.indent(2 * depth);
      if (!node.isLoop()) {
        printStatement(state.statements[node.id]);
        continue;
      }
      const Loop &loop = state.loops[node.id];
      os << (loop.isGrid ? "grid " : "for ");
      printAxis(loop.axis);
      os << " tile ";
      printTile(loop.tile);
      if (loop.split)
        os << " split by " << loop.split->conditions.size();
      if (loop.part) {
        os << " part ";
        printAxis(*loop.part);
      }
      os << "\n";
      printNodes(loop.children, depth + 1);
    }
  }

  /// `#2(j)`, or `#2:dynamic` without names.
  void printAxis(unsigned axis) {
    unsigned number = axisNumbers.try_emplace(axis, axisNumbers.size()).first->second;
    os << "#" << number;
    const Axis &info = state.axes[axis];
    if (named)
      os << ":" << info.dim;
    else if (!ShapedType::isDynamic(info.extent))
      os << "=" << info.extent;
  }

  void printTile(const TileSize &tile) {
    if (!named && !tile.knob.empty())
      os << "$" << knobNumbers.try_emplace(tile.knob, knobNumbers.size()).first->second;
    else if (tile.isOpen())
      os << tile.knob;
    else
      os << tile.value;
  }

  void printValue(const ValueRef &value) {
    if (value.kind == ValueRef::Kind::Argument) {
      os << "arg" << value.id;
      return;
    }
    if (value.kind == ValueRef::Kind::Previous)
      os << "previous ";
    if (named)
      os << state.statements[value.id].name;
    else
      os << "%" << statementNumbers.lookup(value.id);
    if (value.result != 0)
      os << "#" << value.result;
  }

  void printAxes(ArrayRef<Statement::LocalAxis> axes) {
    os << " [";
    llvm::interleaveComma(axes, os, [&](const Statement::LocalAxis &local) {
      if (named)
        os << local.name << " = ";
      printAxis(local.axis);
    });
    os << "]";
  }

  void printStatement(const Statement &statement) {
    os << (statement.isReduce() ? "reduce" : "map");
    if (named)
      os << " " << statement.name;
    printAxes(statement.getParallelAxes());
    if (statement.isReduce()) {
      os << " over";
      printAxes(statement.getReductionAxes());
    }
    for (const Read &read : statement.reads) {
      os << " ";
      printValue(read.value);
      os << read.map;
    }
    for (const ValueRef &init : statement.inits) {
      os << " init ";
      printValue(init);
    }
    SmallVector<StringRef> names;
    for (const Statement::LocalAxis &local : statement.axes)
      names.push_back(local.name);
    os << " body "
       << llvm::format_hex(llvm::xxh3_64bits(statement.body->getCanonicalText(names)), 18) << "\n";
  }

  raw_ostream &os;
  const State &state;
  bool named;
  llvm::DenseMap<unsigned, unsigned> axisNumbers, statementNumbers;
  llvm::StringMap<unsigned> knobNumbers;
};
} // namespace

void mlir::nautilus::schedule::print(raw_ostream &os, const State &state, Naming naming) {
  StatePrinter(os, state, naming).run();
}

static std::string getText(const State &state, Naming naming) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, state, naming);
  return text;
}

bool mlir::nautilus::schedule::operator==(const State &a, const State &b) {
  return getText(a, Naming::Named) == getText(b, Naming::Named);
}

uint64_t mlir::nautilus::schedule::hashState(const State &state) {
  return llvm::xxh3_64bits(getText(state, Naming::Anonymous));
}
