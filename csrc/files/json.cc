// Values of a JSON text that was checked: see json_check.cc for the check.
#include "files/json.h"

#include <cmath>
#include <cstdlib>

#include "core/error.h"

namespace hybrid {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

const char* skip_space(const char* at) {
  while (is_space(*at)) ++at;
  return at;
}

// Behind a string that begins at `at`.
const char* string_end(const char* at) {
  for (++at; *at != '"'; ++at) {
    if (*at == '\\') ++at;
  }
  return at + 1;
}

const char* value_end(const char* at) {
  if (*at == '"') return string_end(at);
  if (*at != '{' && *at != '[') {
    while (*at != '\0' && *at != ',' && *at != ']' && *at != '}' && !is_space(*at)) ++at;
    return at;
  }
  int depth = 0;
  do {
    if (*at == '"') {
      at = string_end(at);
      continue;
    }
    depth += *at == '{' || *at == '[';
    depth -= *at == '}' || *at == ']';
    ++at;
  } while (depth > 0);
  return at;
}

// The next item or key behind the value at `at`; null behind the last one.
const char* following(const char* at) {
  at = skip_space(value_end(at));
  return *at == ',' ? skip_space(at + 1) : nullptr;
}

// The value that belongs to the key at `at`.
const char* value_of(const char* at) { return skip_space(skip_space(string_end(at)) + 1); }

uint32_t hex4(const char* at) {
  return static_cast<uint32_t>(std::strtoul(std::string(at, 4).c_str(), nullptr, 16));
}

void append_utf8(std::string* out, uint32_t code) {
  const auto byte = [out](uint32_t b) { out->push_back(static_cast<char>(b)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

// Appends what the escape behind the backslash at `at` stands for; behind it.
const char* unescape(const char* at, std::string* out) {
  static const std::string from = "bfnrt", to = "\b\f\n\r\t";
  const char c = at[1];
  if (c != 'u') {
    const size_t found = from.find(c);
    out->push_back(found == std::string::npos ? c : to[found]);
    return at + 2;
  }
  uint32_t code = hex4(at + 2);
  at += 6;
  if (code >= 0xd800 && code < 0xdc00) {
    code = 0x10000 + ((code - 0xd800) << 10) + (hex4(at + 2) - 0xdc00);
    at += 6;
  }
  append_utf8(out, code);
  return at;
}

std::string decoded(const char* at) {
  std::string out;
  out.reserve(static_cast<size_t>(string_end(at) - at) - 2);
  for (++at; *at != '"';) {
    if (*at == '\\') {
      at = unescape(at, &out);
    } else {
      out.push_back(*at++);
    }
  }
  return out;
}

const char* kind_name(Json::Kind kind) {
  static const char* const names[] = {"null",     "a boolean", "a number",
                                      "a string", "an array",  "an object"};
  return names[kind];
}

}  // namespace

Json::Kind Json::kind() const {
  switch (*at_) {
    case '{':
      return object;
    case '[':
      return array;
    case '"':
      return string;
    case 't':
    case 'f':
      return boolean;
    case 'n':
      return null;
    default:
      return number;
  }
}

const char* Json::end() const { return value_end(at_); }

std::optional<Json> Json::find(const char* key) const {
  if (kind() != object) return std::nullopt;
  for (const auto& [name, value] : as_object("")) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::string Json::as_string(const std::string& what) const {
  require(kind() == string, what, ": expected a string, given ", kind_name(kind()));
  return decoded(at_);
}

int64_t Json::as_integer(const std::string& what) const {
  require(kind() == number, what, ": expected an integer, given ", kind_name(kind()));
  const double real = std::strtod(at_, nullptr);
  require(real == std::floor(real) && std::fabs(real) < 9e15, what, ": expected an integer, given ",
          std::string(at_, static_cast<size_t>(end() - at_)).substr(0, 100));
  return static_cast<int64_t>(real);
}

JsonItems Json::as_array(const std::string& what) const {
  require(kind() == array, what, ": expected an array, given ", kind_name(kind()));
  const char* first = skip_space(at_ + 1);
  return JsonItems(*first == ']' ? nullptr : first);
}

JsonMembers Json::as_object(const std::string& what) const {
  require(kind() == object, what, ": expected an object, given ", kind_name(kind()));
  const char* first = skip_space(at_ + 1);
  return JsonMembers(*first == '}' ? nullptr : first);
}

JsonItems::Iterator& JsonItems::Iterator::operator++() {
  at_ = following(at_);
  return *this;
}

std::pair<std::string, Json> JsonMembers::Iterator::operator*() const {
  return {decoded(at_), Json(value_of(at_))};
}

JsonMembers::Iterator& JsonMembers::Iterator::operator++() {
  at_ = following(value_of(at_));
  return *this;
}

std::string json_quoted(const std::string& text) {
  static const char hex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += hex[c >> 4 & 15];
          out += hex[c & 15];
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

}  // namespace hybrid
