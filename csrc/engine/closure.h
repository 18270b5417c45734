// push_closure: a lambda as an engine task. It captures what it uses, NDArrays by value.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "core/ndarray.h"
#include "engine/engine.h"

namespace hybrid {
namespace engine {

template <class F>
struct ClosureTask : Task {
  F body;
  std::vector<StorageRef> held;  // keeps alive what the lambda may only point at
  explicit ClosureTask(F f) : body(std::move(f)) {}
  void run(Resources& resources) override { body(resources); }
};

// push_closure([=](Resources& r) {...}, {x.storage}, {y.storage}, props)
template <class F>
void push_closure(F body, const std::vector<StorageRef>& reads,
                  const std::vector<StorageRef>& writes, const Props& props) {
  auto task = std::make_unique<ClosureTask<F>>(std::move(body));
  std::vector<Storage*> r, w;
  for (const StorageRef& s : reads) r.push_back(s.get());
  for (const StorageRef& s : writes) w.push_back(s.get());
  task->held = reads;
  task->held.insert(task->held.end(), writes.begin(), writes.end());
  push(std::move(task), r.data(), static_cast<int>(r.size()), w.data(), static_cast<int>(w.size()),
       props);
}

}  // namespace engine
}  // namespace hybrid
