// A CUDA driver without a GPU: host memory, and streams that do nothing until somebody waits for
// them. Work that was not told to wait for what it needs therefore sees old bytes. Calls are
// counted, and any of them can be made to fail.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace {

using Result = int;
using Handle = void*;
using Address = unsigned long long;

constexpr Result kInvalid = 1, kOutOfMemory = 2;
constexpr size_t kMemory = size_t{1} << 30;

struct Stream;

struct Event {
  Stream* stream = nullptr;  // null: never recorded
  long position = 0;         // work of the stream before it
  double ms = 0;
};

struct Stream {
  std::deque<std::function<void()>> work;
  long done = 0, given = 0;
};

struct State {
  std::recursive_mutex mutex;
  std::map<std::string, long> calls;
  std::map<Address, size_t> blocks;
  size_t used = 0;
  double clock_ms = 0;
  std::string failing;
  Result failure = 0;
  long after = 0;
};

State& state() {
  static State* const s = new State;
  return *s;
}

// Counts the call; not 0 when it is to fail.
Result enter(const char* name) {
  State& s = state();
  ++s.calls[name];
  if (s.failing != name || s.after-- > 0) return 0;
  s.failing.clear();
  return s.failure;
}

void run_to(Stream* stream, long position) {
  while (stream && stream->done < position) {
    const auto work = stream->work.front();
    stream->work.pop_front();
    ++stream->done;
    work();
    state().clock_ms += 0.001;
  }
}

void give(Handle stream, std::function<void()> work) {
  auto* const s = static_cast<Stream*>(stream);
  s->work.push_back(std::move(work));
  ++s->given;
}

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

}  // namespace

#define FAKE(name, parameters) \
  extern "C" __attribute__((visibility("default"))) Result name parameters

#define BEGIN(name)                                                 \
  const std::lock_guard<std::recursive_mutex> guard(state().mutex); \
  if (const Result injected = enter(name)) return injected;

// --- for the tests
extern "C" __attribute__((visibility("default"))) long fake_calls(const char* name) {
  const std::lock_guard<std::recursive_mutex> guard(state().mutex);
  return state().calls[name];
}
extern "C" __attribute__((visibility("default"))) void fake_fail(const char* name, int result,
                                                                 long after) {
  const std::lock_guard<std::recursive_mutex> guard(state().mutex);
  state().failing = name;
  state().failure = result;
  state().after = after;
}

FAKE(cuInit, (unsigned)) { BEGIN("init") return 0; }
FAKE(cuDriverGetVersion, (int* version)) {
  *version = 11000;  // older than any compiler: nothing is compiled for it
  return 0;
}
FAKE(cuGetErrorName, (Result result, const char** text)) {
  *text = result == kOutOfMemory ? "FAKE_OUT_OF_MEMORY" : "FAKE_ERROR";
  return 0;
}
FAKE(cuGetErrorString, (Result, const char** text)) {
  *text = "injected";
  return 0;
}
FAKE(cuDeviceGetCount, (int* count)) {
  *count = 2;
  return 0;
}
FAKE(cuDeviceGet, (int* device, int ordinal)) {
  *device = ordinal;
  return 0;
}
FAKE(cuDeviceGetName, (char* name, int size, int)) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
  return 0;
}
FAKE(cuDeviceTotalMem_v2, (size_t* bytes, int)) {
  *bytes = kMemory;
  return 0;
}
FAKE(cuDeviceGetAttribute, (int* value, int, int)) {
  *value = 4;
  return 0;
}
FAKE(cuDevicePrimaryCtxRetain, (Handle * context, int)) {
  *context = &state();
  return 0;
}
FAKE(cuCtxSetCurrent, (Handle)) { return 0; }
FAKE(cuStreamCreate, (Handle * stream, unsigned)) {
  *stream = new Stream;
  return 0;
}
FAKE(cuStreamWaitEvent, (Handle stream, Handle event, unsigned)) {
  BEGIN("stream_wait")
  const Event e = *static_cast<Event*>(event);
  give(stream, [e] { run_to(e.stream, e.position); });
  return 0;
}
FAKE(cuEventCreate, (Handle * event, unsigned)) {
  *event = new Event;
  return 0;
}
FAKE(cuEventRecord, (Handle event, Handle stream)) {
  BEGIN("event_record")
  auto* const e = static_cast<Event*>(event);
  give(stream, [e] { e->ms = state().clock_ms; });
  e->stream = static_cast<Stream*>(stream);
  e->position = e->stream->given;
  return 0;
}
FAKE(cuEventQuery, (Handle event)) {
  BEGIN("event_query")
  const auto* const e = static_cast<Event*>(event);
  run_to(e->stream, e->position);
  return 0;
}
FAKE(cuEventSynchronize, (Handle event)) {
  BEGIN("event_wait")
  const auto* const e = static_cast<Event*>(event);
  run_to(e->stream, e->position);
  return 0;
}
FAKE(cuEventElapsedTime, (float* ms, Handle start, Handle end)) {
  BEGIN("event_elapsed")
  *ms = static_cast<float>(static_cast<Event*>(end)->ms - static_cast<Event*>(start)->ms);
  return 0;
}
FAKE(cuMemAlloc_v2, (Address * address, size_t bytes)) {
  BEGIN("memory_allocate")
  State& s = state();
  if (s.used + bytes > kMemory) return kOutOfMemory;
  *address = reinterpret_cast<Address>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
  std::memset(pointer(*address), 0xAB, bytes);
  s.blocks[*address] = bytes;
  s.used += bytes;
  return 0;
}
FAKE(cuMemFree_v2, (Address address)) {
  BEGIN("memory_free")
  State& s = state();
  const auto found = s.blocks.find(address);
  if (found == s.blocks.end()) return kInvalid;
  s.used -= found->second;
  s.blocks.erase(found);
  std::free(pointer(address));
  return 0;
}
FAKE(cuMemHostAlloc, (void** memory, size_t bytes, unsigned)) {
  BEGIN("pinned_allocate")
  *memory = std::malloc(bytes);
  return *memory ? 0 : kOutOfMemory;
}
FAKE(cuMemcpyHtoDAsync_v2, (Address to, const void* from, size_t bytes, Handle stream)) {
  BEGIN("copy_in")
  give(stream, [=] { std::memcpy(pointer(to), from, bytes); });
  return 0;
}
FAKE(cuMemcpyDtoHAsync_v2, (void* to, Address from, size_t bytes, Handle stream)) {
  BEGIN("copy_out")
  give(stream, [=] { std::memcpy(to, pointer(from), bytes); });
  return 0;
}
FAKE(cuMemcpyDtoDAsync_v2, (Address to, Address from, size_t bytes, Handle stream)) {
  BEGIN("copy_device")
  give(stream, [=] { std::memmove(pointer(to), pointer(from), bytes); });
  return 0;
}
FAKE(cuMemcpyPeerAsync, (Address to, Handle, Address from, Handle, size_t bytes, Handle stream)) {
  BEGIN("copy_peer")
  give(stream, [=] { std::memmove(pointer(to), pointer(from), bytes); });
  return 0;
}
FAKE(cuModuleLoadData, (Handle*, const void*)) { return kInvalid; }
FAKE(cuModuleGetFunction, (Handle*, Handle, const char*)) { return kInvalid; }
FAKE(cuLaunchKernel, (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      Handle, void**, void**)) {
  return kInvalid;
}
