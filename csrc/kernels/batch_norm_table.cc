#include "kernels/batch_norm_table.h"

#include "kernels/isa.h"

namespace hybrid {

namespace base {
extern const BatchNormTable batch_norm_table;
}
namespace avx2 {
extern const BatchNormTable batch_norm_table;
}

namespace {

const BatchNormTable& table() {
#if defined(__x86_64__)
  return use_avx2() ? avx2::batch_norm_table : base::batch_norm_table;
#else
  return base::batch_norm_table;
#endif
}

}  // namespace

const BatchNormFns<float>& batch_norm_fns(float) { return table().f32; }
const BatchNormFns<double>& batch_norm_fns(double) { return table().f64; }

}  // namespace hybrid
