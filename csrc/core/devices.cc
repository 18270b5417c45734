#include "core/devices.h"

#include <algorithm>
#include <atomic>

#include "core/error.h"
#include "core/gpu_memory.h"
#include "core/held_blocks.h"
#include "core/host_memory.h"
#include "core/pool.h"

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
  return ctx.is_cpu() || ctx.id < num_gpus();
}

std::string why_absent(Context ctx) {
  const int n = num_virtual_gpus();
  if (ctx.is_cpu()) return "context " + ctx.str() + " does not exist: the number is negative";
  const int physical = cuda::num_devices();
  const std::string why = physical > 0 ? std::to_string(physical) + " physical"
                                       : "no physical one: " + cuda::why_no_driver();
  return "context " + ctx.str() + " does not exist: " + std::to_string(n) + " virtual GPU" +
         (n == 1 ? " is" : "s are") + " declared (" + why + "); virtual_gpus(n) declares n";
}

void check_exists(Context ctx) {
  if (!exists(ctx)) fail(why_absent(ctx));
}

bool is_physical(Context ctx) { return cuda::is_physical(ctx); }
bool is_virtual(Context ctx) { return !ctx.is_cpu() && exists(ctx) && !is_physical(ctx); }
int num_gpus() { return std::max(cuda::num_devices(), num_virtual_gpus()); }

void limit_memory(Context ctx, int64_t bytes, bool backed) {
  require(is_virtual(ctx), "limit_memory: ", ctx.str(), " is no virtual GPU");
  Pool& pool = pool_of(ctx);
  held::forget_all(ctx);
  pool.set_limit(bytes);
  pool.set_backed(backed);
}

int64_t memory_bytes(Context ctx) {
  if (is_physical(ctx)) return cuda::memory_limit(ctx);
  const int64_t limit = ctx.is_cpu() ? 0 : pool_of(ctx).limit();
  return limit ? limit : host_memory_bytes();
}

}  // namespace devices
}  // namespace hybrid
