// hybrid-run: an exported model on .npy files.
#include <cstdio>
#include <exception>

#include "capi/run/session.h"

namespace {

void run(const hybrid::RunOptions& options) {
  hybrid::Session session(options);
  session.give_inputs();
  const bool asked = options.describe || options.plan;
  const bool runs = !asked || !options.inputs.empty() || !options.outputs.empty() || options.times;
  if (runs) session.run();
  if (options.describe) session.describe();
  if (options.plan) session.print_plan();
  if (options.times) session.print_time(options.times);
  if (!options.outputs.empty() || !(asked || options.times)) session.give_outputs();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto options = hybrid::parse_options({argv + 1, argv + argc});
    if (options.help) {
      std::fputs(hybrid::kUsage, stdout);
    } else if (options.version) {
      std::printf("hybrid-run %s\n", hybrid_version());
    } else {
      run(options);
    }
    if (std::fflush(stdout) == 0) return 0;
    std::perror("hybrid-run: standard output");
  } catch (const hybrid::UsageError& error) {
    std::fprintf(stderr, "hybrid-run: %s (hybrid-run --help says more)\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fputs("hybrid-run: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hybrid-run: %s\n", error.what());
  }
  return 1;
}
