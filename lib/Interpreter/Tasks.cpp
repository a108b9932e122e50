// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks as threads of which one at a time holds the turn.

#include "Tasks.h"

#include <thread>

using namespace mlir::nautilus::interpreter;

static thread_local size_t self = 0;

void Tasks::passTurn() {
  llvm::SmallVector<size_t> unfinished, able;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].finished)
      continue;
    unfinished.push_back(i);
    if (!tasks[i].ready || (*tasks[i].ready)())
      able.push_back(i);
  }
  if (unfinished.empty())
    return;
  deadlocked |= able.empty() && !stopped;
  // The rest winds up in order when nothing can go on.
  current = stopped || deadlocked ? unfinished.front() : able[random() % able.size()];
  tasks[current].turn.notify_one();
}

Tasks::Wait Tasks::wait(llvm::function_ref<bool()> ready) {
  std::unique_lock<std::mutex> lock(mutex);
  size_t me = self;
  tasks[me].ready = &ready;
  passTurn();
  tasks[me].turn.wait(lock, [&] { return current == me; });
  tasks[me].ready = nullptr;
  return deadlocked ? Wait::Deadlock : stopped ? Wait::Stopped : Wait::Ready;
}

bool Tasks::run(llvm::ArrayRef<std::function<bool()>> functions) {
  tasks.clear();
  tasks.resize(functions.size());
  stopped = deadlocked = false;
  current = functions.size();
  llvm::SmallVector<std::thread> threads;
  for (size_t i = 0; i < functions.size(); ++i)
    threads.emplace_back([this, i, &functions] {
      self = i;
      std::unique_lock<std::mutex> lock(mutex);
      tasks[i].turn.wait(lock, [&] { return current == i; });
      bool goOn = !stopped && !deadlocked;
      lock.unlock();
      bool good = goOn && functions[i]();
      lock.lock();
      tasks[i].finished = true;
      stopped |= !good;
      passTurn();
    });
  {
    std::lock_guard<std::mutex> lock(mutex);
    passTurn();
  }
  for (std::thread &thread : threads)
    thread.join();
  return !stopped;
}
