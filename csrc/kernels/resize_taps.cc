// The weights of OpenCV's interpolations.
#include <algorithm>
#include <cmath>

#include "kernels/resize.h"

namespace hybrid {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr float kCubic = -0.75f;  // the slope of OpenCV's cubic interpolation

// Weights of the pixels from `first` before the place on; at: how far behind a pixel it lies.
std::vector<float> cubic_weights(float at) {
  const auto near = [](float t) { return ((kCubic + 2) * t - (kCubic + 3)) * t * t + 1; };
  const float far = at + 1;
  std::vector<float> w{((kCubic * far - 5 * kCubic) * far + 8 * kCubic) * far - 4 * kCubic,
                       near(at), near(1 - at)};
  w.push_back(1.0f - w[0] - w[1] - w[2]);
  return w;
}

std::vector<float> lanczos_weights(float at) {
  std::vector<double> w(8);
  double sum = 0;
  for (int i = 0; i < 8; ++i) {
    const double t = kPi * (static_cast<double>(at) + 3 - i);
    w[static_cast<size_t>(i)] = t == 0 ? 1 : std::sin(t) * std::sin(t / 4) / (t * t / 4);
    sum += w[static_cast<size_t>(i)];
  }
  std::vector<float> floats;
  for (const double v : w) floats.push_back(static_cast<float>(v / sum));
  return floats;
}

struct Line {
  int64_t in, out;
  bool row;  // along a row: OpenCV moves places outside the image onto its edge
  double inverse() const { return static_cast<double>(out) / static_cast<double>(in); }
  double scale() const { return 1.0 / inverse(); }
};

// Where result i lies: behind which pixel, and how far.
std::pair<int64_t, float> place(const Line& line, bool area, int64_t i) {
  const auto index = static_cast<double>(i);
  if (area) {
    const auto pixel = static_cast<int64_t>(std::floor(index * line.scale()));
    const auto at = static_cast<float>(index + 1 - static_cast<double>(pixel + 1) * line.inverse());
    return {pixel, at <= 0 ? 0.0f : at - std::floor(at)};
  }
  const auto at = static_cast<float>((index + 0.5) * line.scale() - 0.5);
  const float pixel = std::floor(at);
  return {static_cast<int64_t>(pixel), at - pixel};
}

Taps nearest_taps(const Line& line) {
  Taps taps;
  const double step = 1.0 / line.inverse();
  for (int64_t i = 0; i < line.out; ++i) {
    taps.begin.push_back(i);
    const auto pixel = static_cast<int64_t>(std::floor(static_cast<double>(i) * step));
    taps.from.push_back(std::min(pixel, line.in - 1));
    taps.weight.push_back(1);
  }
  taps.begin.push_back(line.out);
  return taps;
}

Taps interpolating_taps(const Line& line, Interpolation method) {
  Taps taps;
  const bool linear = method == Interpolation::linear || method == Interpolation::area;
  for (int64_t i = 0; i < line.out; ++i) {
    auto [pixel, at] = place(line, method == Interpolation::area, i);
    if (linear && line.row && (pixel < 0 || pixel >= line.in - 1)) {
      pixel = pixel < 0 ? 0 : line.in - 1;
      at = 0;
    }
    const std::vector<float> weights = linear ? std::vector<float>{1 - at, at}
                                       : method == Interpolation::cubic ? cubic_weights(at)
                                                                        : lanczos_weights(at);
    const auto count = static_cast<int64_t>(weights.size());
    taps.begin.push_back(static_cast<int64_t>(taps.from.size()));
    for (int64_t k = 0; k < count; ++k) {
      taps.from.push_back(std::clamp<int64_t>(pixel + k - (count / 2 - 1), 0, line.in - 1));
      taps.weight.push_back(weights[static_cast<size_t>(k)]);
    }
  }
  taps.begin.push_back(static_cast<int64_t>(taps.from.size()));
  return taps;
}

// Each result is the average of what it covers, pixels at its ends in part.
Taps averaging_taps(const Line& line) {
  Taps taps;
  const double scale = line.scale();
  const auto add = [&](int64_t pixel, double weight) {
    taps.from.push_back(pixel);
    taps.weight.push_back(static_cast<float>(weight));
  };
  for (int64_t i = 0; i < line.out; ++i) {
    taps.begin.push_back(static_cast<int64_t>(taps.from.size()));
    const double low = static_cast<double>(i) * scale, high = low + scale;
    const double covered = std::min(scale, static_cast<double>(line.in) - low);
    const int64_t last = std::min(static_cast<int64_t>(std::floor(high)), line.in - 1);
    const int64_t first = std::min(static_cast<int64_t>(std::ceil(low)), last);
    const double before = static_cast<double>(first) - low;
    const double after = high - static_cast<double>(last);
    if (before > 1e-3) add(first - 1, before / covered);
    for (int64_t pixel = first; pixel < last; ++pixel) add(pixel, 1.0 / covered);
    if (after > 1e-3) add(last, std::min(std::min(after, 1.0), covered) / covered);
  }
  taps.begin.push_back(static_cast<int64_t>(taps.from.size()));
  return taps;
}

}  // namespace

Resizing::Resizing(Interpolation wanted, int64_t height, int64_t width, int64_t new_height,
                   int64_t new_width)
    : method(wanted) {
  const Line down{height, new_height, false}, along{width, new_width, true};
  const bool doubled = height == 2 * new_height && width == 2 * new_width;
  // OpenCV takes the average where linear interpolation would skip no pixel and weigh all alike.
  if (method == Interpolation::linear && doubled) method = Interpolation::area;
  averages = method == Interpolation::area && height >= new_height && width >= new_width;
  halves = averages && doubled;
  if (method == Interpolation::nearest) {
    rows = nearest_taps(down);
    columns = nearest_taps(along);
  } else if (averages) {
    rows = averaging_taps(down);
    columns = averaging_taps(along);
  } else {
    rows = interpolating_taps(down, method);
    columns = interpolating_taps(along, method);
  }
}

}  // namespace hybrid
