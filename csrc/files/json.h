// A small JSON reader: values of a document, with limits on size and depth; untrusted input.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hybrid {

struct Json {
  enum Kind : uint8_t { null, boolean, number, string, array, object } kind = null;
  bool flag = false;
  double real = 0;
  std::string text;                                   // string; number: as written
  std::vector<Json> items;                            // array
  std::vector<std::pair<std::string, Json>> members;  // object, in order

  const Json* find(const char* key) const;  // null when this is no object or has no such key
  // The values with their kind checked; `what` names the value in the Error that is thrown.
  const std::string& as_string(const std::string& what) const;
  int64_t as_integer(const std::string& what) const;
  const std::vector<Json>& as_array(const std::string& what) const;
  const std::vector<std::pair<std::string, Json>>& as_object(const std::string& what) const;
};

// RFC 8259. Throws Error with the offset on malformed text, above 64 levels of nesting or above
// 256 MiB of text.
Json parse_json(const std::string& text);
// "a\"b" with quotes, ready to be written.
std::string json_quoted(const std::string& text);

}  // namespace hybrid
