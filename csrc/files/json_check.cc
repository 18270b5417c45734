// Whether a text is JSON: nothing else looks at it before, and nothing is built here.
#include "core/error.h"
#include "files/json.h"

namespace hybrid {

namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxBytes = size_t{256} << 20;

class Checker {
 public:
  explicit Checker(const std::string& text) : text_(text) {}

  Json document() {
    require(text_.size() <= kMaxBytes, "JSON: ", text_.size(), " bytes are more than the limit of ",
            kMaxBytes);
    skip_space();
    const Json result(text_.c_str() + at_);
    value(0);
    skip_space();
    if (at_ != text_.size()) bad("text after the end of the document");
    return result;
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

  void value(int depth) {
    if (depth > kMaxDepth) bad("nested too deeply");
    skip_space();
    if (at_ >= text_.size()) bad("the text ends early");
    switch (peek()) {
      case '{':
        object(depth);
        break;
      case '[':
        array(depth);
        break;
      case '"':
        string();
        break;
      case 't':
        word("true");
        break;
      case 'f':
        word("false");
        break;
      case 'n':
        word("null");
        break;
      default:
        number();
    }
  }

  void word(const char* expected) {
    const size_t length = std::char_traits<char>::length(expected);
    if (text_.compare(at_, length, expected) != 0) bad("unknown word");
    at_ += length;
  }

  void object(int depth) {
    ++at_;
    if (accept('}')) return;
    do {
      skip_space();
      if (peek() != '"') bad("a key in quotes is expected");
      string();
      if (!accept(':')) bad("':' is expected");
      value(depth + 1);
    } while (accept(','));
    if (!accept('}')) bad("',' or '}' is expected");
  }

  void array(int depth) {
    ++at_;
    if (accept(']')) return;
    do {
      value(depth + 1);
    } while (accept(','));
    if (!accept(']')) bad("',' or ']' is expected");
  }

  bool digit() const { return peek() >= '0' && peek() <= '9'; }

  void digits() {
    if (!digit()) bad("digits are expected");
    while (digit()) ++at_;
  }

  void number() {
    if (peek() == '-') ++at_;
    if (!digit()) bad("a value is expected");
    const bool zero = peek() == '0';
    const size_t whole = at_;
    digits();
    if (zero && at_ - whole > 1) bad("a number starts with 0");
    if (peek() == '.') {
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
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

  void escape() {
    static const std::string single = "\"\\/bfnrt";
    const char c = peek();
    if (c != 'u') {
      if (c == '\0' || single.find(c) == std::string::npos) bad("unknown escape");
      ++at_;
      return;
    }
    ++at_;
    const uint32_t code = hex4();
    if (code < 0xd800 || code >= 0xe000) return;
    if (code >= 0xdc00 || text_.compare(at_, 2, "\\u") != 0) bad("half of a surrogate pair");
    at_ += 2;
    const uint32_t low = hex4();
    if (low < 0xdc00 || low > 0xdfff) bad("half of a surrogate pair");
  }

  void string() {
    ++at_;
    while (true) {
      if (at_ >= text_.size()) bad("the text ends inside a string");
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) bad("a control character inside a string");
      ++at_;
      if (c == '"') return;
      if (c == '\\') escape();
    }
  }

  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace

Json parse_json(const std::string& text) { return Checker(text).document(); }

}  // namespace hybrid
