// pad: a border around an array, of one number, of its edge or of its mirror image.
#include <algorithm>

#include "kernels/device_kernels.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

using Ints = std::vector<int64_t>;

int64_t before(const Ints& width, int axis) { return width[static_cast<size_t>(2 * axis)]; }
int64_t after(const Ints& width, int axis) { return width[static_cast<size_t>(2 * axis + 1)]; }

bool is_constant(const Attrs& attrs) { return attrs.string("mode") == "constant"; }

const Ints& checked_width(const Attrs& attrs, int ndim) {
  const char* op = attrs.op()->name;
  const Ints& width = attrs.ints("pad_width");
  require(width.size() == 2 * static_cast<size_t>(ndim), op, ": given pad_width ",
          attrs.text("pad_width"), " for an array of ", ndim, " dimensions, expected ", 2 * ndim,
          " numbers: before and after each axis");
  for (const int64_t w : width) {
    require(w >= 0 && w < (int64_t{1} << 40), op, ": given pad_width ", attrs.text("pad_width"),
            ", expected 0 or more");
  }
  return width;
}

// Can an axis of that size have such a border?
void check_border(const Attrs& attrs, const Shape& data, int axis, int64_t most) {
  if (is_constant(attrs) || data[axis] < 0 || most == 0) return;
  const bool reflects = attrs.string("mode") == "reflect";
  const char* op = attrs.op()->name;
  require(data[axis] > 0, op, ": given data of shape ", data,
          ", expected at least one element along "
          "axis ",
          axis, " for mode ", attrs.string("mode"));
  require(!reflects || most < data[axis], op, ": given pad_width ", attrs.text("pad_width"),
          " for data of shape ", data, ", expected less than the size of axis ", axis,
          " for mode reflect");
}

void infer_pad(InferContext& c) {
  one_dtype(c);
  const Shape& in = c.in_shapes[0];
  if (!in.rank_known()) return;
  const Ints& width = checked_width(c.attrs, in.ndim());
  Shape out = in;
  for (int i = 0; i < in.ndim(); ++i) {
    check_border(c.attrs, in, i, std::max(before(width, i), after(width, i)));
    if (out[i] >= 0) out[i] += before(width, i) + after(width, i);
  }
  if (out.known()) checked_shape(out.to_vector(), c.op_name);
  set_shape(c, 0, out);
}

void infer_pad_grad(InferContext& c) {
  one_dtype(c);
  const Shape& grad = c.in_shapes[0];
  if (!grad.rank_known()) return;
  const Ints& width = checked_width(c.attrs, grad.ndim());
  Shape data = grad;
  for (int i = 0; i < grad.ndim(); ++i) {
    if (data[i] >= 0) data[i] -= before(width, i) + after(width, i);
    require(grad[i] < 0 || data[i] >= 0, c.op_name, ": given grad of shape ", grad,
            " and pad_width ", c.attrs.text("pad_width"), ", expected a larger one");
    check_border(c.attrs, data, i, std::max(before(width, i), after(width, i)));
  }
  set_shape(c, 0, data);
}

// Where element `i` of a padded axis comes from, in an axis of n elements.
int64_t source(int64_t i, int64_t ahead, int64_t n, bool reflects) {
  const int64_t at = i - ahead;
  if (!reflects) return std::clamp<int64_t>(at, 0, n - 1);
  return at < 0 ? -at : at >= n ? 2 * (n - 1) - at : at;
}

// Calls row(padded row, its source's offset) for the rows of `padded`: runs along the last axis.
template <class F>
void for_rows(const Attrs& attrs, const Shape& padded, const Shape& data, const Shape& strides,
              int64_t first, int64_t last, F row) {
  const bool reflects = attrs.string("mode") == "reflect";
  const Ints& width = attrs.ints("pad_width");
  for (int64_t r = first; r < last; ++r) {
    int64_t rest = r, offset = 0;
    for (int i = padded.ndim() - 2; i >= 0; --i) {
      offset += source(rest % padded[i], before(width, i), data[i], reflects) * strides[i];
      rest /= padded[i];
    }
    row(r, offset);
  }
}

// The same along the last axis, as offsets of its elements.
Ints along_last(const Attrs& attrs, const Shape& padded, const Shape& data, const Shape& strides) {
  const int last = padded.ndim() - 1;
  const bool reflects = attrs.string("mode") == "reflect";
  Ints from(static_cast<size_t>(padded[last]));
  for (int64_t i = 0; i < padded[last]; ++i) {
    from[static_cast<size_t>(i)] =
        source(i, before(attrs.ints("pad_width"), last), data[last], reflects) * strides[last];
  }
  return from;
}

void run_mirrored(KernelContext& c) {
  only_on_host(c.resources, "pad by the edge or the mirror image");
  const TensorView &in = c.in[0], &out = c.out[0];
  const Ints from = along_last(c.attrs, out.shape, in.shape, in.strides);
  const auto size = static_cast<int64_t>(from.size());
  dispatch_size(dtype_size(out.dtype), "pad", [&](auto zero) {
    using T = decltype(zero);
    const T* x = in.as<T>();
    T* y = out.as<T>();
    auto some = [&](int64_t first, int64_t last) {
      for_rows(c.attrs, out.shape, in.shape, in.strides, first, last, [&](int64_t r, int64_t at) {
        for (int64_t i = 0; i < size; ++i) y[r * size + i] = x[at + from[static_cast<size_t>(i)]];
      });
    };
    c.resources.parallel(out.size() / size, std::max<int64_t>(1, 16384 / size), some);
  });
}

void run_pad(KernelContext& c) {
  const TensorView& out = c.out[0];
  if (out.size() == 0) return;
  if (!is_constant(c.attrs) && out.shape.ndim() > 0) return run_mirrored(c);
  run_fill(c.attrs.real("constant_value"), out, c.resources);
  if (c.in[0].size() == 0) return;
  const Ints& width = c.attrs.ints("pad_width");
  TensorView inside = out;
  inside.shape = c.in[0].shape;
  int64_t offset = 0;
  for (int i = 0; i < out.shape.ndim(); ++i) offset += before(width, i) * out.strides[i];
  inside.data = out.as<char>() + offset * static_cast<int64_t>(dtype_size(out.dtype));
  strided_copy(c.in[0], inside, c.resources);
}

// Sums are one thread's: several elements of grad meet in one of the result.
void run_pad_grad(KernelContext& c) {
  const TensorView &grad = c.in[0], &out = c.out[0];
  if (out.size() == 0) return;
  const Ints to = along_last(c.attrs, grad.shape, out.shape, out.strides);
  const auto size = static_cast<int64_t>(to.size());
  dispatch(out.dtype, "pad_grad", [&](auto zero) {
    using T = decltype(zero);
    const T* g = grad.as<T>();
    T* dx = out.as<T>();
    std::fill_n(dx, out.size(), T(0));
    for_rows(c.attrs, grad.shape, out.shape, out.strides, 0, grad.size() / size,
             [&](int64_t r, int64_t at) {
               for (int64_t i = 0; i < size; ++i) {
                 T& sum = dx[at + to[static_cast<size_t>(i)]];
                 sum = static_cast<T>(sum + g[r * size + i]);
               }
             });
  });
}

void grad_pad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Ints& width = b.attrs().ints("pad_width");
  if (!is_constant(b.attrs())) {
    b.set(0,
          b.op("pad_grad", {b.out_grad()}, {{"mode", b.attrs().at("mode")}, {"pad_width", width}}));
    return;
  }
  Ints begin, end;
  for (size_t i = 0; i + 1 < width.size(); i += 2) {
    begin.push_back(width[i]);
    end.push_back(width[i + 1] == 0 ? kNoneInt : -width[i + 1]);
  }
  b.set(0, b.op("slice", {b.out_grad()}, {{"begin", begin}, {"end", end}}));
}

void grad_pad_grad(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0, b.op("pad", {b.out_grad()},
                {{"mode", b.attrs().at("mode")}, {"pad_width", b.attrs().ints("pad_width")}}));
}

}  // namespace

void register_pad() {
  OpDef pad;
  pad.name = "pad";
  pad.family = Family::shape;
  pad.doc =
      "data with a border around it: of one number (constant), of the elements at the edge (edge) "
      "or "
      "of the mirror image, which does not repeat the edge (reflect). MXNet's pad.";
  pad.inputs = {{"data", "array"}};
  pad.attrs = {
      {"mode", AttrType::string, "constant", "what fills the border", "constant|edge|reflect"},
      {"pad_width", AttrType::ints, nullptr, "(before, after) of every axis, in a row"},
      {"constant_value", AttrType::real, "0.0", "the number"}};
  pad.dtypes = kAllComputed;
  pad.infer = infer_pad;
  pad.cpu = run_pad;
  pad.on_device = true;
  pad.gradient = grad_pad;
  pad.strided_ok = true;
  add_op(std::move(pad));

  OpDef grad;
  grad.name = "pad_grad";
  grad.family = Family::shape;
  grad.doc = "Gradient of pad with mode edge or reflect: grad added up where it comes from.";
  grad.inputs = {{"grad", "gradient of the result"}};
  grad.attrs = {{"mode", AttrType::string, nullptr, "the mode of pad", "edge|reflect"},
                {"pad_width", AttrType::ints, nullptr, "that of pad"}};
  grad.infer = infer_pad_grad;
  grad.cpu = run_pad_grad;
  grad.gradient = grad_pad_grad;
  add_op(std::move(grad));
}

}  // namespace hybrid
