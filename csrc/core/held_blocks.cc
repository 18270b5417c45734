#include "core/held_blocks.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
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

// As jupyter_hybrid/capture/sizes.py writes them.
std::string bytes_in_words(int64_t bytes) {
  const char* const units[] = {"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  const int digits = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  std::string number = text;
  if (digits > 0) number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number + " " + units[unit];
}

std::string describe(Context ctx) {
  constexpr size_t kMost = 8;
  struct Row {
    std::string what;
    int64_t bytes = 0, blocks = 0;
  };
  std::vector<Row> rows;  // sites of one line are one row
  int64_t known = 0;
  for (const Use& use : uses(ctx)) {
    const std::string place = the_hooks.describe_site(use.site);
    const std::string what =
        std::string(word(use.kind)) + (place.empty() ? "" : " made at " + place);
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.what == what; });
    if (row == rows.end()) row = rows.insert(rows.end(), Row{what});
    row->bytes += use.bytes;
    row->blocks += use.blocks;
    known += use.bytes;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.bytes > b.bytes; });
  while (rows.size() > kMost + 1) {
    rows[kMost].what = "what other lines made";
    rows[kMost].bytes += rows.back().bytes;
    rows[kMost].blocks += rows.back().blocks;
    rows.pop_back();
  }
  std::string text;
  for (const Row& row : rows) {
    text += "\n  " + bytes_in_words(row.bytes) + ": " + row.what + " (" +
            std::to_string(row.blocks) + (row.blocks == 1 ? " block)" : " blocks)");
  }
  const int64_t used = pool_of(ctx).used();
  if (used > known) {
    text += "\n  " + bytes_in_words(used - known) + ": made before the limit was set";
  }
  return text;
}

std::string advice(Context ctx) {
  int64_t activations = 0;
  for (const Use& use : uses(ctx)) {
    if (use.kind == Kind::activations) activations += use.bytes;
  }
  if (2 * activations <= pool_of(ctx).used()) return "";
  return "\nMost of it are activations, kept for backward: a smaller batch has fewer, and "
         "hybridize(remat='sqrt') computes them again";
}

}  // namespace held
}  // namespace hybrid
