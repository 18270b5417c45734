// Window: kernel, stride, dilation and padding of sliding windows.
#include "ops/window.h"

#include <algorithm>

#include "core/error.h"
#include "ops/op.h"

namespace hybrid {

namespace {

// A bound that keeps every sum and product of sizes far inside 64 bits.
constexpr int64_t kLimit = int64_t{1} << 30;

// An empty tuple means the default, as MXNet writes it.
void read(const Attrs& attrs, const char* name, int64_t least, int ndim, int64_t* values) {
  if (!attrs.has(name)) return;
  const auto& given = attrs.ints(name);
  if (given.empty()) return;
  // Zeros are no padding, however many: MXNet's pooling_convention same needs three of them.
  if (least == 0 && std::all_of(given.begin(), given.end(), [](int64_t v) { return v == 0; }))
    return;
  const char* op = attrs.op()->name;
  require(static_cast<int>(given.size()) == ndim, op, ": given ", name, " ", attrs.text(name),
          " and kernel ", attrs.text("kernel"), ", expected as many sizes as the kernel has");
  for (int i = 0; i < ndim; ++i) {
    const int64_t value = given[static_cast<size_t>(i)];
    require(value >= least && value < kLimit, op, ": given ", name, " ", attrs.text(name),
            ", expected sizes from ", least, " to 2^30");
    values[i] = value;
  }
}

}  // namespace

Window::Window(const Attrs& attrs, bool dilated) {
  const char* op = attrs.op()->name;
  const size_t axes = attrs.has("kernel") ? attrs.ints("kernel").size() : 0;
  require(axes > 0, op,
          ": given no kernel, expected (width), (height, width) or (depth, height, width)");
  require(axes <= 3, op, ": given kernel ", attrs.text("kernel"), ", expected one to three sizes");
  ndim = static_cast<int>(axes);
  read(attrs, "kernel", 1, ndim, kernel);
  read(attrs, "stride", 1, ndim, stride);
  read(attrs, "pad", 0, ndim, pad);
  if (dilated) read(attrs, "dilate", 1, ndim, dilate);
}

int64_t Window::out_size(int64_t in, int axis, bool full, const char* op) const {
  if (in < 0) return -1;
  const int64_t span = dilate[axis] * (kernel[axis] - 1) + 1;
  const int64_t room = in + 2 * pad[axis] - span;
  require(room >= 0, op, ": given ", axis_name(ndim, axis), " ", in, " with padding ", pad[axis],
          " on both sides, expected at least the window's ", span);
  const int64_t steps = full ? (room + stride[axis] - 1) / stride[axis] : room / stride[axis];
  return steps + 1;
}

const char* default_layout(int spatial) {
  static const char* const names[] = {"NC", "NCW", "NCHW", "NCDHW"};
  return names[spatial];
}

bool channels_last(const Attrs& attrs, int spatial) {
  if (!attrs.has("layout")) return false;
  const std::string& layout = attrs.string("layout");
  require(static_cast<int>(layout.size()) == spatial + 2, attrs.op()->name, ": given layout ",
          layout, " for ", spatial, spatial == 1 ? " spatial axis" : " spatial axes", ", expected ",
          default_layout(spatial), " or another order of so many axes");
  return layout.back() == 'C';
}

const char* axis_name(int spatial, int axis) {
  static const char* const names[] = {"depth", "height", "width"};
  return names[3 - spatial + axis];
}

}  // namespace hybrid
