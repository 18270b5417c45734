// .params files: genuine ones byte for byte, every dtype, and no harm from bad bytes.
#include <doctest/doctest.h>

#include "core/error.h"
#include "graph_helpers.h"
#include "kernels/host_copy.h"
#include "symbol/symbol.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

std::string resave(const std::string& bytes) {
  bool np_shape = false;
  const std::vector<NamedArray> arrays = load_params(bytes, &np_shape);
  return save_params(arrays, np_shape);
}

// Error or a list that can be written again: nothing else may come of any bytes.
bool survives(const std::string& bytes) {
  try {
    for (const NamedArray& a : load_params(bytes)) {
      if (a.array.defined()) constant_bytes(a.array);
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

template <class T>
void put(std::string* out, T value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string header(uint64_t count) {
  std::string s;
  put<uint64_t>(&s, 0x112);
  put<uint64_t>(&s, 0);
  put<uint64_t>(&s, count);
  return s;
}

}  // namespace

TEST_CASE("params: genuine files come back byte for byte") {
  for (const char* name : {"dict_dtypes.nd", "list_dtypes.nd", "single.nd", "my_mlp-0000.params",
                           "lenet-0000.params"}) {
    CAPTURE(std::string(name));
    const std::string bytes = read_data(std::string("mxnet/") + name);
    CHECK(resave(bytes) == bytes);
  }
}

TEST_CASE("params: names, shapes, dtypes and values of a genuine dict") {
  const std::vector<NamedArray> arrays = load_params(read_data("mxnet/dict_dtypes.nd"));
  REQUIRE(arrays.size() == 11);
  const DType dtypes[] = {DType::float32, DType::float64, DType::float16, DType::uint8,
                          DType::int32,   DType::int8,    DType::int64,   DType::boolean};
  for (size_t i = 0; i < 8; ++i) {
    CHECK(arrays[i].name == std::string("arr_") + dtype_name(dtypes[i]));
    CHECK(arrays[i].array.dtype == dtypes[i]);
    CHECK(arrays[i].array.shape == Shape({2, 3, 4}));
  }
  CHECK(arrays[8].name == "arg:weight");
  CHECK(arrays[9].name == "aux:mean");
  CHECK(floats(arrays[10].array) == std::vector<float>{3.5f});
  CHECK(floats(load_params(read_data("mxnet/single.nd"))[0].array) ==
        std::vector<float>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("params: every dtype, 0-d, zero-size and absent arrays round trip") {
  std::vector<NamedArray> arrays;
  for (int flag = 0; flag < kNumDTypes; ++flag) {
    const DType dtype = static_cast<DType>(flag);
    const std::string bytes(6 * dtype_size(dtype), static_cast<char>(flag + 1));
    NDArray a = NDArray::empty({2, 3}, dtype, Context());
    copy_from_host(a, bytes.data(), bytes.size());
    arrays.push_back({"arg:" + std::string(dtype_name(dtype)), a});
  }
  arrays.push_back({"scalar", make_array<float>({}, DType::float32, {2.5f})});
  arrays.push_back({"empty", NDArray::empty({0, 3}, DType::int64, Context())});
  arrays.push_back({"", NDArray()});
  const std::string bytes = save_params(arrays);
  const std::vector<NamedArray> back = load_params(bytes);
  REQUIRE(back.size() == arrays.size());
  for (size_t i = 0; i < back.size(); ++i) {
    CAPTURE(arrays[i].name);
    CHECK(back[i].name == arrays[i].name);
    REQUIRE(back[i].array.defined() == arrays[i].array.defined());
    if (!back[i].array.defined()) continue;
    CHECK(back[i].array.shape == arrays[i].array.shape);
    CHECK(back[i].array.dtype == arrays[i].array.dtype);
    CHECK(constant_bytes(back[i].array) == constant_bytes(arrays[i].array));
  }
  CHECK(save_params(back) == bytes);
  CHECK(resave(save_params(arrays, true)) == save_params(arrays, true));
  CHECK(resave(save_params({})) == save_params({}));
}

TEST_CASE("params: a view is written compactly") {
  NDArray a = make_array<float>({2, 3}, DType::float32, {0, 1, 2, 3, 4, 5});
  a.shape = Shape{3, 2};  // its transpose
  a.strides = Shape{1, 3};
  CHECK(floats(load_params(save_params({{"", a}}))[0].array) ==
        std::vector<float>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("params: the two older formats are read") {
  const float values[] = {1.f, 2.f};
  std::string oldest = header(1);
  put<uint32_t>(&oldest, 1);  // rank, then 32-bit sizes
  put<uint32_t>(&oldest, 2);
  std::string v1 = header(1);
  put<uint32_t>(&v1, 0xf993fac8);
  put<int32_t>(&v1, 1);
  put<int64_t>(&v1, 2);
  for (std::string* s : {&oldest, &v1}) {
    put<int32_t>(s, 1);
    put<int32_t>(s, 0);
    put<int32_t>(s, 0);
    s->append(reinterpret_cast<const char*>(values), sizeof values);
    put<uint64_t>(s, 0);
    CHECK(floats(load_params(*s)[0].array) == std::vector<float>{1.f, 2.f});
  }
}

TEST_CASE("params: a truncated file is an error at every length") {
  const std::string bytes = read_data("mxnet/dict_dtypes.nd");
  for (size_t n = 0; n < bytes.size(); ++n) {
    if (survives(bytes.substr(0, n))) FAIL_CHECK("accepted " << n << " of " << bytes.size());
  }
  CHECK_FALSE(survives(bytes + "x"));
}

TEST_CASE("params: any flipped byte gives an error or a valid list") {
  const std::string bytes = read_data("mxnet/dict_dtypes.nd");
  int valid = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int mask : {0x01, 0x40, 0x80, 0xff}) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ mask);
      valid += survives(bad);
    }
  }
  CHECK(valid > 0);  // a changed value is still a value
  CHECK(valid < static_cast<int>(bytes.size()) * 4);
}

TEST_CASE("params: huge declared sizes are refused before anything is allocated") {
  const auto array = [](std::vector<int64_t> dims) {
    std::string s = header(1);
    put<uint32_t>(&s, 0xf993fac9);
    put<int32_t>(&s, 0);
    put<int32_t>(&s, static_cast<int32_t>(dims.size()));
    for (int64_t d : dims) put<int64_t>(&s, d);
    put<int32_t>(&s, 1);
    put<int32_t>(&s, 0);
    put<int32_t>(&s, 0);
    put<uint64_t>(&s, 0);
    return s;
  };
  CHECK_THROWS_WITH_AS(load_params(array({int64_t{1} << 40})), doctest::Contains("truncated"),
                       Error);
  CHECK_THROWS_WITH_AS(load_params(array({int64_t{1} << 40, int64_t{1} << 40})),
                       doctest::Contains("2^62"), Error);
  CHECK_THROWS_AS(load_params(array({-5})), Error);
  CHECK_THROWS_AS(load_params(array({int64_t{1} << 61})), Error);
  CHECK_THROWS_AS(load_params(array({1, 1, 1, 1, 1, 1, 1, 1, 1})), Error);
  CHECK_THROWS_WITH_AS(load_params(header(~uint64_t{0})), doctest::Contains("declared"), Error);
  CHECK_THROWS_AS(load_params("PK\x03\x04 not an array file at all"), Error);
  std::string sparse = header(1);
  put<uint32_t>(&sparse, 0xf993fac9);
  put<int32_t>(&sparse, 1);
  put<uint64_t>(&sparse, 0);
  CHECK_THROWS_WITH_AS(load_params(sparse), doctest::Contains("storage type 1"), Error);
}
