// A physical GPU's storage, lanes, events and errors, on the fake driver (tests/cpp/fake_cuda).
#include <dlfcn.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "core/devices.h"
#include "core/ndarray.h"
#include "cuda/device.h"
#include "cuda/modules.h"
#include "doctest/doctest.h"
#include "engine/engine.h"
#include "engine/section.h"
#include "kernels/host_copy.h"
#include "launch/run_op.h"
#include "ops/op.h"

using namespace hybrid;

namespace {

const Context kGpu{DeviceType::gpu, 0}, kOther{DeviceType::gpu, 1};

void* fake(const char* name) {
  static void* const library = dlopen(FAKE_CUDA, RTLD_NOW);
  return dlsym(library, name);
}
long calls(const char* name) {
  return reinterpret_cast<long (*)(const char*)>(fake("fake_calls"))(name);
}
void fail_next(const char* name, int result, long after = 0) {
  reinterpret_cast<void (*)(const char*, int, long)>(fake("fake_fail"))(name, result, after);
}

NDArray filled(const Shape& shape, Context ctx, float first) {
  const NDArray array = NDArray::empty(shape, DType::float32, ctx);
  std::vector<float> values(static_cast<size_t>(shape.size()));
  std::iota(values.begin(), values.end(), first);
  copy_from_host(array, values.data(), values.size() * sizeof(float));
  return array;
}
std::vector<float> values_of(const NDArray& array) {
  std::vector<float> values(static_cast<size_t>(array.shape.size()));
  copy_to_host(array, values.data(), values.size() * sizeof(float));
  return values;
}
NDArray op(const char* name, const std::vector<NDArray>& inputs) {
  const OpDef* const def = get_op(name);
  return run_op(*def, Attrs(def), inputs, 0).at(0);
}

struct Kind {
  engine::Settings before = engine::settings();
  explicit Kind(engine::Kind kind) {
    engine::Settings s = before;
    s.kind = kind;
    engine::set_settings(s);
  }
  ~Kind() { engine::set_settings(before); }
};

}  // namespace

TEST_CASE("cuda: the machine's GPUs come first, virtual ones after them") {
  CHECK(devices::num_gpus() == 2);
  CHECK(devices::is_physical(kOther));
  CHECK_FALSE(devices::is_virtual(kGpu));
  devices::declare_virtual_gpus(3);
  CHECK(devices::num_gpus() == 3);
  CHECK(devices::is_virtual(Context{DeviceType::gpu, 2}));
  CHECK_FALSE(devices::is_virtual(kOther));
  devices::declare_virtual_gpus(0);
  CHECK(cuda::device_of(kGpu).name == "Fake GPU");
}

TEST_CASE("cuda: arrays go there and back, whole, in windows and between GPUs") {
  const NDArray a = filled({3, 4}, kGpu, 0);
  CHECK(values_of(a)[11] == 11);
  NDArray column = a;  // a[:, 1]
  column.shape = {3};
  column.strides = {4};
  column.offset = 1;
  const NDArray host = NDArray::empty({3}, DType::float32, Context());
  copy_array(column, host);
  CHECK(values_of(host) == std::vector<float>{1, 5, 9});
  copy_array(filled({3}, Context(), 20), column);
  CHECK(values_of(a)[9] == 22);
  const NDArray other = NDArray::empty({3, 4}, DType::float32, kOther);
  copy_array(a, other);
  CHECK(values_of(other) == values_of(a));
  const NDArray large = filled({3000000}, kGpu, 0);  // more than a piece of staging
  CHECK(values_of(large)[2999999] == 2999999);
}

TEST_CASE("cuda: lanes wait for what others do with their memory") {
  // Nothing runs on the fake's streams before somebody waits: each step needs its own wait.
  for (int round = 0; round < 20; ++round) {
    const NDArray x = filled({1000}, kGpu, static_cast<float>(round));
    NDArray y = op("neg", {x});
    y = op("add", {y, x});
    const NDArray z = filled({1000}, kGpu, 5);  // takes memory that was just given back
    const NDArray sum = op("add", {y, z});
    CHECK(values_of(sum)[7] == 12);
  }
  CHECK(calls("stream_wait") > 0);
}

TEST_CASE("cuda: an operator without a kernel is computed by the CPU") {
  const NDArray x = filled({4, 8}, kGpu, -3);
  const std::vector<float> found = values_of(op("relu", {x}));
  CHECK(found[0] == 0);
  CHECK(found[31] == 28);
  engine::wait_all();
}

TEST_CASE("cuda: memory is kept, counted, limited and given back") {
  cuda::DevicePool& pool = *cuda::device_of(kGpu).pool;
  engine::wait_all();
  release_pool_memory(kGpu);
  const int64_t used = pool_stats(kGpu).used, reserved = pool.reserved();
  {
    const StorageRef block = allocate(1 << 20, kGpu);
    CHECK(pool_stats(kGpu).used == used + (1 << 20));
  }
  CHECK(pool_stats(kGpu).used == used);
  CHECK(pool.reserved() == reserved + (1 << 20));
  const long before = calls("memory_allocate");
  {
    const StorageRef again = allocate(1 << 20, kGpu);
  }
  CHECK(calls("memory_allocate") == before);
  release_pool_memory(kGpu);
  CHECK(pool.reserved() == reserved);

  const size_t limit = pool.limit();
  pool.set_limit(static_cast<size_t>(reserved) + (3 << 20));
  CHECK_THROWS_WITH_AS(allocate(4 << 20, kGpu), doctest::Contains("gpu(0)"), Error);
  {
    const StorageRef fits = allocate(2 << 20, kGpu);
  }
  CHECK_NOTHROW(allocate(3 << 20, kGpu));  // what is cached makes room
  pool.set_limit(limit);
  fail_next("memory_allocate", 2);
  CHECK_NOTHROW(allocate(5 << 20, kGpu));  // once more, after the cache was emptied
}

TEST_CASE("cuda: errors stay in what was to be written, and the next operator works") {
  for (const engine::Kind kind : {engine::Kind::threaded, engine::Kind::naive}) {
    const Kind set(kind);
    const NDArray x = filled({8}, kGpu, 1);
    CHECK(values_of(x)[7] == 8);
    fail_next("copy_out", 1);  // of the operator's own copy to the CPU
    NDArray y;
    if (kind == engine::Kind::naive) {
      CHECK_THROWS_WITH_AS(op("neg", {x}), doctest::Contains("injected"), Error);
    } else {
      y = op("neg", {x});
      CHECK_THROWS_WITH_AS(values_of(y), doctest::Contains("neg: cuda: cuMemcpyDtoHAsync"), Error);
      CHECK_THROWS_AS(values_of(y), Error);  // a second read raises again
      CHECK_THROWS_AS(values_of(op("neg", {y})), Error);
    }
    CHECK(values_of(op("neg", {x}))[7] == -8);
    try {
      engine::wait_all();
    } catch (const Error&) {
    }
  }
}

TEST_CASE("cuda: spans are shown with the GPU's own times") {
  trace::Cursor* const cursor = trace::new_cursor();
  engine::wait_all();
  while (!trace::drain(cursor).records.empty()) {
  }
  const NDArray x = filled({100}, kGpu, 1);
  engine::wait_to_read(x.storage.get());
  int found = 0;
  for (const trace::Record& r : trace::drain(cursor).records) {
    if (!trace::is_span(r)) continue;  // a wait bears the name of what it waits for
    if (trace::name_of(r.name) != "copy_from_host") continue;
    ++found;
    for (const trace::Lane& lane : trace::lanes()) {
      if (lane.id == r.lane) {
        CHECK(lane.name == "gpu(0) copy-in");
        CHECK_FALSE(lane.is_virtual);
      }
    }
    CHECK(trace::duration_ns(r.duration) < 1000000);
  }
  trace::free_cursor(cursor);
  CHECK(found == 1);
}

TEST_CASE("cuda: machine code is kept by its whole source, whole or not at all") {
  char folder[] = "/tmp/hybrid_code_XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const cuda::CodeCache cache(folder);
  CHECK(cache.find("source").empty());
  const std::string code("\0cubin\n\1", 8);
  cache.store("source", code);
  CHECK(cache.find("source") == code);
  CHECK(cache.find("source ").empty());
  cache.store("source", "other");
  CHECK(cache.find("source") == "other");
  const std::string command = std::string("for f in ") + folder + "/*; do printf x >>$f; done";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(cache.find("source").empty());  // damaged
  REQUIRE(std::system((std::string("rm -r ") + folder).c_str()) == 0);
}

// The last: the GPU is gone afterwards.
TEST_CASE("cuda: a GPU that fails for good says so, and the CPU goes on") {
  const NDArray x = filled({8}, kOther, 1);
  engine::wait_to_read(x.storage.get());
  fail_next("copy_out", 700);
  CHECK_THROWS_WITH_AS(values_of(x), doctest::Contains("gpu(1) was lost"), Error);
  CHECK_THROWS_WITH_AS(values_of(x), doctest::Contains("gpu(1) was lost"), Error);
  CHECK(values_of(filled({8}, Context(), 1))[7] == 8);
  CHECK(values_of(filled({8}, kGpu, 1))[7] == 8);
}
