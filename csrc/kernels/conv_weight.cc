#include "kernels/conv_weight.h"

#include "kernels/isa.h"

namespace hybrid {

namespace base {
extern const ConvWeight weight_tiles;
}
namespace avx2 {
extern const ConvWeight weight_tiles;
}
namespace avx512 {
extern const ConvWeight weight_tiles;
}

const ConvWeight& conv_weight() {
#if defined(__x86_64__)
  static const ConvWeight& chosen = use_avx512() ? avx512::weight_tiles
                                    : use_avx2() ? avx2::weight_tiles
                                                 : base::weight_tiles;
  return chosen;
#else
  return base::weight_tiles;
#endif
}

}  // namespace hybrid
