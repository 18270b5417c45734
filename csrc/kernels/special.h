// Functions that neither vectors nor C's library have, one number at a time.
#pragma once

namespace hybrid {

// log|gamma(x)|; inf at 0, -1, -2, ...
double log_gamma(double x);
// The derivative n + 1 of log(gamma(x)): digamma (n = 0), trigamma (n = 1), ... 0 <= n <= 100.
double polygamma(int n, double x);
// y with erf(y) = x; infinite at -1 and 1, nan beyond.
double erf_inverse(double x);

}  // namespace hybrid
