#include "bind/basic_index.h"

#include "ops/attrs.h"

namespace hybrid {
namespace bind {

namespace {

bool is_basic(PyObject* item) {
  return PySlice_Check(item) || item == Py_None || item == Py_Ellipsis ||
         (PyLong_Check(item) && !PyBool_Check(item)) ||
         (PyIndex_Check(item) && !PySequence_Check(item) && !PyBool_Check(item));
}

void add_axis(BasicIndex* index, int64_t begin, int64_t end, int64_t step, int64_t length) {
  index->begin.push_back(begin);
  index->end.push_back(end);
  index->step.push_back(step);
  index->length.push_back(length);
}

void add_full(BasicIndex* index, int64_t size) {
  index->kept.push_back(static_cast<int>(index->begin.size()));
  add_axis(index, 0, size, 1, size);
}

void add_slice(BasicIndex* index, PyObject* slice, int64_t size) {
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) throw py::error_already_set();
  const Py_ssize_t length = PySlice_AdjustIndices(size, &start, &stop, step);
  index->kept.push_back(static_cast<int>(index->begin.size()));
  index->whole = index->whole && length == size && step == 1;
  // An empty slice as [start, start): what runs downward past element 0 has no end.
  if (length == 0) stop = start = std::min<Py_ssize_t>(start < 0 ? 0 : start, size);
  if (length == 0) step = 1;
  add_axis(index, start, stop < 0 ? kNoneInt : stop, step, length);
}

void add_integer(BasicIndex* index, PyObject* item, int64_t size, int axis) {
  const Py_ssize_t given = PyNumber_AsSsize_t(item, PyExc_IndexError);
  if (given == -1 && PyErr_Occurred()) throw py::error_already_set();
  const int64_t at = given < 0 ? given + size : given;
  if (at < 0 || at >= size) {
    throw py::index_error("index " + std::to_string(given) + " is out of bounds for axis " +
                          std::to_string(axis) + " with size " + std::to_string(size));
  }
  index->whole = false;
  add_axis(index, at, at + 1, 1, 1);
}

}  // namespace

bool is_whole(PyObject* key) {
  if (!PySlice_Check(key)) return false;
  const auto* slice = reinterpret_cast<PySliceObject*>(key);
  return slice->start == Py_None && slice->stop == Py_None && slice->step == Py_None;
}

bool parse_index(PyObject* key, const Shape& shape, BasicIndex* index) {
  PyObject* const* items = &key;
  Py_ssize_t count = 1;
  if (PyTuple_Check(key)) {
    items = &PyTuple_GET_ITEM(key, 0);
    count = PyTuple_GET_SIZE(key);
  } else if (shape.ndim() == 0 && is_whole(key)) {
    count = 0;  // x[:] = y writes a scalar too, unlike NumPy's: optimizers write so
  }
  int axes = 0, ellipses = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_basic(items[i])) return false;
    if (items[i] == Py_Ellipsis) {
      ++ellipses;
    } else if (items[i] != Py_None) {
      ++axes;
    }
  }
  if (ellipses > 1) throw py::index_error("an index can only have a single ellipsis ('...')");
  if (axes > shape.ndim()) {
    throw py::index_error("too many indices: the array has " + std::to_string(shape.ndim()) +
                          " axes, " + std::to_string(axes) + " were indexed");
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    const int axis = static_cast<int>(index->begin.size());
    if (items[i] == Py_Ellipsis) {
      for (int n = shape.ndim() - axes; n > 0; --n) {
        add_full(index, shape[static_cast<int>(index->begin.size())]);
      }
    } else if (items[i] == Py_None) {
      index->kept.push_back(-1);
      index->whole = false;
    } else if (PySlice_Check(items[i])) {
      add_slice(index, items[i], shape[axis]);
    } else {
      add_integer(index, items[i], shape[axis], axis);
    }
  }
  while (static_cast<int>(index->begin.size()) < shape.ndim()) {
    add_full(index, shape[static_cast<int>(index->begin.size())]);
  }
  index->size = shape.to_vector();
  require(index->kept.size() <= static_cast<size_t>(kMaxDims), "index: the result has ",
          index->kept.size(), " dimensions, at most ", kMaxDims, " are supported");
  for (const int axis : index->kept) {
    index->shape.push_back(axis < 0 ? 1 : index->length[static_cast<size_t>(axis)]);
  }
  if (index->kept.empty() && shape.ndim() > 0) {
    index->shape.push_back(1);
    index->kept.push_back(-1);
  }
  return true;
}

bool BasicIndex::in_a_row() const {
  int64_t elements = 1;
  for (const int64_t n : length) elements *= n;
  if (elements <= 1) return true;
  bool part = false;  // an axis further right is not taken whole
  for (size_t i = length.size(); i-- > 0;) {
    if (length[i] > 1 && (step[i] != 1 || part)) return false;
    part = part || length[i] < size[i];
  }
  return true;
}

NDArray window(const NDArray& array, const BasicIndex& index) {
  NDArray result = array;
  for (size_t i = 0; i < index.begin.size(); ++i) {
    if (index.length[i] > 0) result.offset += index.begin[i] * array.strides[static_cast<int>(i)];
  }
  result.shape = index.shape;
  result.strides = contiguous_strides(index.shape);
  for (size_t i = 0; i < index.kept.size(); ++i) {
    const int axis = index.kept[i];
    if (axis < 0 || index.shape[static_cast<int>(i)] == 1) continue;  // any stride does
    result.strides[static_cast<int>(i)] =
        array.strides[axis] * index.step[static_cast<size_t>(axis)];
  }
  return result;
}

}  // namespace bind
}  // namespace hybrid
