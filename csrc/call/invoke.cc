#include "call/invoke.h"

#include "core/error.h"
#include "launch/call_types.h"
#include "launch/launch.h"
#include "launch/random.h"
#include "tape/tape.h"
#include "trace/trace_op.h"

namespace hybrid {
namespace {

// What runs where the operator does nothing outside training: a copy, so that writing to the
// result leaves the input alone.
std::vector<NDArray> passed_through(const std::vector<NDArray>& inputs,
                                    const std::vector<NDArray>* out) {
  const NDArray& from = inputs.at(0);
  const NDArray to = out ? out->at(0) : NDArray::empty(from.shape, from.dtype, from.ctx());
  copy_array(from, to);
  return {to};
}

bool passes_through(const OpDef& op, const Attrs& attrs) {
  return op.training_only && !draws_key(op, attrs, thread_state().training) &&
         !thread_state().training;
}

void check_not_recorded(const OpDef& op, const std::vector<ArrayRef>& out) {
  for (const ArrayRef& a : out) {
    require(!has_history(a), op.name,
            ": cannot write into an array that is part of a recorded graph: Inplace operations "
            "(+=, -=, x[:]=, etc) are not supported when recording with autograd; "
            "inside autograd.record() write y = y + 1 instead of y += 1 or y[:] = ...");
  }
}

std::vector<ArrayRef> run_and_record(const OpDef& op, const Attrs& attrs,
                                     const std::vector<ArrayRef>& inputs,
                                     const std::vector<ArrayRef>* out, Context ctx) {
  std::vector<NDArray> values, into, results;
  for (const ArrayRef& a : inputs) values.push_back(concrete(a));
  if (out) {
    for (const ArrayRef& a : *out) into.push_back(concrete(a));
  }
  const bool recording = thread_state().mode & kRecording;
  if (recording && out) check_not_recorded(op, *out);
  bool history = false;
  for (const ArrayRef& a : inputs) history = history || (recording && has_history(a));
  const bool through = passes_through(op, attrs);
  uint64_t key = 0;
  if (through) {
    check_arity(op, attrs, inputs.size());
    results = passed_through(values, out ? &into : nullptr);
  } else {
    if (draws_key(op, attrs, thread_state().training)) key = next_key();
    results = run_op(op, attrs, values, key, out ? &into : nullptr, ctx, thread_state().windows);
  }
  if (history && through) {  // the same value: the input's own entry
    ArrayRef result{results[0], Ref<ArrayExtra>(new ArrayExtra)};
    result.extra->entry = inputs[0].extra->entry;
    return {result};
  }
  if (history) return record(op, attrs, inputs, values, results, key);
  std::vector<ArrayRef> refs(results.size());
  for (size_t i = 0; i < results.size(); ++i) refs[i].array = std::move(results[i]);
  return refs;
}

}  // namespace

std::vector<ArrayRef> invoke(const OpDef& op, const Attrs& attrs,
                             const std::vector<ArrayRef>& inputs, const std::vector<ArrayRef>* out,
                             Context ctx) {
  const uint32_t mode = thread_state().mode;
  if (mode == kEager && out == nullptr && op.elementwise && inputs.size() <= 3) {
    const NDArray* arrays[3];
    for (size_t i = 0; i < inputs.size(); ++i) arrays[i] = &inputs[i].array;
    std::vector<ArrayRef> result(1);
    if (run_small(op, attrs, arrays, static_cast<int>(inputs.size()), &result[0].array)) {
      return result;
    }
  }
  if (mode & kTracing) return trace_op(op, attrs, inputs, ctx);
  return run_and_record(op, attrs, inputs, out, ctx);
}

}  // namespace hybrid
