// Running a program on several devices: every part and copy is an operation of the engine.
#include <algorithm>
#include <atomic>

#include "core/device_name.h"
#include "core/error.h"
#include "engine/closure.h"
#include "engine/run_time.h"
#include "engine/trace.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "launch/launch.h"
#include "program/placed.h"

namespace hybrid {
namespace {

using Placed = Program::Placed;

void check_inputs(const Graph& graph, const std::vector<NDArray>& inputs) {
  require(inputs.size() == graph.inputs.size(), "program: expected ", graph.inputs.size(),
          " inputs, given ", inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node& n = graph.node(graph.inputs[i]);
    const NDArray& a = inputs[i];
    require(a.defined(), "program: input '", n.name, "' has no value");
    require(a.dtype == n.dtypes[0] && a.shape == n.shapes[0], "program: input '", n.name,
            "' was compiled for ", dtype_name(n.dtypes[0]), " ", n.shapes[0], ", given ",
            dtype_name(a.dtype), " ", a.shape);
    require(same_device(a.ctx(), n.ctx), "program: input '", n.name, "' was compiled for ",
            n.ctx.str(), ", given on ", a.ctx().str());
  }
}

// On the copy lane of the device that is not the host; between two, of the one that it goes to.
NDArray push_copy(const NDArray& from, Context to, uint32_t site) {
  static const uint32_t name = trace::intern_name("copy_to_device");
  const NDArray made = NDArray::empty(from.shape, from.dtype, to);
  engine::Props props;
  props.ctx = to.is_cpu() ? from.ctx() : to;
  if (!props.ctx.is_cpu()) {
    props.lane = to.is_cpu() ? engine::LaneKind::copy_out : engine::LaneKind::copy_in;
  }
  props.cost_ns = 20 + 0.2 * static_cast<double>(from.nbytes());
  props.bytes = from.nbytes();
  props.name = name;
  props.site = site != 0 ? site : current_site();
  engine::push_closure(
      [from, made, time = engine::RunTime::current()](Resources& resources) mutable {
        const engine::RunTimeRef mine = std::move(time);
        const engine::RunTimeSpan span(mine, resources);
        strided_copy(view_of(from), view_of(made), resources);
        resources.reset_workspace();
      },
      {from.storage}, {made.storage}, props);
  return made;
}

// Writes the new contents of an array of the caller's. When what they wait for has failed it never
// runs, and the array is as it was.
struct CommitTask : engine::Task {
  NDArray from, to;
  StorageRef gate;
  engine::RunTimeRef time = engine::RunTime::current();
  std::atomic<bool> begun{false};
  bool left_alone(const engine::Var&) const override { return !begun; }
  void run(Resources& resources) override {
    begun = true;
    const engine::RunTimeRef mine = std::move(time);
    const engine::RunTimeSpan span(mine, resources);
    strided_copy(view_of(from), view_of(to), resources);
    resources.reset_workspace();
  }
};

void push_commit(const NDArray& from, const NDArray& to, const StorageRef& gate) {
  static const uint32_t name = trace::intern_name("update");
  engine::Props props;
  props.ctx = to.ctx();
  props.cost_ns = 20 + 0.2 * static_cast<double>(to.nbytes());
  props.name = name;
  props.site = current_site();
  props.whole_overwrite = covers_storage(to);
  auto task = std::make_unique<CommitTask>();
  task->from = from;
  task->to = to;
  task->gate = gate;
  Storage* const reads[] = {from.storage.get(), gate.get()};
  Storage* const writes[] = {to.storage.get()};
  engine::push(std::move(task), reads, 2, writes, 1, props);
}

// One byte that is written when everything else has been computed, and poisoned if any of it
// failed.
StorageRef push_gate(std::vector<StorageRef> after) {
  static const uint32_t name = trace::intern_name("all computed");
  std::sort(after.begin(), after.end(),
            [](const StorageRef& a, const StorageRef& b) { return a.get() < b.get(); });
  after.erase(std::unique(after.begin(), after.end()), after.end());
  StorageRef gate = allocate(1, Context());
  engine::Props props;
  props.cost_ns = 20;
  props.bytes = 1;
  props.name = name;
  props.site = current_site();
  engine::push_closure([](Resources&) {}, after, {gate}, props);
  return gate;
}

// Does nothing else of the run's lie in the input's memory?
bool alone(const std::vector<NDArray>& inputs, size_t i, const std::vector<NDArray>& targets) {
  for (size_t j = 0; j < inputs.size(); ++j) {
    if (j != i && inputs[j].storage == inputs[i].storage) return false;
  }
  return std::none_of(targets.begin(), targets.end(), [&](const NDArray& t) {
    return t.defined() && t.storage == inputs[i].storage;
  });
}

}  // namespace

std::vector<NDArray> Placed::run(const Graph& graph, const std::vector<NDArray>& arrays,
                                 const std::vector<uint64_t>& keys,
                                 const std::vector<bool>& donated,
                                 const std::vector<NDArray>& given) const {
  check_inputs(graph, arrays);
  require(static_cast<int32_t>(keys.size()) >= graph.num_keys, "program: expected ", graph.num_keys,
          " random keys, given ", keys.size());
  std::vector<NDArray> targets(results.size());
  bool updating = false;
  for (size_t k = 0; k < results.size(); ++k) {
    if (updates[k] == kFresh) continue;
    if (updates[k] == kGiven) {
      require(k < given.size() && given[k].defined(), "program: no array was given for output ", k);
      targets[k] = given[k];
    } else {
      targets[k] = arrays.at(static_cast<size_t>(updates[k]));
    }
    const Shape& shape = graph.shape(graph.outputs[k]);
    const DType dtype = graph.dtype(graph.outputs[k]);
    require(targets[k].shape == shape && targets[k].dtype == dtype,
            "program: the array given for output ", k, " is ", dtype_name(targets[k].dtype), " ",
            targets[k].shape, ", expected ", dtype_name(dtype), " ", shape);
    before_overwrite(targets[k]);
    updating = true;
  }
  std::vector<NDArray> values(static_cast<size_t>(num_values));
  for (size_t i = 0; i < arrays.size(); ++i) values[static_cast<size_t>(inputs[i])] = arrays[i];
  std::vector<StorageRef> computed;  // something that every step has made
  for (const Step& step : steps) {
    if (step.copy >= 0) {
      const Copy& copy = copies[static_cast<size_t>(step.copy)];
      NDArray& to = values[static_cast<size_t>(copy.to)];
      to = push_copy(values[static_cast<size_t>(copy.from)], copy.ctx, copy.site);
      if (updating) computed.push_back(to.storage);
    } else {
      const PartProgram& part = parts[static_cast<size_t>(step.part)];
      std::vector<NDArray> in;
      std::vector<bool> up = part.own;
      for (size_t i = 0; i < part.reads.size(); ++i) {
        in.push_back(values[static_cast<size_t>(part.reads[i])]);
        if (part.donor[i] < 0) continue;
        const auto d = static_cast<size_t>(part.donor[i]);
        up[i] = d < donated.size() && donated[d] && alone(arrays, d, targets);
      }
      std::vector<NDArray> made = part.program->run(in, keys, up, nullptr, &part.ctx);
      for (size_t i = 0; i < made.size(); ++i) {
        if (updating) computed.push_back(made[i].storage);
        values[static_cast<size_t>(part.writes[i])] = std::move(made[i]);
      }
    }
    for (const int32_t v : step.over) values[static_cast<size_t>(v)] = NDArray();
  }
  std::vector<NDArray> made(results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    const Result& r = results[k];
    made[k] = r.value >= 0 ? values[static_cast<size_t>(r.value)] : r.constant;
    if (r.copied) {
      const NDArray own = NDArray::empty(made[k].shape, made[k].dtype, made[k].ctx());
      copy_array(made[k], own);
      made[k] = own;
    }
    if (targets[k].defined() && !same_device(made[k].ctx(), targets[k].ctx())) {
      made[k] = push_copy(made[k], targets[k].ctx(), 0);
    }
    if (targets[k].defined() && made[k].storage == targets[k].storage) {
      const NDArray own = NDArray::empty(made[k].shape, made[k].dtype, made[k].ctx());
      copy_array(made[k], own);
      made[k] = own;
    }
    if (updating) computed.push_back(made[k].storage);
  }
  if (!updating) return made;
  const StorageRef gate = push_gate(std::move(computed));
  for (size_t k = 0; k < results.size(); ++k) {
    if (!targets[k].defined()) continue;
    push_commit(made[k], targets[k], gate);
    made[k] = targets[k];
  }
  return made;
}

}  // namespace hybrid
