// histogram: how many elements lie between each two edges.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// Bins of equal width over a range.
struct Even {
  int64_t count = 0;
  double low = 0, high = 1;

  explicit Even(const Attrs& attrs) {
    require(attrs.has("bin_cnt") && attrs.has("range"),
            "histogram: given neither bins nor a range ", "with bin_cnt, expected one of them");
    count = attrs.integer("bin_cnt");
    const std::string& text = attrs.string("range");
    const bool read = std::sscanf(text.c_str(), " ( %lf , %lf", &low, &high) == 2 ||
                      std::sscanf(text.c_str(), " [ %lf , %lf", &low, &high) == 2;
    require(read && std::isfinite(low) && std::isfinite(high) && low < high,
            "histogram: given range ", text.substr(0, 100),
            ", expected (low, high), low below high");
    require(count > 0 && count < (INT64_C(1) << 40), "histogram: given bin_cnt ", count,
            ", expected at least 1");
  }
  double edge(int64_t i) const {
    return i == count ? high
                      : low + (high - low) * static_cast<double>(i) / static_cast<double>(count);
  }
};

void infer(InferContext& c) {
  set_dtype(c, 0, DType::int64);
  set_dtype(c, 1, unify_dtypes(c, {0, c.in_dtypes.size() - 1}));
  if (c.attrs.boolean("no_bins")) {
    const int64_t count = Even(c.attrs).count;
    set_shape(c, 0, {count});
    return set_shape(c, 1, {count + 1});
  }
  expect_rank(c, 1, 1, "edges");
  const Shape& edges = c.in_shapes[1];
  if (!edges.known()) return;
  require(edges[0] > 1, c.op_name, ": given bins of shape ", edges,
          ", expected at least two edges");
  set_shape(c, 0, {edges[0] - 1});
  set_shape(c, 1, edges);
}

// The last edge belongs to the last bin, as in NumPy.
void run(KernelContext& c) {
  const int64_t bins = c.out[0].size(), n = c.in[0].size();
  int64_t* counts = c.out[0].as<int64_t>();
  std::fill(counts, counts + bins, int64_t{0});
  std::vector<double> edges(static_cast<size_t>(bins) + 1);
  dispatch(c.in[0].dtype, "histogram", [&](auto zero) {
    using T = decltype(zero);
    if (c.attrs.boolean("no_bins")) {
      const Even even(c.attrs);
      for (int64_t i = 0; i <= bins; ++i) edges[static_cast<size_t>(i)] = even.edge(i);
    } else {
      for (int64_t i = 0; i <= bins; ++i) {
        edges[static_cast<size_t>(i)] = static_cast<double>(c.in[1].as<T>()[i]);
      }
    }
    require(std::is_sorted(edges.begin(), edges.end()), "histogram: given bins out of order, ",
            "expected increasing edges");
    for (int64_t i = 0; i <= bins; ++i) {
      c.out[1].as<T>()[i] = static_cast<T>(edges[static_cast<size_t>(i)]);
    }
    for (int64_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(c.in[0].as<T>()[i]);
      if (!(x >= edges.front() && x <= edges.back())) continue;
      const auto above = std::upper_bound(edges.begin(), edges.end(), x);
      ++counts[std::min<int64_t>(above - edges.begin() - 1, bins - 1)];
    }
  });
}

}  // namespace

void register_histogram() {
  OpDef def;
  def.name = "histogram";
  def.family = Family::reduce;
  def.doc =
      "How many elements lie in each bin, and the bins' edges: bin_cnt of equal width over a "
      "range, "
      "or between given edges. The last edge belongs to the last bin.";
  def.inputs = {{"data", "array of any shape", false},
                {"bins", "(n + 1,): increasing edges", false, "no_bins"}};
  def.attrs = {{"bin_cnt", AttrType::integer, "None", "number of bins"},
               {"range", AttrType::string, "None", "(low, high)"},
               {"no_bins", AttrType::boolean, "False", "there are no edges"}};
  def.num_outputs = 2;
  def.dtypes = kNumbers;
  def.infer = infer;
  def.cpu = run;
  add_op(std::move(def));
}

}  // namespace hybrid
