#include "capi/run/npy.h"

#include <cctype>
#include <cstring>

#include "capi/hybrid.h"
#include "core/error.h"

namespace hybrid {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;
constexpr size_t kMaxHeader = 1 << 16;
constexpr uint64_t kMaxElements = uint64_t{1} << 62;

struct Descr {
  const char* text;
  int dtype;
};
constexpr Descr kDescrs[] = {
    {"<f4", HYBRID_FLOAT32},   {"<f8", HYBRID_FLOAT64},     {"<f2", HYBRID_FLOAT16},
    {"|u1", HYBRID_UINT8},     {"<i4", HYBRID_INT32},       {"|i1", HYBRID_INT8},
    {"<i8", HYBRID_INT64},     {"|b1", HYBRID_BOOL},        {"<i2", HYBRID_INT16},
    {"<u2", HYBRID_UINT16},    {"<u4", HYBRID_UINT32},      {"<u8", HYBRID_UINT64},
    {"<c8", HYBRID_COMPLEX64}, {"<c16", HYBRID_COMPLEX128},
};

int dtype_of(const std::string& descr) {
  for (const Descr& d : kDescrs) {
    // One byte has no order: "<u1" is written by some.
    if (descr == d.text || (d.text[0] == '|' && descr == "<" + std::string(d.text + 1))) {
      return d.dtype;
    }
  }
  std::string shown = descr.substr(0, 40);
  for (char& c : shown) c = std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  if (descr.find('O') != std::string::npos)
    fail("npy: Python objects ('", shown, "') are not read");
  if (descr[0] == '>') fail("npy: big-endian numbers ('", shown, "') are not read");
  fail("npy: the dtype '", shown, "' is not one of numbers or booleans");
}

// The header is the text of a Python dict; this reads those that NumPy writes, and no more.
class Header {
 public:
  explicit Header(const std::string& text) : text_(text) {}

  void read(NpyArray* array, bool* fortran) {
    bool seen[3] = {};
    take('{');
    while (peek() != '}') {
      const std::string key = quoted();
      const int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      expect(which >= 0 && !seen[which], "the keys descr, fortran_order and shape, once each");
      seen[which] = true;
      take(':');
      if (which == 0) {
        expect(peek() != '[', "a plain dtype (structured ones are not read)");
        array->dtype = dtype_of(quoted());
      } else if (which == 1) {
        *fortran = boolean();
      } else {
        array->shape = tuple();
      }
      if (peek() == ',') take(',');
    }
    take('}');
    while (at_ < text_.size()) {
      expect(std::isspace(static_cast<unsigned char>(text_[at_])), "nothing after the header");
      ++at_;
    }
    expect(seen[0] && seen[1] && seen[2], "the keys descr, fortran_order and shape, once each");
  }

 private:
  void expect(bool ok, const char* what) const {
    require(ok, "npy: byte ", at_, " of the header: expected ", what);
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void take(char c) {
    const char wanted[] = {'\'', c, '\'', '\0'};
    expect(peek() == c, wanted);
    ++at_;
  }

  std::string quoted() {
    const char quote = peek();
    expect(quote == '\'' || quote == '"', "a string");
    const size_t end = text_.find(quote, at_ + 1);
    expect(end != std::string::npos, "a closing quote");
    const std::string result = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return result;
  }

  bool boolean() {
    peek();
    for (const bool value : {true, false}) {
      const std::string word = value ? "True" : "False";
      if (text_.compare(at_, word.size(), word) != 0) continue;
      at_ += word.size();
      return value;
    }
    expect(false, "True or False");
    return false;
  }

  std::vector<int64_t> tuple() {
    std::vector<int64_t> result;
    take('(');
    while (peek() != ')') {
      expect(std::isdigit(static_cast<unsigned char>(text_[at_])), "a size");
      uint64_t value = 0;
      for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_) {
        value = value * 10 + static_cast<uint64_t>(text_[at_] - '0');
        expect(value <= kMaxElements, "a size below 2^62");
      }
      if (peek() == 'L') ++at_;  // Python 2
      require(result.size() < HYBRID_MAX_DIMS, "npy: more than ", HYBRID_MAX_DIMS, " dimensions");
      result.push_back(static_cast<int64_t>(value));
      if (peek() != ')') take(',');
    }
    take(')');
    return result;
  }

  const std::string& text_;
  size_t at_ = 0;
};

// Bytes of the whole array; no product overflows, since sizes of 0 count too.
uint64_t total_bytes(const NpyArray& array) {
  const uint64_t item = hybrid_dtype_size(array.dtype);
  uint64_t elements = 1;
  bool empty = false;
  for (const int64_t dim : array.shape) {
    empty = empty || dim == 0;
    const auto size = static_cast<uint64_t>(dim == 0 ? 1 : dim);
    require(elements <= kMaxElements / item / size, "npy: the shape ", shape_text(array.shape),
            " declares more bytes than there are");
    elements *= size;
  }
  return empty ? 0 : elements * item;
}

// Column-major to row-major.
std::string reordered(const NpyArray& array, const char* from) {
  const size_t item = hybrid_dtype_size(array.dtype);
  const int n = static_cast<int>(array.shape.size());
  std::vector<size_t> stride(static_cast<size_t>(n));
  size_t step = item;
  for (int i = 0; i < n; ++i) {
    stride[i] = step;
    step *= static_cast<size_t>(array.shape[i]);
  }
  std::string result(total_bytes(array), '\0');
  std::vector<int64_t> index(static_cast<size_t>(n), 0);
  size_t source = 0;
  for (size_t to = 0; to < result.size(); to += item) {
    std::memcpy(&result[to], from + source, item);
    for (int i = n - 1; i >= 0; --i) {
      source += stride[i];
      if (++index[i] < array.shape[i]) break;
      source -= stride[i] * static_cast<size_t>(array.shape[i]);
      index[i] = 0;
    }
  }
  return result;
}

}  // namespace

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i ? ", " : "") + (shape[i] < 0 ? "?" : std::to_string(shape[i]));
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

NpyArray read_npy(const std::string& bytes) {
  require(bytes.size() >= kMagicBytes + 4 && bytes.compare(0, kMagicBytes, kMagic) == 0,
          "npy: the first bytes are not those of a .npy file");
  const auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])); };
  const uint64_t version = byte(6);
  require(version >= 1 && version <= 3, "npy: version ", version, ", expected 1 to 3");
  const size_t start = version == 1 ? 10 : 12;
  require(bytes.size() >= start, "npy: the file is truncated in its header");
  uint64_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  require(length <= kMaxHeader, "npy: a header of ", length, " bytes, expected at most ",
          kMaxHeader);
  require(length <= bytes.size() - start, "npy: the file is truncated in its header");
  NpyArray array;
  bool fortran = false;
  const std::string header = bytes.substr(start, length);
  Header(header).read(&array, &fortran);
  const uint64_t wanted = total_bytes(array), there = bytes.size() - start - length;
  require(wanted == there, "npy: ", hybrid_dtype_name(array.dtype), " ", shape_text(array.shape),
          " needs ", wanted, " bytes, the file has ", there);
  const char* from = bytes.data() + start + length;
  if (fortran && array.shape.size() > 1) {
    array.data = reordered(array, from);
  } else {
    array.data.assign(from, wanted);
  }
  if (array.dtype == HYBRID_BOOL) {
    for (char& value : array.data) value = value != 0;
  }
  return array;
}

std::string write_npy(const NpyArray& array) {
  const char* descr = nullptr;
  for (const Descr& d : kDescrs) {
    if (d.dtype == array.dtype) descr = d.text;
  }
  const char* name = hybrid_dtype_name(array.dtype);
  require(descr != nullptr, "npy: there is no form for ", name ? name : "an unknown dtype");
  require(array.data.size() == total_bytes(array), "npy: ", name, " ", shape_text(array.shape),
          " needs ", total_bytes(array), " bytes, given ", array.data.size());
  std::string header = std::string("{'descr': '") + descr +
                       "', 'fortran_order': False, 'shape': " + shape_text(array.shape) + ", }";
  constexpr size_t kAlign = 64;
  header.append(kAlign - (10 + header.size() + 1) % kAlign, ' ');
  header += '\n';
  std::string bytes(kMagic, kMagicBytes);
  bytes += {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return bytes + header + array.data;
}

}  // namespace hybrid
