// reduce: brings any dtype to the types that have loops. The narrow integers are computed as int32,
// uint32 as int64: a pass more, instead of five more sets of loops.
#include <algorithm>

#include "core/error.h"
#include "kernels/arg_reduce.h"
#include "kernels/device_kernels.h"
#include "kernels/elem_table.h"
#include "kernels/kernels.h"
#include "kernels/reduce_shape.h"

namespace hybrid {
namespace {

DType lane_of(DType dtype) {
  switch (dtype) {
    case DType::int8:
    case DType::int16:
    case DType::uint16:
      return DType::int32;
    case DType::uint32:
    case DType::uint64:
      return DType::int64;
    default:
      return dtype;
  }
}

// uint64 in the order of int64.
void flip_signs(const uint64_t* from, uint64_t* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = from[i] ^ (uint64_t{1} << 63);
}

TensorView scratch_like(const TensorView& x, DType dtype, Resources& resources) {
  TensorView view = x;
  view.dtype = dtype;
  view.strides = contiguous_strides(x.shape);
  view.data = resources.workspace(static_cast<size_t>(x.size()) * dtype_size(dtype));
  return view;
}

TensorView converted(const TensorView& x, DType dtype, Resources& resources) {
  const TensorView result = scratch_like(x, dtype, resources);
  elem_table().cast[elem_type(x.dtype)][elem_type(dtype)](x.data, nullptr, nullptr, result.data,
                                                          x.size());
  return result;
}

// Products of complex numbers, in double; `values` becomes those of the stage.
void multiply(const ReduceStage& s, double* values) {
  double* to = values;
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t i = 0; i < s.inner; ++i, to += 2) {
      double re = 1, im = 0;
      for (int64_t k = 0; k < s.size; ++k) {
        const double* const v = values + 2 * ((o * s.size + k) * s.inner + i);
        const double next = re * v[0] - im * v[1];
        im = re * v[1] + im * v[0];
        re = next;
      }
      to[0] = re;
      to[1] = im;
    }
  }
}

void reduce_complex(Reduction kind, const TensorView& x, std::vector<ReduceStage> stages,
                    const TensorView& out, Resources& resources) {
  if (kind == Reduction::any || kind == Reduction::all) {
    const TensorView truth = converted(x, DType::boolean, resources);
    return reduce_lanes(kind, truth.dtype, truth.data, stages, out, resources);
  }
  if (kind == Reduction::sum) {  // pairs of floats: one axis more, which stays
    for (ReduceStage& s : stages) s.inner *= 2;
    TensorView parts = out;
    parts.dtype = real_part(out.dtype);
    return reduce_lanes(kind, real_part(x.dtype), x.data, stages, parts, resources);
  }
  require(kind == Reduction::prod, "reduce: has no kernel for ", dtype_name(x.dtype),
          ", which has no order");
  const TensorView wide = converted(x, DType::complex128, resources);
  // A stage's results never overtake its operands, but an empty product needs a place of its own.
  const int64_t count = stages.back().outer * stages.back().inner;
  double* values = wide.as<double>();
  if (x.size() == 0) {
    values = static_cast<double*>(resources.workspace(static_cast<size_t>(count) * 16));
    for (int64_t i = 0; i < count; ++i) {
      values[2 * i] = 1;
      values[2 * i + 1] = 0;
    }
  } else {
    for (const ReduceStage& s : stages) multiply(s, values);
  }
  elem_table().cast[elem_type(DType::complex128)][elem_type(out.dtype)](values, nullptr, nullptr,
                                                                        out.data, count);
}

}  // namespace

void reduce(Reduction kind, const TensorView& x, uint32_t axes_mask, const TensorView& out,
            Resources& resources) {
  if (DeviceKernels* const device = resources.device()) {
    return device->reduce(kind, x, axes_mask, out);
  }
  const std::vector<ReduceStage> stages = reduce_stages(x.shape, axes_mask);
  const int64_t count = stages.back().outer * stages.back().inner;
  if (count == 0) return;
  const bool searches = kind == Reduction::argmax || kind == Reduction::argmin;
  const bool chooses = kind == Reduction::max || kind == Reduction::min || searches;
  require(!chooses || x.size() > 0, "reduce: given data of shape ", x.shape,
          ", expected at least one element to choose from");
  TensorView packed = x;
  if (!x.contiguous() && x.size() > 0) {
    packed = scratch_like(x, x.dtype, resources);
    strided_copy(x, packed, resources);
  }
  if (is_complex(x.dtype)) return reduce_complex(kind, packed, stages, out, resources);
  TensorView target = out;
  const bool flipped = x.dtype == DType::uint64 && chooses;
  if (flipped) {
    const TensorView ordered = scratch_like(packed, DType::int64, resources);
    flip_signs(packed.as<uint64_t>(), ordered.as<uint64_t>(), x.size());
    packed = ordered;
    require(searches || out.dtype == DType::uint64, "reduce: given uint64 and a result of ",
            dtype_name(out.dtype), ", expected uint64");
    if (!searches) target.dtype = DType::int64;
  } else if (x.dtype == DType::uint64) {
    packed.dtype = DType::int64;  // the same bits
  } else if (lane_of(x.dtype) != x.dtype) {
    packed = converted(packed, lane_of(x.dtype), resources);
  }
  if (searches) {
    require(stages.size() == 1, "argmax, argmin: given several axes of data of shape ", x.shape,
            ", expected one axis or all");
    return arg_reduce(kind == Reduction::argmax, packed, stages[0], out, resources);
  }
  reduce_lanes(kind, packed.dtype, packed.data, stages, target, resources);
  if (flipped) flip_signs(out.as<uint64_t>(), out.as<uint64_t>(), count);
}

}  // namespace hybrid
