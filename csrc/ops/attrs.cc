// Attrs: typed, checked attribute values of one use of an operator.
#include "ops/attrs.h"

#include <cstring>

#include "core/error.h"
#include "ops/op.h"

namespace hybrid {

namespace {

std::string where(const OpDef* op, const char* name) {
  return std::string(op ? op->name : "(no operator)") + ": attribute '" + name + "'";
}

size_t index_of(const OpDef* op, const char* name) {
  const int i = op ? op->attr_index(name) : -1;
  if (i < 0) {
    std::string known;
    if (op) {
      for (const AttrDef& a : op->attrs) known += (known.empty() ? "" : ", ") + std::string(a.name);
    }
    fail(op ? op->name : "(no operator)", ": given attribute '", name,
         "', expected one of: ", known.empty() ? "(it has none)" : known);
  }
  return static_cast<size_t>(i);
}

bool is_choice(const char* choices, const std::string& text) {
  const size_t length = text.size();
  for (const char* at = choices; at != nullptr && *at != '\0';) {
    const char* end = std::strchr(at, '|');
    const size_t n = end ? static_cast<size_t>(end - at) : std::strlen(at);
    if (n == length && text.compare(0, n, at, n) == 0) return true;
    at = end ? end + 1 : nullptr;
  }
  return false;
}

bool may_be_none(const AttrDef& def) {
  return (def.default_text && std::strcmp(def.default_text, "None") == 0) ||
         is_choice(def.choices, "None");
}

template <class T>
const T& value_as(const Attrs& attrs, const char* name, const char* expected) {
  const AttrValue& v = attrs.at(name);
  const T* p = std::get_if<T>(&v);
  if (p == nullptr) {  // the text is made only when it is needed: every kernel comes by here
    fail(where(attrs.op(), name), " is ",
         std::holds_alternative<std::monostate>(v) ? "not given" : "of another type", ", expected ",
         expected);
  }
  return *p;
}

uint64_t bits_of(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// The value in the type that the definition keeps; false when it does not fit.
bool convert(AttrType type, AttrValue* value) {
  const bool is_bool = std::holds_alternative<bool>(*value);
  const bool is_int = std::holds_alternative<int64_t>(*value);
  const bool is_real = std::holds_alternative<double>(*value);
  switch (type) {
    case AttrType::boolean:
      if (is_int && (std::get<int64_t>(*value) == 0 || std::get<int64_t>(*value) == 1)) {
        *value = std::get<int64_t>(*value) == 1;
        return true;
      }
      return is_bool;
    case AttrType::integer:
      if (is_bool) *value = int64_t{std::get<bool>(*value)};
      return is_bool || is_int;
    case AttrType::real:
      if (is_bool) *value = static_cast<double>(std::get<bool>(*value));
      if (is_int) *value = static_cast<double>(std::get<int64_t>(*value));
      return is_bool || is_int || is_real;
    case AttrType::scalar:
      if (is_bool) *value = int64_t{std::get<bool>(*value)};
      return is_bool || is_int || is_real;
    case AttrType::string:
      return std::holds_alternative<std::string>(*value);
    case AttrType::ints:
      if (is_int) *value = std::vector<int64_t>{std::get<int64_t>(*value)};
      return is_int || std::holds_alternative<std::vector<int64_t>>(*value);
    case AttrType::reals:
      if (is_int) *value = std::vector<double>{static_cast<double>(std::get<int64_t>(*value))};
      if (is_real) *value = std::vector<double>{std::get<double>(*value)};
      return is_int || is_real || std::holds_alternative<std::vector<double>>(*value);
    case AttrType::dtype:
      if (is_int) *value = static_cast<int64_t>(dtype_from_flag(std::get<int64_t>(*value)));
      if (const std::string* name = std::get_if<std::string>(value)) {
        *value = static_cast<int64_t>(dtype_from_name(*name));
        return true;
      }
      return is_int;
    case AttrType::graph: {
      const SubgraphRef* ref = std::get_if<SubgraphRef>(value);
      return ref != nullptr && ref->body != nullptr;
    }
  }
  return false;
}

}  // namespace

Attrs::Attrs(const OpDef* op) : op_(op) {
  if (op) values_ = op->defaults;
}

const AttrValue& Attrs::at(const char* name) const { return values_.at(index_of(op_, name)); }

bool Attrs::has(const char* name) const {
  return !std::holds_alternative<std::monostate>(at(name));
}

bool Attrs::boolean(const char* name) const { return value_as<bool>(*this, name, "a boolean"); }

int64_t Attrs::integer(const char* name) const {
  return value_as<int64_t>(*this, name, "an integer");
}

double Attrs::real(const char* name) const {
  if (const int64_t* integer = std::get_if<int64_t>(&at(name))) {
    return static_cast<double>(*integer);
  }
  return value_as<double>(*this, name, "a number");
}

const std::string& Attrs::string(const char* name) const {
  return value_as<std::string>(*this, name, "a string");
}

const std::vector<int64_t>& Attrs::ints(const char* name) const {
  return value_as<std::vector<int64_t>>(*this, name, "a tuple of integers");
}

const std::vector<double>& Attrs::reals(const char* name) const {
  return value_as<std::vector<double>>(*this, name, "a tuple of numbers");
}

DType Attrs::dtype(const char* name) const {
  return static_cast<DType>(value_as<int64_t>(*this, name, "a dtype"));
}

const Subgraph& Attrs::subgraph(const char* name) const {
  return *value_as<SubgraphRef>(*this, name, "a graph").body;
}

void Attrs::set(const char* name, AttrValue value) {
  const size_t i = index_of(op_, name);
  const AttrDef& def = op_->attrs[i];
  if (std::holds_alternative<std::monostate>(value)) {
    if (!may_be_none(def)) {
      fail(where(op_, name), ": given None, expected ", attr_type_name(def.type));
    }
    values_[i] = std::move(value);
    return;
  }
  if (!convert(def.type, &value)) {
    fail(where(op_, name), ": given ", attr_text(AttrType::scalar, value), ", expected ",
         attr_type_name(def.type));
  }
  if (def.type == AttrType::string && def.choices) {
    const std::string& text = std::get<std::string>(value);
    if (text == "None" && may_be_none(def)) {
      values_[i] = AttrValue();
      return;
    }
    if (!is_choice(def.choices, text)) {
      fail(where(op_, name), ": given '", text.substr(0, 100), "', expected one of ", def.choices);
    }
  }
  values_[i] = std::move(value);
}

void Attrs::set_text(const std::string& name, const std::string& text) {
  const AttrDef& def = op_->attrs[index_of(op_, name.c_str())];
  set(def.name, parse_attr(def.type, text, where(op_, def.name)));
}

std::string Attrs::text(const char* name) const {
  const size_t i = index_of(op_, name);
  return attr_text(op_->attrs[i].type, values_[i]);
}

void Attrs::check_complete() const {
  if (!op_) return;
  for (size_t i = 0; i < values_.size(); ++i) {
    const AttrDef& def = op_->attrs[i];
    if (def.default_text == nullptr && std::holds_alternative<std::monostate>(values_[i])) {
      fail(where(op_, def.name), " is required (", attr_type_name(def.type), ": ", def.doc, ")");
    }
  }
}

std::string Attrs::summary() const {
  std::string text;
  for (size_t i = 0; i < values_.size(); ++i) {
    const AttrDef& def = op_->attrs[i];
    if (values_[i] == op_->defaults[i] || def.type == AttrType::graph) continue;
    text +=
        (text.empty() ? "" : ", ") + std::string(def.name) + "=" + attr_text(def.type, values_[i]);
  }
  return text;
}

uint64_t Attrs::hash() const {
  uint64_t h = 1469598103934665603ull;  // FNV-1a over 64-bit words
  const auto mix = [&h](uint64_t word) { h = (h ^ word) * 1099511628211ull; };
  for (const AttrValue& v : values_) {
    mix(v.index() + 1);
    if (const bool* flag = std::get_if<bool>(&v)) mix(*flag);
    if (const int64_t* integer = std::get_if<int64_t>(&v)) mix(static_cast<uint64_t>(*integer));
    if (const double* real = std::get_if<double>(&v)) mix(bits_of(*real));
    if (const auto* reals = std::get_if<std::vector<double>>(&v)) {
      mix(reals->size());
      for (double x : *reals) mix(bits_of(x));
    }
    if (const std::string* text = std::get_if<std::string>(&v)) {
      mix(text->size());
      for (unsigned char c : *text) mix(c);
    }
    if (const auto* ints = std::get_if<std::vector<int64_t>>(&v)) {
      mix(ints->size());
      for (int64_t x : *ints) mix(static_cast<uint64_t>(x));
    }
    if (const SubgraphRef* graph = std::get_if<SubgraphRef>(&v)) mix(graph->body->hash());
  }
  return h ^ (h >> 29);
}

}  // namespace hybrid
