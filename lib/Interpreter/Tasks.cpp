// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks as threads of which one at a time holds the turn.

#include "Tasks.h"

#include "llvm/ADT/STLExtras.h"

#include <thread>

using namespace mlir::nautilus::interpreter;

static thread_local size_t self = 0;

void Tasks::choose() {
  llvm::SmallVector<size_t> candidates;
  for (size_t i = 0; i < finished.size(); ++i)
    if (!finished[i])
      candidates.push_back(i);
  if (!candidates.empty())
    current = candidates[random() % candidates.size()];
  turn.notify_all();
}

bool Tasks::wait(llvm::function_ref<bool()> ready) {
  std::unique_lock<std::mutex> lock(mutex);
  for (bool first = true;; first = false) {
    if (failed || deadlocked)
      return false;
    if (!first && ready()) {
      waiting[self] = false;
      return true;
    }
    // Everybody is stuck when all that are left wait and nobody's condition came true since the
    // last round.
    waiting[self] = !ready();
    bool allWait = true;
    for (size_t i = 0; i < finished.size(); ++i)
      allWait &= finished[i] || waiting[i];
    idleTurns = allWait ? idleTurns + 1 : 0;
    if (idleTurns > 64 * finished.size()) {
      deadlocked = true;
      turn.notify_all();
      return false;
    }
    choose();
    turn.wait(lock, [&] { return current == self || failed || deadlocked; });
  }
}

bool Tasks::run(llvm::ArrayRef<std::function<bool()>> functions) {
  finished.assign(functions.size(), false);
  waiting.assign(functions.size(), false);
  idleTurns = 0;
  failed = deadlocked = false;
  choose();
  llvm::SmallVector<std::thread> threads;
  for (size_t i = 0; i < functions.size(); ++i)
    threads.emplace_back([this, i, &functions] {
      self = i;
      {
        std::unique_lock<std::mutex> lock(mutex);
        turn.wait(lock, [&] { return current == self || failed || deadlocked; });
        if (failed || deadlocked)
          return;
      }
      bool good = functions[i]();
      std::unique_lock<std::mutex> lock(mutex);
      finished[i] = true;
      failed |= !good;
      choose();
    });
  for (std::thread &thread : threads)
    thread.join();
  return !failed && !deadlocked;
}
