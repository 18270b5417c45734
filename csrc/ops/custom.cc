#include "ops/custom.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "ops/families.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

CustomHooks& hooks() {
  static CustomHooks found;
  return found;
}

[[noreturn]] void without_python(const char* what) {
  fail("Custom: ", what, " is known to Python alone, which is not here");
}

int count_outputs(const Attrs& attrs) {
  if (hooks().count_outputs == nullptr) without_python("the number of its outputs");
  return hooks().count_outputs(attrs);
}

void infer_custom(InferContext& c) {
  if (hooks().infer == nullptr) without_python("its shape");
  hooks().infer(c);
}

void run_custom(KernelContext& c) {
  fail("Custom '", c.attrs.string("op_type"),
       "': runs in Python, which no compiled program calls; blocks and executors run a graph with "
       "it node by node");
}

void grad_custom(GradBuilder& b) {
  fail("Custom '", b.attrs().string("op_type"),
       "': its gradient is computed in Python, which no compiled program calls; call backward() "
       "on arrays instead");
}

std::string encoded(const std::string& text) {
  static const char* const digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::strchr("._-~", c)) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string decoded(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    out += escape ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
    if (escape) i += 2;
  }
  return out;
}

}  // namespace

void set_custom_hooks(const CustomHooks& found) { hooks() = found; }

size_t custom_first_state(const Attrs& attrs) {
  if (hooks().count_arguments == nullptr) return SIZE_MAX;
  return static_cast<size_t>(hooks().count_arguments(attrs));
}

bool is_custom(const OpDef& op) { return std::strcmp(op.name, "Custom") == 0; }

std::string custom_arguments(const std::map<std::string, std::string>& arguments) {
  std::string text;
  for (const auto& [key, value] : arguments) {
    text += (text.empty() ? "" : "&") + encoded(key) + "=" + encoded(value);
  }
  return text;
}

std::map<std::string, std::string> custom_arguments(const std::string& text) {
  std::map<std::string, std::string> found;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('&', at), text.size());
    const std::string part = text.substr(at, end - at);
    const size_t equals = std::min(part.find('='), part.size());
    found[decoded(part.substr(0, equals))] =
        equals < part.size() ? decoded(part.substr(equals + 1)) : "";
    at = end + 1;
  }
  return found;
}

void register_custom() {
  OpDef def;
  def.name = "Custom";
  def.family = Family::other;
  def.doc =
      "An operator that Python defines: a subclass of operator.CustomOpProp, registered under "
      "op_type. MXNet's Custom.";
  def.inputs = {{"data", "what list_arguments() names"}};
  def.variadic = true;
  def.attrs = {{"op_type", AttrType::string, nullptr, "name given to operator.register"},
               {"arguments", AttrType::string, "", "of the property: key=value&key=value"}};
  def.num_outputs_fn = count_outputs;
  def.dtypes = ~DTypeSet{0};
  def.infer = infer_custom;
  def.cpu = run_custom;
  def.gradient = grad_custom;
  add_op(std::move(def));
}

}  // namespace hybrid
