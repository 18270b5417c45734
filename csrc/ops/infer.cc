// What inference rules share.
#include "ops/infer.h"

namespace hybrid {

namespace {

const char* input_name(const OpDef& op, size_t i) {
  if (op.inputs.empty()) return "input";
  return op.inputs[op.variadic ? 0 : std::min(i, op.inputs.size() - 1)].name;
}

void check_dtypes(const OpDef& op, const InferContext& c) {
  const bool creates = c.in_dtypes.empty();
  if (creates && c.out_dtypes.empty()) return;
  const DType dtype = creates ? c.out_dtypes[0] : c.in_dtypes[0];
  if (dtype == DType::unknown || (op.dtypes & dtype_bit(dtype)) != 0) return;
  fail(c.op_name, ": given ", creates ? "dtype" : input_name(op, 0), " ", dtype_name(dtype),
       ", expected one of ", dtype_set_names(op.dtypes));
}

const OpDef& op_of(const InferContext& c) {
  return c.attrs.op() ? *c.attrs.op() : *get_op(c.op_name);
}

// One more of the dtypes that must be equal.
void note_dtype(const InferContext& c, DType dtype, DType* found) {
  if (dtype == DType::unknown) return;
  if (*found == DType::unknown) *found = dtype;
  require(dtype == *found, c.op_name, ": given ", dtype_name(*found), " and ", dtype_name(dtype),
          ", expected equal dtypes: cast one of them");
}

}  // namespace

void checked_infer(InferContext& c) {
  const OpDef& op = op_of(c);
  const int expected = op.count_inputs(c.attrs);
  const size_t given = c.in_shapes.size();
  if (expected < 0) {
    require(given > 0, c.op_name, ": given no inputs, expected at least one");
  } else {
    require(given == static_cast<size_t>(expected), c.op_name, ": given ", given,
            " inputs, expected ", expected);
  }
  const size_t outputs = static_cast<size_t>(op.count_outputs(c.attrs));
  c.out_shapes.resize(outputs, Shape::unknown());
  c.out_dtypes.resize(outputs, DType::unknown);
  check_dtypes(op, c);
  op.rule(c);
  check_dtypes(op, c);
}

void set_shape(InferContext& c, size_t i, const Shape& shape) {
  Shape merged = c.out_shapes[i];
  require(merge_shape(&merged, shape), c.op_name, ": gives shape ", shape, ", but shape ",
          c.out_shapes[i], " is expected of its output");
  c.out_shapes[i] = merged;
}

void set_dtype(InferContext& c, size_t i, DType dtype) {
  if (dtype == DType::unknown) return;
  DType& out = c.out_dtypes[i];
  require(out == DType::unknown || out == dtype, c.op_name, ": gives ", dtype_name(dtype), ", but ",
          dtype_name(out == DType::unknown ? dtype : out), " is expected of its output");
  out = dtype;
}

void expect_shape(InferContext& c, size_t i, const Shape& expected) {
  Shape merged = c.in_shapes[i];
  require(merge_shape(&merged, expected), c.op_name, ": given ", input_name(op_of(c), i),
          " of shape ", c.in_shapes[i], ", expected ", expected);
  c.in_shapes[i] = merged;
}

void expect_dtype(InferContext& c, size_t i, DType expected) {
  if (expected == DType::unknown) return;
  DType& in = c.in_dtypes[i];
  require(in == DType::unknown || in == expected, c.op_name, ": given ", input_name(op_of(c), i),
          " ", dtype_name(in == DType::unknown ? expected : in), ", expected ",
          dtype_name(expected));
  in = expected;
}

void expect_rank(InferContext& c, size_t i, int ndim, const char* layout) {
  const Shape& in = c.in_shapes[i];
  require(!in.rank_known() || in.ndim() == ndim, c.op_name, ": given ", input_name(op_of(c), i),
          " of shape ", in, ", expected ", ndim, " dimensions (", layout, ")");
}

DType unify_dtypes(InferContext& c, std::initializer_list<size_t> inputs) {
  DType found = DType::unknown;
  for (size_t i : inputs) note_dtype(c, c.in_dtypes[i], &found);
  if (found != DType::unknown) {
    for (size_t i : inputs) c.in_dtypes[i] = found;
  }
  return found;
}

void one_dtype(InferContext& c) {
  DType dtype = DType::unknown;
  for (DType d : c.in_dtypes) note_dtype(c, d, &dtype);
  for (size_t i = 0; dtype == DType::unknown && i < c.out_dtypes.size(); ++i) {
    dtype = c.out_dtypes[i];
  }
  if (dtype == DType::unknown) return;
  for (DType& in : c.in_dtypes) in = dtype;
  for (size_t i = 0; i < c.out_dtypes.size(); ++i) set_dtype(c, i, dtype);
}

void one_shape(InferContext& c) {
  Shape shape = c.out_shapes[0];
  for (size_t i = 0; i < c.in_shapes.size(); ++i) {
    require(merge_shape(&shape, c.in_shapes[i]), c.op_name, ": given ", input_name(op_of(c), i),
            " of shape ", c.in_shapes[i], ", expected ", shape);
  }
  for (Shape& in : c.in_shapes) in = shape;
  c.out_shapes[0] = shape;
}

Shape checked_shape(const std::vector<int64_t>& dims, const char* op) {
  require(dims.size() <= static_cast<size_t>(kMaxDims), op, ": given ", dims.size(),
          " dimensions, expected at most ", kMaxDims);
  const Shape shape(dims);
  for (int64_t d : dims) {
    require(d >= 0, op, ": given shape ", shape, ", expected sizes of 0 or more");
  }
  shape.size();  // throws when the element count is out of range
  return shape;
}

AttrDef open_attr() {
  return {"open", AttrType::boolean, "False", "sizes of 0, and of (), follow from the use"};
}

void set_given_shape(InferContext& c) {
  Shape shape = checked_shape(c.attrs.ints("shape"), c.op_name);
  if (c.attrs.boolean("open")) {
    if (shape.ndim() == 0) return;
    for (int i = 0; i < shape.ndim(); ++i) {
      if (shape[i] == 0) shape[i] = -1;
    }
  } else if (shape.ndim() == 0 && op_of(c).attr_index("at_least_1d") >= 0 &&
             c.attrs.boolean("at_least_1d")) {
    shape.push_back(1);
  }
  set_shape(c, 0, shape);
}

void infer_like(InferContext& c) {
  one_shape(c);
  one_dtype(c);
}

void infer_broadcast(InferContext& c) {
  one_dtype(c);
  for (const Shape& in : c.in_shapes) {
    if (!in.rank_known()) return;
  }
  Shape shape = c.in_shapes[0];
  for (size_t i = 1; i < c.in_shapes.size(); ++i) {
    shape = broadcast_shapes(shape, c.in_shapes[i], c.op_name);
  }
  set_shape(c, 0, shape);
}

bool axis_in(uint32_t mask, int axis) { return (mask >> axis & 1u) != 0; }

}  // namespace hybrid
