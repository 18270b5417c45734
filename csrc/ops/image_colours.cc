// MXNet's image operators of colours: random_brightness, ..., random_color_jitter, adjust_lighting.
#include <algorithm>
#include <utility>

#include "kernels/colours.h"
#include "kernels/distributions.h"
#include "ops/differentiable_once.h"
#include "ops/families.h"
#include "ops/images.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

using Steps = std::vector<ColourStep>;

constexpr const char* kInput = "images (height, width, channels) of 1 or 3 channels, or a batch";

double uniform(RandomStream& stream, double low, double high) {
  return low + (high - low) * stream.uniform();
}

Steps one_step(Colour kind, const KernelContext& c) {
  RandomStream stream(c.key, 0);
  const double alpha = uniform(stream, c.attrs.real("min_factor"), c.attrs.real("max_factor"));
  return {{kind, alpha, {}}};
}
Steps brightness_steps(const KernelContext& c) { return one_step(Colour::brightness, c); }
Steps contrast_steps(const KernelContext& c) { return one_step(Colour::contrast, c); }
Steps saturation_steps(const KernelContext& c) { return one_step(Colour::saturation, c); }
Steps hue_steps(const KernelContext& c) { return one_step(Colour::hue, c); }

// Those that are asked for, in random order.
Steps jitter_steps(const KernelContext& c) {
  constexpr std::pair<const char*, Colour> kinds[] = {{"brightness", Colour::brightness},
                                                      {"contrast", Colour::contrast},
                                                      {"saturation", Colour::saturation},
                                                      {"hue", Colour::hue}};
  RandomStream stream(c.key, 0);
  Steps steps;
  for (const auto& [name, kind] : kinds) {
    const double by = c.attrs.real(name);
    const double alpha = uniform(stream, -by, by) + (kind == Colour::hue ? 0 : 1);
    if (by > 0) steps.push_back({kind, alpha, {}});
  }
  for (size_t i = steps.size(); i > 1; --i) {
    const auto other = static_cast<size_t>(stream.uniform() * static_cast<double>(i));
    std::swap(steps[i - 1], steps[std::min(other, i - 1)]);
  }
  return steps;
}

Steps random_lighting_steps(const KernelContext& c) {
  RandomStream stream(c.key, 0);
  double alpha[3];
  for (double& a : alpha) a = c.attrs.real("alpha_std") * stream.normal();
  return {lighting_step(alpha)};
}

Steps lighting_steps(const KernelContext& c) {
  return {lighting_step(c.attrs.reals("alpha").data())};
}

void expect_colours(InferContext& c) {
  expect_images(c, "(height, width, channels)");
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  const int64_t channels = data[data.ndim() - 1];
  require(channels < 0 || channels == 1 || channels == 3, c.op_name, ": given data of shape ", data,
          ", expected 1 or 3 channels in the last dimension");
}

// Attributes that no image operator takes below 0.
void infer_colours(InferContext& c) {
  expect_colours(c);
  infer_like(c);
  for (const char* name : {"min_factor", "max_factor"}) {
    if (c.attrs.op()->attr_index(name) < 0) continue;
    require(c.attrs.real(name) >= 0, c.op_name, ": given ", name, " ", c.attrs.text(name),
            ", expected 0 or more");
  }
}

void infer_lighting(InferContext& c) {
  infer_colours(c);
  require(c.attrs.reals("alpha").size() == 3, c.op_name, ": given alpha ", c.attrs.text("alpha"),
          ", expected three weights");
}

template <Steps (*make)(const KernelContext&)>
void run_colours(KernelContext& c) {
  change_colours(make(c), c.in[0], c.out[0], c.resources);
}

template <Steps (*make)(const KernelContext&)>
void run_colours_back(KernelContext& c) {
  change_colours_back(make(c), c.in[0], c.in[1], c.out[0], c.resources);
}

Attrs attrs_of(const GradBuilder& b, const std::string& name) {
  Attrs attrs(get_op(name));
  for (const AttrDef& def : attrs.op()->attrs) attrs.set(def.name, b.attrs().at(def.name));
  return attrs;
}

// Random operators redraw the forward's numbers by its key.
void grad_colours(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const std::string name = std::string(b.attrs().op()->name) + "_grad";
  b.set(0, b.op(attrs_of(b, name), {b.out_grad(), b.input(0)}));
}

// Of steps that are linear in the image: back by the operator itself.
void grad_linear_back(GradBuilder& b) {
  const std::string name = b.attrs().op()->name;
  if (b.wanted(0)) b.set(0, b.op(attrs_of(b, name.substr(0, name.size() - 5)), {b.out_grad()}));
}

void grad_brightness(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op(b.attrs(), {b.out_grad()}));
}

void grad_lighting(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.out_grad());
}

double colour_flops(const Attrs&, const std::vector<Shape>&, const std::vector<Shape>& out) {
  return 10.0 * static_cast<double>(out[0].size());
}

OpDef colour_def(const char* name, const char* doc, std::vector<AttrDef> attrs,
                 void (*cpu)(KernelContext&)) {
  OpDef def;
  def.name = name;
  def.family = Family::random;
  def.doc = doc;
  def.inputs = {{"data", kInput}};
  def.attrs = std::move(attrs);
  def.dtypes = kNumbers;
  def.infer = infer_colours;
  def.cpu = cpu;
  def.random = true;
  def.in_place = {{0, 0}};
  def.flops = colour_flops;
  return def;
}

// Adds the operator with the one that its gradient needs.
void add_with_gradient(OpDef def, const char* grad_name, void (*grad_cpu)(KernelContext&),
                       bool linear) {
  OpDef grad = def;
  def.gradient = grad_colours;
  add_op(std::move(def));
  grad.name = grad_name;
  grad.doc = "The gradient of the operator before _grad, with the numbers that it drew.";
  grad.inputs = {{"grad", "gradient of the result"}, {"data", kInput, !linear}};
  grad.dtypes = kFloats;
  grad.cpu = grad_cpu;
  grad.gradient = linear ? grad_linear_back : differentiable_once;
  add_op(std::move(grad));
}

std::vector<AttrDef> factors() {
  return {{"min_factor", AttrType::real, nullptr, "smallest factor, 0 or more"},
          {"max_factor", AttrType::real, nullptr, "largest factor"}};
}

}  // namespace

void register_image_colours() {
  OpDef brightness = colour_def("image_random_brightness",
                                "Images times a random factor. MXNet's image.random_brightness, "
                                "whose gradient lacks the factor.",
                                factors(), run_colours<brightness_steps>);
  brightness.gradient = grad_brightness;
  add_op(std::move(brightness));
  add_with_gradient(
      colour_def("image_random_contrast",
                 "Images blended with their mean grey m: f x + (1 - f) m, f random. MXNet's "
                 "image.random_contrast, whose gradient is that of the identity.",
                 factors(), run_colours<contrast_steps>),
      "image_random_contrast_grad", run_colours_back<contrast_steps>, true);
  add_with_gradient(
      colour_def("image_random_saturation",
                 "Pixels blended with their grey g: f x + (1 - f) g, f random. MXNet's "
                 "image.random_saturation, which takes the blue part of the grey for all of it and "
                 "whose gradient is that of the identity.",
                 factors(), run_colours<saturation_steps>),
      "image_random_saturation_grad", run_colours_back<saturation_steps>, true);
  add_with_gradient(
      colour_def("image_random_hue",
                 "Pixels from 0 to 255 whose hue is turned by 360 degrees times a random factor, "
                 "in HLS. MXNet's image.random_hue, whose gradient is that of the identity.",
                 factors(), run_colours<hue_steps>),
      "image_random_hue_grad", run_colours_back<hue_steps>, false);
  add_with_gradient(
      colour_def("image_random_color_jitter",
                 "Brightness, contrast, saturation (factors from 1 - v to 1 + v) and hue (from -v "
                 "to v), those above 0, in random order. MXNet's image.random_color_jitter, whose "
                 "gradient is that of the identity.",
                 {{"brightness", AttrType::real, nullptr, "how far it changes"},
                  {"contrast", AttrType::real, nullptr, "how far it changes"},
                  {"saturation", AttrType::real, nullptr, "how far it changes"},
                  {"hue", AttrType::real, nullptr, "how far it changes"}},
                 run_colours<jitter_steps>),
      "image_random_color_jitter_grad", run_colours_back<jitter_steps>, false);

  OpDef random = colour_def(
      "image_random_lighting",
      "Images plus a colour: ImageNet's principal components with random weights of mean 0 "
      "(Krizhevsky and others 2012). MXNet's image.random_lighting, which leaves images of one "
      "channel unwritten.",
      {{"alpha_std", AttrType::real, "0.05", "standard deviation of the weights"}},
      run_colours<random_lighting_steps>);
  random.gradient = grad_lighting;
  add_op(std::move(random));
  OpDef lighting = colour_def(
      "image_adjust_lighting",
      "Images plus a colour: ImageNet's principal components with these weights. MXNet's "
      "image.adjust_lighting, which leaves images of one channel unwritten.",
      {{"alpha", AttrType::reals, nullptr, "three weights"}}, run_colours<lighting_steps>);
  lighting.family = Family::other;
  lighting.random = false;
  lighting.infer = infer_lighting;
  lighting.gradient = grad_lighting;
  add_op(std::move(lighting));
}

}  // namespace hybrid
