// Symbol: persistent expression nodes shared by sym.*, the autograd tape and the cell recorder.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

struct OldValue;  // array/old_value.h
struct SymNode;
using SymNodeRef = std::shared_ptr<SymNode>;

struct SymEntry {
  SymNodeRef node;
  int out = 0;
};

// What autograd knows of a node: nothing, that gradients flow through it, or that its history was
// given up by a backward().
enum class Tape : uint8_t { none, recorded, freed };

// One recorded operator, variable or constant. Immutable once made, but for `values` and what the
// tape notes.
struct SymNode : std::enable_shared_from_this<SymNode> {
  NodeKind kind = NodeKind::op;
  const OpDef* op = nullptr;  // null: variable
  Attrs attrs;
  std::string name;
  std::vector<SymEntry> inputs;
  uint32_t site = 0;
  std::string scope;
  std::string text;
  std::map<std::string, std::string> extra;
  bool same_shapes = false;  // read under a name for operands of equal shapes (elemwise_add)
  uint64_t key = 0;          // imperative and traced random draws: the key itself
  std::shared_ptr<SymNode> draw_of;  // of a Symbol's gradient: the node whose draw this one repeats
  int64_t forward = 0;               // a gradient's: serial of the node that it belongs to; 0: none
  int32_t segment = 0;
  int num_outputs = 1;
  // Imperative tape and materialised traces: the concrete outputs, with the storage version at
  // which they were recorded (a later overwrite makes backward refuse).
  std::vector<NDArray> values;
  std::vector<uint64_t> versions;
  std::shared_ptr<OldValue> seen;  // of a variable, as a leaf
  // Known output shapes/dtypes (tape and traces always; Symbols when declared).
  std::vector<Shape> shapes;
  std::vector<DType> dtypes;
  Context ctx;
  int64_t serial = 0;  // creation order: topological sort keeps the order of code
  Tape tape = Tape::none;
  bool traced = false;       // made in a cell's trace, or recorded from such a node
  bool copies = false;       // its result shares no memory, though its operator could give a window
  bool overwritten = false;  // written in place, in a trace, after it was recorded
  int32_t place = -1;        // in the last walk over what is pending: trace/pending.h
  int64_t freed_at = 0;      // serial of the backward() that freed it
  // What the tape needs beyond the values: a variable's gradient, a compiled call
  // (tape/compiled_call.h).
  std::shared_ptr<void> held;
  // Shares the memory of its first input.
  bool is_window() const { return op != nullptr && op->view != nullptr && !copies; }
  ~SymNode();  // iterative: a chain of a million nodes must not overflow the stack
};

int64_t next_serial();  // for makers of nodes: strictly increasing in one process
int64_t last_serial();  // that was given
// "fullyconnected0", "fullyconnected1", ...: MXNet's NameManager; counts per thread and hint.
std::string auto_name(const std::string& hint);
// The same for operators of a recording: counted anew in each, so that a cell that runs again gives
// its graph the same names.
std::string trace_name(const std::string& hint);
void restart_trace_names();

class Symbol {
 public:
  std::vector<SymEntry> outputs;

  // `extra`: variable attributes; "__shape__" (0 unknown) and "__dtype__" declare shape and dtype.
  static Symbol variable(const std::string& name, std::map<std::string, std::string> extra = {});
  // Missing inputs (left out at the end, or without outputs) become variables "<name>_<input>";
  // name "" picks "<op>N". Throws Error on too many inputs or an input of several outputs.
  static Symbol apply(const OpDef* op, Attrs attrs, const std::vector<Symbol>& inputs,
                      const std::string& name);
  Symbol operator[](size_t i) const;  // throws Error out of range
  static Symbol group(const std::vector<Symbol>& parts);
  Symbol internals() const;
  std::string name() const;
  std::vector<std::string> list_arguments() const;
  std::vector<std::string> list_outputs() const;
  // Replaces variables by name: sym(data=other). Throws Error on an unknown name.
  Symbol compose(const std::map<std::string, Symbol>& by_name) const;
  // Every node below the outputs once, inputs before users (depth first, as MXNet visits them).
  std::vector<SymNode*> nodes() const;
};
// MXNet refuses to bind a symbol in which two variables share a name; throws Error naming them.
void require_unique_arguments(const Symbol& symbol);

// Order of code (serial), ids 0..n-1 in that order, inputs in list_arguments order. Effect nodes
// among the symbol's outputs become effect nodes of the graph, not outputs.
Graph to_graph(const Symbol& symbol);
// What the graph was made from, for those who run it.
struct GraphSources {
  std::vector<const SymNode*> nodes;  // by node id
  std::vector<uint64_t> keys;         // by key slot
  std::vector<int> stop_outs;  // by node id: which output of its node a cut stands for, or -1
};
// Cuts at the entries in `stop`: entry i becomes input i (used or not), named "in<i>" unless it is
// a variable; what lies below is left out. Other variables follow.
Graph to_graph(const Symbol& symbol, const std::vector<SymEntry>& stop, GraphSources* sources);
// Fused nodes become their members again; effects are dropped.
Symbol from_graph(const Graph& graph);

struct NamedArray {
  std::string name;
  NDArray array;  // undefined: MXNet's "none" array
};

// MXNet 1.9.1's symbol.json. Constants become variables "_const<n>", n counting in node order;
// their values are symbol_constants(). Throws Error naming a node that has no MXNet name.
std::string symbol_to_json(const Symbol& symbol);
std::vector<NamedArray> symbol_constants(const Symbol& symbol);
// Bounds-checked; also reads the older keys "param" and "attr". Throws Error.
Symbol symbol_from_json(const std::string& text);

// .params files: a list of arrays, named ("arg:fc1_weight") or not. Written byte for byte as
// MXNet does, format V2; 0-d and zero-size arrays, and all when `np_shape`, as V3.
std::string save_params(const std::vector<NamedArray>& arrays, bool np_shape = false);
// Reads V3, V2, V1 and the oldest format; arrays come to cpu(0). Bad data is refused with Error
// before anything is allocated. `np_shape`: whether every array was V3.
std::vector<NamedArray> load_params(const std::string& bytes, bool* np_shape = nullptr);

}  // namespace hybrid
