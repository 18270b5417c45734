// ndarrays that own memory of the engine: NumPy frees it, and reallocates it when the array is
// resized, as it does with memory of its own.
#include <pybind11/numpy.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "bind/create.h"
#include "bind/numpy_allocator.h"
#include "core/pool.h"

namespace hybrid {
namespace bind {

namespace {

// As in numpy/ndarraytypes.h, whose layout is part of NumPy's binary interface.
struct ArrayFields {
  PyObject_HEAD char* data;
  int nd;
  Py_ssize_t* dimensions;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* descr;
  int flags;
  PyObject* weakrefs;
  void* buffer_info;
  PyObject* handler;
};
constexpr int kOwnData = 4;

// What NumPy holds of the engine's, by address. Other blocks of the same arrays are malloc's.
struct Held {
  std::mutex mutex;
  std::unordered_map<void*, StorageRef> blocks;

  StorageRef take(void* data) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = blocks.find(data);
    if (found == blocks.end()) return StorageRef();
    StorageRef storage = std::move(found->second);
    blocks.erase(found);
    return storage;
  }
};
Held& held() {
  static Held* all = new Held;
  return *all;
}

void* owned_malloc(void*, size_t bytes) { return std::malloc(bytes); }
void* owned_calloc(void*, size_t number, size_t size) { return std::calloc(number, size); }

void owned_free(void*, void* data, size_t) {
  if (!held().take(data)) std::free(data);
}

void* owned_realloc(void*, void* data, size_t bytes) {
  const StorageRef storage = held().take(data);
  if (!storage) return std::realloc(data, bytes);
  void* block = std::malloc(bytes);
  if (block == nullptr) {
    const std::lock_guard<std::mutex> lock(held().mutex);
    held().blocks.emplace(data, storage);
    return nullptr;
  }
  const auto before =
      static_cast<size_t>(static_cast<char*>(data) - static_cast<const char*>(storage->data));
  std::memcpy(block, data, std::min(bytes, storage->bytes - before));
  return block;
}

NumpyHandler handler = {
    "jupyter_hybrid",
    1,
    {nullptr, owned_malloc, owned_calloc, owned_realloc, owned_free},
};

}  // namespace

py::object owned_ndarray(const NDArray& value) {
  static PyObject* capsule = py::capsule(&handler, "mem_handler").release().ptr();
  const py::none base;  // taken away again: without one, pybind11 copies
  py::array array(py::reinterpret_steal<py::dtype>(numpy_dtype(value.dtype).release()),
                  value.shape.to_vector(), value.data(), base);
  auto* fields = reinterpret_cast<ArrayFields*>(array.ptr());
  {
    const std::lock_guard<std::mutex> lock(held().mutex);
    held().blocks.emplace(value.data(), value.storage);
  }
  Py_CLEAR(fields->base);
  Py_INCREF(capsule);
  fields->handler = capsule;
  fields->flags |= kOwnData;
  return array;
}

py::object storage_facts(const Storage& storage) {
  const bool own = storage.release_external == nullptr;
  return py::make_tuple(reinterpret_cast<uintptr_t>(&storage), round_to_64(storage.bytes),
                        storage.ctx.str(), own);
}

py::object owned_storage_facts(uintptr_t address) {
  const std::lock_guard<std::mutex> lock(held().mutex);
  const auto found = held().blocks.find(reinterpret_cast<void*>(address));
  return found == held().blocks.end() ? py::none() : storage_facts(*found->second);
}

}  // namespace bind
}  // namespace hybrid
