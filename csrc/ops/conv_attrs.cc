#include "ops/conv_attrs.h"

#include "core/error.h"
#include "ops/op.h"

namespace hybrid {

ConvAttrs::ConvAttrs(const Attrs& a)
    : window(a, true), filters(a.integer("num_filter")), groups(a.integer("num_group")) {
  const char* op = a.op()->name;
  require(filters > 0, op, ": given num_filter ", filters, ", expected at least 1");
  require(groups > 0 && filters % groups == 0, op, ": given num_group ", groups,
          ", expected a divisor of num_filter ", filters);
}

ConvParams conv_params(const ConvAttrs& a, const Shape& data, const Shape& out) {
  ConvParams p;
  p.batch = data[0];
  p.in_channels = data[1];
  p.in_h = data[2];
  p.in_w = data[3];
  p.out_channels = out[1];
  p.out_h = out[2];
  p.out_w = out[3];
  p.kernel_h = a.window.kernel[0];
  p.kernel_w = a.window.kernel[1];
  p.stride_h = a.window.stride[0];
  p.stride_w = a.window.stride[1];
  p.pad_h = a.window.pad[0];
  p.pad_w = a.window.pad[1];
  p.dilate_h = a.window.dilate[0];
  p.dilate_w = a.window.dilate[1];
  p.groups = a.groups;
  return p;
}

}  // namespace hybrid
