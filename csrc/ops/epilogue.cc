#include "ops/epilogue.h"

#include <cstring>

#include "core/error.h"

namespace hybrid {

namespace {

using Kernel = void (*)(KernelContext&, const Finish*);

Kernel kernel_of(const OpDef& op) {
  if (std::strcmp(op.name, "Convolution") == 0) return run_convolution;
  if (std::strcmp(op.name, "FullyConnected") == 0) return run_fully_connected;
  return nullptr;
}

}  // namespace

bool takes_epilogue(const OpDef& op) { return kernel_of(op) != nullptr; }

void run_with_epilogue(const OpDef& op, KernelContext& context, const Finish& finish) {
  const Kernel kernel = kernel_of(op);
  require(kernel != nullptr, op.name, ": its kernel has no epilogue");
  kernel(context, &finish);
}

}  // namespace hybrid
