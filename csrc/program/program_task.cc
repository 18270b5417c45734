#include "program/program_task.h"

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "core/modelled.h"
#include "engine/errors.h"
#include "engine/float_flags.h"
#include "engine/trace.h"
#include "kernels/elem_plan.h"
#include "kernels/kernels.h"
#include "launch/anywhere.h"
#include "launch/launch.h"
#include "ops/epilogue.h"
#include "ops/run_elem.h"

namespace hybrid {
namespace {

using Impl = Program::Impl;

// Addresses of all buffers in this run.
void resolve(const Impl& impl, const ProgramRun& run, char* arena, char** base) {
  for (const auto& [buffer, offset] : impl.arena) base[buffer] = arena + offset;
  for (size_t i = 0; i < impl.input_buffer.size(); ++i) {
    base[impl.input_buffer[i]] = run.inputs[i].data();
  }
  for (size_t i = 0; i < impl.outputs.size(); ++i) {
    base[impl.outputs[i].buffer] = static_cast<char*>(run.outputs[i]->data) + run.output_offset[i];
  }
  for (size_t i = 0; i < impl.given.size(); ++i) {
    base[impl.given[i].buffer] = run.given[i].data();
  }
  for (size_t i = 0; i < impl.constants.size(); ++i) {
    base[impl.constants[i].buffer] = (*run.constants)[i].data();
  }
}

// Copies what lies outside the window: before and after it along one axis after the other.
void copy_around(TensorView from, TensorView to, const WindowWrite& window, Resources& resources) {
  const int64_t item = static_cast<int64_t>(dtype_size(from.dtype));
  const auto part = [item](const TensorView& v, int axis, int64_t begin, int64_t size) {
    TensorView p = v;
    p.data = p.as<char>() + begin * v.strides[axis] * item;
    p.shape[axis] = size;
    return p;
  };
  for (int d = 0; d < from.shape.ndim(); ++d) {
    const int64_t begin = window.begin[d], size = window.size[d], end = begin + size;
    if (begin > 0) strided_copy(part(from, d, 0, begin), part(to, d, 0, begin), resources);
    if (const int64_t rest = from.shape[d] - end; rest > 0) {
      strided_copy(part(from, d, end, rest), part(to, d, end, rest), resources);
    }
    from = part(from, d, begin, size);
    to = part(to, d, begin, size);
  }
}

// Operators that compare only: a NaN is no invalid operand.
bool compares_only(const OpDef* op) {
  static const std::vector<const OpDef*> all{get_op("max"),    get_op("min"),  get_op("argmax"),
                                             get_op("argmin"), get_op("sort"), get_op("argsort")};
  return std::find(all.begin(), all.end(), op) != all.end();
}

const char* name_of(const ProgramKernel& k) { return k.op_def ? k.op_def->name : "a fused kernel"; }

// Two kernels, since a device computes the whole product before anything follows.
void run_product_on_device(const ProgramKernel& k, const std::vector<TensorView>& in,
                           const TensorView& out, const std::vector<TensorView>& finished,
                           Resources& resources) {
  const int num_in = static_cast<int>(in.size());
  run_anywhere(name_of(k), k.op_def->on_device, in.data(), num_in, &out, 1, resources,
               [&](const TensorView* from, const TensorView* to) {
                 KernelContext context{k.attrs, from, num_in, to, 1, 0, resources};
                 k.op_def->cpu(context);
               });
  resources.reset_workspace();
  run_anywhere("an epilogue", true, finished.data(), static_cast<int>(finished.size()),
               &finished.back(), 1, resources, [&](const TensorView* from, const TensorView* to) {
                 run_elementwise(k.elem, from, to, resources);
               });
}

// The result is finished where it lies: the epilogue's last input is its output.
void run_product(const ProgramKernel& k, const TensorView* views, Resources& resources) {
  std::vector<TensorView> in;
  for (const int i : k.product_inputs) in.push_back(views[i]);
  const TensorView& out = views[k.num_in];
  std::vector<TensorView> finished = k.epilogue_views;
  for (size_t i = 0; i < finished.size(); ++i) finished[i].data = views[i].data;
  if (resources.device()) return run_product_on_device(k, in, out, finished, resources);
  KernelContext context{k.attrs, in.data(), static_cast<int>(in.size()), &out, 1, 0, resources};
  constexpr int64_t kFewElements = 4096;  // not worth a plan
  if (out.size() <= kFewElements) {
    k.op_def->cpu(context);
    resources.reset_workspace();
    run_elementwise(k.elem, finished.data(), &finished.back(), resources);
    return;
  }
  // On the heap: a library loaded at run time gets little static thread-local memory.
  thread_local const std::unique_ptr<ElemPlan> owner(new ElemPlan());
  ElemPlan& plan = *owner;
  ElemBinding binding;
  binding.stores = false;
  plan.build(k.elem, finished.data(), &finished.back(), binding);
  const Finish finish{[](const void* self, int64_t begin, int64_t end) {
                        static_cast<const ElemPlan*>(self)->run(begin, end);
                      },
                      &plan};
  run_with_epilogue(*k.op_def, context, finish);
}

void run_one(const ProgramKernel& k, char* const* base, const uint64_t* keys, TensorView* views,
             Resources& resources) {
  for (size_t i = 0; i < k.slots.size(); ++i) {
    const Slot& s = k.slots[i];
    views[i] = s.view;
    views[i].data = base[s.buffer] + s.bytes;
  }
  switch (k.kind) {
    case KernelKind::elementwise:
      run_anywhere("elementwise code", true, views, k.num_in, views + k.num_in, k.num_out,
                   resources, [&](const TensorView* from, const TensorView* to) {
                     run_elementwise(k.elem, from, to, resources);
                   });
      break;
    case KernelKind::rows:
      run_anywhere("a row kernel", false, views, k.num_in, views + k.num_in, k.num_out, resources,
                   [&](const TensorView* from, const TensorView* to) {
                     char* arrays[RowKernel::kMaxMemory];
                     for (int i = 0; i < k.num_in; ++i) arrays[i] = from[i].as<char>();
                     for (int i = 0; i < k.num_out; ++i) arrays[k.num_in + i] = to[i].as<char>();
                     run_row_kernel(*k.rows_kernel, arrays, resources);
                   });
      break;
    case KernelKind::write: {
      const int64_t item = static_cast<int64_t>(dtype_size(k.whole.dtype));
      TensorView from = k.whole, to = k.whole;
      from.data = views[k.base].data;
      to.data = views[k.num_in].data;
      to.strides = contiguous_strides(to.shape);
      views[k.num_in].data = to.as<char>() + k.window.offset * item;
      run_anywhere("a write", true, views, k.num_in, views + k.num_in, 1, resources,
                   [&](const TensorView* in, const TensorView* out) {
                     run_elementwise(k.elem, in, out, resources);
                   });
      copy_around(from, to, k.window, resources);
      break;
    }
    case KernelKind::product:
      run_product(k, views, resources);
      break;
    case KernelKind::copy:
      strided_copy(views[0], views[k.num_in], resources);
      break;
    case KernelKind::op: {
      const uint64_t key = k.key_slot >= 0 ? keys[k.key_slot] : 0;
      const uint32_t floats = engine::float_flags();
      run_anywhere(name_of(k), k.op_def->on_device, views, k.num_in, views + k.num_in, k.num_out,
                   resources, [&](const TensorView* in, const TensorView* out) {
                     KernelContext context{k.attrs, in, k.num_in, out, k.num_out, key, resources};
                     k.op_def->cpu(context);
                   });
      if (compares_only(k.op_def)) engine::set_float_flags(floats);
      break;
    }
    case KernelKind::none:
      break;
  }
  resources.reset_workspace();
}

// Results that no later kernel touches: what waits for them need not wait for the whole program.
void hand_out(const Impl& impl, const ProgramRun& run, int32_t kernel) {
  for (size_t i = 0; i < impl.finished_after.size(); ++i) {
    if (impl.finished_after[i] == kernel) engine::finished(run.outputs[i].get());
  }
}

// `tracer` is told before and after every kernel, in ticks.
template <class Tracer>
void run_kernels(const Impl& impl, const ProgramRun& run, Resources& resources, Tracer& tracer) {
  StorageRef arena = run.arena;
  char* arena_data = nullptr;
  if (impl.arena_bytes > 0) {
    if (!arena) arena = allocate(impl.arena_bytes, run.ctx);
    arena_data = static_cast<char*>(arena->data);
  }
  constexpr int kFewBuffers = 64, kFewViews = 12;
  char* few_bases[kFewBuffers];
  std::vector<char*> many_bases;
  char** base = few_bases;
  if (impl.num_buffers > kFewBuffers) {
    many_bases.resize(impl.num_buffers);
    base = many_bases.data();
  }
  resolve(impl, run, arena_data, base);
  TensorView few_views[kFewViews];
  std::vector<TensorView> many_views;
  const engine::RunTimeRef& time = engine::RunTime::current();
  engine::KernelTimes* const times =
      time && !resources.device() ? time->kernels(impl.kernel_nodes) : nullptr;
  uint64_t start = trace::ticks();
  for (const ProgramKernel& k : impl.kernels) {
    const size_t at = static_cast<size_t>(&k - impl.kernels.data());
    // Once arrays are being overwritten, what they still need is done.
    if (!run.updating && resources.cancelled()) {
      if (Tracer::kNested) return;
      fail("the program was ", resources.why_cancelled(), " before node ", k.node);
    }
    if (at == impl.first_update) {
      run.updating = true;
      resources.finish_kernels();
    }
    if (run.updating && !k.for_update && resources.discarded()) {
      run.skipped = true;
      continue;
    }
    TensorView* views = few_views;
    if (k.slots.size() > kFewViews) {
      many_views.resize(k.slots.size());
      views = many_views.data();
    }
    tracer.begin(k, start);
    try {
      run_one(k, base, run.keys, views, resources);
    } catch (const Error& error) {
      tracer.failed();
      throw Error(engine::placed_message(k.name, k.site, error.what()));
    } catch (...) {
      tracer.failed();
      throw;
    }
    const uint64_t end = trace::ticks();
    tracer.end(k, start, end);
    if (run.hands_out) hand_out(impl, run, static_cast<int32_t>(at));
    if (times) times->add(at, end - start);
    start = end;
  }
  if (run.skipped) fail("the program was interrupted");
}

// On a lane: a live span for every kernel.
struct LaneTracer {
  static constexpr bool kNested = false;
  void begin(const ProgramKernel& k, uint64_t start) {
    trace::Record r;
    r.start = start;
    r.name = k.name;
    r.site = k.site;
    r.node = k.serial;
    r.lane = trace::current_lane();
    r.kind = static_cast<uint8_t>(trace::Kind::span);
    r.value = 1;
    trace::begin_span(r);
  }
  void end(const ProgramKernel&, uint64_t, uint64_t end) {
    DeviceKernels* const device = Resources::current().device();
    if (!device) return trace::end_span(end);
    const trace::Record record = trace::drop_span();
    device->note(&record);  // shown with the device's own times
  }
  void failed() { trace::end_span(trace::ticks(), trace::kError); }
};

// On the caller: runs of small kernels are coalesced.
struct InlineTracer {
  static constexpr bool kNested = false;
  engine::Props props;
  void begin(const ProgramKernel& k, uint64_t) {  // before it runs: an error is this kernel's
    props.name = k.name;
    props.site = k.site;
    props.node = k.serial;
    props.cost_ns = k.cost_ns;
  }
  void failed() {}
  void end(const ProgramKernel&, uint64_t start, uint64_t end) {
    engine::note_inline(props, start, end);
  }
};

// Inside another operator's span: only the kernel that runs is remembered, for its error.
struct NestedTracer {
  static constexpr bool kNested = true;  // whoever runs the outer operator sees the cancel flag
  const ProgramKernel* running = nullptr;
  void begin(const ProgramKernel& k, uint64_t) { running = &k; }
  void end(const ProgramKernel&, uint64_t, uint64_t) {}
  void failed() {}
};

// A run that fails before it writes leaves arrays that it updates as they were; one that skips what
// else it was to make has updated them.
bool keeps(const Impl& impl, const ProgramRun& run, const engine::Var& written) {
  if (run.updating && !run.skipped) return false;
  for (const NDArray& a : run.given) {
    if (&a.storage->var == &written) return true;
  }
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (impl.updated[i] && &run.inputs[i].storage->var == &written) return true;
  }
  return false;
}

struct ProgramTask : engine::Task {
  std::shared_ptr<const Impl> impl;
  ProgramRun arrays;
  std::vector<uint64_t> keys;
  engine::Seats seats;
  bool left_alone(const engine::Var& written) const override {
    return seats.is_order(written) || keeps(*impl, arrays, written);
  }
  void run(Resources& resources) override {
    resources.set_seats(&seats);
    arrays.keys = keys.data();
    LaneTracer tracer;
    const engine::RunTimeRef time = std::move(arrays.time);  // over before anybody is told
    const engine::RunTimeSpan span(time, resources);
    run_kernels(*impl, arrays, resources, tracer);
  }
};

// A program stands for several operators, and its caller waits for one answer: it may take 2.5
// times (20 us) what a single operator may before a queue is worth its wake. Where the caller waits
// at once, nothing is gained by a queue: it only has to hear of interruptions soon (500 us).
constexpr double kInlineFactor = 0.4, kAwaitedFactor = 0.016;

bool meets(const Impl& impl) {
  return std::any_of(impl.kernels.begin(), impl.kernels.end(), [](const ProgramKernel& k) {
    return k.op_def && !k.op_def->meeting_key(k.attrs).empty();
  });
}

// In the order of the kernels.
void take_all_seats(const Impl& impl, Context ctx, bool modelled, engine::Seats* seats) {
  for (size_t i = 0; i < impl.kernels.size(); ++i) {
    const ProgramKernel& k = impl.kernels[i];
    if (!k.op_def) continue;
    int64_t told = 0;
    for (size_t o = static_cast<size_t>(k.num_in) + 1; o < k.slots.size(); ++o) {
      const TensorView& view = k.slots[o].view;
      told += view.shape.size() * static_cast<int64_t>(dtype_size(view.dtype));
    }
    const auto kernel = modelled ? impl.device_kernels().last[i] : static_cast<int32_t>(i);
    take_seats(*k.op_def, k.attrs, told, ctx, kernel, seats);
  }
}

bool may_run_inline(const Impl& impl, Context ctx) {
  if (meets(impl)) return false;
  const bool awaited = thread_state().awaited && !runs_programs(impl);
  return engine::may_inline(impl.cost_ns * (awaited ? kAwaitedFactor : kInlineFactor), ctx);
}

void run_inline(const Impl& impl, const ProgramRun& run, const engine::Props& props) {
  InlineTracer tracer{props};
  tracer.props.traces_itself = false;
  try {
    const engine::RunTimeSpan span(run.time, Resources::current());
    run_kernels(impl, run, Resources::current(), tracer);
  } catch (const std::exception& error) {
    std::vector<Storage*> failed;
    for (const StorageRef& s : run.outputs) failed.push_back(s.get());
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      if (impl.may_overwrite[i]) failed.push_back(run.inputs[i].storage.get());
    }
    for (const NDArray& a : run.given) failed.push_back(a.storage.get());
    failed.erase(std::remove_if(failed.begin(), failed.end(),
                                [&](Storage* s) { return keeps(impl, run, s->var); }),
                 failed.end());
    engine::fail_inline(failed.data(), static_cast<int>(failed.size()), tracer.props, error.what());
    return;
  }
  for (const StorageRef& s : run.outputs) bump_version(*s);
  for (const NDArray& a : run.given) bump_version(*a.storage);
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (impl.may_overwrite[i]) bump_version(*run.inputs[i].storage);
  }
}

}  // namespace

void run_untraced(const Impl& impl, const ProgramRun& run, Resources& resources) {
  NestedTracer tracer;
  try {
    run_kernels(impl, run, resources, tracer);
  } catch (const Error& error) {
    const std::string line = tracer.running ? line_of(tracer.running->site) : "";
    throw Error(line.empty() ? std::string(error.what()) : line + ": " + error.what());
  }
}

void submit(const std::shared_ptr<const Impl>& impl, ProgramRun run,
            const std::vector<uint64_t>& keys, bool ready) {
  run.time = engine::RunTime::current();
  if (run.time) run.time->expect(impl->kernel_nodes);
  engine::Props props;
  props.ctx = run.ctx;
  props.cost_ns = impl->cost_ns;
  props.bytes = impl->output_bytes + impl->arena_bytes;
  props.name = impl->name;
  props.site = current_site();
  props.traces_itself = true;
  props.discardable = ends_when_interrupted(*impl);
  props.recorded = thread_state().on_interrupt == OnInterrupt::take_back;
  const bool modelled = model::on() && !run.ctx.is_cpu();
  if (modelled) {
    const std::vector<model::Kernel>& kernels = impl->device_kernels().kernels;
    props.kernels = kernels.data();
    props.num_kernels = static_cast<int>(kernels.size());
  }
  if (run.constants) {
    for (const NDArray& a : *run.constants) ready = ready && ready_to_read(*a.storage);
  }
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (impl->may_overwrite[i]) ready = ready && ready_to_write(*run.inputs[i].storage);
  }
  for (const NDArray& a : run.given) ready = ready && ready_to_write(*a.storage);
  if (ready && may_run_inline(*impl, run.ctx)) {
    run_inline(*impl, run, props);
    return;
  }
  std::vector<Storage*> reads, writes;
  const auto add = [](std::vector<Storage*>* list, Storage* s) {
    if (std::find(list->begin(), list->end(), s) == list->end()) list->push_back(s);
  };
  for (const StorageRef& s : run.outputs) add(&writes, s.get());
  // Where others work beside this device.
  run.hands_out = !run.ctx.is_cpu() && run.outputs.size() > 1 && impl->kernels.size() > 1 &&
                  writes.size() == run.outputs.size() && run.own_outputs && !run.time &&
                  impl->first_update == ~size_t{0};
  if (run.hands_out && modelled) {
    const std::vector<int32_t>& after = impl->device_kernels().finished_after;
    props.finished_after = after.data();
    props.num_finished = static_cast<int>(after.size());
  }
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (!impl->may_overwrite[i]) continue;
    add(&writes, run.inputs[i].storage.get());
    props.whole_overwrite = false;
  }
  for (const NDArray& a : run.given) {
    add(&writes, a.storage.get());
    props.whole_overwrite = false;
  }
  const auto add_read = [&](Storage* s) {
    if (std::find(writes.begin(), writes.end(), s) == writes.end()) add(&reads, s);
  };
  for (const NDArray& a : run.inputs) add_read(a.storage.get());
  if (run.arena) add_read(run.arena.get());  // the modelled clock knows until when
  if (run.constants) {
    for (const NDArray& a : *run.constants) add_read(a.storage.get());
  }
  auto task = std::make_unique<ProgramTask>();
  task->impl = impl;
  task->arrays = std::move(run);
  task->keys = keys;
  if (meets(*impl)) {
    take_all_seats(*impl, props.ctx, modelled, &task->seats);
    writes.push_back(task->seats.order());
    props.meets = task->seats.modelled().data();
    props.num_meets = static_cast<int>(task->seats.modelled().size());
    props.cost_ns = 0;  // by nobody but its lane
    props.discardable = true;
  }
  engine::push(std::move(task), reads.data(), static_cast<int>(reads.size()), writes.data(),
               static_cast<int>(writes.size()), props);
}

}  // namespace hybrid
