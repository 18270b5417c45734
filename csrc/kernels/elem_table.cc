#include "kernels/elem_table.h"

#include "kernels/isa.h"

namespace hybrid {

namespace base {
extern const ElemTable table;
}
namespace avx2 {
extern const ElemTable table;
}

const ElemTable& elem_table() {
#if defined(__x86_64__)
  static const ElemTable& chosen = use_avx2() ? avx2::table : base::table;
  return chosen;
#else
  return base::table;
#endif
}

const char* elem_code_name(ElemCode code) {
  static const char* const names[] = {
#define HYBRID_X(name) #name,
      HYBRID_ELEM_UNARY(HYBRID_X) HYBRID_ELEM_BINARY(HYBRID_X) HYBRID_ELEM_OTHER(HYBRID_X)
#undef HYBRID_X
  };
  return names[static_cast<int>(code)];
}

}  // namespace hybrid
