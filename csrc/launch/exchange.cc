#include "launch/exchange.h"

#include <algorithm>

#include "core/device_name.h"
#include "core/devices.h"
#include "core/error.h"
#include "core/modelled.h"
#include "engine/trace.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "launch/launch.h"
#include "ops/op.h"

namespace hybrid {
namespace {

bool same_window(const NDArray& a, const NDArray& b) {
  return a.storage == b.storage && a.offset == b.offset && a.strides == b.strides;
}

// Where the sum grows: in the first source where that is written, else in a target that nobody
// reads, else in memory of its own.
NDArray place_of_sum(const Exchanged& group) {
  const NDArray& first = group.sources.front();
  const auto is_first = [&](const NDArray& t) { return same_window(t, first); };
  const auto found = std::find_if(group.targets.begin(), group.targets.end(), is_first);
  if (found != group.targets.end()) return *found;
  for (const NDArray& t : group.targets) {
    const bool read = std::any_of(group.sources.begin(), group.sources.end(),
                                  [&](const NDArray& s) { return s.storage == t.storage; });
    if (!read) return t;
  }
  return NDArray::empty(first.shape, first.dtype, first.ctx());
}

void run_group(const Exchanged& group, Resources& resources) {
  static const OpDef& add = *get_op("add");
  const NDArray sum = place_of_sum(group);
  const TensorView to = view_of(sum);
  const auto copy = [&](const NDArray& from, const NDArray& into) {
    if (!same_window(from, into)) strided_copy(view_of(from), view_of(into), resources);
    resources.reset_workspace();
  };
  const size_t count = group.sources.size();
  if (count == 1) {
    for (const NDArray& t : group.targets) copy(group.sources[0], t);
    return;
  }
  for (size_t i = 1; i < count; ++i) {
    const TensorView in[2] = {i == 1 ? view_of(group.sources[0]) : to, view_of(group.sources[i])};
    run_kernel(add, Attrs(&add), in, 2, &to, 1, 0, resources);
  }
  for (const NDArray& t : group.targets) copy(sum, t);
}

struct ExchangeTask : engine::Task {
  std::vector<Exchanged> groups;
  bool updates(const engine::Var& written) const override {
    return std::any_of(groups.begin(), groups.end(), [&](const Exchanged& g) {
      return std::any_of(g.sources.begin(), g.sources.end(),
                         [&](const NDArray& s) { return &s.storage->var == &written; });
    });
  }
  void run(Resources& resources) override {
    for (const Exchanged& group : groups) {
      if (resources.cancelled()) return;
      run_group(group, resources);
    }
  }
};

void check(const Exchanged& group) {
  require(!group.sources.empty() && !group.targets.empty(), "exchange: no arrays");
  const NDArray& first = group.sources.front();
  for (const auto* list : {&group.sources, &group.targets}) {
    for (const NDArray& a : *list) {
      require(a.shape == first.shape && a.dtype == first.dtype, "exchange: expected ",
              dtype_name(first.dtype), " ", first.shape, ", got ", dtype_name(a.dtype), " ",
              a.shape);
      require(!devices::is_physical(a.ctx()), "exchange: ", a.ctx().str(), " is a physical GPU");
    }
  }
}

template <class T>
void add_distinct(std::vector<T>* list, const T& item) {
  if (std::find(list->begin(), list->end(), item) == list->end()) list->push_back(item);
}

}  // namespace

void exchange(const std::vector<Exchanged>& groups, int priority, const std::string& name,
              int64_t bytes) {
  if (groups.empty()) return;
  auto task = std::make_unique<ExchangeTask>();
  std::vector<Storage*> reads, writes;
  std::vector<Context> devices;
  model::Exchange exchange;
  for (const Exchanged& group : groups) {
    check(group);
    for (const NDArray& t : group.targets) {
      before_overwrite(t);
      add_distinct(&writes, t.storage.get());
      add_distinct(&devices, device_of(t.ctx()));
    }
    for (const NDArray& s : group.sources) add_distinct(&devices, device_of(s.ctx()));
    exchange.bytes += static_cast<double>(group.sources.front().nbytes());
    exchange.sums = exchange.sums || group.sources.size() > 1;
    exchange.spreads = exchange.spreads || group.targets.size() > 1;
  }
  for (const Exchanged& group : groups) {
    for (const NDArray& s : group.sources) {
      Storage* const storage = s.storage.get();
      if (std::find(writes.begin(), writes.end(), storage) == writes.end()) {
        add_distinct(&reads, storage);
      }
    }
  }
  if (bytes > 0) exchange.bytes = static_cast<double>(bytes);
  exchange.devices = devices.data();
  exchange.num_devices = static_cast<int>(devices.size());
  engine::Props props;
  props.ctx = devices.front();
  props.lane = engine::LaneKind::all_reduce;
  props.priority = priority;
  props.name = trace::intern_name(name.c_str());
  props.site = current_site();
  props.whole_overwrite = false;
  props.exchange = &exchange;
  task->groups = groups;
  engine::push(std::move(task), reads.data(), static_cast<int>(reads.size()), writes.data(),
               static_cast<int>(writes.size()), props);
}

}  // namespace hybrid
