#include "launch/call_types.h"

#include "core/devices.h"
#include "core/error.h"
#include "graph/graph.h"

namespace hybrid {

void CallTypes::clear() {
  in_shapes.clear();
  in_dtypes.clear();
}

void CallTypes::add_input(const Shape& shape, DType dtype) {
  in_shapes.push_back(shape);
  in_dtypes.push_back(dtype);
}

std::string input_name(const OpDef& op, size_t i) {
  if (op.variadic || i >= op.inputs.size()) {
    return (op.inputs.empty() ? "data" : op.inputs[0].name) + std::to_string(i);
  }
  return op.inputs[i].name;
}

void check_arity(const OpDef& op, const Attrs& attrs, size_t num_inputs) {
  const int expected = op.count_inputs(attrs);
  if (expected < 0) {
    require(num_inputs > 0, op.name, ": expected at least one input, given none");
  } else {
    require(static_cast<int>(num_inputs) == expected, op.name, ": expected ", expected,
            expected == 1 ? " input" : " inputs", ", given ", num_inputs);
  }
}

namespace {

void check_dtype(const OpDef& op, DType dtype, const std::string& what) {
  const bool known = dtype != DType::unknown && (op.dtypes & dtype_bit(dtype));
  require(known, op.name, ": ", what, " is ",
          dtype == DType::unknown ? "of unknown dtype" : dtype_name(dtype), "; supported are ",
          dtype_set_names(op.dtypes));
}

}  // namespace

void infer_call(const OpDef& op, const Attrs& attrs, CallTypes* t) {
  const bool creates = t->in_shapes.empty();
  if (!creates && !(op.dtypes & dtype_bit(t->in_dtypes[0]))) {
    check_dtype(op, t->in_dtypes[0], "input '" + input_name(op, 0) + "'");
  }
  const int num_outputs = op.count_outputs(attrs);
  t->out_shapes.assign(num_outputs, Shape::unknown());
  t->out_dtypes.assign(num_outputs, DType::unknown);
  InferContext context{attrs, t->in_shapes, t->out_shapes, t->in_dtypes, t->out_dtypes, op.name};
  op.infer(context);
  for (int i = 0; i < num_outputs; ++i) {
    require(t->out_shapes[i].known() && t->out_dtypes[i] != DType::unknown, op.name,
            ": the shape or dtype of output ", i, " does not follow from the inputs");
  }
  if (creates) check_dtype(op, t->out_dtypes[0], "the dtype");
}

void check_device(const OpDef& op, Context ctx) {
  if (!devices::exists(ctx)) fail(op.name, ": ", devices::why_absent(ctx));
}

}  // namespace hybrid
