// Declared properties of a variable, from MXNet's double-underscore attributes.
#include "symbol/variable.h"

#include <cerrno>
#include <cstdlib>

#include "core/error.h"

namespace hybrid {

Shape declared_shape(const std::string& name, const std::map<std::string, std::string>& extra,
                     bool np_shape) {
  const auto found = extra.find("__shape__");
  if (found == extra.end() || found->second == "None") return Shape::unknown();
  const std::string& text = found->second;
  const auto bad = [&]() {
    fail("variable '", name, "': __shape__ is expected as \"(2, 3)\", given \"", text, "\"");
  };
  Shape shape;
  const char* at = text.c_str();
  const auto skip = [&]() {
    while (*at == ' ') ++at;
  };
  skip();
  const char close = *at == '(' ? ')' : *at == '[' ? ']' : '\0';
  if (close == '\0') bad();
  ++at;
  for (skip(); *at != close; skip()) {
    char* end = nullptr;
    errno = 0;
    const long long dim = std::strtoll(at, &end, 10);
    if (end == at || errno != 0 || dim < -1) bad();
    if (shape.ndim() == kMaxDims) {
      fail("variable '", name, "': at most ", kMaxDims, " dimensions, given __shape__ ", text);
    }
    shape.push_back(dim == 0 && !np_shape ? -1 : dim);
    at = end;
    skip();
    if (*at == ',') {
      ++at;
    } else if (*at != close) {
      bad();
    }
  }
  ++at;
  skip();
  if (*at != '\0') bad();
  // MXNet 1.x has no 0-d arrays: "()" is its word for "not known yet".
  return shape.ndim() == 0 && !np_shape ? Shape::unknown() : shape;
}

DType declared_dtype(const std::string& name, const std::map<std::string, std::string>& extra) {
  const auto found = extra.find("__dtype__");
  if (found == extra.end() || found->second == "-1" || found->second == "None") {
    return DType::unknown;
  }
  const std::string& text = found->second;
  char* end = nullptr;
  const long flag = std::strtol(text.c_str(), &end, 10);
  try {
    return !text.empty() && *end == '\0' ? dtype_from_flag(flag) : dtype_from_name(text);
  } catch (const Error& error) {
    fail("variable '", name, "': __dtype__ \"", text, "\": ", error.what());
  }
}

}  // namespace hybrid
