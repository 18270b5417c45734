#include "trace/pending.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "array/old_value.h"
#include "core/error.h"
#include "engine/trace.h"
#include "launch/launch.h"
#include "tape/tape.h"

namespace hybrid {

namespace {

const NDArray* value_at(const SymEntry& e) {
  if (e.node->kind == NodeKind::constant || e.node->kind == NodeKind::effect) return nullptr;
  if (static_cast<size_t>(e.out) >= e.node->values.size()) return nullptr;
  const NDArray& value = e.node->values[static_cast<size_t>(e.out)];
  return value.defined() ? &value : nullptr;
}

bool before(const SymEntry& a, const SymEntry& b) {
  return a.node->serial != b.node->serial ? a.node->serial < b.node->serial : a.out < b.out;
}

bool same_entry(const SymEntry& a, const SymEntry& b) { return a.node == b.node && a.out == b.out; }

uint64_t word_of(Context ctx) {
  return (static_cast<uint64_t>(ctx.type) << 16) | static_cast<uint16_t>(ctx.id);
}

void add_type(std::vector<uint64_t>* words, const NDArray& a) {
  words->push_back(static_cast<uint64_t>(static_cast<int64_t>(a.dtype)));
  words->push_back(static_cast<uint64_t>(a.shape.ndim()));
  for (const int64_t d : a.shape) words->push_back(static_cast<uint64_t>(d));
  words->push_back(word_of(a.ctx()));
}

void add_constant(std::vector<uint64_t>* words, const NDArray& a) {
  add_type(words, a);
  const auto* bytes = static_cast<const char*>(a.data());
  const auto size = static_cast<size_t>(a.nbytes());
  for (size_t i = 0; i < size; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + i, std::min<size_t>(8, size - i));
    words->push_back(word);
  }
}

uint64_t hash_of(const std::vector<uint64_t>& words) {
  uint64_t state = 0x9e3779b97f4a7c15ull;
  for (const uint64_t word : words) {
    state = (state ^ word) * 0xbf58476d1ce4e5b9ull;
    state ^= state >> 29;
  }
  return state;
}

}  // namespace

bool Pending::contains(const SymNode* node) const {
  const auto at = static_cast<size_t>(node->place);
  return node->place >= 0 && at < nodes.size() && nodes[at] == node;
}

size_t Pending::stop(const SymEntry& e) const {
  const auto at = std::lower_bound(stops.begin(), stops.end(), e, before);
  return static_cast<size_t>(at - stops.begin());
}

Pending pending_for(const std::vector<SymEntry>& wanted) {
  Pending pending;
  std::vector<SymEntry> stack(wanted.rbegin(), wanted.rend());
  while (!stack.empty()) {
    const SymEntry e = std::move(stack.back());
    stack.pop_back();
    if (value_at(e) != nullptr) {
      pending.stops.push_back(e);
      continue;
    }
    SymNode* node = e.node.get();
    if (pending.contains(node)) continue;
    node->place = static_cast<int32_t>(pending.nodes.size());
    const bool runs = node->kind == NodeKind::op || node->kind == NodeKind::constant;
    pending.plain =
        pending.plain && runs && node->tape == Tape::none && !node->held && !node->draw_of;
    pending.nodes.push_back(node);
    for (const SymEntry& input : node->inputs) stack.push_back(input);
  }
  std::sort(pending.nodes.begin(), pending.nodes.end(),
            [](const SymNode* a, const SymNode* b) { return a->serial < b->serial; });
  for (size_t i = 0; i < pending.nodes.size(); ++i) {
    pending.nodes[i]->place = static_cast<int32_t>(i);
  }
  std::sort(pending.stops.begin(), pending.stops.end(), before);
  pending.stops.erase(std::unique(pending.stops.begin(), pending.stops.end(), same_entry),
                      pending.stops.end());
  return pending;
}

std::vector<bool> reads_changing(const Pending& pending,
                                 const std::function<bool(const NDArray&)>& may_change) {
  std::vector<bool> changing;  // by stop
  for (const SymEntry& stop : pending.stops) changing.push_back(may_change(*value_at(stop)));
  std::vector<bool> reads(pending.nodes.size());
  for (size_t i = 0; i < pending.nodes.size(); ++i) {
    for (const SymEntry& input : pending.nodes[i]->inputs) {
      const bool pends = value_at(input) == nullptr;
      if (pends ? reads[static_cast<size_t>(input.node->place)] : changing[pending.stop(input)]) {
        reads[i] = true;
        break;
      }
    }
  }
  return reads;
}

NDArray recorded_value(const SymEntry& stop) {
  const SymNode& node = *stop.node;
  const auto out = static_cast<size_t>(stop.out);
  const NDArray& value = node.values[out];
  const uint64_t now = value.storage->var.version.load();
  if (out >= node.versions.size() || node.versions[out] == now) return value;
  const std::optional<NDArray> kept = kept_value(node, stop.out);
  require(kept.has_value(), "a recorded value can no longer be computed: ", describe_node(node),
          " was overwritten after it was used");
  return *kept;
}

std::vector<uint64_t> draw_keys(const Pending& pending) {
  std::vector<uint64_t> keys;
  for (const SymNode* node : pending.nodes) {
    if (node->kind == NodeKind::op && node->op->random) keys.push_back(node->key);
  }
  return keys;
}

KnownForm::KnownForm(const Form& form) : words(form.words), hash(form.hash) {
  for (const Attrs* a : form.attrs) attrs.push_back(*a);
}

bool KnownForm::same(const Form& form) const {
  if (hash != form.hash || words != form.words || attrs.size() != form.attrs.size()) return false;
  return std::equal(attrs.begin(), attrs.end(), form.attrs.begin(),
                    [](const Attrs& a, const Attrs* b) { return a == *b; });
}

Form form_of(const Pending& pending, const std::vector<SymEntry>& results) {
  Form form;
  std::vector<uint64_t>& words = form.words;
  const auto add_entry = [&](const SymEntry& e) {
    if (pending.contains(e.node.get())) {
      words.push_back(static_cast<uint64_t>(e.node->place) << 1);
    } else {
      words.push_back(static_cast<uint64_t>(pending.stop(e)) << 1 | 1);
    }
    words.push_back(static_cast<uint64_t>(e.out));
  };
  words.push_back(pending.stops.size());
  for (const SymEntry& stop : pending.stops) add_type(&words, *value_at(stop));
  for (SymNode* node : pending.nodes) {
    words.push_back(reinterpret_cast<uintptr_t>(node->op));
    words.push_back(node->site);
    words.push_back(std::hash<std::string>()(node->text));
    if (node->kind == NodeKind::constant) {
      add_constant(&words, node->values.at(0));
      continue;
    }
    words.push_back(node->attrs.hash());
    words.push_back(std::hash<std::string>()(node->scope));
    words.push_back(word_of(node->ctx));
    words.push_back(node->inputs.size());
    for (const SymEntry& input : node->inputs) add_entry(input);
    form.attrs.push_back(&node->attrs);
  }
  for (const SymEntry& result : results) add_entry(result);
  form.hash = hash_of(words);
  return form;
}

void forget_history(SymNode* node) {
  if (node->kind != NodeKind::op || node->tape != Tape::none || node->held) return;
  const auto count = static_cast<size_t>(node->num_outputs);
  if (node->values.size() < count) return;
  for (size_t i = 0; i < count; ++i) {
    if (!node->values[i].defined()) return;
  }
  node->inputs.clear();
}

namespace {

struct Place {
  int line = 0, repeats = 0;
};

struct Waiting {
  double ns = 0;
  int64_t bytes = 0;
  int repeats = 0;  // so often has the code come back to a place
  uint32_t last = 0;
  uint32_t begin = 0;  // the first operator of the line that is being recorded
  int line = 0;
  std::unordered_map<uint32_t, Place> places;
};
thread_local Waiting waiting;

bool exceeds(double factor) {
  return waiting.ns > factor * kMostPendingNs ||
         static_cast<double>(waiting.bytes) > factor * static_cast<double>(kMostPendingBytes);
}

thread_local double all_ns = 0;

}  // namespace

double recorded_ns() { return all_ns; }

double pending_ns() { return waiting.ns; }

void note_pending(double ns) {
  waiting.ns += ns;
  all_ns += ns;
  const uint32_t site = current_site();
  if (site == waiting.last) return;  // another part of the same expression
  waiting.last = site;
  const auto [at, fresh] = waiting.places.emplace(site, Place());
  Place& place = at->second;
  if (fresh) place.line = trace::site_of(site).line;
  if (!fresh) waiting.repeats = std::max(waiting.repeats, ++place.repeats);
  if (place.line == waiting.line) return;
  waiting.line = place.line;
  waiting.begin = site;
}

void note_pending_bytes(int64_t bytes) { waiting.bytes += bytes; }

bool pending_is_enough() {
  if (!exceeds(waiting.repeats > kFewTimes ? 1 : kMostWithinLine)) return false;
  if (waiting.repeats == 0) return false;
  if (exceeds(kMostWithinLine)) return true;
  // Where a line begins, the parts of the one before are no longer held.
  const uint32_t site = current_site();
  if (site == waiting.last) return false;
  return site == waiting.begin || trace::site_of(site).line != waiting.line;
}

void note_step() { waiting.last = 0; }

void forget_pending() { waiting = Waiting(); }

}  // namespace hybrid
