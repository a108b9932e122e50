// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cascades of reductions over one axis for tests of the repair solver: builds them, solves each,
// and runs all of them fused, tile by tile, against the formulas.

#ifndef NAUTILUS_UNITTESTS_SCHEDULE_SOLVERFIXTURE_H
#define NAUTILUS_UNITTESTS_SCHEDULE_SOLVERFIXTURE_H

#include "nautilus/Schedule/Solver.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace mlir::nautilus::schedule {

class SolverFixture : public ::testing::Test {
protected:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  using Element = llvm::DenseMap<Expr, ScalarValue>;
  using Row = std::vector<Element>;

  ExprContext c;
  RepairSolver solver{c};
  Expr s = leaf(LeafRole::Element, 0), v = leaf(LeafRole::Element, 1),
       w = leaf(LeafRole::Element, 2), scale = leaf(LeafRole::Uniform, 0);
  Expr extent = c.cast(leaf(LeafRole::DimExtent, 0, ScalarType::Index), ScalarType::F32);
  std::optional<double> extentValue;
  bool hasCount = true;
  SmallVector<FrontierValue> frontier;
  std::vector<Repair> repairs;
  std::mt19937 random{7};

  Expr leaf(LeafRole role, unsigned index, ScalarType type = ScalarType::F32) {
    return c.leaf(role, index, type);
  }
  Expr equals(Expr x, double value) {
    return c.cmpF(arith::CmpFPredicate::OEQ, x, c.constant(value));
  }
  /// 0 in place of the maximum of nothing.
  Expr orZero(Expr m) { return c.select(equals(m, -infinity), c.constant(0), m); }

  RepairProblem getProblem(CombinerKind reducer, Expr body, RepairPolicy policy) {
    RepairProblem problem;
    problem.reducer = reducer;
    problem.body = body;
    problem.frontier = frontier;
    problem.hasCount = hasCount;
    problem.extentDim = 0;
    problem.extentValue = extentValue;
    problem.policy = policy;
    return problem;
  }

  /// Adds a reduction; returns its value for later bodies, or null if it is refused.
  Expr reduce(CombinerKind reducer, Expr body, RepairPolicy policy = {}) {
    const RepairResult &result = solver.solve(getProblem(reducer, body, policy));
    if (!result) {
      ADD_FAILURE() << toString(body) << ": " << getText(result.getRefusal());
      return nullptr;
    }
    repairs.push_back(*result);
    frontier.push_back({reducer, body, !result->result->isLeaf()});
    return leaf(LeafRole::Frontier, frontier.size() - 1);
  }
  Refusal refuse(CombinerKind reducer, Expr body, RepairPolicy policy = {}) {
    const RepairResult &result = solver.solve(getProblem(reducer, body, policy));
    if (!result)
      return result.getRefusal();
    ADD_FAILURE() << toString(body) << " was solved";
    return {RefusalKind::NotVerified};
  }
  const Repair &getLast() { return repairs.back(); }
  void refit() {
    frontier.clear();
    repairs.clear();
  }

  //===-- Rows ------------------------------------------------------------===//

  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(random);
  }
  Row makeRow(unsigned size, double offset, double spread) {
    double factor = uniform(0.5, 1.5);
    Row row(size);
    for (auto [j, e] : llvm::enumerate(row)) {
      e[s] = {static_cast<float>(offset + uniform(-spread, spread)), 0};
      e[v] = {static_cast<float>(uniform(-1, 1)), 0};
      e[w] = {static_cast<float>(uniform(-1, 1)), 0};
      e[leaf(LeafRole::Element, 1, ScalarType::F16)] = {roundTo(uniform(-1, 1), ScalarType::F16),
                                                        0};
      e[leaf(LeafRole::Element, 5, ScalarType::I1)] = {0, random() % 3 != 0};
      e[leaf(LeafRole::AxisIndex, 0, ScalarType::Index)] = {0, int64_t(j)};
      e[scale] = {static_cast<float>(factor), 0};
      e[leaf(LeafRole::Uniform, 2)] = {0.5, 0};
      e[leaf(LeafRole::Uniform, 3, ScalarType::Index)] = {0, 3};
      e[leaf(LeafRole::DimExtent, 0, ScalarType::Index)] = {0, int64_t(size)};
    }
    return row;
  }
  std::vector<Row> bounded() {
    std::vector<Row> rows;
    for (unsigned trial = 0; trial < 6; ++trial)
      rows.push_back(makeRow(24, 0, 2));
    Row equal = makeRow(24, 0, 2);
    for (Element &e : equal)
      e[s] = equal[0][s];
    rows.push_back(equal);
    if (!extentValue)
      rows.push_back(makeRow(1, 0, 2));
    return rows;
  }
  std::vector<Row> shifted(double offset) {
    return {makeRow(24, offset, 1), makeRow(24, -offset, 1)};
  }
  /// For bodies that are safe for every score.
  std::vector<Row> scores() {
    std::vector<Row> rows = bounded();
    rows.push_back(makeRow(24, 0, 1000));
    rows.push_back(makeRow(23, -100, 5));
    rows.push_back(makeRow(23, 100, 5));
    for (unsigned trial = 0; trial < 3; ++trial) // dead tiles, then scores near -100
      rows.push_back(makeRow(24, -100, 3));
    for (unsigned j = 0; j < 24; ++j) {
      rows[rows.size() - 1][j][s].f = -infinity; // a dead row
      if (j < 9)
        rows[rows.size() - 2][j][s].f = -infinity;
      if (j % 3 || j > 18)
        rows[rows.size() - 3][j][s].f = -infinity;
    }
    return rows;
  }

  //===-- Runs ------------------------------------------------------------===//

  static double combine(CombinerKind kind, double a, double b) {
    switch (kind) {
    case CombinerKind::Add:
      return a + b;
    case CombinerKind::Mul:
      return a * b;
    case CombinerKind::Max:
      return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b);
    default:
      return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b);
    }
  }
  static double identity(CombinerKind kind) {
    switch (kind) {
    case CombinerKind::Add:
      return 0;
    case CombinerKind::Mul:
      return 1;
    case CombinerKind::Max:
      return -infinity;
    default:
      return infinity;
    }
  }

  void setLeaves(Evaluator &evaluator, const Element &element, ArrayRef<double> values, bool old,
                 double count) {
    for (auto [key, value] : element)
      evaluator.set(key, value);
    for (auto [i, value] : llvm::enumerate(values))
      evaluator.set(leaf(old ? LeafRole::FrontierOld : LeafRole::Frontier, i), value);
    evaluator.set(leaf(old ? LeafRole::CountOld : LeafRole::Count, 0), count);
  }

  /// Each reduction finished before the next starts. `scales`: sums of magnitudes.
  SmallVector<double> runFormula(const Row &row, SmallVectorImpl<double> &scales) {
    SmallVector<double> values;
    for (const FrontierValue &reduction : frontier) {
      double value = identity(reduction.reducer), scale = 0;
      for (const Element &element : row) {
        Evaluator evaluator(EvalMode::Real);
        setLeaves(evaluator, element, values, false, row.size());
        double x = evaluator.evaluateFloat(reduction.element);
        value = combine(reduction.reducer, value, x);
        scale = reduction.reducer == CombinerKind::Add ? scale + std::fabs(x) : std::fabs(value);
      }
      values.push_back(value);
      scales.push_back(scale);
    }
    return values;
  }

  /// All reductions in one loop over tiles, with repairs.
  SmallVector<double> runFused(const Row &row, unsigned tile, EvalMode mode) {
    auto round = [&](double x) { return mode == EvalMode::Real ? x : roundTo(x, ScalarType::F32); };
    std::vector<SmallVector<double>> carried;
    SmallVector<double> old;
    for (auto [repair, reduction] : llvm::zip(repairs, frontier)) {
      carried.emplace_back();
      for (const CarriedValue &value : repair.carried)
        carried.back().push_back(identity(value.reducer));
      old.push_back(identity(reduction.reducer));
    }
    for (unsigned start = 0; start < row.size(); start += tile) {
      unsigned end = std::min<size_t>(start + tile, row.size());
      SmallVector<double> values;
      for (unsigned q = 0; q < repairs.size(); ++q) {
        auto makeEvaluator = [&](const Element &element) {
          Evaluator evaluator(mode);
          setLeaves(evaluator, element, values, false, end);
          setLeaves(evaluator, element, old, true, start);
          for (auto [i, value] : llvm::enumerate(carried[q]))
            for (ScalarType type : {ScalarType::F16, ScalarType::F32})
              evaluator.set(leaf(LeafRole::Accumulator, i, type), value);
          return evaluator;
        };
        SmallVector<double> next;
        for (auto [i, value] : llvm::enumerate(repairs[q].carried)) {
          Evaluator evaluator = makeEvaluator(row[0]);
          next.push_back(value.repair ? evaluator.evaluateFloat(value.repair) : carried[q][i]);
        }
        for (unsigned j = start; j < end; ++j)
          for (auto [i, value] : llvm::enumerate(repairs[q].carried))
            next[i] = round(combine(value.reducer, next[i],
                                    makeEvaluator(row[j]).evaluateFloat(value.element)));
        carried[q] = next;
        values.push_back(makeEvaluator(row[0]).evaluateFloat(repairs[q].result));
      }
      old = values;
    }
    return old;
  }

  /// Compares all reductions on all rows, in double to 1e-9 and in f32 to `tolerance`.
  void checkRows(const std::vector<Row> &rows, double tolerance) {
    for (auto [number, row] : llvm::enumerate(rows)) {
      SmallVector<double> scales;
      SmallVector<double> expected = runFormula(row, scales);
      for (EvalMode mode : {EvalMode::Real, EvalMode::Typed}) {
        SmallVector<double> actual = runFused(row, 5, mode);
        for (unsigned q = 0; q < expected.size(); ++q) {
          bool bothNaN = std::isnan(expected[q]) && std::isnan(actual[q]);
          if (bothNaN || expected[q] == actual[q])
            continue;
          double limit = (mode == EvalMode::Real ? 1e-9 : tolerance) * (scales[q] + 1e-6);
          EXPECT_LE(std::fabs(expected[q] - actual[q]), limit)
              << "row " << number << ", reduction " << q << ": " << actual[q] << ", not "
              << expected[q] << (mode == EvalMode::Real ? " (f64)" : " (f32)");
        }
      }
    }
  }
};

} // namespace mlir::nautilus::schedule

#endif
