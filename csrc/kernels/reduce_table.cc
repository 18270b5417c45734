#include "kernels/reduce_table.h"

#include "kernels/isa.h"

namespace hybrid {

namespace base {
extern const ReduceTable reduce_functions;
}
namespace avx2 {
extern const ReduceTable reduce_functions;
}

const ReduceTable& reduce_table() {
#if defined(__x86_64__)
  return use_avx2() ? avx2::reduce_functions : base::reduce_functions;
#else
  return base::reduce_functions;
#endif
}

}  // namespace hybrid
