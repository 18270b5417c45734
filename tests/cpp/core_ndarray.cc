#include "core/ndarray.h"

#include "engine_helpers.h"
#include "kernels/host_copy.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

NDArray iota(const Shape& shape, Context ctx = Context()) {
  const NDArray a = NDArray::empty(shape, DType::float32, ctx);
  std::vector<float> values(static_cast<size_t>(shape.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  copy_from_host(a, values.data(), values.size() * sizeof(float));
  return a;
}

std::vector<float> host(const NDArray& a) {
  std::vector<float> values(static_cast<size_t>(a.shape.size()));
  copy_to_host(a, values.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace

TEST_CASE("ndarray: copies keep values, on the host and on a virtual GPU") {
  Engine engine;
  engine::set_virtual_gpus(1);
  for (const Context ctx : {Context(), gpu(0)}) {
    const NDArray a = iota({2, 3}, ctx);
    CHECK(host(a) == std::vector<float>{0, 1, 2, 3, 4, 5});
    NDArray t = a;  // transposed view
    t.shape = {3, 2};
    t.strides = {1, 3};
    CHECK_FALSE(t.contiguous());
    CHECK(host(t) == std::vector<float>{0, 3, 1, 4, 2, 5});
    NDArray column = a;  // second column
    column.offset = 1;
    column.shape = {2, 1};
    column.strides = {3, 1};
    CHECK(host(column) == std::vector<float>{1, 4});
    const float fresh[] = {10, 40};
    copy_from_host(column, fresh, sizeof fresh);
    CHECK(host(a) == std::vector<float>{0, 10, 2, 3, 40, 5});
    const NDArray none = iota({0, 3}, ctx);
    CHECK(host(none).empty());
    const NDArray scalar = iota({}, ctx);
    CHECK(host(scalar) == std::vector<float>{0});
  }
  engine::set_virtual_gpus(0);
}

TEST_CASE("ndarray: contiguous looks at no stride of a single or empty dimension") {
  NDArray a = NDArray::empty({1, 4}, DType::float32, Context());
  a.strides = {77, 1};
  CHECK(a.contiguous());
  a.shape = {0, 4};
  CHECK(a.contiguous());
  a.shape = {2, 2};
  CHECK_FALSE(a.contiguous());
}

TEST_CASE("ndarray: a copy from the host waits its turn and takes the source at once") {
  Engine engine;
  Gate gate;
  const NDArray a = iota({1});
  std::atomic<float> seen{-1};
  push([&gate, &seen, a] { gate.pass(), seen = *reinterpret_cast<float*>(a.data()); }, {a.storage},
       {cell()});
  gate.wait_for(1);
  float source = 5;
  copy_from_host(a, &source, sizeof source);  // returns although a reader is in the way
  source = 6;
  gate.open = true;
  CHECK(host(a)[0] == 5);
  CHECK(seen == 0);
}

TEST_CASE("ndarray: wrong byte counts and impossible sizes are refused") {
  const NDArray a = iota({2});
  float one = 1;
  CHECK_THROWS_WITH_AS(copy_from_host(a, &one, 4), doctest::Contains("(2,)"), Error);
  CHECK_THROWS_AS(copy_to_host(a, &one, 4), Error);
  CHECK_THROWS_AS(copy_to_host(NDArray(), &one, 4), Error);
  CHECK_THROWS_AS(NDArray::empty({int64_t{1} << 61}, DType::float64, Context()), Error);
  CHECK_THROWS_WITH_AS(NDArray::empty({int64_t{1} << 50}, DType::uint8, Context()),
                       doctest::Contains("1125899906842624"), Error);
  CHECK_THROWS_WITH_AS(NDArray::empty({1}, DType::uint8, gpu(0)), doctest::Contains("gpu(0)"),
                       Error);
}
