// Which box every anchor of an image belongs to.
#pragma once
#include <cmath>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "ops/boxes.h"

namespace hybrid {

constexpr int64_t kNegative = -1;  // it is to say that there is nothing
constexpr int64_t kIgnored = -2;

struct MultiBoxRules {
  double overlap = 0.5;
  double mining_ratio = -1, mining_overlap = 0.5;
  int64_t least_negative = 0;
};

// What belongs to one image. label: rows of `width` numbers, a class and four corners.
template <class T>
class AnchorMatching {
 public:
  AnchorMatching(const T* anchors, int64_t count, const T* label, int64_t boxes, int64_t width)
      : count_(count), boxes_(boxes), overlaps_(static_cast<size_t>(count * boxes)) {
    for (int64_t i = 0; i < count; ++i) {
      const auto a = Box<T>::corners(anchors + 4 * i);
      for (int64_t k = 0; k < boxes; ++k) {
        overlaps_[static_cast<size_t>(i * boxes + k)] =
            hybrid::overlap(a, Box<T>::corners(label + k * width + 1));
      }
    }
    match_.assign(static_cast<size_t>(count), kIgnored);
    best_.assign(static_cast<size_t>(count), T(-1));
  }

  // Every box takes the free anchor that overlaps it most, the greatest overlap first.
  void match_every_box() {
    std::vector<bool> taken(static_cast<size_t>(boxes_), false);
    while (true) {
      T most = static_cast<T>(1e-6);
      int64_t anchor = -1, box = -1;
      for (int64_t i = 0; i < count_; ++i) {
        if (match_[static_cast<size_t>(i)] >= 0) continue;
        for (int64_t k = 0; k < boxes_; ++k) {
          if (taken[static_cast<size_t>(k)] || overlap(i, k) <= most) continue;
          most = overlap(i, k);
          anchor = i;
          box = k;
        }
      }
      if (anchor < 0) return;
      match_[static_cast<size_t>(anchor)] = box;
      best_[static_cast<size_t>(anchor)] = most;
      taken[static_cast<size_t>(box)] = true;
    }
  }

  // Every other anchor matches the box that it overlaps by more than `least`.
  void match_close_anchors(T least) {
    for (int64_t i = 0; i < count_; ++i) {
      const auto at = static_cast<size_t>(i);
      if (match_[at] >= 0) continue;
      int64_t box = -1;
      for (int64_t k = 0; k < boxes_; ++k) {
        if (overlap(i, k) > best_[at]) best_[at] = overlap(i, box = k);
      }
      if (best_[at] > least) match_[at] = box;
    }
  }

  int64_t count_matched() const {
    return std::count_if(match_.begin(), match_.end(), [](int64_t k) { return k >= 0; });
  }
  std::vector<int64_t>& matches() { return match_; }
  T best(int64_t anchor) const { return best_[static_cast<size_t>(anchor)]; }

 private:
  T overlap(int64_t anchor, int64_t box) const {
    return overlaps_[static_cast<size_t>(anchor * boxes_ + box)];
  }

  int64_t count_, boxes_;
  std::vector<T> overlaps_;
  std::vector<int64_t> match_;
  std::vector<T> best_;
};

// Probability of class 0 in the softmax of an anchor's scores.
template <class T>
T nothing_probability(const T* scores, int64_t anchor, int64_t anchors, int64_t classes) {
  T most = scores[anchor];
  for (int64_t j = 1; j < classes; ++j) most = std::max(most, scores[j * anchors + anchor]);
  T sum = 0;
  for (int64_t j = 0; j < classes; ++j) sum += std::exp(scores[j * anchors + anchor] - most);
  return std::exp(scores[anchor] - most) / sum;
}

// A box's number, kNegative or kIgnored for every anchor.
template <class T>
std::vector<int64_t> match_anchors(const MultiBoxRules& rules, const T* anchors, int64_t count,
                                   const T* label, int64_t boxes, int64_t width, const T* scores,
                                   int64_t classes) {
  AnchorMatching<T> matching(anchors, count, label, boxes, width);
  matching.match_every_box();
  if (rules.overlap > 0) matching.match_close_anchors(static_cast<T>(rules.overlap));
  std::vector<int64_t>& matches = matching.matches();
  if (!(rules.mining_ratio > 0)) {
    for (int64_t& k : matches) k = k == kIgnored ? kNegative : k;
    return matches;
  }
  const int64_t positive = matching.count_matched();
  const double by_ratio =
      std::min(static_cast<double>(positive) * rules.mining_ratio, static_cast<double>(count));
  const int64_t wanted =
      std::min(std::max(static_cast<int64_t>(by_ratio), rules.least_negative), count - positive);
  std::vector<std::pair<T, int64_t>> hard;
  for (int64_t i = 0; i < count; ++i) {
    if (matches[static_cast<size_t>(i)] >= 0) continue;
    if (!(matching.best(i) < static_cast<T>(rules.mining_overlap))) continue;
    hard.emplace_back(nothing_probability(scores, i, count, classes), i);
  }
  std::stable_sort(hard.begin(), hard.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (int64_t i = 0; i < std::min<int64_t>(wanted, static_cast<int64_t>(hard.size())); ++i) {
    matches[static_cast<size_t>(hard[static_cast<size_t>(i)].second)] = kNegative;
  }
  return matches;
}

}  // namespace hybrid
