// Symbol: persistent expression nodes shared by sym.*, the autograd tape and the cell recorder.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

struct SymNode;
using SymNodeRef = std::shared_ptr<SymNode>;

struct SymEntry {
  SymNodeRef node;
  int out = 0;
};

// One recorded operator, variable or constant. Immutable once made, but for `values`.
struct SymNode {
  NodeKind kind = NodeKind::op;
  const OpDef* op = nullptr;  // null: variable
  Attrs attrs;
  std::string name;
  std::vector<SymEntry> inputs;
  uint32_t site = 0;
  std::string scope;
  std::string text;
  std::map<std::string, std::string> extra;
  uint64_t key = 0;           // imperative and traced random draws: the key itself
  int32_t segment = 0;
  int num_outputs = 1;
  // Imperative tape and materialised traces: the concrete outputs, with the storage version at
  // which they were recorded (a later overwrite makes backward refuse).
  std::vector<NDArray> values;
  std::vector<uint64_t> versions;
  // Known output shapes/dtypes (tape and traces always; Symbols when declared).
  std::vector<Shape> shapes;
  std::vector<DType> dtypes;
  Context ctx;
  int64_t serial = 0;         // creation order: topological sort keeps the order of code
  ~SymNode();                 // iterative: a chain of a million nodes must not overflow the stack
};

class Symbol {
 public:
  std::vector<SymEntry> outputs;

  static Symbol variable(const std::string& name, std::map<std::string, std::string> extra = {});
  // Missing weight-like inputs become variables "<name>_<input>"; name "" picks "<op>N".
  static Symbol apply(const OpDef* op, Attrs attrs, const std::vector<Symbol>& inputs,
                      const std::string& name);
  Symbol operator[](size_t i) const;                     // throws Error out of range
  static Symbol group(const std::vector<Symbol>& parts);
  Symbol internals() const;
  std::string name() const;
  std::vector<std::string> list_arguments() const;
  std::vector<std::string> list_outputs() const;
  // Replaces variables by name: sym(data=other).
  Symbol compose(const std::map<std::string, Symbol>& by_name) const;
};

// Order of code (serial), ids 0..n-1 in that order, inputs in list_arguments order.
// Nodes in `stop` (their entry -> position in `stop`) become input nodes "in<i>".
Graph to_graph(const Symbol& symbol);
Symbol from_graph(const Graph& graph);

std::string symbol_to_json(const Symbol& symbol);                 // MXNet 1.9.1 format
Symbol symbol_from_json(const std::string& text);                 // bounds-checked; throws Error

// .params: list of named arrays (names may be empty: a list). Byte-for-byte MXNet format V2.
struct NamedArray {
  std::string name;
  NDArray array;
};
std::string save_params(const std::vector<NamedArray>& arrays);
std::vector<NamedArray> load_params(const std::string& bytes);   // refuses bad data with Error

}  // namespace hybrid
