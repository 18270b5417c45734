// Timings of kernels; skipped unless asked for: hybrid_tests -ns -tc="bench*"
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>

#include "elem_helpers.h"
#include "kernels/kernels.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

// Seconds: the thread's own when it works alone, so that a busy machine disturbs less.
double now() {
  timespec t;
  clock_gettime(num_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Best time of many calls, in microseconds.
double best_us(const std::function<void()>& f, double seconds = 0.4) {
  double best = 1e30, spent = 0;
  int64_t repeat = 1;
  while (spent < seconds) {
    const double start = now();
    for (int64_t i = 0; i < repeat; ++i) f();
    const double took = now() - start;
    spent += took;
    best = std::min(best, took / static_cast<double>(repeat));
    if (took < 1e-4) repeat *= 4;
  }
  return best * 1e6;
}

void report(const char* what, double us, double per = 0, const char* unit = "") {
  if (per > 0) {
    std::printf("%-44s %10.3f us  %8.2f %s\n", what, us, per, unit);
  } else {
    std::printf("%-44s %10.3f us\n", what, us);
  }
}

struct Run {
  ElemProgram program;
  std::vector<std::vector<float>> arrays;
  std::vector<float> out;
  std::vector<TensorView> inputs;
  TensorView output;
  Run(int num_inputs, int64_t n) : arrays(num_inputs), out(n) {
    for (auto& a : arrays) {
      a.resize(n);
      for (int64_t i = 0; i < n; ++i) a[i] = static_cast<float>(i % 977) / 300 - 1.5f;
      program.inputs.push_back(DType::float32);
    }
    for (auto& a : arrays) inputs.push_back(view(a));
    output = view(out);
  }
  void add(ElemCode code, ElemOperand a, ElemOperand b = {}, double number = 0) {
    program.instrs.push_back(instr(code, DType::float32, a, b, number));
    program.outputs = {static_cast<int16_t>(program.instrs.size() - 1)};
  }
  void operator()() { run_elementwise(program, inputs.data(), &output, Resources::current()); }
};

}  // namespace

TEST_CASE("bench: elementwise" * doctest::skip()) {
  const double threads = num_threads();
  std::printf("threads: %.0f\n", threads);
  for (int64_t n : {1, 8, 100, 1000, 10000}) {
    Run r(2, n);
    r.add(ElemCode::add, in(0), in(1));
    char name[64];
    std::snprintf(name, sizeof name, "a + b, %lld elements", static_cast<long long>(n));
    report(name, best_us([&] { r(); }, 0.1));
  }
  {
    Run r(1, 1);
    r.add(ElemCode::tanh, in(0));
    report("tanh, 1 element", best_us([&] { r(); }, 0.1));
  }
  {
    Run r(2, 100);
    r.add(ElemCode::mul, in(0), in(1));
    r.add(ElemCode::add, temp(0), imm(), 1);
    report("a * b + 1, 100 elements", best_us([&] { r(); }, 0.1));
  }
  const auto broadcast = [](const char* name, const Shape& shape, const Shape& strides) {
    Run r(2, shape.size());
    r.add(ElemCode::add, in(0), in(1));
    for (TensorView* v : {&r.inputs[0], &r.inputs[1], &r.output}) {
      v->shape = shape;
      v->strides = contiguous_strides(shape);
    }
    r.inputs[1].strides = strides;
    const double us = best_us([&] { r(); }, 0.1);
    report(name, us, 1e3 * us / static_cast<double>(shape.size()), "ns an element");
  };
  broadcast("x + bias, (1000, 10)", {1000, 10}, {0, 1});
  broadcast("x + bias, (64, 256)", {64, 256}, {0, 1});
  broadcast("x + bias, (32, 6, 784)", {32, 6, 784}, {0, 1, 0});
  broadcast("x + column, (300, 300)", {300, 300}, {1, 0});
  broadcast("x + x^T, (300, 300)", {300, 300}, {1, 300});
  const int64_t big = 10000000;
  {
    Run r(2, big);
    r.add(ElemCode::add, in(0), in(1));
    report("a + b, 10M", best_us([&] { r(); }));
  }
  {
    Run r(2, big);
    r.add(ElemCode::mul, in(0), in(1));
    r.add(ElemCode::add, temp(0), imm(), 1);
    report("a * b + 1, 10M", best_us([&] { r(); }));
  }
  {
    Run r(4, big);
    r.add(ElemCode::tanh, in(0));
    r.add(ElemCode::sigmoid, in(1));
    r.add(ElemCode::mul, temp(0), temp(1));
    r.add(ElemCode::neg, in(2));
    r.add(ElemCode::exp, temp(3));
    r.add(ElemCode::add, temp(2), temp(4));
    r.add(ElemCode::mul, temp(5), in(3));
    r.add(ElemCode::sub, temp(6), in(0));
    r.add(ElemCode::maximum, temp(7), imm(), 0);
    r.add(ElemCode::add, temp(8), imm(), 1);
    report("10 ops with tanh, sigmoid, exp, 10M", best_us([&] { r(); }));
    NumThreads one(1);
    report("  the same on one thread", best_us([&] { r(); }));
  }
}

TEST_CASE("bench: opcodes in cache, ns an element" * doctest::skip()) {
  NumThreads one(1);
  for (int c = 0; c <= static_cast<int>(ElemCode::bit_xor); ++c) {
    const ElemCode code = static_cast<ElemCode>(c);
    if (code == ElemCode::invert || code >= ElemCode::bit_and) continue;
    double ns[2];
    for (int wide = 0; wide < 2; ++wide) {
      const int64_t n = 2048;
      std::vector<double> memory(3 * n);
      const DType dtype = wide ? DType::float64 : DType::float32;
      const Shape shape{n}, strides{1};
      TensorView v[2] = {{memory.data(), dtype, shape, strides},
                         {memory.data() + n, dtype, shape, strides}};
      for (int64_t i = 0; i < 2 * n; ++i) {
        const double x = static_cast<double>(i % 997) / 500 + 0.01;
        if (wide) {
          memory[i] = x;
        } else {
          reinterpret_cast<float*>(memory.data() + i / n * n)[i % n] = static_cast<float>(x);
        }
      }
      ElemProgram p;
      p.inputs = {dtype, dtype};
      p.instrs = {instr(code, dtype, in(0), code >= ElemCode::add ? in(1) : ElemOperand{})};
      p.outputs = {0};
      TensorView out{memory.data() + 2 * n, p.instrs[0].out_dtype, shape, strides};
      ns[wide] =
          best_us([&] { run_elementwise(p, v, &out, Resources::current()); }, 0.02) * 1e3 / n;
    }
    std::printf("%-16s float32 %7.3f  float64 %7.3f   estimate %5.2f %5.2f\n", elem_code_name(code),
                ns[0], ns[1], elem_cost_ns(code, DType::float32),
                elem_cost_ns(code, DType::float64));
  }
}

TEST_CASE("bench: products" * doctest::skip()) {
  Resources& r = Resources::current();
  for (int64_t n : {64, 256, 1024, 2048}) {
    std::vector<float> a(n * n, 0.5f), b(n * n, 0.25f), c(n * n);
    const double us = best_us([&] {
      gemm(DType::float32, false, false, n, n, n, a.data(), n, b.data(), n, c.data(), n, false, r);
    });
    char name[64];
    std::snprintf(name, sizeof name, "gemm %lld^3", static_cast<long long>(n));
    report(name, us, 2e-3 * static_cast<double>(n * n * n) / us, "GFLOP/s");
  }
  for (int64_t m : {1, 2, 4, 8, 64}) {
    std::vector<float> x(m * 512, 0.1f), w1(256 * 512, 0.1f), w2(128 * 256, 0.1f),
        w3(2 * 128, 0.1f);
    std::vector<float> bias(256, 0.1f), h1(m * 256), h2(m * 128), y(m * 2);
    const double us = best_us([&] {
      fully_connected(DType::float32, m, 256, 512, x.data(), w1.data(), bias.data(), ElemCode::relu,
                      h1.data(), r);
      fully_connected(DType::float32, m, 128, 256, h1.data(), w2.data(), bias.data(),
                      ElemCode::relu, h2.data(), r);
      fully_connected(DType::float32, m, 2, 128, h2.data(), w3.data(), bias.data(), ElemCode::copy,
                      y.data(), r);
    });
    char name[64];
    std::snprintf(name, sizeof name, "mlp 512-256-128-2, batch %lld", static_cast<long long>(m));
    report(name, us, 2e-3 * static_cast<double>(m * (512 * 256 + 256 * 128 + 256)) / us, "GFLOP/s");
  }
}

namespace {

void bench_conv(const char* name, int64_t batch, int64_t in_c, int64_t size, int64_t out_c,
                int64_t kernel, int64_t stride, int64_t pad) {
  ConvParams p{};
  p.batch = batch;
  p.in_channels = in_c;
  p.in_h = p.in_w = size;
  p.out_channels = out_c;
  p.kernel_h = p.kernel_w = kernel;
  p.stride_h = p.stride_w = stride;
  p.pad_h = p.pad_w = pad;
  p.dilate_h = p.dilate_w = p.groups = 1;
  p.out_h = p.out_w = (size + 2 * pad - kernel) / stride + 1;
  std::vector<float> x(batch * in_c * size * size, 0.5f), w(out_c * in_c * kernel * kernel, 0.1f);
  std::vector<float> y(batch * out_c * p.out_h * p.out_w, 0.3f);
  const double flop =
      2e-3 * static_cast<double>(y.size()) * static_cast<double>(in_c * kernel * kernel);
  Resources& r = Resources::current();
  const double forward = best_us(
      [&] {
        conv2d(DType::float32, p, x.data(), w.data(), nullptr, y.data(), r), r.reset_workspace();
      },
      0.2);
  const double data = best_us(
      [&] {
        conv2d_grad_input(DType::float32, p, y.data(), w.data(), x.data(), r), r.reset_workspace();
      },
      0.2);
  const double weight = best_us(
      [&] {
        conv2d_grad_weight(DType::float32, p, y.data(), x.data(), w.data(), r), r.reset_workspace();
      },
      0.2);
  std::printf("%-28s forward %9.1f us %6.1f GFLOP/s  data %9.1f us %6.1f  weight %9.1f us %6.1f\n",
              name, forward, flop / forward, data, flop / data, weight, flop / weight);
}

}  // namespace

TEST_CASE("bench: convolution" * doctest::skip()) {
  for (int64_t batch : {1, 32}) {
    std::printf("batch %lld\n", static_cast<long long>(batch));
    bench_conv("LeNet 1x28 -> 6, 5x5 p2", batch, 1, 28, 6, 5, 1, 2);
    bench_conv("LeNet 6x14 -> 16, 5x5", batch, 6, 14, 16, 5, 1, 0);
    bench_conv("Caffe 1x28 -> 20, 5x5", batch, 1, 28, 20, 5, 1, 0);
    bench_conv("Caffe 20x12 -> 50, 5x5", batch, 20, 12, 50, 5, 1, 0);
    bench_conv("ResNet 64x56 -> 64, 3x3", batch, 64, 56, 64, 3, 1, 1);
    bench_conv("ResNet 128x28 -> 128, 3x3", batch, 128, 28, 128, 3, 1, 1);
    bench_conv("ResNet 256x14 -> 256, 3x3", batch, 256, 14, 256, 3, 1, 1);
    bench_conv("ResNet 512x7 -> 512, 3x3", batch, 512, 7, 512, 3, 1, 1);
    bench_conv("ResNet 64x56 -> 128, 3x3 s2", batch, 64, 56, 128, 3, 2, 1);
    bench_conv("ResNet 256x14 -> 64, 1x1", batch, 256, 14, 64, 1, 1, 0);
  }
}
