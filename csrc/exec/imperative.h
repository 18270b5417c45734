// Imperative execution: invoke() runs, records (autograd) or traces (cells) one operator.
#pragma once
#include <vector>

#include "graph/symbol.h"

namespace hybrid {

// Per thread. Every front-end slot tests `mode` once.
enum Mode : uint32_t { kEager = 0, kRecording = 1, kTracing = 2 };
struct ThreadState {
  uint32_t mode = kEager;    // bits: recording, tracing
  bool training = false;     // train_mode / predict_mode
  uint32_t site = 0;         // current push site
};
ThreadState& thread_state();

// What the front end's array object holds: a concrete array and/or a recorded node.
struct ArrayExtra : RefCounted {
  SymEntry entry;            // tape or trace node that made it (empty: none)
  bool traced = false;       // value not computed yet: entry belongs to a cell's trace
  bool variable = false;     // attach_grad was called
  NDArray grad;              // gradient buffer
  enum Req : uint8_t { null, write, add } grad_req = write;
  bool has_fresh_grad = false;
};
void destroy(ArrayExtra*);
struct ArrayRef {            // by value in the Python object
  NDArray array;             // undefined while traced; then shape/dtype/ctx are in extra's node
  Ref<ArrayExtra> extra;
};

// Runs `op` on concrete inputs: checks dtypes, infers, allocates, pushes (or runs inline, or makes
// a view). `out`: optional arrays to write into (their shapes must match). Never Python.
std::vector<NDArray> run_op(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs,
                            uint64_t key, const std::vector<NDArray>* out = nullptr,
                            Context ctx = Context());

// The general entry of the nd face: by mode runs, runs + records, or traces.
std::vector<ArrayRef> invoke(const OpDef& op, const Attrs& attrs, const std::vector<ArrayRef>& inputs,
                             const std::vector<ArrayRef>* out = nullptr, Context ctx = Context());

// Random state: one generator per process, counter-based; a variable of the engine's program order.
void seed(uint64_t value);
uint64_t next_key();                     // key of the next draw
std::pair<uint64_t, uint64_t> random_state();        // (seed, counter)
void set_random_state(std::pair<uint64_t, uint64_t>);
std::vector<uint64_t> next_keys(int n);  // the next n draws' keys, in order

// Autograd over the same nodes (see passes: gradient is the one gradient).
void attach_grad(ArrayRef& array, ArrayExtra::Req req);
void mark_variable(ArrayRef& array, const NDArray& grad, ArrayExtra::Req req);
void backward(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& head_grads,
              bool retain_graph, bool train_mode);
std::vector<ArrayRef> grad(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& variables,
                           const std::vector<ArrayRef>& head_grads, bool retain_graph, bool create_graph,
                           bool train_mode);
// A compiled program inside a recording is one tape node whose gradient is a compiled program:
// see exec/cached_graph.h.

}  // namespace hybrid
