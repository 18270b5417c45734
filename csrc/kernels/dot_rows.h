// Dot rows: products of a few vectors with many rows (batch-1 layers), and many short rows weighted
// and added (gradients of few weights); each row is read once.
#pragma once
#include <cstdint>

namespace hybrid {

constexpr int64_t kFewVectors = 4;  // up to here dot_rows beats a matrix product

// dot: y[i * y_vector + j * y_row] = dot(x_i, w_j) for vectors i < m and rows j < n of length k;
// x_i at x + i * ldx, w_j at w + j * ldw. The order of additions depends on k only.
// add: y[j] = the sum over rows i < k of x[i * stride] * w[i * ldw + j] for j < n; in order for
// even and for odd rows.
struct DotRows {
  void (*f32)(int64_t m, int64_t n, int64_t k, const float* x, int64_t ldx, const float* w,
              int64_t ldw, float* y, int64_t y_vector, int64_t y_row);
  void (*f64)(int64_t m, int64_t n, int64_t k, const double* x, int64_t ldx, const double* w,
              int64_t ldw, double* y, int64_t y_vector, int64_t y_row);
  void (*add_f32)(int64_t n, int64_t k, const float* x, int64_t stride, const float* w, int64_t ldw,
                  float* y);
  void (*add_f64)(int64_t n, int64_t k, const double* x, int64_t stride, const double* w,
                  int64_t ldw, double* y);
};
const DotRows& dot_rows_table();

inline void dot_rows(int64_t m, int64_t n, int64_t k, const float* x, int64_t ldx, const float* w,
                     int64_t ldw, float* y, int64_t y_vector, int64_t y_row) {
  dot_rows_table().f32(m, n, k, x, ldx, w, ldw, y, y_vector, y_row);
}
inline void dot_rows(int64_t m, int64_t n, int64_t k, const double* x, int64_t ldx, const double* w,
                     int64_t ldw, double* y, int64_t y_vector, int64_t y_row) {
  dot_rows_table().f64(m, n, k, x, ldx, w, ldw, y, y_vector, y_row);
}

inline void add_rows(int64_t n, int64_t k, const float* x, int64_t stride, const float* w,
                     int64_t ldw, float* y) {
  dot_rows_table().add_f32(n, k, x, stride, w, ldw, y);
}
inline void add_rows(int64_t n, int64_t k, const double* x, int64_t stride, const double* w,
                     int64_t ldw, double* y) {
  dot_rows_table().add_f64(n, k, x, stride, w, ldw, y);
}

}  // namespace hybrid
