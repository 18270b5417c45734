// What BatchNorm and SyncBatchNorm have in common.
#pragma once
#include "kernels/batch_norm.h"
#include "ops/states.h"

namespace hybrid {
namespace batch_norm {

// Inputs by position.
constexpr int kData = 0, kGamma = 1, kBeta = 2, kMovingMean = 3, kMovingVar = 4;

bool uses_batch(const Attrs& attrs);
BatchNormShape channel_shape(const KernelContext& c, const Shape& data);
// The inputs from `first` on, and the outputs after the first, have one element a channel.
void expect_channels(InferContext& c, size_t data_input, size_t first);
AttrDef mode_attr();  // whether the statistics are the batch's
double flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&);

// Four outputs: the result and three of the channels' values; without kernel and gradient.
OpDef normalization(const char* name, const char* doc);
// By data, gamma and beta; without kernel, inference and gradient of its own.
OpDef gradient(const char* name, const char* doc);
StatesDef states(int mean, int variance);  // by outputs; without the outputs' names

}  // namespace batch_norm
}  // namespace hybrid
