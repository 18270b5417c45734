// Shape and dtype inference: both directions, partial knowledge, and errors.
#include <doctest/doctest.h>

#include "ops_helpers.h"

using namespace ops_test;

TEST_CASE("infer: elementwise operators broadcast and insist on equal dtypes") {
  CHECK(shape_of("add", {{3, 1}, {1, 4}}) == "(3, 4)");
  CHECK(shape_of("add", {{}, {0, 4}}) == "(0, 4)");
  CHECK(shape_of("add", {Shape::of_rank(2), {5, 4}}) == "(5, 4)");
  CHECK(shape_of("add", {Shape::unknown(), {5, 4}}) == Shape::unknown().str());
  CHECK(contains(error_of("add", {{3}, {4}}), "(3,)"));
  Use mixed("add", {{2}, {2}});
  mixed.in_dtypes[1] = DType::int32;
  CHECK_THROWS_WITH_AS(mixed.infer(),
                       "add: given float32 and int32, expected equal dtypes: cast one of them",
                       Error);
  Use half("add", {{2}, {2}}, {}, DType::float16);
  half.infer();
  CHECK(half.out_dtypes[0] == DType::float16);
  Use one("add", {{2}, {2}}, {}, DType::unknown);
  one.in_dtypes[1] = DType::float64;
  one.infer();
  CHECK(one.in_dtypes[0] == DType::float64);
  CHECK(one.out_dtypes[0] == DType::float64);
}

TEST_CASE("infer: comparisons are bool, or of the operands' dtype") {
  CHECK(Use("greater", {{2}, {2}}).infer().out_dtypes[0] == DType::boolean);
  CHECK(Use("greater", {{2}, {2}}, {{"dtype", "None"}}).infer().out_dtypes[0] == DType::float32);
  CHECK(Use("equal_scalar", {{2}}, {{"scalar", "1"}}).infer().out_dtypes[0] == DType::boolean);
  CHECK(Use("isnan", {{2}}).infer().out_dtypes[0] == DType::boolean);
}

TEST_CASE("infer: the number of inputs is checked") {
  CHECK(error_of("exp", {{1}, {1}}) == "exp: given 2 inputs, expected 1");
  CHECK(error_of("FullyConnected", {{2, 3}, {4, 3}}, {{"num_hidden", "4"}}) ==
        "FullyConnected: given 2 inputs, expected 3");
  CHECK(contains(error_of("concat", {}), "at least one"));
}

TEST_CASE("infer: weights follow from data, the batch from the result") {
  Use fc("FullyConnected", {{8, 3, 4}, Shape::unknown(), Shape::unknown()}, {{"num_hidden", "5"}});
  fc.infer();
  CHECK(fc.in[1].str() == "(5, 12)");
  CHECK(fc.in[2].str() == "(5,)");
  CHECK(fc.out[0].str() == "(8, 5)");
  CHECK(shape_of("FullyConnected", {{8, 3, 4}, Shape::unknown(), Shape::unknown()},
                 {{"num_hidden", "5"}, {"flatten", "False"}}) == "(8, 3, 5)");
  Use back("FullyConnected", {{-1, 7}, Shape::unknown(), Shape::unknown()}, {{"num_hidden", "5"}});
  back.out[0] = {6, 5};
  back.infer();
  CHECK(back.in[0].str() == "(6, 7)");
  CHECK(contains(error_of("FullyConnected", {{8, 3}, {5, 4}, {5}}, {{"num_hidden", "5"}}),
                 "given data (8, 3) and weight (5, 4), expected weight (5, 3)"));

  Use conv("Convolution", {{2, 3, 28, 28}, Shape::unknown(), Shape::unknown()},
           {{"kernel", "(5, 5)"}, {"num_filter", "6"}, {"pad", "(2, 2)"}});
  conv.infer();
  CHECK(conv.in[1].str() == "(6, 3, 5, 5)");
  CHECK(conv.out[0].str() == "(2, 6, 28, 28)");
}

TEST_CASE("infer: convolution and pooling sizes") {
  const Texts strided{{"kernel", "(3, 3)"},
                      {"num_filter", "4"},
                      {"stride", "(2, 2)"},
                      {"dilate", "(2, 2)"},
                      {"no_bias", "True"}};
  CHECK(shape_of("Convolution", {{1, 2, 11, 12}, Shape::unknown()}, strided) == "(1, 4, 4, 4)");
  CHECK(contains(error_of("Convolution", {{1, 2, 4, 12}, Shape::unknown()}, strided),
                 "given height 4 with padding 0 on both sides, expected at least the window's 5"));
  Texts grouped{{"kernel", "(1, 1)"}, {"num_filter", "4"}, {"num_group", "2"}, {"no_bias", "True"}};
  CHECK(Use("Convolution", {{1, 6, 3, 3}, Shape::unknown()}, grouped).infer().in[1].str() ==
        "(4, 3, 1, 1)");
  CHECK(
      contains(error_of("Convolution", {{1, 5, 3, 3}, Shape::unknown()}, grouped), "num_group 2"));
  CHECK(contains(error_of("Convolution", {{1, 5, 3}, Shape::unknown()}, grouped),
                 "4 dimensions (NCHW)"));
  const Texts pool{{"kernel", "(3, 3)"}, {"stride", "(2, 2)"}};
  Texts full = pool;
  full["pooling_convention"] = "full";
  CHECK(contains(
      error_of(
          "Convolution", {{1, 2, 4, 12}, Shape::unknown()},
          {{"kernel", "(3, 3)"}, {"num_filter", "4"}, {"stride", "(2,)"}, {"no_bias", "True"}}),
      "expected as many sizes as the kernel has"));
  CHECK(shape_of("Convolution", {{2, 3, 9}, {4, 3, 2}, {4}},
                 {{"kernel", "(2,)"}, {"num_filter", "4"}, {"stride", "(3,)"}}) == "(2, 4, 3)");
  CHECK(shape_of("Convolution", {{2, 3, 9, 8, 7}, {4, 3, 3, 2, 1}, {4}},
                 {{"kernel", "(3, 2, 1)"}, {"num_filter", "4"}}) == "(2, 4, 7, 7, 7)");
  CHECK(shape_of("Pooling", {{1, 2, 8, 8}}, pool) == "(1, 2, 3, 3)");
  CHECK(shape_of("Pooling", {{1, 2, 8, 8}}, full) == "(1, 2, 4, 4)");
  CHECK(shape_of("Pooling", {{1, 2, 8, 8}}, {{"global_pool", "True"}}) == "(1, 2, 1, 1)");
  CHECK(error_of("Pooling", {{1, 2, 8, 8}}) ==
        "Pooling: given no kernel, expected (width), (height, width) or (depth, height, width)");
  CHECK(error_of("Pooling", {{1, 2, 8, 8}}, {{"kernel", "(2, 2)"}, {"pad", "(2, 2)"}}) != "");
}

TEST_CASE("infer: products of matrices") {
  CHECK(shape_of("dot", {{2, 3}, {3, 4}}) == "(2, 4)");
  CHECK(shape_of("dot", {{2, 3, 4}, {4, 5, 6}}) == "(2, 3, 5, 6)");
  CHECK(shape_of("dot", {{3, 2}, {4, 3}}, {{"transpose_a", "True"}, {"transpose_b", "True"}}) ==
        "(2, 4)");
  CHECK(shape_of("dot", {{3}, {3}}) == "()");
  CHECK(shape_of("dot", {{3}, {3}}, {{"at_least_1d", "True"}}) == "(1,)");
  CHECK(contains(error_of("dot", {{2, 3}, {4, 2}}), "given lhs (2, 3) and rhs (4, 2)"));
  CHECK(shape_of("matmul", {{5, 1, 2, 3}, {4, 3, 6}}) == "(5, 4, 2, 6)");
  CHECK(shape_of("matmul", {{3}, {2, 3, 4}}) == "(2, 4)");
  CHECK(shape_of("matmul", {{3}, {3}}) == "()");
  CHECK(shape_of("batch_dot", {{5, 2, 3}, {5, 4, 3}}, {{"transpose_b", "True"}}) == "(5, 2, 4)");
  CHECK(error_of("batch_dot", {{5, 2, 3}, {4, 3, 2}}) != "");
}

TEST_CASE("infer: reductions") {
  CHECK(shape_of("sum", {{2, 3, 4}}) == "()");
  CHECK(shape_of("sum", {{2, 3, 4}}, {{"at_least_1d", "True"}}) == "(1,)");
  CHECK(shape_of("sum", {{2, 3, 4}}, {{"axis", "1"}}) == "(2, 4)");
  CHECK(shape_of("sum", {{2, 3, 4}}, {{"axis", "(0, -1)"}, {"keepdims", "True"}}) == "(1, 3, 1)");
  CHECK(shape_of("sum", {{2, 3, 4}}, {{"axis", "1"}, {"exclude", "True"}}) == "(3,)");
  CHECK(contains(error_of("sum", {{2, 3}}, {{"axis", "(0, -2)"}}), "distinct axes"));
  CHECK(contains(error_of("sum", {{2, 3}}, {{"axis", "2"}}), "sum"));
  CHECK(Use("any", {{2, 3}}).infer().out_dtypes[0] == DType::boolean);
  CHECK(Use("argmax", {{2, 3}}, {{"axis", "1"}}).infer().out_dtypes[0] == DType::int64);
  CHECK(contains(error_of("argmax", {{2, 0}}, {{"axis", "1"}}), "at least one element"));
  CHECK(contains(error_of("softmax", {{2}}, {}, DType::int32), "expected one of float32, float64"));
}

TEST_CASE("infer: joining, splitting, repeating") {
  Use concat("concat", {{2, 3}, {-1, 5}}, {{"dim", "1"}});
  concat.infer();
  CHECK(concat.out[0].str() == "(2, 8)");
  CHECK(concat.in[1].str() == "(2, 5)");
  CHECK(contains(error_of("concat", {{2, 3}, {4, 5}}, {{"dim", "1"}}),
                 "given data1 of shape (4, 5)"));
  CHECK(shape_of("stack", {{2, 3}, {2, 3}}, {{"axis", "-1"}}) == "(2, 3, 2)");
  const Use split = Use("split", {{4, 6}}, {{"num_outputs", "3"}}).infer();
  CHECK(split.out.size() == 3);
  CHECK(split.out[2].str() == "(4, 2)");
  CHECK(contains(error_of("split", {{4, 5}}, {{"num_outputs", "3"}}), "num_outputs 3 divides"));
  CHECK(shape_of("tile", {{2, 3}}, {{"reps", "(2, 1, 3)"}}) == "(2, 2, 9)");
  CHECK(shape_of("repeat", {{2, 3}}, {{"repeats", "2"}, {"axis", "1"}}) == "(2, 6)");
  CHECK(shape_of("pad", {{2, 3}}, {{"pad_width", "(1, 0, 2, 1)"}}) == "(3, 6)");
  CHECK(error_of("tile", {{1 << 30, 1 << 30}}, {{"reps", "(1000000000, 1000000000)"}}) != "");
}

TEST_CASE("infer: slices follow Python's rule") {
  const auto slice = [](const char* begin, const char* end, const char* step = "()") {
    return shape_of("slice", {{5, 4}}, {{"begin", begin}, {"end", end}, {"step", step}});
  };
  CHECK(slice("(1,)", "(3,)") == "(2, 4)");
  CHECK(slice("(-2, None)", "(None, -1)") == "(2, 3)");
  CHECK(slice("(None, None)", "(None, None)", "(-1, 2)") == "(5, 2)");
  CHECK(slice("(4,)", "(None,)", "(-2,)") == "(3, 4)");
  CHECK(slice("(3,)", "(2,)") == "(0, 4)");
  CHECK(slice("(-100,)", "(100,)") == "(5, 4)");
  CHECK(slice("(1,)", "(-1,)", "(9223372036854775807,)") == "(1, 4)");
  CHECK(contains(error_of("slice", {{5}}, {{"begin", "(1, 1)"}, {"end", "(2, 2)"}}), "at most 1"));
  CHECK(contains(error_of("slice", {{5}}, {{"begin", "(1,)"}, {"end", "(2,)"}, {"step", "(0,)"}}),
                 "step 0"));
  CHECK(shape_of("slice_axis", {{5, 4}}, {{"axis", "-1"}, {"begin", "1"}, {"end", "None"}}) ==
        "(5, 3)");
  CHECK(shape_of("slice_like", {{5, 4}, {2, 9}}, {{"axes", "(0,)"}}) == "(2, 4)");
  CHECK(shape_of("slice_assign", {{5, 4}, {4}}, {{"begin", "(1,)"}, {"end", "(3,)"}}) == "(5, 4)");
  CHECK(contains(error_of("slice_assign", {{5, 4}, {3}}, {{"begin", "(1,)"}, {"end", "(3,)"}}),
                 "window (2, 4)"));
}

TEST_CASE("infer: creation checks its shape") {
  CHECK(shape_of("zeros", {}, {{"shape", "(2, 0)"}}) == "(2, 0)");
  CHECK(contains(error_of("zeros", {}, {{"shape", "(2, -1)"}}), "sizes of 0 or more"));
  CHECK(error_of("zeros", {}, {{"shape", "(4611686018427387904, 4611686018427387904)"}}) != "");
  CHECK(error_of("zeros", {}, {{"shape", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"}}) != "");
  CHECK(error_of("zeros", {}, {{"shape", "(2,)"}, {"dtype", "float16"}}) == "");
  CHECK(shape_of("arange", {}, {{"start", "2"}, {"stop", "9"}, {"step", "3"}, {"repeat", "2"}}) ==
        "(6,)");
  CHECK(shape_of("arange", {}, {{"start", "5"}}) == "(5,)");
  CHECK(shape_of("arange", {}, {{"start", "5"}, {"stop", "1"}}) == "(0,)");
  CHECK(error_of("arange", {}, {{"start", "0"}, {"stop", "1e300"}}) != "");
  CHECK(error_of("arange", {}, {{"start", "0"}, {"stop", "nan"}}) != "");
  CHECK(error_of("arange", {}, {{"start", "0"}, {"stop", "5"}, {"step", "0"}}) != "");
  CHECK(shape_of("eye", {}, {{"N", "3"}, {"M", "5"}}) == "(3, 5)");
  CHECK(shape_of("random_normal", {}, {{"shape", "()"}, {"at_least_1d", "True"}}) == "(1,)");
  CHECK(error_of("random_randint", {}, {{"low", "3"}, {"high", "3"}}) != "");
}

TEST_CASE("infer: indices and losses") {
  CHECK(shape_of("take", {{5, 4}, {2, 3}}, {{"axis", "1"}}) == "(5, 2, 3)");
  CHECK(shape_of("pick", {{5, 4}, {5}}) == "(5,)");
  CHECK(shape_of("pick", {{5, 4}, {5, 1}}, {{"keepdims", "True"}}) == "(5, 1)");
  CHECK(error_of("pick", {{5, 4}, {4}}) != "");
  CHECK(shape_of("one_hot", {{2, 3}}, {{"depth", "7"}}) == "(2, 3, 7)");
  CHECK(shape_of("gather_nd", {{5, 4, 3}, {2, 7}}) == "(7, 3)");
  Use embedding("Embedding", {{2, 3}, Shape::unknown()}, {{"input_dim", "9"}, {"output_dim", "4"}});
  embedding.infer();
  CHECK(embedding.in[1].str() == "(9, 4)");
  CHECK(embedding.out[0].str() == "(2, 3, 4)");
  Use output("SoftmaxOutput", {{8, 10}, Shape::unknown()});
  output.infer();
  CHECK(output.in[1].str() == "(8,)");
  const Use both = Use("topk", {{3, 5}}, {{"k", "2"}, {"ret_typ", "both"}}).infer();
  CHECK(both.out[1].str() == "(3, 2)");
  CHECK(both.out_dtypes[1] == DType::float32);
  CHECK(error_of("topk", {{3, 5}}, {{"k", "6"}}) != "");
  CHECK(contains(error_of("Dropout", {{3}}, {{"p", "1.5"}}), "expected 0 to 1"));
}
