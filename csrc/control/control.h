// Control flow as operators: cond, while_loop and foreach, whose bodies are graphs of their own.
#pragma once
#include <memory>

#include "control/body.h"

namespace hybrid {

// To every pass they are opaque operators; their bodies are compiled by the same passes when their
// types are known. A run is one engine task: programs in sequence, no Python, the cancel flag
// polled before every kernel, at most two generations of the carried values alive.
//
// cond: inputs pred, captured...; both branches take the captured values; outputs are a branch's.
const OpDef& cond_op();
// while_loop: inputs carried..., captured...; the condition gives one element, the body
// step outputs... and then the carried values of the next step. Outputs: the step outputs stacked
// to max_iterations rows (zeros where no step was made), then the carried values. With must_end a
// condition that still holds after max_iterations steps is an error.
const OpDef& while_loop_op();
// foreach: inputs data..., carried..., captured...; the body takes [counter,] a row of each data,
// carried..., captured... and gives step outputs... and carried.... Without data the number of
// steps is an attribute, and the counter start, start + step, ... an int64 of rank 0: a counted
// loop.
const OpDef& foreach_op();

Attrs cond_attrs(std::shared_ptr<const Body> then_branch, std::shared_ptr<const Body> else_branch);
Attrs while_loop_attrs(std::shared_ptr<const Body> condition, std::shared_ptr<const Body> body,
                       int64_t carried, int64_t max_iterations = -1, bool must_end = false);
struct Counter {
  bool used = false;
  int64_t start = 0, step = 1, steps = -1;  // steps: -1 as many as the data has rows
};
Attrs foreach_attrs(std::shared_ptr<const Body> body, int64_t data, int64_t carried,
                    Counter counter = {});

// Gradients: of cond a cond (control/control_gradient.cc), of the loops an operator that runs the
// steps again, keeping what each began with, and then backward (control/loop_gradient.cc).
void cond_gradient(GradBuilder& b);
void loop_gradient(GradBuilder& b);

}  // namespace hybrid
