#include "capi/run/session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "capi/files.h"
#include "core/error.h"

namespace hybrid {
namespace {

constexpr uint64_t kMaxInputBytes = uint64_t{1} << 40;
constexpr int64_t kShown = 10;  // elements of an output

void check(int status) {
  if (status != HYBRID_OK) throw Error(hybrid_last_error());
}

std::vector<int64_t> shape_of(const hybrid_array_info& info) {
  return {info.shape, info.shape + std::max(info.ndim, 0)};
}

std::string type_text(const hybrid_array_info& info) {
  const char* dtype = hybrid_dtype_name(info.dtype);
  return std::string(dtype ? dtype : "any dtype") + " " +
         (info.ndim < 0 ? "of any shape" : shape_text(shape_of(info)));
}

// "out.npy", 2: "out-2.npy"
std::string numbered(const std::string& file, size_t i) {
  const size_t dot = file.rfind(".npy");
  const bool ends = dot != std::string::npos && dot + 4 == file.size();
  const std::string stem = ends ? file.substr(0, dot) : file;
  return stem + "-" + std::to_string(i) + (ends ? ".npy" : "");
}

// NAME=TEXT where NAME is the longest of the model's own names that fits; else as it was split.
Named known_name(const Named& given, const std::vector<std::string>& names) {
  Named result = given;
  size_t longest = 0;
  for (const std::string& name : names) {
    const bool fits = given.word.compare(0, name.size() + 1, name + "=") == 0;
    if (!fits || name.size() < longest) continue;
    longest = name.size();
    result = {name, given.word.substr(name.size() + 1), given.word};
  }
  return result;
}

}  // namespace

Session::Session(const RunOptions& options) : options_(options) {
  if (options.seed) check(hybrid_seed(*options.seed));
  if (options.virtual_gpus > 0) check(hybrid_virtual_gpus(options.virtual_gpus));
  hybrid_model* model = nullptr;
  const char* params = options.params_file.empty() ? nullptr : options.params_file.c_str();
  check(hybrid_load(options.symbol_file.c_str(), params, &model));
  model_.reset(model);
  check(hybrid_num_inputs(model, &num_inputs_));
  check(hybrid_num_outputs(model, &num_outputs_));
  given_.assign(num_inputs_, false);
  for (const auto& [group, device] : options.groups) {
    check(hybrid_set_group(model, group.c_str(), device.c_str()));
  }
}

std::vector<std::string> Session::names(bool inputs) const {
  std::vector<std::string> result;
  for (size_t i = 0; i < (inputs ? num_inputs_ : num_outputs_); ++i) {
    hybrid_array_info info;
    check((inputs ? hybrid_input : hybrid_output)(model_.get(), i, &info));
    result.emplace_back(info.name);
  }
  return result;
}

// What to do about the first input that is needed and was not given; "" when there is none.
std::string Session::missing() const {
  for (size_t i = 0; i < num_inputs_; ++i) {
    hybrid_array_info info;
    check(hybrid_input(model_.get(), i, &info));
    if (given_[i] || info.optional) continue;
    const std::string name = info.name;
    return "input '" + name + "' (" + type_text(info) + ") has no value: give " + name +
           "=FILE.npy, or --shapes " + name + "=SIZES for zeros" +
           (options_.params_file.empty() ? " (is the .params file missing?)" : "");
  }
  return "";
}

std::vector<std::pair<std::string, bool>> Session::devices() const {
  size_t count = 0;
  check(hybrid_num_devices(model_.get(), &count));
  std::vector<std::pair<std::string, bool>> result;
  for (size_t i = 0; i < count; ++i) {
    char name[64];
    int exists = 0;
    check(hybrid_device(model_.get(), i, name, sizeof name, &exists));
    result.emplace_back(name, exists != 0);
  }
  return result;
}

void Session::check_devices() const {
  for (const auto& [name, exists] : devices()) {
    if (exists) continue;
    const int64_t gpus = std::strtoll(name.c_str() + name.find('(') + 1, nullptr, 10) + 1;
    fail("the model runs on ", name, ", which is not there: --virtual-gpus ", gpus,
         " has the CPU compute it");
  }
}

// Without a name: the one input that is needed.
size_t Session::input_named(const std::string& name, const char* what) const {
  size_t found = 0;
  if (!name.empty()) {
    check(hybrid_find_input(model_.get(), name.c_str(), &found));
    return found;
  }
  size_t needed = 0;
  std::string names;
  for (size_t i = 0; i < num_inputs_; ++i) {
    hybrid_array_info info;
    check(hybrid_input(model_.get(), i, &info));
    if (info.optional) continue;
    if (needed++ == 0) found = i;
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  require(needed > 0, what, ": the model has no input");
  require(needed == 1, what, ": which input? There are ", names, ": give NAME=", what,
          options_.params_file.empty() ? " (is the .params file missing?)" : "");
  return found;
}

void Session::give_file(const Named& given) {
  const Named file = known_name(given, names(true));
  const size_t i = input_named(file.name, file.text.c_str());
  hybrid_array_info info;
  check(hybrid_input(model_.get(), i, &info));
  require(!given_[i], "input '", info.name, "' is given twice");
  given_[i] = true;
  NpyArray array;
  try {
    array = read_npy(read_file(file.text, kMaxInputBytes));
    if (info.dtype != HYBRID_UNKNOWN && array.dtype != info.dtype) {
      require(options_.cast, "is ", hybrid_dtype_name(array.dtype), ", input '", info.name, "' is ",
              hybrid_dtype_name(info.dtype), ": give --cast, or save it as that");
      array = cast_npy(array, info.dtype);
    }
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(text.compare(0, file.text.size(), file.text) == 0 ? text : file.text + ": " + text);
  }
  const int ndim = static_cast<int>(array.shape.size());
  check(hybrid_set_shape(model_.get(), i, array.dtype, ndim, array.shape.data()));
  arrays_.emplace_back(i, std::move(array));
}

void Session::give_zeros() {
  for (const auto& [name, shape] : options_.shapes) {
    const size_t i = input_named(name, "--shapes");
    hybrid_array_info info;
    check(hybrid_input(model_.get(), i, &info));
    require(!given_[i], "input '", info.name, "' is given twice");
    given_[i] = true;
    zeros_.push_back(i);
    check(hybrid_set_shape(model_.get(), i, HYBRID_UNKNOWN, static_cast<int>(shape.size()),
                           shape.data()));
  }
}

void Session::give_inputs() {
  // Every shape before any contents: the first contents compile the model.
  for (const Named& file : options_.inputs) give_file(file);
  give_zeros();
}

void Session::describe() const {
  for (const auto& [name, exists] : devices()) {
    std::printf("device  %s%s\n", name.c_str(), exists ? "" : ", not there");
  }
  for (const bool inputs : {true, false}) {
    for (size_t i = 0; i < (inputs ? num_inputs_ : num_outputs_); ++i) {
      hybrid_array_info info;
      check((inputs ? hybrid_input : hybrid_output)(model_.get(), i, &info));
      std::printf("%-7s %s: %s%s\n", inputs ? "input" : "output", info.name,
                  type_text(info).c_str(), info.optional ? ", not needed" : "");
    }
  }
}

void Session::run() {
  check_devices();
  const int bound = hybrid_bind(model_.get());
  const std::string error = bound == HYBRID_OK ? "" : hybrid_last_error(), open = missing();
  require(open.empty(), open);
  require(bound == HYBRID_OK, error);
  for (auto& [i, array] : arrays_) {
    check(hybrid_set_input(model_.get(), i, array.data.data(), array.data.size()));
    array.data = std::string();
  }
  arrays_.clear();
  for (const size_t i : zeros_) {
    hybrid_array_info info;
    check(hybrid_input(model_.get(), i, &info));
    std::string zeros;
    try {
      zeros.assign(info.bytes, '\0');
    } catch (const std::exception&) {  // bad_alloc or length_error
      fail("input '", info.name, "' (", type_text(info), ") takes ", info.bytes,
           " bytes: out of memory");
    }
    check(hybrid_set_input(model_.get(), i, zeros.data(), zeros.size()));
  }
  zeros_.clear();
  check(hybrid_run(model_.get()));
}

void Session::print_time(int64_t times) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> ms;
  for (int64_t i = 0; i < times; ++i) {
    const auto start = Clock::now();
    check(hybrid_run(model_.get()));
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(ms.begin(), ms.end());
  const size_t half = ms.size() / 2;
  const double median = ms.size() % 2 ? ms[half] : (ms[half - 1] + ms[half]) / 2;
  std::printf("median  %.4f ms of %lld runs\n", median, static_cast<long long>(times));
}

void Session::print_plan() {
  check_devices();
  hybrid_memory m;
  check(hybrid_plan(model_.get(), &m));
  std::printf("kernels     %d\n", m.kernels);
  const std::pair<const char*, int64_t> rows[] = {{"parameters", m.parameter_bytes},
                                                  {"unplanned", m.unplanned_bytes},
                                                  {"planned", m.planned_bytes},
                                                  {"bound", m.bound_bytes},
                                                  {"arena", m.arena_bytes}};
  for (const auto& [name, bytes] : rows) {
    std::printf("%-10s  %lld bytes\n", name, static_cast<long long>(bytes));
  }
}

NpyArray Session::output(size_t index) const {
  hybrid_array_info info;
  check(hybrid_output(model_.get(), index, &info));
  NpyArray array{info.dtype, shape_of(info), std::string(info.bytes, '\0')};
  check(hybrid_get_output(model_.get(), index, array.data.data(), array.data.size()));
  return array;
}

void Session::give_outputs() const {
  for (size_t i = 0; options_.outputs.empty() && i < num_outputs_; ++i) {
    hybrid_array_info info;
    check(hybrid_output(model_.get(), i, &info));
    std::printf("%s: %s: %s\n", info.name, type_text(info).c_str(),
                elements_text(output(i), kShown).c_str());
  }
  const std::vector<std::string> own = names(false);
  for (const Named& given : options_.outputs) {
    const Named file = known_name(given, own);
    bool found = false;
    std::string list;
    for (size_t i = 0; i < num_outputs_; ++i) {
      list += (i ? ", " : "") + own[i];
      if (!file.name.empty() && file.name != own[i]) continue;
      found = true;
      const bool alone = num_outputs_ == 1 || !file.name.empty();
      write_file(alone ? file.text : numbered(file.text, i), write_npy(output(i)));
    }
    require(found, "-o: there is no output '", file.name, "'; the outputs are ", list);
  }
}

}  // namespace hybrid
