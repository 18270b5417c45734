#include "kernels/elem_path.h"

#include "kernels/isa.h"

namespace hybrid {

namespace base {
extern const ElemPath path_table;
}
namespace avx2 {
extern const ElemPath path_table;
}

const ElemPath& elem_path() {
#if defined(__x86_64__)
  static const ElemPath& chosen = use_avx2() ? avx2::path_table : base::path_table;
  return chosen;
#else
  return base::path_table;
#endif
}

}  // namespace hybrid
