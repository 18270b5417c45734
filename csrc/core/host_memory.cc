#include "core/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>

namespace hybrid {
namespace devices {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

int64_t control_group_limit() {
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    int64_t bytes = 0;
    if (file >> bytes && bytes > 0) return bytes;  // the word "max" fails to parse
  }
  return std::numeric_limits<int64_t>::max();
}

}  // namespace

void* host_allocate(size_t bytes) {
  const bool huge = bytes >= 2 * kHugePage;
  void* data = nullptr;
  if (posix_memalign(&data, huge ? kHugePage : 64, bytes) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
  if (huge) madvise(data, bytes, MADV_HUGEPAGE);
#endif
  return data;
}

void host_free(void* data) { std::free(data); }

int64_t host_memory_bytes() {
  static const int64_t bytes = [] {
    const int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return std::min(pages * size, control_group_limit());
  }();
  return bytes;
}

}  // namespace devices
}  // namespace hybrid
