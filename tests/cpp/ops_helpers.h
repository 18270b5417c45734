// Inferring one operator from shapes, for the tests of the op table.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "ops/op.h"

namespace ops_test {

using namespace hybrid;

using Texts = std::map<std::string, std::string>;

// Shapes and dtypes of one use, before and after inference.
struct Use {
  const OpDef* op;
  Attrs attrs;
  std::vector<Shape> in, out;
  std::vector<DType> in_dtypes, out_dtypes;

  Use(const char* name, const std::vector<Shape>& shapes, const Texts& texts = {},
      DType dtype = DType::float32)
      : op(get_op(name)), attrs(op), in(shapes), in_dtypes(shapes.size(), dtype) {
    for (const auto& [attr, text] : texts) attrs.set_text(attr, text);
    out.assign(static_cast<size_t>(op->count_outputs(attrs)), Shape::unknown());
    out_dtypes.assign(out.size(), DType::unknown);
  }
  Use& infer() {
    InferContext c{attrs, in, out, in_dtypes, out_dtypes, op->name};
    op->infer(c);
    return *this;
  }
};

// The shape that one use gives, as text.
inline std::string shape_of(const char* name, const std::vector<Shape>& shapes,
                            const Texts& texts = {}, DType dtype = DType::float32) {
  return Use(name, shapes, texts, dtype).infer().out[0].str();
}

// What one use complains about; "" when it does not.
inline std::string error_of(const char* name, const std::vector<Shape>& shapes,
                            const Texts& texts = {}, DType dtype = DType::float32) {
  try {
    Use(name, shapes, texts, dtype).infer();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ops_test
