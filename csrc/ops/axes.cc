// Axes of reductions.
#include "ops/axes.h"

#include "core/error.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

std::vector<AttrDef> reduction_attrs() {
  return {{"axis", AttrType::ints, "None", "axes to reduce; None or (): all"},
          {"keepdims", AttrType::boolean, "False", "reduced axes stay, with size 1"},
          {"exclude", AttrType::boolean, "False", "reduce all axes but those in axis"},
          {"at_least_1d", AttrType::boolean, "False",
           "a full reduction has shape (1,) instead of () (MXNet 1.x)"}};
}

uint32_t axes_mask(const Attrs& attrs, int ndim) {
  const char* op = attrs.op()->name;
  const uint32_t all = (1u << ndim) - 1;
  if (!attrs.has("axis") || attrs.ints("axis").empty()) return all;
  uint32_t mask = 0;
  for (int64_t axis : attrs.ints("axis")) {
    const uint32_t bit = 1u << normalize_axis(axis, ndim, op);
    require((mask & bit) == 0, op, ": given axis ", attrs.text("axis"), ", expected distinct axes");
    mask |= bit;
  }
  return attrs.boolean("exclude") ? all & ~mask : mask;
}

Shape reduced_shape(const Attrs& attrs, const Shape& in, uint32_t mask) {
  const bool keep = attrs.boolean("keepdims");
  Shape out;
  for (int i = 0; i < in.ndim(); ++i) {
    if (!axis_in(mask, i)) {
      out.push_back(in[i]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  if (out.ndim() == 0 && attrs.boolean("at_least_1d")) out.push_back(1);
  return out;
}

Entry broadcast_as(GradBuilder& b, Entry x, Entry like) {
  const Shape from = b.shape(x), to = b.shape(like);
  if (!to.known()) return b.op("broadcast_like", {x, like});
  if (from.known() && from == to) return x;
  return b.op("broadcast_to", {x}, {{"shape", to.to_vector()}});
}

Entry spread_like_input(GradBuilder& b, Entry g) {
  const Entry x = b.input(0);
  const Shape shape = b.shape(x);
  if (!b.attrs().boolean("keepdims")) {
    const int ndim = known_rank(b, x);
    const uint32_t mask = axes_mask(b.attrs(), ndim);
    if (shape.known()) {
      Shape kept = shape;
      for (int i = 0; i < ndim; ++i) {
        if (axis_in(mask, i)) kept[i] = 1;
      }
      g = reshape_to(b, g, kept);
    } else {
      g = mask == (1u << ndim) - 1 ? b.op("reshape", {g}, {{"shape", std::vector<int64_t>{}}}) : g;
      for (int i = 0; i < ndim; ++i) {
        if (axis_in(mask, i)) g = b.op("expand_dims", {g}, {{"axis", i}});
      }
    }
  }
  return broadcast_as(b, g, x);
}

int64_t count_reduced(const GradBuilder& b) {
  const Shape shape = known_shape(b, b.input(0));
  const uint32_t mask = axes_mask(b.attrs(), shape.ndim());
  int64_t count = 1;
  for (int i = 0; i < shape.ndim(); ++i) {
    if (axis_in(mask, i)) count *= shape[i];
  }
  return count;
}

}  // namespace hybrid
