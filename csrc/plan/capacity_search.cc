#include "plan/capacity_search.h"

#include <algorithm>
#include <numeric>

namespace hybrid {
namespace place {
namespace {

constexpr int32_t kNever = INT32_MAX / 2;
constexpr int64_t kAskEvery = 4000000;  // about 4 ms

uint64_t mix(uint64_t x) {  // the finalizer of MurmurHash3
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

}  // namespace

bool FailedStates::contains(uint64_t hash) const {
  if (slots_.empty()) return false;
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask; slots_[at] != 0; at = (at + 1) & mask) {
    if (slots_[at] == hash) return true;
  }
  return false;
}

void FailedStates::insert(uint64_t hash) {
  constexpr size_t kMost = size_t{1} << 23;  // 64 MiB
  if (4 * (count_ + 1) > 3 * slots_.size()) {
    if (slots_.size() >= kMost) return;
    std::vector<uint64_t> old(std::max<size_t>(1024, 2 * slots_.size()), 0);
    old.swap(slots_);
    count_ = 0;
    for (uint64_t h : old) {
      if (h != 0) insert(h);
    }
  }
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at] != 0) at = (at + 1) & mask;
  slots_[at] = hash;
  ++count_;
}

void FailedStates::clear() {
  slots_.clear();
  count_ = 0;
}

CapacitySearch::CapacitySearch(const Problem& problem) : p_(problem) {
  int64_t unit = 0, total = 0;
  for (int64_t s : p_.size) unit = std::gcd(unit, s);
  if (unit == 0) return;
  for (int64_t s : p_.size) total += s / unit;
  if (total >= kNever) return;
  unit_ = unit;
  const int32_t n = p_.count();
  for (int32_t i = 0; i < n; ++i) size_.push_back(static_cast<int32_t>(p_.size[i] / unit));
  for (int64_t l : p_.load) load_.push_back(static_cast<int32_t>(l / unit));
  open_.assign(n, 0);
  support_.assign(n, 0);
  lowest_.assign(p_.sections, 0);
}

CapacitySearch::Outcome CapacitySearch::run(int64_t capacity, const Preference& preference,
                                            int64_t work, const std::function<bool()>& go_on) {
  capacity_ = static_cast<int32_t>(std::min<int64_t>(capacity / unit_, kNever - 1));
  if (capacity_ > proven_at_) failed_.clear();
  proven_at_ = capacity_;
  preference_ = &preference;
  go_on_ = &go_on;
  work_ = 0;
  limit_ = work;
  ask_at_ = kAskEvery;
  stopped_ = false;
  const int32_t n = p_.count();
  order_.clear();
  offset_.assign(n, 0);
  floor_.assign(n, 0);
  placed_.assign(n, 0);
  waits_.assign(n, 0);
  remaining_ = load_;
  Order all(n);
  std::iota(all.begin(), all.end(), 0);
  std::sort(all.begin(), all.end(), [&](int32_t a, int32_t b) {
    return p_.first[a] != p_.first[b] ? p_.first[a] < p_.first[b] : a < b;
  });
  if (bound_holds(all.data(), n) && place_all(all.data(), n)) return Outcome::fits;
  return stopped_ ? Outcome::stopped : Outcome::impossible;
}

Placement CapacitySearch::placement() const {
  Placement result;
  result.order = order_;
  for (int32_t i = 0; i < p_.count(); ++i) {
    result.offset.push_back(offset_[i] * unit_);
    result.peak = std::max(result.peak, result.offset[i] + p_.size[i]);
  }
  return result;
}

bool CapacitySearch::out_of_work() {
  if (work_ >= ask_at_) {
    ask_at_ = work_ + kAskEvery;
    if (*go_on_ && !(*go_on_)()) stopped_ = true;
  }
  if (work_ >= limit_) stopped_ = true;
  return stopped_;
}

// `group` is sorted by start, and its bound was found to hold: its sections' lowest are known.
bool CapacitySearch::place_all(const int32_t* group, int32_t count) {
  std::vector<std::pair<int32_t, int32_t>> parts;  // [begin, end) in the group
  for (int32_t begin = 0; begin < count;) {
    int32_t last = p_.last[group[begin]], end = begin + 1;
    for (; end < count && p_.first[group[end]] < last; ++end) {
      last = std::max(last, p_.last[group[end]]);
    }
    parts.push_back({begin, end});
    begin = end;
  }
  // The smallest first: when one part is impossible, it is known soonest.
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.second - a.first < b.second - b.first;
  });
  for (size_t k = 0; k < parts.size(); ++k) {
    if (place_connected(group + parts[k].first, parts[k].second - parts[k].first)) continue;
    for (size_t done = 0; done < k; ++done) {
      for (int32_t i = parts[done].first; i < parts[done].second; ++i) take_back(group[i]);
    }
    return false;
  }
  return true;
}

bool CapacitySearch::place_connected(const int32_t* group, int32_t count) {
  work_ += 100;
  if (out_of_work()) return false;
  const uint64_t state = hash(group, count);
  if (failed_.contains(state)) return false;
  std::vector<Saved> entry, before;
  save(group, count, &entry);
  std::vector<int32_t> rest(count - 1);
  for (bool possible = true; possible;) {
    save(group, count, &before);
    const int32_t chosen = choose(group, count);
    put(chosen);
    std::remove_copy(group, group + count, rest.begin(), chosen);
    if (raise_waiting(rest.data(), count - 1) && bound_holds(rest.data(), count - 1) &&
        place_all(rest.data(), count - 1)) {
      return true;
    }
    take_back(chosen);
    restore(group, count, before);
    if (stopped_) return false;
    waits_[chosen] = 1;
    possible = raise_waiting(group, count) && bound_holds(group, count);
  }
  restore(group, count, entry);
  failed_.insert(state);
  return false;
}

int32_t CapacitySearch::choose(const int32_t* group, int32_t count) {
  int32_t best = -1;
  double best_cost = 0;
  for (int32_t k = 0; k < count; ++k) {
    const int32_t i = group[k];
    if (waits_[i] || (best >= 0 && offset_[i] > best_cost)) continue;
    int32_t slack = INT32_MAX;
    for (int32_t s = p_.first[i]; s < p_.last[i]; ++s) {
      if (lowest_[s] == offset_[i]) {
        slack = std::min(slack, capacity_ - lowest_[s] - remaining_[s]);
      }
    }
    if (slack == INT32_MAX) continue;  // something lies lower in every section
    const double cost = offset_[i] + preference_->slack_weight * slack;
    if (best >= 0) {
      if (cost > best_cost) continue;
      if (cost == best_cost && preference_->key[i] <= preference_->key[best]) continue;
    }
    // What would fit below goes first: then everything to come in these sections goes above.
    bool fits_below = false;
    for (int64_t at = p_.begin[i]; at < p_.begin[i + 1] && !fits_below; ++at) {
      const int32_t other = p_.neighbours[at];
      fits_below = !placed_[other] && offset_[other] + size_[other] <= offset_[i];
    }
    work_ += p_.begin[i + 1] - p_.begin[i];
    if (fits_below) continue;
    best = i;
    best_cost = cost;
  }
  work_ += 8 * count;
  return best;  // never -1: the lowest of all does not wait, and nothing fits below it
}

void CapacitySearch::put(int32_t buffer) {
  placed_[buffer] = 1;
  order_.push_back(buffer);
  for (int32_t s = p_.first[buffer]; s < p_.last[buffer]; ++s) remaining_[s] -= size_[buffer];
  const int32_t top = offset_[buffer] + size_[buffer];
  for (int64_t at = p_.begin[buffer]; at < p_.begin[buffer + 1]; ++at) {
    const int32_t other = p_.neighbours[at];
    if (placed_[other]) continue;
    floor_[other] = std::max(floor_[other], top);
    offset_[other] = std::max(offset_[other], top);
    if (floor_[other] == offset_[other]) waits_[other] = 0;  // it has found its support
  }
  work_ += 2 * (p_.begin[buffer + 1] - p_.begin[buffer]);
}

void CapacitySearch::take_back(int32_t buffer) {
  placed_[buffer] = 0;
  order_.pop_back();
  for (int32_t s = p_.first[buffer]; s < p_.last[buffer]; ++s) remaining_[s] += size_[buffer];
}

// What waits lies upon a buffer to come: not lower than the lowest of their tops. The tops of
// those that wait themselves are found in order, lowest first, as shortest paths are.
bool CapacitySearch::raise_waiting(const int32_t* group, int32_t count) {
  waiting_.clear();
  for (int32_t k = 0; k < count; ++k) {
    if (waits_[group[k]]) waiting_.push_back(group[k]);
  }
  work_ += count;
  if (waiting_.empty()) return true;
  for (int32_t i : waiting_) open_[i] = 1;
  heap_.clear();
  const auto push = [&](int32_t top, int32_t i) {
    support_[i] = top;
    heap_.push_back({-top, i});
    std::push_heap(heap_.begin(), heap_.end());
  };
  for (int32_t i : waiting_) {
    int32_t lowest_top = kNever;
    for (int64_t at = p_.begin[i]; at < p_.begin[i + 1]; ++at) {
      const int32_t other = p_.neighbours[at];
      if (placed_[other] || open_[other]) continue;
      lowest_top = std::min(lowest_top, offset_[other] + size_[other]);
    }
    work_ += p_.begin[i + 1] - p_.begin[i];
    push(lowest_top, i);
  }
  bool fits = true;
  while (fits && !heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const int32_t top = -heap_.back().first, i = heap_.back().second;
    heap_.pop_back();
    if (!open_[i] || top > support_[i]) continue;
    if (top + size_[i] > capacity_) {
      fits = false;
      break;
    }
    open_[i] = 0;
    offset_[i] = std::max(offset_[i], top);
    for (int64_t at = p_.begin[i]; at < p_.begin[i + 1]; ++at) {
      const int32_t other = p_.neighbours[at];
      if (placed_[other] || !open_[other]) continue;
      if (offset_[i] + size_[i] < support_[other]) push(offset_[i] + size_[i], other);
    }
    work_ += p_.begin[i + 1] - p_.begin[i];
  }
  for (int32_t i : waiting_) open_[i] = 0;
  return fits;
}

// In every section what is to come must fit above the lowest offset it can have.
bool CapacitySearch::bound_holds(const int32_t* group, int32_t count) {
  int32_t begin = p_.sections, end = 0;
  for (int32_t k = 0; k < count; ++k) {
    begin = std::min(begin, p_.first[group[k]]);
    end = std::max(end, p_.last[group[k]]);
  }
  for (int32_t s = begin; s < end; ++s) lowest_[s] = kNever;
  for (int32_t k = 0; k < count; ++k) {
    const int32_t i = group[k], at = offset_[i];
    if (at + size_[i] > capacity_) return false;
    int32_t* lowest = lowest_.data();
    for (int32_t s = p_.first[i]; s < p_.last[i]; ++s) {
      lowest[s] = lowest[s] < at ? lowest[s] : at;
    }
    work_ += 4 + (p_.last[i] - p_.first[i]) / 2;
  }
  for (int32_t s = begin; s < end; ++s) {
    if (remaining_[s] > 0 && lowest_[s] + remaining_[s] > capacity_) return false;
  }
  work_ += end > begin ? end - begin : 0;
  return true;
}

void CapacitySearch::save(const int32_t* group, int32_t count, std::vector<Saved>* to) const {
  to->resize(count);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t i = group[k];
    (*to)[k] = {offset_[i], floor_[i], waits_[i] != 0};
  }
}

void CapacitySearch::restore(const int32_t* group, int32_t count, const std::vector<Saved>& from) {
  for (int32_t k = 0; k < count; ++k) {
    const int32_t i = group[k];
    offset_[i] = from[k].offset;
    floor_[i] = from[k].floor;
    waits_[i] = from[k].waits;
  }
}

// Of the buffers to come, with what is known of each; zero stands for an empty slot.
uint64_t CapacitySearch::hash(const int32_t* group, int32_t count) const {
  uint64_t sum = 0;
  for (int32_t k = 0; k < count; ++k) {
    const uint64_t i = group[k];
    sum += mix((2 * i + waits_[i]) * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(offset_[i]));
  }
  return sum == 0 ? 1 : sum;
}

}  // namespace place
}  // namespace hybrid
