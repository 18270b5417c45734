#include "kernels/conv_direct.h"

#include <algorithm>

#include "kernels/isa.h"

namespace hybrid {

namespace base {
extern const ConvDirect conv_tiles;
}
namespace avx2 {
extern const ConvDirect conv_tiles;
}

const ConvDirect& conv_direct() {
#if defined(__x86_64__)
  static const ConvDirect& chosen = use_avx2() ? avx2::conv_tiles : base::conv_tiles;
  return chosen;
#else
  return base::conv_tiles;
#endif
}

int conv_block(int64_t channels, int64_t width, int lanes) {
  // Cycles a tap of all tiles of a row: 2 multiply-adds and 2 loads a cycle, latency 4.
  const auto cycles = [&](int block, int most) {
    double sum = 0;
    for (int64_t column = 0; column < width; column += most * lanes) {
      const double v =
          static_cast<double>(std::min<int64_t>(most, (width - column + lanes - 1) / lanes));
      sum += std::max({block * v / 2, 4.0, (v + block + 1) / 2});
    }
    return sum * static_cast<double>((channels + block - 1) / block);
  };
  const double four = cycles(4, 3), six = cycles(6, 2), twelve = cycles(12, 1);
  if (four <= six && four <= twelve) return 4;
  return six <= twelve ? 6 : 12;
}

}  // namespace hybrid
