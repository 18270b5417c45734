#include "cuda/compiler.h"

#include <type_traits>

#include "cuda/driver.h"
#include "cuda/library.h"
#include "kernels/device_kernels.h"

namespace hybrid {
namespace cuda {
namespace {

constexpr int kNewestMajor = 13;

struct Nvrtc {
  using Program = void*;
  int (*version)(int*, int*) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*,
                const char* const*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*log_size)(Program, size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*code_size)(Program, size_t*) = nullptr;
  int (*code)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  std::string identity, why;

  Nvrtc() {
    // What a newer compiler makes is not for an older driver.
    const Driver* const found = find_driver();
    const int newest = found ? found->version / 1000 : kNewestMajor;
    void* const library = open_library("libnvrtc.so", "libnvrtc-builtins", newest, &why);
    if (!library) return;
    bool whole = true;
    const auto find = [&](auto* function, const char* name) {
      *function =
          reinterpret_cast<std::remove_pointer_t<decltype(function)>>(find_symbol(library, name));
      whole = whole && *function != nullptr;
    };
    find(&version, "nvrtcVersion");
    find(&create, "nvrtcCreateProgram");
    find(&compile, "nvrtcCompileProgram");
    find(&log_size, "nvrtcGetProgramLogSize");
    find(&log, "nvrtcGetProgramLog");
    find(&code_size, "nvrtcGetCUBINSize");
    find(&code, "nvrtcGetCUBIN");
    find(&destroy, "nvrtcDestroyProgram");
    int major = 0, minor = 0;
    if (!whole || version(&major, &minor) != 0) {
      why = "libnvrtc.so lacks a function that is needed";
      return;
    }
    identity = "nvrtc " + std::to_string(major) + "." + std::to_string(minor);
  }
};

const Nvrtc& nvrtc() {
  static const Nvrtc* const library = new Nvrtc;
  return *library;
}

// No contraction: a chain of operators gives the bits of its operators one by one.
const char* const kOptions[] = {"--std=c++17", "--fmad=false",
                                "--device-as-default-execution-space"};

}  // namespace

std::string compiler_identity() { return nvrtc().identity; }
std::string why_no_compiler() { return nvrtc().why; }

std::string compile_source(const std::string& source, const std::string& architecture) {
  const Nvrtc& c = nvrtc();
  if (c.identity.empty()) throw NotOnDevice(c.why);
  std::vector<const char*> names, texts;
  for (int i = 0; i < num_device_sources; ++i) {
    names.push_back(device_sources[i].name);
    texts.push_back(device_sources[i].text);
  }
  const std::string target = "--gpu-architecture=" + architecture;
  std::vector<const char*> options(std::begin(kOptions), std::end(kOptions));
  options.push_back(target.c_str());
  Nvrtc::Program program = nullptr;
  require(c.create(&program, source.c_str(), "kernel.cu", num_device_sources, texts.data(),
                   names.data()) == 0,
          "cuda: nvrtcCreateProgram failed");
  const int result = c.compile(program, static_cast<int>(options.size()), options.data());
  size_t size = 0;
  std::string text;
  if (result != 0) {
    c.log_size(program, &size);
    text.resize(size);
    if (size) c.log(program, text.data());
    c.destroy(&program);
    fail("cuda: a kernel does not compile for ", architecture, ":\n", text);
  }
  c.code_size(program, &size);
  text.resize(size);
  const bool got = size > 0 && c.code(program, text.data()) == 0;
  c.destroy(&program);
  require(got, "cuda: nvrtc gave no machine code for ", architecture);
  return text;
}

}  // namespace cuda
}  // namespace hybrid
