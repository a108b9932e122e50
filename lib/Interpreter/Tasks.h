// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles of a thread block as tasks that take turns: exactly one runs at a time, the next is chosen
// by a seed, so that every run can be repeated and different seeds give different interleavings.

#ifndef NAUTILUS_LIB_INTERPRETER_TASKS_H
#define NAUTILUS_LIB_INTERPRETER_TASKS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>

namespace mlir::nautilus::interpreter {

class Tasks {
public:
  explicit Tasks(uint64_t seed) : random(seed) {}

  /// Runs the functions as tasks until all have returned; false if some task failed or all that are
  /// left wait for ever.
  bool run(llvm::ArrayRef<std::function<bool()>> functions);

  /// Called by a task: gives others a turn, and returns once `ready` holds; false if that can never
  /// be (deadlock) or another task failed.
  bool wait(llvm::function_ref<bool()> ready);

  bool isDeadlocked() const { return deadlocked; }

private:
  /// Chooses the next task among those that may run; the lock is held.
  void choose();

  std::mutex mutex;
  std::condition_variable turn;
  std::mt19937_64 random;
  llvm::SmallVector<bool> finished, waiting;
  size_t current = 0, idleTurns = 0;
  bool failed = false, deadlocked = false;
};

} // namespace mlir::nautilus::interpreter

#endif
