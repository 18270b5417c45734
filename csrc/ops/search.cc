// Places in ordered vectors: searchsorted, and linear interpolation between them.
#include <algorithm>
#include <cmath>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// NumPy's order: nan is beyond all others.
template <class T>
bool before(T x, T y) {
  return x < y || (y != y && x == x);
}
template <class T>
bool not_after(T x, T y) {
  return !before(y, x);
}

constexpr int64_t kPoll = 1 << 14;  // searches between two looks at the cancel flag

// One search after the other, each beginning where the last one ended as NumPy's do: so they agree
// on vectors without order too.
template <class T, class Before>
void search(const T* a, int64_t size, const T* keys, int64_t count, int64_t* out, Before comes,
            Resources& resources) {
  int64_t low = 0, high = size;
  for (int64_t i = 0; i < count; ++i) {
    if (i % kPoll == kPoll - 1 && resources.cancelled()) return;
    if (comes(keys[i > 0 ? i - 1 : 0], keys[i])) {
      high = size;
    } else {
      low = 0;
      high = high < size ? high + 1 : size;
    }
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (comes(a[middle], keys[i])) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    out[i] = low;
  }
}

void infer_searchsorted(InferContext& c) {
  unify_dtypes(c, {0, 1});
  set_dtype(c, 0, DType::int64);
  expect_rank(c, 0, 1, "(n)");
  if (c.in_shapes[1].rank_known()) set_shape(c, 0, c.in_shapes[1]);
}

void run_searchsorted(KernelContext& c) {
  dispatch(c.in[0].dtype, "searchsorted", [&](auto zero) {
    using T = decltype(zero);
    const T *a = c.in[0].as<T>(), *keys = c.in[1].as<T>();
    const int64_t size = c.in[0].size(), count = c.in[1].size();
    int64_t* out = c.out[0].as<int64_t>();
    if (c.attrs.boolean("right")) {
      search(a, size, keys, count, out, not_after<T>, c.resources);
    } else {
      search(a, size, keys, count, out, before<T>, c.resources);
    }
  });
}

double search_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  return 8.0 * static_cast<double>(out[0].size()) *
         std::log2(static_cast<double>(in[0].size()) + 2);
}

// --- interpolation ------------------------------------------------------------------------------

void infer_interp(InferContext& c) {
  one_dtype(c);
  expect_rank(c, 1, 1, "(n)");
  expect_rank(c, 2, 1, "(n)");
  const Shape &xp = c.in_shapes[1], &fp = c.in_shapes[2];
  if (xp.known() && fp.known()) {
    require(xp[0] == fp[0] && xp[0] > 0, c.op_name, ": given ", xp[0], " and ", fp[0],
            " points, expected as many of xp as of fp, at least one");
  }
  if (c.in_shapes[0].rank_known()) set_shape(c, 0, c.in_shapes[0]);
}

template <class T>
double between(const T* xp, const T* fp, int64_t size, T place) {
  const double x = place;
  if (x != x) return x;
  if (x > xp[size - 1]) return fp[size - 1];
  if (x < xp[0]) return fp[0];
  const int64_t j = std::upper_bound(xp, xp + size, place) - xp - 1;
  if (j >= size - 1) return fp[size - 1];
  if (j < 0 || xp[j] == x) return fp[std::max<int64_t>(j, 0)];
  const double x0 = xp[j], x1 = xp[j + 1], y0 = fp[j], y1 = fp[j + 1];
  const double slope = (y1 - y0) / (x1 - x0);
  double y = slope * (x - x0) + y0;
  if (y != y) {  // from the other end, as NumPy tries where infinities meet
    y = slope * (x - x1) + y1;
    if (y != y && y0 == y1) y = y0;
  }
  return y;
}

void run_interp(KernelContext& c) {
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    const T *x = c.in[0].as<T>(), *xp = c.in[1].as<T>(), *fp = c.in[2].as<T>();
    T* out = c.out[0].as<T>();
    const int64_t size = c.in[1].size();
    c.resources.parallel(c.in[0].size(), 1 << 12, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(between(xp, fp, size, x[i]));
    });
  };
  c.in[0].dtype == DType::float32 ? run(float{}) : run(double{});
}

double interp_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>& out) {
  return static_cast<double>(out[0].size()) *
         (10 + 8 * std::log2(static_cast<double>(in[1].size()) + 2));
}

}  // namespace

void register_search() {
  OpDef places;
  places.name = "searchsorted";
  places.family = Family::index;
  places.doc =
      "Where every element of v would be put into a, which is in ascending order, nan last; int64.";
  places.inputs = {{"a", "(n), in order", false}, {"v", "array of a's dtype", false}};
  places.attrs = {{"right", AttrType::boolean, "False", "after equal elements, not before them"}};
  places.dtypes = kAllOrdered;
  places.infer = infer_searchsorted;
  places.cpu = run_searchsorted;
  places.flops = search_flops;
  add_op(std::move(places));

  OpDef interp;
  interp.name = "interp";
  interp.family = Family::index;
  interp.doc =
      "The piecewise linear function through (xp, fp) at every element of x; fp's ends outside, "
      "nan where x is. xp is in ascending order. Computed in double precision.";
  interp.inputs = {{"x", "array", false}, {"xp", "(n)", false}, {"fp", "(n)", false}};
  interp.infer = infer_interp;
  interp.cpu = run_interp;
  interp.flops = interp_flops;
  add_op(std::move(interp));
}

}  // namespace hybrid
