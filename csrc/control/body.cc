#include "control/body.h"

#include <list>

#include "core/error.h"
#include "engine/engine.h"
#include "ops/states.h"

namespace hybrid {
namespace {

constexpr size_t kShared = 256;  // programs kept for bodies that will be recorded again

uint64_t mixed(uint64_t h, uint64_t word) {
  return (h ^ (word + 0x9e3779b97f4a7c15ull)) * 0xbf58476d1ce4e5b9ull + (h >> 29);
}

// The programs of all bodies, most recently used first.
struct SharedPrograms {
  ObjectMutex mutex;
  std::list<std::pair<uint64_t, ProgramRef>> programs;

  ProgramRef find(uint64_t key) {
    const ObjectGuard lock(mutex);
    for (auto it = programs.begin(); it != programs.end(); ++it) {
      if (it->first != key) continue;
      programs.splice(programs.begin(), programs, it);
      return it->second;
    }
    return nullptr;
  }
  void add(uint64_t key, const ProgramRef& program) {
    const ObjectGuard lock(mutex);
    programs.emplace_front(key, program);
    if (programs.size() > kShared) programs.pop_back();
  }
};

SharedPrograms& shared() {
  static auto* programs = new SharedPrograms;
  return *programs;
}

ProgramRef compile_body(const Graph& graph, const std::vector<Shape>& shapes,
                        const std::vector<DType>& dtypes) {
  CompileOptions options;
  options.pass.input_shapes = shapes;
  options.pass.input_dtypes = dtypes;
  options.keep_stages = false;
  ProgramRef program = compile(graph, options).program;
  // A nested run enters no queue, so nothing would wait for a constant that is still being made.
  for (const Node& n : program->graph().nodes) {
    if (n.kind == NodeKind::constant) engine::wait_to_read(n.value.storage.get());
  }
  return program;
}

bool may_draw(const Node& n) {
  if (n.op->drops_in_training && n.op->attr_index("p") >= 0) return n.attrs.real("p") != 0;
  return n.op->random;
}

void check_op(const Node& n) {
  if (n.op == nullptr) return;
  const auto allow = [&n](bool allowed, const char* what) {
    if (allowed) return;
    const std::string line = line_of(n.site);
    fail(n.op->name, ": a branch or loop body cannot ", what, line.empty() ? "" : " (", line,
         line.empty() ? "" : ")");
  };
  allow(!may_draw(n), "draw random numbers");
  allow(n.op->meeting_key(n.attrs).empty(), "wait for other devices");
  allow(!is_mode_open(*n.op, n.attrs) || n.attrs.boolean("use_global_stats"),
        "change states; use_global_stats=True only reads them");
  allow(written_states(*n.op, n.attrs).empty(), "write states");
}

}  // namespace

std::shared_ptr<const Body> Body::make(Graph graph) {
  auto body = std::make_shared<Body>();
  for (Node& n : graph.nodes) {
    require(n.kind != NodeKind::effect, "a branch or loop body cannot print");
    check_op(n);
    n.segment = 0;  // the same body is the same program wherever it stands
    const std::string line = line_of(n.site);
    for (unsigned char c : line) body->lines_ = mixed(body->lines_, c);
  }
  graph.check();
  body->hash_ = graph.hash();
  body->graph_ = std::move(graph);
  return body;
}

std::string Body::summary() const {
  int operators = 0;
  for (const Node& n : graph_.nodes) operators += n.kind == NodeKind::op;
  return "graph of " + std::to_string(operators) + (operators == 1 ? " operator" : " operators");
}

ProgramRef Body::program(const std::vector<Shape>& shapes, const std::vector<DType>& dtypes) const {
  {
    const ObjectGuard lock(mutex_);
    for (const Made& m : made_) {
      if (m.shapes == shapes && m.dtypes == dtypes) return m.program;
    }
  }
  uint64_t key = mixed(hash_, lines_);
  for (const Shape& s : shapes) {
    key = mixed(key, static_cast<uint64_t>(s.ndim()));
    for (int64_t d : s) key = mixed(key, static_cast<uint64_t>(d));
  }
  for (DType d : dtypes) key = mixed(key, static_cast<uint64_t>(d));
  ProgramRef program = shared().find(key);
  if (!program) {
    program = compile_body(graph_, shapes, dtypes);
    shared().add(key, program);
  }
  const ObjectGuard lock(mutex_);
  made_.push_back({shapes, dtypes, program});
  return program;
}

double Body::cost_ns(const std::vector<Shape>& shapes) const {
  const ObjectGuard lock(mutex_);
  for (const Made& m : made_) {
    if (m.shapes == shapes) return m.program->cost_ns();
  }
  return 0;
}

}  // namespace hybrid
