// The op table: what every entry must have, and look-up by name.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "kernels/elementwise.h"
#include "ops/grad_builder.h"
#include "ops_helpers.h"

using namespace ops_test;

namespace {

// The attribute of "no_bias", "!use_length" and "mode!lstm".
std::string attr_of(const std::string& absent_if) {
  const size_t mark = absent_if.find('!');
  return mark == 0 ? absent_if.substr(1) : absent_if.substr(0, mark);
}

}  // namespace

TEST_CASE("op table: every entry is complete") {
  std::set<std::string> names;
  CHECK(all_ops().size() > 180);
  for (const OpDef* op : all_ops()) {
    CAPTURE(op->name);
    CHECK(names.insert(op->name).second);
    CHECK(find_op(op->name) == op);
    CHECK(std::string(op->doc).size() > 5);
    CHECK(op->infer != nullptr);
    CHECK(op->rule != nullptr);
    CHECK((op->cpu != nullptr || op->elementwise != nullptr));
    CHECK_FALSE((op->cpu != nullptr && op->elementwise != nullptr));
    CHECK(op->dtypes != 0);
    CHECK(op->defaults.size() == op->attrs.size());
    for (const InputDef& input : op->inputs) {
      CHECK(std::string(input.name) != "");
      CHECK(std::string(input.doc) != "");
      if (input.absent_if) CHECK(op->attr_index(attr_of(input.absent_if).c_str()) >= 0);
    }
    for (const AttrDef& attr : op->attrs) {
      CHECK(std::string(attr.doc) != "");
      CHECK(op->attr_index(attr.name) >= 0);
    }
    for (const InPlacePair& pair : op->in_place) {
      CHECK(pair.in < static_cast<int>(op->inputs.size()));
    }
    const bool some = std::any_of(op->inputs.begin(), op->inputs.end(),
                                  [](const InputDef& input) { return input.differentiable; });
    CHECK_MESSAGE(some == (op->gradient != nullptr), "differentiable inputs need a gradient");
    if (op->training_only) CHECK(op->inputs.size() == 1);
  }
}

TEST_CASE("op table: unknown names are answered with near misses") {
  CHECK(find_op("nothing_like_this") == nullptr);
  const auto message = [](const char* name) {
    try {
      get_op(name);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(contains(message("Convolutoin"), "did you mean 'Convolution'"));
  CHECK(contains(message("fullyconnected"), "'FullyConnected'"));
  CHECK(contains(message("trnspose"), "'transpose'"));
  CHECK(message("zzzzzzzzzzzz") == "unknown operator 'zzzzzzzzzzzz'");
  CHECK(message(std::string(100000, 'x').c_str()).size() < 300);
}

TEST_CASE("op table: elementwise code is well formed for every dtype an operator has") {
  for (const OpDef* op : all_ops()) {
    if (!op->elementwise) continue;
    CAPTURE(op->name);
    for (int d = 0; d < kNumDTypes; ++d) {
      const DType dtype = static_cast<DType>(d);
      if ((op->dtypes & dtype_bit(dtype)) == 0) continue;
      Attrs attrs(op);
      for (const AttrDef& def : op->attrs) {
        if (def.default_text) continue;
        attrs.set_text(def.name, def.type == AttrType::dtype ? "float32"
                                 : def.type == AttrType::string
                                     ? std::string(def.choices, std::strcspn(def.choices, "|"))
                                 : def.type == AttrType::ints ? "(2,)"
                                                              : "2");
      }
      if (std::string(op->name) == "clip") attrs.set_text("a_min", "0");
      const auto given = static_cast<size_t>(
          std::count_if(op->inputs.begin(), op->inputs.end(),
                        [&](const InputDef& input) { return !input.is_absent(attrs); }));
      std::vector<ElemInstr> code;
      op->elementwise(attrs, std::vector<DType>(given, dtype), &code);
      REQUIRE_FALSE(code.empty());
      for (size_t i = 0; i < code.size(); ++i) {
        int numbers = 0;
        for (const ElemOperand& o : {code[i].a, code[i].b, code[i].c}) {
          numbers += o.kind == ElemOperand::immediate;
          if (o.kind == ElemOperand::temp) CHECK(o.index < static_cast<int>(i));
          if (o.kind == ElemOperand::input) CHECK(o.index < static_cast<int>(given));
        }
        CHECK(numbers <= 1);
      }
      // The last instruction's dtype is what inference says.
      std::vector<Shape> in(given, Shape{2}), out{Shape::unknown()};
      std::vector<DType> in_dtypes(given, dtype), out_dtypes{DType::unknown};
      InferContext c{attrs, in, out, in_dtypes, out_dtypes, op->name};
      if (std::string(op->name) == "where") in_dtypes[0] = DType::boolean;
      const bool creates = op->inputs.empty();
      op->infer(c);
      if (!creates) CHECK(code.back().out_dtype == out_dtypes[0]);
    }
  }
}

TEST_CASE("op table: costs grow with the work") {
  const auto cost = [](const char* name, const std::vector<Shape>& in, const Texts& texts = {}) {
    Use use(name, in, texts);
    use.infer();
    return estimate_cost_ns(*use.op, use.attrs, use.in, use.out, DType::float32);
  };
  CHECK(cost("add", {{1}, {1}}) < 1000);
  CHECK(cost("add", {{10000000}, {10000000}}) > 1e6);
  CHECK(cost("exp", {{1000000}}) > cost("add", {{1000000}, {1000000}}));
  const double product = cost("dot", {{2000, 2000}, {2000, 2000}});
  CHECK(product > 1e8);  // 16 GFLOP at 90 GFLOP/s at most
  CHECK(product < 1e10);
  CHECK(cost("Convolution", {{8, 16, 32, 32}, {16, 16, 3, 3}},
             {{"kernel", "(3, 3)"}, {"num_filter", "16"}, {"no_bias", "True"}}) > 4e5);
  CHECK(cost("reshape", {{10, 10}}, {{"shape", "(100,)"}}) < 1000);
}
