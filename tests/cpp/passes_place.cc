// Device placement: random graphs on random devices against the same graphs on one; the parts,
// their plans, updates, errors and what the trace shows.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/device_name.h"
#include "core/error.h"
#include "engine/trace.h"
#include "launch/random.h"
#include "launch/run_op.h"
#include "ops/copy_to_device.h"
#include "passes/mode.h"
#include "program/parts.h"
#include "random_graphs.h"
#include "step_checks.h"

using namespace exec_test;

namespace {

const Context kDevices[] = {
    {DeviceType::cpu, 0}, {DeviceType::gpu, 0}, {DeviceType::gpu, 1}, {DeviceType::cpu, 1}};

struct Below {
  uint64_t state;
  size_t operator()(size_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<size_t>(state >> 33) % n;
  }
};

NDArray on(const NDArray& a, Context ctx) {
  const NDArray copy = NDArray::empty(a.shape, a.dtype, ctx);
  copy_array(a, copy);
  return copy;
}

std::vector<std::string> bytes_of_all(const std::vector<NDArray>& arrays) {
  std::vector<std::string> result;
  for (const NDArray& a : arrays) result.push_back(bytes_of(a));
  return result;
}

struct Marked {
  RandomGraph random;
  std::vector<NDArray> inputs;  // on random devices
  CompileOptions options;
};

// About half of the operators are in a group.
Marked mark(uint64_t seed, int num_nodes, bool training) {
  Marked m{random_graph(seed, num_nodes), {}, {}};
  Below below{seed + 99};
  for (Node& n : m.random.graph.nodes) {
    if (n.kind == NodeKind::op && below(2)) {
      n.extra[kGroupAttribute] = "dev" + std::to_string(below(4));
    }
  }
  m.options.devices.wanted = true;
  for (size_t d = 0; d < 4; ++d) m.options.devices.groups["dev" + std::to_string(d)] = kDevices[d];
  for (const NDArray& a : m.random.inputs) {
    m.inputs.push_back(on(a, kDevices[below(4)]));
    m.options.devices.inputs.push_back(m.inputs.back().ctx());
    m.options.pass.input_shapes.push_back(a.shape);
    m.options.pass.input_dtypes.push_back(a.dtype);
  }
  m.options.pass.training = training;
  return m;
}

bool is_copy(const Node& n) { return n.kind == NodeKind::op && is_device_copy(n.op); }

// Every value stays on its device but for the copies, and no two copies are alike.
void check_placed(const Graph& graph) {
  graph.check();
  std::set<std::pair<Entry, std::string>> copies;
  for (const Node& n : graph.nodes) {
    if (n.kind == NodeKind::effect) continue;
    if (is_copy(n)) {
      CHECK(n.ctx == target_of_copy(n.attrs));
      CHECK(copies.emplace(n.inputs[0], worker_of(n.ctx).str()).second);
    }
    for (const Entry& e : n.inputs) {
      const bool same = same_device(graph.node(e.node).ctx, n.ctx);
      CHECK(same != (is_copy(n) && graph.node(e.node).kind != NodeKind::constant));
    }
  }
}

void check_program(const Program& program) {
  const Graph& graph = program.graph();
  check_placed(graph);
  if (devices_of(graph).size() < 2) return;
  const Plan& plan = program.plan();
  size_t steps = 0;
  for (const ProgramRef& part : program.parts()) {
    check_plan(part->graph(), part->plan());
    CHECK(devices_of(part->graph()).size() == 1);
    steps += part->plan().steps.size();
  }
  for (const Node& n : graph.nodes) steps += crosses_devices(graph, n);
  CHECK(plan.steps.size() == steps);
  int previous = -1;
  for (const NodeId id : plan.steps) {
    CHECK(graph.position(id) > previous);
    previous = graph.position(id);
  }
  int64_t arena = 0, planned = 0;
  for (const DevicePlan& d : plan.devices) {
    CHECK(d.arena_offset == arena);
    CHECK(d.planned_bytes >= d.lower_bound_bytes);
    arena += d.arena_bytes;
    planned += d.planned_bytes;
  }
  CHECK(plan.arena_bytes == arena);
  CHECK(plan.planned_bytes == planned);
  for (size_t p = 0; p < graph.nodes.size(); ++p) {
    for (size_t o = 0; o < plan.buffer_of[p].size(); ++o) {
      const int32_t b = plan.buffer_of[p][o];
      if (graph.nodes[p].kind == NodeKind::effect || b < 0) continue;
      const Buffer& buffer = plan.buffers.at(b);
      CHECK(buffer.end >= buffer.start);
      if (buffer.kind != BufferKind::arena) continue;
      const auto home = std::find_if(plan.devices.begin(), plan.devices.end(), [&](auto& d) {
        return d.ctx == worker_of(graph.nodes[p].ctx);
      });
      REQUIRE(home != plan.devices.end());
      CHECK(buffer.offset >= home->arena_offset);
      CHECK(buffer.offset + buffer.bytes <= home->arena_offset + home->arena_bytes);
    }
  }
}

}  // namespace

TEST_CASE("place: random graphs on random devices equal those on one bit for bit") {
  const PoisonFreed poison;
  const VirtualGpus gpus(2);
  int several = 0;
  size_t copies = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const bool training = seed % 2 == 0;
    const Marked m = mark(seed, 12 + static_cast<int>(seed), training);
    const Graph& written = m.random.graph;
    const std::vector<uint64_t> keys = next_keys(written.num_keys);
    const auto expected = bytes_of_all(run_eagerly(written, m.random.inputs, keys, training));
    CompileOptions options = m.options;
    if (seed % 5 == 0) options.without = {"fuse"};
    if (seed % 7 == 0) options.without = {"plan"};
    const Compiled compiled = compile(written, options);
    check_program(*compiled.program);
    const Graph& placed = compiled.program->graph();
    CHECK(bytes_of_all(compiled.program->run(m.inputs, keys)) == expected);
    const std::vector<NDArray> made = compiled.program->run(m.inputs, keys);
    CHECK(bytes_of_all(made) == expected);
    for (size_t k = 0; k < made.size(); ++k) {
      const Node& n = placed.node(placed.outputs[k].node);
      if (n.kind != NodeKind::constant) CHECK(same_worker(made[k].ctx(), n.ctx));
    }
    std::vector<const Graph*> earlier;
    for (const Stage& stage : compiled.stages) {
      CAPTURE(stage.name);
      for (const Node& n : stage.graph.nodes) {
        bool known = earlier.empty() || !n.origins.empty();
        for (const Graph* g : earlier) known = known || g->contains(n.id);
        CHECK(known);
      }
      earlier.push_back(&stage.graph);
      CHECK(bytes_of_all(run_graph(stage.graph, m.inputs, keys, training)) == expected);
      if (stage.name != "place") continue;
      testing::check_steps(*earlier[earlier.size() - 2], stage.graph, stage.changes);
      for (const Change& c : stage.changes) {
        CHECK_FALSE(c.why.empty());
        if (c.into >= 0) CHECK(stage.graph.contains(c.into));
      }
      PassOptions again = m.options.pass;
      again.devices = true;
      PassContext context{again, {}};
      place(stage.graph, context);
      CHECK_FALSE(changes_something(context.changes));
    }
    if (seed % 4 == 0) {
      const engine::Settings before = engine::settings();
      engine::Settings naive = before;
      naive.kind = engine::Kind::naive;
      engine::set_settings(naive);
      CHECK(bytes_of_all(compiled.program->run(m.inputs, keys)) == expected);
      engine::set_settings(before);
    }
    several += devices_of(placed).size() > 1;
    for (const Node& n : placed.nodes) copies += is_copy(n);
  }
  CHECK(several > 50);
  CHECK(copies > 90);
}

TEST_CASE("place: gradients are where their inputs are, bit for bit") {
  const PoisonFreed poison;
  const VirtualGpus gpus(2);
  for (uint64_t seed = 100; seed < 130; ++seed) {
    CAPTURE(seed);
    const Marked m = mark(seed, 30, true);
    const std::vector<uint64_t> keys = next_keys(m.random.graph.num_keys);
    CompileOptions one = m.options, several = m.options;
    one.devices = DeviceOptions();
    for (CompileOptions* o : {&one, &several}) {
      o->pass.grad_of = m.random.graph.outputs;
      o->pass.grad_wrt = m.random.graph.inputs;
      if (seed % 3 == 0) o->pass.remat_segments = 3;
    }
    const Compiled compiled = compile(m.random.graph, several);
    check_program(*compiled.program);
    const std::vector<NDArray> made = compiled.program->run(m.inputs, keys);
    CHECK(bytes_of_all(made) ==
          bytes_of_all(compile(m.random.graph, one).program->run(m.random.inputs, keys)));
    const size_t heads = m.random.graph.outputs.size();
    for (size_t i = 0; i < m.inputs.size(); ++i) {
      CHECK(same_device(made[heads + i].ctx(), m.inputs[i].ctx()));
    }
  }
}

TEST_CASE("place: donated inputs and updates of arrays on several devices") {
  const PoisonFreed poison;
  const VirtualGpus gpus(2);
  for (uint64_t seed = 200; seed < 240; ++seed) {
    CAPTURE(seed);
    Marked m = mark(seed, 30, false);
    Graph& graph = m.random.graph;
    Below below{seed};
    std::vector<int32_t> updates(graph.outputs.size(), kFresh);
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      for (size_t p = graph.nodes.size(); p-- > 0;) {
        const Entry e{graph.nodes[p].id, 0}, in{graph.inputs[i], 0};
        if (graph.shape(e) != graph.shape(in) || below(2)) continue;
        graph.outputs.push_back(e);
        graph.output_names.push_back("new" + std::to_string(i));
        updates.push_back(below(3) ? static_cast<int32_t>(i) : kGiven);
        break;
      }
    }
    const auto expected =
        bytes_of_all(run_eagerly(graph, m.random.inputs, next_keys(graph.num_keys), false));
    m.options.plan.updates = updates;
    m.options.pass.donated.assign(graph.inputs.size(), true);
    const Compiled compiled = compile(graph, m.options);
    check_program(*compiled.program);
    std::vector<NDArray> given(updates.size());
    for (size_t k = 0; k < updates.size(); ++k) {
      if (updates[k] != kGiven) continue;
      given[k] = NDArray::empty(graph.shape(graph.outputs[k]), graph.dtype(graph.outputs[k]),
                                kDevices[below(4)]);
    }
    const std::vector<NDArray> made = compiled.program->run(
        m.inputs, next_keys(graph.num_keys), std::vector<bool>(graph.inputs.size(), true), nullptr,
        nullptr, given);
    CHECK(bytes_of_all(made) == expected);
    for (size_t k = 0; k < updates.size(); ++k) {
      if (updates[k] == kGiven) CHECK(bytes_of(given[k]) == expected[k]);
      if (updates[k] >= 0) CHECK(bytes_of(m.inputs[updates[k]]) == expected[k]);
    }
  }
}

TEST_CASE("place: one copy for all readers there, said in the notes") {
  const VirtualGpus gpus(1);
  Maker m;
  const Entry x = m.input("x", {4, 128});
  const Entry a = m.op("tanh", {x}), b = m.op("square", {x}),
              c = m.op("dot", {a, b}, {{"transpose_b", "True"}});
  for (const Entry e : {a, b, c}) m.graph.node(e.node).extra[kGroupAttribute] = "dev1";
  m.output(c);
  CompileOptions options;
  options.devices.wanted = true;
  options.devices.groups["dev1"] = kDevices[1];
  options.devices.inputs = {kDevices[0]};
  options.without = {"fuse"};
  const Compiled compiled = compile(m.graph, options);
  const auto stage = std::find_if(compiled.stages.begin(), compiled.stages.end(),
                                  [](const Stage& s) { return s.name == "place"; });
  REQUIRE(stage != compiled.stages.end());
  REQUIRE(stage->changes.size() == 1);
  CHECK(stage->changes[0].why ==
        "x goes from cpu(0) to gpu(0): 4.0 KiB, read by 2 operators there");
  CHECK(compiled.program->parts().size() == 1);
}

TEST_CASE("place: what is missing or switched off is an error") {
  const VirtualGpus gpus(1);
  Maker m;
  const Entry x = m.input("x", {4}), y = m.op("tanh", {x});
  m.graph.node(y.node).extra[kGroupAttribute] = "dev1";
  m.output(y);
  CompileOptions options;
  options.devices.wanted = true;
  options.devices.groups["dev2"] = kDevices[1];
  options.devices.inputs = {kDevices[0]};
  CHECK(error_of([&] { compile(m.graph, options); }).find("no device for the group 'dev1'") !=
        std::string::npos);
  options.devices.groups["dev1"] = kDevices[2];
  CHECK(error_of([&] { compile(m.graph, options); }).find("gpu(1)") != std::string::npos);
  options.devices.groups["dev1"] = kDevices[1];
  const ProgramRef program = compile(m.graph, options).program;
  const std::string wrong = error_of([&] { program->run({on(sample({4}, 1), kDevices[1])}, {}); });
  CHECK(wrong.find("'x' was compiled for cpu(0), given on gpu(0)") != std::string::npos);
  options.without = {"place"};
  CHECK(error_of([&] { compile(m.graph, options); }).find("cpu(0), gpu(0)") != std::string::npos);
  options.without = {};
  options.only_these = true;  // the pass is run all the same: nothing else can
  check_program(*compile(m.graph, options).program);
}

TEST_CASE("place: an error in one part reaches all that reads it and no array that is updated") {
  const VirtualGpus gpus(2);
  Maker m;
  const Entry w = m.input("w", {3}), x = m.input("x", {3}), safe = m.input("safe", {3});
  const Entry bad = m.op("exact_int", {x});  // of nan
  const Entry sum = m.op("add", {w, m.op("cast", {bad}, {{"dtype", "float64"}})});
  const Entry other = m.op("square", {safe});
  m.graph.node(bad.node).extra[kGroupAttribute] = "dev1";
  m.graph.node(other.node).extra[kGroupAttribute] = "dev2";
  m.output(sum);
  m.output(other);
  m.output(other);
  CompileOptions options;
  options.devices.wanted = true;
  options.devices.groups = {{"dev1", kDevices[1]}, {"dev2", kDevices[2]}};
  options.devices.inputs = {kDevices[0], kDevices[0], kDevices[0]};
  options.plan.updates = {kFresh, kFresh, 0};
  const ProgramRef program = compile(m.graph, options).program;
  const NDArray old = sample({3}, 1);
  const std::string before = bytes_of(old);
  const NDArray nan = array({3}, {1.0, NAN, 2.0});
  const auto made = program->run({old, nan, sample({3}, 2)}, {});
  CHECK(error_of([&] { engine::wait_to_read(made[0].storage.get()); }).find("exact_int") !=
        std::string::npos);
  CHECK(bytes_of(made[1]) == bytes_of(eager("square", {sample({3}, 2)})[0]));
  CHECK(bytes_of(old) == before);
  CHECK(error_of([] { engine::wait_all(); }) == "");
  const auto good = program->run({old, sample({3}, 3), sample({3}, 2)}, {});
  CHECK(bytes_of(good[2]) == bytes_of(made[1]));
  CHECK(bytes_of(old) == bytes_of(made[1]));
}

TEST_CASE("place: long parts end where a value leaves, so that devices work at the same time") {
  const VirtualGpus gpus(2);
  Maker m;
  const int64_t n = 128;
  Entry below = m.input("x", {n, n});
  const Entry w = m.input("w", {n, n});
  Entry above;
  for (int step = 0; step < 4; ++step) {  // two layers, a step of the upper needs one of the lower
    below = m.op("dot", {below, w});
    m.graph.node(below.node).extra[kGroupAttribute] = "dev1";
    above = above.defined() ? m.op("dot", {above, below}) : m.op("tanh", {below});
    m.graph.node(above.node).extra[kGroupAttribute] = "dev2";
  }
  m.output(above);
  CompileOptions options;
  options.devices.wanted = true;
  options.devices.groups = {{"dev1", kDevices[1]}, {"dev2", kDevices[2]}};
  options.devices.inputs = {kDevices[1], kDevices[1]};
  const ProgramRef program = compile(m.graph, options).program;
  check_program(*program);
  CHECK(program->parts().size() >= 6);
  Maker small;  // of no cost: one part a device
  Entry y = small.input("y", {2});
  const Entry first = small.op("tanh", {y}), second = small.op("square", {first});
  for (const Entry e : {first, second}) small.graph.node(e.node).extra[kGroupAttribute] = "dev1";
  const Entry third = small.op("neg", {first});
  small.graph.node(third.node).extra[kGroupAttribute] = "dev2";
  small.output(second);
  small.output(third);
  options.devices.inputs = {kDevices[1]};
  CHECK(compile(small.graph, options).program->parts().size() == 2);
}

TEST_CASE("place: what is independent of other devices begins before what waits for them") {
  const VirtualGpus gpus(2);
  for (const auto& [one, other] :
       {std::pair{kDevices[1], kDevices[2]}, {kDevices[0], kDevices[3]}}) {
    Maker m;
    const int64_t n = 128;
    const Entry x = m.input("x", {n, n}), y = m.input("y", {n, n});
    Entry a = x, b = y;
    for (int step = 0; step < 3; ++step) {
      a = m.op("dot", {a, a});
      b = m.op("dot", {b, b});
    }
    const Entry sum = m.op("add", {b, a});  // on y's device
    m.output(sum);
    m.graph.node(sum.node).extra[kGroupAttribute] = "dev2";
    CompileOptions options;
    options.devices.wanted = true;
    options.devices.groups = {{"dev2", other}};
    options.devices.inputs = {one, other};
    const ProgramRef program = compile(m.graph, options).program;
    check_program(*program);
    REQUIRE(program->parts().size() == 3);
    int alone = 0;  // parts that read nothing of another part
    for (const ProgramRef& part : program->parts()) {
      alone += part->graph().inputs.size() == 1;
      for (const Node& node : part->graph().nodes)
        CHECK(same_worker(node.ctx, part->graph().nodes[0].ctx));
    }
    CHECK(alone == 2);
  }
}
