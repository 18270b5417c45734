// run_op: one operator on concrete arrays.
#include "core/error.h"
#include "launch/call_types.h"
#include "launch/launch.h"
#include "ops/copy_to_device.h"
#include "plan/windows.h"

namespace hybrid {
namespace {

void check_inputs(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs) {
  check_arity(op, attrs, inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) fail(op.name, ": input '", input_name(op, i), "' has no value");
    const Context a = inputs[0].ctx(), b = inputs[i].ctx();
    if (a == b || (a.is_cpu() && b.is_cpu())) continue;
    fail(op.name, ": '", input_name(op, 0), "' is on ", a.str(), ", '", input_name(op, i), "' on ",
         b.str(), "; copy one with as_in_context() first");
  }
}

void check_outputs(const OpDef& op, const CallTypes& t, const std::vector<NDArray>& out,
                   Context ctx) {
  require(out.size() == t.out_shapes.size(), op.name, ": has ", t.out_shapes.size(),
          " outputs, given ", out.size(), " arrays to write into");
  for (size_t i = 0; i < out.size(); ++i) {
    require(out[i].defined(), op.name, ": the array to write into has no value");
    require(out[i].shape == t.out_shapes[i] && out[i].dtype == t.out_dtypes[i], op.name,
            ": the result is ", dtype_name(t.out_dtypes[i]), " ", t.out_shapes[i],
            ", the array to write into is ", dtype_name(out[i].dtype), " ", out[i].shape);
    const Context to = out[i].ctx();
    if (to == ctx || (to.is_cpu() && ctx.is_cpu())) continue;
    fail(op.name, ": the result is on ", ctx.str(), ", the array to write into on ", to.str());
  }
}

// May the kernel write straight into `out`, given what it reads? Otherwise by way of a copy.
bool writes_directly(const OpDef& op, const NDArray& out, const std::vector<NDArray>& inputs) {
  if (!op.elementwise && !out.contiguous()) return false;
  for (const NDArray& in : inputs) {
    if (!(in.storage == out.storage)) continue;
    const bool same = in.offset == out.offset && in.shape == out.shape &&
                      in.strides == out.strides && in.dtype == out.dtype;
    if (!same || !op.elementwise) return false;
  }
  return true;
}

bool try_view(const OpDef& op, const Attrs& attrs, const NDArray& in, const CallTypes& t,
              NDArray* result) {
  TensorView view;
  view.dtype = in.dtype;
  view.shape = in.shape;
  view.strides = in.strides;
  int64_t offset = 0;
  Shape shape, strides;
  if (!op.view(attrs, view, &shape, &strides, &offset)) return false;
  result->storage = in.storage;
  result->offset = in.offset + offset;
  result->shape = shape;
  result->strides = strides;
  result->dtype = t.out_dtypes[0];
  return true;
}

// To another device, on its copy lane.
NDArray copied_to(Context to, const NDArray& from, const std::vector<NDArray>* out) {
  require(!out || (out->size() == 1 && same_device(out->at(0).ctx(), to)),
          "copy_to_device: the array to write into is not on ", to.str());
  const NDArray made = out ? out->at(0) : NDArray::empty(from.shape, from.dtype, to);
  copy_array(from, made);
  return made;
}

}  // namespace

std::vector<NDArray> run_op(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs,
                            uint64_t key, const std::vector<NDArray>* out, Context ctx,
                            bool windows) {
  if (op.elementwise && out == nullptr && inputs.size() <= 3 && !inputs.empty()) {
    const NDArray* pointers[3];
    for (size_t i = 0; i < inputs.size(); ++i) pointers[i] = &inputs[i];
    std::vector<NDArray> result(1);
    if (run_small(op, attrs, pointers, static_cast<int>(inputs.size()), &result[0])) return result;
  }
  check_inputs(op, attrs, inputs);
  if (is_device_copy(&op)) return {copied_to(target_of_copy(attrs), inputs[0], out)};
  if (out) {
    for (const NDArray& a : *out) {
      if (a.defined()) before_overwrite(a);
    }
  }
  // Kept between calls to save allocations; inference never calls back into run_op.
  thread_local CallTypes types;
  types.clear();
  for (const NDArray& a : inputs) types.add_input(a.shape, a.dtype);
  infer_call(op, attrs, &types);
  const Context where = inputs.empty() ? ctx : inputs[0].ctx();
  if (inputs.empty()) check_device(op, where);
  if (out) check_outputs(op, types, *out, where);

  std::vector<NDArray> arguments = inputs;
  if (op.view && !arguments.empty() && (windows || out)) {
    NDArray window;
    bool viewed = try_view(op, attrs, arguments[0], types, &window);
    if (!viewed && !op.strided_ok && !arguments[0].contiguous()) {
      arguments[0] = make_contiguous(arguments[0]);
      viewed = try_view(op, attrs, arguments[0], types, &window);
    }
    if (viewed) {
      if (!out) return {repeats(window.shape, window.strides) ? make_contiguous(window) : window};
      copy_array(window, (*out)[0]);
      return *out;
    }
  }
  if (!op.elementwise && !op.strided_ok) {
    for (NDArray& a : arguments) a = make_contiguous(a);
  }
  std::vector<NDArray> results(types.out_shapes.size());
  std::vector<bool> direct(results.size(), true);
  for (size_t i = 0; i < results.size(); ++i) {
    direct[i] = out && writes_directly(op, (*out)[i], arguments);
    results[i] =
        direct[i] ? (*out)[i] : NDArray::empty(types.out_shapes[i], types.out_dtypes[i], where);
  }
  launch(op, attrs, arguments, results, key, where);
  if (!out) return results;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!direct[i]) copy_array(results[i], (*out)[i]);
  }
  return *out;
}

}  // namespace hybrid
