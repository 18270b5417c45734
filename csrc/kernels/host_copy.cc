#include "kernels/host_copy.h"

#include <cstring>

#include "core/error.h"
#include "engine/closure.h"
#include "engine/trace.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"

namespace hybrid {
namespace {

// Copies between a strided array and a row-major buffer, innermost dimension in one go when it is
// contiguous.
void copy_strided(const NDArray& array, char* data, char* flat, bool to_flat) {
  const size_t item = dtype_size(array.dtype);
  const int ndim = array.shape.ndim();
  if (array.shape.size() == 0) return;
  const bool rows = ndim > 0 && (array.strides[ndim - 1] == 1 || array.shape[ndim - 1] == 1);
  const size_t run = rows ? item * static_cast<size_t>(array.shape[ndim - 1]) : item;
  const int outer = rows ? ndim - 1 : ndim;
  int64_t index[kMaxDims] = {};
  for (;;) {
    to_flat ? std::memcpy(flat, data, run) : std::memcpy(data, flat, run);
    flat += run;
    int d = outer - 1;
    for (; d >= 0; --d) {
      data += array.strides[d] * static_cast<int64_t>(item);
      if (++index[d] < array.shape[d]) break;
      data -= array.strides[d] * array.shape[d] * static_cast<int64_t>(item);
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

void copy(const NDArray& array, void* flat, bool to_flat) {
  if (!array.contiguous()) {
    copy_strided(array, array.data(), static_cast<char*>(flat), to_flat);
  } else if (const auto bytes = static_cast<size_t>(array.nbytes())) {
    to_flat ? std::memcpy(flat, array.data(), bytes) : std::memcpy(array.data(), flat, bytes);
  }
}

TensorView flat_like(const NDArray& array, void* data) {
  return {data, array.dtype, array.shape, contiguous_strides(array.shape)};
}

engine::Props copy_props(const NDArray& array, engine::LaneKind lane) {
  static const uint32_t in = trace::intern_name("copy_from_host");
  static const uint32_t out = trace::intern_name("copy_to_host");
  engine::Props props;
  props.ctx = array.ctx();
  props.lane = lane;
  props.name = lane == engine::LaneKind::copy_out ? out : in;
  props.site = trace::current_site();
  props.bytes = array.nbytes();
  props.cost_ns = 200 + static_cast<double>(array.nbytes()) * 0.1;
  return props;
}

void check(const NDArray& array, size_t bytes, const char* op) {
  require(array.defined(), op, ": the array has no value");
  require(bytes == static_cast<size_t>(array.nbytes()), op, ": ", bytes, " bytes given, ",
          dtype_name(array.dtype), " ", array.shape, " has ", array.nbytes());
}

}  // namespace

void copy_to_host(const NDArray& array, void* destination, size_t bytes) {
  check(array, bytes, "copy_to_host");
  if (array.ctx().is_cpu()) {
    const engine::ReadAccess access(array.storage.get());
    copy(array, destination, true);
    return;
  }
  // Through memory of our own: a wait that is interrupted leaves the copy running.
  const StorageRef host = allocate(bytes, Context());
  const auto task = [array, host](Resources& resources) {
    strided_copy(view_of(array), flat_like(array, host->data), resources);
  };
  engine::push_closure(task, {array.storage}, {host},
                       copy_props(array, engine::LaneKind::copy_out));
  engine::wait_to_read(host.get());
  if (bytes) std::memcpy(destination, host->data, bytes);
}

void copy_from_host(const NDArray& array, const void* source, size_t bytes) {
  check(array, bytes, "copy_from_host");
  Storage* const storage = array.storage.get();
  const bool whole = bytes == storage->bytes && array.contiguous();
  if (array.ctx().is_cpu() && storage->var.idle() &&
      (whole || !storage->var.poisoned.load(std::memory_order_acquire))) {
    engine::Props props = copy_props(array, engine::LaneKind::compute);
    const uint64_t start = trace::ticks();
    {
      const engine::WriteAccess access(storage, whole);
      copy(array, const_cast<void*>(source), false);
    }
    engine::note_inline(props, start, trace::ticks());
    return;
  }
  const StorageRef host = allocate(bytes, Context());
  if (bytes) std::memcpy(host->data, source, bytes);
  const auto task = [array, host](Resources& resources) {
    strided_copy(flat_like(array, host->data), view_of(array), resources);
  };
  const auto lane = array.ctx().is_cpu() ? engine::LaneKind::compute : engine::LaneKind::copy_in;
  engine::Props props = copy_props(array, lane);
  props.whole_overwrite = whole;
  engine::push_closure(task, {host}, {array.storage}, props);
}

}  // namespace hybrid
