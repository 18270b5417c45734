// Turning a pixel's hue: to hue, lightness and saturation and back (Joblove and Greenberg 1978).
#pragma once
#include <algorithm>

namespace hybrid {

// A number with its derivatives by red, green and blue.
template <class A>
struct ByColour {
  A value{};
  A slope[3]{};

  ByColour() = default;
  ByColour(A v) : value(v) {}  // NOLINT: numbers take part in formulas
  static ByColour channel(A v, int which) {
    ByColour x(v);
    x.slope[which] = 1;
    return x;
  }
};

template <class A>
ByColour<A> combine(A value, A by_a, const ByColour<A>& a, A by_b, const ByColour<A>& b) {
  ByColour<A> r(value);
  for (int i = 0; i < 3; ++i) r.slope[i] = by_a * a.slope[i] + by_b * b.slope[i];
  return r;
}
template <class A>
ByColour<A> operator+(const ByColour<A>& a, const ByColour<A>& b) {
  return combine(a.value + b.value, A(1), a, A(1), b);
}
template <class A>
ByColour<A> operator-(const ByColour<A>& a, const ByColour<A>& b) {
  return combine(a.value - b.value, A(1), a, A(-1), b);
}
template <class A>
ByColour<A> operator*(const ByColour<A>& a, const ByColour<A>& b) {
  return combine(a.value * b.value, b.value, a, a.value, b);
}
template <class A>
ByColour<A> operator/(const ByColour<A>& a, const ByColour<A>& b) {
  return combine(a.value / b.value, A(1) / b.value, a, -a.value / (b.value * b.value), b);
}

inline float value_of(float v) { return v; }
inline double value_of(double v) { return v; }
template <class A>
A value_of(const ByColour<A>& v) {
  return v.value;
}

// rgb, from 0 to 255, turned by that many degrees; A: float or double, V: A or ByColour<A>.
template <class A, class V>
void turn_hue(V rgb[3], A degrees) {
  const V r = rgb[0] / V(A(255)), g = rgb[1] / V(A(255)), b = rgb[2] / V(A(255));
  const auto more = [](const V& x, const V& y) { return value_of(x) > value_of(y); };
  const bool red = !more(g, r) && !more(b, r), green = !red && !more(b, g);
  const V high = red ? r : green ? g : b;
  const V low = more(r, g) ? (more(g, b) ? b : g) : (more(r, b) ? b : r);
  const V sum = high + low, lightness = sum * V(A(0.5)), span = high - low;
  if (!(value_of(span) > A(1.1920929e-7))) {  // grey has no hue
    for (int i = 0; i < 3; ++i) rgb[i] = lightness * V(A(255));
    return;
  }
  const bool dark = value_of(lightness) < A(0.5);
  const V saturation = span / (dark ? sum : V(A(2)) - high - low);
  const V part = V(A(60)) / span;
  V hue = red ? (g - b) * part : green ? (b - r) * part + V(A(120)) : (r - g) * part + V(A(240));
  if (value_of(hue) < 0) hue = hue + V(A(360));
  hue = (hue + V(degrees)) * V(A(1) / A(60));
  const bool bright = value_of(lightness) > A(0.5);
  const V top =
      bright ? lightness + saturation - lightness * saturation : lightness * (V(A(1)) + saturation);
  const V bottom = V(A(2)) * lightness - top;
  while (value_of(hue) < 0) hue = hue + V(A(6));
  while (value_of(hue) >= 6) hue = hue - V(A(6));
  const int sector = std::min(static_cast<int>(value_of(hue)), 5);
  const V at = hue - V(static_cast<A>(sector));
  const V falling = bottom + (top - bottom) * (V(A(1)) - at);
  const V rising = bottom + (top - bottom) * at;
  const V* const colours[6][3] = {{&top, &rising, &bottom}, {&falling, &top, &bottom},
                                  {&bottom, &top, &rising}, {&bottom, &falling, &top},
                                  {&rising, &bottom, &top}, {&top, &bottom, &falling}};
  for (int i = 0; i < 3; ++i) rgb[i] = *colours[sector][i] * V(A(255));
}

}  // namespace hybrid
