// Stacked matrices, in the last two dimensions: what the operators of linear algebra share.
#pragma once
#include <algorithm>
#include <vector>

#include "ops/dispatch.h"
#include "ops/infer.h"

namespace hybrid {

inline const AttrDef kLower{"lower", AttrType::boolean, "True",
                            "the factor is a lower triangle; else an upper one"};

using Matrix = std::vector<double>;  // column-major; float32 is computed in float64, as NumPy does

inline int64_t rows_of(const Shape& s) { return s[s.ndim() - 2]; }
inline int64_t columns_of(const Shape& s) { return s[s.ndim() - 1]; }

inline int64_t batch_of(const Shape& s) {
  int64_t count = 1;
  for (int i = 0; i < s.ndim() - 2; ++i) count *= s[i];
  return count;
}

// The shape of `s` with its matrices replaced.
inline Shape stacked(const Shape& s, std::initializer_list<int64_t> matrix) {
  Shape out;
  for (int i = 0; i < s.ndim() - 2; ++i) out.push_back(s[i]);
  for (int64_t n : matrix) out.push_back(n);
  return out;
}

inline void expect_matrices(InferContext& c, size_t i, bool square) {
  const Shape& s = c.in_shapes[i];
  require(s.ndim() >= 2, c.op_name, ": given ", s, ", expected at least two dimensions");
  require(!square || rows_of(s) == columns_of(s), c.op_name, ": given ", s,
          ", expected square matrices in the last two dimensions");
}

// Matrix `at` of a stack, column by column.
inline Matrix load(const TensorView& v, int64_t at) {
  const int64_t m = rows_of(v.shape), n = columns_of(v.shape);
  Matrix made(static_cast<size_t>(m * n));
  dispatch(v.dtype, "linalg", [&](auto zero) {
    const auto* from = v.as<decltype(zero)>() + at * m * n;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        made[static_cast<size_t>(j * m + i)] = static_cast<double>(from[i * n + j]);
      }
    }
  });
  return made;
}

// The transpose of a square matrix, column by column.
inline Matrix load_turned(const TensorView& v, int64_t at) {
  const Matrix from = load(v, at);
  const int64_t n = rows_of(v.shape);
  Matrix made(from.size());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      made[static_cast<size_t>(i * n + j)] = from[static_cast<size_t>(j * n + i)];
    }
  }
  return made;
}

// Writes m x n numbers, given by their place, as matrix `at` of a stack.
template <class At>
void store(const TensorView& v, int64_t at, int64_t m, int64_t n, At&& value) {
  dispatch(v.dtype, "linalg", [&](auto zero) {
    using T = decltype(zero);
    T* to = v.as<T>() + at * m * n;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) to[i * n + j] = static_cast<T>(value(i, j));
    }
  });
}

inline void store_columns(const TensorView& v, int64_t at, int64_t m, int64_t n,
                          const Matrix& from) {
  store(v, at, m, n, [&](int64_t i, int64_t j) { return from[static_cast<size_t>(j * m + i)]; });
}

template <class Body>
void for_each_matrix(KernelContext& c, Body&& body) {
  const int64_t count = batch_of(c.in[0].shape);
  for (int64_t i = 0; i < count && !c.resources.cancelled(); ++i) body(i);
}

// Rows of a square matrix with n elements on its diagonal k.
inline int64_t side(int64_t n, int64_t k, const char* op) {
  require(k > -(INT64_C(1) << 31) && k < (INT64_C(1) << 31), op, ": given offset ", k,
          ", expected less than 2^31");
  return n < 0 ? -1 : n + (k < 0 ? -k : k);
}

inline double cubic_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
  const Shape& s = in[0];
  const double m = static_cast<double>(rows_of(s)), n = static_cast<double>(columns_of(s));
  return 10.0 * static_cast<double>(batch_of(s)) * m * n * std::min(m, n);
}

inline OpDef linalg_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::other;
  def.doc = doc;
  def.inputs = {{"A", "matrices in the last two dimensions"}};
  def.dtypes = kFloats;
  def.flops = cubic_flops;
  return def;
}

}  // namespace hybrid
