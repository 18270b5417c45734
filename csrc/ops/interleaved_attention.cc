// Attention's products on projections that lie interleaved: (sequence, batch, heads * parts *
// size), parts being queries, keys and values of one head after the other. MXNet's
// interleaved_matmul_*.
#include <cmath>

#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/matrix.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

int64_t heads_of(const Attrs& attrs) {
  const int64_t heads = attrs.integer("heads");
  require(heads > 0, attrs.op()->name, ": given heads ", heads, ", expected at least 1");
  return heads;
}

// Size of one head's part in projections of `parts` parts.
int64_t size_of_head(InferContext& c, size_t i, int64_t parts) {
  expect_rank(c, i, 3, "sequence, batch, heads * parts * size");
  const Shape& s = c.in_shapes[i];
  const int64_t pieces = heads_of(c.attrs) * parts;
  if (!s.rank_known() || s[2] < 0) return -1;
  require(s[2] % pieces == 0, c.op_name, ": given projections of shape ", s, " and heads ",
          heads_of(c.attrs), ", expected a last size that ", pieces, " divides");
  return s[2] / pieces;
}

int64_t times_heads(const Attrs& attrs, int64_t batch) {
  return batch < 0 ? -1 : batch * heads_of(attrs);
}

// Part `part` of `parts` as (batch, heads, sequence, size).
TensorView part_window(const TensorView& x, int64_t heads, int64_t parts, int64_t part) {
  const int64_t batch = x.shape[1], width = x.shape[2], size = width / heads / parts;
  TensorView w = x;
  w.shape = {batch, heads, x.shape[0], size};
  w.strides = {width, parts * size, batch * width, 1};
  w.data = w.as<char>() + part * size * static_cast<int64_t>(dtype_size(x.dtype));
  return w;
}

TensorView packed_part(const TensorView& x, int64_t heads, int64_t parts, int64_t part,
                       Resources& resources) {
  const TensorView window = part_window(x, heads, parts, part);
  const TensorView copy = scratch_view(x.dtype, window.shape, resources);
  if (copy.size() > 0) strided_copy(window, copy, resources);
  return copy;
}

// The products of a (n, m, k) and b (n, k, l), or with `turned` of b (n, l, k) transposed.
void products(const TensorView& a, const TensorView& b, bool turned, int64_t n, int64_t m,
              int64_t l, int64_t k, const TensorView& out, Resources& resources) {
  const int64_t item = static_cast<int64_t>(dtype_size(a.dtype));
  for (int64_t i = 0; i < n && !resources.cancelled(); ++i) {
    matrix_product(a.dtype, false, turned, m, l, k, a.as<char>() + i * m * k * item,
                   b.as<char>() + i * k * l * item, out.as<char>() + i * m * l * item, resources);
  }
}

// Nodes: part `part` of projections as (batch * heads, sequence, size), and back.
Entry part_entry(GradBuilder& b, Entry x, int64_t parts, int64_t part) {
  const Shape s = known_shape(b, x);
  const int64_t heads = heads_of(b.attrs()), size = s[2] / heads / parts;
  Entry e = reshape_to(b, x, {s[0], s[1], heads, parts, size});
  e = b.op("slice_axis", {e}, {{"axis", 3}, {"begin", part}, {"end", part + 1}});
  e = reshape_to(b, e, {s[0], s[1], heads, size});
  e = b.op("transpose", {e}, {{"axes", std::vector<int64_t>{1, 2, 0, 3}}});
  return reshape_to(b, e, {s[1] * heads, s[0], size});
}
Entry joined_parts(GradBuilder& b, const std::vector<Entry>& some, Entry like) {
  const Shape s = known_shape(b, like);
  const int64_t heads = heads_of(b.attrs());
  const auto parts = static_cast<int64_t>(some.size());
  const int64_t size = s[2] / heads / parts;
  const Entry stacked = b.op("stack", some, {{"axis", 0}});
  Entry e = reshape_to(b, stacked, {parts, s[1], heads, s[0], size});
  e = b.op("transpose", {e}, {{"axes", std::vector<int64_t>{3, 1, 2, 0, 4}}});
  return reshape_to(b, e, s);
}
Entry batch_dot(GradBuilder& b, Entry x, Entry y, bool tx, bool ty) {
  return b.op("batch_dot", {x, y}, {{"transpose_a", tx}, {"transpose_b", ty}});
}

// --- queries and keys ---------------------------------------------------------------------------

// Parts of the arrays: queries in one of 1 or 3, keys in one of 2 or 3.
struct Parts {
  int64_t query_parts, key_parts, key;
};
constexpr Parts kSelf{3, 3, 1}, kEncoder{1, 2, 0};

template <const Parts& p>
void infer_qk(InferContext& c) {
  one_dtype(c);
  const size_t keys = p.query_parts == 1 ? 1 : 0;
  const int64_t size = size_of_head(c, 0, p.query_parts),
                other = size_of_head(c, keys, p.key_parts);
  const Shape &q = c.in_shapes[0], &k = c.in_shapes[keys];
  if (!q.rank_known() || !k.rank_known()) return;
  require((size < 0 || other < 0 || size == other) && (q[1] < 0 || k[1] < 0 || q[1] == k[1]),
          c.op_name, ": given queries ", q, " and keys_values ", k,
          ", expected equal batches and heads of equal size");
  set_shape(c, 0, {times_heads(c.attrs, q[1]), q[0], k[0]});
}

template <const Parts& p>
void run_qk(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const int64_t heads = heads_of(c.attrs);
  const TensorView& source = c.in[p.query_parts == 1 ? 1 : 0];
  const TensorView q = packed_part(c.in[0], heads, p.query_parts, 0, c.resources);
  const TensorView k = packed_part(source, heads, p.key_parts, p.key, c.resources);
  const int64_t size = q.shape[3];
  run_with_number(ElemCode::div, q, std::sqrt(static_cast<double>(size)), q, c.resources);
  products(q, k, true, c.out[0].shape[0], q.shape[2], k.shape[2], size, c.out[0], c.resources);
}

template <const Parts& p>
void grad_qk(GradBuilder& b) {
  const bool self = p.query_parts == 3;
  const Entry source = b.input(self ? 0 : 1), g = b.out_grad();
  const Entry q = part_entry(b, b.input(0), p.query_parts, 0);
  const Entry k = part_entry(b, source, p.key_parts, p.key);
  const double root = std::sqrt(static_cast<double>(known_shape(b, q)[2]));
  const Expr dq = Expr(b, batch_dot(b, g, k, false, false)) / root;
  const Expr dk = Expr(b, batch_dot(b, g, q, true, false)) / root;
  const Entry none = b.zeros_as(k);
  if (self) return b.set(0, joined_parts(b, {dq.entry(), dk.entry(), none}, b.input(0)));
  if (b.wanted(0)) b.set(0, joined_parts(b, {dq.entry()}, b.input(0)));
  if (b.wanted(1)) b.set(1, joined_parts(b, {dk.entry(), none}, source));
}

// --- attention and values -----------------------------------------------------------------------

template <int parts>
void infer_values(InferContext& c) {
  one_dtype(c);
  const int64_t size = size_of_head(c, 0, parts);
  expect_rank(c, 1, 3, "batch * heads, sequence of queries, sequence of keys");
  const Shape &v = c.in_shapes[0], &a = c.in_shapes[1];
  if (!v.rank_known()) return;
  const bool self = parts == 3;
  expect_shape(c, 1, {times_heads(c.attrs, v[1]), self ? v[0] : -1, v[0]});
  if (a.rank_known()) {
    set_shape(c, 0, {a[1], v[1], size < 0 ? -1 : size * heads_of(c.attrs)});
  }
}

template <int parts>
void run_values(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const int64_t heads = heads_of(c.attrs);
  const TensorView v = packed_part(c.in[0], heads, parts, parts - 1, c.resources);
  const TensorView& a = c.in[1];
  const TensorView window = part_window(c.out[0], heads, 1, 0);
  const TensorView made = scratch_view(v.dtype, window.shape, c.resources);
  products(a, v, false, a.shape[0], a.shape[1], v.shape[3], a.shape[2], made, c.resources);
  strided_copy(made, window, c.resources);
}

template <int parts>
void grad_values(GradBuilder& b) {
  const Entry g = part_entry(b, b.out_grad(), 1, 0);
  if (b.wanted(0)) {
    const Entry dv = batch_dot(b, b.input(1), g, true, false);
    std::vector<Entry> all(static_cast<size_t>(parts), b.zeros_as(dv));
    all.back() = dv;
    b.set(0, joined_parts(b, all, b.input(0)));
  }
  if (b.wanted(1)) {
    b.set(1, batch_dot(b, g, part_entry(b, b.input(0), parts, parts - 1), false, true));
  }
}

double attention_flops(const Attrs& attrs, const std::vector<Shape>& in,
                       const std::vector<Shape>&) {
  const Shape& s = in[0];
  return 2.0 * static_cast<double>(s.size()) * static_cast<double>(s[0]) /
         static_cast<double>(std::max<int64_t>(1, attrs.integer("heads")));
}

void add(const char* name, const char* doc, std::vector<InputDef> inputs,
         void (*infer)(InferContext&), void (*run)(KernelContext&), void (*grad)(GradBuilder&)) {
  OpDef def;
  def.name = name;
  def.family = Family::linear;
  def.doc = doc;
  def.inputs = std::move(inputs);
  def.attrs = {{"heads", AttrType::integer, nullptr, "number of heads"}};
  def.dtypes = kFloats;
  def.infer = infer;
  def.cpu = run;
  def.gradient = grad;
  def.flops = attention_flops;
  add_op(std::move(def));
}

}  // namespace

void register_interleaved_attention() {
  const InputDef all{"queries_keys_values", "(sequence, batch, heads * 3 * size)"};
  const InputDef some{"keys_values", "(sequence, batch, heads * 2 * size)"};
  const InputDef queries{"queries", "(sequence, batch, heads * size)"};
  const InputDef weights{"attention", "(batch * heads, sequence of queries, sequence of keys)"};
  add("interleaved_matmul_selfatt_qk",
      "Queries times keys, divided by the square root of a head's size: (batch * heads, sequence, "
      "sequence).",
      {all}, infer_qk<kSelf>, run_qk<kSelf>, grad_qk<kSelf>);
  add("interleaved_matmul_selfatt_valatt",
      "Attention times values: (sequence, batch, heads * size).", {all, weights}, infer_values<3>,
      run_values<3>, grad_values<3>);
  add("interleaved_matmul_encdec_qk",
      "A decoder's queries times an encoder's keys, divided by the square root of a head's size: "
      "(batch * heads, sequence of queries, sequence of keys).",
      {queries, some}, infer_qk<kEncoder>, run_qk<kEncoder>, grad_qk<kEncoder>);
  add("interleaved_matmul_encdec_valatt",
      "Attention times an encoder's values: (sequence of queries, batch, heads * size).",
      {some, weights}, infer_values<2>, run_values<2>, grad_values<2>);
}

}  // namespace hybrid
