// UpSampling: images whose elements are repeated, or what lies between them is interpolated.
#include <algorithm>
#include <cstring>

#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

using Ints = std::vector<int64_t>;

int64_t checked_scale(const Attrs& attrs) {
  const int64_t scale = attrs.integer("scale");
  require(scale >= 1 && scale <= 1000, attrs.op()->name, ": given scale ", scale,
          ", expected 1 to 1000");
  return scale;
}

bool is_bilinear(const Attrs& attrs) { return attrs.string("sample_type") == "bilinear"; }
bool adds_up(const Attrs& attrs) { return attrs.string("multi_input_mode") == "sum"; }

// How often the elements of an image are repeated.
int64_t scale_of(const Shape& in, const Shape& out) { return out[2] / in[2]; }

void infer_nearest(InferContext& c, Shape out) {
  int64_t channels = 0;
  for (size_t i = 0; i < c.in_shapes.size(); ++i) {
    const Shape& in = c.in_shapes[i];
    if (!in.rank_known()) return;
    const bool known = in[2] >= 0 && in[3] >= 0 && out[2] >= 0 && out[3] >= 0;
    const int64_t times = known && in[2] > 0 ? out[2] / in[2] : 0;
    require(!known || (in[2] * times == out[2] && in[3] * times == out[3]) || out[2] * out[3] == 0,
            c.op_name, ": given image ", i, " of shape ", in, " for a result of ", out[2], " by ",
            out[3], ", expected a part of it");
    channels = channels < 0 || in[1] < 0 ? -1 : channels + in[1];
    require(in[0] < 0 || out[0] < 0 || in[0] == out[0], c.op_name, ": given image ", i,
            " of shape ", in, ", expected ", out[0], " samples");
    require(!adds_up(c.attrs) || in[1] < 0 || out[1] < 0 || in[1] == out[1], c.op_name,
            ": given image ", i, " of shape ", in, ", expected ", out[1],
            " channels with multi_input_mode sum");
  }
  if (!adds_up(c.attrs)) out[1] = channels;
  set_shape(c, 0, out);
}

int64_t kernel_size(int64_t scale) { return 2 * scale - scale % 2; }

void infer_upsampling(InferContext& c) {
  one_dtype(c);
  const int64_t scale = checked_scale(c.attrs);
  const bool bilinear = is_bilinear(c.attrs);
  const size_t inputs = c.in_shapes.size();
  require(bilinear ? inputs == 2 : inputs >= 1, c.op_name, ": given ", inputs, " arrays, expected ",
          bilinear ? "data and weight with sample_type bilinear" : "at least one");
  for (size_t i = 0; i < inputs; ++i) expect_rank(c, i, 4, "NCHW");
  const Shape& first = c.in_shapes[0];
  if (!first.rank_known()) return;
  Shape out = first;
  for (int i : {2, 3}) {
    if (out[i] >= 0) out[i] = checked_shape({out[i], scale}, c.op_name).size();
  }
  if (!bilinear) return infer_nearest(c, out);
  const int64_t filters = c.attrs.integer("num_filter");
  require(filters >= 1, c.op_name, ": given num_filter ", filters,
          ", expected the number of channels with sample_type bilinear");
  require(first[1] < 0 || first[1] == filters, c.op_name, ": given data of shape ", first,
          ", expected num_filter ", filters, " channels");
  out[1] = filters;
  expect_shape(c, 1, {filters, 1, kernel_size(scale), kernel_size(scale)});
  set_shape(c, 0, out);
}

// One image into the channels of the result that begin at y; added where `add`.
template <class T>
void repeat_image(const Shape& in, const Shape& out, const T* x, T* y, bool add,
                  Resources& resources) {
  const int64_t scale = scale_of(in, out), width = out[3];
  const int64_t sample = out[1] * out[2] * width;  // from one sample of the result to the next
  const int64_t plane_rows = in[1] * in[2];        // of one sample
  auto some = [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      T* row = y + r / plane_rows * sample + r % plane_rows * scale * width;
      const T* from = x + r * in[3];
      for (int64_t k = 0; k < scale; ++k, row += width) {
        if (add) {
          for (int64_t j = 0; j < width; ++j) row[j] = static_cast<T>(row[j] + from[j / scale]);
        } else if (k == 0) {
          for (int64_t j = 0; j < width; ++j) row[j] = from[j / scale];
        } else {
          std::memcpy(row, row - width, static_cast<size_t>(width) * sizeof(T));
        }
      }
    }
  };
  resources.parallel(in[0] * plane_rows, std::max<int64_t>(1, 16384 / (scale * width)), some);
}

void run_nearest(KernelContext& c) {
  const Shape& out = c.out[0].shape;
  dispatch(c.out[0].dtype, "UpSampling", [&](auto zero) {
    using T = decltype(zero);
    T* y = c.out[0].as<T>();
    for (int i = 0; i < c.num_in; ++i) {
      const Shape& in = c.in[i].shape;
      if (in.size() == 0) continue;
      repeat_image(in, out, c.in[i].as<T>(), y, i > 0 && adds_up(c.attrs), c.resources);
      if (!adds_up(c.attrs)) y += in[1] * out[2] * out[3];
    }
  });
}

// Attributes of the transposed convolution that interpolates, or of the one that leads back.
void set_window(const Attrs& from, Attrs* to) {
  const int64_t scale = checked_scale(from), filters = from.integer("num_filter");
  to->set("kernel", Ints{kernel_size(scale), kernel_size(scale)});
  to->set("stride", Ints{scale, scale});
  to->set("pad", Ints{scale / 2, scale / 2});
  to->set("num_filter", filters);
  to->set("num_group", filters);
  to->set("no_bias", true);
}

void run_upsampling(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  if (!is_bilinear(c.attrs)) return run_nearest(c);
  Attrs attrs(get_op("Deconvolution"));
  set_window(c.attrs, &attrs);
  KernelContext inner{attrs, c.in, c.num_in, c.out, c.num_out, c.key, c.resources};
  attrs.op()->cpu(inner);
}

void grad_nearest(GradBuilder& b) {
  const Shape out = known_shape(b, b.output());
  int64_t first = 0;  // of the image's channels in the result
  for (int i = 0; i < b.num_inputs(); ++i) {
    const Shape in = known_shape(b, b.input(i));
    const int64_t next = first + in[1];
    if (b.wanted(i)) {
      Entry g = b.out_grad();
      if (!adds_up(b.attrs()) && in[1] != out[1]) {
        g = b.op("slice_axis", {g}, {{"axis", int64_t{1}}, {"begin", first}, {"end", next}});
      }
      if (in.size() == 0) {
        b.set(i, b.zeros_as(b.input(i)));
      } else {
        const Ints window{scale_of(in, out), scale_of(in, out)};
        b.set(i, b.op("Pooling", {g},
                      {{"kernel", window}, {"stride", window}, {"pool_type", std::string("sum")}}));
      }
    }
    first = next;
  }
}

void grad_upsampling(GradBuilder& b) {
  if (!is_bilinear(b.attrs())) return grad_nearest(b);
  const auto back = [&](const char* op) {
    Attrs attrs(get_op(op));
    set_window(b.attrs(), &attrs);
    return attrs;
  };
  const Entry g = b.out_grad();
  if (b.wanted(0)) b.set(0, b.op("Convolution", {g, b.input(1)}, back("Convolution")));
  if (b.wanted(1)) b.set(1, b.op("conv_grad_weight", {b.input(0), g}, back("conv_grad_weight")));
}

}  // namespace

void register_upsampling() {
  OpDef up;
  up.name = "UpSampling";
  up.family = Family::conv;
  up.doc =
      "Images (n, c, h, w) made scale times as high and wide. sample_type nearest repeats every "
      "element; of several images each is made as large as the first one's result, and they are "
      "joined by their channels or added. bilinear is the transposed convolution with a weight "
      "(num_filter, 1, k, k), k = 2 scale - scale % 2, of every channel by itself. MXNet's "
      "UpSampling.";
  up.inputs = {{"data", "images (n, c, h, w), or one and the weight"}};
  up.variadic = true;
  up.attrs = {{"scale", AttrType::integer, nullptr, "how often, 1 to 1000"},
              {"num_filter", AttrType::integer, "0", "bilinear: number of channels"},
              {"sample_type", AttrType::string, nullptr, "what lies between", "bilinear|nearest"},
              {"multi_input_mode", AttrType::string, "concat", "what becomes of several images",
               "concat|sum"}};
  up.infer = infer_upsampling;
  up.cpu = run_upsampling;
  up.gradient = grad_upsampling;
  add_op(std::move(up));
}

}  // namespace hybrid
