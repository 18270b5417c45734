// Auxiliary states: inputs that an operator reads at inference and that training changes
// (BatchNorm's moving statistics). An operator that has them has an attribute "batch_stats": None
// as written, then True (training: it does without the states, and each gets a new value) or False.
#pragma once
#include <cstdint>
#include <vector>

#include "ops/op.h"

namespace hybrid {

// state <- moving_average(state, output), or output itself where the operator writes its states
// whenever it runs: positions among the operator's inputs and outputs.
struct StateUpdate {
  int state, output;
};

// What such an operator has beside its entry in the op table, or one with hidden outputs alone.
struct StatesDef {
  size_t first = SIZE_MAX;  // inputs from here on are states
  std::vector<StateUpdate> updates;
  // Optimizers' updates: hidden outputs in order, which calls write into these inputs.
  std::vector<StateUpdate> (*written)(const Attrs&) = nullptr;
  // Outputs that a call gives; the others serve its gradient and its states.
  int (*num_visible)(const Attrs&) = nullptr;
  std::vector<const char*> output_names;  // in list_outputs()
  int mx_outputs = 0;  // of MXNet's operator, hidden ones included; 0: those that a call gives
};
void add_states(const OpDef* op, StatesDef def);  // used by the families only
const StatesDef* states_of(const OpDef& op);      // null when it has none

bool is_state(const OpDef& op, size_t input);
// The same of one use: a custom operator's states follow its arguments.
bool is_state(const OpDef& op, const Attrs& attrs, size_t input);
// What a use writes whenever it runs.
std::vector<StateUpdate> written_states(const OpDef& op, const Attrs& attrs);
int count_visible(const OpDef& op, const Attrs& attrs);  // outputs that a call gives
// Is it still open whether this use is training?
bool is_mode_open(const OpDef& op, const Attrs& attrs);
// Closes it; returns whether the states get new values.
bool set_mode(bool training, Attrs* attrs);
// Attributes of the moving_average that makes a state's new value.
Attrs moving_average_of(const Attrs& attrs);

void register_batch_norm();
void register_sync_batch_norm();

}  // namespace hybrid
