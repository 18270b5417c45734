// Window2d: kernel, stride, dilation and padding of sliding windows.
#include "ops/window.h"

#include "core/error.h"
#include "ops/op.h"

namespace hybrid {

namespace {

// An empty tuple means the default, as MXNet writes it.
void read(const Attrs& attrs, const char* name, int64_t least, int64_t* values) {
  if (!attrs.has(name)) return;
  const auto& given = attrs.ints(name);
  if (given.empty()) return;
  require(given.size() == 2 && given[0] >= least && given[1] >= least, attrs.op()->name, ": given ",
          name, " ", attrs.text(name), ", expected two sizes of at least ", least,
          " (only two-dimensional windows are there)");
  // A bound that keeps every sum and product of sizes far inside 64 bits.
  require(given[0] < (int64_t{1} << 30) && given[1] < (int64_t{1} << 30), attrs.op()->name,
          ": given ", name, " ", attrs.text(name), ", expected sizes below 2^30");
  values[0] = given[0];
  values[1] = given[1];
}

}  // namespace

Window2d::Window2d(const Attrs& attrs, bool dilated) : kernel{0, 0} {
  read(attrs, "kernel", 1, kernel);
  read(attrs, "stride", 1, stride);
  read(attrs, "pad", 0, pad);
  if (dilated) read(attrs, "dilate", 1, dilate);
  require(kernel[0] > 0, attrs.op()->name, ": given no kernel, expected (height, width)");
}

int64_t Window2d::out_size(int64_t in, int axis, bool full, const char* op) const {
  if (in < 0) return -1;
  const int64_t span = dilate[axis] * (kernel[axis] - 1) + 1;
  const int64_t room = in + 2 * pad[axis] - span;
  require(room >= 0, op, ": given ", axis == 0 ? "height " : "width ", in, " with padding ",
          pad[axis], " on both sides, expected at least the window's ", span);
  const int64_t steps = full ? (room + stride[axis] - 1) / stride[axis] : room / stride[axis];
  return steps + 1;
}

}  // namespace hybrid
