#include "kernels/layout.h"

#include "core/error.h"

namespace hybrid {

TensorView view_of(const NDArray& array) {
  return {array.data(), array.dtype, array.shape, array.strides};
}

TensorView broadcast_view(const TensorView& view, const Shape& shape, const char* op) {
  if (view.shape == shape) return view;
  const int extra = shape.ndim() - view.shape.ndim();
  TensorView result = view;
  result.shape = shape;
  result.strides = Shape::of_rank(shape.ndim(), 0);
  bool fits = extra >= 0;
  for (int d = 0; fits && d < view.shape.ndim(); ++d) {
    if (view.shape[d] == shape[d + extra]) {
      result.strides[d + extra] = view.strides[d];
    } else {
      fits = view.shape[d] == 1;
    }
  }
  require(fits, op, ": shape ", view.shape, " does not broadcast to ", shape);
  return result;
}

void collapse_dimensions(std::vector<TensorView>* views) {
  if (views->empty()) return;
  const Shape shape = views->front().shape;
  std::vector<int64_t> sizes;
  std::vector<std::vector<int64_t>> strides(views->size());
  for (int d = 0; d < shape.ndim(); ++d) {
    if (shape[d] == 1) continue;
    bool merges = !sizes.empty();
    for (size_t i = 0; merges && i < views->size(); ++i) {
      merges = strides[i].back() == (*views)[i].strides[d] * shape[d];
    }
    if (merges) {
      sizes.back() *= shape[d];
    } else {
      sizes.push_back(shape[d]);
    }
    for (size_t i = 0; i < views->size(); ++i) {
      if (merges) {
        strides[i].back() = (*views)[i].strides[d];
      } else {
        strides[i].push_back((*views)[i].strides[d]);
      }
    }
  }
  if (sizes.empty()) {  // one element
    sizes.push_back(1);
    for (auto& s : strides) s.push_back(1);
  }
  for (size_t i = 0; i < views->size(); ++i) {
    (*views)[i].shape = Shape(sizes);
    (*views)[i].strides = Shape(strides[i]);
  }
}

}  // namespace hybrid
