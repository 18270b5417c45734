// FullyConnected: data @ weight^T + bias.
#include "ops/epilogue.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/matrix.h"

namespace hybrid {

namespace {

// Size of the summed dimension: everything after the batch axis, or the last axis.
int64_t in_units(const Shape& data, bool flatten) {
  if (!flatten) return data[data.ndim() - 1];
  int64_t size = 1;
  for (int i = 1; i < data.ndim(); ++i) {
    if (data[i] < 0) return -1;
    size *= data[i];
  }
  return size;
}

void infer_fc(InferContext& c) {
  one_dtype(c);
  const int64_t hidden = c.attrs.integer("num_hidden");
  require(hidden > 0, c.op_name, ": given num_hidden ", hidden, ", expected at least 1");
  const bool flatten = c.attrs.boolean("flatten");
  if (c.in_shapes.size() > 2) expect_shape(c, 2, {hidden});
  Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;  // the weight's shape follows from data's, as in MXNet
  expect_shape(c, 1, {hidden, -1});
  require(data.ndim() > 0, c.op_name, ": given data of shape ", data,
          ", expected at least one dimension");
  if (!flatten && data[data.ndim() - 1] < 0) data[data.ndim() - 1] = c.in_shapes[1][1];
  const int64_t units = in_units(data, flatten);
  const int64_t weight_units = c.in_shapes[1][1];
  require(units < 0 || weight_units < 0 || units == weight_units, c.op_name, ": given data ", data,
          " and weight ", c.in_shapes[1], ", expected weight ", Shape{hidden, units});
  expect_shape(c, 1, {hidden, units});
  if (flatten) {
    set_shape(c, 0, {data[0], hidden});
    if (data[0] < 0 && c.out_shapes[0].rank_known()) data[0] = c.out_shapes[0][0];
  } else {
    Shape out = data;
    out[out.ndim() - 1] = hidden;
    set_shape(c, 0, out);
  }
}

void run_fc(KernelContext& c) { run_fully_connected(c, nullptr); }

void run_fc_with(KernelContext& c, const Finish* finish) {
  const int64_t hidden = c.attrs.integer("num_hidden");
  const int64_t k = c.in[1].shape[1];
  const int64_t m = c.out[0].size() / hidden;
  if (m == 0) return;
  const void* bias = c.num_in > 2 ? c.in[2].data : nullptr;
  fully_connected_finished(c.in[0].dtype, m, hidden, k, c.in[0].data, c.in[1].data, bias,
                           c.out[0].data, finish, c.resources);
}

// Data or gradient as a matrix: rows of the summed (or hidden) dimension.
Entry as_rows(GradBuilder& b, Entry e, bool flatten) {
  const Shape shape = b.shape(e);
  if (shape.rank_known() && shape.ndim() == 2) return e;
  if (flatten) return b.op("flatten", {e});
  return b.op("reshape", {e},
              {{"shape", std::vector<int64_t>{-1, 0}}, {"codes", true}, {"reverse", true}});
}

void grad_fc(GradBuilder& b) {
  const bool flatten = b.attrs().boolean("flatten");
  const Entry g = flatten ? b.out_grad() : as_rows(b, b.out_grad(), false);
  if (b.wanted(0)) b.set(0, reshape_as(b, b.op("dot", {g, b.input(1)}), b.input(0)));
  if (b.wanted(1)) {
    b.set(1, b.op("dot", {g, as_rows(b, b.input(0), flatten)}, {{"transpose_a", true}}));
  }
  if (b.num_inputs() > 2 && b.wanted(2)) {
    b.set(2, b.op("sum", {g}, {{"axis", std::vector<int64_t>{0}}}));
  }
}

double fc_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  return 2.0 * static_cast<double>(in[1][1]) * static_cast<double>(out[0].size());
}

}  // namespace

void run_fully_connected(KernelContext& c, const Finish* finish) { run_fc_with(c, finish); }

void register_fully_connected() {
  OpDef def;
  def.name = "FullyConnected";
  def.family = Family::linear;
  def.doc =
      "data @ weight^T + bias. With flatten, data (n, ...) counts as (n, k) and the result is (n, "
      "num_hidden); without, the last axis k of data becomes num_hidden. MXNet's FullyConnected.";
  def.inputs = {{"data", "(n, ...)"},
                {"weight", "(num_hidden, k)"},
                {"bias", "(num_hidden,)", true, "no_bias"}};
  def.attrs = {{"num_hidden", AttrType::integer, nullptr, "number of outputs"},
               {"no_bias", AttrType::boolean, "False", "no bias is given"},
               {"flatten", AttrType::boolean, "True", "all axes but the first become one"}};
  def.dtypes = kFloats;
  def.infer = infer_fc;
  def.cpu = run_fc;
  def.on_device = true;
  def.gradient = grad_fc;
  def.flops = fc_flops;
  add_op(std::move(def));
}

}  // namespace hybrid
