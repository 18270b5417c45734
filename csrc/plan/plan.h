// Memory plan: lifetimes of buffers to offsets in one arena, with the lower bound beside it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

struct Lifetime {  // half-open [lower, upper) in steps
  int32_t id;
  int64_t lower, upper, size;
};

struct Attempt {
  std::string name;  // of the method
  int64_t peak;
};

struct Layout {
  std::vector<int64_t> offsets;  // by position in the input
  std::vector<int32_t> order;    // positions, in the order in which they were placed
  int64_t peak = 0;
  int64_t lower_bound = 0;        // max over time of live bytes
  int64_t proven_bound = 0;       // the same, or higher where a search has proven it
  bool optimal = false;           // peak == proven_bound
  std::vector<Attempt> attempts;  // those that were better than all before
};
// The portfolio: greedy and skyline heuristics, then searches and restarts; stops at the bound.
// `milliseconds` stand for counted work (about that long): the result is the same everywhere.
Layout place_buffers(const std::vector<Lifetime>& lifetimes, int64_t alignment,
                     double milliseconds = 10);

struct ExactProgress {
  double seconds;
  int64_t peak, bound;  // best so far; what is proven
};
// Branch and bound on top of the portfolio, until the peak is proven to be the smallest, the time
// is over, or `go_on` (asked every few milliseconds) says false. The best found is returned.
// `capacity`: a placement that fits into so many bytes is good enough; 0: the smallest is wanted.
Layout place_exact(const std::vector<Lifetime>& lifetimes, int64_t alignment, double limit_seconds,
                   const std::function<bool(const ExactProgress&)>& go_on = {},
                   int64_t capacity = 0);
int64_t max_live(const std::vector<Lifetime>& lifetimes);
struct MethodFigure {
  std::string name;
  int64_t peak;
  double seconds;                // what it took, measured
  std::vector<int64_t> offsets;  // by position in the input
};
// What each heuristic of the portfolio reaches alone. Those beyond `milliseconds` of counted work
// are left out.
std::vector<MethodFigure> place_by_each(const std::vector<Lifetime>& lifetimes, int64_t alignment,
                                        double milliseconds = 2);
// Pairs in `apart` (positions in the list) share no bytes either, though not live together.
Layout place_apart(const std::vector<Lifetime>& lifetimes,
                   const std::vector<std::pair<int32_t, int32_t>>& apart, int64_t alignment);

// given: an array that the caller names for one output at each run.
enum class BufferKind : uint8_t { arena, output, input, constant, given };
struct Buffer {
  int32_t id;
  BufferKind kind;
  int64_t bytes = 0;           // logical bytes
  int64_t offset = 0;          // arena only
  int32_t start = 0, end = 0;  // first and last step it is live, inclusive
  std::vector<Entry> entries;  // that live in it (views, in-place successors), in order of time
  int32_t index = -1;  // output, given: which output; input: which input; constant: node position
};

// Where a value lies in its buffer, in elements from the buffer's start.
struct Window {
  Shape strides;
  int64_t offset = 0;
};

// A graph output that is an input, a constant, a second name of another output or a view of one:
// it is copied to memory of its own after the last step, so that no two results share memory.
struct OutputCopy {
  int32_t output;  // position in graph.outputs
  int32_t buffer;  // where it goes
};

// What becomes of an output, by graph.outputs: memory from the pool, an array given to each run, or
// (0 and up) the new contents of that input's array.
constexpr int32_t kFresh = -1, kGiven = -2;

// A new value that could not be computed where it belongs, since its old value was read or an
// operator might have failed: it is copied there when everything is computed.
struct Commit {
  int32_t output;  // position in graph.outputs
  int32_t buffer;  // of kind input or given
};

// One of several devices that a program runs on.
struct DevicePlan {
  Context ctx;
  int64_t arena_bytes = 0, arena_offset = 0;  // the arenas lie one after the other in the plan
  int64_t planned_bytes = 0;                  // peak of logical bytes created there
  int64_t lower_bound_bytes = 0;              // max-live of the same buffers
};

// How offsets are found: quickly; by place_exact; or so that values share memory only where the
// graph's own edges order their uses, and kernels may run in parallel as if nothing was shared.
enum class PlanMethod : uint8_t { fast, exact, parallel };

struct Plan {
  std::vector<NodeId> steps;  // execution order; every node that runs a kernel or is a view
  std::vector<Buffer> buffers;
  std::vector<std::vector<int32_t>> buffer_of;  // by node position, by output; -1 none
  std::vector<std::vector<Window>> windows;     // by node position, by output
  std::vector<bool> views;         // by node position: a window on its first input, no kernel
  std::vector<OutputCopy> copies;  // made at time steps.size()
  std::vector<int32_t> updates;    // by graph.outputs: kFresh, kGiven or an input
  std::vector<Commit> commits;     // made after the copies
  bool training = false;           // false: Dropout and the like are views
  bool has_backward = false;       // it computes gradients, or what another program reads for them
  bool remat_asked = false;        // what rematerialization can save is saved
  std::vector<bool> donated;       // by graph.inputs: inputs that the program may overwrite
  int64_t arena_bytes = 0;         // aligned to 64
  int64_t planned_bytes = 0;       // peak of logical bytes created, outputs included
  int64_t lower_bound_bytes = 0;   // max-live of the same buffers
  int64_t imperative_bytes = 0;    // every value lives to the end (see bytes.h for bindings)
  PlanMethod method = PlanMethod::fast;
  bool optimal = false;
  std::string why;                  // "optimal" or "at most 4 % above the bound"
  std::vector<int32_t> placed;      // ids of the arena's buffers, in the order of placing them
  std::vector<Attempt> attempts;    // at placing them; the last is the plan
  std::vector<DevicePlan> devices;  // empty when everything runs on one; bytes above are sums
};
struct PlanOptions {
  PlanMethod method = PlanMethod::fast;
  double exact_seconds = 10;  // at most
  std::function<bool(const ExactProgress&)> exact_progress;
  bool in_place = true;
  std::vector<bool> donated;     // by graph.inputs
  std::vector<int32_t> updates;  // by graph.outputs: kFresh (the rest too), kGiven or an input
  bool enabled = true;           // false: every value has its own buffer to the end
  bool training = false;
  bool has_backward = false;
  bool remat_asked = false;
};
// The graph is inferred and scheduled, and runs on one device.
Plan make_plan(const Graph& graph, const PlanOptions& options);
// Independent check: no two live buffers overlap, in-place reads are last reads. Throws Error.
void check_plan(const Graph& graph, const Plan& plan);

// (a, b): b must wait for a only because b writes where a's values are. None that follows from the
// graph's edges and the others.
std::vector<std::pair<NodeId, NodeId>> implicit_edges(const Graph& graph, const Plan& plan);

constexpr int64_t kArenaAlignment = 64;

}  // namespace hybrid
