// Changes of images' colours and their adjoints, pixel by pixel; only contrast looks at the image.
#include "kernels/colours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/by_dtype.h"
#include "kernels/hue.h"

namespace hybrid {

namespace {

constexpr int64_t kGrain = 8192;                    // pixels that a thread takes at once
constexpr double kGrey[3] = {0.299, 0.587, 0.114};  // of red, green and blue (ITU-R BT.601)

template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

// A pixel's value from what a formula gives: whole numbers are cut and rounded to 0.
template <class T, class A>
T stored(A v) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(v);
  } else {
    if (!(v == v)) return T(0);
    const auto low = static_cast<double>(std::numeric_limits<T>::min());
    const auto high = static_cast<double>(std::numeric_limits<T>::max());
    const auto d = static_cast<double>(v);
    if (d <= low) return std::numeric_limits<T>::min();
    return d >= high ? std::numeric_limits<T>::max() : static_cast<T>(d);
  }
}

// One image.
template <class T>
struct Picture {
  using A = Computed<T>;
  T* data;
  int64_t pixels, channels;
  Resources& resources;

  template <class F>
  void each(F pixel) const {
    resources.parallel(pixels, kGrain, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) pixel(data + p * channels, p);
    });
  }
  A grey(const T* pixel) const {
    if (channels == 1) return static_cast<A>(pixel[0]);
    A sum = 0;
    for (int i = 0; i < 3; ++i) sum += static_cast<A>(pixel[i]) * static_cast<A>(kGrey[i]);
    return sum;
  }
  double weight(int64_t channel) const { return channels == 1 ? 1 : kGrey[channel]; }
  // Every value v becomes alpha v + beta(pixel, its place) colour(channel).
  template <class Beta, class Of>
  void blend(A alpha, Beta beta, Of colour) const {
    each([&](T* pixel, int64_t p) {
      const A more = beta(pixel, p);
      for (int64_t c = 0; c < channels; ++c)
        pixel[c] = stored<T>(static_cast<A>(pixel[c]) * alpha + more * colour(c));
    });
  }
};

template <class T>
void apply(const ColourStep& step, const Picture<T>& picture) {
  using A = Computed<T>;
  const A alpha = static_cast<A>(step.alpha);
  const auto one = [](int64_t) { return A(1); };
  switch (step.kind) {
    case Colour::brightness:
      return picture.each([&](T* pixel, int64_t) {
        for (int64_t c = 0; c < picture.channels; ++c)
          pixel[c] = stored<T>(static_cast<A>(pixel[c]) * alpha);
      });
    case Colour::contrast: {
      double sum = 0;
      for (int64_t p = 0; p < picture.pixels; ++p)
        sum += static_cast<double>(picture.grey(picture.data + p * picture.channels));
      const A mean = static_cast<A>(sum / static_cast<double>(picture.pixels));
      const A beta = (1 - alpha) * mean;
      return picture.blend(alpha, [&](const T*, int64_t) { return beta; }, one);
    }
    case Colour::saturation:
      if (picture.channels == 1) return;
      return picture.blend(
          alpha, [&](const T* pixel, int64_t) { return picture.grey(pixel) * (1 - alpha); }, one);
    case Colour::hue:
      if (picture.channels == 1) return;
      return picture.each([&](T* pixel, int64_t) {
        A rgb[3] = {static_cast<A>(pixel[0]), static_cast<A>(pixel[1]), static_cast<A>(pixel[2])};
        turn_hue<A>(rgb, alpha * 360);
        for (int c = 0; c < 3; ++c) pixel[c] = stored<T>(rgb[c]);
      });
    case Colour::lighting:
      if (picture.channels == 1) return;
      return picture.each([&](T* pixel, int64_t) {
        for (int c = 0; c < 3; ++c)
          pixel[c] = stored<T>(static_cast<A>(pixel[c]) + static_cast<A>(step.colour[c]));
      });
  }
}

// The picture holds the gradient of what the step gave and gets that of what it took, `before`.
template <class T>
void apply_back(const ColourStep& step, const T* before, const Picture<T>& picture) {
  const T alpha = static_cast<T>(step.alpha);
  const auto weight = [&](int64_t c) { return static_cast<T>(picture.weight(c)); };
  const auto sum_of = [&](const T* pixel) {
    T sum = 0;
    for (int64_t c = 0; c < picture.channels; ++c) sum += pixel[c];
    return sum;
  };
  switch (step.kind) {
    case Colour::brightness:
      return apply(step, picture);
    case Colour::contrast: {
      double sum = 0;
      for (int64_t p = 0; p < picture.pixels; ++p)
        sum += static_cast<double>(sum_of(picture.data + p * picture.channels));
      const T beta = (1 - alpha) * static_cast<T>(sum / static_cast<double>(picture.pixels));
      return picture.blend(alpha, [&](const T*, int64_t) { return beta; }, weight);
    }
    case Colour::saturation:
      if (picture.channels == 1) return;
      return picture.blend(
          alpha, [&](const T* pixel, int64_t) { return sum_of(pixel) * (1 - alpha); }, weight);
    case Colour::hue:
      if (picture.channels == 1) return;
      return picture.each([&](T* pixel, int64_t p) {
        using V = ByColour<T>;
        V rgb[3];
        for (int c = 0; c < 3; ++c) rgb[c] = V::channel(before[p * 3 + c], c);
        turn_hue<T>(rgb, alpha * 360);
        const T g[3] = {pixel[0], pixel[1], pixel[2]};
        for (int c = 0; c < 3; ++c)
          pixel[c] = g[0] * rgb[0].slope[c] + g[1] * rgb[1].slope[c] + g[2] * rgb[2].slope[c];
      });
    case Colour::lighting:
      return;
  }
}

// Calls each(number of the image, its pixels, channels, elements).
template <class F>
void each_image(const TensorView& images, F each) {
  const Shape& shape = images.shape;
  const int first = shape.ndim() - 3;
  const int64_t pixels = shape[first] * shape[first + 1], channels = shape[first + 2];
  if (images.size() == 0) return;
  for (int64_t n = 0; n < images.size() / (pixels * channels); ++n) each(n, pixels, channels);
}

template <class T>
void back(const std::vector<ColourStep>& steps, const TensorView& grad, const TensorView& data,
          const TensorView& result, Resources& resources) {
  const auto turns = std::find_if(steps.begin(), steps.end(),
                                  [](const ColourStep& s) { return s.kind == Colour::hue; });
  std::vector<T> before;  // the hue is turned: the only step whose slopes depend on values
  each_image(data, [&](int64_t n, int64_t pixels, int64_t channels) {
    const int64_t size = pixels * channels;
    if (turns != steps.end()) {
      before.assign(data.as<T>() + n * size, data.as<T>() + (n + 1) * size);
      const Picture<T> picture{before.data(), pixels, channels, resources};
      for (auto step = steps.begin(); step != turns; ++step) apply(*step, picture);
    }
    T* to = result.as<T>() + n * size;
    std::copy_n(grad.as<T>() + n * size, size, to);
    const Picture<T> picture{to, pixels, channels, resources};
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
      apply_back(*step, before.data(), picture);
  });
}

}  // namespace

void change_colours(const std::vector<ColourStep>& steps, const TensorView& data,
                    const TensorView& result, Resources& resources) {
  for_number(data.dtype, "image colours", [&](auto zero) {
    using T = decltype(zero);
    each_image(data, [&](int64_t n, int64_t pixels, int64_t channels) {
      const int64_t size = pixels * channels;
      T* to = result.as<T>() + n * size;
      if (result.data != data.data) std::copy_n(data.as<T>() + n * size, size, to);
      const Picture<T> picture{to, pixels, channels, resources};
      for (const ColourStep& step : steps) apply(step, picture);
    });
  });
}

void change_colours_back(const std::vector<ColourStep>& steps, const TensorView& grad,
                         const TensorView& data, const TensorView& result, Resources& resources) {
  if (data.dtype == DType::float64) return back<double>(steps, grad, data, result, resources);
  back<float>(steps, grad, data, result, resources);
}

ColourStep lighting_step(const double alpha[3]) {
  constexpr double values[3] = {55.46, 4.794, 1.148};
  constexpr double vectors[3][3] = {
      {-0.5675, 0.7192, 0.4009}, {-0.5808, -0.0045, -0.8140}, {-0.5836, -0.6948, 0.4203}};
  ColourStep step{Colour::lighting, 0, {0, 0, 0}};
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < 3; ++k) step.colour[c] += vectors[c][k] * values[k] * alpha[k];
  }
  return step;
}

}  // namespace hybrid
