#include "kernels/dot_rows.h"

#include "kernels/isa.h"

namespace hybrid {

namespace base {
extern const DotRows dot_table;
}
namespace avx2 {
extern const DotRows dot_table;
}

const DotRows& dot_rows_table() {
#if defined(__x86_64__)
  static const DotRows& chosen = use_avx2() ? avx2::dot_table : base::dot_table;
  return chosen;
#else
  return base::dot_table;
#endif
}

}  // namespace hybrid
