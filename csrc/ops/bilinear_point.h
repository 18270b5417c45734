// A point between four places of a feature map, as regions of interest take it.
#pragma once
#include <algorithm>
#include <cstdint>

namespace hybrid {

template <class T>
struct BilinearPoint {
  int64_t at[4];
  T weight[4];

  // False further than one place outside; within that the nearest place counts.
  bool place(T y, T x, int64_t height, int64_t width) {
    if (!(y >= -1 && y <= static_cast<T>(height) && x >= -1 && x <= static_cast<T>(width))) {
      return false;
    }
    int64_t y0, y1, x0, x1;
    T dy, dx;
    split(y, height, &y0, &y1, &dy);
    split(x, width, &x0, &x1, &dx);
    const int64_t places[] = {y0 * width + x0, y0 * width + x1, y1 * width + x0, y1 * width + x1};
    const T weights[] = {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx};
    std::copy(places, places + 4, at);
    std::copy(weights, weights + 4, weight);
    return true;
  }

 private:
  static void split(T v, int64_t size, int64_t* low, int64_t* high, T* part) {
    v = std::max(v, T(0));
    *low = static_cast<int64_t>(v);
    if (*low >= size - 1) {
      *low = *high = size - 1;
      v = static_cast<T>(*low);
    } else {
      *high = *low + 1;
    }
    *part = v - static_cast<T>(*low);
  }
};

}  // namespace hybrid
