// Boxes: four numbers, as two corners or as a centre and a size.
#pragma once
#include <algorithm>

#include "ops/op.h"

namespace hybrid {

template <class T>
struct Box {
  T left, top, right, bottom;

  static Box corners(const T* p) { return {p[0], p[1], p[2], p[3]}; }
  static Box centred(const T* p) {
    return {p[0] - p[2] / 2, p[1] - p[3] / 2, p[0] + p[2] / 2, p[1] + p[3] / 2};
  }
  static Box of(const T* p, bool is_centred) { return is_centred ? centred(p) : corners(p); }
  T width() const { return right - left; }
  T height() const { return bottom - top; }
  T x() const { return (left + right) * T(0.5); }
  T y() const { return (top + bottom) * T(0.5); }
  T area() const { return width() < 0 || height() < 0 ? T(0) : width() * height(); }
};

// Common area by that of both together (intersection over union); 0 where that is empty.
template <class T>
T overlap(const Box<T>& a, const Box<T>& b) {
  const T width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const T height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(width > 0 && height > 0)) return 0;
  const T common = width * height, all = a.area() + b.area() - common;
  return all > 0 ? common / all : T(0);
}

inline AttrDef box_format(const char* name, const char* default_text) {
  return {name, AttrType::string, default_text,
          "boxes as (xmin, ymin, xmax, ymax) or (x, y, width, height)", "center|corner"};
}
inline bool is_centred(const Attrs& attrs, const char* name) {
  return attrs.string(name) == "center";
}

}  // namespace hybrid
