// The C API: genuine MXNet files run, every misuse answers with a status and a text.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include "capi/files.h"
#include "capi/hybrid.h"
#include "capi/run/npy.h"
#include "core/error.h"
#include "doctest/doctest.h"
#include "kernels/host_copy.h"
#include "ops/copy_to_device.h"
#include "symbol/symbol.h"

using namespace hybrid;

namespace {

const std::string kData = HYBRID_TEST_DATA "/mxnet/";

struct Model {
  hybrid_model* handle = nullptr;
  Model() = default;
  Model(const Model&) = delete;
  ~Model() { hybrid_free(handle); }
};

void ok(int status) { REQUIRE_MESSAGE(status == HYBRID_OK, hybrid_last_error()); }

void refused(int status, int expected, const std::string& why) {
  CHECK(status == expected);
  CHECK_MESSAGE(std::string(hybrid_last_error()).find(why) != std::string::npos,
                hybrid_last_error());
}

void load_lenet(Model* m) {
  ok(hybrid_load((kData + "lenet-symbol.json").c_str(), (kData + "lenet-0000.params").c_str(),
                 &m->handle));
}

NpyArray npy(const std::string& name) { return read_npy(read_file(kData + name, 1 << 20)); }

std::vector<float> output(hybrid_model* m, size_t index) {
  hybrid_array_info info;
  ok(hybrid_output(m, index, &info));
  std::vector<float> values(info.bytes / sizeof(float));
  ok(hybrid_get_output(m, index, values.data(), info.bytes));
  return values;
}

void set(hybrid_model* m, size_t index, const NpyArray& a) {
  ok(hybrid_set_shape(m, index, a.dtype, static_cast<int>(a.shape.size()), a.shape.data()));
  ok(hybrid_set_input(m, index, a.data.data(), a.data.size()));
}

int from_text(const std::string& json, const std::string& params, Model* m) {
  return hybrid_load_memory(json.data(), json.size(), params.empty() ? nullptr : params.data(),
                            params.size(), &m->handle);
}

// data * weight
std::string product_json() {
  const Symbol a = Symbol::variable("data"), b = Symbol::variable("weight");
  const OpDef* mul = get_op("mul");
  return symbol_to_json(Symbol::apply(mul, Attrs(mul), {a, b}, "product"));
}

std::string params_of(const std::string& name, const std::vector<float>& values) {
  const NDArray array =
      NDArray::empty({static_cast<int64_t>(values.size())}, DType::float32, Context());
  copy_from_host(array, values.data(), values.size() * sizeof(float));
  return save_params({{name, array}});
}

}  // namespace

TEST_CASE("capi: genuine MXNet files give MXNet's output, for any batch") {
  Model m;
  load_lenet(&m);
  size_t inputs = 0, outputs = 0, index = 9;
  ok(hybrid_num_inputs(m.handle, &inputs));
  ok(hybrid_num_outputs(m.handle, &outputs));
  CHECK(inputs == 1);
  CHECK(outputs == 1);
  ok(hybrid_find_input(m.handle, "data", &index));
  CHECK(index == 0);
  hybrid_array_info info;
  ok(hybrid_input(m.handle, 0, &info));
  CHECK(std::string(info.name) == "data");
  CHECK(info.dtype == HYBRID_FLOAT32);
  CHECK(info.bytes == 0);

  const NpyArray x = npy("lenet-input.npy"), y = npy("lenet-output.npy");
  set(m.handle, 0, x);
  ok(hybrid_run(m.handle));
  const std::vector<float> found = output(m.handle, 0);
  REQUIRE(found.size() * sizeof(float) == y.data.size());
  for (size_t i = 0; i < found.size(); ++i) {
    float wanted;
    std::memcpy(&wanted, &y.data[i * sizeof wanted], sizeof wanted);
    CHECK(std::fabs(found[i] - wanted) <= 1e-5f * (1 + std::fabs(wanted)));
  }
  const void* data = nullptr;
  size_t bytes = 0;
  ok(hybrid_output_data(m.handle, 0, &data, &bytes));
  CHECK(bytes == y.data.size());
  CHECK(std::memcmp(data, found.data(), bytes) == 0);

  // The first picture alone, then two again: rows do not depend on the batch's size here.
  const size_t one = x.data.size() / static_cast<size_t>(x.shape[0]);
  set(m.handle, 0, {x.dtype, {1, x.shape[1], x.shape[2], x.shape[3]}, x.data.substr(0, one)});
  ok(hybrid_run(m.handle));
  CHECK(output(m.handle, 0).size() == found.size() / static_cast<size_t>(x.shape[0]));
  set(m.handle, 0, x);
  ok(hybrid_run(m.handle));
  CHECK(output(m.handle, 0) == found);

  hybrid_memory memory;
  ok(hybrid_plan(m.handle, &memory));
  CHECK(memory.kernels > 5);
  CHECK(memory.planned_bytes >= memory.bound_bytes);
  CHECK(memory.planned_bytes < memory.unplanned_bytes);
  CHECK(memory.parameter_bytes > 100000);
}

TEST_CASE("capi: wrong calls are refused, and the model goes on") {
  Model m;
  load_lenet(&m);
  size_t count;
  hybrid_array_info info;
  hybrid_memory memory;
  const void* data;
  const int64_t shape[] = {1, 1, 28, 28};
  const int64_t negative[] = {1, -1, 28, 28};
  const int64_t flat[] = {784};
  const int64_t huge[] = {INT64_MAX, INT64_MAX};
  const int64_t more[] = {int64_t{1} << 40, 1, 28, 28};
  float numbers[784] = {};
  float scores[10];

  refused(hybrid_num_inputs(nullptr, &count), HYBRID_INVALID, "the model is null");
  refused(hybrid_num_inputs(m.handle, nullptr), HYBRID_INVALID, "null");
  refused(hybrid_num_outputs(m.handle, nullptr), HYBRID_INVALID, "null");
  refused(hybrid_input(m.handle, 0, nullptr), HYBRID_INVALID, "null");
  refused(hybrid_input(m.handle, 1, &info), HYBRID_INVALID, "input 1 was asked for");
  refused(hybrid_output(m.handle, ~size_t{0}, &info), HYBRID_INVALID, "the model has 1");
  refused(hybrid_find_input(m.handle, "dada", &count), HYBRID_ERROR, "the inputs are data");
  refused(hybrid_find_input(m.handle, nullptr, &count), HYBRID_INVALID, "null");
  refused(hybrid_bind(m.handle), HYBRID_ERROR, "its shape is not given");
  refused(hybrid_run(m.handle), HYBRID_ERROR, "its shape is not given");
  refused(hybrid_set_shape(m.handle, 0, 99, 4, shape), HYBRID_INVALID, "99 is no dtype");
  refused(hybrid_set_shape(m.handle, 0, 0, 9, shape), HYBRID_INVALID, "9 dimensions");
  refused(hybrid_set_shape(m.handle, 0, 0, -1, shape), HYBRID_INVALID, "-1 dimensions");
  refused(hybrid_set_shape(m.handle, 0, 0, 4, nullptr), HYBRID_INVALID, "null");
  refused(hybrid_set_shape(m.handle, 0, 0, 4, negative), HYBRID_INVALID, "a size of -1");
  refused(hybrid_set_shape(m.handle, 0, 0, 2, huge), HYBRID_ERROR, "");
  refused(hybrid_set_shape(m.handle, 0, 0, 1, flat), HYBRID_ERROR, "Convolution");
  refused(hybrid_set_shape(m.handle, 0, HYBRID_FLOAT64, 4, shape), HYBRID_ERROR, "float64");
  refused(hybrid_set_shape(m.handle, 3, 0, 4, shape), HYBRID_INVALID, "input 3");

  ok(hybrid_set_shape(m.handle, 0, HYBRID_UNKNOWN, 4, shape));
  refused(hybrid_run(m.handle), HYBRID_ERROR, "has no value");
  refused(hybrid_set_input(m.handle, 0, numbers, 4), HYBRID_ERROR, "3136 bytes, given 4");
  refused(hybrid_set_input(m.handle, 0, nullptr, sizeof numbers), HYBRID_INVALID, "null");
  refused(hybrid_set_input(m.handle, 2, numbers, sizeof numbers), HYBRID_INVALID, "input 2");
  refused(hybrid_get_output(m.handle, 0, scores, sizeof scores), HYBRID_ERROR, "was not run");
  ok(hybrid_set_input(m.handle, 0, numbers, sizeof numbers));
  ok(hybrid_run(m.handle));
  refused(hybrid_get_output(m.handle, 0, scores, 4), HYBRID_INVALID, "40 bytes");
  refused(hybrid_get_output(m.handle, 0, nullptr, 40), HYBRID_INVALID, "null");
  refused(hybrid_get_output(m.handle, 5, scores, 40), HYBRID_INVALID, "output 5");
  refused(hybrid_output_data(m.handle, 0, nullptr, nullptr), HYBRID_INVALID, "null");
  refused(hybrid_plan(m.handle, nullptr), HYBRID_INVALID, "null");
  ok(hybrid_output_data(m.handle, 0, &data, nullptr));
  // What was right before a refused shape is still there.
  refused(hybrid_set_shape(m.handle, 0, 0, 1, flat), HYBRID_ERROR, "Convolution");
  ok(hybrid_get_output(m.handle, 0, scores, sizeof scores));
  // More than the machine has: said, not tried.
  ok(hybrid_set_shape(m.handle, 0, HYBRID_UNKNOWN, 4, more));
  CHECK(hybrid_run(m.handle) == HYBRID_ERROR);
  ok(hybrid_plan(m.handle, &memory));
  ok(hybrid_set_shape(m.handle, 0, HYBRID_UNKNOWN, 4, shape));
  ok(hybrid_set_input(m.handle, 0, numbers, sizeof numbers));
  ok(hybrid_run(m.handle));
  ok(hybrid_free(nullptr));
}

TEST_CASE("capi: what cannot be loaded says why and leaves no model") {
  Model m;
  const std::string symbol = kData + "lenet-symbol.json", params = kData + "lenet-0000.params";
  refused(hybrid_load(symbol.c_str(), params.c_str(), nullptr), HYBRID_INVALID, "null");
  refused(hybrid_load(nullptr, nullptr, &m.handle), HYBRID_INVALID, "null");
  refused(hybrid_load("no/such-symbol.json", nullptr, &m.handle), HYBRID_ERROR, "No such file");
  refused(hybrid_load(symbol.c_str(), "no.params", &m.handle), HYBRID_ERROR, "no.params: No such");
  refused(hybrid_load(kData.c_str(), nullptr, &m.handle), HYBRID_ERROR, "directory");
  refused(hybrid_load(params.c_str(), nullptr, &m.handle), HYBRID_ERROR, "lenet-0000.params:");
  refused(hybrid_load(symbol.c_str(), symbol.c_str(), &m.handle), HYBRID_ERROR, "first 8 bytes");
  CHECK(m.handle == nullptr);

  const std::string json = product_json();
  refused(from_text("{", "", &m), HYBRID_ERROR, "");
  refused(from_text("{}", "", &m), HYBRID_ERROR, "nodes");
  refused(from_text("{\"nodes\": \"\xff\"}", "", &m), HYBRID_ERROR, "not UTF-8");
  std::string unknown = json;
  unknown.replace(unknown.find("\"op\": \"broadcast_mul\""), 21, "\"op\": \"FooBarBaz\"");
  refused(from_text(unknown, "", &m), HYBRID_ERROR, "unknown operator 'FooBarBaz'");
  const std::string good = params_of("arg:weight", {1, 2});
  refused(from_text(json, good.substr(0, good.size() / 2), &m), HYBRID_ERROR, "truncated");
  refused(from_text(json, params_of("", {1, 2}), &m), HYBRID_ERROR, "no names");
  refused(hybrid_load_memory(json.data(), json.size(), nullptr, 5, &m.handle), HYBRID_INVALID, "");
  refused(hybrid_load_memory(json.data(), json.size(), good.data(), 0, &m.handle), HYBRID_INVALID,
          "no bytes");
  refused(hybrid_load_memory(nullptr, 0, nullptr, 0, &m.handle), HYBRID_INVALID, "null");
  CHECK(m.handle == nullptr);
}

TEST_CASE("capi: parameters by either prefix or none; without them arguments are inputs") {
  const std::string json = product_json();
  for (const char* prefix : {"arg:", "aux:", ""}) {
    Model m;
    ok(from_text(json, params_of(prefix + std::string("weight"), {2, 3}), &m));
    set(m.handle, 0, {HYBRID_FLOAT32, {2}, std::string("\0\0\x80\x3f\0\0\x80\x3f", 8)});
    ok(hybrid_run(m.handle));
    CHECK(output(m.handle, 0) == std::vector<float>{2, 3});
  }
  Model m;
  ok(from_text(json, "", &m));
  size_t inputs = 0;
  ok(hybrid_num_inputs(m.handle, &inputs));
  CHECK(inputs == 2);
  hybrid_array_info info;
  ok(hybrid_input(m.handle, 1, &info));
  CHECK(info.dtype == HYBRID_UNKNOWN);
  // Integers stay integers, and shapes that do not fit are found when the model is bound.
  const int64_t two[] = {2}, three[] = {3};
  ok(hybrid_set_shape(m.handle, 0, HYBRID_INT32, 1, two));
  ok(hybrid_set_shape(m.handle, 1, HYBRID_INT32, 1, three));
  refused(hybrid_bind(m.handle), HYBRID_ERROR, "broadcast");
  ok(hybrid_set_shape(m.handle, 0, HYBRID_INT32, 1, three));
  const int32_t a[] = {1, -2, 3}, b[] = {5, 6, 7};
  ok(hybrid_set_input(m.handle, 0, a, sizeof a));
  ok(hybrid_set_input(m.handle, 1, b, sizeof b));
  ok(hybrid_run(m.handle));
  int32_t product[3];
  ok(hybrid_get_output(m.handle, 0, product, sizeof product));
  CHECK(product[1] == -12);
  ok(hybrid_output(m.handle, 0, &info));
  CHECK(info.dtype == HYBRID_INT32);
}

TEST_CASE("capi: a label is not needed, and changes nothing") {
  const OpDef* op = get_op("SoftmaxOutput");
  const std::string json =
      symbol_to_json(Symbol::apply(op, Attrs(op), {Symbol::variable("data")}, "softmax"));
  Model m;
  ok(from_text(json, "", &m));
  hybrid_array_info info;
  ok(hybrid_input(m.handle, 1, &info));
  CHECK(std::string(info.name) == "softmax_label");
  CHECK(info.optional == 1);
  ok(hybrid_input(m.handle, 0, &info));
  CHECK(info.optional == 0);
  set(m.handle, 0, {HYBRID_FLOAT32, {1, 2}, std::string(8, '\0')});
  ok(hybrid_run(m.handle));
  CHECK(output(m.handle, 0) == std::vector<float>{0.5f, 0.5f});
}

TEST_CASE("capi: an error of a kernel is the run's, and the next run is whole") {
  const OpDef* op = get_op("softmax_cross_entropy");
  Attrs attrs(op);
  attrs.set_text("at_least_1d", "True");  // as MXNet has it
  const std::string json = symbol_to_json(
      Symbol::apply(op, attrs, {Symbol::variable("data"), Symbol::variable("which")}, "loss"));
  Model m;
  ok(from_text(json, "", &m));
  const int64_t shape[] = {1, 2};
  const float data[] = {0, 0}, far[] = {7}, near[] = {1};
  ok(hybrid_set_shape(m.handle, 0, HYBRID_FLOAT32, 2, shape));
  ok(hybrid_set_input(m.handle, 0, data, sizeof data));
  ok(hybrid_set_input(m.handle, 1, far, sizeof far));
  for (int i = 0; i < 2; ++i) {
    refused(hybrid_run(m.handle), HYBRID_ERROR, "given label 7, expected 0 to 1");
    refused(hybrid_get_output(m.handle, 0, nullptr, 4), HYBRID_ERROR, "was not run");
  }
  ok(hybrid_set_input(m.handle, 1, near, sizeof near));
  ok(hybrid_run(m.handle));
  CHECK(output(m.handle, 0)[0] == doctest::Approx(0.693147));
}

TEST_CASE("capi: models run in several threads at once; errors are each thread's own") {
  const NpyArray x = npy("lenet-input.npy");
  std::vector<std::vector<float>> found(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < found.size(); ++t) {
    threads.emplace_back([&, t] {
      Model m;
      load_lenet(&m);
      if (t % 2 == 0) {
        hybrid_bind(nullptr);
        CHECK(std::string(hybrid_last_error()).find("hybrid_bind") == 0);
      } else {
        CHECK(std::string(hybrid_last_error()).empty());
      }
      set(m.handle, 0, x);
      for (int i = 0; i < 20; ++i) ok(hybrid_run(m.handle));
      found[t] = output(m.handle, 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& values : found) CHECK(values == found[0]);
}

TEST_CASE("capi: calls of two threads on one model wait for each other") {
  Model m;
  load_lenet(&m);
  const NpyArray x = npy("lenet-input.npy");
  set(m.handle, 0, x);
  ok(hybrid_run(m.handle));
  const std::vector<float> expected = output(m.handle, 0);
  std::vector<std::vector<float>> found(2);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < found.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        set(m.handle, 0, x);
        ok(hybrid_run(m.handle));
        if (t == 0) hybrid_set_input(m.handle, 0, x.data.data(), 1);  // refused, and no more
        found[t] = output(m.handle, 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& values : found) CHECK(values == expected);
}

TEST_CASE("capi: files are read up to a limit, and devices are not removed") {
  CHECK(read_file(kData + "lenet-input.npy", 12672).size() == 12672);
  CHECK_THROWS_AS(read_file(kData + "lenet-input.npy", 12671), Error);
  CHECK_THROWS_AS(read_file("/dev/zero", 100000), Error);
  CHECK_THROWS_AS(write_file("/dev/full", std::string(100000, 'x')), Error);
  CHECK_THROWS_AS(write_file("/dev/full", "x"), Error);
  CHECK(std::filesystem::exists("/dev/full"));
}

TEST_CASE("capi: dtypes by number") {
  CHECK(std::string(hybrid_dtype_name(HYBRID_FLOAT32)) == "float32");
  CHECK(hybrid_dtype_name(-1) == nullptr);
  CHECK(hybrid_dtype_name(15) == nullptr);
  CHECK(hybrid_dtype_size(HYBRID_COMPLEX128) == 16);
  CHECK(hybrid_dtype_size(99) == 0);
}

TEST_CASE("capi: models that name devices") {
  const Symbol data = Symbol::variable("data");
  const OpDef* mul = get_op("mul");
  const Attrs to = copy_to_device_attrs({DeviceType::gpu, 1});
  const Symbol square = Symbol::apply(mul, Attrs(mul), {data, data}, "square");
  const Symbol there = Symbol::apply(to.op(), to, {square}, "there");
  const std::string json = symbol_to_json(Symbol::apply(mul, Attrs(mul), {there, there}, "fourth"));
  Model m;
  ok(from_text(json, "", &m));
  size_t count = 0;
  ok(hybrid_num_devices(m.handle, &count));
  REQUIRE(count == 1);
  char name[16];
  int exists = -1;
  ok(hybrid_device(m.handle, 0, name, sizeof name, &exists));
  CHECK(std::string(name) == "gpu(1)");
  CHECK(exists == 0);
  refused(hybrid_device(m.handle, 1, name, sizeof name, &exists), HYBRID_INVALID, "device 1");
  refused(hybrid_device(m.handle, 0, name, 6, &exists), HYBRID_INVALID, "takes 7");
  refused(hybrid_set_group(m.handle, "dev1", "cpu(0)"), HYBRID_ERROR, "it has none");
  refused(hybrid_virtual_gpus(65), HYBRID_INVALID, "expected 0 to 64");
  const int64_t shape[] = {3};
  ok(hybrid_set_shape(m.handle, 0, HYBRID_FLOAT32, 1, shape));
  refused(hybrid_run(m.handle), HYBRID_ERROR, "gpu(1) does not exist");
  ok(hybrid_virtual_gpus(2));
  ok(hybrid_device(m.handle, 0, name, sizeof name, &exists));
  CHECK(exists == 1);
  const float values[] = {1, 2, 3};
  ok(hybrid_set_input(m.handle, 0, values, sizeof values));
  ok(hybrid_run(m.handle));
  CHECK(output(m.handle, 0) == std::vector<float>{1, 16, 81});
  const void* result = nullptr;
  size_t bytes = 0;
  ok(hybrid_output_data(m.handle, 0, &result, &bytes));
  CHECK(bytes == sizeof values);
  CHECK(static_cast<const float*>(result)[2] == 81);
  ok(hybrid_virtual_gpus(0));
}
