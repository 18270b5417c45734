// What NumPy allocates for its arrays while somebody counts: number, bytes now, peak.
//
// NumPy lets a program replace the allocator of array data. Ours is malloc behind a header that
// remembers the size; an array keeps its allocator, so it may outlive the counting.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "bind/common.h"
#include "bind/numpy_allocator.h"

namespace hybrid {
namespace bind {

namespace {

constexpr int kSetHandler = 304;  // PyDataMem_SetHandler's place in NumPy's function table
constexpr size_t kHeader = 64;    // keeps the alignment of malloc and more

std::atomic<int64_t> count{0}, used{0}, peak{0};

void note(int64_t bytes) {
  const int64_t now = used.fetch_add(bytes) + bytes;
  int64_t highest = peak.load();
  while (now > highest && !peak.compare_exchange_weak(highest, now)) {
  }
}

void* begin_block(void* block, size_t bytes) {
  if (block == nullptr) return nullptr;
  std::memcpy(block, &bytes, sizeof(bytes));
  ++count;
  note(static_cast<int64_t>(bytes));
  return static_cast<char*>(block) + kHeader;
}

void* block_of(void* data) { return static_cast<char*>(data) - kHeader; }

int64_t size_of(void* data) {
  size_t bytes = 0;
  std::memcpy(&bytes, block_of(data), sizeof(bytes));
  return static_cast<int64_t>(bytes);
}

void* counted_malloc(void*, size_t bytes) {
  if (bytes > SIZE_MAX - kHeader) return nullptr;
  return begin_block(std::malloc(bytes + kHeader), bytes);
}

void* counted_calloc(void*, size_t number, size_t size) {
  if (size != 0 && number > (SIZE_MAX - kHeader) / size) return nullptr;
  return begin_block(std::calloc(1, number * size + kHeader), number * size);
}

void counted_free(void*, void* data, size_t) {
  if (data == nullptr) return;
  note(-size_of(data));
  std::free(block_of(data));
}

void* counted_realloc(void*, void* data, size_t bytes) {
  if (data == nullptr) return counted_malloc(nullptr, bytes);
  if (bytes > SIZE_MAX - kHeader) return nullptr;
  const int64_t before = size_of(data);
  void* block = std::realloc(block_of(data), bytes + kHeader);
  if (block == nullptr) return nullptr;
  note(-before);
  return begin_block(block, bytes);
}

NumpyHandler handler = {
    "jupyter_hybrid_counting",
    1,
    {nullptr, counted_malloc, counted_calloc, counted_realloc, counted_free},
};

py::object set_handler(py::object wanted) {
  const auto multiarray = py::module_::import("numpy._core.multiarray");
  const py::capsule api = multiarray.attr("_ARRAY_API");
  void** table = static_cast<void**>(api.get_pointer());
  const auto set = reinterpret_cast<PyObject* (*)(PyObject*)>(table[kSetHandler]);
  PyObject* old = set(wanted.ptr());
  if (old == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(old);
}

py::object begin() {
  py::object old = set_handler(py::capsule(&handler, "mem_handler"));
  count = 0;
  peak = used.load();
  return old;
}

py::dict figures(int64_t base) {
  py::dict d;
  d["allocations"] = count.load();
  d["used"] = used.load() - base;
  d["peak"] = peak.load() - base;
  return d;
}

}  // namespace

void bind_numpy_memory(py::module_& m) {
  m.def(
      "count_numpy_memory",
      [](py::function run) {
        py::object old = begin();
        const int64_t base = used.load();
        try {
          run();
        } catch (...) {
          set_handler(old);
          throw;
        }
        py::dict result = figures(base);
        set_handler(old);
        return result;
      },
      py::arg("run"),
      "Calls run() and returns what NumPy allocated for array data meanwhile: allocations, and "
      "used (at the end) and peak in bytes.");
}

}  // namespace bind
}  // namespace hybrid
