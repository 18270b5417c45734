#include "core/dtype.h"

#include <doctest/doctest.h>

#include "core/context.h"
#include "core/error.h"

using namespace hybrid;

TEST_CASE("dtype: MXNet's type flags keep their meaning") {
  const char* names[] = {"float32", "float64", "float16", "uint8",  "int32",  "int8",    "int64",
                         "bool",    "int16",   "uint16",  "uint32", "uint64", "bfloat16"};
  const size_t sizes[] = {4, 8, 2, 1, 4, 1, 8, 1, 2, 2, 4, 8, 2};
  for (int flag = 0; flag <= 12; ++flag) {
    CHECK(std::string(dtype_name(dtype_from_flag(flag))) == names[flag]);
    CHECK(dtype_size(dtype_from_flag(flag)) == sizes[flag]);
    CHECK(dtype_from_name(names[flag]) == static_cast<DType>(flag));
  }
}

TEST_CASE("dtype: what is not one is refused by name") {
  CHECK_THROWS_WITH_AS(dtype_from_name("float33"), doctest::Contains("'float33'"), Error);
  CHECK_THROWS_WITH_AS(dtype_from_flag(99), doctest::Contains("99"), Error);
  CHECK_THROWS_AS(dtype_from_flag(-1), Error);
  CHECK_THROWS_AS(dtype_size(DType::unknown), Error);
}

TEST_CASE("dtype: sets") {
  CHECK(dtype_set_names(kFloats) == "float32, float64, float16, bfloat16");
  CHECK(is_floating(DType::bfloat16));
  CHECK_FALSE(is_floating(DType::complex64));
  CHECK(is_integer(DType::uint64));
  CHECK_FALSE(is_integer(DType::boolean));
}

TEST_CASE("context: printed form") {
  CHECK(Context().str() == "cpu(0)");
  CHECK(Context{DeviceType::gpu, 3}.str() == "gpu(3)");
  CHECK(Context{DeviceType::cpu_pinned, 0}.str() == "cpu_pinned(0)");
}
