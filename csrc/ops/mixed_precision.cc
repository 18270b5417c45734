// What training in mixed precision asks of arrays: are all finite, casts of floats alone, norms.
#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/emit.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

const AttrDef kNumArrays{"num_arrays", AttrType::integer, "1", "number of arrays"};

void check_count(InferContext& c, const char* attr) {
  const auto given = static_cast<int64_t>(c.in_shapes.size());
  require(c.attrs.integer(attr) == given, c.op_name, ": given ", given, " arrays and ", attr, " ",
          c.attrs.integer(attr), ", expected as many arrays");
}

void expect_floats(InferContext& c) {
  for (size_t i = 0; i < c.in_dtypes.size(); ++i) {
    const DType d = c.in_dtypes[i];
    require(d == DType::unknown || is_floating(d), c.op_name, ": given array ", i, " of ",
            d == DType::unknown ? "?" : dtype_name(d), ", expected floats");
  }
}

// --- all_finite, multi_all_finite ---------------------------------------------------------------

void infer_finite(InferContext& c) {
  if (c.attrs.op()->variadic) check_count(c, "num_arrays");
  expect_floats(c);
  set_dtype(c, 0, DType::float32);
  set_shape(c, 0, {1});
}

// 0 times what is not finite is nan, and so is every sum with it.
template <class T>
bool all_finite(const T* x, int64_t n) {
  T rest = 0;
  for (int64_t i = 0; i < n; ++i) rest += x[i] * T(0);
  return rest == T(0);
}

void run_finite(KernelContext& c) {
  bool finite = true;
  for (int i = 0; i < c.num_in && finite; ++i) {
    dispatch(c.in[i].dtype, "all_finite",
             [&](auto zero) { finite = all_finite(c.in[i].as<decltype(zero)>(), c.in[i].size()); });
  }
  *c.out[0].as<float>() = finite ? 1.0F : 0.0F;
}

// --- multi_sum_sq -------------------------------------------------------------------------------

void infer_sum_squares(InferContext& c) {
  check_count(c, "num_arrays");
  expect_floats(c);
  set_dtype(c, 0, DType::float32);
  set_shape(c, 0, {static_cast<int64_t>(c.in_shapes.size())});
}

void run_sum_squares(KernelContext& c) {
  for (int i = 0; i < c.num_in; ++i) {
    double sum = 0;
    dispatch(c.in[i].dtype, "multi_sum_sq", [&](auto zero) {
      const auto* x = c.in[i].as<decltype(zero)>();
      const int64_t n = c.in[i].size();
      for (int64_t k = 0; k < n; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(x[k]);
    });
    c.out[0].as<float>()[i] = static_cast<float>(sum);
  }
}

// --- amp_cast, amp_multicast, cast_storage ------------------------------------------------------

// Casts concern float16, bfloat16 and float32: float64 stays, as in MXNet.
bool takes_part(DType d) { return is_floating(d) && d != DType::float64; }

DType amp_dtype(const Attrs& attrs, DType from) {
  return takes_part(from) ? attrs.dtype("dtype") : from;
}

void infer_amp_cast(InferContext& c) {
  one_shape(c);
  if (c.in_dtypes[0] != DType::unknown) set_dtype(c, 0, amp_dtype(c.attrs, c.in_dtypes[0]));
}

void emit_amp_cast(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const DType to = amp_dtype(attrs, in[0]);
  if (to == in[0]) {
    e.op(ElemCode::copy, to, Emitter::input(0));
  } else {
    e.cast(Emitter::input(0), in[0], to);
  }
}

void grad_amp_cast(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const DType from = known_dtype(b, b.input(0));
  if (!is_floating(from)) return;
  b.set(0, b.op("cast", {b.out_grad()}, {{"dtype", static_cast<int64_t>(from)}}));
}

int count_casts(const Attrs& attrs) {
  const int64_t n = attrs.integer("num_outputs");
  require(n > 0 && n < (1 << 20), "amp_multicast: given num_outputs ", n, ", expected 1 or more");
  return static_cast<int>(n);
}

// Float16, bfloat16 and float32 get one dtype, the widest or with cast_narrow the narrowest.
void infer_multicast(InferContext& c) {
  check_count(c, "num_outputs");
  const bool narrow = c.attrs.boolean("cast_narrow");
  DType common = DType::unknown;
  for (const DType d : c.in_dtypes) {
    if (d == DType::unknown) return;
    if (!takes_part(d)) continue;
    const bool better = narrow ? d != DType::float32 : d == DType::float32;
    if (common == DType::unknown || better) common = d;
  }
  for (size_t i = 0; i < c.in_dtypes.size(); ++i) {
    set_dtype(c, i, takes_part(c.in_dtypes[i]) ? common : c.in_dtypes[i]);
    Shape shape = c.in_shapes[i];
    merge_shape(&shape, c.out_shapes[i]);
    c.in_shapes[i] = shape;
    set_shape(c, i, shape);
  }
}

void run_multicast(KernelContext& c) {
  for (int i = 0; i < c.num_in; ++i) {
    ElemProgram program;
    program.inputs = {c.in[i].dtype};
    Emitter e(&program.instrs);
    if (c.in[i].dtype == c.out[i].dtype) {
      e.op(ElemCode::copy, c.in[i].dtype, Emitter::input(0));
    } else {
      e.cast(Emitter::input(0), c.in[i].dtype, c.out[i].dtype);
    }
    program.outputs = {static_cast<int16_t>(program.instrs.size() - 1)};
    run_elementwise(program, &c.in[i], &c.out[i], c.resources);
  }
}

void grad_multicast(GradBuilder& b) {
  for (int i = 0; i < b.num_inputs(); ++i) {
    if (!b.wanted(i)) continue;
    const DType from = known_dtype(b, b.input(i));
    b.set(i, b.op("cast", {b.out_grad(i)}, {{"dtype", static_cast<int64_t>(from)}}));
  }
}

void infer_storage(InferContext& c) {
  require(c.attrs.string("stype") == "default", c.op_name, ": given stype ",
          c.attrs.string("stype"), ", expected default: arrays are dense here");
  infer_like(c);
}

void emit_copy(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter(out).op(ElemCode::copy, in[0], Emitter::input(0));
}

void grad_pass(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.out_grad());
}

OpDef precision_def(const char* name, const char* doc, bool variadic, DTypeSet dtypes) {
  OpDef def;
  def.name = name;
  def.family = Family::other;
  def.doc = doc;
  def.inputs = {{"data", variadic ? "arrays" : "array"}};
  def.variadic = variadic;
  def.dtypes = dtypes;
  return def;
}

}  // namespace

void register_mixed_precision() {
  OpDef finite = precision_def("all_finite", "1 if all elements are finite, else 0; shape (1,).",
                               false, kFloats);
  finite.inputs[0].differentiable = false;
  finite.infer = infer_finite;
  finite.cpu = run_finite;
  add_op(std::move(finite));

  OpDef all = precision_def("multi_all_finite",
                            "1 if all elements of all arrays are finite, else 0; shape (1,).", true,
                            kFloats);
  all.inputs[0].differentiable = false;
  all.attrs = {kNumArrays};
  all.infer = infer_finite;
  all.cpu = run_finite;
  add_op(std::move(all));

  OpDef squares =
      precision_def("multi_sum_sq", "The sum of squares of every array, as float32: (num_arrays,).",
                    true, kFloats);
  squares.inputs[0].differentiable = false;
  squares.attrs = {{"num_arrays", AttrType::integer, nullptr, "number of arrays"}};
  squares.infer = infer_sum_squares;
  squares.cpu = run_sum_squares;
  add_op(std::move(squares));

  OpDef cast = precision_def(
      "amp_cast", "Float16, bfloat16 and float32 in another dtype; other data stay as they are.",
      false, kNumbers);
  cast.family = Family::elementwise;
  cast.attrs = {{"dtype", AttrType::dtype, nullptr, "dtype of the result"}};
  cast.infer = infer_amp_cast;
  cast.elementwise = emit_amp_cast;
  cast.gradient = grad_amp_cast;
  add_op(std::move(cast));

  OpDef casts = precision_def("amp_multicast",
                              "Arrays of float16, bfloat16 and float32 in one of these dtypes, the "
                              "widest that is there; float64 stays.",
                              true, kFloats);
  casts.attrs = {{"num_outputs", AttrType::integer, nullptr, "number of arrays"},
                 {"cast_narrow", AttrType::boolean, "False", "the narrowest instead"}};
  casts.num_outputs_fn = count_casts;
  casts.infer = infer_multicast;
  casts.cpu = run_multicast;
  casts.gradient = grad_multicast;
  add_op(std::move(casts));

  OpDef storage =
      precision_def("cast_storage", "A copy of data in another storage type.", false, kAllComputed);
  storage.family = Family::elementwise;
  storage.attrs = {{"stype", AttrType::string, nullptr, "default: dense, the only one here",
                    "default|row_sparse|csr"}};
  storage.infer = infer_storage;
  storage.elementwise = emit_copy;
  storage.gradient = grad_pass;
  add_op(std::move(storage));
}

}  // namespace hybrid
