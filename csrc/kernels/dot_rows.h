// Dot rows: products of a few vectors with many rows, each row read once (batch-1 layers).
#pragma once
#include <cstdint>

namespace hybrid {

constexpr int64_t kFewVectors = 4;  // up to here dot_rows beats a matrix product

// y[i * y_vector + j * y_row] = dot(x_i, w_j) for vectors i < m and rows j < n of length k;
// x_i at x + i * ldx, w_j at w + j * ldw. The order of additions depends on k only.
struct DotRows {
  void (*f32)(int64_t m, int64_t n, int64_t k, const float* x, int64_t ldx, const float* w,
              int64_t ldw, float* y, int64_t y_vector, int64_t y_row);
  void (*f64)(int64_t m, int64_t n, int64_t k, const double* x, int64_t ldx, const double* w,
              int64_t ldw, double* y, int64_t y_vector, int64_t y_row);
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

}  // namespace hybrid
