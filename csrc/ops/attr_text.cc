// The string forms of attribute values: "(3, 3)", "True", "0.5", "float32", "None".
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "ops/attrs.h"

namespace hybrid {

namespace {

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool parse_integer(const std::string& text, int64_t* value) {
  std::string digits = text;
  if (!digits.empty() && digits.back() == 'L') digits.pop_back();  // Python 2's long
  const char* begin = digits.c_str();
  const char* end = begin + digits.size();
  if (begin != end && *begin == '+') ++begin;
  const auto result = std::from_chars(begin, end, *value);
  return begin != end && result.ec == std::errc() && result.ptr == end;
}

bool parse_real(const std::string& text, double* value) {
  if (text.empty()) return false;
  const char* begin = text.c_str();
  const char* end = begin + text.size();
  if (*begin == '+') ++begin;
  const auto result = std::from_chars(begin, end, *value);  // also inf, nan; never the locale
  if (result.ec == std::errc::result_out_of_range) {
    *value = std::strtod(text.c_str(), nullptr);
    return true;
  }
  return result.ec == std::errc() && result.ptr == end;
}

bool parse_boolean(const std::string& text, bool* value) {
  if (text == "True" || text == "true" || text == "1") {
    *value = true;
  } else if (text == "False" || text == "false" || text == "0") {
    *value = false;
  } else {
    return false;
  }
  return true;
}

// "(3, 3)", "[3, 3]", "(3,)", "()", or a bare "3": the texts between the commas.
bool split_items(const std::string& text, std::vector<std::string>* items) {
  const bool bracketed = text.size() >= 2 && ((text.front() == '(' && text.back() == ')') ||
                                              (text.front() == '[' && text.back() == ']'));
  if (!bracketed) {
    items->push_back(text);
    return text.find(',') == std::string::npos;
  }
  const std::string inner = trimmed(text.substr(1, text.size() - 2));
  for (size_t at = 0; at < inner.size();) {
    size_t comma = inner.find(',', at);
    if (comma == std::string::npos) comma = inner.size();
    items->push_back(trimmed(inner.substr(at, comma - at)));
    at = comma + 1;
  }
  return true;
}

bool parse_ints(const std::string& text, std::vector<int64_t>* values) {
  std::vector<std::string> items;
  if (!split_items(text, &items)) return false;
  for (const std::string& item : items) {
    int64_t one = kNoneInt;
    if (item != "None" && !parse_integer(item, &one)) return false;
    values->push_back(one);
  }
  return true;
}

bool parse_reals(const std::string& text, std::vector<double>* values) {
  std::vector<std::string> items;
  if (!split_items(text, &items)) return false;
  for (const std::string& item : items) {
    values->push_back(0);
    if (!parse_real(item, &values->back())) return false;
  }
  return true;
}

std::string real_text(double value) {
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, result.ptr);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

const char* example(AttrType type) {
  switch (type) {
    case AttrType::boolean:
      return "True or False";
    case AttrType::integer:
      return "an integer";
    case AttrType::real:
      return "a number";
    case AttrType::string:
      return "a string";
    case AttrType::ints:
      return "a tuple of integers such as (3, 3)";
    case AttrType::reals:
      return "a tuple of numbers such as (0.5, 1.0)";
    case AttrType::scalar:
      return "a number";
    case AttrType::dtype:
      return "a dtype name such as float32";
    case AttrType::graph:
      return "a graph, which has no text form";
  }
  return "";
}

}  // namespace

const char* attr_type_name(AttrType type) {
  switch (type) {
    case AttrType::boolean:
      return "boolean";
    case AttrType::integer:
      return "integer";
    case AttrType::real:
      return "real number";
    case AttrType::string:
      return "string";
    case AttrType::ints:
      return "tuple of integers";
    case AttrType::reals:
      return "tuple of numbers";
    case AttrType::scalar:
      return "number";
    case AttrType::dtype:
      return "dtype";
    case AttrType::graph:
      return "graph";
  }
  return "";
}

AttrValue parse_attr(AttrType type, const std::string& given, const std::string& where) {
  const std::string text = trimmed(given);
  if (text == "None") return {};
  bool flag = false;
  int64_t integer = 0;
  double real = 0;
  std::vector<int64_t> ints;
  std::vector<double> reals;
  switch (type) {
    case AttrType::boolean:
      if (parse_boolean(text, &flag)) return flag;
      break;
    case AttrType::integer:
      if (parse_integer(text, &integer)) return integer;
      break;
    case AttrType::real:
      if (parse_real(text, &real)) return real;
      break;
    case AttrType::scalar:
      if (parse_integer(text, &integer)) return integer;
      if (parse_real(text, &real)) return real;
      if (parse_boolean(text, &flag)) return int64_t{flag};
      break;
    case AttrType::string:
      return given;
    case AttrType::ints:
      if (parse_ints(text, &ints)) return ints;
      break;
    case AttrType::reals:
      if (parse_reals(text, &reals)) return reals;
      break;
    case AttrType::dtype:
      if (parse_integer(text, &integer)) return static_cast<int64_t>(dtype_from_flag(integer));
      return static_cast<int64_t>(dtype_from_name(text));
    case AttrType::graph:
      break;
  }
  fail(where, ": given '", given.substr(0, 100), "', expected ", example(type));
}

std::string attr_text(AttrType type, const AttrValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    if (type == AttrType::dtype) return dtype_name(static_cast<DType>(*integer));
    return std::to_string(*integer);
  }
  if (const double* real = std::get_if<double>(&value)) return real_text(*real);
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&value)) {
    std::string text = "(";
    for (size_t i = 0; i < ints->size(); ++i) {
      if (i) text += ", ";
      text += (*ints)[i] == kNoneInt ? "None" : std::to_string((*ints)[i]);
    }
    return text + (ints->size() == 1 ? ",)" : ")");
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    std::string text = "(";
    for (size_t i = 0; i < reals->size(); ++i) text += (i ? ", " : "") + real_text((*reals)[i]);
    return text + (reals->size() == 1 ? ",)" : ")");
  }
  if (const SubgraphRef* graph = std::get_if<SubgraphRef>(&value)) return graph->body->summary();
  return "None";
}

}  // namespace hybrid
