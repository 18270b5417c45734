#include "core/held_blocks.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>

#include "core/fork.h"
#include "core/mutex.h"
#include "core/pool.h"

namespace hybrid {
namespace held {
namespace {

struct Made {
  uint32_t site;
  bool recorded;  // while autograd recorded
};

struct List {
  Mutex mutex;
  std::unordered_map<Storage*, Made> blocks;
};

List& list() {
  static auto* const all = new List;
  return *all;
}

const bool held_over_fork = hold_over_fork(
    ForkStage::held, {[] { list().mutex.lock(); }, [](bool) { list().mutex.unlock(); }});

Hooks the_hooks{[] { return uint32_t{0}; }, [](uint32_t) { return std::string(); }, [] {}};

bool (*is_recording)() = [] { return false; };

Kind kind_of(const Storage& s, bool recorded) {
  if (s.of_gradient) return Kind::gradients;
  if (s.of_variable) return Kind::parameters;
  if (s.of_optimizer) return Kind::states;
  if (s.of_program) return Kind::working;
  return recorded ? Kind::activations : Kind::arrays;
}

}  // namespace

const char* word(Kind kind) {
  switch (kind) {
    case Kind::parameters:
      return "parameters and variables";
    case Kind::gradients:
      return "gradients";
    case Kind::states:
      return "optimizer states";
    case Kind::activations:
      return "activations";
    case Kind::working:
      return "working memory of programs";
    case Kind::arrays:
      return "arrays";
  }
  return "?";
}

void mark(Storage* storage, Kind kind) {
  storage->of_gradient |= kind == Kind::gradients;
  storage->of_variable |= kind == Kind::parameters;
  storage->of_optimizer |= kind == Kind::states;
  storage->of_program |= kind == Kind::working;
  if (model::on() && !storage->ctx.is_cpu()) {
    model::memory_is(*storage, static_cast<uint8_t>(kind_of(*storage, false)));
  }
}

void set_hooks(const Hooks& hooks) { the_hooks = hooks; }
const Hooks& hooks() { return the_hooks; }
void set_recording(bool (*recording)()) { is_recording = recording; }

void note(Storage* storage) {
  const Made made{the_hooks.current_site(), is_recording()};
  if (model::on()) {
    model::memory_taken(*storage, static_cast<uint8_t>(kind_of(*storage, made.recorded)));
  }
  Guard guard(list().mutex);
  list().blocks[storage] = made;
}

void forget(Storage* storage) {
  if (model::on()) model::memory_freed(*storage);
  Guard guard(list().mutex);
  list().blocks.erase(storage);
}

void forget_all(Context ctx) {
  Guard guard(list().mutex);
  auto& blocks = list().blocks;
  for (auto at = blocks.begin(); at != blocks.end();) {
    at = at->first->ctx == ctx ? blocks.erase(at) : std::next(at);
  }
}

std::vector<Use> uses(Context ctx) {
  std::map<std::pair<Kind, uint32_t>, Use> found;
  {
    Guard guard(list().mutex);
    for (const auto& [storage, made] : list().blocks) {
      if (storage->ctx != ctx) continue;
      const Kind kind = kind_of(*storage, made.recorded);
      Use& use = found.insert({{kind, made.site}, Use{kind, made.site}}).first->second;
      use.bytes += static_cast<int64_t>(round_to_64(storage->bytes));
      ++use.blocks;
    }
  }
  std::vector<Use> all;
  for (const auto& [key, use] : found) all.push_back(use);
  std::stable_sort(all.begin(), all.end(),
                   [](const Use& a, const Use& b) { return a.bytes > b.bytes; });
  return all;
}

std::string bytes_in_words(int64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  const char* const units[] = {"kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = -1;
  while (value >= 999.95 && unit < 3) {
    value /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %s", value, units[std::max(unit, 0)]);
  return text;
}

std::string describe(Context ctx) {
  constexpr size_t kMost = 8;
  const std::vector<Use> all = uses(ctx);
  std::string text;
  const auto row = [&text](const std::string& what, int64_t bytes, int64_t blocks) {
    text += "\n  " + bytes_in_words(bytes) + ": " + what + " (" + std::to_string(blocks) +
            (blocks == 1 ? " block)" : " blocks)");
  };
  int64_t rest = 0, rest_blocks = 0, known = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    known += all[i].bytes;
    if (i >= kMost) {
      rest += all[i].bytes;
      rest_blocks += all[i].blocks;
      continue;
    }
    const std::string place = the_hooks.describe_site(all[i].site);
    row(std::string(word(all[i].kind)) + (place.empty() ? "" : " made at " + place), all[i].bytes,
        all[i].blocks);
  }
  if (rest_blocks > 0) row("what other lines made", rest, rest_blocks);
  if (const int64_t before = pool_of(ctx).used() - known; before > 0) {
    text += "\n  " + bytes_in_words(before) + ": made before the limit was set";
  }
  return text;
}

}  // namespace held
}  // namespace hybrid
