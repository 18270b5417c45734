// The passes in running order, with the words people see for them.
#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "passes/epilogue.h"
#include "passes/pass.h"

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

const std::vector<PassInfo>& pass_table() {
  static const std::vector<PassInfo> table = {
      {"infer", "shapes and types",
       "Finds every shape and type from the inputs'; a mismatch is reported here, before running.",
       true, infer},
      {"fold", "constant folding",
       "Computes now what depends on nothing but constants. Random draws and creation operators "
       "(ones, arange) are not constants, and large results stay where they are.",
       true, fold},
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
       true, gradient},
      {"remat", "rematerialization",
       "Computes again, just before the gradient reads it, what would be kept since the forward: "
       "less memory for more time, bit for bit the same.",
       true, remat},
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
       true, place},
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

const char* stage_label(const std::string& name) {
  if (name == "written") return "as written";
  if (name == "plan") return "memory plan";
  return find_pass(name).label;
}

}  // namespace hybrid
