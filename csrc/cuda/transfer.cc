// Copies between a GPU, the host and another GPU; and operators that only the host computes.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>

#include "cuda/kernels.h"

namespace hybrid {
namespace cuda {
namespace {

size_t bytes_of(const TensorView& v) { return static_cast<size_t>(v.size()) * dtype_size(v.dtype); }

TensorView laid_out(const TensorView& like, void* data) {
  TensorView view = like;
  view.strides = contiguous_strides(like.shape);
  view.data = data;
  return view;
}

// The elements of a view once each; what repeats goes on repeating in the view returned.
struct HostCopy {
  TensorView view;  // in the host's memory
  TensorView once_there, once_here;
  std::unique_ptr<char[]> memory;

  explicit HostCopy(const TensorView& there) : view(there), once_there(there) {
    int64_t step = 1;
    for (int d = there.shape.ndim() - 1; d >= 0; --d) {
      const bool repeats = there.strides[d] == 0;
      if (repeats) once_there.shape[d] = 1;
      view.strides[d] = repeats ? 0 : step;
      step *= once_there.shape[d];
    }
    const size_t bytes = static_cast<size_t>(std::max<int64_t>(step, 1)) * dtype_size(there.dtype);
    memory.reset(new char[bytes + 63]);
    const auto start = (reinterpret_cast<uintptr_t>(memory.get()) + 63) & ~uintptr_t{63};
    view.data = reinterpret_cast<void*>(start);
    once_here = laid_out(once_there, view.data);
  }
};

// The bytes from a view's first element to its last.
struct HostSpan {
  TensorView view;  // in the host's memory
  Address first = 0;
  size_t bytes = 0;
  std::unique_ptr<char[]> memory;  // a copy of a GPU's

  explicit HostSpan(const TensorView& there) : view(there) {
    if (!block_at(there.data)) return;
    int64_t low = 0, high = 1;  // elements
    for (int d = 0; d < there.shape.ndim(); ++d) {
      const int64_t way = (there.shape[d] - 1) * there.strides[d];
      (way < 0 ? low : high) += way;
    }
    const auto item = static_cast<int64_t>(dtype_size(there.dtype));
    first = address_of(there.as<char>() + low * item);
    bytes = static_cast<size_t>((high - low) * item);
    memory.reset(new char[bytes]);
    view.data = memory.get() - low * item;
  }
  bool on_gpu() const { return memory != nullptr; }
};

// Host memory for a step in between; without the section's device, so that kernels run here.
struct OnHost {
  Resources& resources = Resources::current();
  DeviceKernels* const device = resources.device();
  OnHost() { resources.set_device(nullptr, nullptr); }
  ~OnHost() { resources.set_device(device, device); }
};

void say_once(const char* op, int device) {
  static auto* const said = new std::set<std::string>;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> guard(mutex);
  if (!said->insert(op).second) return;
  std::fprintf(stderr,
               "jupyter_hybrid: %s has no kernel for gpu(%d): the CPU computes it, with copies "
               "(said once)\n",
               op, device);
}

}  // namespace

void Kernels::strided_copy(const TensorView& src, const TensorView& dst) {
  if (src.size() == 0) return;
  try {
    copy_by_kernels(src, dst);
  } catch (const NotOnDevice&) {  // nobody can compile the one that is needed
    copy_by_host(src, dst);
  }
}

// Everything from the first element to the last, into the host and back.
void Kernels::copy_by_host(const TensorView& src, const TensorView& dst) {
  HostSpan from(src), to(dst);
  for (HostSpan* const span : {&from, &to}) {
    if (span->on_gpu()) staging_.to_host(span->memory.get(), span->first, span->bytes);
  }
  {
    const OnHost host;
    hybrid::strided_copy(from.view, to.view, host.resources);
  }
  if (to.on_gpu()) staging_.to_device(to.first, to.memory.get(), to.bytes);
}

void Kernels::copy_by_kernels(const TensorView& src, const TensorView& dst) {
  const Block *const from = block_at(src.data), *const to = block_at(dst.data);
  if (from && to) {
    if (from->device == device_.number && to->device == device_.number) return copy_here(src, dst);
    return copy_from_peer(src, dst, *from);
  }
  TensorView here = from ? src : dst;  // the GPU's side, row by row
  if (!here.contiguous()) here = laid_out(here, workspace(bytes_of(here)));
  if (from) {
    if (here.data != src.data) copy_here(src, here);
    if (dst.contiguous()) return staging_.to_host(dst.data, address_of(here.data), bytes_of(src));
    const OnHost host;
    const TensorView there = laid_out(dst, host.resources.workspace(bytes_of(dst)));
    staging_.to_host(there.data, address_of(here.data), bytes_of(src));
    hybrid::strided_copy(there, dst, host.resources);
    return;
  }
  if (src.contiguous()) {
    staging_.to_device(address_of(here.data), src.data, bytes_of(src));
  } else {
    const OnHost host;
    const TensorView there = laid_out(src, host.resources.workspace(bytes_of(src)));
    hybrid::strided_copy(src, there, host.resources);
    staging_.to_device(address_of(here.data), there.data, bytes_of(src));
  }
  if (here.data != dst.data) copy_here(here, dst);
}

// To this GPU; the section has waited for what the other one had still to do.
void Kernels::copy_from_peer(const TensorView& src, const TensorView& dst, const Block& block) {
  if (!src.contiguous()) throw NotOnDevice("a copy of a window from another GPU");
  Device& other = device_of(block.device);
  TensorView here = dst;
  if (!here.contiguous()) here = laid_out(here, workspace(bytes_of(here)));
  lane_.open();
  device_.check(driver().copy_peer(address_of(here.data), device_.context, address_of(src.data),
                                   other.context, bytes_of(src), lane_.stream()),
                "cuMemcpyPeerAsync");
  if (here.data != dst.data) copy_here(here, dst);
}

void Kernels::on_host(const char* op, const TensorView* inputs, int num_in,
                      const TensorView* outputs, int num_out,
                      void (*run)(void*, const TensorView*, const TensorView*), void* self) {
  say_once(op, device_.number);
  std::vector<HostCopy> copies;
  std::vector<TensorView> in, out;
  for (int i = 0; i < num_in; ++i) {
    const HostCopy& copy = copies.emplace_back(inputs[i]);
    strided_copy(copy.once_there, copy.once_here);
    in.push_back(copy.view);
  }
  for (int i = 0; i < num_out; ++i) out.push_back(copies.emplace_back(outputs[i]).view);
  {
    const OnHost host;
    run(self, in.data(), out.data());
    host.resources.reset_workspace();
  }
  for (int i = 0; i < num_out; ++i) strided_copy(out[static_cast<size_t>(i)], outputs[i]);
}

}  // namespace cuda
}  // namespace hybrid
