// One use of hybrid-run: a model through the C API, its inputs from files, its outputs to files.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capi/hybrid.h"
#include "capi/run/npy.h"
#include "capi/run/options.h"

namespace hybrid {

class Session {
 public:
  explicit Session(const RunOptions& options);  // loads the model; throws Error
  void give_inputs();
  void describe() const;
  void run();
  void print_time(int64_t times);
  void print_plan();
  void give_outputs() const;

 private:
  std::vector<std::string> names(bool inputs) const;
  std::string missing() const;
  std::vector<std::pair<std::string, bool>> devices() const;  // named by the model; is it there?
  void check_devices() const;
  size_t input_named(const std::string& name, const char* what) const;
  void give_file(const Named& given);
  void give_zeros();
  NpyArray output(size_t index) const;

  struct Free {
    void operator()(hybrid_model* model) const { hybrid_free(model); }
  };
  const RunOptions& options_;
  std::unique_ptr<hybrid_model, Free> model_;
  size_t num_inputs_ = 0, num_outputs_ = 0;
  std::vector<bool> given_;                          // by input: has a file or a shape
  std::vector<std::pair<size_t, NpyArray>> arrays_;  // inputs not handed over yet
  std::vector<size_t> zeros_;
};

}  // namespace hybrid
