// What the notes of a pass must tell: every rewrite in order, with its rule and its nodes.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "passes/pass.h"

namespace hybrid {
namespace testing {

// Steps count from 0 without a gap, each with one rule, and touch every node that is in one of the
// graphs alone.
inline void check_steps(const Graph& before, const Graph& after,
                        const std::vector<Change>& changes) {
  std::set<NodeId> touched;
  int32_t step = -1;
  std::string rule;
  for (const Change& c : changes) {
    if (c.action == Change::kept) {
      require(c.step == -1 && c.rule.empty(), "node ", c.node, " is kept by step ", c.step);
      continue;
    }
    require(c.step == step || c.step == step + 1, "step ", c.step, " follows step ", step);
    require(c.step > step || c.rule == rule, "step ", step, " has rules ", rule, " and ", c.rule);
    require(c.rule.find(" -> ") != std::string::npos, "node ", c.node, " by rule '", c.rule, "'");
    step = c.step;
    rule = c.rule;
    touched.insert({c.node, c.into});
  }
  const auto check = [&](const Graph& from, const Graph& to, const char* what) {
    for (const Node& n : from.nodes) {
      require(to.contains(n.id) || touched.count(n.id) > 0, "node ", n.id, what,
              " by none of the steps");
    }
  };
  check(before, after, " goes");
  check(after, before, " comes");
}

}  // namespace testing
}  // namespace hybrid
