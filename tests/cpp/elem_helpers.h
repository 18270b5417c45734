// Building elementwise programs and views for tests, and a plain reference interpreter of them.
#pragma once
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/error.h"
#include "kernels/elementwise.h"

namespace hybrid::testing {

inline ElemOperand in(int i) { return {ElemOperand::input, static_cast<int16_t>(i)}; }
inline ElemOperand temp(int i) { return {ElemOperand::temp, static_cast<int16_t>(i)}; }
inline ElemOperand imm() { return {ElemOperand::immediate, 0}; }

inline ElemInstr instr(ElemCode code, DType dtype, ElemOperand a, ElemOperand b = {},
                       double number = 0) {
  ElemInstr q;
  q.code = code;
  q.dtype = q.out_dtype = dtype;
  const bool test = code == ElemCode::logical_not || code == ElemCode::isnan ||
                    code == ElemCode::isinf || code == ElemCode::isfinite ||
                    (code >= ElemCode::equal && code <= ElemCode::logical_xor);
  if (test) q.out_dtype = DType::boolean;
  q.a = a;
  q.b = b;
  q.imm = number;
  q.imm_int = static_cast<int64_t>(number);
  return q;
}

template <class T>
constexpr DType dtype_of() {
  return std::is_same_v<T, float>                  ? DType::float32
         : std::is_same_v<T, double>               ? DType::float64
         : std::is_same_v<T, int32_t>              ? DType::int32
         : std::is_same_v<T, int64_t>              ? DType::int64
         : std::is_same_v<T, bool>                 ? DType::boolean
         : std::is_same_v<T, int8_t>               ? DType::int8
         : std::is_same_v<T, int16_t>              ? DType::int16
         : std::is_same_v<T, uint16_t>             ? DType::uint16
         : std::is_same_v<T, uint32_t>             ? DType::uint32
         : std::is_same_v<T, uint64_t>             ? DType::uint64
         : std::is_same_v<T, std::complex<float>>  ? DType::complex64
         : std::is_same_v<T, std::complex<double>> ? DType::complex128
                                                   : DType::uint8;
}

template <class T>
TensorView view(std::vector<T>& v) {
  const Shape shape{static_cast<int64_t>(v.size())};
  return {v.data(), dtype_of<T>(), shape, contiguous_strides(shape)};
}
template <class T>
TensorView view(T* data, const Shape& shape, const Shape& strides) {
  return {data, dtype_of<T>(), shape, strides};
}

// One instruction on contiguous arrays.
template <class R, class T>
std::vector<R> apply(ElemCode code, std::vector<T> a, std::vector<T> b = {}) {
  ElemProgram p;
  p.inputs = {dtype_of<T>()};
  if (!b.empty()) p.inputs.push_back(dtype_of<T>());
  p.instrs = {instr(code, dtype_of<T>(), in(0), b.empty() ? ElemOperand{} : in(1))};
  p.outputs = {0};
  // Written as bytes: vector<bool> is packed, so tests ask for uint8_t where the result is bool.
  std::vector<R> out(a.size());
  TensorView inputs[2] = {view(a), b.empty() ? TensorView{} : view(b)};
  TensorView output = view(out);
  output.dtype = p.instrs[0].out_dtype;
  run_elementwise(p, inputs, &output, Resources::current());
  return out;
}

// Distance in units of the last place of the type; 0 for two NaNs, huge for one.
template <class T>
double ulp_distance(T got, long double expected) {
  const T rounded = static_cast<T>(expected);
  if (std::isnan(got) || std::isnan(rounded))
    return std::isnan(got) && std::isnan(rounded) ? 0 : 1e30;
  if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : 1e30;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  const int least = std::numeric_limits<T>::min_exponent;
  const long double ulp =
      std::ldexp(1.0L, std::max(exponent, least) - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - expected) / ulp);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

struct NumThreads {  // restores the size of the pool
  int before = num_threads();
  explicit NumThreads(int n) { set_num_threads(n); }
  ~NumThreads() { set_num_threads(before); }
};

}  // namespace hybrid::testing
