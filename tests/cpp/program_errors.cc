// Errors inside kernels, naive mode and virtual devices: programs and single operators alike.
#include <doctest/doctest.h>

#include "core/error.h"
#include "launch/random.h"
#include "launch/run_op.h"
#include "random_graphs.h"

using namespace exec_test;

namespace {

// An operator whose kernel always fails; not in the table.
const OpDef& failing_op() {
  static const OpDef op = [] {
    OpDef def;
    def.name = "always_fails";
    def.inputs = {{"data", "anything"}};
    def.infer = [](InferContext& c) {
      c.out_shapes[0] = c.in_shapes[0];
      c.out_dtypes[0] = c.in_dtypes[0];
    };
    def.cpu = [](KernelContext&) { fail("always_fails: as it should"); };
    return def;
  }();
  return op;
}

NDArray fail_eagerly(const NDArray& a) {
  return run_op(failing_op(), Attrs(&failing_op()), {a}, 0)[0];
}

Entry failing(Maker* m, Entry x) {
  Node n;
  n.op = &failing_op();
  n.attrs = Attrs(n.op);
  n.name = "failing";
  n.inputs = {x};
  infer_node(m->graph, &n);
  return {m->graph.add(std::move(n)).id, 0};
}

struct SettingsScope {
  engine::Settings before = engine::settings();
  explicit SettingsScope(engine::Kind kind, bool inline_small) {
    engine::Settings s = before;
    s.kind = kind;
    s.inline_small = inline_small;
    engine::set_settings(s);
  }
  ~SettingsScope() { engine::set_settings(before); }
};

std::string read_error(const NDArray& a) {
  return error_of([&] { engine::wait_to_read(a.storage.get()); });
}

}  // namespace

TEST_CASE("errors: a kernel's error waits in what it should have written, inline or not") {
  for (bool inline_small : {true, false}) {
    CAPTURE(inline_small);
    SettingsScope scope(engine::Kind::threaded, inline_small);
    const NDArray given = sample({3}, 3);
    const NDArray bad = fail_eagerly(given);
    const NDArray dependent = eager("exp", {bad})[0];
    CHECK(read_error(bad).find("always_fails") != std::string::npos);
    CHECK(read_error(bad).find("always_fails") != std::string::npos);  // again
    CHECK(read_error(dependent).find("always_fails") != std::string::npos);

    Maker m;
    const Entry x = m.input("x", {3}), y = m.input("y", {3});
    m.output(m.op("add", {failing(&m, x), y}));
    const ProgramRef program = compile(m.graph, {}).program;
    const NDArray out = program->run({given, sample({3}, 1)}, {})[0];
    CHECK(read_error(out).find("always_fails") != std::string::npos);
    // A poisoned input poisons the results, without running.
    Maker next;
    next.output(next.op("exp", {next.input("x", {3})}));
    const NDArray after = compile(next.graph, {}).program->run({out}, {})[0];
    CHECK(read_error(after).find("always_fails") != std::string::npos);
    // Wholly overwritten, it is a value again.
    const std::vector<NDArray> into{bad};
    const OpDef* exp = get_op("exp");
    run_op(*exp, Attrs(exp), {sample({3}, 2)}, 0, &into);
    CHECK(read_error(bad).empty());
    CHECK(error_of([] { engine::wait_all(); }) == "");  // every error was raised before
    const NDArray unread = fail_eagerly(given);
    CHECK(error_of([] { engine::wait_all(); }).find("always_fails") != std::string::npos);
    CHECK(error_of([] { engine::wait_all(); }) == "");  // reported once
  }
}

TEST_CASE("errors: naive mode raises at the call") {
  SettingsScope scope(engine::Kind::naive, false);
  const NDArray given = sample({3}, 3);
  CHECK_THROWS_AS(fail_eagerly(given), Error);
  Maker m;
  m.output(failing(&m, m.input("x", {3})));
  const ProgramRef program = compile(m.graph, {}).program;
  CHECK_THROWS_AS(program->run({given}, {}), Error);
}

TEST_CASE("program: naive, queued and virtual devices give the same bits") {
  const PoisonFreed poison;
  const VirtualGpus gpus(2);
  const Context gpu{DeviceType::gpu, 1};
  for (uint64_t seed = 50; seed < 60; ++seed) {
    CAPTURE(seed);
    const RandomGraph r = random_graph(seed, 40);
    const std::vector<uint64_t> keys = next_keys(r.graph.num_keys);
    CompileOptions o;
    o.pass.training = true;
    const ProgramRef program = compile(r.graph, o).program;
    const std::vector<NDArray> expected = program->run(r.inputs, keys);
    std::vector<NDArray> naive, device, there;
    {
      SettingsScope scope(engine::Kind::naive, false);
      naive = program->run(r.inputs, keys);
    }
    for (const NDArray& a : r.inputs) {
      there.push_back(NDArray::empty(a.shape, a.dtype, gpu));
      copy_array(a, there.back());
    }
    device = program->run(there, keys);
    for (size_t i = 0; i < expected.size(); ++i) {
      CHECK(bytes_of(naive[i]) == bytes_of(expected[i]));
      CHECK(device[i].ctx() == gpu);
      CHECK(bytes_of(device[i]) == bytes_of(expected[i]));
    }
  }
  engine::wait_all();
}

TEST_CASE("program: arena and outputs come from the pool and go back") {
  Maker m;
  Entry x = m.input("x", {64, 64});
  for (int i = 0; i < 6; ++i) x = m.op("dot", {x, x});
  m.output(x);
  const ProgramRef program = compile(m.graph, {}).program;
  const NDArray input = sample({64, 64}, 1);
  engine::wait_all();
  const int64_t before = pool_stats(Context()).used;
  reset_pool_peak(Context());
  {
    const NDArray out = program->run({input}, {})[0];
    engine::wait_to_read(out.storage.get());
    engine::wait_all();
    const int64_t measured = pool_stats(Context()).peak - before;
    CHECK(measured >= program->plan().arena_bytes + out.nbytes());
    CHECK(program->plan().planned_bytes == 2 * 64 * 64 * 8);
    // Six values, one at a time beside its input; the pool may hold workspace of the product too.
    CHECK(pool_stats(Context()).used - before == out.nbytes());
  }
  CHECK(pool_stats(Context()).used == before);
}
