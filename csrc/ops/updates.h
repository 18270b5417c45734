// Updates of weights by optimizers, each a formula of elementwise code. As functions they give the
// new weight and, as hidden outputs, the new states, which calls write into the states' arrays
// (StatesDef::written): so passes and plans see plain operators, and nothing reads half an update.
#pragma once
#include <vector>

#include "ops/elem_terms.h"
#include "ops/op.h"

namespace hybrid {

// What a formula reads: of one weight.
struct Step {
  const Attrs& attrs;
  double lr = 0, wd = 0, eta = 0, rescale = 1;
  Term weight, grad;         // the weight's float32 copy, where there is one
  std::vector<Term> states;  // its own ones, in order
  // clip(rescale * grad [+ wd * weight]); a bound of 0 or less is none.
  Term clipped_grad(const char* bound = "clip_gradient") const;
  Term clipped_decayed_grad(const char* bound = "clip_gradient") const;
};

// The new weight, then the new states.
using UpdateFormula = std::vector<Term> (*)(const Step&);

struct UpdateRule {
  UpdateFormula formula = nullptr;
  int states = 0;               // of one weight, without its copy
  bool copies = false;          // float16 weights: their float32 copies are the last state
  bool many = false;            // several weights: lrs, wds, num_weights
  bool preloaded = false;       // the last two inputs are lrs and wds
  bool scale_is_input = false;  // the last input is rescale_grad; 0 or not finite: no update
  int kept() const { return states + (copies ? 1 : 0); }
  int per_weight() const { return 2 + kept(); }
};

struct UpdateDef {
  const char* name;
  const char* doc;
  std::vector<InputDef> states;
  std::vector<AttrDef> attrs;
  UpdateRule rule;
};
void add_update(const UpdateDef& def);

// Attributes that most have.
AttrDef update_lr();
AttrDef update_wd();
AttrDef update_rescale();
AttrDef update_clip(const char* name = "clip_gradient");
AttrDef update_lazy();
// A share as MXNet's operators have it: of single precision, in what 1 - share is too.
double share(const Attrs& attrs, const char* name);

// By the files of the formulas.
void register_updates_of_sgd();
void register_updates_of_moments();
void register_updates_of_layers();

}  // namespace hybrid
