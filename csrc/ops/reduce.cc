// Reductions: sum, mean, prod, max, min, norm, any, all, argmax, argmin.
#include <cmath>

#include "kernels/kernels.h"
#include "ops/axes.h"
#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/half.h"
#include "ops/infer.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

void infer_shape(InferContext& c) {
  const Shape& in = c.in_shapes[0];
  if (in.rank_known()) set_shape(c, 0, reduced_shape(c.attrs, in, axes_mask(c.attrs, in.ndim())));
}

void infer_reduce(InferContext& c) {
  one_dtype(c);
  infer_shape(c);
}

// Of no element there is no largest one: said at the call.
void infer_chosen(InferContext& c) {
  infer_reduce(c);
  const Shape &in = c.in_shapes[0], &out = c.out_shapes[0];
  require(!in.known() || !out.known() || in.size() > 0 || out.size() == 0, c.op_name,
          ": given data of shape ", in, ", expected at least one element to choose from");
}

template <Reduction kind>
void run_reduce(KernelContext& c) {
  reduce(kind, c.in[0], axes_mask(c.attrs, c.in[0].shape.ndim()), c.out[0], c.resources);
}

double input_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
  return static_cast<double>(in[0].size());
}

// --- mean and norm
// --------------------------------------------------------------------------------

void run_mean(KernelContext& c) {
  run_reduce<Reduction::sum>(c);
  const uint32_t mask = axes_mask(c.attrs, c.in[0].shape.ndim());
  double count = 1;
  for (int i = 0; i < c.in[0].shape.ndim(); ++i) {
    if (axis_in(mask, i)) count *= static_cast<double>(c.in[0].shape[i]);
  }
  run_with_number(ElemCode::div, c.out[0], count, c.out[0], c.resources);
}

// Integers are never nan.
void run_nansum(KernelContext& c) {
  is_floating(c.in[0].dtype) ? run_reduce<Reduction::nansum>(c) : run_reduce<Reduction::sum>(c);
}

// Where data is nan, 1 is multiplied.
void run_nanprod(KernelContext& c) {
  if (!is_floating(c.in[0].dtype)) return run_reduce<Reduction::prod>(c);
  const TensorView numbers = scratch_view(c.in[0].dtype, c.in[0].shape, c.resources);
  ElemProgram program;
  program.inputs = {c.in[0].dtype};
  Emitter e(&program.instrs);
  const DType d = c.in[0].dtype;
  const auto x = Emitter::input(0);
  e.select(d, e.test(ElemCode::equal, d, DType::boolean, x, x), x, e.fill(d, Emitter::number(1.0)));
  program.outputs = {static_cast<int16_t>(program.instrs.size() - 1)};
  run_elementwise(program, &c.in[0], &numbers, c.resources);
  reduce(Reduction::prod, numbers, axes_mask(c.attrs, numbers.shape.ndim()), c.out[0], c.resources);
}

void infer_norm(InferContext& c) {
  const int64_t ord = c.attrs.integer("ord");
  require(ord == 1 || ord == 2, c.op_name, ": given ord ", ord, ", expected 1 or 2");
  if (!c.attrs.has("out_dtype")) return infer_reduce(c);
  const DType to = c.attrs.dtype("out_dtype");
  require((kFloats & dtype_bit(to)) != 0, c.op_name, ": given out_dtype ", dtype_name(to),
          ", expected one of ", dtype_set_names(kFloats));
  set_dtype(c, 0, to);
  infer_shape(c);
}

void run_norm(KernelContext& c) {
  if (c.attrs.integer("ord") == 2) {
    run_reduce<Reduction::sum_squares>(c);
    run_unary(ElemCode::sqrt, c.out[0], c.out[0], c.resources);
    return;
  }
  const TensorView sizes = scratch_view(c.in[0].dtype, c.in[0].shape, c.resources);
  run_unary(ElemCode::abs, c.in[0], sizes, c.resources);
  reduce(Reduction::sum, sizes, axes_mask(c.attrs, sizes.shape.ndim()), c.out[0], c.resources);
}

// --- any, all, argmax, argmin
// -----------------------------------------------------------------------

void infer_truth(InferContext& c) {
  set_dtype(c, 0, DType::boolean);
  infer_shape(c);
}

void infer_arg(InferContext& c) {
  DType dtype = c.in_dtypes[0];  // MXNet's: in data's own dtype
  if (c.attrs.has("dtype")) {
    dtype = c.attrs.dtype("dtype");
  } else if (dtype == DType::boolean) {
    dtype = DType::float32;
  } else if (dtype == DType::unknown) {
    dtype = c.out_dtypes[0];
  }
  require(dtype == DType::unknown || (kNumbers & dtype_bit(dtype)) != 0, c.op_name,
          ": given dtype ", dtype_name(dtype), ", expected one of ", dtype_set_names(kNumbers));
  set_dtype(c, 0, dtype);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  uint32_t mask = (1u << in.ndim()) - 1;
  if (c.attrs.has("axis")) {
    mask = 1u << normalize_axis(c.attrs.integer("axis"), in.ndim(), c.op_name);
  }
  for (int i = 0; i < in.ndim(); ++i) {
    require(!axis_in(mask, i) || in[i] != 0, c.op_name, ": given data of shape ", in,
            ", expected at least one element to choose from");
  }
  if (!c.attrs.has("dtype") && (dtype == DType::int8 || dtype == DType::uint8)) {
    int64_t count = 1;
    for (int i = 0; i < in.ndim(); ++i) count *= axis_in(mask, i) && in[i] > 0 ? in[i] : 1;
    require(count <= (dtype == DType::int8 ? 128 : 256), c.op_name, ": given ", dtype_name(dtype),
            " data of shape ", in, ", whose indices do not fit this dtype: cast data first");
  }
  set_shape(c, 0, reduced_shape(c.attrs, in, mask));
}

template <Reduction kind>
void run_arg(KernelContext& c) {
  const Shape& in = c.in[0].shape;
  uint32_t mask = (1u << in.ndim()) - 1;
  if (c.attrs.has("axis")) {
    mask = 1u << normalize_axis(c.attrs.integer("axis"), in.ndim(), c.attrs.op()->name);
  }
  if (c.out[0].dtype == DType::int64) {
    reduce(kind, c.in[0], mask, c.out[0], c.resources);
    return;
  }
  const TensorView indices = scratch_view(DType::int64, c.out[0].shape, c.resources);
  reduce(kind, c.in[0], mask, indices, c.resources);
  run_unary(ElemCode::cast, indices, c.out[0], c.resources);
}

// --- gradients
// --------------------------------------------------------------------------------------

Expr spread(GradBuilder& b, Entry e) { return Expr(b, spread_like_input(b, e)); }

void grad_sum(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, spread_like_input(b, b.out_grad()));
}
void grad_nansum(GradBuilder& b) {
  const Expr x(b, b.input(0));
  if (b.wanted(0)) b.set(0, (spread(b, b.out_grad()) * test("equal", x, x)).entry());
}
void grad_mean(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Expr g = Expr(b, b.out_grad()) / static_cast<double>(count_reduced(b));
  b.set(0, spread_like_input(b, g.entry()));
}
void grad_prod(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Expr x(b, b.input(0)), g(b, b.out_grad()), y(b, b.output());
  b.set(0, (spread(b, (g * y).entry()) / x).entry());
}
void grad_nanprod(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Expr x(b, b.input(0)), g(b, b.out_grad()), y(b, b.output());
  const Expr quotient = spread(b, (g * y).entry()) / x;
  const Expr valid = test("equal", x, x), zero(b, b.op("zeros_like", {b.input(0)}));
  b.set(0, b.op("where", {valid.entry(), quotient.entry(), zero.entry()}));
}
void grad_extreme(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Expr x(b, b.input(0));
  b.set(0, (spread(b, b.out_grad()) * test("equal", x, spread(b, b.output()))).entry());
}
void grad_norm(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const auto own = [&](Entry e) {  // in data's dtype, which out_dtype may not be
    if (!b.attrs().has("out_dtype")) return e;
    return b.op("cast", {e}, {{"dtype", static_cast<int64_t>(known_dtype(b, b.input(0)))}});
  };
  const Expr x(b, b.input(0)), g(b, own(b.out_grad())), y(b, own(b.output()));
  const bool two = b.attrs().integer("ord") == 2;
  b.set(0,
        (two ? spread(b, (g / y).entry()) * x : spread(b, g.entry()) * unary("sign", x)).entry());
}

OpDef reduction_def(const char* name, const char* doc, DTypeSet dtypes, void (*run)(KernelContext&),
                    void (*gradient)(GradBuilder&)) {
  OpDef def;
  def.name = name;
  def.family = Family::reduce;
  def.doc = doc;
  def.inputs = {{"data", "array of any shape", gradient != nullptr}};
  def.attrs = reduction_attrs();
  def.dtypes = dtypes;
  def.infer = infer_reduce;
  def.cpu = run;
  def.on_device = true;
  def.gradient = gradient;
  def.flops = input_flops;
  return def;
}

template <Reduction kind>
void add_arg(const char* name, const char* doc) {
  OpDef def = reduction_def(name, doc, kAllOrdered, run_arg<kind>, nullptr);
  def.attrs = {{"axis", AttrType::integer, "None", "axis to search; None: the flattened array"},
               {"keepdims", AttrType::boolean, "False", "the axis stays, with size 1"},
               {"dtype", AttrType::dtype, "int64",
                "dtype of the indices; None: data's, as MXNet 1.x has them", "None"},
               {"at_least_1d", AttrType::boolean, "False",
                "a full search has shape (1,) instead of () (MXNet 1.x)"}};
  def.infer = infer_arg;
  add_op(std::move(def));
}

}  // namespace

void register_reduce() {
  using R = Reduction;
  add_op(reduction_def("sum", "Sum over axes, in data's dtype; 0 where there is nothing to add.",
                       kNumbersComplex, run_reduce<R::sum>, grad_sum));
  add_op(reduction_def("nansum", "Sum over axes, nan counting as 0.", kNumbers, run_nansum,
                       grad_nansum));
  OpDef mean = reduction_def("mean",
                             "Mean over axes: their sum divided by their number of elements. "
                             "Integers stay integers: the fraction is cut off, as in MXNet.",
                             kFloatsComplex, run_mean, grad_mean);
  cut_integers(&mean);
  add_op(std::move(mean));
  add_op(
      reduction_def("prod",
                    "Product over axes, in data's dtype. The gradient divides by data: it is nan "
                    "where data is 0.",
                    kNumbersComplex, run_reduce<R::prod>, grad_prod));
  OpDef nanprod = reduction_def("nanprod",
                                "Product over axes, nan counting as 1. The gradient divides by "
                                "data: it is nan where data is 0.",
                                kNumbers, run_nanprod, grad_nanprod);
  nanprod.on_device = false;
  add_op(std::move(nanprod));
  OpDef largest =
      reduction_def("max", "Largest element over axes. Gradient: to every element equal to it.",
                    kNumbers, run_reduce<R::max>, grad_extreme);
  OpDef smallest =
      reduction_def("min", "Smallest element over axes. Gradient: to every element equal to it.",
                    kNumbers, run_reduce<R::min>, grad_extreme);
  largest.infer = smallest.infer = infer_chosen;
  add_op(std::move(largest));
  add_op(std::move(smallest));
  OpDef norm = reduction_def("norm",
                             "Norm over axes: sqrt of the sum of squares (ord 2), or the sum of "
                             "absolute values (ord 1). The gradient of ord 2 is nan at 0.",
                             kFloats, run_norm, grad_norm);
  norm.attrs.insert(norm.attrs.begin(), {"ord", AttrType::integer, "2", "1 or 2"});
  norm.attrs.insert(norm.attrs.begin() + 2, {"out_dtype", AttrType::dtype, "None",
                                             "dtype of the result; None: that of data"});
  norm.infer = infer_norm;
  cut_integers(&norm);
  add_op(std::move(norm));
  OpDef any = reduction_def("any", "True where some element over axes is not 0.", kAllComputed,
                            run_reduce<R::any>, nullptr);
  any.infer = infer_truth;
  add_op(std::move(any));
  OpDef all = reduction_def("all", "True where no element over axes is 0.", kAllComputed,
                            run_reduce<R::all>, nullptr);
  all.infer = infer_truth;
  add_op(std::move(all));
  add_arg<R::argmax>("argmax", "Index of the first largest element along axis.");
  add_arg<R::argmin>("argmin", "Index of the first smallest element along axis.");
}

}  // namespace hybrid
