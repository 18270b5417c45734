// The command line of hybrid-run.
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace hybrid {

struct Named {  // NAME=TEXT; without a name: ""
  std::string name, text;
  std::string word;  // as it was given: a name may contain "=" and "/" itself
};

struct RunOptions {
  std::string symbol_file, params_file;
  std::vector<Named> inputs;   // .npy files
  std::vector<Named> outputs;  // .npy files
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  std::vector<std::pair<std::string, std::string>> groups;  // group, device
  int virtual_gpus = 0;
  int64_t times = 0;
  std::optional<uint64_t> seed;
  bool plan = false, describe = false, cast = false;
  bool help = false, version = false;
};

// Wrong use of the command.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

RunOptions parse_options(const std::vector<std::string>& words);
extern const char* const kUsage;

}  // namespace hybrid
