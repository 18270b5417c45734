// Held blocks: what fills the memory of a device that has only so much, by the line that made it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/storage.h"

namespace hybrid {
namespace held {

// Blocks of pools with a limit are noted when they are made, and forgotten when they are freed.
void note(Storage* storage);
void forget(Storage* storage);
void forget_all(Context ctx);

// activations: what was made while autograd recorded.
enum class Kind : uint8_t { parameters, gradients, states, activations, working, arrays };
constexpr int kKinds = 6;
const char* word(Kind kind);
void mark(Storage* storage, Kind kind);  // what it is used for from now on
struct Use {
  Kind kind;
  uint32_t site;  // of the trace, 0 unknown
  int64_t bytes = 0;
  int64_t blocks = 0;
};
std::vector<Use> uses(Context ctx);  // by kind and line, the largest first
// The same in words, one a line, the smallest of many together.
std::string describe(Context ctx);
std::string advice(Context ctx);  // how operators may need less; empty where none is known
std::string bytes_in_words(int64_t bytes);  // "1.5 GB", "320 B"; a KB has 1,024 B

// Who knows lines, and how memory that pending work holds comes free. csrc/engine sets them.
struct Hooks {
  uint32_t (*current_site)();
  std::string (*describe_site)(uint32_t site);
  void (*finish_pending)();  // no error is raised; does nothing inside an operator
};
void set_hooks(const Hooks& hooks);
const Hooks& hooks();
void set_recording(bool (*recording)());  // does autograd record on this thread?

}  // namespace held
}  // namespace hybrid
