// Program::run: inputs checked, outputs from the pool; then submitted.
#include <algorithm>

#include "core/device_name.h"
#include "core/error.h"
#include "engine/errors.h"
#include "launch/launch.h"
#include "program/memory_need.h"
#include "program/placed.h"
#include "program/program_task.h"

namespace hybrid {
namespace {

using Impl = Program::Impl;

[[noreturn]] void wrong_input(const InputType& expected, const NDArray& given) {
  fail("program: input '", expected.name, "' was compiled for ", dtype_name(expected.dtype), " ",
       expected.shape, ", given ", dtype_name(given.dtype), " ", given.shape);
}

// Names the operator that reads it first, and its line.
[[noreturn]] void wrong_device(const Impl& impl, size_t input, const std::vector<NDArray>& given) {
  const InputType &wrong = impl.inputs[input], &first = impl.inputs[0];
  const std::string text = "input '" + wrong.name + "' is on " + given[input].ctx().str() + ", '" +
                           first.name + "' on " + given[0].ctx().str() +
                           "; copy one with as_in_context() first";
  for (const ProgramKernel& k : impl.kernels) {
    for (int i = 0; i < k.num_in; ++i) {
      if (k.slots[static_cast<size_t>(i)].buffer != impl.input_buffer[input]) continue;
      throw Error(engine::placed_message(k.name, k.site, text));
    }
  }
  fail("program: ", text);
}

// A loop or a branch is one kernel, on one device.
void check_inner_devices(const Impl& impl, Context ctx) {
  for (const InnerDevice& d : impl.inner_devices) {
    if (same_worker(d.ctx, ctx)) continue;
    throw Error(engine::placed_message(
        d.name, d.site,
        "its body copies to " + d.ctx.str() + " and runs on " + ctx.str() +
            ": a loop or a branch runs on one device; copy before or after it"));
  }
}

// Checks all inputs; returns whether all hold their values now.
bool check_inputs(const Impl& impl, const std::vector<NDArray>& inputs) {
  require(inputs.size() == impl.inputs.size(), "program: expected ", impl.inputs.size(),
          " inputs, given ", inputs.size());
  bool ready = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputType& expected = impl.inputs[i];
    const NDArray& given = inputs[i];
    if (!given.defined()) fail("program: input '", expected.name, "' has no value");
    if (given.dtype != expected.dtype || given.shape != expected.shape)
      wrong_input(expected, given);
    const Context a = given.storage->ctx, b = inputs[0].storage->ctx;
    if (!same_device(a, b)) wrong_device(impl, i, inputs);
    ready = ready && ready_to_read(*given.storage);
  }
  return ready;
}

NDArray private_copy(const NDArray& array) {
  const NDArray copy = NDArray::empty(array.shape, array.dtype, array.ctx());
  copy_array(array, copy);
  return copy;
}

// An array that the program was to write, but shares memory with others: it is copied there later.
struct Later {
  NDArray made, target;
};

bool holds(const std::vector<NDArray>& arrays, const NDArray& a, size_t but) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (i != but && arrays[i].defined() && arrays[i].storage == a.storage) return true;
  }
  return false;
}

// Arrays that get new contents: the program writes them if they are contiguous and the only ones in
// their memory.
void bind_updates(const Impl& impl, const std::vector<NDArray>& given, ProgramRun* run,
                  std::vector<Later>* later) {
  const std::vector<NDArray> inputs = run->inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!impl.updated[i]) continue;
    const NDArray& a = inputs[i];
    if (a.contiguous() && !holds(inputs, a, i) && !holds(given, a, given.size())) {
      before_overwrite(a);
    } else {
      run->inputs[i] = private_copy(a);
      later->push_back({run->inputs[i], a});
    }
  }
  for (const Impl::OutputBuffer& g : impl.given) {
    const ResultWindow& r = impl.results[g.output];
    const size_t k = static_cast<size_t>(g.output);
    require(k < given.size() && given[k].defined(), "program: no array was given for output ", k);
    const NDArray& a = given[k];
    require(a.shape == r.shape && a.dtype == r.dtype, "program: the array given for output ", k,
            " is ", dtype_name(a.dtype), " ", a.shape, ", expected ", dtype_name(r.dtype), " ",
            r.shape);
    const bool same_device = run->ctx == a.ctx();
    if (same_device && a.contiguous() && !holds(inputs, a, inputs.size()) && !holds(given, a, k) &&
        !a.storage->var.poisoned.load(std::memory_order_acquire)) {
      before_overwrite(a);
      run->given.push_back(a);
    } else {
      run->given.push_back(NDArray::empty(r.shape, r.dtype, run->ctx));
      later->push_back({run->given.back(), a});
    }
  }
}

// Inputs that the program overwrites must be given up, alone in their memory and contiguous.
void protect_inputs(const Impl& impl, const std::vector<bool>& donated, ProgramRun* run) {
  for (size_t i = 0; i < run->inputs.size(); ++i) {
    NDArray& a = run->inputs[i];
    if (impl.updated[i]) continue;
    if (!impl.may_overwrite[i]) {
      if (!a.contiguous()) a = make_contiguous(a);
      continue;
    }
    bool alone = i < donated.size() && donated[i] && covers_storage(a);
    for (size_t j = 0; alone && j < run->inputs.size(); ++j) {
      alone = i == j || !(run->inputs[j].storage == a.storage);
    }
    if (alone) {
      before_overwrite(a);
    } else {
      a = private_copy(a);
    }
  }
}

// Can `into` take the place of the buffer that the plan gives the output?
bool can_take(const NDArray& into, const ResultWindow& result, int64_t buffer_bytes,
              const std::vector<NDArray>& inputs, const std::vector<NDArray>& all_into) {
  if (!into.defined() || !into.contiguous() || result.window.offset != 0 ||
      into.nbytes() != buffer_bytes || result.window.strides != contiguous_strides(result.shape)) {
    return false;
  }
  for (const NDArray& in : inputs) {
    if (in.storage == into.storage) return false;
  }
  int uses = 0;
  for (const NDArray& other : all_into) uses += other.defined() && other.storage == into.storage;
  return uses == 1;
}

// The result is in the array that was given for it, if one was; `is_there`: already.
void put_into(const NDArray& given, bool is_there, NDArray* result) {
  if (!given.defined()) return;
  if (!is_there) copy_array(*result, given);
  *result = given;
}

// The graph's outputs as windows on the run's buffers.
std::vector<NDArray> result_arrays(const Impl& impl, const ProgramRun& run) {
  std::vector<NDArray> results(impl.results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    const ResultWindow& r = impl.results[k];
    NDArray& a = results[k];
    if (r.given >= 0) {
      a = run.given[r.given];
      continue;
    }
    if (r.input >= 0 && impl.updated[r.input]) {
      a = run.inputs[r.input];
      continue;
    }
    a.offset = r.window.offset;
    a.shape = r.shape;
    a.strides = r.window.strides;
    a.dtype = r.dtype;
    a.storage = r.output >= 0 ? run.outputs[r.output] : run.inputs[r.input].storage;
  }
  return results;
}

}  // namespace

bool ends_when_interrupted(const Impl& impl) {
  return thread_state().on_interrupt != OnInterrupt::go_on || runs_programs(impl);
}

bool runs_programs(const Impl& impl) {
  return std::any_of(impl.kernels.begin(), impl.kernels.end(), [](const ProgramKernel& k) {
    return k.op_def != nullptr && runs_programs(*k.op_def);
  });
}

const std::vector<NDArray>* Program::Impl::constants_for(Context ctx) const {
  if (constants.empty()) return nullptr;
  const ObjectGuard lock(constants_mutex);
  for (const auto& [where, arrays] : constants_on) {
    if (where == ctx) return &arrays;
  }
  std::vector<NDArray> arrays;
  for (const Constant& c : constants) {
    NDArray a = c.value;
    if (!ctx.is_cpu()) {
      a = NDArray::empty(c.value.shape, c.value.dtype, ctx);
      copy_array(c.value, a);
    }
    arrays.push_back(a);
  }
  constants_on.reserve(64);  // pointers into it are handed out; contexts are few
  require(constants_on.size() < 64, "program: used on more than 64 devices");
  constants_on.push_back({ctx, std::move(arrays)});
  return &constants_on.back().second;
}

std::vector<NDArray> Program::run(const std::vector<NDArray>& inputs,
                                  const std::vector<uint64_t>& keys,
                                  const std::vector<bool>& donated,
                                  const std::vector<NDArray>* outputs_into,
                                  const Context* given_ctx,
                                  const std::vector<NDArray>& given) const {
  if (placed_) {
    std::vector<NDArray> made = placed_->run(graph_, inputs, keys, donated, given);
    if (!outputs_into) return made;
    for (size_t k = 0; k < made.size(); ++k) put_into((*outputs_into)[k], false, &made[k]);
    return made;
  }
  const Impl& impl = *impl_;
  bool ready = check_inputs(impl, inputs);
  require(static_cast<int32_t>(keys.size()) >= impl.num_keys, "program: expected ", impl.num_keys,
          " random keys, given ", keys.size());
  const Context ctx = given_ctx         ? *given_ctx
                      : !inputs.empty() ? inputs[0].storage->ctx
                                        : impl.default_ctx;
  check_inner_devices(impl, ctx);
  ProgramRun run;
  run.inputs = inputs;
  run.constants = impl.constants_for(ctx);
  run.keys = keys.data();
  run.ctx = ctx;
  bool plain = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    plain = plain && !impl.may_overwrite[i] && inputs[i].contiguous();
  }
  std::vector<Later> later;
  if (!plain || !impl.given.empty()) {
    bind_updates(impl, given, &run, &later);
    protect_inputs(impl, donated, &run);
    for (const NDArray& a : run.inputs) ready = ready && ready_to_read(*a.storage);
  }

  std::vector<bool> taken(impl.results.size(), false);
  int64_t new_bytes = 0;
  for (const Impl::OutputBuffer& o : impl.outputs) {
    taken[o.output] = outputs_into && can_take((*outputs_into)[o.output], impl.results[o.output],
                                               o.bytes, run.inputs, *outputs_into);
    if (!taken[o.output]) new_bytes += o.bytes;
  }
  run.arena = take_arena(graph_, plan_, new_bytes, ctx);
  run.output_offset.assign(impl.outputs.size(), 0);
  for (size_t i = 0; i < impl.outputs.size(); ++i) {
    const Impl::OutputBuffer& o = impl.outputs[i];
    if (taken[o.output]) {
      const NDArray& into = (*outputs_into)[o.output];
      before_overwrite(into);
      run.outputs.push_back(into.storage);
      run.own_outputs = run.own_outputs && covers_storage(into);
      run.output_offset[i] = into.offset * static_cast<int64_t>(dtype_size(into.dtype));
      ready = ready && ready_to_write(*into.storage);
    } else {
      run.outputs.push_back(allocate(o.bytes, ctx));
    }
  }
  std::vector<NDArray> results = result_arrays(impl, run);
  for (size_t k = 0; k < results.size(); ++k) {
    if (taken[k]) results[k] = (*outputs_into)[k];
  }
  submit(impl_, std::move(run), keys, ready);
  for (const Later& l : later) {
    copy_array(l.made, l.target);
    for (NDArray& result : results) {
      if (result.storage == l.made.storage) result = l.target;
    }
  }
  if (!outputs_into) return results;
  for (size_t k = 0; k < results.size(); ++k) {
    put_into((*outputs_into)[k], taken[k], &results[k]);
  }
  return results;
}

std::vector<NDArray> Program::run_nested(const std::vector<NDArray>& inputs,
                                         Resources& resources) const {
  require(!placed_, "program: a branch or the body of a loop runs on one device");
  const Impl& impl = *impl_;
  require(inputs.size() == impl.inputs.size(), "program: expected ", impl.inputs.size(),
          " inputs, given ", inputs.size());
  ProgramRun run;
  run.inputs = inputs;
  run.constants = impl.constants_for(Context());
  run.output_offset.assign(impl.outputs.size(), 0);
  for (const Impl::OutputBuffer& o : impl.outputs) {
    run.outputs.push_back(allocate(o.bytes, Context()));
  }
  run_untraced(impl, run, resources);
  return result_arrays(impl, run);
}

}  // namespace hybrid
