// Operators without inputs: zeros, ones, full, arange, linspace, eye.
#include <cmath>
#include <type_traits>

#include "ops/dispatch.h"
#include "ops/emit.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

OpDef creation_def(const char* name, const char* doc, std::vector<AttrDef> attrs) {
  OpDef def;
  def.name = name;
  def.family = Family::creation;
  def.doc = doc;
  def.attrs = std::move(attrs);
  def.attrs.push_back({"dtype", AttrType::dtype, "float32", "dtype of the result"});
  def.dtypes = kAllOrdered;
  return def;
}

const AttrDef kShape{"shape", AttrType::ints, nullptr, "shape of the result"};

void infer_shaped(InferContext& c) {
  set_given_shape(c);
  set_dtype(c, 0, c.attrs.dtype("dtype"));
}

template <int value>
void emit_constant(const Attrs& attrs, const std::vector<DType>&, std::vector<ElemInstr>* out) {
  Emitter(out).fill(attrs.dtype("dtype"), Emitter::number(static_cast<double>(value)));
}

void emit_full(const Attrs& attrs, const std::vector<DType>&, std::vector<ElemInstr>* out) {
  Emitter(out).fill(attrs.dtype("dtype"), Emitter::number(attrs.at("value")));
}

// --- arange -------------------------------------------------------------------------------------

bool is_whole(const Attrs& attrs, const char* name) {
  return !std::holds_alternative<double>(attrs.at(name));
}

double number(const Attrs& attrs, const char* name) {
  return attrs.has(name) ? attrs.real(name) : 0.0;
}

struct Progression {
  double start = 0, step = 1;
  int64_t whole_start = 0, whole_step = 1;
  bool whole = false;  // everything given as integers: counted exactly
  int64_t count = 0;

  explicit Progression(const Attrs& a) {
    const bool stops = a.has("stop") || a.boolean("infer_range");
    start = stops ? number(a, "start") : 0;
    const double stop = number(a, a.has("stop") ? "stop" : "start");
    step = number(a, "step");
    require(step != 0 && std::isfinite(start) && std::isfinite(stop) && !std::isnan(step),
            "arange: given start ", start, ", stop ", stop, ", step ", step,
            ", expected finite bounds and a step other than 0");
    whole = is_whole(a, "start") && (!stops || is_whole(a, "stop")) && is_whole(a, "step");
    if (whole) {
      whole_start = stops ? a.integer("start") : 0;
      whole_step = a.integer("step");
    }
    const double exact = std::ceil((stop - start) / step);
    require(exact < 4.0e18, "arange: given start ", start, ", stop ", stop, ", step ", step,
            ", expected fewer elements");
    count = exact > 0 ? static_cast<int64_t>(exact) : 0;
  }
};

void infer_arange(InferContext& c) {
  const int64_t repeat = c.attrs.integer("repeat");
  require(repeat >= 1, c.op_name, ": given repeat ", repeat, ", expected at least 1");
  const int64_t count = checked_shape({Progression(c.attrs).count, repeat}, c.op_name).size();
  set_shape(c, 0, {c.attrs.boolean("infer_range") && !c.attrs.has("stop") ? -1 : count});
  set_dtype(c, 0, c.attrs.dtype("dtype"));
}

void run_arange(KernelContext& c) {
  const Progression p(c.attrs);
  const int64_t repeat = c.attrs.integer("repeat"), count = c.out[0].size();
  dispatch(c.out[0].dtype, "arange", [&](auto zero) {
    using T = decltype(zero);
    T* out = c.out[0].as<T>();
    for (int64_t i = 0; i < count; ++i) {
      const int64_t k = i / repeat;
      if (p.whole) {
        out[i] = static_cast<T>(p.whole_start + k * p.whole_step);
      } else if (std::is_integral_v<T>) {  // MXNet cuts the start and the step off first
        out[i] = static_cast<T>(static_cast<int64_t>(p.start) + k * static_cast<int64_t>(p.step));
      } else {
        out[i] = static_cast<T>(p.start + static_cast<double>(k) * p.step);
      }
    }
  });
}

// --- linspace -----------------------------------------------------------------------------------

void infer_linspace(InferContext& c) {
  const int64_t count = c.attrs.integer("num");
  require(count >= 0, c.op_name, ": given num ", count, ", expected 0 or more");
  set_shape(c, 0, checked_shape({count}, c.op_name));
  set_dtype(c, 0, c.attrs.dtype("dtype"));
}

void run_linspace(KernelContext& c) {
  const double start = c.attrs.real("start"), stop = c.attrs.real("stop");
  const bool endpoint = c.attrs.boolean("endpoint");
  const int64_t count = c.out[0].size(), steps = endpoint ? count - 1 : count;
  const double step = steps > 0 ? (stop - start) / static_cast<double>(steps) : 0;
  dispatch(c.out[0].dtype, "linspace", [&](auto zero) {
    using T = decltype(zero);
    T* out = c.out[0].as<T>();
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<T>(static_cast<double>(i) * step + start);
    if (endpoint && count > 1) out[count - 1] = static_cast<T>(stop);
  });
}

// --- eye ----------------------------------------------------------------------------------------

void infer_eye(InferContext& c) {
  const int64_t n = c.attrs.integer("N"), m = c.attrs.integer("M");
  require(n >= 0 && m >= 0, c.op_name, ": given N ", n, " and M ", m, ", expected 0 or more");
  set_shape(c, 0, checked_shape({n, m == 0 ? n : m}, c.op_name));
  set_dtype(c, 0, c.attrs.dtype("dtype"));
}

void run_eye(KernelContext& c) {
  const int64_t k = c.attrs.integer("k"), rows = c.out[0].shape[0], columns = c.out[0].shape[1];
  dispatch(c.out[0].dtype, "eye", [&](auto zero) {
    using T = decltype(zero);
    T* out = c.out[0].as<T>();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) out[i * columns + j] = static_cast<T>(j - i == k);
    }
  });
}

}  // namespace

void register_creation() {
  OpDef zeros = creation_def("zeros", "An array of zeros.", {kShape, open_attr()});
  zeros.dtypes = kAllComputed;
  zeros.infer = infer_shaped;
  zeros.elementwise = emit_constant<0>;
  add_op(std::move(zeros));

  OpDef ones = creation_def("ones", "An array of ones.", {kShape, open_attr()});
  ones.dtypes = kAllComputed;
  ones.infer = infer_shaped;
  ones.elementwise = emit_constant<1>;
  add_op(std::move(ones));

  OpDef full =
      creation_def("full", "An array of one number.",
                   {kShape, {"value", AttrType::scalar, nullptr, "the number"}, open_attr()});
  full.dtypes = kAllComputed;
  full.infer = infer_shaped;
  full.elementwise = emit_full;
  add_op(std::move(full));

  OpDef arange =
      creation_def("arange",
                   "start, start + step, ... before stop, each repeated. Without stop: from 0 to "
                   "start. Element k is "
                   "start + k * step, so errors do not add up.",
                   {{"start", AttrType::scalar, "0", "first number"},
                    {"stop", AttrType::scalar, "None", "end, excluded; None: start is the end"},
                    {"step", AttrType::scalar, "1", "distance, may be negative"},
                    {"repeat", AttrType::integer, "1", "times that each number stands"},
                    {"infer_range", AttrType::boolean, "False",
                     "without stop from start on, as many as the use wants"}});
  arange.infer = infer_arange;
  arange.cpu = run_arange;
  add_op(std::move(arange));

  OpDef linspace = creation_def("linspace", "num numbers at equal distances from start to stop.",
                                {{"start", AttrType::real, nullptr, "first number"},
                                 {"stop", AttrType::real, nullptr, "last number (or end)"},
                                 {"num", AttrType::integer, "50", "how many"},
                                 {"endpoint", AttrType::boolean, "True", "stop is included"}});
  linspace.infer = infer_linspace;
  linspace.cpu = run_linspace;
  add_op(std::move(linspace));

  OpDef eye =
      creation_def("eye", "A matrix with ones on one diagonal.",
                   {{"N", AttrType::integer, nullptr, "rows"},
                    {"M", AttrType::integer, "0", "columns; 0: as many as rows"},
                    {"k", AttrType::integer, "0", "diagonal: above 0 right of the main one"}});
  eye.infer = infer_eye;
  eye.cpu = run_eye;
  add_op(std::move(eye));
}

}  // namespace hybrid
