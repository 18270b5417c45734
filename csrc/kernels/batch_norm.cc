// Batch normalization: channels are shared by threads, each channel's sums are one thread's.
#include "kernels/batch_norm.h"

#include <algorithm>
#include <cmath>

#include "kernels/batch_norm_table.h"
#include "kernels/by_dtype.h"

namespace hybrid {

namespace {

constexpr int64_t kChunkElements = 1 << 14;
constexpr int64_t kColumns = 16;  // channels of one item when inner is 1: a line of floats

// body(first, last) over channels; neighbours in memory stay together when inner is 1.
template <class F>
void each_channels(const BatchNormShape& s, Resources& resources, F body) {
  const int64_t unit = s.inner == 1 ? kColumns : 1;
  const int64_t items = (s.channels + unit - 1) / unit;
  if (items == 0) return;
  const int64_t elements = std::max<int64_t>(1, s.outer * s.inner * unit);
  const int64_t grain = std::max<int64_t>(1, kChunkElements / elements);
  auto part = [&](int64_t begin, int64_t end) {
    body(begin * unit, std::min(end * unit, s.channels));
  };
  if (items <= grain) return part(int64_t{0}, items);
  resources.parallel(items, grain, part);
}

// Rows of one channel: offset of each from the start of the data.
template <class F>
void each_row(const BatchNormShape& s, int64_t channel, F body) {
  for (int64_t n = 0; n < s.outer; ++n) body((n * s.channels + channel) * s.inner);
}

template <class T>
T inverse(T variance, double eps) {
  return static_cast<T>(1.0 / std::sqrt(static_cast<double>(variance) + eps));
}

// At most kColumns channels side by side, a row of them in each outer index.
template <class T>
struct Columns {
  const BatchNormShape& s;
  int64_t first, last;

  template <class F>
  void each(F body) const {  // body(offset of the row's first channel)
    for (int64_t n = 0; n < s.outer; ++n) body(n * s.channels + first);
  }
  int64_t count() const { return last - first; }

  void statistics(const T* x, double eps, T* mean, T* invstd, T* variance) const {
    double sum[kColumns] = {}, squares[kColumns] = {};
    const auto size = static_cast<double>(s.outer);
    each([&](int64_t at) {
      for (int64_t j = 0; j < count(); ++j) sum[j] += static_cast<double>(x[at + j]);
    });
    for (int64_t j = 0; j < count(); ++j) mean[first + j] = static_cast<T>(sum[j] / size);
    each([&](int64_t at) {
      for (int64_t j = 0; j < count(); ++j) {
        const double d = static_cast<double>(x[at + j] - mean[first + j]);
        squares[j] += d * d;
      }
    });
    for (int64_t j = 0; j < count(); ++j) {
      variance[first + j] = static_cast<T>(squares[j] / size);
      invstd[first + j] = inverse(variance[first + j], eps);
    }
  }

  void grad_sums(const T* dy, const T* x, const T* mean, double* sum, double* product) const {
    each([&](int64_t at) {
      for (int64_t j = 0; j < count(); ++j) {
        sum[j] += static_cast<double>(dy[at + j]);
        product[j] += static_cast<double>(dy[at + j] * (x[at + j] - mean[first + j]));
      }
    });
  }
};

template <class T, class F>
void each_columns(const BatchNormShape& s, int64_t first, int64_t last, F body) {
  for (int64_t c = first; c < last; c += kColumns)
    body(Columns<T>{s, c, std::min(last, c + kColumns)});
}

}  // namespace

void batch_norm_statistics(DType dtype, const BatchNormShape& s, const void* data, double eps,
                           void* means, void* invstds, void* variances, Resources& resources) {
  for_float(dtype, "batch normalization", [&](auto zero) {
    using T = decltype(zero);
    const T* x = static_cast<const T*>(data);
    T *mean = static_cast<T*>(means), *invstd = static_cast<T*>(invstds);
    T* variance = static_cast<T*>(variances);
    const BatchNormFns<T>& fns = batch_norm_fns(T(0));
    const auto size = static_cast<double>(s.outer * s.inner);
    each_channels(s, resources, [&](int64_t first, int64_t last) {
      if (s.inner == 1) {
        return each_columns<T>(s, first, last, [&](const Columns<T>& c) {
          c.statistics(x, eps, mean, invstd, variance);
        });
      }
      for (int64_t c = first; c < last; ++c) {
        double sum = 0, squares = 0;
        each_row(s, c, [&](int64_t at) { sum += fns.sum(s.inner, x + at); });
        mean[c] = static_cast<T>(sum / size);
        each_row(s, c, [&](int64_t at) { squares += fns.sum_squares(s.inner, x + at, mean[c]); });
        variance[c] = static_cast<T>(squares / size);
        invstd[c] = inverse(variance[c], eps);
      }
    });
  });
}

void batch_norm_invstd(DType dtype, int64_t n, const void* variances, double eps, void* invstds) {
  for_float(dtype, "batch normalization", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < n; ++i) {
      static_cast<T*>(invstds)[i] = inverse(static_cast<const T*>(variances)[i], eps);
    }
  });
}

void batch_norm_apply(DType dtype, const BatchNormShape& s, const void* data, const void* means,
                      const void* invstds, const void* gammas, const void* betas, void* result,
                      Resources& resources) {
  for_float(dtype, "batch normalization", [&](auto zero) {
    using T = decltype(zero);
    const T *x = static_cast<const T*>(data), *mean = static_cast<const T*>(means);
    const T *invstd = static_cast<const T*>(invstds), *gamma = static_cast<const T*>(gammas);
    const T* beta = static_cast<const T*>(betas);
    T* y = static_cast<T*>(result);
    const BatchNormFns<T>& fns = batch_norm_fns(T(0));
    const auto scale = [&](int64_t c) { return gamma ? invstd[c] * gamma[c] : invstd[c]; };
    each_channels(s, resources, [&](int64_t first, int64_t last) {
      if (s.inner == 1) {
        return each_columns<T>(s, first, last, [&](const Columns<T>& columns) {
          T by[kColumns];
          for (int64_t j = 0; j < columns.count(); ++j) by[j] = scale(columns.first + j);
          columns.each([&](int64_t at) {
            for (int64_t j = 0; j < columns.count(); ++j) {
              const int64_t c = columns.first + j;
              y[at + j] = (x[at + j] - mean[c]) * by[j] + beta[c];
            }
          });
        });
      }
      for (int64_t c = first; c < last; ++c) {
        each_row(s, c, [&](int64_t at) {
          fns.apply(s.inner, x + at, mean[c], scale(c), beta[c], y + at);
        });
      }
    });
  });
}

void batch_norm_grad(DType dtype, const BatchNormShape& s, bool batch, const void* out_grad,
                     const void* data, const void* gammas, const void* means, const void* invstds,
                     void* data_grad, void* gamma_grad, void* beta_grad, Resources& resources) {
  for_float(dtype, "batch normalization gradient", [&](auto zero) {
    using T = decltype(zero);
    const T *dy = static_cast<const T*>(out_grad), *x = static_cast<const T*>(data);
    const T *gamma = static_cast<const T*>(gammas), *mean = static_cast<const T*>(means);
    const T* invstd = static_cast<const T*>(invstds);
    T *dx = static_cast<T*>(data_grad), *dgamma = static_cast<T*>(gamma_grad);
    T* dbeta = static_cast<T*>(beta_grad);
    const BatchNormFns<T>& fns = batch_norm_fns(T(0));
    const auto size = static_cast<double>(s.outer * s.inner);
    struct Line {
      T offset, slope, scale;
    };
    // What the sums of dy and of dy (x - mean) make of channel c.
    const auto finish = [&](int64_t c, double sum, double product) {
      const double r = static_cast<double>(invstd[c]);
      dbeta[c] = static_cast<T>(sum);
      dgamma[c] = gamma ? static_cast<T>(product * r) : T(0);
      return Line{static_cast<T>(sum / size), static_cast<T>(product * r * r / size),
                  gamma ? invstd[c] * gamma[c] : invstd[c]};
    };
    each_channels(s, resources, [&](int64_t first, int64_t last) {
      if (s.inner == 1) {
        return each_columns<T>(s, first, last, [&](const Columns<T>& columns) {
          double sum[kColumns] = {}, product[kColumns] = {};
          columns.grad_sums(dy, x, mean, sum, product);
          Line lines[kColumns];
          for (int64_t j = 0; j < columns.count(); ++j)
            lines[j] = finish(columns.first + j, sum[j], product[j]);
          columns.each([&](int64_t at) {
            for (int64_t j = 0; j < columns.count(); ++j) {
              const Line& l = lines[j];
              const T d = x[at + j] - mean[columns.first + j];
              dx[at + j] =
                  batch ? (dy[at + j] - l.offset - d * l.slope) * l.scale : dy[at + j] * l.scale;
            }
          });
        });
      }
      for (int64_t c = first; c < last; ++c) {
        double sum = 0, product = 0;
        each_row(s, c, [&](int64_t at) {
          fns.grad_sums(s.inner, dy + at, x + at, mean[c], &sum, &product);
        });
        const Line l = finish(c, sum, product);
        each_row(s, c, [&](int64_t at) {
          if (batch) {
            fns.grad(s.inner, dy + at, x + at, mean[c], l.offset, l.slope, l.scale, dx + at);
          } else {
            fns.scale(s.inner, dy + at, l.scale, dx + at);
          }
        });
      }
    });
  });
}

}  // namespace hybrid
