#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "plan/place.h"

namespace hybrid {
namespace place {

Placement first_fit(const Problem& p, const Order& order) {
  Placement result;
  result.order = order;
  result.offset.assign(p.count(), -1);
  std::vector<std::pair<int64_t, int64_t>> taken;  // [offset, end) of placed neighbours
  for (int32_t i : order) {
    taken.clear();
    for (int64_t k = p.begin[i]; k < p.begin[i + 1]; ++k) {
      const int32_t other = p.neighbours[k];
      if (result.offset[other] < 0) continue;
      taken.push_back({result.offset[other], result.offset[other] + p.size[other]});
    }
    std::sort(taken.begin(), taken.end());
    int64_t at = 0;
    for (const auto& [low, high] : taken) {
      if (low - at >= p.size[i]) break;
      at = std::max(at, high);
    }
    result.offset[i] = at;
    result.peak = std::max(result.peak, at + p.size[i]);
  }
  return result;
}

namespace {

// The buffers to place, the one with the lowest offset next; ties by the order given. Few are
// found soonest by looking at all of them, many with a queue.
class Candidates {
 public:
  Candidates(const Order& order, const std::vector<int64_t>& offset)
      : offset_(offset), left_(order), scan_(order.size() <= 1500) {
    if (scan_) return;
    for (size_t r = 0; r < order.size(); ++r) queue_.push({0, -static_cast<int32_t>(r), order[r]});
    left_.clear();
  }
  bool empty() const { return left_.empty() && queue_.empty(); }
  int32_t take() { return scan_ ? take_by_scan() : take_from_queue(); }

 private:
  int32_t take_by_scan() {
    size_t best = 0;
    int64_t lowest = INT64_MAX;
    for (size_t k = 0; k < left_.size(); ++k) {
      const int64_t at = offset_[left_[k]];
      if (at < lowest) {
        lowest = at;
        best = k;
      }
    }
    const int32_t i = left_[best];
    left_.erase(left_.begin() + static_cast<int64_t>(best));
    return i;
  }
  int32_t take_from_queue() {
    for (;;) {
      auto [below, rank, i] = queue_.top();
      queue_.pop();
      if (-below == offset_[i]) return i;
      queue_.push({-offset_[i], rank, i});  // offsets only grow: it goes back where it belongs
    }
  }
  const std::vector<int64_t>& offset_;
  Order left_;
  bool scan_;
  std::priority_queue<std::tuple<int64_t, int32_t, int32_t>> queue_;  // -offset, -rank, buffer
};

}  // namespace

Placement skyline(const Problem& p, const Order& order) {
  Placement result;
  result.offset.assign(p.count(), 0);
  std::vector<bool> placed(p.count(), false);
  for (Candidates candidates(order, result.offset); !candidates.empty();) {
    const int32_t i = candidates.take();
    placed[i] = true;
    result.order.push_back(i);
    const int64_t top = result.offset[i] + p.size[i];
    result.peak = std::max(result.peak, top);
    for (int64_t k = p.begin[i]; k < p.begin[i + 1]; ++k) {
      const int32_t other = p.neighbours[k];
      if (!placed[other]) result.offset[other] = std::max(result.offset[other], top);
    }
  }
  return result;
}

namespace {

// Heights by section: maximum over a range, assignment to a range.
class Heights {
 public:
  explicit Heights(int32_t n) {
    while (width_ < n) width_ *= 2;
    max_.assign(2 * width_, 0);
    assigned_.assign(2 * width_, -1);
  }
  int64_t max(int32_t begin, int32_t end) { return query(1, 0, width_, begin, end); }
  void assign(int32_t begin, int32_t end, int64_t value) {
    update(1, 0, width_, begin, end, value);
  }

 private:
  void push(int32_t node) {
    if (assigned_[node] < 0) return;
    for (int32_t child : {2 * node, 2 * node + 1}) {
      max_[child] = assigned_[child] = assigned_[node];
    }
    assigned_[node] = -1;
  }
  int64_t query(int32_t node, int32_t low, int32_t high, int32_t begin, int32_t end) {
    if (end <= low || high <= begin) return 0;
    if (begin <= low && high <= end) return max_[node];
    push(node);
    const int32_t mid = (low + high) / 2;
    return std::max(query(2 * node, low, mid, begin, end),
                    query(2 * node + 1, mid, high, begin, end));
  }
  void update(int32_t node, int32_t low, int32_t high, int32_t begin, int32_t end, int64_t value) {
    if (end <= low || high <= begin) return;
    if (begin <= low && high <= end) {
      max_[node] = assigned_[node] = value;
      return;
    }
    push(node);
    const int32_t mid = (low + high) / 2;
    update(2 * node, low, mid, begin, end, value);
    update(2 * node + 1, mid, high, begin, end, value);
    max_[node] = std::max(max_[2 * node], max_[2 * node + 1]);
  }
  int32_t width_ = 1;
  std::vector<int64_t> max_, assigned_;
};

}  // namespace

Placement stack(const Problem& p, const Order& order) {
  Placement result;
  result.order = order;
  result.offset.assign(p.count(), 0);
  Heights heights(std::max(p.sections, 1));
  for (int32_t i : order) {
    const int64_t at = heights.max(p.first[i], p.last[i]);
    heights.assign(p.first[i], p.last[i], at + p.size[i]);
    result.offset[i] = at;
    result.peak = std::max(result.peak, at + p.size[i]);
  }
  return result;
}

Placement allocate_in_time(const Problem& p) {
  Placement result;
  result.offset.assign(p.count(), 0);
  Order starts(p.count()), ends(p.count());
  std::iota(starts.begin(), starts.end(), 0);
  ends = starts;
  // Larger first among those that start together.
  std::sort(starts.begin(), starts.end(), [&](int32_t a, int32_t b) {
    if (p.first[a] != p.first[b]) return p.first[a] < p.first[b];
    if (p.size[a] != p.size[b]) return p.size[a] > p.size[b];
    return a < b;
  });
  std::sort(ends.begin(), ends.end(), [&](int32_t a, int32_t b) {
    return p.last[a] != p.last[b] ? p.last[a] < p.last[b] : a < b;
  });
  constexpr int64_t kEnd = INT64_MAX / 2;
  std::map<int64_t, int64_t> gaps{{0, kEnd}};                              // offset -> bytes
  std::map<std::pair<int64_t, int64_t>, bool> by_size{{{kEnd, 0}, true}};  // (bytes, offset)
  const auto insert_gap = [&](int64_t at, int64_t bytes) {
    gaps.emplace(at, bytes);
    by_size.emplace(std::make_pair(bytes, at), true);
  };
  const auto erase_gap = [&](std::map<int64_t, int64_t>::iterator gap) {
    by_size.erase({gap->second, gap->first});
    return gaps.erase(gap);
  };
  result.order = starts;
  size_t done = 0;
  for (int32_t i : starts) {
    for (; done < ends.size() && p.last[ends[done]] <= p.first[i]; ++done) {
      int64_t at = result.offset[ends[done]], bytes = p.size[ends[done]];
      auto after = gaps.lower_bound(at);
      if (after != gaps.end() && after->first == at + bytes) {
        bytes += after->second;
        after = erase_gap(after);
      }
      if (after != gaps.begin()) {
        auto before = std::prev(after);
        if (before->first + before->second == at) {
          at = before->first;
          bytes += before->second;
          erase_gap(before);
        }
      }
      insert_gap(at, bytes);
    }
    const auto best = by_size.lower_bound({p.size[i], 0});  // smallest gap that is enough
    const int64_t bytes = best->first.first, at = best->first.second;
    erase_gap(gaps.find(at));
    if (bytes > p.size[i]) insert_gap(at + p.size[i], bytes - p.size[i]);
    result.offset[i] = at;
    result.peak = std::max(result.peak, at + p.size[i]);
  }
  return result;
}

}  // namespace place
}  // namespace hybrid
