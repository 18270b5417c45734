// run_op: one operator on concrete arrays.
#include <algorithm>

#include "core/error.h"
#include "exec/launch.h"

namespace hybrid {
namespace {

// Kept between calls to save allocations; inference never calls back into run_op.
struct Inference {
  std::vector<Shape> in_shapes, out_shapes;
  std::vector<DType> in_dtypes, out_dtypes;
};

std::string input_name(const OpDef& op, size_t i) {
  if (op.variadic) return std::string(op.inputs.empty() ? "data" : op.inputs[0].name) +
                          std::to_string(i);
  return op.inputs[i].name;
}

void check_inputs(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs) {
  const int expected = op.count_inputs(attrs);
  if (expected < 0) {
    require(!inputs.empty(), op.name, ": expected at least one input, given none");
  } else {
    require(static_cast<int>(inputs.size()) == expected, op.name, ": expected ", expected,
            expected == 1 ? " input" : " inputs", ", given ", inputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    require(inputs[i].defined(), op.name, ": input '", input_name(op, i), "' has no value");
    require(inputs[i].ctx() == inputs[0].ctx() || (inputs[i].ctx().is_cpu() && inputs[0].ctx().is_cpu()),
            op.name, ": '", input_name(op, 0), "' is on ", inputs[0].ctx().str(), ", '",
            input_name(op, i), "' on ", inputs[i].ctx().str(),
            "; copy one with as_in_context() first");
  }
}

void check_dtype(const OpDef& op, DType dtype, const char* what, const std::string& name) {
  const bool known = dtype != DType::unknown && (op.dtypes & dtype_bit(dtype));
  require(known, op.name, ": ", what, name.empty() ? "" : " '" + name + "'", " is ",
          dtype == DType::unknown ? "of unknown dtype" : dtype_name(dtype), "; supported are ",
          dtype_set_names(op.dtypes));
}

void infer_types(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs,
                 Inference* t) {
  const bool creates = inputs.empty();
  if (!creates) check_dtype(op, inputs[0].dtype, "input", input_name(op, 0));
  t->in_shapes.clear();
  t->in_dtypes.clear();
  for (const NDArray& a : inputs) {
    t->in_shapes.push_back(a.shape);
    t->in_dtypes.push_back(a.dtype);
  }
  const int num_outputs = op.count_outputs(attrs);
  t->out_shapes.assign(num_outputs, Shape::unknown());
  t->out_dtypes.assign(num_outputs, DType::unknown);
  InferContext context{attrs,        t->in_shapes,  t->out_shapes,
                       t->in_dtypes, t->out_dtypes, op.name};
  op.infer(context);
  for (int i = 0; i < num_outputs; ++i) {
    require(t->out_shapes[i].known() && t->out_dtypes[i] != DType::unknown, op.name,
            ": the shape or dtype of output ", i, " does not follow from the inputs");
  }
  if (creates) check_dtype(op, t->out_dtypes[0], "dtype", "");
}

void check_outputs(const OpDef& op, const Inference& t, const std::vector<NDArray>& out,
                   Context ctx) {
  require(out.size() == t.out_shapes.size(), op.name, ": has ", t.out_shapes.size(),
          " outputs, given ", out.size(), " arrays to write into");
  for (size_t i = 0; i < out.size(); ++i) {
    require(out[i].defined(), op.name, ": the array to write into has no value");
    require(out[i].shape == t.out_shapes[i] && out[i].dtype == t.out_dtypes[i], op.name,
            ": the result is ", dtype_name(t.out_dtypes[i]), " ", t.out_shapes[i],
            ", the array to write into is ", dtype_name(out[i].dtype), " ", out[i].shape);
    require(out[i].ctx() == ctx || (out[i].ctx().is_cpu() && ctx.is_cpu()), op.name,
            ": the result is on ", ctx.str(), ", the array to write into on ", out[i].ctx().str());
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

bool try_view(const OpDef& op, const Attrs& attrs, const NDArray& in, const Inference& t,
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

}  // namespace

std::vector<NDArray> run_op(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs,
                            uint64_t key, const std::vector<NDArray>* out, Context ctx) {
  if (op.elementwise && out == nullptr && inputs.size() <= 3 && !inputs.empty()) {
    const NDArray* pointers[3];
    for (size_t i = 0; i < inputs.size(); ++i) pointers[i] = &inputs[i];
    std::vector<NDArray> result(1);
    if (run_small(op, attrs, pointers, static_cast<int>(inputs.size()), &result[0])) return result;
  }
  check_inputs(op, attrs, inputs);
  thread_local Inference types;
  infer_types(op, attrs, inputs, &types);
  const Context where = inputs.empty() ? ctx : inputs[0].ctx();
  if (inputs.empty()) {
    require(engine::context_exists(where), op.name, ": there is no device ", where.str());
  }
  if (out) check_outputs(op, types, *out, where);

  std::vector<NDArray> arguments = inputs;
  if (op.view && !arguments.empty()) {
    NDArray window;
    bool viewed = try_view(op, attrs, arguments[0], types, &window);
    if (!viewed && !op.strided_ok && !arguments[0].contiguous()) {
      arguments[0] = make_contiguous(arguments[0]);
      viewed = try_view(op, attrs, arguments[0], types, &window);
    }
    if (viewed) {
      if (!out) return {window};
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
    results[i] = direct[i] ? (*out)[i]
                           : NDArray::empty(types.out_shapes[i], types.out_dtypes[i], where);
  }
  launch(op, attrs, arguments, results, key, where);
  if (!out) return results;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!direct[i]) copy_array(results[i], (*out)[i]);
  }
  return *out;
}

}  // namespace hybrid
