// a + b on small arrays: no Attrs, no vectors, no task; compiled loops on pooled memory.
#include "bind/invoke.h"
#include "bind/site.h"
#include "engine/engine.h"
#include "engine/trace.h"
#include "launch/launch.h"

namespace hybrid {
namespace bind {

namespace {

constexpr int64_t kMaxElements = 1024;
constexpr int kNumCodes = 4;  // add, sub, mul, div

int code_index(ElemCode code) {
  switch (code) {
    case ElemCode::add:
      return 0;
    case ElemCode::sub:
      return 1;
    case ElemCode::mul:
      return 2;
    case ElemCode::div:
      return 3;
    default:
      return -1;
  }
}

uint32_t trace_name(int index, bool scalar, bool first) {
  static const uint32_t names[3][kNumCodes] = {
      {trace::intern_name("add"), trace::intern_name("sub"), trace::intern_name("mul"),
       trace::intern_name("div")},
      {trace::intern_name("add_scalar"), trace::intern_name("sub_scalar"),
       trace::intern_name("mul_scalar"), trace::intern_name("div_scalar")},
      {trace::intern_name("add_scalar"), trace::intern_name("rsub_scalar"),
       trace::intern_name("mul_scalar"), trace::intern_name("rdiv_scalar")}};
  return names[scalar ? (first ? 2 : 1) : 0][index];
}

template <class T, class A, class B>
void loop(int index, int64_t n, A a, B b, T* out) {
  switch (index) {
    case 0:
      for (int64_t i = 0; i < n; ++i) out[i] = a(i) + b(i);
      break;
    case 1:
      for (int64_t i = 0; i < n; ++i) out[i] = a(i) - b(i);
      break;
    case 2:
      for (int64_t i = 0; i < n; ++i) out[i] = a(i) * b(i);
      break;
    default:
      for (int64_t i = 0; i < n; ++i) out[i] = a(i) / b(i);
  }
}

template <class T>
void arrays(int index, int64_t n, const NDArray& a, const NDArray& b, void* out) {
  const T* x = reinterpret_cast<const T*>(a.data());
  const T* y = reinterpret_cast<const T*>(b.data());
  loop(
      index, n, [x](int64_t i) { return x[i]; }, [y](int64_t i) { return y[i]; },
      static_cast<T*>(out));
}

template <class T>
void with_number(int index, int64_t n, const NDArray& a, double number, bool first, void* out) {
  const T* x = reinterpret_cast<const T*>(a.data());
  const T y = static_cast<T>(number);
  const auto element = [x](int64_t i) { return x[i]; };
  const auto constant = [y](int64_t) { return y; };
  if (first) {
    loop(index, n, constant, element, static_cast<T*>(out));
  } else {
    loop(index, n, element, constant, static_cast<T*>(out));
  }
}

// Element count when `a` qualifies (small, laid out in rows, ready, on the CPU), else -1.
inline int64_t qualifying_size(const NDArray& a) {
  if (!a.defined() || !a.storage->ctx.is_cpu() || !ready_to_read(*a.storage)) return -1;
  int64_t n = 1;
  for (int i = a.shape.ndim() - 1; i >= 0; --i) {
    if (a.strides[i] != n) return -1;
    n *= a.shape[i];
    if (n > kMaxElements) return -1;
  }
  return n;
}

// Rank and sizes; padding of `strides` is not looked at.
inline bool same_shape(const Shape& a, const Shape& b) {
  if (a.ndim() != b.ndim()) return false;
  for (int i = 0; i < a.ndim(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

template <class Compute>
PyObject* run(const NDArray& like, int64_t n, uint32_t name, Compute&& compute) {
  engine::Props props;
  props.ctx = like.storage->ctx;
  props.cost_ns = 20 + static_cast<double>(n);
  if (!engine::may_inline(props.cost_ns, props.ctx)) return nullptr;
  const uint64_t start = trace::ticks();
  StorageRef storage =
      allocate(static_cast<size_t>(n) * (like.dtype == DType::float32 ? 4 : 8), props.ctx);
  compute(storage->data);
  bump_version(*storage);
  props.name = name;
  const uint64_t end = trace::ticks();
  props.site = line_of_run(name, end);
  engine::note_inline(props, start, end);
  return wrap_parts(std::move(storage), like.shape, like.strides, like.dtype);
}

// The number that a scalar form takes, or false: it is none that is taken here.
bool plain_number(PyObject* number, double* value) {
  if (PyFloat_CheckExact(number)) {
    *value = PyFloat_AS_DOUBLE(number);
    return true;
  }
  if (!PyLong_CheckExact(number)) return false;
  *value = PyLong_AsDouble(number);
  if (*value != -1.0 || !PyErr_Occurred()) return true;
  PyErr_Clear();
  return false;
}

}  // namespace

PyObject* fast_binary(ElemCode code, const PyArray* pa, const PyArray* pb) {
  const NDArray &a = pa->ref.array, &b = pb->ref.array;
  const int index = code_index(code);
  if (index < 0 || a.dtype != b.dtype) return nullptr;
  if (a.dtype != DType::float32 && a.dtype != DType::float64) return nullptr;
  const int64_t n = qualifying_size(a);
  if (n <= 0 || !same_shape(a.shape, b.shape) || qualifying_size(b) != n) return nullptr;
  if (a.storage->ctx != b.storage->ctx) return nullptr;
  return run(a, n, trace_name(index, false, false), [&](void* out) {
    if (a.dtype == DType::float32) {
      arrays<float>(index, n, a, b, out);
    } else {
      arrays<double>(index, n, a, b, out);
    }
  });
}

PyObject* fast_scalar(ElemCode code, const PyArray* pa, PyObject* number, bool number_first) {
  const NDArray& a = pa->ref.array;
  const int index = code_index(code);
  if (index < 0 || (a.dtype != DType::float32 && a.dtype != DType::float64)) return nullptr;
  double value;
  if (!plain_number(number, &value)) return nullptr;
  const int64_t n = qualifying_size(a);
  if (n <= 0) return nullptr;
  return run(a, n, trace_name(index, true, number_first), [&](void* out) {
    if (a.dtype == DType::float32) {
      with_number<float>(index, n, a, value, number_first, out);
    } else {
      with_number<double>(index, n, a, value, number_first, out);
    }
  });
}

bool fast_in_place(ElemCode code, const PyArray* target, PyObject* other) {
  const NDArray& a = target->ref.array;
  const int index = code_index(code);
  if (index < 0 || (a.dtype != DType::float32 && a.dtype != DType::float64)) return false;
  const int64_t n = qualifying_size(a);
  if (n <= 0 || !ready_to_write(*a.storage)) return false;
  const bool scalar = !is_exact_array(other);
  const NDArray* b = nullptr;
  double value = 0;
  if (scalar) {
    if (!plain_number(other, &value)) return false;
  } else {
    b = &as_array(other)->ref.array;
    if (b->dtype != a.dtype || !same_shape(a.shape, b->shape) || qualifying_size(*b) != n) {
      return false;
    }
    const bool overlap = b->storage == a.storage && b->offset != a.offset;
    if (overlap || b->storage->ctx != a.storage->ctx) return false;
  }
  engine::Props props;
  props.ctx = a.storage->ctx;
  props.cost_ns = 20 + static_cast<double>(n);
  if (!engine::may_inline(props.cost_ns, props.ctx)) return false;
  before_overwrite(a);
  if (!ready_to_write(*a.storage) || !ready_to_read(*a.storage)) return false;
  const uint64_t start = trace::ticks();
  if (a.dtype == DType::float32) {
    scalar ? with_number<float>(index, n, a, value, false, a.data())
           : arrays<float>(index, n, a, *b, a.data());
  } else {
    scalar ? with_number<double>(index, n, a, value, false, a.data())
           : arrays<double>(index, n, a, *b, a.data());
  }
  bump_version(*a.storage);
  props.name = trace_name(index, scalar, false);
  const uint64_t end = trace::ticks();
  props.site = line_of_run(props.name, end);
  engine::note_inline(props, start, end);
  return true;
}

}  // namespace bind
}  // namespace hybrid
