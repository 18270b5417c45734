// The passes in running order, with the words people see for them.
#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "passes/devices.h"
#include "passes/epilogue.h"
#include "passes/pass.h"
#include "passes/passthrough.h"
#include "passes/pipeline.h"

namespace hybrid {

const char* action_name(Change::Action action) {
  switch (action) {
    case Change::folded:
      return "folded";
    case Change::merged:
      return "merged";
    case Change::removed:
      return "removed";
    case Change::fused:
      return "fused";
    case Change::rewritten:
      return "rewritten";
    case Change::added:
      return "added";
    case Change::moved:
      return "moved";
    case Change::kept:
      return "kept";
  }
  return "?";
}

bool changes_something(const std::vector<Change>& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Change& c) { return c.action != Change::kept; });
}

namespace {

// An operator that does nothing outside training has the gradient rule of training.
Graph gradient_as_run(const Graph& graph, PassContext& context) {
  const Graph active = without_passthrough(graph, context.options.training);
  for (const Node& n : graph.nodes) {
    if (!context.explain || active.contains(n.id)) continue;
    NodeId into = n.inputs.at(0).node;
    while (!active.contains(into)) into = graph.node(into).inputs.at(0).node;
    const std::string name = n.op->name;
    context.begin(name + "(x) -> x");
    context.note(Change::removed, n.id, into, name + " does nothing outside training");
  }
  return gradient(active, context);
}

std::string why_no_gradient(const Graph& graph, const PassOptions& options) {
  if (!options.grad_of.empty()) return "";
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), is_backward)
             ? "the gradient is part of the graph as written"
             : "no gradient was asked for";
}

std::string why_no_remat(const Graph&, const PassOptions& options) {
  return options.remat_segments == 0 ? options.why_no_remat : "";
}

std::string why_no_place(const Graph&, const PassOptions&) { return "everything is on one device"; }

std::string why_place(const Graph& graph, const PassOptions& options) {
  if (!options.devices) return "";
  std::string text;
  for (const Context ctx : devices_of(graph)) text += (text.empty() ? "" : ", ") + ctx.str();
  return "the graph runs on " + text;
}

void set_remat(const AttrValue& value, const std::string& shown, PassOptions* options) {
  const auto* const bytes = std::get_if<int64_t>(&value);
  const auto* const name = std::get_if<std::string>(&value);
  if (std::holds_alternative<std::monostate>(value)) return;
  if (name && *name == "sqrt") {
    options->remat_segments = kSqrtSegments;
  } else if (bytes && *bytes > 0) {
    options->remat_budget = *bytes;
  } else {
    fail("remat: expected 'sqrt' or a budget in bytes, got ", shown);
  }
}

}  // namespace

const std::vector<PassInfo>& pass_table() {
  static const std::vector<PassInfo> table = {
      {"infer", "shapes and types",
       "Finds every shape and type from the inputs'; a mismatch is reported here, before running.",
       true, infer, nullptr, nullptr, true},
      {"fold",
       "constant folding",
       "Computes now what depends on nothing but constants. Random draws and creation operators "
       "(ones, arange) are not constants, and large results stay where they are.",
       true,
       fold,
       nullptr,
       nullptr,
       false,
       {{"fold_limit", int64_t{1 << 16}, "bytes; larger results stay where they are"}}},
      {"simplify", "algebraic simplification",
       "Drops work that returns its input bit for bit, such as x * 1 or a transpose undone by the "
       "next one. x + 0.0 stays: it turns -0.0 into 0.0.",
       true, simplify},
      {"cse", "common subexpressions",
       "Computes once what the code computes twice from the same inputs. Two random draws are two "
       "different values.",
       true, cse},
      {"dce", "dead code", "Removes what no output and no effect needs.", true, dce},
      {"bn_fold", "BatchNorm folding",
       "At inference BatchNorm becomes other weights and another bias of the Convolution before "
       "it.",
       false, bn_fold},
      {"gradient", "gradient",
       "Adds the operators that compute the derivative of the heads by the chosen inputs, from the "
       "last line back to the first.",
       true, gradient_as_run, why_no_gradient},
      {"remat",
       "rematerialization",
       "Computes again, just before the gradient reads it, what would be kept since the forward: "
       "less memory for more time, bit for bit the same.",
       true,
       remat,
       why_no_remat,
       nullptr,
       false,
       {{"remat", {}, "'sqrt' or a budget in bytes", set_remat}}},
      {"fuse", "operation folding (fusion)",
       "Joins elementwise operators into one kernel: every element is read once, goes through the "
       "whole chain, and is written once.",
       true, fuse},
      {"reduction", "reduction fusion",
       "Joins reductions of rows with the elementwise work around them, as in softmax and norms: a "
       "kernel takes a few rows through all of it while they are in cache.",
       true, reduction},
      {"epilogue", "epilogue fusion",
       "Elementwise work on the result of FullyConnected or Convolution (bias, activation, "
       "residual "
       "sum) is done by its kernel, part by part while that is in cache.",
       true, epilogue},
      {"place", "device placement",
       "Gives every operator its device and copies a value to where it is read, once for all "
       "readers there.",
       true, place, why_no_place, why_place},
      {"schedule", "schedule",
       "Reorders independent operators when fewer bytes are then alive at once; otherwise keeps "
       "the order of the code.",
       true, schedule},
  };
  return table;
}

const PassInfo& find_pass(const std::string& name) {
  std::string names;
  for (const PassInfo& pass : pass_table()) {
    if (name == pass.name) return pass;
    names += (names.empty() ? "" : ", ") + std::string(pass.name);
  }
  fail("unknown pass '", name, "'; the passes are ", names);
}

const PassSetting* find_setting(const std::string& name) {
  for (const PassInfo& pass : pass_table()) {
    for (const PassSetting& setting : pass.settings) {
      if (name == setting.name) return &setting;
    }
  }
  return nullptr;
}

int64_t PassSettings::integer(const char* name) const {
  const auto found = values_.find(name);
  return std::get<int64_t>(found == values_.end() ? find_setting(name)->initial : found->second);
}

void PassSettings::set(const PassSetting& setting, AttrValue value, const std::string& shown) {
  require(value.index() == setting.initial.index(), setting.name, ": expected ", setting.doc,
          ", got ", shown);
  values_[setting.name] = std::move(value);
}

const char* stage_label(const std::string& name) {
  if (name == "written") return "as written";
  if (name == kPlanStage) return "memory plan";
  return find_pass(name).label;
}

}  // namespace hybrid
