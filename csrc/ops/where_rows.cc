// where_rows: MXNet's where, whose condition of one axis chooses rows. NumPy's, which broadcasts,
// is in elementwise.cc.
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

void infer_where_rows(InferContext& c) {
  DType dtype = unify_dtypes(c, {1, 2});
  if (dtype == DType::unknown) dtype = c.out_dtypes[0];
  expect_dtype(c, 1, dtype);
  expect_dtype(c, 2, dtype);
  set_dtype(c, 0, dtype);
  for (size_t i : {size_t{1}, size_t{2}}) {
    expect_shape(c, i, c.out_shapes[0]);
    set_shape(c, 0, c.in_shapes[i]);
  }
  expect_shape(c, 1, c.out_shapes[0]);
  const Shape &condition = c.in_shapes[0], &x = c.in_shapes[1];
  if (!condition.rank_known() || !x.rank_known()) return;
  const bool rows = condition.ndim() == 1 && x.ndim() > 1;
  Shape merged = condition;
  require(merge_shape(&merged, rows ? Shape{x[0]} : x), c.op_name, ": given condition of shape ",
          condition, " and x of shape ", x, ", expected a condition of shape ", x,
          x.ndim() > 1 ? ", or one number for each row of x" : "");
  c.in_shapes[0] = merged;
}

void run_where_rows(KernelContext& c) {
  static const OpDef* const where = get_op("where");
  if (c.out[0].size() == 0) return;
  TensorView in[] = {c.in[0], c.in[1], c.in[2]};
  in[0].shape = c.out[0].shape;
  while (in[0].strides.ndim() < in[0].shape.ndim()) in[0].strides.push_back(0);  // a row's elements
  ElemProgram program;
  for (const TensorView& view : in) program.inputs.push_back(view.dtype);
  where->elementwise(Attrs(where), program.inputs, &program.instrs);
  program.outputs.push_back(static_cast<int16_t>(program.instrs.size() - 1));
  run_elementwise(program, in, c.out, c.resources);
}

void grad_where_rows(GradBuilder& b) {
  const Entry condition = b.input(0), g = b.out_grad();
  const Entry zero = b.op("zeros_like", {g});
  if (b.wanted(1)) b.set(1, b.op("where_rows", {condition, g, zero}));
  if (b.wanted(2)) b.set(2, b.op("where_rows", {condition, zero, g}));
}

}  // namespace

void register_where_rows() {
  OpDef where;
  where.name = "where_rows";
  where.family = Family::index;
  where.doc =
      "x where condition is not 0, else y, both of one shape. The condition has that shape, or one "
      "axis and a number for each row of x.";
  where.inputs = {
      {"condition", "any dtype", false}, {"x", "taken where true"}, {"y", "taken where false"}};
  where.dtypes = kAllComputed;
  where.infer = infer_where_rows;
  where.cpu = run_where_rows;
  where.gradient = grad_where_rows;
  where.in_place = {{1, 0}, {2, 0}};
  where.strided_ok = true;
  where.on_device = true;
  add_op(std::move(where));
}

}  // namespace hybrid
