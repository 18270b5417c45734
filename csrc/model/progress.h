// Progress: which operators have ended on the modelled clock and are still to be computed.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace hybrid {
namespace model {

class Progress {
 public:
  void ended(uint32_t serial, uint16_t lane, double begun_s) {
    if (early_.erase(serial)) return;
    late_[lane].insert({begun_s, serial});
    begun_[serial] = {lane, begun_s};
  }
  void computed(uint32_t serial) {
    const auto found = begun_.find(serial);
    if (found == begun_.end()) {
      early_.insert(serial);
      return;
    }
    late_[found->second.first].erase({found->second.second, serial});
    begun_.erase(found);
  }
  void clear() {
    late_.clear();
    begun_.clear();
    early_.clear();
  }
  // Of lanes whose operators are not all computed: up to when they are.
  template <class F>
  void each_late(F&& f) const {
    for (const auto& [lane, operators] : late_) {
      if (!operators.empty()) f(lane, operators.begin()->first);
    }
  }

 private:
  std::map<uint16_t, std::set<std::pair<double, uint32_t>>> late_;  // by begin, by serial
  std::unordered_map<uint32_t, std::pair<uint16_t, double>> begun_;
  std::unordered_set<uint32_t> early_;  // computed, and not ended
};

}  // namespace model
}  // namespace hybrid
