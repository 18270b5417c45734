#include "capi/run/options.h"

#include <cerrno>
#include <cstdlib>

#include "capi/hybrid.h"

namespace hybrid {

const char* const kUsage =
    R"(usage: hybrid-run MODEL-symbol.json [MODEL-0000.params] [INPUT.npy | NAME=INPUT.npy]... [options]

Runs a model that export() wrote, here or in MXNet 1.x, without Python.

  -o FILE.npy         where the output goes; of several: FILE-0.npy, FILE-1.npy, ...
  -o NAME=FILE.npy    one output by its name; may be given again
  --shapes NAME=1x3x32x32[,...]
                      inputs of zeros for which there is no file, to time or to plan with
  --cast              rounds inputs of another dtype to the model's: float64 to float32
  --virtual-gpus N    GPUs that the CPU computes, for models that name some
  --group2ctx GROUP=DEVICE[,...]
                      where groups of AttrScope(ctx_group=...) run: dev1=gpu(0),dev2=cpu(1)
  --time N            runs N times more and prints the median time of a run in ms
  --plan              prints the bytes of the memory plan
  --describe          prints inputs and outputs
  --seed N            of random operators, as mx.random.seed(N)
  --version, --help

Without -o the first elements of each output are printed.
Exit status: 0 done, 1 a file, the model or an input was refused, 2 wrong use of the command.
)";

namespace {

[[noreturn]] void wrong(const std::string& text) { throw UsageError(text); }

// A name before the first "=", unless that is part of a path.
Named split_name(const std::string& word) {
  const size_t at = word.find('=');
  if (at == std::string::npos || word.find('/') < at) return {"", word, word};
  return {word.substr(0, at), word.substr(at + 1), word};
}

uint64_t number(const std::string& option, const std::string& text, uint64_t least, uint64_t most) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9' && *end == '\0';
  if (!digits || errno != 0 || value < least || value > most) {
    wrong(option + ": expected a whole number from " + std::to_string(least) + " to " +
          std::to_string(most) + ", given '" + text + "'");
  }
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0;;) {
    const size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string::npos) return parts;
    at = end + 1;
  }
}

bool ends_with(const std::string& text, const std::string& tail) {
  return text.size() >= tail.size() &&
         text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& words) : words_(words) {}

  RunOptions parse() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (word.size() > 1 && word[0] == '-') {
        option(word);
      } else {
        positional(word);
      }
    }
    if (o_.symbol_file.empty() && !o_.help && !o_.version) wrong("no model was given");
    return std::move(o_);
  }

 private:
  void positional(const std::string& word) {
    if (o_.symbol_file.empty()) {
      o_.symbol_file = word;
    } else if (ends_with(word, ".params") && split_name(word).name.empty()) {
      if (!o_.params_file.empty()) wrong("two .params files were given");
      o_.params_file = word;
    } else {
      o_.inputs.push_back(split_name(word));
    }
  }

  // "--time 5" or "--time=5".
  void option(const std::string& word) {
    const size_t equals = word.find('=');
    const bool joined = word.compare(0, 2, "--") == 0 && equals != std::string::npos;
    const std::string name = joined ? word.substr(0, equals) : word;
    const auto value = [&]() -> std::string {
      if (joined) return word.substr(equals + 1);
      if (at_ == words_.size()) wrong(name + " needs a value");
      return words_[at_++];
    };
    bool* flag = name == "--plan"                   ? &o_.plan
                 : name == "--describe"             ? &o_.describe
                 : name == "--cast"                 ? &o_.cast
                 : name == "--version"              ? &o_.version
                 : name == "--help" || name == "-h" ? &o_.help
                                                    : nullptr;
    if (flag != nullptr) {
      if (joined) wrong(name + " takes no value");
      *flag = true;
    } else if (name == "-o" || name == "--output") {
      o_.outputs.push_back(split_name(value()));
      if (o_.outputs.back().text.empty()) wrong(name + " needs the name of a file");
    } else if (name == "--time") {
      o_.times = static_cast<int64_t>(number(name, value(), 1, 1000000000));
    } else if (name == "--seed") {
      o_.seed = number(name, value(), 0, UINT64_MAX);
    } else if (name == "--virtual-gpus") {
      o_.virtual_gpus = static_cast<int>(number(name, value(), 0, 64));
    } else if (name == "--group2ctx") {
      for (const std::string& part : split(value(), ',')) group(part);
    } else if (name == "--shapes") {
      for (const std::string& part : split(value(), ',')) shape(part);
    } else {
      wrong("unknown option '" + name + "'");
    }
  }

  void group(const std::string& part) {
    const size_t equals = part.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
      wrong("--group2ctx: expected GROUP=DEVICE such as dev1=gpu(0), given '" + part + "'");
    }
    o_.groups.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }

  void shape(const std::string& part) {
    const size_t equals = part.rfind('=');
    const std::string name = equals == std::string::npos ? "" : part.substr(0, equals);
    std::vector<int64_t> dims;
    for (const std::string& dim : split(part.substr(equals + 1), 'x')) {
      dims.push_back(static_cast<int64_t>(number("--shapes", dim, 0, INT64_MAX)));
    }
    if (dims.size() > HYBRID_MAX_DIMS) {
      wrong("--shapes: at most " + std::to_string(HYBRID_MAX_DIMS) + " dimensions, given '" + part +
            "'");
    }
    o_.shapes.emplace_back(name, std::move(dims));
  }

  const std::vector<std::string>& words_;
  size_t at_ = 0;
  RunOptions o_;
};

}  // namespace

RunOptions parse_options(const std::vector<std::string>& words) { return Parser(words).parse(); }

}  // namespace hybrid
