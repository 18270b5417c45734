// Indices of elements as one number or as one number an axis: ravel_multi_index, unravel_index.
#include <cmath>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// Sizes of the array that is indexed; the first may be -1, unknown.
const std::vector<int64_t>& sizes_of(const Attrs& attrs) {
  const char* op = attrs.op()->name;
  require(attrs.has("shape") && !attrs.ints("shape").empty(), op,
          ": given no shape, expected that of the array");
  const std::vector<int64_t>& sizes = attrs.ints("shape");
  double count = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    require(sizes[i] >= 0 || (i == 0 && sizes[i] == -1), op, ": given shape ", attrs.text("shape"),
            ", expected sizes of 0 or more, the first may be -1");
    count *= static_cast<double>(sizes[i]);
  }
  require(std::fabs(count) < 9.0e18, op, ": given shape ", attrs.text("shape"),
          ", expected fewer elements");
  return sizes;
}

void infer_ravel(InferContext& c) {
  const auto ndim = static_cast<int64_t>(sizes_of(c.attrs).size());
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in.ndim() > 0 && (in[0] == ndim || in[0] < 0), c.op_name, ": given data of shape ", in,
          " and shape ", c.attrs.text("shape"), ", expected ", ndim, " rows");
  Shape out;
  for (int i = 1; i < in.ndim(); ++i) out.push_back(in[i]);
  if (out.ndim() == 0) out.push_back(1);
  set_shape(c, 0, out);
}

void run_ravel(KernelContext& c) {
  const std::vector<int64_t>& sizes = sizes_of(c.attrs);
  const int64_t count = c.out[0].size();
  const IndexReader index(c.in[0]);
  const IndexWriter out(c.out[0]);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      const int64_t given = index[static_cast<int64_t>(axis) * count + i];
      require(given >= 0 && (given < sizes[axis] || sizes[axis] < 0),
              "ravel_multi_index: given index ", given, ", expected 0 to ", sizes[axis] - 1,
              " on axis ", axis, " of shape ", c.attrs.text("shape"));
      at = at * std::max<int64_t>(sizes[axis], 0) + given;
    }
    out.put(i, at);
  }
}

void infer_unravel(InferContext& c) {
  const auto ndim = static_cast<int64_t>(sizes_of(c.attrs).size());
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  require(in.ndim() < kMaxDims, c.op_name, ": given data of ", in.ndim(),
          " dimensions, expected fewer than ", kMaxDims);
  Shape out{ndim};
  for (int64_t size : in) out.push_back(size);
  set_shape(c, 0, out);
}

void run_unravel(KernelContext& c) {
  const std::vector<int64_t>& sizes = sizes_of(c.attrs);
  const int64_t count = c.in[0].size();
  const IndexReader index(c.in[0]);
  const IndexWriter out(c.out[0]);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = index[i];
    const int64_t given = rest;
    for (size_t axis = sizes.size(); axis-- > 0;) {
      const int64_t size = sizes[axis];
      const int64_t at = size < 0 ? rest : size > 0 ? rest % size : 0;
      rest = size < 0 ? 0 : size > 0 ? rest / size : 1;
      out.put(static_cast<int64_t>(axis) * count + i, at);
    }
    require(given >= 0 && rest == 0, "unravel_index: given index ", given,
            ", expected one of an array of shape ", c.attrs.text("shape"));
  }
}

OpDef index_def(const char* name, const char* doc, const char* data) {
  OpDef def;
  def.name = name;
  def.family = Family::index;
  def.doc = doc;
  def.inputs = {{"data", data, false}};
  def.attrs = {{"shape", AttrType::ints, "None",
                "shape of the indexed array; its first size may "
                "be -1, which stands for any"}};
  def.dtypes = kNumbers;
  return def;
}

}  // namespace

void register_multi_index() {
  OpDef ravel = index_def("ravel_multi_index",
                          "The number of an element in row-major order, from its index on every "
                          "axis: (n, ...) gives (...), in data's dtype. An index outside the "
                          "shape is an error, unlike in MXNet.",
                          "(n, ...): a row for every axis");
  ravel.infer = infer_ravel;
  ravel.cpu = run_ravel;
  add_op(std::move(ravel));

  OpDef unravel = index_def("unravel_index",
                            "The index on every axis of an element, from its number in row-major "
                            "order: (...) gives (n, ...), in data's dtype. A number outside the "
                            "shape is an error, unlike in MXNet.",
                            "numbers of elements");
  unravel.infer = infer_unravel;
  unravel.cpu = run_unravel;
  add_op(std::move(unravel));
}

}  // namespace hybrid
