// A small JSON reader: views of values in a text that was checked; untrusted input.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace hybrid {

class JsonItems;
class JsonMembers;

// A value is a place in the text, which has to outlive it: a document takes no memory beside that,
// so a file of many small values can't take more than it has bytes.
class Json {
 public:
  enum Kind : uint8_t { null, boolean, number, string, array, object };

  Json() = default;
  explicit Json(const char* at) : at_(at) {}  // of text that was checked

  Kind kind() const;
  std::optional<Json> find(const char* key) const;  // none as well when this is no object
  // The values with their kind checked; `what` names the value in the Error that is thrown.
  std::string as_string(const std::string& what) const;
  int64_t as_integer(const std::string& what) const;
  JsonItems as_array(const std::string& what) const;
  JsonMembers as_object(const std::string& what) const;
  const char* end() const;  // behind the value

 private:
  const char* at_ = nullptr;
};

// The items of an array, in order.
class JsonItems {
 public:
  class Iterator {
   public:
    explicit Iterator(const char* at) : at_(at) {}
    Json operator*() const { return Json(at_); }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const char* at_;
  };

  explicit JsonItems(const char* at) : first_(at) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }

 private:
  const char* first_;  // null: empty
};

// The members of an object, in order.
class JsonMembers {
 public:
  class Iterator {
   public:
    explicit Iterator(const char* at) : at_(at) {}
    std::pair<std::string, Json> operator*() const;
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const char* at_;  // of the key
  };

  explicit JsonMembers(const char* at) : first_(at) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }

 private:
  const char* first_;  // null: empty
};

// RFC 8259. Checks the whole text, and throws Error with the offset where it is malformed, above
// 64 levels of nesting or above 256 MiB.
Json parse_json(const std::string& text);
// "a\"b" with quotes, ready to be written.
std::string json_quoted(const std::string& text);

}  // namespace hybrid
