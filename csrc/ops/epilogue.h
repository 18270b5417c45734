// Operators whose kernels can finish their results piece by piece: FullyConnected, Convolution.
#pragma once
#include "kernels/finish.h"
#include "ops/op.h"

namespace hybrid {

bool takes_epilogue(const OpDef& op);
// The operator's kernel, with `finish` applied to what it has computed.
void run_with_epilogue(const OpDef& op, KernelContext& context, const Finish& finish);

// The kernels themselves; `finish` may be null.
void run_convolution(KernelContext& context, const Finish* finish);
void run_fully_connected(KernelContext& context, const Finish* finish);

}  // namespace hybrid
