#include "kernels/conv_direct.h"

#include "kernels/isa.h"

namespace hybrid {

namespace base {
extern const ConvDirect conv_tiles;
}
namespace avx2 {
extern const ConvDirect conv_tiles;
}
namespace avx512 {
extern const ConvDirect conv_tiles;
}

const ConvDirect& conv_direct() {
#if defined(__x86_64__)
  static const ConvDirect& chosen = use_avx512() ? avx512::conv_tiles
                                    : use_avx2() ? avx2::conv_tiles
                                                 : base::conv_tiles;
  return chosen;
#else
  return base::conv_tiles;
#endif
}

}  // namespace hybrid
