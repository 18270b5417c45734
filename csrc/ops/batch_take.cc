// MXNet's older operators on one element a row: batch_take and fill_element_0index.
#include <cstring>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/indices.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

void infer_batch_take(InferContext& c) {
  set_dtype(c, 0, c.in_dtypes[0]);
  expect_dtype(c, 0, c.out_dtypes[0]);
  expect_rank(c, 0, 2, "rows, columns");
  if (!c.in_shapes[0].rank_known()) return;
  expect_shape(c, 1, {c.in_shapes[0][0]});
  set_shape(c, 0, {c.in_shapes[0][0]});
}

void run_batch_take(KernelContext& c) {
  const int64_t rows = c.in[0].shape[0], columns = c.in[0].shape[1];
  const IndexMode mode(c.attrs, columns, 1);
  const IndexReader index(c.in[1]);
  dispatch_size(dtype_size(c.in[0].dtype), "batch_take", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < rows; ++i) {
      c.out[0].as<T>()[i] = c.in[0].as<T>()[i * columns + mode(index[i])];
    }
  });
}

void grad_batch_take(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape data = known_shape(b, b.input(0));
  const Shape column{data[0], 1};
  b.set(0, b.op("take_along_axis_grad",
                {reshape_to(b, b.out_grad(), column), reshape_to(b, b.input(1), column)},
                {{"axis", 1}, {"mode", b.attrs().string("mode")}, {"dim", data[1]}}));
}

void infer_fill(InferContext& c) {
  const DType dtype = unify_dtypes(c, {0, 1});
  set_dtype(c, 0, dtype);
  expect_rank(c, 0, 2, "rows, columns");
  if (!c.in_shapes[0].rank_known()) return;
  expect_shape(c, 1, {c.in_shapes[0][0]});
  expect_shape(c, 2, {c.in_shapes[0][0]});
  set_shape(c, 0, c.in_shapes[0]);
}

void run_fill(KernelContext& c) {
  const int64_t rows = c.in[0].shape[0], columns = c.in[0].shape[1];
  const size_t bytes = static_cast<size_t>(c.out[0].size()) * dtype_size(c.out[0].dtype);
  if (c.out[0].data != c.in[0].data && bytes > 0) {
    std::memcpy(c.out[0].data, c.in[0].data, bytes);
  }
  const IndexReader index(c.in[2]);
  dispatch_size(dtype_size(c.in[0].dtype), "fill_element_0index", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t at = index[i];
      require(at >= 0 && at < columns, "fill_element_0index: given index ", at, ", expected 0 to ",
              columns - 1);
      c.out[0].as<T>()[i * columns + at] = c.in[1].as<T>()[i];
    }
  });
}

OpDef row_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::index;
  def.doc = doc;
  def.dtypes = kAllComputed;
  return def;
}

}  // namespace

void register_batch_take() {
  OpDef take = row_def("batch_take",
                       "Element indices[i] of row i. An index out of range is an error, unlike in "
                       "MXNet 1.x, which clips.");
  take.inputs = {{"a", "(rows, columns)"}, {"indices", "(rows,), any number dtype", false}};
  take.attrs = {{"mode", AttrType::string, "raise",
                 "index out of range: clip to the nearest end, wrap around, or raise an error",
                 "clip|wrap|raise"}};
  take.infer = infer_batch_take;
  take.cpu = run_batch_take;
  take.gradient = grad_batch_take;
  add_op(std::move(take));

  OpDef fill = row_def("fill_element_0index", "lhs with element rhs[i] of row i set to mhs[i].");
  fill.inputs = {{"lhs", "(rows, columns)", false},
                 {"mhs", "(rows,), of lhs's dtype", false},
                 {"rhs", "(rows,), any number dtype", false}};
  fill.infer = infer_fill;
  fill.cpu = run_fill;
  fill.in_place = {{0, 0}};
  add_op(std::move(fill));
}

}  // namespace hybrid
