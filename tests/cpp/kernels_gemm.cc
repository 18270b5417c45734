// Matrix products against double, any layout; fully_connected against its three steps.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/error.h"
#include "kernels_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

template <class T>
void check_gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, bool accumulate,
                int64_t gap = 0) {
  const int64_t lda = (ta ? m : k) + gap, ldb = (tb ? k : n) + gap, ldc = n + gap;
  const std::vector<T> a = random_array<T>((ta ? k : m) * lda, 1);
  const std::vector<T> b = random_array<T>((tb ? n : k) * ldb, 2);
  std::vector<T> c = random_array<T>(m * ldc, 3);
  const std::vector<T> before = c;
  std::vector<double> expected(c.begin(), c.end());
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      long double sum = accumulate ? expected[i * ldc + j] : 0;
      for (int64_t q = 0; q < k; ++q) {
        sum += static_cast<long double>(a[ta ? q * lda + i : i * lda + q]) *
               static_cast<long double>(b[tb ? j * ldb + q : q * ldb + j]);
      }
      expected[i * ldc + j] = static_cast<double>(sum);
    }
  }
  gemm(float_type<T>(), ta, tb, m, n, k, a.data(), lda, b.data(), ldb, c.data(), ldc, accumulate,
       Resources::current());
  Resources::current().reset_workspace();
  CHECK(error_of(c, expected, 1 + std::sqrt(static_cast<double>(k))) < 8);
  for (int64_t i = 0; i < m && gap > 0; ++i) CHECK(c[i * ldc + n] == before[i * ldc + n]);
}

}  // namespace

TEST_CASE("gemm: every layout, vectors and accumulation") {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      for (bool accumulate : {false, true}) {
        for (int64_t m : {1, 2, 5, 33}) {
          for (int64_t n : {1, 3, 17, 64}) {
            for (int64_t k : {1, 7, 8, 65}) {
              check_gemm<float>(ta, tb, m, n, k, accumulate);
              check_gemm<double>(ta, tb, m, n, k, accumulate);
            }
            check_gemm<float>(ta, tb, m, n, 19, accumulate, 3);
          }
        }
      }
    }
  }
}

TEST_CASE("gemm: tiles and slices of large shapes") {
  check_gemm<float>(false, false, 300, 410, 130, false);
  check_gemm<float>(true, true, 301, 257, 129, true);
  check_gemm<double>(false, true, 260, 300, 111, false);
  check_gemm<float>(false, false, 3, 2, 300000, false);
  check_gemm<float>(false, true, 1, 3000, 400, false);
  check_gemm<float>(false, false, 1, 3000, 400, true);
}

TEST_CASE("gemm: many short rows against one vector") {
  for (int64_t n : {4, 5, 8, 10, 23, 24, 25, 31, 47, 48, 49}) {
    for (int64_t k : {1000, 200'001}) {
      for (bool accumulate : {false, true}) {
        // Beyond these sizes BLAS adds the rows one by one: its errors grow with their number.
        if (n <= 24 || k <= 1000) {
          check_gemm<double>(true, true, n, 1, k, accumulate);
          check_gemm<double>(false, false, 1, n, k, accumulate, 3);
        }
        if ((n >= 8 && n <= 48) || k <= 1000) {
          check_gemm<float>(true, false, n, 1, k, accumulate);
        }
      }
    }
  }
}

TEST_CASE("gemm: nothing to add gives zeros, or what was there") {
  std::vector<float> c = {1, 2};
  gemm(DType::float32, false, false, 1, 2, 0, nullptr, 1, nullptr, 2, c.data(), 2, true,
       Resources::current());
  CHECK(c == std::vector<float>{1, 2});
  gemm(DType::float32, false, false, 1, 2, 0, nullptr, 1, nullptr, 2, c.data(), 2, false,
       Resources::current());
  CHECK(c == std::vector<float>{0, 0});
  CHECK_THROWS_AS(gemm(DType::int32, false, false, 1, 2, 1, c.data(), 1, c.data(), 2, c.data(), 2,
                       false, Resources::current()),
                  Error);
}

TEST_CASE("gemm: bits do not depend on the number of threads") {
  for (int64_t m : {1, 3, 700}) {
    const int64_t n = 1500, k = 700;
    const std::vector<float> a = random_array<float>(m * k, 4), b = random_array<float>(n * k, 5);
    for (bool tb : {false, true}) {
      std::vector<float> c[2] = {std::vector<float>(m * n), std::vector<float>(m * n)};
      for (int t = 0; t < 2; ++t) {
        PoolSize threads(t == 0 ? 1 : 3);
        gemm(DType::float32, false, tb, m, n, k, a.data(), k, b.data(), tb ? k : n, c[t].data(), n,
             false, Resources::current());
      }
      CHECK(equal_bits(c[0], c[1]));
    }
  }
}

TEST_CASE("gemm: a row alone gives the bits it has among few others") {
  const int64_t n = 130, k = 77;
  const std::vector<float> x = random_array<float>(4 * k, 6), w = random_array<float>(n * k, 7);
  std::vector<float> all(4 * n), one(n);
  gemm(DType::float32, false, true, 4, n, k, x.data(), k, w.data(), k, all.data(), n, false,
       Resources::current());
  for (int i = 0; i < 4; ++i) {
    gemm(DType::float32, false, true, 1, n, k, x.data() + i * k, k, w.data(), k, one.data(), n,
         false, Resources::current());
    CHECK(std::memcmp(one.data(), all.data() + i * n, n * sizeof(float)) == 0);
  }
}

TEST_CASE("gemm: stops soon after it is cancelled") {
  const int64_t n = 3000;  // takes seconds
  const std::vector<float> a = random_array<float>(n * n, 8);
  std::vector<float> c(n * n);
  std::atomic<bool> cancel{false};
  Resources resources;
  resources.start_operator(&cancel, false);
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel.store(true);
  });
  gemm(DType::float32, false, false, n, n, n, a.data(), n, a.data(), n, c.data(), n, false,
       resources);
  canceller.join();
  CHECK(resources.was_cancelled());
  int64_t finished = 0;
  for (int64_t i = 0; i < n; i += 100) {  // of the diagonal
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += double(a[i * n + k]) * a[k * n + i];
    finished += std::abs(c[i * n + i] - sum) < 1e-2;
  }
  CHECK(finished < n / 100);
}

TEST_CASE("gemm_int: wraps like the dtype") {
  std::mt19937 random(9);
  const int64_t m = 5, n = 7, k = 11;
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      std::vector<uint8_t> a(m * k), b(k * n), c(m * n);
      for (uint8_t& v : a) v = static_cast<uint8_t>(random());
      for (uint8_t& v : b) v = static_cast<uint8_t>(random());
      gemm_int(DType::uint8, ta, tb, m, n, k, a.data(), b.data(), c.data(), Resources::current());
      std::vector<int64_t> wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end()), wide_c(m * n);
      gemm_int(DType::int64, ta, tb, m, n, k, wide_a.data(), wide_b.data(), wide_c.data(),
               Resources::current());
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          int64_t sum = 0;
          for (int64_t q = 0; q < k; ++q) {
            sum += wide_a[ta ? q * m + i : i * k + q] * wide_b[tb ? j * k + q : q * n + j];
          }
          CHECK(wide_c[i * n + j] == sum);
          CHECK(c[i * n + j] == static_cast<uint8_t>(sum));
        }
      }
    }
  }
  std::vector<int32_t> big = {INT32_MAX}, two = {2}, product(1);
  gemm_int(DType::int32, false, false, 1, 1, 1, big.data(), two.data(), product.data(),
           Resources::current());
  CHECK(product[0] == -2);
}

TEST_CASE("fully_connected: the bits of product, bias and activation one after another") {
  for (ElemCode act : {ElemCode::copy, ElemCode::relu, ElemCode::sigmoid, ElemCode::tanh,
                       ElemCode::softrelu, ElemCode::softsign}) {
    for (int64_t m : {1, 4, 5, 64}) {
      const int64_t n = 37, k = 130;
      const std::vector<float> x = random_array<float>(m * k, 10),
                               w = random_array<float>(n * k, 11);
      const std::vector<float> bias = random_array<float>(n, 12);
      std::vector<float> fused(m * n), steps(m * n);
      fully_connected(DType::float32, m, n, k, x.data(), w.data(), bias.data(), act, fused.data(),
                      Resources::current());
      gemm(DType::float32, false, true, m, n, k, x.data(), k, w.data(), k, steps.data(), n, false,
           Resources::current());
      ElemProgram p;
      p.inputs = {DType::float32, DType::float32};
      ElemInstr add;
      add.code = ElemCode::add;
      add.a = {ElemOperand::input, 0};
      add.b = {ElemOperand::input, 1};
      p.instrs = {add};
      p.outputs = {0};
      TensorView y{steps.data(), DType::float32, {m, n}, {n, 1}};
      TensorView inputs[2] = {y, {const_cast<float*>(bias.data()), DType::float32, {m, n}, {0, 1}}};
      run_elementwise(p, inputs, &y, Resources::current());
      p.inputs.pop_back();
      p.instrs[0].code = act;
      p.instrs[0].b = {};
      run_elementwise(p, &y, &y, Resources::current());
      CHECK(equal_bits(fused, steps));
    }
  }
}
