// Attrs: the typed attribute values of one use of an operator, in the order of its definition.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"

namespace hybrid {

struct OpDef;
class Graph;

// A graph that an operator runs (a branch, the body of a loop): see control/body.h.
struct Subgraph {
  virtual ~Subgraph() = default;
  virtual const Graph& graph() const = 0;
  virtual uint64_t hash() const = 0;        // structure, as Graph::hash
  virtual std::string summary() const = 0;  // "graph of 3 operators"
};
struct SubgraphRef {
  std::shared_ptr<const Subgraph> body;
  bool operator==(const SubgraphRef& o) const {
    return body == o.body || (body && o.body && body->hash() == o.body->hash());
  }
};

enum class AttrType : uint8_t {
  boolean,
  integer,
  real,
  string,
  ints,    // tuple of integers: kernel=(3, 3), axis=(0, 1), shape=(-1, 4)
  reals,   // tuple of numbers: sizes=(0.5, 0.25)
  scalar,  // a Python number; keeps whether it was an int (int64_t) or a float (double)
  dtype,   // stored as int64_t flag of DType
  graph,   // a branch or the body of a loop
};

// monostate: None / not given and without default.
using AttrValue = std::variant<std::monostate, bool, int64_t, double, std::string,
                               std::vector<int64_t>, SubgraphRef, std::vector<double>>;

// None inside a tuple of integers, as in slice(begin=(None, 1)).
constexpr int64_t kNoneInt = INT64_MIN;

struct AttrDef {
  const char* name;
  AttrType type;
  const char* default_text;  // nullptr: required; "None": may be absent
  const char* doc;
  // "relu|sigmoid|tanh": allowed strings. "None" here also lets an attribute with another default
  // be None.
  const char* choices = nullptr;
};

// MXNet's string forms of one value, as in symbol.json. parse_attr throws Error saying what form
// the type expects; `where` names operator and attribute in it.
AttrValue parse_attr(AttrType type, const std::string& text, const std::string& where);
std::string attr_text(AttrType type, const AttrValue& value);
const char* attr_type_name(AttrType type);  // "tuple of integers"

class Attrs {
 public:
  Attrs() = default;
  explicit Attrs(const OpDef* op);  // all defaults; required ones unset
  const OpDef* op() const { return op_; }
  const AttrValue& at(const char* name) const;  // throws Error on an unknown name
  bool has(const char* name) const;             // given, or has a default that is not None
  bool boolean(const char* name) const;
  int64_t integer(const char* name) const;
  double real(const char* name) const;  // accepts integers too
  const std::string& string(const char* name) const;
  const std::vector<int64_t>& ints(const char* name) const;
  const std::vector<double>& reals(const char* name) const;
  DType dtype(const char* name) const;
  const Subgraph& subgraph(const char* name) const;
  // Checked against the definition: type, choices. Throws naming operator, attribute, value.
  void set(const char* name, AttrValue value);
  // Parses MXNet's string forms: "(3, 3)", "True", "0.5", "float32", "None".
  void set_text(const std::string& name, const std::string& text);
  std::string text(const char* name) const;  // MXNet's string form
  void check_complete() const;               // throws naming the missing required attribute
  const std::vector<AttrValue>& values() const { return values_; }
  bool operator==(const Attrs& o) const { return op_ == o.op_ && values_ == o.values_; }
  std::string summary() const;  // "kernel=(3, 3), stride=(1, 1)": only what differs from default
  uint64_t hash() const;

 private:
  const OpDef* op_ = nullptr;
  std::vector<AttrValue> values_;
};

}  // namespace hybrid
