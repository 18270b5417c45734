// Errors are kept in what an operator failed to write, with where it was pushed.
#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

engine::Props at_line(const char* name, int line) {
  engine::Props p = props(name);
  p.site = trace::intern_site({"cell-1", line, 0, "work.py"});
  return p;
}

void fail_with(const char* text) { throw Error(text); }

}  // namespace

TEST_CASE("engine: an error is raised by every read, and names operator and line") {
  Engine engine;
  const StorageRef x = cell();
  push([] { fail_with("no such luck"); }, {}, {x}, at_line("dot", 3));
  for (int i = 0; i < 3; ++i) {
    CHECK(message_of([&] { engine::wait_to_read(x.get()); }) ==
          "dot: no such luck\n  pushed at work.py, line 3");
    CHECK_THROWS_AS(engine::wait_to_write(x.get()), Error);
  }
  CHECK_NOTHROW(engine::wait_all());  // somebody has seen it
}

TEST_CASE("engine: the message forms") {
  Engine engine;
  const StorageRef x = cell();
  push([] { fail_with("dot: named already"); }, {}, {x}, props("dot"));
  CHECK(message_of([&] { engine::wait_to_read(x.get()); }) == "dot: named already");
  engine::Props p = props("dot");
  p.site = trace::intern_site({"7", 2, 0, ""});
  push([] { throw std::bad_alloc(); }, {}, {x}, p);
  CHECK(message_of([&] { engine::wait_to_read(x.get()); }) ==
        "dot: out of memory\n  pushed at cell 7, line 2");
  push([] { throw 3; }, {}, {x}, props("dot"));
  CHECK(message_of([&] { engine::wait_to_read(x.get()); }).find("unknown") != std::string::npos);
}

TEST_CASE("engine: dependents do not run and carry the same error, until a whole overwrite") {
  Engine engine;
  const StorageRef a = cell(), b = cell(), c = cell(), d = cell();
  std::atomic<int> ran{0};
  push([] { fail_with("first"); }, {}, {a}, at_line("bad", 1));
  push([&] { ++ran; }, {a}, {b}, at_line("next", 2));
  push([&] { ++ran; }, {b}, {c, d}, at_line("last", 3));
  for (const StorageRef& s : {a, b, c, d}) {
    CHECK(message_of([&] { engine::wait_to_read(s.get()); }) ==
          "bad: first\n  pushed at work.py, line 1");
  }
  CHECK(ran == 0);
  engine::Props part = props("part");
  part.whole_overwrite = false;
  push([&] { ++ran; }, {}, {c}, part);  // half of c would still be missing
  CHECK_THROWS_AS(engine::wait_to_read(c.get()), Error);
  CHECK(ran == 0);
  push([&] { ++ran; }, {}, {c}, props("whole"));
  CHECK_NOTHROW(engine::wait_to_read(c.get()));
  push([&] { ++ran; }, {}, {c}, part);
  CHECK_NOTHROW(engine::wait_to_read(c.get()));
  CHECK(ran == 2);
  CHECK_THROWS_AS(engine::wait_to_read(d.get()), Error);
}

TEST_CASE("engine: wait_all raises each error once, oldest first, after everything has finished") {
  Engine engine;
  const StorageRef a = cell(), b = cell(), c = cell();
  std::atomic<bool> last{false};
  push([] { fail_with("one"); }, {}, {a}, props("op1"));
  push([] {}, {a}, {c}, props("dependent"));
  push([] { fail_with("two"); }, {}, {b}, props("op2"));
  push(
      [&last] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        last = true;
      },
      {}, {cell()});
  CHECK(message_of([] { engine::wait_all(); }) == "op1: one");
  CHECK(last);
  CHECK(message_of([] { engine::wait_all(); }) == "op2: two");
  CHECK_NOTHROW(engine::wait_all());
  CHECK_THROWS_AS(engine::wait_to_read(a.get()), Error);  // reading goes on raising
  CHECK_THROWS_AS(engine::wait_to_read(c.get()), Error);
}

TEST_CASE("engine: an error of an array nobody kept is still raised") {
  Engine engine;
  push([] { fail_with("lost"); }, {}, {cell()}, props("op"));
  CHECK(message_of([] { engine::wait_all(); }) == "op: lost");
}

TEST_CASE("engine: inline errors are stored too, in naive mode they raise at once") {
  {
    Engine engine(engine::Kind::threaded, true);
    const StorageRef a = cell(), b = cell();
    bool ran = false;
    CHECK_NOTHROW(push([] { fail_with("inline"); }, {}, {a}, props("op", 100)));
    CHECK_NOTHROW(push([&] { ran = true; }, {a}, {b}, props("op2", 100)));
    CHECK_FALSE(ran);
    CHECK(message_of([&] { engine::wait_to_read(b.get()); }) == "op: inline");
    CHECK_NOTHROW(push([&] { ran = true; }, {}, {b}, props("op2", 100)));
    CHECK_NOTHROW(engine::wait_to_read(b.get()));
    CHECK(ran);
    Storage* const out[] = {a.get()};
    engine::fail_inline(out, 1, props("quick"), "by hand");
    CHECK(message_of([&] { engine::wait_to_read(a.get()); }) == "quick: by hand");
  }
  Engine engine(engine::Kind::naive);
  const StorageRef a = cell(), b = cell();
  CHECK(message_of([&] { push([] { fail_with("now"); }, {}, {a}, at_line("op", 9)); }) ==
        "op: now\n  pushed at work.py, line 9");
  CHECK_THROWS_AS(engine::wait_to_read(a.get()), Error);
  CHECK_THROWS_AS(push([] {}, {a}, {b}, props("next")), Error);
  CHECK_NOTHROW(engine::wait_all());
  Storage* const out[] = {b.get()};
  CHECK_THROWS_AS(engine::fail_inline(out, 1, props("quick"), "by hand"), Error);
  CHECK_NOTHROW(push([] {}, {}, {a, b}, props("whole")));
  CHECK_NOTHROW(engine::wait_to_read(a.get()));
}

TEST_CASE("engine: an operator may not wait for another") {
  Engine engine;
  const StorageRef x = cell(), y = cell();
  push([x] { engine::wait_to_read(x.get()); }, {}, {x}, props("selfish"));
  const std::string text = message_of([&] { engine::wait_to_read(x.get()); });
  CHECK(text.find("selfish") != text.npos);
  CHECK(text.find("may not wait") != text.npos);
}

TEST_CASE("engine: settings out of range are refused") {
  engine::Settings s;
  s.limit_ops = 0;
  CHECK_THROWS_AS(engine::set_settings(s), Error);
  s = engine::Settings();
  s.slow_seconds = -1;
  CHECK_THROWS_AS(engine::set_settings(s), Error);
  s.slow_seconds = 0.0 / 0.0;
  CHECK_THROWS_AS(engine::set_settings(s), Error);
  CHECK_THROWS_AS(engine::set_virtual_gpus(65), Error);
  CHECK_THROWS_AS(engine::set_virtual_gpus(-1), Error);
}
