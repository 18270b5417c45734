// What a kernel may use while it runs: the intra-op pool, scratch memory, the cancel flag.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hybrid {

class Resources {
 public:
  // Calls body(arg, begin, end) over [0, n) in chunks of about `grain`; the caller works too and
  // does everything itself if nobody joins. Chunk borders are a function of (n, grain) only.
  // Returns early (work undone) when cancelled.
  void parallel_for(int64_t n, int64_t grain, void (*body)(void* arg, int64_t begin, int64_t end),
                    void* arg);
  template <class F>
  void parallel(int64_t n, int64_t grain, F&& f) {
    parallel_for(
        n, grain,
        [](void* arg, int64_t b, int64_t e) { (*static_cast<std::remove_reference_t<F>*>(arg))(b, e); },
        &f);
  }
  // Scratch valid until the kernel returns; 64-byte aligned; per calling kernel, not per chunk.
  void* workspace(size_t bytes);
  void reset_workspace();  // by the caller of the kernel, between kernels
  // Long kernels poll this between blocks of about 10 ms and return early when set.
  bool cancelled() const;

  static Resources& current();  // of this thread
};

int num_threads();           // size of the shared intra-op pool, the caller included
void set_num_threads(int n);  // 1: everything on the caller

}  // namespace hybrid
