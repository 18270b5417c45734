// symbol.json: genuine files, what we write, older keys, and no harm from bad text.
#include <doctest/doctest.h>

#include "core/error.h"
#include "files/json.h"
#include "graph_helpers.h"
#include "ops/mx_names.h"
#include "symbol/symbol.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

std::string error_of(const std::string& text) {
  try {
    symbol_from_json(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// A file with one operator node over `a`, `b`.
std::string with_node(const std::string& node) {
  return R"({"nodes": [{"op": "null", "name": "a", "inputs": []},
    {"op": "null", "name": "b", "inputs": []}, )" +
         node + R"(], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})";
}

}  // namespace

TEST_CASE("json: values, escapes and nesting") {
  const std::string text =
      R"( {"a": [1, -2.5e3, "x\"\\\n\u00e9\ud83d\ude00"], "b": null , "c":true, "e": {}, "f":[] } )";
  const Json v = parse_json(text);
  std::vector<Json> items;
  for (const Json& item : v.find("a")->as_array("a")) items.push_back(item);
  REQUIRE(items.size() == 3);
  CHECK(items[0].as_integer("a") == 1);
  CHECK(items[1].as_integer("a") == -2500);
  CHECK(items[2].as_string("a") == "x\"\\\n\xc3\xa9\xf0\x9f\x98\x80");
  CHECK(v.find("b")->kind() == Json::null);
  CHECK(v.find("c")->kind() == Json::boolean);
  CHECK_FALSE(v.find("d").has_value());
  CHECK_FALSE(v.find("e")->find("a").has_value());
  CHECK_FALSE(v.find("f")->as_array("f").begin() != v.find("f")->as_array("f").end());
  std::string keys;
  for (const auto& [key, value] : v.as_object("v")) keys += key;
  CHECK(keys == "abcef");
  CHECK_THROWS_WITH_AS(v.as_array("v"), "v: expected an array, given an object", Error);
  const std::string quoted = json_quoted("a\"b\\c\n\x01<é>");
  CHECK(parse_json(quoted).as_string("q") == "a\"b\\c\n\x01<é>");
}

TEST_CASE("json: malformed text is an error") {
  for (const char* bad :
       {"",    " ",     "{",       "[1,",         "[1 2]",       "{\"a\"}",  "{\"a\":1,}",
        "nul", "\"abc", "\"\\x\"", "\"\\ud800\"", "\"\\u12g4\"", "01",       "1.",
        "1e",  "-",     "+1",      "[1]]",        "{'a': 1}",    "\"a\nb\"", "NaN"}) {
    CAPTURE(std::string(bad));
    CHECK_THROWS_AS(parse_json(bad), Error);
  }
  CHECK_THROWS_WITH_AS(parse_json(std::string(100000, '[')), doctest::Contains("too deeply"),
                       Error);
  CHECK_NOTHROW(parse_json(std::string(60, '[') + std::string(60, ']')));
}

TEST_CASE("json: genuine models load with their arguments, shapes and order") {
  const Symbol mlp = symbol_from_json(read_data("mxnet/my_mlp-symbol.json"));
  CHECK(mlp.list_arguments() == std::vector<std::string>{"data", "dense0_weight", "dense0_bias",
                                                         "dense1_weight", "dense1_bias",
                                                         "dense2_weight", "dense2_bias"});
  CHECK(mlp.list_outputs() == std::vector<std::string>{"dense2_fwd_output"});
  const Graph g = to_graph(mlp);
  g.check();
  CHECK(g.shape({g.inputs[1], 0}) == Shape({256, -1}));
  CHECK(g.node(g.inputs[1]).extra.at("__wd_mult__") == "1.0");
  PassOptions options;
  options.input_shapes.assign(g.inputs.size(), Shape::unknown());
  options.input_shapes[0] = {4, 512};
  const Applied inferred = run_pass("infer", g, options);
  CHECK(is_inferred(inferred.graph));
  CHECK(inferred.graph.shape(inferred.graph.outputs[0]) == Shape({4, 2}));
  const Graph lenet = to_graph(symbol_from_json(read_data("mxnet/lenet-symbol.json")));
  lenet.check();
  CHECK(lenet.inputs.size() == 11);
}

TEST_CASE("json: genuine models give MXNet's own outputs") {
  struct Model {
    const char* name;
    Shape input, output;
  };
  for (const Model& m :
       {Model{"my_mlp", {4, 512}, {4, 2}}, Model{"lenet", {4, 1, 28, 28}, {4, 10}}}) {
    CAPTURE(std::string(m.name));
    const std::string path = std::string("mxnet/") + m.name;
    const Graph g = to_graph(symbol_from_json(read_data(path + "-symbol.json")));
    std::map<std::string, NDArray> by_name;
    for (const NamedArray& a : load_params(read_data(path + "-0000.params"))) {
      by_name[a.name.substr(4)] = a.array;  // "arg:"
    }
    const auto npy = [](const std::string& file, const Shape& shape) {
      const std::string bytes = read_data(file);
      const size_t size = static_cast<size_t>(shape.size()) * sizeof(float);
      std::vector<float> v(size / sizeof(float));
      std::memcpy(v.data(), bytes.data() + bytes.size() - size, size);
      return v;
    };
    by_name["data"] = make_array<float>(m.input, DType::float32, npy(path + "-input.npy", m.input));
    std::vector<NDArray> inputs;
    for (NodeId id : g.inputs) inputs.push_back(by_name.at(g.node(id).name));
    const std::vector<float> got = floats(run_graph(g, inputs, {}, false)[0]);
    const std::vector<float> expected = npy(path + "-output.npy", m.output);
    REQUIRE(got.size() == expected.size());
    for (size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - expected[i]) <= 1e-5f);
  }
}

TEST_CASE("json: what we write reads back as the same graph") {
  for (const char* name : {"my_mlp", "lenet"}) {
    const std::string genuine = read_data(std::string("mxnet/") + name + "-symbol.json");
    const Symbol first = symbol_from_json(genuine);
    const std::string text = symbol_to_json(first);
    CHECK(text == genuine);  // Gluon gives every attribute, as we do
    const Symbol second = symbol_from_json(text);
    CHECK(to_graph(second).hash() == to_graph(first).hash());
    CHECK(second.list_arguments() == first.list_arguments());
    CHECK(second.list_outputs() == first.list_outputs());
    CHECK(symbol_to_json(second) == text);
    for (const char* key : {"\"node_row_ptr\"", "\"arg_nodes\"", "\"heads\"",
                            "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}"}) {
      CHECK(text.find(key) != std::string::npos);
    }
  }
}

TEST_CASE("json: variables are laid out as MXNet does, to the byte") {
  const std::string text =
      symbol_to_json(Symbol::variable("w", {{"__shape__", "(256, 0)"}, {"__dtype__", "0"}}));
  CHECK(text == R"json({
  "nodes": [
    {
      "op": "null", 
      "name": "w", 
      "attrs": {
        "__dtype__": "0", 
        "__shape__": "(256, 0)"
      }, 
      "inputs": []
    }
  ], 
  "arg_nodes": [0], 
  "node_row_ptr": [0, 1], 
  "heads": [[0, 0, 0]], 
  "attrs": {"mxnet_version": ["int", 10901]}
})json");
}

TEST_CASE("json: constants become variables, with their values apart") {
  GraphMaker g;
  const Entry x = g.input("x", {2});
  g.output(g.op("mul", {g.op("add", {x, g.real(2.f, {1})}, "s"), g.real(3.f, {1})}, "y"), "y");
  const Symbol symbol = from_graph(g.graph);
  const Symbol back = symbol_from_json(symbol_to_json(symbol));
  CHECK(back.list_arguments() == std::vector<std::string>{"x", "_const0", "_const1"});
  const std::vector<NamedArray> constants = symbol_constants(symbol);
  REQUIRE(constants.size() == 2);
  CHECK(constants[1].name == "_const1");
  CHECK(floats(constants[1].array) == std::vector<float>{3.f});
}

TEST_CASE("json: older keys are read") {
  for (const char* key : {"attrs", "attr", "param"}) {
    CAPTURE(std::string(key));
    const std::string text = with_node(
        std::string(R"({"op": "FullyConnected", "name": "fc", "inputs": [[0, 0], [1, 0]], ")") +
        key + R"(": {"num_hidden": "3", "no_bias": "True"}, "backward_source_id": -1})");
    CHECK(symbol_from_json(text).outputs[0].node->attrs.integer("num_hidden") == 3);
  }
}

TEST_CASE("json: bad content is refused, naming the node") {
  const auto add = [](const std::string& inputs, const std::string& rest = "") {
    return with_node(R"({"op": "broadcast_add", "name": "sum", "inputs": )" + inputs + rest + "}");
  };
  CHECK(error_of(add("[[0,0,0],[1,0,0]]")) == "");
  CHECK(error_of(add("[[0,0,0],[2,0,0]]")).find("node 2 'sum': inputs: refers to node 2") !=
        std::string::npos);
  CHECK(error_of(add("[[0,0,0],[-1,0,0]]")) != "");
  CHECK(error_of(add("[[0,0,0],[1,5,0]]")).find("output 5 of 'b'") != std::string::npos);
  CHECK(error_of(add("[[0,0,0],[1e30,0,0]]")).find("integer") != std::string::npos);
  CHECK(error_of(add("[[0,0,0],[0.5,0,0]]")).find("integer") != std::string::npos);
  CHECK(error_of(add("[[0,0,0]]")).find("takes 2 inputs, given 1") != std::string::npos);
  CHECK(error_of(add("[0, 1]")).find("expected an array") != std::string::npos);
  CHECK(error_of(add("[[0,0,0],[1,0,0]]", R"(, "attrs": {"bogus": "1"})")).find("'bogus'") !=
        std::string::npos);
  CHECK(error_of(add("[[0,0,0],[1,0,0]]", R"(, "attrs": {"lhs": 1})")).find("string") !=
        std::string::npos);
  CHECK(error_of(with_node(R"({"op": "NoSuchOp", "name": "x", "inputs": []})"))
            .find("unknown operator 'NoSuchOp'") != std::string::npos);
  CHECK(
      error_of(
          with_node(
              R"({"op": "FullyConnected", "name": "fc", "inputs": [[0,0,0],[1,0,0]], "attrs": {"num_hidden": "many"}})"))
          .find("'fc'") != std::string::npos);
  CHECK(error_of("{}").find("nodes") != std::string::npos);
  CHECK(error_of("[1, 2]") != "");
  CHECK(error_of(R"({"nodes": [], "heads": []})").find("heads") != std::string::npos);
  CHECK(error_of(R"({"nodes": [], "heads": [[0, 0, 0]]})") != "");
  CHECK(error_of(R"({"nodes": {}, "heads": [[0, 0, 0]]})") != "");
  CHECK(
      error_of(
          R"({"nodes": [{"op": "null", "name": "a", "inputs": [], "attrs": {"__shape__": "(1,"}}], "heads": [[0,0,0]]})")
          .find("__shape__") != std::string::npos);
}

TEST_CASE("json: names with markup pass through as text") {
  const Symbol s = symbol_from_json(
      R"({"nodes": [{"op": "null", "name": "<img src=x onerror=alert(1)>", "inputs": []}], "heads": [[0,0,0]]})");
  CHECK(s.name() == "<img src=x onerror=alert(1)>");
}

TEST_CASE("json: truncated or altered files give an error or a symbol") {
  const std::string text = read_data("mxnet/my_mlp-symbol.json");
  for (size_t n = 0; n < text.size(); ++n) {
    if (error_of(text.substr(0, n)).empty()) FAIL_CHECK("accepted " << n << " bytes");
  }
  int valid = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    for (int mask : {0x01, 0x02, 0x10, 0x80}) {
      std::string bad = text;
      bad[i] = static_cast<char>(bad[i] ^ mask);
      try {
        to_graph(symbol_from_json(bad)).check();
        ++valid;
      } catch (const Error&) {
      }
    }
  }
  CHECK(valid > 0);
}
