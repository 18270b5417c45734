// depth_to_space and space_to_depth: channels as blocks of pixels, and back.
#include "kernels/kernels.h"
#include "ops/families.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

int64_t block_size(const Attrs& attrs) {
  const int64_t size = attrs.integer("block_size");
  require(size > 0, attrs.op()->name, ": given block_size ", size, ", expected at least 1");
  return size;
}

// `to_space`: channels / block^2 and sizes * block; else the other way round.
template <bool to_space>
void infer(InferContext& c) {
  const int64_t block = block_size(c.attrs);
  one_dtype(c);
  expect_rank(c, 0, 4, "batch, channels, height, width");
  Shape out = c.in_shapes[0];
  if (!out.rank_known()) return;
  const auto divided = [&](int axis, int64_t by) {
    require(out[axis] < 0 || out[axis] % by == 0, c.op_name, ": given data of shape ",
            c.in_shapes[0], " and block_size ", block, ", expected a size on axis ", axis, " that ",
            by, " divides");
    if (out[axis] >= 0) out[axis] /= by;
  };
  const auto multiplied = [&](int axis, int64_t by) {
    if (out[axis] >= 0) out[axis] *= by;
  };
  require(block < (INT64_C(1) << 20), c.op_name, ": given block_size ", block,
          ", expected less than 2^20");
  if (to_space) {
    divided(1, block * block);
    multiplied(2, block);
    multiplied(3, block);
  } else {
    divided(2, block);
    divided(3, block);
    multiplied(1, block * block);
  }
  set_shape(c, 0, out);
}

template <bool to_space>
void run(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const int64_t b = block_size(c.attrs);
  const Shape& small = to_space ? c.out[0].shape : c.in[0].shape;  // few channels, many pixels
  const int64_t channels = small[1], height = small[2] / b, width = small[3] / b;
  // Both arrays as (batch, row in block, column in block, channel, height, width).
  const Shape shape{small[0], b, b, channels, height, width};
  const int64_t line = width * b, plane = height * b * line;
  TensorView pixels = to_space ? c.out[0] : c.in[0], depth = to_space ? c.in[0] : c.out[0];
  pixels.shape = depth.shape = shape;
  pixels.strides = Shape{channels * plane, line, 1, plane, b * line, b};
  depth.strides = contiguous_strides(shape);
  if (to_space) {
    strided_copy(depth, pixels, c.resources);
  } else {
    strided_copy(pixels, depth, c.resources);
  }
}

template <bool to_space>
void gradient(GradBuilder& b) {
  if (!b.wanted(0)) return;
  b.set(0, b.op(to_space ? "space_to_depth" : "depth_to_space", {b.out_grad()},
                {{"block_size", b.attrs().integer("block_size")}}));
}

template <bool to_space>
void add(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::shape;
  def.doc = doc;
  def.inputs = {{"data", "(batch, channels, height, width)"}};
  def.attrs = {{"block_size", AttrType::integer, nullptr, "pixels along a side of a block"}};
  def.dtypes = kAllComputed;
  def.infer = infer<to_space>;
  def.cpu = run<to_space>;
  def.gradient = gradient<to_space>;
  add_op(std::move(def));
}

}  // namespace

void register_blocks_of_space() {
  add<true>("depth_to_space",
            "Every block_size^2 channels as blocks of pixels: (n, c b^2, h, w) gives (n, c, h b, w "
            "b). The block's rows and columns are the slowest of the channels.");
  add<false>("space_to_depth",
             "Blocks of pixels as channels: (n, c, h b, w b) gives (n, c b^2, h, w). Undoes "
             "depth_to_space.");
}

}  // namespace hybrid
