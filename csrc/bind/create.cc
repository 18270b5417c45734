#include "bind/create.h"

#include <pybind11/numpy.h>

#include <cstring>
#include <optional>
#include <thread>

#include "bind/invoke.h"
#include "bind/site.h"
#include "bind/taken_back.h"
#include "engine/engine.h"
#include "kernels/host_copy.h"
#include "launch/launch.h"

namespace hybrid {
namespace bind {

namespace {

// Copies up to this size hold the GIL: giving it away would cost more.
constexpr int64_t kSmallBytes = 1 << 16;

PyObject* one_element = nullptr;  // ndarray's subclass, set from Python

py::array as_numpy(py::handle source, const py::object& dtype) {
  static const py::handle make = py::object(py::module_::import("numpy").attr("array")).release();
  // copy=None or False would tie us to NumPy 1 or 2; one small copy more is cheap beside the rest.
  if (py::isinstance<py::array>(source)) {
    const py::array given = py::reinterpret_borrow<py::array>(source);
    const bool same = dtype.is_none() || given.dtype().is(dtype);
    if (same && (given.flags() & py::array::c_style) &&
        given.attr("dtype").attr("isnative").cast<bool>())
      return given;
  }
  return py::reinterpret_steal<py::array>(
      make(source, py::arg("dtype") = dtype, py::arg("order") = "C").release());
}

Shape shape_of_numpy(const py::array& array) {
  require(array.ndim() <= kMaxDims, "array: given ", array.ndim(), " dimensions, at most ",
          kMaxDims, " are supported");
  Shape shape;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
  return shape;
}

NDArray copy_in(const Shape& shape, DType dtype, Context ctx, const void* data) {
  NDArray result = NDArray::empty(shape, dtype, ctx);
  const int64_t bytes = result.nbytes();
  if (bytes == 0) return result;
  if (ctx.is_cpu()) {  // fresh memory: nobody else knows it
    const MaybeReleaseGil gil(bytes > kSmallBytes);
    std::memcpy(result.data(), data, static_cast<size_t>(bytes));
    result.storage->var.version.fetch_add(1, std::memory_order_relaxed);
  } else {
    const PushScope push(true);
    copy_from_host(result, data, static_cast<size_t>(bytes));
  }
  return result;
}

ArrayRef plain(NDArray array) { return {std::move(array), Ref<ArrayExtra>()}; }

NDArray moved_to(const NDArray& array, Context ctx) {
  const NDArray result = NDArray::empty(array.shape, array.dtype, ctx);
  const PushScope push(array.nbytes() > kSmallBytes);
  copy_array(array, result);
  return result;
}

}  // namespace

void wait_ready(const NDArray& value, bool for_values) {
  drain_released();
  if (!ready_to_read(*value.storage)) {
    mark_site();
    const MaybeReleaseGil gil(true);
    Storage* const storage = value.storage.get();
    for_values ? engine::wait_to_read(storage) : engine::wait_until_over(storage);
  }
  forget_done();
}

NDArray array_from_numpy(const py::object& object, Context ctx) {
  const py::array array = as_numpy(object, py::none());
  const DType dtype = dtype_from_python(array.dtype());
  return copy_in(shape_of_numpy(array), dtype, ctx, array.data());
}

namespace {

// May its memory be an array's of ours?
bool is_shareable(const py::array& array) {
  if (!array.writeable() || !(array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_))
    return false;
  for (int i = 0; array.size() > 0 && i < array.ndim(); ++i) {
    if (array.strides(i) % array.itemsize() != 0) return false;
  }
  return true;
}

}  // namespace

NDArray shared_or_copied(const py::object& object, Context ctx) {
  const bool shares = is_shareable(py::reinterpret_borrow<py::array>(object));
  return shares ? share_numpy(object) : array_from_numpy(object, ctx);
}

// The window of a strided ndarray: its strides in elements, its storage from its lowest address on.
NDArray share_numpy(const py::object& object) {
  if (!py::isinstance<py::array>(object)) {
    throw py::type_error("from_numpy: expected a numpy.ndarray, got " +
                         std::string(Py_TYPE(object.ptr())->tp_name));
  }
  py::array array = py::reinterpret_borrow<py::array>(object);
  NDArray result;
  result.dtype = dtype_from_python(array.dtype());
  result.shape = shape_of_numpy(array);
  result.strides = contiguous_strides(result.shape);
  const int64_t item = static_cast<int64_t>(dtype_size(result.dtype));
  int64_t lowest = 0, highest = 0;  // in elements, from element 0
  const bool whole = is_shareable(array);
  for (int i = 0; whole && result.shape.size() > 0 && i < result.shape.ndim(); ++i) {
    const int64_t bytes = array.strides(i), steps = result.shape[i] - 1;
    if (steps == 0) continue;
    result.strides[i] = bytes / item;
    (bytes < 0 ? lowest : highest) += bytes / item * steps;
  }
  require(whole, "from_numpy(copy=False): given ", dtype_name(result.dtype), " of shape ",
          result.shape,
          array.writeable() ? ", whose elements are not aligned" : ", which is read-only",
          ": use copy=True");
  result.offset = -lowest;
  const int64_t bytes = result.shape.size() == 0 ? 0 : (highest - lowest + 1) * item;
  PyObject* owner = array.ptr();
  result.storage = wrap_external(static_cast<char*>(array.mutable_data()) + lowest * item,
                                 static_cast<size_t>(bytes), &release_later, owner);
  Py_INCREF(owner);
  return result;
}

NDArray array_from_python(py::handle source, Context ctx, DType dtype) {
  if (is_array(source.ptr())) {
    const NDArray value = value_of(source, "array");
    if (dtype == DType::unknown || dtype == value.dtype) return moved_to(value, ctx);
    const ModeScope eager(kEager);
    return moved_to(cast(plain(value), dtype).array, ctx);
  }
  const DType wanted = dtype == DType::unknown ? DType::float32 : dtype;
  if (wanted == DType::bfloat16) {
    const ModeScope eager(kEager);
    return cast(plain(array_from_python(source, ctx, DType::float32)), wanted).array;
  }
  const py::array array = as_numpy(source, numpy_dtype(wanted));
  return copy_in(shape_of_numpy(array), wanted, ctx, array.data());
}

py::object to_numpy(const NDArray& value) {
  if (value.dtype == DType::bfloat16) {  // NumPy has none; float32 holds each of its numbers
    const ModeScope eager(kEager);
    return to_numpy(cast(plain(value), DType::float32).array);
  }
  py::array result(py::reinterpret_steal<py::dtype>(numpy_dtype(value.dtype).release()),
                   value.shape.to_vector());
  const int64_t bytes = value.nbytes();
  if (bytes == 0) {
    wait_ready(value);
    return result;
  }
  void* to = result.mutable_data();
  wait_ready(value);
  const MaybeReleaseGil gil(bytes > kSmallBytes || !value.storage->ctx.is_cpu());
  if (value.storage->ctx.is_cpu() && value.contiguous()) {
    std::memcpy(to, value.data(), static_cast<size_t>(bytes));
  } else {
    copy_to_host(value, to, static_cast<size_t>(bytes));
  }
  return result;
}

py::object to_numpy_number(const NDArray& value) {
  py::object made = to_numpy(value);
  if (one_element == nullptr || value.shape.ndim() == 0 || value.shape.size() != 1) return made;
  return made.attr("view")(py::handle(one_element));
}

namespace {

// Does only this object see the memory? Its own node, seen by nobody else, may hold it too; when
// the graph is `settled`, nothing in it will be computed any more, and others may see the node.
bool owned_alone(const PyArray* a, bool settled) {
  const NDArray& value = a->ref.array;
  int holders = 1;
  if (a->ref.extra && a->ref.extra->entry.node) {
    const SymNodeRef& node = a->ref.extra->entry.node;
    if (node.use_count() > 1 && !settled) return false;
    for (const NDArray& held : node->values) holders += held.storage == value.storage;
  }
  return value.storage->ref_count() <= holders && value.storage->release_external == nullptr;
}

constexpr int64_t kSpinBytes = 1 << 16;

// The value's own memory where nobody else sees it, which `alone` tells, else a copy.
template <typename Alone>
py::object real_ndarray(const NDArray& value, const Alone& alone) {
  wait_ready(value);
  if (value.nbytes() >= kSpinBytes) {  // whoever computed it lets go of it a moment later
    const MaybeReleaseGil gil(true);
    for (int i = 0; i < 32 && !alone(); ++i) std::this_thread::yield();
  }
  const bool fits = value.storage->ctx.is_cpu() && value.contiguous() && value.nbytes() > 0;
  return fits && alone() ? owned_ndarray(value) : to_numpy(value);
}

py::object as_ndarray(const py::object& array, bool settled) {
  const NDArray& value = value_of(array, "as_numpy");
  return real_ndarray(value, [&] { return owned_alone(as_array(array.ptr()), settled); });
}

}  // namespace

py::object taken_ndarray(const NDArray& value) {
  const Storage& storage = *value.storage;
  return real_ndarray(
      value, [&] { return storage.ref_count() <= 1 && storage.release_external == nullptr; });
}

py::object to_scalar(const NDArray& value) {
  if (value.shape.size() != 1) {
    throw py::value_error("the array has shape " + value.shape.str() +
                          ", expected one element to make it a number");
  }
  wait_ready(value);
  union {
    char bytes[16];
    float f32;
    double f64;
    uint8_t u8;
    int8_t i8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
  } element{};
  if (value.storage->ctx.is_cpu()) {
    std::memcpy(element.bytes, value.data(), dtype_size(value.dtype));
  } else {
    const MaybeReleaseGil gil(true);
    copy_to_host(value, element.bytes, dtype_size(value.dtype));
  }
  switch (value.dtype) {
    case DType::float32:
      return py::float_(element.f32);
    case DType::float64:
      return py::float_(element.f64);
    case DType::uint8:
      return py::int_(element.u8);
    case DType::int8:
      return py::int_(element.i8);
    case DType::int16:
      return py::int_(element.i16);
    case DType::uint16:
      return py::int_(element.u16);
    case DType::int32:
      return py::int_(element.i32);
    case DType::uint32:
      return py::int_(element.u32);
    case DType::int64:
      return py::int_(element.i64);
    case DType::uint64:
      return py::int_(element.u64);
    case DType::boolean:
      return py::bool_(element.u8 != 0);
    default:
      return to_numpy(value).attr("item")();
  }
}

ArrayRef cast(const ArrayRef& ref, DType dtype) {
  if (dtype_of(ref) == dtype) return ref;
  Attrs attrs(get_op("cast"));
  attrs.set("dtype", static_cast<int64_t>(dtype));
  return call_one(*attrs.op(), attrs, {ref});
}

ArrayRef as_value(py::handle given, DType dtype, Context ctx) {
  if (is_array(given.ptr())) return cast(ref_of(given, "assignment"), dtype);
  if (PyUnicode_Check(given.ptr()) || given.is_none()) {
    throw py::type_error(std::string("assignment: expected an array or a number, got ") +
                         Py_TYPE(given.ptr())->tp_name);
  }
  if (dtype == DType::bfloat16) return cast(as_value(given, DType::float32, ctx), dtype);
  const py::array array = as_numpy(given, numpy_dtype(dtype));
  return plain(copy_in(shape_of_numpy(array), dtype, ctx, array.data()));
}

void bind_create(py::module_& m) {
  m.def(
      "set_one_element", [](py::object type) { one_element = type.release().ptr(); },
      py::arg("type"), "The subclass of ndarray that asnumpy() makes of arrays of one element.");
  m.def(
      "array",
      [](const py::object& obj, const py::object& ctx, const py::object& dtype) {
        return wrap(array_from_python(obj, context_from_python(ctx),
                                      dtype.is_none() ? DType::unknown : dtype_from_python(dtype)));
      },
      py::arg("source_array"), py::arg("ctx") = py::none(), py::arg("dtype") = py::none(),
      "A copy of anything array-like; float32 unless dtype is given or it is an NDArray. A number "
      "gives an array of shape (1,).");
  m.def(
      "from_numpy",
      [](const py::object& ndarray, std::optional<bool> copy, const py::object& ctx) {
        const Context context = context_from_python(ctx);
        if (!copy) return wrap(shared_or_copied(ndarray, context));
        return wrap(*copy ? array_from_numpy(ndarray, context) : share_numpy(ndarray));
      },
      py::arg("ndarray"), py::arg("copy") = true, py::arg("ctx") = py::none(),
      "A NumPy array with its own dtype. copy=False shares its memory and strides, and keeps it "
      "alive; None: where that can be done.");
  m.def(
      "shares_numpy",
      [](const py::object& array) {
        if (!is_array(array.ptr())) throw py::type_error("shares_numpy: expected an NDArray");
        PyArray* a = as_array(array.ptr());
        const NDArray& value = is_traced(a) ? value_of(a) : a->ref.array;
        return value.storage->release_external != nullptr;
      },
      py::arg("array"), "True when the memory is an ndarray's, which others may overwrite.");
  m.def(
      "numpy_owner",
      [](const py::object& array) -> py::object {
        const NDArray& value = peek_ref(array.ptr()).array;
        if (!value.defined() || value.storage->release_external != &release_later) {
          return py::none();
        }
        return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(value.storage->owner));
      },
      py::arg("array"), "The ndarray whose memory an NDArray reads, or None.");
  m.def(
      "numpy_window",
      [](const py::object& array) -> py::object {
        const NDArray& value = value_of(array, "numpy_window");
        require(value.storage->ctx.is_cpu(), "numpy_window: the array is on ",
                value.storage->ctx.str(), ", expected one on the CPU");
        wait_ready(value);
        const py::capsule owner(new StorageRef(value.storage),
                                [](void* held) { delete static_cast<StorageRef*>(held); });
        std::vector<int64_t> strides = value.strides.to_vector();
        for (int64_t& s : strides) s *= static_cast<int64_t>(dtype_size(value.dtype));
        return py::array(py::reinterpret_steal<py::dtype>(numpy_dtype(value.dtype).release()),
                         value.shape.to_vector(), strides, value.data(), owner);
      },
      py::arg("array"), "An ndarray on an NDArray's memory, when what waits for it has run.");
  m.def("as_numpy", &as_ndarray, py::arg("array"), py::arg("settled") = false,
        "A writable ndarray: the array's own memory where nobody else sees it, else a copy. "
        "settled: nothing recorded that reads it is left to be computed.");
  m.def(
      "empty",
      [](const py::object& shape, const py::object& ctx, const py::object& dtype,
         const py::object& stype) {
        require(stype.is_none() || py::str(stype).cast<std::string>() == "default",
                "empty: only dense arrays are supported; given another stype than 'default'");
        return wrap(NDArray::empty(shape_from_python(shape, "empty"), dtype_from_python(dtype),
                                   context_from_python(ctx)));
      },
      py::arg("shape"), py::arg("ctx") = py::none(), py::arg("dtype") = py::none(),
      py::arg("stype") = py::none(), "An array whose elements are not set.");
}

}  // namespace bind
}  // namespace hybrid
