#include "launch/launch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "core/devices.h"
#include "core/error.h"
#include "core/modelled.h"
#include "engine/trace.h"
#include "graph/elem_program.h"
#include "kernels/layout.h"
#include "launch/anywhere.h"

namespace hybrid {

namespace {
std::atomic<OverwriteHook> overwrite_hook{nullptr};
}

void set_overwrite_hook(OverwriteHook hook) {
  overwrite_hook.store(hook, std::memory_order_release);
}

void before_overwrite(const NDArray& target) {
  const OverwriteHook hook = overwrite_hook.load(std::memory_order_acquire);
  if (hook != nullptr && !thread_state().settled) hook(target);
}

uint32_t name_id(const OpDef& op) {
  struct Cached {
    const OpDef* op = nullptr;
    uint32_t id = 0;
  };
  // On the heap: a library loaded at run time gets little static thread-local memory.
  thread_local const std::unique_ptr<std::array<Cached, 256>> owner(new std::array<Cached, 256>());
  std::array<Cached, 256>& cache = *owner;
  Cached& slot = cache[(reinterpret_cast<uintptr_t>(&op) >> 5) % cache.size()];
  if (slot.op != &op) slot = {&op, trace::intern_name(op.name)};
  return slot.id;
}

bool covers_storage(const NDArray& array) {
  return array.offset == 0 && array.contiguous() &&
         static_cast<size_t>(array.nbytes()) == array.storage->bytes;
}

void run_kernel(const OpDef& op, const Attrs& attrs, const TensorView* in, int num_in,
                const TensorView* out, int num_out, uint64_t key, Resources& resources) {
  if (op.elementwise) {
    std::vector<DType> dtypes;
    std::vector<TensorView> inputs;
    for (int i = 0; i < num_in; ++i) {
      dtypes.push_back(in[i].dtype);
      inputs.push_back(broadcast_view(in[i], out[0].shape, op.name));
    }
    const ElemProgram program = elem_program(op, attrs, dtypes);
    run_anywhere(op.name, true, inputs.data(), num_in, out, num_out, resources,
                 [&](const TensorView* from, const TensorView* to) {
                   run_elementwise(program, from, to, resources);
                 });
  } else {
    require(op.cpu != nullptr, op.name, ": the operator has no kernel");
    run_anywhere(op.name, op.on_device, in, num_in, out, num_out, resources,
                 [&](const TensorView* from, const TensorView* to) {
                   KernelContext context{attrs, from, num_in, to, num_out, key, resources};
                   op.cpu(context);
                 });
  }
  resources.reset_workspace();
}

namespace {

void run_on(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs,
            const std::vector<NDArray>& outputs, uint64_t key, Resources& resources) {
  constexpr size_t kInPlace = 8;
  TensorView in_place[kInPlace];
  std::vector<TensorView> many;
  TensorView* views = in_place;
  const size_t count = inputs.size() + outputs.size();
  if (count > kInPlace) {
    many.resize(count);
    views = many.data();
  }
  for (size_t i = 0; i < inputs.size(); ++i) views[i] = view_of(inputs[i]);
  for (size_t i = 0; i < outputs.size(); ++i) views[inputs.size() + i] = view_of(outputs[i]);
  run_kernel(op, attrs, views, static_cast<int>(inputs.size()), views + inputs.size(),
             static_cast<int>(outputs.size()), key, resources);
}

struct OpTask : engine::Task {
  const OpDef* op;
  Attrs attrs;
  std::vector<NDArray> inputs, outputs;
  uint64_t key;
  engine::Seats seats;
  bool next_state = thread_state().updates;
  bool left_alone(const engine::Var& written) const override { return seats.is_order(written); }
  bool updates(const engine::Var& written) const override {
    const auto in_it = [&](const NDArray& a) { return &a.storage->var == &written; };
    return next_state || std::any_of(inputs.begin(), inputs.end(), in_it) ||
           std::any_of(outputs.begin(), outputs.end(),
                       [&](const NDArray& a) { return in_it(a) && !covers_storage(a); });
  }
  void run(Resources& resources) override {
    resources.set_seats(&seats);
    run_on(*op, attrs, inputs, outputs, key, resources);
  }
};

using Storages = std::vector<Storage*>;

void add_distinct(Storages* list, Storage* storage) {
  if (std::find(list->begin(), list->end(), storage) == list->end()) list->push_back(storage);
}

}  // namespace

bool runs_programs(const OpDef& op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(),
                     [](const AttrDef& a) { return a.type == AttrType::graph; });
}

void take_seats(const OpDef& op, const Attrs& attrs, int64_t told_bytes, Context ctx,
                int32_t kernel, engine::Seats* seats) {
  const std::string key = op.meeting_key(attrs);
  if (key.empty()) return;
  require(!devices::is_physical(ctx), op.name,
          ": over several devices it runs on CPUs and virtual "
          "GPUs, given ",
          ctx.str());
  try {
    seats->take(key, static_cast<int>(attrs.integer("ndev")), ctx, static_cast<double>(told_bytes),
                kernel);
  } catch (const Error& error) {
    fail(op.name, ": ", error.what());
  }
}

void launch(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs,
            const std::vector<NDArray>& outputs, uint64_t key, Context ctx, engine::LaneKind lane) {
  std::vector<Shape> in_shapes, out_shapes;
  for (const NDArray& a : inputs) in_shapes.push_back(a.shape);
  for (const NDArray& a : outputs) out_shapes.push_back(a.shape);
  engine::Props props;
  props.ctx = ctx;
  props.lane = lane;
  props.name = name_id(op);
  props.site = current_site();
  props.discardable = runs_programs(op);
  const DType dtype = inputs.empty() ? outputs[0].dtype : inputs[0].dtype;
  props.cost_ns = estimate_cost_ns(op, attrs, in_shapes, out_shapes, dtype);
  props.whole_overwrite = true;
  Storages reads, writes;
  for (const NDArray& a : outputs) {
    add_distinct(&writes, a.storage.get());
    props.bytes += a.nbytes();
    if (!covers_storage(a)) props.whole_overwrite = false;
  }
  bool ready = true;
  for (const NDArray& a : inputs) {
    Storage* s = a.storage.get();
    ready = ready && ready_to_read(*s);
    if (std::find(writes.begin(), writes.end(), s) != writes.end()) {
      props.whole_overwrite = false;  // reads what it writes: an earlier error stays
    } else {
      add_distinct(&reads, s);
    }
  }
  for (Storage* s : writes) ready = ready && ready_to_write(*s);
  if (!op.meeting_key(attrs).empty()) {
    props.cost_ns = 0;  // it waits for others: by nobody but its lane
    props.discardable = true;
  }
  if (ready && engine::may_inline(props.cost_ns, ctx)) {
    const uint64_t start = trace::ticks();
    try {
      run_on(op, attrs, inputs, outputs, key, Resources::current());
    } catch (const std::exception& error) {
      engine::fail_inline(writes.data(), static_cast<int>(writes.size()), props, error.what());
      return;
    }
    for (Storage* s : writes) bump_version(*s);
    engine::note_inline(props, start, trace::ticks());
    return;
  }
  std::vector<model::Kernel> kernels;
  if (model::on() && !ctx.is_cpu()) {
    if (op.device_kernels) {
      std::vector<DType> dtypes;
      for (const NDArray& a : inputs) dtypes.push_back(a.dtype);
      kernels = op.device_kernels(attrs, in_shapes, dtypes);
      for (model::Kernel& kernel : kernels) {
        if (kernel.site == 0) kernel.site = props.site;
      }
    } else {
      const model::KernelCost cost = device_cost(op, attrs, in_shapes, out_shapes, dtype);
      kernels.push_back({cost, props.name, props.site, 0});
    }
    props.kernels = kernels.data();
    props.num_kernels = static_cast<int>(kernels.size());
  }
  auto task = std::make_unique<OpTask>();
  task->op = &op;
  task->attrs = attrs;
  task->inputs = inputs;
  task->outputs = outputs;
  task->key = key;
  int64_t told = 0;
  for (size_t i = 1; i < outputs.size(); ++i) told += outputs[i].nbytes();
  take_seats(op, attrs, told, ctx, 0, &task->seats);
  if (!task->seats.empty()) {
    writes.push_back(task->seats.order());
    props.meets = task->seats.modelled().data();
    props.num_meets = static_cast<int>(task->seats.modelled().size());
  }
  engine::push(std::move(task), reads.data(), static_cast<int>(reads.size()), writes.data(),
               static_cast<int>(writes.size()), props);
}

}  // namespace hybrid
