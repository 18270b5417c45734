// SyncBatchNorm: BatchNorm whose statistics are those of all devices' data together.
#include "core/error.h"
#include "engine/meeting.h"
#include "kernels/by_dtype.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "ops/batch_norm.h"
#include "ops/differentiable_once.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

using namespace batch_norm;
constexpr int kOut = 0, kMean = 1, kVar = 2, kInvstd = 3;

double count_of(const BatchNormShape& s) { return static_cast<double>(s.outer * s.inner); }

void append(const TensorView& channels, int64_t n, engine::Told* to) {
  for_float(channels.dtype, "SyncBatchNorm", [&](auto zero) {
    using T = decltype(zero);
    const T* values = channels.as<T>();
    for (int64_t c = 0; c < n; ++c) to->push_back(static_cast<double>(values[c]));
  });
}

std::string meets_under(const Attrs& attrs, const char* more) {
  const bool meets = uses_batch(attrs) && attrs.integer("ndev") > 1;
  return meets ? attrs.string("key") + more : std::string();
}

// Every device tells how many elements a channel it has, then two values a channel.
std::vector<engine::Told> meet(const KernelContext& c, const BatchNormShape& shape,
                               const TensorView& first, const TensorView& second) {
  engine::Told own{count_of(shape)};
  append(first, shape.channels, &own);
  append(second, shape.channels, &own);
  const std::string key = c.attrs.op()->meeting_key(c.attrs);
  if (key.empty()) return {own};
  require(c.resources.seats() != nullptr, "SyncBatchNorm: it can't wait for other devices here");
  std::vector<engine::Told> all = c.resources.seats()->meet(key, std::move(own), c.resources);
  for (const engine::Told& told : all) {
    require(told.size() == all[0].size(), "SyncBatchNorm: the devices' data have ",
            (all[0].size() - 1) / 2, " and ", (told.size() - 1) / 2, " channels under the key '",
            c.attrs.string("key"), "'");
  }
  return all;
}

double total_count(const std::vector<engine::Told>& all) {
  double n = 0;
  for (const engine::Told& told : all) n += told[0];
  return n;
}

// Mean and biased variance of the whole from those of the parts (Chan, Golub and LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979).
void combine(const std::vector<engine::Told>& all, const BatchNormShape& shape,
             const TensorView& means, const TensorView& variances) {
  const double n = total_count(all);
  const auto channels = static_cast<size_t>(shape.channels);
  for_float(means.dtype, "SyncBatchNorm", [&](auto zero) {
    using T = decltype(zero);
    for (size_t c = 0; c < channels; ++c) {
      double mean = 0, squares = 0;
      for (const engine::Told& told : all) mean += told[0] / n * told[1 + c];
      for (const engine::Told& told : all) {
        const double apart = told[1 + c] - mean;
        squares += told[0] * (told[1 + channels + c] + apart * apart);
      }
      means.as<T>()[c] = static_cast<T>(mean);
      variances.as<T>()[c] = static_cast<T>(squares / n);
    }
  });
}

void run_sync_batch_norm(KernelContext& c) {
  const TensorView& x = c.in[kData];
  const BatchNormShape shape = channel_shape(c, x.shape);
  const double eps = c.attrs.real("eps");
  void *mean = c.out[kMean].data, *invstd = c.out[kInvstd].data, *variance = c.out[kVar].data;
  if (uses_batch(c.attrs)) {
    require(count_of(shape) > 0 || shape.channels == 0, "SyncBatchNorm: given data of shape ",
            x.shape, ", expected at least one element a channel in training");
    batch_norm_statistics(x.dtype, shape, x.data, eps, mean, invstd, variance, c.resources);
    const std::vector<engine::Told> all = meet(c, shape, c.out[kMean], c.out[kVar]);
    if (all.size() > 1) {
      combine(all, shape, c.out[kMean], c.out[kVar]);
      batch_norm_invstd(x.dtype, shape.channels, variance, eps, invstd);
    }
  } else {
    strided_copy(c.in[kMovingMean], c.out[kMean], c.resources);
    strided_copy(c.in[kMovingVar], c.out[kVar], c.resources);
    batch_norm_invstd(x.dtype, shape.channels, variance, eps, invstd);
  }
  const void* gamma = c.attrs.boolean("fix_gamma") ? nullptr : c.in[kGamma].data;
  batch_norm_apply(x.dtype, shape, x.data, mean, invstd, gamma, c.in[kBeta].data, c.out[kOut].data,
                   c.resources);
}

void grad_sync_batch_norm(GradBuilder& b) {
  // Moving statistics do not depend on the data.
  const bool moving =
      b.attrs().has("batch_stats") ? !uses_batch(b.attrs()) : b.attrs().boolean("use_global_stats");
  for (const int i : {kMean, kVar, kInvstd}) {
    require(moving || !b.has_out_grad(i),
            "SyncBatchNorm: has no gradient by its mean and variance");
  }
  if (!b.has_out_grad(kOut)) return;
  Attrs attrs(get_op("sync_batch_norm_grad"));
  for (const char* name : {"axis", "fix_gamma", "use_global_stats", "batch_stats", "ndev", "key"}) {
    attrs.set(name, b.attrs().at(name));
  }
  const Entry first =
      b.op("sync_batch_norm_grad",
           {b.out_grad(kOut), b.input(kData), b.input(kGamma), b.output(kMean), b.output(kInvstd)},
           attrs);
  for (const int i : {kData, kGamma, kBeta}) {
    if (b.wanted(i)) b.set(i, {first.node, i});
  }
}

// --- sync_batch_norm_grad(g, x, gamma, mean, invstd) ---------------------------------------------

constexpr int kGrad = 0, kX = 1, kFactor = 2, kMeanIn = 3, kInvstdIn = 4;

void infer_sync_grad(InferContext& c) {
  expect_channels(c, kX, kFactor);
  expect_shape(c, kGrad, c.in_shapes[kX]);
}

// What the statistics of all devices contribute: with r = invstd, z = (x - mean) r, w = gamma and
// sums of all devices over a channel's n elements, w r (sum(g) / n + z sum(g z) / n) less.
void subtract_shares(const std::vector<engine::Told>& all, const BatchNormShape& shape,
                     const KernelContext& c) {
  const double n = total_count(all);
  const auto channels = static_cast<size_t>(shape.channels);
  const bool fixed = c.attrs.boolean("fix_gamma");
  for_float(c.in[kX].dtype, "SyncBatchNorm", [&](auto zero) {
    using T = decltype(zero);
    const T *x = c.in[kX].as<T>(), *gamma = c.in[kFactor].as<T>();
    const T *mean = c.in[kMeanIn].as<T>(), *invstd = c.in[kInvstdIn].as<T>();
    T* dx = c.out[0].as<T>();
    std::vector<T> offset(channels), slope(channels);
    for (size_t i = 0; i < channels; ++i) {
      double g = 0, gz = 0;
      for (const engine::Told& told : all) {
        gz += told[1 + i];
        g += told[1 + channels + i];
      }
      const double r = static_cast<double>(invstd[i]);
      const double wr = fixed ? r : r * static_cast<double>(gamma[i]);
      offset[i] = static_cast<T>(wr * g / n);
      slope[i] = static_cast<T>(wr * r * gz / n);
    }
    const int64_t grain = std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, shape.inner));
    c.resources.parallel(shape.outer * shape.channels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const auto i = static_cast<size_t>(row % shape.channels);
        for (int64_t at = row * shape.inner; at < (row + 1) * shape.inner; ++at) {
          dx[at] -= offset[i] + slope[i] * (x[at] - mean[i]);
        }
      }
    });
  });
}

void set_all(const TensorView& channels, double value) {
  for_float(channels.dtype, "SyncBatchNorm", [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(channels.as<T>(), channels.size(), static_cast<T>(value));
  });
}

void run_sync_grad(KernelContext& c) {
  const TensorView& x = c.in[kX];
  const BatchNormShape shape = channel_shape(c, x.shape);
  const bool fixed = c.attrs.boolean("fix_gamma"), batch = uses_batch(c.attrs);
  const bool alone = c.attrs.op()->meeting_key(c.attrs).empty();
  const auto run = [&](bool with_batch, const void* gamma) {
    batch_norm_grad(x.dtype, shape, with_batch, c.in[kGrad].data, x.data, gamma, c.in[kMeanIn].data,
                    c.in[kInvstdIn].data, c.out[0].data, c.out[1].data, c.out[2].data, c.resources);
  };
  if (alone) return run(batch, fixed ? nullptr : c.in[kFactor].data);
  TensorView gamma = c.in[kFactor];
  if (fixed) {  // the sum by it is needed all the same
    gamma.data = c.resources.workspace(static_cast<size_t>(gamma.size()) * dtype_size(gamma.dtype));
    gamma.strides = contiguous_strides(gamma.shape);
    set_all(gamma, 1);
  }
  run(false, gamma.data);
  subtract_shares(meet(c, shape, c.out[1], c.out[2]), shape, c);
  if (fixed) set_all(c.out[1], 0);
}

std::vector<AttrDef> meeting_attrs() {
  return {
      {"ndev", AttrType::integer, "1", "devices whose statistics are joined"},
      {"key", AttrType::string, "", "the same for the calls of all devices; of no other layer"}};
}

template <class List>
void append_all(List* to, List more) {
  for (auto& item : more) to->push_back(std::move(item));
}

void infer_sync(InferContext& c) {
  const int64_t devices = c.attrs.integer("ndev");
  require(devices >= 1, c.op_name, ": given ndev=", devices, ", expected 1 or more");
  require(devices == 1 || !c.attrs.string("key").empty(), c.op_name, ": given ndev=", devices,
          " and no key, expected one that the calls of all devices have in common");
  require(c.attrs.real("eps") >= 0, c.op_name, ": given eps ", c.attrs.real("eps"),
          ", expected 0 or more");
  expect_channels(c, kData, kGamma);
}

}  // namespace

void register_sync_batch_norm() {
  OpDef norm = normalization(
      "SyncBatchNorm",
      "BatchNorm along axis 1 whose mean and variance are, in training, those of the data of "
      "`ndev` "
      "devices together, which each call it with the same key; the operator waits for the others' "
      "(Zhang et al., \"Context Encoding for Semantic Segmentation\", 2018). On one device it is "
      "BatchNorm. With output_mean_var mean and variance are results too. MXNet's "
      "contrib.SyncBatchNorm.");
  append_all(&norm.attrs, meeting_attrs());
  norm.infer = infer_sync;
  norm.cpu = run_sync_batch_norm;
  norm.gradient = grad_sync_batch_norm;
  norm.meets = [](const Attrs& attrs) { return meets_under(attrs, ""); };
  StatesDef states = batch_norm::states(kMean, kVar);
  states.output_names = {"output", "mean", "var", "invstd"};
  states.mx_outputs = 3;
  add_states(add_op(std::move(norm)), std::move(states));

  OpDef grad = gradient(
      "sync_batch_norm_grad",
      "Gradients of SyncBatchNorm by data, gamma and beta, given that of its result, its data and "
      "gamma, and the mean and 1 / sqrt(var + eps) that it used; that by data takes in what all "
      "devices' results lose by the common statistics.");
  append_all(&grad.attrs, meeting_attrs());
  grad.infer = infer_sync_grad;
  grad.cpu = run_sync_grad;
  grad.gradient = differentiable_once;
  grad.in_place = {{kGrad, 0}};
  grad.meets = [](const Attrs& attrs) { return meets_under(attrs, " (gradient)"); };
  add_op(std::move(grad));
}

}  // namespace hybrid
