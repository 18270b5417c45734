// A seed and a counter; every draw's key is a hash of both.
#include "launch/random.h"

#include "core/fork.h"

namespace hybrid {
namespace {

struct State {
  ObjectMutex mutex;
  uint64_t seed = 0;
  uint64_t counter = 0;
};

State& state() {
  static State* instance = new State;  // never destroyed: engine threads may outlive statics
  return *instance;
}

// SplitMix64's finalizer (Steele, Lea, Flood, 2014).
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

uint64_t key_of(uint64_t seed, uint64_t counter) {
  return mix(mix(seed + 0x9e3779b97f4a7c15ull) + (counter + 1) * 0x9e3779b97f4a7c15ull);
}

}  // namespace

void seed(uint64_t value) { set_random_state({value, 0}); }

uint64_t next_key() {
  const ObjectGuard lock(state().mutex);
  return key_of(state().seed, state().counter++);
}

std::vector<uint64_t> next_keys(int n) {
  const ObjectGuard lock(state().mutex);
  std::vector<uint64_t> keys;
  keys.reserve(n);
  for (int i = 0; i < n; ++i) keys.push_back(key_of(state().seed, state().counter++));
  return keys;
}

std::pair<uint64_t, uint64_t> random_state() {
  const ObjectGuard lock(state().mutex);
  return {state().seed, state().counter};
}

void set_random_state(std::pair<uint64_t, uint64_t> value) {
  const ObjectGuard lock(state().mutex);
  state().seed = value.first;
  state().counter = value.second;
}

bool draws_key(const OpDef& op, const Attrs& attrs, bool training) {
  if (!op.random) return false;
  if (op.drops_in_training) {
    return training && (op.attr_index("p") < 0 || attrs.real("p") > 0);
  }
  if (!op.training_only || training) return true;
  return op.attr_index("mode") >= 0 && attrs.string("mode") == "always";
}

}  // namespace hybrid
