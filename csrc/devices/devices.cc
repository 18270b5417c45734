#include "devices/devices.h"

#include <atomic>

#include "core/error.h"
#include "core/pool.h"
#include "devices/host_memory.h"

namespace hybrid {
namespace devices {
namespace {

std::atomic<int> virtual_gpus{0};

}  // namespace

void declare_virtual_gpus(int n) {
  require(n >= 0 && n <= kMaxGpus, "virtual_gpus: ", n, " given, expected 0 to ", kMaxGpus);
  virtual_gpus.store(n);
}

int num_virtual_gpus() { return virtual_gpus.load(std::memory_order_relaxed); }

bool exists(Context ctx) {
  if (ctx.id < 0) return false;
  return ctx.is_cpu() || ctx.id < num_virtual_gpus();
}

void check_exists(Context ctx) {
  if (exists(ctx)) return;
  const int n = num_virtual_gpus();
  if (ctx.is_cpu()) fail("context ", ctx.str(), " does not exist: the number is negative");
  fail("context ", ctx.str(), " does not exist: ", n, " virtual GPU", n == 1 ? " is" : "s are",
       " declared and no real one is supported; virtual_gpus(n) declares n");
}

bool is_virtual(Context ctx) { return !ctx.is_cpu() && exists(ctx); }

int64_t memory_bytes(Context) { return host_memory_bytes(); }

}  // namespace devices
}  // namespace hybrid
