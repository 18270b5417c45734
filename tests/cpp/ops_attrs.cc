// Attrs: parsing and printing MXNet's string forms, and the checks of set().
#include <doctest/doctest.h>

#include <cmath>

#include "ops_helpers.h"

using namespace ops_test;

namespace {

std::string round_trip(AttrType type, const std::string& text) {
  return attr_text(type, parse_attr(type, text, "test"));
}

std::string complaint(const char* op, const std::string& attr, const std::string& text) {
  try {
    Attrs(get_op(op)).set_text(attr, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("attrs: string forms read and written") {
  CHECK(round_trip(AttrType::boolean, "True") == "True");
  CHECK(round_trip(AttrType::boolean, "0") == "False");
  CHECK(round_trip(AttrType::integer, "-12") == "-12");
  CHECK(round_trip(AttrType::real, "0.1") == "0.1");
  CHECK(round_trip(AttrType::real, "2") == "2.0");
  CHECK(round_trip(AttrType::real, "1e-05") == "1e-05");
  CHECK(round_trip(AttrType::real, "inf") == "inf");
  CHECK(round_trip(AttrType::scalar, "2") == "2");
  CHECK(round_trip(AttrType::scalar, "2.0") == "2.0");
  CHECK(round_trip(AttrType::scalar, "9007199254740993") == "9007199254740993");
  CHECK(round_trip(AttrType::ints, "(3, 3)") == "(3, 3)");
  CHECK(round_trip(AttrType::ints, "[3,4L]") == "(3, 4)");
  CHECK(round_trip(AttrType::ints, "(3,)") == "(3,)");
  CHECK(round_trip(AttrType::ints, "3") == "(3,)");
  CHECK(round_trip(AttrType::ints, "()") == "()");
  CHECK(round_trip(AttrType::ints, "(None, -1)") == "(None, -1)");
  CHECK(round_trip(AttrType::dtype, "float64") == "float64");
  CHECK(round_trip(AttrType::dtype, "0") == "float32");
  CHECK(round_trip(AttrType::ints, "None") == "None");
  CHECK(round_trip(AttrType::reals, "(0.2, 1, 1e-05)") == "(0.2, 1.0, 1e-05)");
  CHECK(round_trip(AttrType::reals, "[2]") == "(2.0,)");
  CHECK(round_trip(AttrType::reals, "0.5") == "(0.5,)");
  CHECK(round_trip(AttrType::reals, "()") == "()");
  CHECK_THROWS_WITH_AS(round_trip(AttrType::reals, "(1, x)"),
                       "test: given '(1, x)', expected a tuple of numbers such as (0.5, 1.0)",
                       Error);
  CHECK_THROWS_AS(round_trip(AttrType::reals, "1, 2"), Error);
  for (double value : {1.0 / 3, 1e300, -0.0, 5e-324, 123456789.125}) {
    const std::string text = attr_text(AttrType::real, value);
    CHECK(std::get<double>(parse_attr(AttrType::real, text, "test")) == value);
  }
}

TEST_CASE("attrs: every default of every operator prints and reads back") {
  for (const OpDef* op : all_ops()) {
    const Attrs attrs(op);
    for (const AttrDef& def : op->attrs) {
      Attrs copy(op);
      if (def.default_text) {
        copy.set_text(def.name, attrs.text(def.name));
        CHECK_MESSAGE(copy == attrs, op->name, ".", def.name);
      }
    }
  }
}

TEST_CASE("attrs: bad values name operator, attribute, given and expected") {
  CHECK(complaint("Convolution", "kernel", "(3, x)") ==
        "Convolution: attribute 'kernel': given '(3, x)', expected a tuple of integers such as (3, "
        "3)");
  CHECK(contains(complaint("Activation", "act_type", "swish"),
                 "given 'swish', expected one of relu|sigmoid|tanh|softrelu|softsign"));
  CHECK(contains(complaint("Activation", "shape", "1"), "expected one of: act_type"));
  CHECK(contains(complaint("FullyConnected", "num_hidden", "None"), "given None"));
  CHECK(contains(complaint("FullyConnected", "num_hidden", "1.5"), "expected an integer"));
  CHECK(contains(complaint("FullyConnected", "num_hidden", "99999999999999999999"),
                 "expected an integer"));
  CHECK(complaint("FullyConnected", "no_bias", "maybe") != "");
  CHECK(complaint("cast", "dtype", "float99") != "");
  for (const char* text : {"", "(", "(1", "(1 2)", "((1,2))", "(1,,2)", "1e5"}) {
    CHECK_MESSAGE(complaint("tile", "reps", text) != "", text);
  }
}

TEST_CASE("attrs: set() converts Python's types and refuses others") {
  Attrs pool(get_op("Pooling"));
  pool.set("kernel", int64_t{3});
  CHECK(pool.text("kernel") == "(3,)");
  pool.set("global_pool", int64_t{1});
  CHECK(pool.boolean("global_pool"));
  CHECK_THROWS_AS(pool.set("global_pool", 0.5), Error);
  CHECK_THROWS_AS(pool.set("pool_type", std::string("median")), Error);
  CHECK_THROWS_AS(pool.set("nothing", true), Error);
  pool.set("layout", AttrValue());
  CHECK_FALSE(pool.has("layout"));
  Attrs cast(get_op("cast"));
  CHECK_THROWS_AS(cast.check_complete(), Error);
  cast.set("dtype", std::string("int32"));
  CHECK(cast.dtype("dtype") == DType::int32);
  cast.check_complete();
  CHECK(cast.summary() == "dtype=int32");
}

TEST_CASE("attrs: equality and hash follow the values") {
  const OpDef* op = get_op("add_scalar");
  Attrs a(op), b(op);
  a.set("scalar", int64_t{1});
  b.set("scalar", 1.0);
  CHECK_FALSE(a == b);
  CHECK(a.hash() != b.hash());
  b.set("scalar", int64_t{1});
  CHECK(a == b);
  CHECK(a.hash() == b.hash());
}
