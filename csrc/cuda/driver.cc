#include "cuda/driver.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "core/gpu_memory.h"

namespace hybrid {
namespace cuda {
namespace {

struct Found {
  Driver functions;
  bool usable = false;
  std::string why;
  const pid_t process = getpid();

  Found() {
    const char* const wanted = std::getenv("HYBRID_CUDA");
    if (wanted && std::string(wanted) == "0") {
      why = "HYBRID_CUDA=0 hides it";
      return;
    }
    const char* const other = std::getenv("HYBRID_CUDA_DRIVER");
    const char* const name = other && *other ? other : "libcuda.so.1";
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      why = std::string(name) + " is not there";
      return;
    }
#define HYBRID_X(member, symbol, parameters)                                          \
  functions.member = reinterpret_cast<Result(*) parameters>(dlsym(library, #symbol)); \
  if (!functions.member) why = std::string(name) + " has no " #symbol;
    HYBRID_CUDA_FUNCTIONS(HYBRID_X)
#undef HYBRID_X
    if (!why.empty()) return;
    const Result result = functions.init(0);
    if (result != 0) {
      const char* text = nullptr;
      functions.error_name(result, &text);
      why = std::string(name) + " does not start: " + (text ? text : std::to_string(result));
      return;
    }
    functions.driver_version(&functions.version);
    usable = true;
  }
};

const Found& found() {
  static const Found* const driver = new Found;
  return *driver;
}

}  // namespace

const Driver* find_driver() { return found().usable ? &found().functions : nullptr; }
const std::string& why_no_driver() { return found().why; }

bool forked() { return getpid() != found().process; }

const Driver& driver() {
  require(found().usable, "cuda: there is no driver: ", found().why);
  return found().functions;
}

std::string error_text(Result result) {
  const char *name = nullptr, *text = nullptr;
  driver().error_name(result, &name);
  driver().error_text(result, &text);
  return (name ? std::string(name) : "error " + std::to_string(result)) +
         (text ? " (" + std::string(text) + ")" : "");
}

void check(Result result, const char* function) {
  if (__builtin_expect(result != 0, false)) fail("cuda: ", function, ": ", error_text(result));
}

}  // namespace cuda
}  // namespace hybrid
