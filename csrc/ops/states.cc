#include "ops/states.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ops/custom.h"

namespace hybrid {

namespace {

std::unordered_map<const OpDef*, StatesDef>& table() {
  static auto* defs = new std::unordered_map<const OpDef*, StatesDef>;
  return *defs;
}

}  // namespace

void add_states(const OpDef* op, StatesDef def) { table().emplace(op, std::move(def)); }

const StatesDef* states_of(const OpDef& op) {
  const auto found = table().find(&op);
  return found == table().end() ? nullptr : &found->second;
}

bool is_state(const OpDef& op, size_t input) {
  const StatesDef* def = states_of(op);
  if (def == nullptr) return false;
  return input >= def->first || (!op.variadic && is_state(op, Attrs(&op), input));
}

bool is_state(const OpDef& op, const Attrs& attrs, size_t input) {
  if (is_custom(op)) return input >= custom_first_state(attrs);
  const StatesDef* def = states_of(op);
  if (def == nullptr) return false;
  if (def->written == nullptr) return input >= def->first;
  const std::vector<StateUpdate> written = def->written(attrs);
  return std::any_of(written.begin(), written.end(),
                     [&](const StateUpdate& u) { return static_cast<size_t>(u.state) == input; });
}

std::vector<StateUpdate> written_states(const OpDef& op, const Attrs& attrs) {
  const StatesDef* def = states_of(op);
  return def == nullptr || def->written == nullptr ? std::vector<StateUpdate>()
                                                   : def->written(attrs);
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
