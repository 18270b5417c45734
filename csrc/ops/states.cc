#include "ops/states.h"

#include <deque>
#include <utility>

#include "ops/custom.h"

namespace hybrid {

namespace {

// Few operators have states.
std::deque<std::pair<const OpDef*, StatesDef>>& table() {
  static auto* defs = new std::deque<std::pair<const OpDef*, StatesDef>>;
  return *defs;
}

}  // namespace

void add_states(const OpDef* op, StatesDef def) { table().emplace_back(op, std::move(def)); }

const StatesDef* states_of(const OpDef& op) {
  for (const auto& [known, def] : table()) {
    if (known == &op) return &def;
  }
  return nullptr;
}

bool is_state(const OpDef& op, size_t input) {
  const StatesDef* def = states_of(op);
  return def != nullptr && input >= def->first;
}

size_t first_state(const OpDef& op, const Attrs& attrs) {
  if (is_custom(op)) return custom_first_state(attrs);
  const StatesDef* def = states_of(op);
  return def != nullptr ? def->first : SIZE_MAX;
}

int count_visible(const OpDef& op, const Attrs& attrs) {
  const StatesDef* def = states_of(op);
  return def != nullptr ? def->num_visible(attrs) : op.count_outputs(attrs);
}

bool is_mode_open(const OpDef& op, const Attrs& attrs) {
  const StatesDef* def = states_of(op);
  return def != nullptr && !def->updates.empty() && !attrs.has("batch_stats");
}

bool set_mode(bool training, Attrs* attrs) {
  const bool own = training && !attrs->boolean("use_global_stats");
  attrs->set("batch_stats", own);
  return own;
}

Attrs moving_average_of(const Attrs& attrs) {
  Attrs average(get_op("moving_average"));
  average.set("momentum", attrs.at("momentum"));
  return average;
}

}  // namespace hybrid
