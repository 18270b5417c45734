// Imperative execution: invoke() runs, records (autograd) or traces (cells) one operator.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "graph/symbol.h"

namespace hybrid {

// Per thread. Every front-end slot tests `mode` once.
enum Mode : uint32_t { kEager = 0, kRecording = 1, kTracing = 2 };
// What an interruption does to a program that is submitted: it is discarded; or it is, and what it
// was to compute is recorded again (bind/taken_back.h); or it goes on.
enum class OnInterrupt : uint8_t { discard, take_back, go_on };
struct ThreadState {
  uint32_t mode = kEager;  // bits: recording, tracing
  bool training = false;   // train_mode / predict_mode
  uint32_t site = 0;       // current push site; 0: trace::current_site()
  int32_t segment = 0;     // of a traced cell, given to new nodes
  bool settled = false;    // what reads memory that is overwritten has been computed
  OnInterrupt on_interrupt = OnInterrupt::discard;
  uint32_t writes = 0;  // in-place writes of this thread's trace that wait: trace_writes.h
};
ThreadState& thread_state();

struct VariableSlot;  // exec/tape.h

// What the front end's array object holds: a concrete array and/or a recorded node.
struct ArrayExtra : RefCounted {
  SymEntry entry;         // tape or trace node that made it (empty: none)
  bool traced = false;    // value not computed yet: entry belongs to a cell's trace
  bool variable = false;  // attach_grad was called
  NDArray grad;           // gradient buffer
  enum Req : uint8_t { null, write, add } grad_req = write;
  bool has_fresh_grad = false;
};
void destroy(ArrayExtra*);
struct ArrayRef {  // by value in the Python object
  NDArray array;   // undefined while traced; then shape/dtype/ctx are in extra's node
  Ref<ArrayExtra> extra;
};

// Runs `op` on concrete inputs: checks dtypes, infers, allocates, pushes (or runs inline, or makes
// a view). `out`: optional arrays to write into (their shapes must match). Never Python.
// `key`: of random operators, see next_key(). `ctx`: where operators without inputs create.
std::vector<NDArray> run_op(const OpDef& op, const Attrs& attrs, const std::vector<NDArray>& inputs,
                            uint64_t key, const std::vector<NDArray>* out = nullptr,
                            Context ctx = Context());

// The short way for small elementwise operators with one output: contiguous inputs of one shape on
// one idle device. Fills *out and returns true, or does nothing and returns false: use run_op.
bool run_small(const OpDef& op, const Attrs& attrs, const NDArray* const* inputs, int num_inputs,
               NDArray* out);

// Copies src into dst (same shape and dtype), also between devices; pushed on a copy lane then.
void copy_array(const NDArray& src, const NDArray& dst);
// The array itself, or a copy laid out in row-major order.
NDArray make_contiguous(const NDArray& array);

// The general entry of the nd face: by mode runs, runs + records, or traces (recording then marks
// the traced nodes: see exec/trace_gradient.h). In tracing mode `out` is not written: the caller
// rebinds the object to the returned traced array. Random operators draw their key here, in program
// order.
std::vector<ArrayRef> invoke(const OpDef& op, const Attrs& attrs,
                             const std::vector<ArrayRef>& inputs,
                             const std::vector<ArrayRef>* out = nullptr, Context ctx = Context());
// Shape, dtype and context of an array, traced or not.
const Shape& shape_of(const ArrayRef& array);
DType dtype_of(const ArrayRef& array);
Context context_of(const ArrayRef& array);
// The value: also of a traced array whose node has been materialised (values set). Otherwise asks
// the materializer to compute it; throws Error when there is none.
NDArray concrete(const ArrayRef& array);
using Materializer = void (*)(const SymEntry& entry);  // sets entry.node->values
void set_materializer(Materializer materializer);
// Traced leaf of a concrete array: the same array gives the same node until the trace ends.
SymEntry trace_leaf(const ArrayRef& array);
// What an array stands for in the trace: its recorded node, what a write in the trace left in it, a
// variable's node, or a leaf.
SymEntry trace_entry(const ArrayRef& array);
void clear_trace_leaves();  // call at the start and end of every trace

// Random state: one generator per process, counter-based; a variable of the engine's program order.
void seed(uint64_t value);
uint64_t next_key();                           // key of the next draw
std::pair<uint64_t, uint64_t> random_state();  // (seed, counter)
void set_random_state(std::pair<uint64_t, uint64_t>);
std::vector<uint64_t> next_keys(int n);  // the next n draws' keys, in order
// Does this use draw? (Dropout outside training does not.)
bool draws_key(const OpDef& op, const Attrs& attrs, bool training);

// Autograd over the same nodes (see passes: gradient is the one gradient).
void attach_grad(ArrayRef& array, ArrayExtra::Req req);
void mark_variable(ArrayRef& array, const NDArray& grad, ArrayExtra::Req req);
// Writes or adds the gradients of every marked variable below `heads`; undefined head gradients are
// ones. Frees what was recorded unless retain_graph. Throws Error when a value that is needed was
// overwritten or freed, naming operator and line.
void backward(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& head_grads,
              bool retain_graph, bool train_mode);
// Returns the gradients by `variables` (marked arrays) instead; recorded again with create_graph.
std::vector<ArrayRef> grad(const std::vector<ArrayRef>& heads,
                           const std::vector<ArrayRef>& variables,
                           const std::vector<ArrayRef>& head_grads, bool retain_graph,
                           bool create_graph, bool train_mode);
// What was recorded below `heads`, as a graph for pictures.
Graph tape_graph(const std::vector<ArrayRef>& heads);
// A compiled program inside a recording is one tape node whose gradient is a compiled program:
// see exec/cached_graph.h.

}  // namespace hybrid
