// x[...] and x[...] = v for integers, slices, None and Ellipsis; arrays as keys go to Python.
#include <cstring>

#include "bind/basic_index.h"
#include "bind/create.h"
#include "bind/invoke.h"
#include "launch/run_op.h"
#include "launch/thread_state.h"
#include "tape/tape.h"

namespace hybrid {
namespace bind {

namespace {

constexpr int64_t kLongElements = 4096;  // a copy of more may take longer than giving the GIL away

bool recorded(const ArrayRef& ref) {
  return (thread_state().mode & kRecording) && has_history(ref);
}

Attrs slice_attrs(const char* op, const BasicIndex& index) {
  Attrs attrs(get_op(op));
  attrs.set("begin", index.begin);
  attrs.set("end", index.end);
  attrs.set("step", index.step);
  return attrs;
}

ArrayRef reshaped(const ArrayRef& ref, const Shape& shape) {
  return shape_of(ref) == shape ? ref : call_reshape(ref, shape);
}

Shape lengths(const BasicIndex& index) { return Shape(index.length); }

ArrayRef slice_by_operator(const ArrayRef& ref, const BasicIndex& index) {
  ArrayRef part = ref;
  const bool all = lengths(index) == shape_of(ref) && index.whole;
  if (!all) {
    const Attrs attrs = slice_attrs("slice", index);
    const FlagScope windows(&thread_state().windows, index.in_a_row());
    part = call_one(*attrs.op(), attrs, {ref});
  }
  const FlagScope windows(&thread_state().windows, true);
  // x[0:n] is an array of its own on x's memory: it has not x's gradient.
  return all ? call_reshape(part, index.shape) : reshaped(part, index.shape);
}

py::object advanced() { return py::module_::import("jupyter_hybrid.nd._indexing"); }

NDArray copied(const NDArray& array) {
  NDArray copy = NDArray::empty(array.shape, array.dtype, array.ctx());
  copy_array(array, copy);
  return copy;
}

// x[:] and x[()] are x itself, as in MXNet.
bool is_same(PyObject* key) {
  if (PyTuple_Check(key)) return PyTuple_GET_SIZE(key) == 0;
  return is_whole(key);
}

PyObject* subscript(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    if (is_same(key)) return Py_NewRef(self);
    const ArrayRef& ref = ref_of(py::handle(self), "index");
    BasicIndex index;
    if (!parse_index(key, shape_of(ref), &index)) {
      return advanced().attr("getitem")(py::handle(self), py::handle(key)).release().ptr();
    }
    if (is_traced(as_array(self)) || tracing() || recorded(ref)) {
      return wrap_ref(slice_by_operator(ref, index));
    }
    const NDArray part = window(ref.array, index);
    if (index.in_a_row()) return wrap_array(NDArray(part));
    const PushScope push(part.shape.size() > kLongElements);
    return wrap_array(copied(part));
  });
}

// `value` with strides 0 where it repeats, for copying into `shape`. Throws Error.
NDArray repeated(const NDArray& value, const Shape& shape) {
  NDArray result = value;
  // Leading sizes of 1 beyond the target's rank do not matter: x[0] = ones((1, 3)).
  int skip = 0;
  while (value.shape.ndim() - skip > shape.ndim() && value.shape[skip] == 1) ++skip;
  const int rank = value.shape.ndim() - skip;
  bool fits = rank <= shape.ndim();
  result.shape = shape;
  result.strides = Shape::of_rank(shape.ndim(), 0);
  for (int i = 0; fits && i < rank; ++i) {
    const int to = shape.ndim() - rank + i;
    const int64_t size = value.shape[skip + i];
    fits = size == shape[to] || size == 1;
    if (size != 1) result.strides[to] = value.strides[skip + i];
  }
  require(fits, "setitem: cannot write an array of shape ", value.shape, " into a part of shape ",
          shape);
  return result;
}

void write_now(const NDArray& target, NDArray value) {
  if (value.storage == target.storage) value = copied(value);
  if (value.ctx() != target.ctx()) {
    // What goes where it stays needs no memory on the way, nor a kernel that lays it out.
    if (value.shape == target.shape && target.contiguous()) return copy_array(value, target);
    const NDArray here = NDArray::empty(value.shape, value.dtype, target.ctx());
    copy_array(value, here);
    value = here;
  }
  const NDArray spread = repeated(value, target.shape);  // refuses what doesn't fit
  if (target.shape.size() > 0) copy_array(spread, target);
}

// Recorded and traced writes: the whole array as a new value.
ArrayRef write_by_operator(const ArrayRef& target, const BasicIndex& index, const ArrayRef& value) {
  Attrs spread(get_op("broadcast_to"));
  spread.set("shape", index.shape.to_vector());
  ArrayRef part = value;
  if (shape_of(part).ndim() > index.shape.ndim()) {
    std::vector<int64_t> dims = shape_of(part).to_vector();
    while (dims.size() > static_cast<size_t>(index.shape.ndim()) && dims[0] == 1)
      dims.erase(dims.begin());
    part = reshaped(part, Shape(dims));
  }
  if (shape_of(part) != index.shape) part = call_one(*spread.op(), spread, {part});
  if (lengths(index) == shape_of(target) && index.whole) return reshaped(part, shape_of(target));
  part = reshaped(part, lengths(index));
  const Attrs attrs = slice_attrs("slice_assign", index);
  return call_one(*attrs.op(), attrs, {target, part});
}

// May the value that is written whole change with another array later? Not when it is the result
// of an operator that nothing else holds.
bool may_change_later(py::handle given, const ArrayRef& value) {
  if (!is_array(given.ptr())) return false;
  if (Py_REFCNT(given.ptr()) > 1 || !value.extra) return true;
  const SymNode* node = value.extra->entry.node.get();
  return node == nullptr || node->op == nullptr || node->op->view || !node->values.empty();
}

void set_basic(PyArray* target, const BasicIndex& index, py::handle given) {
  const Write how = before_write(target, "setitem");
  const bool as_node = how != Write::now;
  const ModeScope mode(tracing() && !as_node ? static_cast<uint32_t>(kEager) : thread_state().mode);
  const ArrayRef ref = target->ref;
  // Python's and NumPy's values are the host's: write_now() brings them to the target.
  const Context home = as_node ? context_of(ref) : Context();
  const ArrayRef value = as_value(given, dtype_of(ref), home);
  if (as_node) {
    ArrayRef written = write_by_operator(ref, index, moved_to(context_of(ref), value));
    if (index.whole && may_change_later(given, value)) {
      const Attrs copy(get_op("identity"));
      written = call_one(*copy.op(), copy, {written});
    }
    store_result(target, std::move(written), how);
    return;
  }
  require(
      !recorded(ref),
      "setitem: cannot write into an array that is part of a recorded graph: Inplace operations "
      "(+=, -=, x[:]=, etc) are not supported when recording with autograd; "
      "inside autograd.record() make a new array instead");
  if (!recorded(value)) {
    const NDArray source = concrete(value);
    const PushScope push(index.shape.size() > kLongElements);
    write_now(window(ref.array, index), source);
    return;
  }
  ArrayRef result = write_by_operator(ref, index, moved_to(context_of(ref), value));
  copy_array(result.array, ref.array);
  result.array = ref.array;
  target->ref.extra = result.extra;
}

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  return guarded_int([&] {
    if (value == nullptr) throw py::type_error("NDArray elements can't be deleted");
    const ArrayRef& ref = ref_of(py::handle(self), "setitem");
    BasicIndex index;
    if (parse_index(key, shape_of(ref), &index)) {
      set_basic(as_array(self), index, py::handle(value));
    } else {
      advanced().attr("setitem")(py::handle(self), py::handle(key), py::handle(value));
    }
    return 0;
  });
}

Py_ssize_t length(PyObject* self) {
  return guarded_int([&]() -> Py_ssize_t {
    const Shape& shape = shape_of(peek_ref(self));
    if (shape.ndim() == 0) throw py::type_error("len() of unsized object");
    return shape[0];
  });
}

PyObject* item_at(PyObject* self, Py_ssize_t i) {
  const py::object index = py::int_(i);
  return subscript(self, index.ptr());
}

}  // namespace

void assign(PyArray* target, py::handle source) {
  BasicIndex index;
  parse_index(Py_Ellipsis, shape_of(target->ref), &index);
  set_basic(target, index, source);
}

void add_index_slots(Slots* slots) {
  const auto slot = [&](int id, auto* function) {
    slots->push_back({id, reinterpret_cast<void*>(function)});
  };
  slot(Py_mp_subscript, &subscript);
  slot(Py_mp_ass_subscript, &assign_subscript);
  slot(Py_mp_length, &length);
  slot(Py_sq_length, &length);
  slot(Py_sq_item, &item_at);  // makes `for row in x` work: IndexError ends it
}

}  // namespace bind
}  // namespace hybrid
