// MXNet's operator names: what each stands for, and writing them back.
#include <doctest/doctest.h>

#include <set>

#include "ops/mx_names.h"
#include "ops_helpers.h"

using namespace ops_test;

namespace {

// Any value that an attribute accepts, for required ones.
std::string some_value(const AttrDef& def) {
  switch (def.type) {
    case AttrType::ints:
      return "(2, 2)";
    case AttrType::string: {
      const std::string choices = def.choices ? def.choices : "relu";
      return choices.substr(0, choices.find('|'));
    }
    case AttrType::dtype:
      return "float32";
    case AttrType::boolean:
      return "True";
    default:
      return "2";
  }
}

std::string export_error(const char* op, const Texts& texts) {
  Attrs attrs(get_op(op));
  for (const auto& [name, text] : texts) attrs.set_text(name, text);
  Texts written;
  try {
    to_mx(*attrs.op(), attrs, false, &written);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("mx names: sizes that the use decides") {
  const MxName& normal = get_mx_name("_random_normal");
  const auto opened = [&](const char* shape) {
    Attrs attrs = mx_to_core(normal, {{"shape", shape}});
    open_sizes(&attrs);
    return attrs;
  };
  CHECK(opened("()").boolean("open"));
  CHECK(opened("(0, 3)").boolean("open"));
  CHECK(opened("(-1, 3)").ints("shape") == std::vector<int64_t>{0, 3});
  CHECK_FALSE(opened("(2, 3)").boolean("open"));
  Texts written;
  to_mx(*normal.op, opened("()"), false, &written);
  CHECK(written["shape"] == "()");
  to_mx(*normal.op, mx_to_core(normal, {}), false, &written);  // an imperative draw: one number
  CHECK(written["shape"] == "(1,)");
}

TEST_CASE("mx names: every name round-trips through symbol.json's words") {
  CHECK(mx_names().size() > 200);
  for (const MxName& row : mx_names()) {
    CAPTURE(row.name);
    REQUIRE(row.op != nullptr);
    Texts given;
    for (const AttrDef& def : row.op->attrs) {
      if (!def.default_text && !row.fixed.count(def.name)) given[def.name] = some_value(def);
    }
    Attrs attrs = mx_to_core(row, given);
    open_sizes(&attrs);
    attrs.check_complete();
    Texts written;
    const std::string name = to_mx(*row.op, attrs, row.same_shapes, &written, 3);
    const MxName* back = find_mx_name(name);
    REQUIRE(back != nullptr);
    CHECK(back->op == row.op);
    Attrs read = mx_to_core(*back, written);
    open_sizes(&read);
    CHECK(read == attrs);
    // Written with the name of a more general row.
    const bool spelled = row.name == "fix" || row.name == "argmax_channel" ||
                         row.name == "make_loss" || row.name == "Pooling_v1";
    if (row.exported && !spelled) CHECK(name == row.name);
    const bool counts =
        row.op->attr_index("num_arrays") >= 0 || row.op->attr_index("num_outputs") >= 0;
    if (row.op->variadic && row.name != "Custom" && !counts) CHECK(written.at("num_args") == "3");
  }
}

TEST_CASE("mx names: the rules that come with a name") {
  CHECK(get_mx_name("broadcast_greater").fixed.at("dtype") == "None");
  CHECK(get_mx_name("sum").fixed.at("at_least_1d") == "True");
  CHECK(get_mx_name("argmax").fixed.at("dtype") == "None");  // the data's
  CHECK(get_mx_name("Reshape").fixed.at("codes") == "True");
  CHECK(find_mx_name("_rminus_scalar")->op == get_op("rsub_scalar"));
  CHECK(find_mx_name("elemwise_add")->op == find_mx_name("broadcast_add")->op);
  CHECK(find_mx_name("no_such_name") == nullptr);
  try {
    get_mx_name("Convolutin");
    FAIL("expected an error");
  } catch (const Error& error) {
    CHECK(contains(error.what(), "did you mean 'Convolution'"));
  }
}

TEST_CASE("mx names: equal shapes choose the elementwise name") {
  Texts written;
  const OpDef* add = get_op("add");
  CHECK(to_mx(*add, Attrs(add), true, &written) == "elemwise_add");
  CHECK(to_mx(*add, Attrs(add), false, &written) == "broadcast_add");
  CHECK(written.empty());
  const OpDef* softrelu = get_op("softrelu");
  CHECK(to_mx(*softrelu, Attrs(softrelu), false, &written) == "Activation");
  CHECK(written.at("act_type") == "softrelu");
}

TEST_CASE("mx names: attributes are written as MXNet's own files have them") {
  Attrs conv(get_op("Convolution"));
  conv.set_text("kernel", "(5, 5)");
  conv.set_text("num_filter", "6");
  conv.set_text("pad", "(2, 2)");
  Texts written;
  CHECK(to_mx(*conv.op(), conv, false, &written) == "Convolution");
  CHECK(written == Texts{{"dilate", "()"},
                         {"kernel", "(5, 5)"},
                         {"no_bias", "False"},
                         {"num_filter", "6"},
                         {"num_group", "1"},
                         {"pad", "(2, 2)"},
                         {"stride", "()"}});
}

TEST_CASE("mx names: hints are ignored, unknown attributes refused") {
  const MxName& conv = get_mx_name("Convolution");
  const Texts given{{"kernel", "(3, 3)"},
                    {"num_filter", "2"},
                    {"workspace", "1024"},
                    {"cudnn_tune", "off"},
                    {"__ctx_group__", "dev1"}};
  CHECK(mx_to_core(conv, given).integer("num_filter") == 2);
  CHECK_THROWS_AS(mx_to_core(conv, {{"kernels", "(3, 3)"}}), Error);
  CHECK(mx_to_core(get_mx_name("_arange"), {{"infer_range", "True"}}).boolean("infer_range"));
  CHECK(mx_to_core(get_mx_name("softmax"), {{"use_length", "False"}, {"dtype", "None"}})
            .integer("axis") == -1);
}

TEST_CASE("mx names: a custom operator's own attributes are kept, whatever they are") {
  const Texts given{{"op_type", "scale"}, {"factor", "a b&c=%1+"}, {"ctx", ""}, {"num_args", "3"}};
  const Attrs attrs = mx_to_core(get_mx_name("Custom"), given);
  CHECK(attrs.string("arguments") == "ctx=&factor=a%20b%26c%3D%251%2B&num_args=3");
  Texts written;
  CHECK(to_mx(*attrs.op(), attrs, false, &written, 1) == "Custom");
  CHECK(written == given);
  CHECK_THROWS_AS(mx_to_core(get_mx_name("Custom"), {}).check_complete(), Error);
}

TEST_CASE("mx names: what MXNet 1.9.1 cannot say fails, naming it") {
  CHECK(contains(export_error("floor_div", {}), "floor_div"));
  CHECK(contains(export_error("greater", {}), "MXNet 1.9.1 has no operator for this"));
  CHECK(contains(export_error("argmax", {}), "argmax"));
  CHECK(export_error("sum", {}) != "");  // a 0-d result
  CHECK(export_error("sum", {{"axis", "(1,)"}}) == "");
  CHECK(export_error("reshape", {{"shape", "(2, -1)"}}) == "");
  CHECK(export_error("reshape", {{"shape", "(2, 0)"}}) != "");
}

TEST_CASE("mx names: faces leave out the internal names") {
  std::set<std::string> faces;
  for (const MxName& row : mx_names()) {
    if (row.face) faces.insert(row.name);
  }
  for (const char* name :
       {"FullyConnected", "Convolution",   "Pooling",   "Activation",    "Flatten",
        "flatten",        "Reshape",       "reshape",   "Concat",        "concat",
        "split",          "dot",           "batch_dot", "transpose",     "SwapAxis",
        "expand_dims",    "sum",           "mean",      "max",           "min",
        "argmax",         "norm",          "Cast",      "cast",          "clip",
        "take",           "pick",          "one_hot",   "where",         "softmax",
        "log_softmax",    "SoftmaxOutput", "Dropout",   "BlockGrad",     "stack",
        "tile",           "repeat",        "Embedding", "LeakyReLU",     "square",
        "sqrt",           "relu",          "sigmoid",   "broadcast_add", "elemwise_add"}) {
    CHECK_MESSAGE(faces.count(name) == 1, name);
  }
  CHECK(faces.count("_plus_scalar") == 0);
}
