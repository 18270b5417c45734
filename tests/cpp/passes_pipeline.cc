// The pipeline: which passes run, why others do not, and what can be asked of them by name.
#include "passes/pipeline.h"

#include <doctest/doctest.h>

#include <set>

#include "graph_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

// What became of every pass: "" when it changed something.
std::map<std::string, std::string> run_all(const Graph& graph, const PassOptions& options,
                                           const PassChoice& choice,
                                           Pipeline::PlannedBytes bytes = nullptr) {
  std::map<std::string, std::string> why;
  std::vector<std::string> order;
  Pipeline(options, choice, true, std::move(bytes))
      .run(graph, [&](Pipeline::Step&& step, const Graph&) {
        why[step.pass.name] = step.why_skipped;
        order.push_back(step.pass.name);
      });
  REQUIRE(order.size() == pass_table().size());
  for (size_t i = 0; i < order.size(); ++i) CHECK(order[i] == pass_table()[i].name);
  return why;
}

Graph chain() {
  GraphMaker g;
  const Entry x = g.input("x", {3});
  g.output(g.op("exp", {g.op("add", {x, g.op("neg", {g.real(2.f)})})}), "y");
  return g.graph;
}

}  // namespace

TEST_CASE("pipeline: every pass says why it was not run") {
  PassChoice choice;
  choice.without = {"cse", "plan"};
  auto why = run_all(chain(), {}, choice);
  CHECK(why["fold"] == "");
  CHECK(why["cse"] == "switched off");
  CHECK(why["bn_fold"] == "changes results in the last bits: only with fast");
  CHECK(why["gradient"] == "no gradient was asked for");
  CHECK(why["remat"] == "not asked for: remat=...");
  CHECK(why["place"] == "everything is on one device");
  choice = {};
  choice.only_these = true;
  choice.passes = {"dce"};
  why = run_all(chain(), {}, choice);
  CHECK(why["infer"] == "nothing to do here");  // runs, whatever is listed
  CHECK(why["fold"] == "not in the list of passes");
  CHECK(why["dce"] == "nothing to do here");
}

TEST_CASE("pipeline: names of no pass, and passes that a graph needs") {
  PassChoice choice;
  choice.without = {"inline"};
  CHECK_THROWS_WITH_AS(choice.check(), doctest::Contains("unknown pass 'inline'"), Error);
  choice.without = {"place"};
  choice.check();
  PassOptions options;
  options.devices = true;
  CHECK_THROWS_WITH_AS(run_all(chain(), options, choice),
                       "compile: the pass place is switched off, but the graph runs on cpu(0)",
                       Error);
}

TEST_CASE("pipeline: an order that the plan does not reward is left") {
  GraphMaker g;  // two long values, each reduced at the end
  const Entry x = g.input("x", {1});
  std::vector<Entry> wide;
  for (int i = 0; i < 3; ++i) wide.push_back(g.op("broadcast_to", {x}, "", {{"shape", "(4096,)"}}));
  for (Entry& e : wide) e = g.op("exp", {e});
  for (const Entry& e : wide) g.output(g.op("sum", {e}), "");
  PassChoice only;
  only.only_these = true;
  only.passes = {"schedule"};
  CHECK(run_all(g.graph, {}, only)["schedule"] == "");
  int64_t calls = 0;
  const auto same = [&](const Graph&) {
    ++calls;
    return int64_t{100};
  };
  CHECK(run_all(g.graph, {}, only, same)["schedule"] ==
        "another order would take 100 bytes, that of the code takes 100");
  CHECK(calls == 2);
}

TEST_CASE("pipeline: settings of passes by name") {
  std::set<std::string> names;
  for (const PassInfo& pass : pass_table()) {
    for (const PassSetting& setting : pass.settings) {
      CHECK(names.insert(setting.name).second);
      CHECK(find_setting(setting.name) == &setting);
    }
  }
  CHECK(find_setting("color") == nullptr);
  const PassSetting& limit = *find_setting("fold_limit");
  PassOptions options;
  CHECK(options.settings.integer("fold_limit") == 1 << 16);
  options.settings.set(limit, int64_t{4}, "4");
  CHECK(run_pass("fold", chain()).changes.size() == 2);  // the constant that it read goes, too
  options.settings.set(limit, int64_t{3}, "3");
  const Applied kept = run_pass("fold", chain(), options);
  REQUIRE(kept.changes.size() == 1);
  CHECK(kept.changes[0].why ==
        "it is known before running, but its 4 bytes are more than the limit of 3");
  CHECK_THROWS_WITH_AS(options.settings.set(limit, std::string("big"), "'big'"),
                       "fold_limit: expected bytes; larger results stay where they are, got 'big'",
                       Error);
  find_setting("remat")->set(std::string("sqrt"), "'sqrt'", &options);
  CHECK(options.remat_segments == kSqrtSegments);
  find_setting("remat")->set(int64_t{5}, "5", &options);
  CHECK(options.remat_budget == 5);
  CHECK_THROWS_WITH_AS(find_setting("remat")->set(true, "True", &options),
                       "remat: expected 'sqrt' or a budget in bytes, got True", Error);
}
