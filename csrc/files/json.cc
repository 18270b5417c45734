// A small JSON reader: values of a document, with limits on size and depth; untrusted input.
#include "files/json.h"

#include <cmath>
#include <cstdlib>

#include "core/error.h"

namespace hybrid {

namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxBytes = size_t{256} << 20;

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Json document() {
    require(text_.size() <= kMaxBytes, "JSON: ", text_.size(), " bytes are more than the limit of ",
            kMaxBytes);
    Json value = parse(0);
    skip_space();
    if (at_ != text_.size()) bad("text after the end of the document");
    return value;
  }

 private:
  [[noreturn]] void bad(const char* what) const { fail("JSON: ", what, " at byte ", at_); }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Json parse(int depth) {
    if (depth > kMaxDepth) bad("nested too deeply");
    skip_space();
    if (at_ >= text_.size()) bad("the text ends early");
    Json value;
    switch (peek()) {
      case '{':
        parse_object(&value, depth);
        break;
      case '[':
        parse_array(&value, depth);
        break;
      case '"':
        value.kind = Json::string;
        value.text = parse_string();
        break;
      case 't':
        word("true");
        value.kind = Json::boolean;
        value.flag = true;
        break;
      case 'f':
        word("false");
        value.kind = Json::boolean;
        break;
      case 'n':
        word("null");
        break;
      default:
        parse_number(&value);
    }
    return value;
  }

  void word(const char* expected) {
    const size_t length = std::char_traits<char>::length(expected);
    if (text_.compare(at_, length, expected) != 0) bad("unknown word");
    at_ += length;
  }

  void parse_object(Json* value, int depth) {
    value->kind = Json::object;
    ++at_;
    if (accept('}')) return;
    do {
      skip_space();
      if (peek() != '"') bad("a key in quotes is expected");
      std::string key = parse_string();
      if (!accept(':')) bad("':' is expected");
      value->members.emplace_back(std::move(key), parse(depth + 1));
    } while (accept(','));
    if (!accept('}')) bad("',' or '}' is expected");
  }

  void parse_array(Json* value, int depth) {
    value->kind = Json::array;
    ++at_;
    if (accept(']')) return;
    do {
      value->items.push_back(parse(depth + 1));
    } while (accept(','));
    if (!accept(']')) bad("',' or ']' is expected");
  }

  bool digit() const { return peek() >= '0' && peek() <= '9'; }

  void parse_number(Json* value) {
    const size_t begin = at_;
    if (peek() == '-') ++at_;
    if (!digit()) bad("a value is expected");
    const bool zero = peek() == '0';
    const size_t whole = at_;
    while (digit()) ++at_;
    if (zero && at_ - whole > 1) bad("a number starts with 0");
    if (peek() == '.') {
      ++at_;
      if (!digit()) bad("digits are expected");
      while (digit()) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digit()) bad("digits are expected");
      while (digit()) ++at_;
    }
    value->kind = Json::number;
    value->text = text_.substr(begin, at_ - begin);
    value->real = std::strtod(value->text.c_str(), nullptr);
  }

  uint32_t hex4() {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const int v = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
      if (v < 0) bad("four hexadecimal digits are expected");
      code = code * 16 + static_cast<uint32_t>(v);
    }
    return code;
  }

  static void append_utf8(std::string* out, uint32_t code) {
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

  void parse_escape(std::string* out) {
    const char c = peek();
    ++at_;
    switch (c) {
      case '"':
      case '\\':
      case '/':
        out->push_back(c);
        return;
      case 'b':
        out->push_back('\b');
        return;
      case 'f':
        out->push_back('\f');
        return;
      case 'n':
        out->push_back('\n');
        return;
      case 'r':
        out->push_back('\r');
        return;
      case 't':
        out->push_back('\t');
        return;
      case 'u':
        break;
      default:
        --at_;
        bad("unknown escape");
    }
    uint32_t code = hex4();
    if (code >= 0xd800 && code < 0xdc00 && text_.compare(at_, 2, "\\u") == 0) {
      at_ += 2;
      const uint32_t low = hex4();
      if (low < 0xdc00 || low > 0xdfff) bad("half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xd800 && code < 0xe000) {
      bad("half of a surrogate pair");
    }
    append_utf8(out, code);
  }

  std::string parse_string() {
    std::string out;
    ++at_;
    while (true) {
      if (at_ >= text_.size()) bad("the text ends inside a string");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) bad("a control character inside a string");
      ++at_;
      if (c == '\\') {
        parse_escape(&out);
      } else {
        out.push_back(c);
      }
    }
    ++at_;
    return out;
  }

  const std::string& text_;
  size_t at_ = 0;
};

const char* kind_name(Json::Kind kind) {
  static const char* const names[] = {"null",     "a boolean", "a number",
                                      "a string", "an array",  "an object"};
  return names[kind];
}

}  // namespace

const Json* Json::find(const char* key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

const std::string& Json::as_string(const std::string& what) const {
  require(kind == string, what, ": expected a string, given ", kind_name(kind));
  return text;
}

int64_t Json::as_integer(const std::string& what) const {
  require(kind == number, what, ": expected an integer, given ", kind_name(kind));
  require(real == std::floor(real) && std::fabs(real) < 9e15, what, ": expected an integer, given ",
          text);
  return static_cast<int64_t>(real);
}

const std::vector<Json>& Json::as_array(const std::string& what) const {
  require(kind == array, what, ": expected an array, given ", kind_name(kind));
  return items;
}

const std::vector<std::pair<std::string, Json>>& Json::as_object(const std::string& what) const {
  require(kind == object, what, ": expected an object, given ", kind_name(kind));
  return members;
}

Json parse_json(const std::string& text) { return Parser(text).document(); }

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
