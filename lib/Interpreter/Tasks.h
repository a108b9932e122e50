// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The roles of a thread block as tasks that take turns: exactly one runs at a time, the next is
// chosen by a seed among those that can go on, so that every run can be repeated and different
// seeds give different interleavings.

#ifndef NAUTILUS_LIB_INTERPRETER_TASKS_H
#define NAUTILUS_LIB_INTERPRETER_TASKS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <random>

namespace mlir::nautilus::interpreter {

class Tasks {
public:
  /// How a wait ended. After a deadlock every waiting task learns of it, one at a time; `Stopped`:
  /// another task failed.
  enum class Wait { Ready, Deadlock, Stopped };

  explicit Tasks(uint64_t seed) : random(seed) {}

  /// Runs the functions as tasks until all have returned; false if a task returned false or all
  /// that were left waited for ever.
  bool run(llvm::ArrayRef<std::function<bool()>> functions);

  /// Called by a task: gives others a turn, and returns once `ready` holds. `ready` is evaluated
  /// while no task runs.
  Wait wait(llvm::function_ref<bool()> ready);

private:
  struct Task {
    std::condition_variable turn;
    const llvm::function_ref<bool()> *ready = nullptr; ///< Null: it can go on.
    bool finished = false;
  };
  /// Chooses the next task; the lock is held.
  void passTurn();

  std::mutex mutex;
  std::mt19937_64 random;
  std::deque<Task> tasks;
  size_t current = 0;
  bool stopped = false, deadlocked = false;
};

} // namespace mlir::nautilus::interpreter

#endif
