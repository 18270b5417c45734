// Making arrays larger: tile, repeat, pad.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/device_kernels.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"
#include "ops/view.h"

namespace hybrid {

namespace {

using Ints = std::vector<int64_t>;

OpDef shape_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::shape;
  def.doc = doc;
  def.inputs = {{"data", "array"}};
  def.dtypes = kAllComputed;
  return def;
}

// --- tile ---------------------------------------------------------------------------------------

// Both the sizes of data and the repetitions, brought to one rank with ones on the left.
struct Tiling {
  Shape sizes, reps;
  Tiling(const Attrs& attrs, const Shape& in) {
    const Ints& given = attrs.ints("reps");
    const int ndim = std::max(in.ndim(), static_cast<int>(given.size()));
    require(ndim <= kMaxDims, "tile: given reps ", attrs.text("reps"), " for data of shape ", in,
            ", expected at most ", kMaxDims, " dimensions");
    sizes = reps = Shape::of_rank(ndim, 1);
    for (int i = 0; i < in.ndim(); ++i) sizes[ndim - in.ndim() + i] = in[i];
    for (size_t i = 0; i < given.size(); ++i) {
      require(given[i] >= 0, "tile: given reps ", attrs.text("reps"), ", expected 0 or more");
      reps[ndim - static_cast<int>(given.size() - i)] = given[i];
    }
  }
};

void infer_tile(InferContext& c) {
  one_dtype(c);
  if (!c.in_shapes[0].rank_known()) return;
  const Tiling t(c.attrs, c.in_shapes[0]);
  Shape out = t.sizes;
  for (int i = 0; i < out.ndim(); ++i) out[i] = out[i] < 0 ? -1 : out[i] * t.reps[i];
  if (out.known()) checked_shape(out.to_vector(), c.op_name);
  set_shape(c, 0, out);
}

// Copies axis `axis` of one block and repeats it; returns the end of what was written.
char* tile_axis(const Tiling& t, int axis, const char* in, int64_t in_bytes, char* out) {
  char* const begin = out;
  if (axis == t.sizes.ndim()) {
    std::memcpy(out, in, static_cast<size_t>(in_bytes));
    return out + in_bytes;
  }
  if (t.reps[axis] == 0 || t.sizes[axis] == 0) return out;
  const int64_t part = in_bytes / t.sizes[axis];
  for (int64_t i = 0; i < t.sizes[axis]; ++i)
    out = tile_axis(t, axis + 1, in + i * part, part, out);
  const size_t block = static_cast<size_t>(out - begin);
  for (int64_t r = 1; r < t.reps[axis]; ++r) {
    std::memcpy(out, begin, block);
    out += block;
  }
  return out;
}

void run_tile(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const int64_t bytes = c.in[0].size() * static_cast<int64_t>(dtype_size(c.in[0].dtype));
  tile_axis(Tiling(c.attrs, c.in[0].shape), 0, c.in[0].as<char>(), bytes, c.out[0].as<char>());
}

// Sums the copies axis by axis.
void grad_tile(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Tiling t(b.attrs(), known_shape(b, b.input(0)));
  Entry g = b.out_grad();
  for (int axis = 0; axis < t.sizes.ndim(); ++axis) {
    if (t.reps[axis] == 1) continue;
    Shape apart;
    for (int i = 0; i < t.sizes.ndim(); ++i) {
      if (i == axis) apart.push_back(t.reps[i]);
      apart.push_back(i <= axis ? t.sizes[i] : t.sizes[i] * t.reps[i]);
    }
    g = b.op("sum", {reshape_to(b, g, apart)}, {{"axis", Ints{axis}}});
  }
  b.set(0, reshape_as(b, g, b.input(0)));
}

// --- repeat -------------------------------------------------------------------------------------

void infer_repeat(InferContext& c) {
  one_dtype(c);
  const int64_t repeats = c.attrs.integer("repeats");
  require(repeats >= 0, c.op_name, ": given repeats ", repeats, ", expected 0 or more");
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  if (!c.attrs.has("axis")) {
    set_shape(c, 0, {in.known() ? checked_shape({in.size(), repeats}, c.op_name).size() : -1});
    return;
  }
  Shape out = in;
  int64_t& size = out[normalize_axis(c.attrs.integer("axis"), in.ndim(), c.op_name)];
  size = size < 0 ? -1 : checked_shape({size, repeats}, c.op_name).size();
  set_shape(c, 0, out);
}

void run_repeat(KernelContext& c) {
  const int64_t repeats = c.attrs.integer("repeats");
  int64_t inner = 1;  // elements that stay together
  if (c.attrs.has("axis")) {
    inner = AxisView(c.in[0].shape,
                     normalize_axis(c.attrs.integer("axis"), c.in[0].shape.ndim(), "repeat"))
                .inner;
  }
  if (c.out[0].size() == 0) return;
  const int64_t block = inner * static_cast<int64_t>(dtype_size(c.in[0].dtype));
  const int64_t count = c.in[0].size() / inner;
  const char* in = c.in[0].as<char>();
  char* out = c.out[0].as<char>();
  c.resources.parallel(count, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t r = 0; r < repeats; ++r) {
        std::memcpy(out + (i * repeats + r) * block, in + i * block, static_cast<size_t>(block));
      }
    }
  });
}

void grad_repeat(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Shape in = known_shape(b, b.input(0));
  const int64_t repeats = b.attrs().integer("repeats");
  Shape apart;
  int summed = 1;
  if (b.attrs().has("axis")) {
    summed = normalize_axis(b.attrs().integer("axis"), in.ndim(), "repeat") + 1;
    for (int i = 0; i < in.ndim(); ++i) {
      apart.push_back(in[i]);
      if (i + 1 == summed) apart.push_back(repeats);
    }
  } else {
    apart = {in.size(), repeats};
  }
  const Entry g = b.op("sum", {reshape_to(b, b.out_grad(), apart)}, {{"axis", Ints{summed}}});
  b.set(0, reshape_as(b, g, b.input(0)));
}

// --- pad ----------------------------------------------------------------------------------------

// Where position `at` of an axis of `size` elements, counted from the first, comes from.
int64_t inside(int64_t at, int64_t size, bool reflect) {
  if (reflect) return size - 1 - std::abs(size - 1 - std::abs(at));
  return std::min(std::max<int64_t>(at, 0), size - 1);
}

void check_borders(const Attrs& attrs, const Shape& in) {
  const bool reflect = attrs.string("mode") == "reflect";
  const Ints& width = attrs.ints("pad_width");
  for (int i = 0; i < in.ndim(); ++i) {
    const int64_t most =
        std::max(width[static_cast<size_t>(2 * i)], width[static_cast<size_t>(2 * i + 1)]);
    require(most == 0 || in[i] < 0 || (reflect ? most < in[i] : in[i] > 0), attrs.op()->name,
            ": given pad_width ", attrs.text("pad_width"), " and mode ", attrs.string("mode"),
            " for data of shape ", in, ", expected ",
            reflect ? "borders smaller than their axes" : "elements on axes that get a border");
  }
}

void infer_pad(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  const Ints& width = c.attrs.ints("pad_width");
  require(width.size() == 2 * static_cast<size_t>(in.ndim()), c.op_name, ": given pad_width ",
          c.attrs.text("pad_width"), " for data of shape ", in, ", expected ", 2 * in.ndim(),
          " numbers: before and after each axis");
  Shape out = in;
  for (int i = 0; i < in.ndim(); ++i) {
    const int64_t before = width[static_cast<size_t>(2 * i)],
                  after = width[static_cast<size_t>(2 * i + 1)];
    require(before >= 0 && after >= 0 && before < (int64_t{1} << 40) && after < (int64_t{1} << 40),
            c.op_name, ": given pad_width ", c.attrs.text("pad_width"), ", expected 0 or more");
    if (out[i] >= 0) out[i] += before + after;
  }
  if (c.attrs.string("mode") != "constant") check_borders(c.attrs, in);
  if (out.known()) checked_shape(out.to_vector(), c.op_name);
  set_shape(c, 0, out);
}

// Edge and reflect: every element of the result is one of data.
void run_borders(KernelContext& c) {
  const bool reflect = c.attrs.string("mode") == "reflect";
  const Ints& width = c.attrs.ints("pad_width");
  const Shape &from = c.in[0].shape, &to = c.out[0].shape;
  const int last = to.ndim() - 1;
  std::vector<Ints> places(static_cast<size_t>(to.ndim()));  // offsets in data, an axis each
  for (int i = 0; i <= last; ++i) {
    for (int64_t k = 0; k < to[i]; ++k) {
      const int64_t at = k - width[static_cast<size_t>(2 * i)];
      places[static_cast<size_t>(i)].push_back(inside(at, from[i], reflect) * c.in[0].strides[i]);
    }
  }
  const int64_t rows = c.out[0].size() / to[last];
  dispatch_size(dtype_size(c.out[0].dtype), "pad", [&](auto zero) {
    using T = decltype(zero);
    const Ints& columns = places.back();
    T* out = c.out[0].as<T>();
    for (int64_t row = 0; row < rows; ++row) {
      int64_t rest = row, offset = 0;
      for (int i = last - 1; i >= 0; --i) {
        offset += places[static_cast<size_t>(i)][static_cast<size_t>(rest % to[i])];
        rest /= to[i];
      }
      const T* in = c.in[0].as<T>() + offset;
      for (const int64_t column : columns) *out++ = in[column];
    }
  });
}

void run_pad(KernelContext& c) {
  const TensorView& out = c.out[0];
  if (out.size() == 0) return;
  if (c.attrs.string("mode") != "constant" && out.shape.ndim() > 0) {
    only_on_host(c.resources, "pad with a border of data's elements");
    return run_borders(c);
  }
  run_fill(c.attrs.real("constant_value"), out, c.resources);
  if (c.in[0].size() == 0) return;
  const Ints& width = c.attrs.ints("pad_width");
  TensorView inside = out;
  inside.shape = c.in[0].shape;
  int64_t offset = 0;
  for (int i = 0; i < out.shape.ndim(); ++i)
    offset += width[static_cast<size_t>(2 * i)] * out.strides[i];
  inside.data = out.as<char>() + offset * static_cast<int64_t>(dtype_size(out.dtype));
  strided_copy(c.in[0], inside, c.resources);
}

// What flows to the border is added up where its elements come from, axis by axis.
void grad_borders(GradBuilder& b) {
  const Shape in = known_shape(b, b.input(0));
  const Ints& width = b.attrs().ints("pad_width");
  const bool reflect = b.attrs().string("mode") == "reflect";
  Entry g = b.out_grad();
  for (int i = 0; i < in.ndim(); ++i) {
    const int64_t before = width[static_cast<size_t>(2 * i)];
    const int64_t after = width[static_cast<size_t>(2 * i + 1)];
    if (before == 0 && after == 0) continue;
    Entry index = b.op("arange", {},
                       {{"start", -before},
                        {"stop", in[i] + after},
                        {"dtype", static_cast<int64_t>(DType::int64)}});
    for (int k = 0; reflect && k < 2; ++k) {  // |size - 1 - |at||, from the end
      index = b.op("rsub_scalar", {b.op("abs", {index})}, {{"scalar", in[i] - 1}});
    }
    g = b.op("take_grad", {g, index}, {{"axis", i}, {"dim", in[i]}});
  }
  b.set(0, g);
}

void grad_pad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Ints& width = b.attrs().ints("pad_width");
  if (b.attrs().string("mode") != "constant") return grad_borders(b);
  Ints begin, end;
  for (size_t i = 0; i + 1 < width.size(); i += 2) {
    begin.push_back(width[i]);
    end.push_back(width[i + 1] == 0 ? kNoneInt : -width[i + 1]);
  }
  b.set(0, b.op("slice", {b.out_grad()}, {{"begin", begin}, {"end", end}}));
}

}  // namespace

void register_repeat() {
  OpDef tile = shape_def("tile", "data repeated reps[i] times along axis i, block after block.");
  tile.attrs = {{"reps", AttrType::ints, nullptr, "repetitions per axis, from the right"}};
  tile.infer = infer_tile;
  tile.cpu = run_tile;
  tile.gradient = grad_tile;
  add_op(std::move(tile));

  OpDef repeat =
      shape_def("repeat", "Every element (or slice along axis) of data repeated in place.");
  repeat.attrs = {{"repeats", AttrType::integer, nullptr, "number of repetitions"},
                  {"axis", AttrType::integer, "None", "axis; None: the flattened array"}};
  repeat.infer = infer_repeat;
  repeat.cpu = run_repeat;
  repeat.gradient = grad_repeat;
  add_op(std::move(repeat));

  OpDef pad = shape_def("pad",
                        "data with a border around it: of one number, of the nearest elements "
                        "(edge), or of those mirrored in the first and the last one (reflect).");
  pad.attrs = {
      {"mode", AttrType::string, "constant", "what fills the border", "constant|edge|reflect"},
      {"pad_width", AttrType::ints, nullptr, "(before, after) of every axis, in a row"},
      {"constant_value", AttrType::real, "0.0", "the number"}};
  pad.infer = infer_pad;
  pad.cpu = run_pad;
  pad.on_device = true;
  pad.gradient = grad_pad;
  pad.strided_ok = true;
  add_op(std::move(pad));
}

}  // namespace hybrid
