// Damaged model files through the C API: an error with a text, or a model that runs; never worse.
#include <cstring>
#include <random>

#include "capi/files.h"
#include "capi/hybrid.h"
#include "doctest/doctest.h"

namespace {

const std::string kData = HYBRID_TEST_DATA "/mxnet/";

std::string whole(const std::string& name) { return hybrid::read_file(kData + name, 1 << 24); }

// A few bytes changed, cut out, doubled, or digits replaced: JSON stays JSON often enough.
std::string damaged(std::string bytes, std::mt19937* random) {
  for (uint32_t n = 1 + (*random)() % 3; n > 0 && !bytes.empty(); --n) {
    const size_t at = (*random)() % bytes.size();
    const size_t length = 1 + (*random)() % 16;
    switch ((*random)() % 6) {
      case 0:
        bytes[at] = static_cast<char>((*random)());
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 3:
        bytes.resize(at);
        break;
      default: {
        const size_t digit = bytes.find_first_of("0123456789", at);
        if (digit != std::string::npos) bytes[digit] = "0123456789-"[(*random)() % 11];
      }
    }
  }
  return bytes;
}

// Loads, and when that is possible runs; true when it ran.
bool survives(const std::string& json, const std::string& params, std::vector<int64_t> shape) {
  hybrid_model* model = nullptr;
  const int status = hybrid_load_memory(
      json.data(), json.size(), params.empty() ? nullptr : params.data(), params.size(), &model);
  if (status != HYBRID_OK) {
    CHECK(model == nullptr);
    CHECK(std::strlen(hybrid_last_error()) > 0);
    return false;
  }
  bool ran = true;
  size_t inputs = 0;
  hybrid_num_inputs(model, &inputs);
  for (size_t i = 0; i < inputs && ran; ++i) {
    hybrid_array_info info;
    hybrid_input(model, i, &info);
    if (info.ndim < 0) info.ndim = static_cast<int>(shape.size());
    shape.resize(HYBRID_MAX_DIMS, 1);
    int64_t elements = 1;
    for (int d = 0; d < info.ndim; ++d) {
      if (info.shape[d] <= 0) info.shape[d] = shape[static_cast<size_t>(d)];
      elements = elements > 1 << 20 ? elements : elements * info.shape[d];
    }
    if (elements > 1 << 20) ran = false;  // refused or not, it takes too long for a test
    ran = ran && hybrid_set_shape(model, i, info.dtype, info.ndim, info.shape) == HYBRID_OK;
  }
  ran = ran && hybrid_bind(model) == HYBRID_OK;
  hybrid_memory memory{};
  ran = ran && hybrid_plan(model, &memory) == HYBRID_OK && memory.unplanned_bytes < 1 << 26;
  for (size_t i = 0; i < inputs && ran; ++i) {
    hybrid_array_info info;
    hybrid_input(model, i, &info);
    const std::string zeros(info.bytes, '\0');
    ran = hybrid_set_input(model, i, zeros.data(), zeros.size()) == HYBRID_OK;
  }
  ran = ran && hybrid_run(model) == HYBRID_OK;
  hybrid_free(model);
  return ran;
}

}  // namespace

TEST_CASE("capi fuzz: damaged symbol files") {
  std::mt19937 random(11);
  const std::pair<std::string, std::vector<int64_t>> models[] = {{"lenet", {1, 1, 28, 28}},
                                                                 {"my_mlp", {1, 512}}};
  for (const auto& [name, shape] : models) {
    const std::string json = whole(name + "-symbol.json");
    const std::string params = whole(name + "-0000.params");
    REQUIRE(survives(json, params, shape));
    int ran = 0;
    for (int i = 0; i < 400; ++i) ran += survives(damaged(json, &random), params, shape);
    CHECK(ran > 0);
    CHECK(ran < 400);
  }
}

TEST_CASE("capi fuzz: damaged parameter files") {
  std::mt19937 random(12);
  const std::string json = whole("my_mlp-symbol.json");
  const std::string params = whole("my_mlp-0000.params");
  // What lies between the numbers is small: aim there, at the first 200 and the last 200 bytes.
  int ran = 0;
  for (int i = 0; i < 300; ++i) {
    const size_t part = random() % 2 == 0 ? 0 : params.size() - 200;
    const std::string middle = damaged(params.substr(part, 200), &random);
    ran += survives(json, params.substr(0, part) + middle + params.substr(part + 200), {1, 512});
  }
  CHECK(ran < 300);
}
