#include "ops/pool_attrs.h"

#include "core/error.h"
#include "ops/window.h"

namespace hybrid {

namespace {

struct Sizes {
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1};
  int64_t pad[3] = {0, 0, 0};
};

PoolType type_of(const std::string& name) {
  if (name == "max") return PoolType::max;
  return name == "avg" ? PoolType::avg : PoolType::sum;  // lp sums powers
}

void set_windows(const Attrs& a, const Shape& data, Sizes* s) {
  const char* op = a.op()->name;
  const Window w(a, false);
  const std::string& convention = a.string("pooling_convention");
  for (int i = 0; i < w.ndim; ++i) {
    const int at = 3 - w.ndim + i;
    require(w.pad[i] < w.kernel[i], op, ": given pad ", a.text("pad"),
            ", expected less than the kernel ", a.text("kernel"));
    s->kernel[at] = w.kernel[i];
    s->stride[at] = w.stride[i];
    s->pad[at] = w.pad[i];
    const int64_t in = data[2 + i];
    if (convention == "same") {  // windows begin at every stride, the last ones are cut off
      require(w.pad[i] == 0, op, ": given pad ", a.text("pad"),
              ", expected none with pooling_convention same");
      s->out[at] = in < 0 ? -1 : (in + w.stride[i] - 1) / w.stride[i];
      require(s->out[at] != 0, op, ": given data of shape ", data,
              ", expected an image that is not empty");
      continue;
    }
    s->out[at] = w.out_size(in, i, convention == "full", op);
    require(in < 0 || (s->out[at] - 1) * w.stride[i] < in + w.pad[i], op, ": given data of shape ",
            data, ", kernel ", a.text("kernel"), ", stride ", a.text("stride"),
            ": with pooling_convention full the last window would be empty");
  }
}

}  // namespace

std::vector<AttrDef> pool_attrs() {
  return {{"kernel", AttrType::ints, "()",
           "size of the window: (width), (height, width) or (depth, height, width); not for "
           "global_pool"},
          {"pool_type", AttrType::string, "max",
           "what is taken of a window; lp: the root of the sum of powers", "avg|lp|max|sum"},
          {"global_pool", AttrType::boolean, "False", "one window over the whole image"},
          {"pooling_convention", AttrType::string, "valid",
           "output size: rounded down (valid) or up (full), or 1 + (size - 1) / stride (same)",
           "full|same|valid"},
          {"stride", AttrType::ints, "()", "steps of the window; (): 1"},
          {"pad", AttrType::ints, "()", "padding on both sides of each axis; (): 0"},
          {"p_value", AttrType::integer, "None", "lp: the power, 1, 2 or 3"},
          {"count_include_pad", AttrType::boolean, "True", "averages count the padding as zeros"},
          {"layout", AttrType::string, "None",
           "order of data's axes; None: the channels before the others",
           "None|NCW|NCHW|NCDHW|NWC|NHWC|NDHWC"}};
}

PoolParams pool_params(const Attrs& a, const Shape& data) {
  const char* op = a.op()->name;
  Sizes s;
  const int spatial = data.ndim() - 2;
  for (int i = 0; i < spatial; ++i) s.in[3 - spatial + i] = data[2 + i];
  if (a.boolean("global_pool")) {
    for (int i = 0; i < 3; ++i) {
      require(s.in[i] != 0, op, ": given data of shape ", data,
              ", expected an image that is not empty");
      s.kernel[i] = s.in[i];
    }
  } else {
    set_windows(a, data, &s);
  }
  PoolParams p;
  p.batch = data[0], p.channels = data[1];
  p.in_d = s.in[0], p.in_h = s.in[1], p.in_w = s.in[2];
  p.out_d = s.out[0], p.out_h = s.out[1], p.out_w = s.out[2];
  p.kernel_d = s.kernel[0], p.kernel_h = s.kernel[1], p.kernel_w = s.kernel[2];
  p.stride_d = s.stride[0], p.stride_h = s.stride[1], p.stride_w = s.stride[2];
  p.pad_d = s.pad[0], p.pad_h = s.pad[1], p.pad_w = s.pad[2];
  p.type = type_of(a.string("pool_type"));
  p.count_include_pad = a.boolean("count_include_pad");
  return p;
}

Shape pooled_shape(const Attrs& a, const Shape& data) {
  const PoolParams p = pool_params(a, data);
  const int64_t sizes[] = {p.out_d, p.out_h, p.out_w};
  Shape shape{p.batch, p.channels};
  for (int i = 5 - data.ndim(); i < 3; ++i) shape.push_back(sizes[i]);
  return shape;
}

void expect_pooled(const Attrs& a, const Shape& data, const char* what) {
  const char* op = a.op()->name;
  if (a.string("pool_type") == "lp") {
    const int64_t p = a.has("p_value") ? a.integer("p_value") : 0;
    require(p >= 1 && p <= 3, op, ": given p_value ", a.text("p_value"), ", expected 1, 2 or 3");
  }
  if (!data.rank_known()) return;
  if (a.boolean("global_pool")) {
    require(data.ndim() >= 3 && data.ndim() <= 5, op, ": given ", what, " of shape ", data,
            ", expected 3 to 5 dimensions");
  } else {
    const int spatial = Window(a, false).ndim;
    require(data.ndim() == spatial + 2, op, ": given ", what, " of shape ", data, " and kernel ",
            a.text("kernel"), ", expected ", spatial + 2, " dimensions (", default_layout(spatial),
            ")");
  }
  channels_last(a, data.ndim() - 2);  // checks the layout
}

Shape channels_to_front(const Shape& shape) {
  Shape front{shape[0], shape[shape.ndim() - 1]};
  for (int i = 1; i + 1 < shape.ndim(); ++i) front.push_back(shape[i]);
  return front;
}

Shape channels_to_back(const Shape& shape) {
  Shape back{shape[0]};
  for (int i = 2; i < shape.ndim(); ++i) back.push_back(shape[i]);
  back.push_back(shape[1]);
  return back;
}

}  // namespace hybrid
