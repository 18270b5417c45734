// GroupNorm and InstanceNorm: the channels of each sample normalized together, or one by one.
#include "kernels/group_norm.h"

#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/row_norm.h"

namespace hybrid {

namespace {

// Inputs and outputs by position.
constexpr int kData = 0, kGamma = 1, kBeta = 2;
constexpr int kOut = 0, kMean = 1, kStd = 2;

bool by_channel(const Attrs& attrs) { return attrs.op()->attr_index("num_groups") < 0; }

int count_outputs(const Attrs& attrs) { return attrs.boolean("output_mean_var") ? 3 : 1; }

// Groups of the data's channels, -1 while that is not known.
int64_t count_groups(const Attrs& attrs, int64_t channels) {
  if (by_channel(attrs)) return channels;
  const int64_t groups = attrs.integer("num_groups");
  require(groups >= 1, attrs.op()->name, ": given num_groups ", groups, ", expected at least 1");
  require(channels < 0 || channels % groups == 0, attrs.op()->name, ": given ", channels,
          " channels, expected a multiple of num_groups ", groups);
  return groups;
}

void infer_group_norm(InferContext& c) {
  require(c.attrs.real("eps") >= 0, c.op_name, ": given eps ", c.attrs.real("eps"),
          ", expected 0 or more");
  one_dtype(c);
  Shape& data = c.in_shapes[kData];
  set_shape(c, kOut, data);
  data = c.out_shapes[kOut];
  const bool known = data.rank_known();
  require(!known || data.ndim() >= 3, c.op_name, ": given data of shape ", data,
          ", expected at least 3 dimensions (n, c, spatial axes)");
  Shape factors{count_groups(c.attrs, known ? data[1] : -1)};
  for (int pass = 0; pass < 2; ++pass) {  // what is learnt from one holds for both
    for (size_t i : {kGamma, kBeta}) {
      expect_shape(c, i, factors);
      factors = c.in_shapes[i];
    }
  }
  if (!known) return;
  if (by_channel(c.attrs)) data[1] = factors[0];
  set_shape(c, kOut, data);
  for (size_t i = 1; i < c.out_shapes.size(); ++i) set_shape(c, i, {data[0], factors[0]});
}

// (samples, groups, elements of a group)
Shape in_groups(const Attrs& attrs, const Shape& data) {
  const int64_t groups = count_groups(attrs, data[1]);
  int64_t size = groups > 0 ? data[1] / groups : 0;
  for (int i = 2; i < data.ndim(); ++i) size *= data[i];
  return {data[0], groups, size};
}

void run_group_norm(KernelContext& c) {
  const TensorView& x = c.in[kData];
  const Shape seen = in_groups(c.attrs, x.shape);
  require(seen[2] > 0 || seen[0] * seen[1] == 0, c.attrs.op()->name, ": given data of shape ",
          x.shape, ", expected at least one element a group");
  const bool statistics = c.num_out > 1;
  group_norm(x.dtype, seen[0] * seen[1], seen[2], seen[1], x.data, c.attrs.real("eps"),
             c.in[kGamma].data, c.in[kBeta].data, c.out[kOut].data,
             statistics ? c.out[kMean].data : nullptr, statistics ? c.out[kStd].data : nullptr,
             c.resources);
}

void grad_group_norm(GradBuilder& b) {
  RowNorm norm;
  norm.seen = in_groups(b.attrs(), known_shape(b, b.input(kData)));
  norm.axis = 2;
  norm.factors = {1, norm.seen[1], 1};
  norm.others = {0, 2};
  grad_row_norm(b, norm);
}

OpDef norm_def(const char* name, const char* factors, const char* eps) {
  OpDef norm;
  norm.name = name;
  norm.family = Family::reduce;
  norm.inputs = {{"data", "(n, c, spatial axes)"}, {"gamma", factors}, {"beta", factors}};
  norm.attrs = {{"eps", AttrType::real, eps, "added to the variance"}};
  norm.infer = infer_group_norm;
  norm.cpu = run_group_norm;
  norm.gradient = grad_group_norm;
  norm.in_place = {{kData, kOut}};
  norm.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
    return 8.0 * static_cast<double>(in[0].size());
  };
  return norm;
}

}  // namespace

void register_group_norm() {
  OpDef group = norm_def("GroupNorm", "(num_groups,)", "1e-05");
  group.doc =
      "(data - mean) / sqrt(var + eps) * gamma + beta with the mean and the biased variance of "
      "every sample's num_groups groups of neighbouring channels (Wu and He 2018). MXNet's "
      "GroupNorm: gamma and beta have one element a group; with output_mean_var mean and sqrt(var "
      "+ eps), (n, num_groups), are results too.";
  group.attrs.insert(group.attrs.begin(),
                     {"num_groups", AttrType::integer, "1", "divides the number of channels"});
  group.attrs.push_back(
      {"output_mean_var", AttrType::boolean, "False", "three results instead of one"});
  group.num_outputs_fn = count_outputs;
  add_op(std::move(group));

  OpDef instance = norm_def("InstanceNorm", "(c,)", "0.001");
  instance.doc =
      "(data - mean) / sqrt(var + eps) * gamma + beta with the mean and the biased variance of "
      "every channel of every sample (Ulyanov, Vedaldi and Lempitsky 2016). MXNet's InstanceNorm.";
  add_op(std::move(instance));
}

}  // namespace hybrid
