// Updates by moving averages of gradients and of their squares: Adam and its kin, RMSProp, FTRL.
#include <cmath>

#include "ops/states.h"
#include "ops/updates.h"

namespace hybrid {

namespace {

using Terms = std::vector<Term>;

// share * old + (1 - share) * new.
Term mixed(const Term& old, const Term& new_value, double share) {
  return old * share + new_value * (1 - share);
}

Terms adam(const Step& s) {
  const Term g = s.clipped_decayed_grad();
  const Term mean = mixed(s.states[0], g, share(s.attrs, "beta1"));
  const Term var = mixed(s.states[1], square(g), share(s.attrs, "beta2"));
  return {s.weight - mean * s.lr / (sqrt(var) + s.attrs.real("epsilon")), mean, var};
}

Terms adamw(const Step& s) {
  const Term g = s.clipped_grad();
  const Term mean = mixed(s.states[0], g, share(s.attrs, "beta1"));
  const Term var = mixed(s.states[1], square(g), share(s.attrs, "beta2"));
  Term step = mean * s.lr / (sqrt(var) + s.attrs.real("epsilon"));
  if (s.wd != 0) step = step + s.weight * s.wd;
  return {s.weight - step * s.eta, mean, var};
}

Terms ftml(const Step& s) {
  const double beta1 = share(s.attrs, "beta1"), beta2 = share(s.attrs, "beta2");
  const auto t = static_cast<double>(s.attrs.integer("t"));
  const Term g = s.clipped_decayed_grad("clip_grad");
  const Term v = mixed(s.states[1], square(g), beta2);
  const Term root = sqrt(v / (1 - std::pow(beta2, t))) + s.attrs.real("epsilon");
  const Term d = root * ((1 - std::pow(beta1, t)) / s.lr);
  const Term z = mixed(s.states[2], g, beta1) - (d - s.states[0] * beta1) * s.weight;
  return {0 - z / d, d, v, z};
}

Term bounded(const Step& s, const Term& weight) {
  const double bound = s.attrs.real("clip_weights");
  return bound > 0 ? cut(weight, bound) : weight;
}

Terms rmsprop(const Step& s) {
  const Term g = s.clipped_decayed_grad();
  const Term n = mixed(s.states[0], square(g), share(s.attrs, "gamma1"));
  const Term step = g * s.lr / sqrt(n + s.attrs.real("epsilon"));
  return {bounded(s, s.weight - step), n};
}

Terms rmsprop_centred(const Step& s) {
  const double gamma = share(s.attrs, "gamma1");
  const Term g = s.clipped_decayed_grad();
  const Term n = mixed(s.states[0], square(g), gamma);
  const Term mean = mixed(s.states[1], g, gamma);
  const Term root = sqrt(n - square(mean) + s.attrs.real("epsilon"));
  const Term delta = s.states[2] * s.attrs.real("gamma2") - g * s.lr / root;
  return {bounded(s, s.weight + delta), n, mean, delta};
}

Terms ftrl(const Step& s) {
  const Term g = s.clipped_grad();
  const Term &old_z = s.states[0], &old_n = s.states[1];
  const Term n = old_n + square(g);
  const Term z = old_z + g - (sqrt(n) - sqrt(old_n)) * s.weight / s.lr;
  const Term over = larger(abs(z) - s.attrs.real("lamda1"), 0);
  const Term rate = (sqrt(n) + s.attrs.real("beta")) / s.lr + s.wd;
  return {0 - sign(z) * over / rate, z, n};
}

AttrDef real(const char* name, const char* standard, const char* doc) {
  return {name, AttrType::real, standard, doc};
}

AttrDef beta1(const char* standard) { return real("beta1", standard, "part of mean that stays"); }
AttrDef beta2() { return real("beta2", "0.999", "part of var that stays"); }
AttrDef epsilon(const char* standard) {
  return real("epsilon", standard, "keeps the divisor from 0");
}

const std::vector<InputDef> kMoments = {{"mean", "moving average of the gradient"},
                                        {"var", "moving average of its square"}};

void add_adamw() {
  const AttrDef eta{"eta", AttrType::real, nullptr, "factor of the whole step"};
  const char* const doc =
      "One step of Adam with decoupled weight decay (Loshchilov and Hutter, 2019): of g = "
      "clip(rescale_grad * grad), mean and var, which are written, returns weight - eta * (lr * "
      "mean / (sqrt(var) + epsilon) + wd * weight). Nothing changes where rescale_grad is 0 or not "
      "finite: so steps of overflown gradients are left out.";
  const std::vector<AttrDef> attrs = {update_lr(), beta1("0.9"), beta2(),      epsilon("1e-08"),
                                      update_wd(), eta,          update_clip()};
  const AttrDef lrs{"lrs", AttrType::reals, nullptr, "learning rates"};
  const AttrDef wds{"wds", AttrType::reals, nullptr, "weight decays"};
  const AttrDef etas{"etas", AttrType::reals, nullptr, "factors of the whole steps"};
  const std::vector<AttrDef> lists = {lrs, beta1("0.9"), beta2(),      epsilon("1e-08"),
                                      wds, etas,         update_clip()};
  for (const bool copies : {false, true}) {
    add_update({copies ? "mp_adamw_update" : "adamw_update",
                doc,
                kMoments,
                attrs,
                {adamw, 2, copies, false, false, true}});
    add_update({copies ? "multi_mp_adamw_update" : "multi_adamw_update",
                "adamw_update of several weights. Arrays are weight, gradient, mean, var and, with "
                "mp, float32 copy of each weight in turn, then rescale_grad of shape (1,).",
                {},
                lists,
                {adamw, 2, copies, true, false, true}});
  }
}

}  // namespace

void register_updates_of_moments() {
  const AttrDef lr = update_lr(), wd = update_wd(), rescale = update_rescale(),
                clip = update_clip();
  add_update({"adam_update",
              "One step of Adam (Kingma and Ba, 2015), without bias correction: of g = clip("
              "rescale_grad * grad + wd * weight), mean and var, which are written, returns weight "
              "- lr * mean / (sqrt(var) + epsilon).",
              kMoments,
              {lr, beta1("0.9"), beta2(), epsilon("1e-08"), wd, rescale, clip, update_lazy()},
              {adam, 2}});
  add_adamw();
  add_update({"ftml_update",
              "One step of FTML (Zheng and Kwok, 2017), number t; d, v and z are written.",
              {{"d", "the last step's divisor"},
               {"v", "moving average of the squared gradient"},
               {"z", "accumulated direction"}},
              {lr,
               beta1("0.6"),
               beta2(),
               epsilon("1e-08"),
               {"t", AttrType::integer, nullptr, "number of the step, from 1"},
               wd,
               rescale,
               update_clip("clip_grad")},
              {ftml, 3}});
  const AttrDef gamma1 = real("gamma1", "0.95", "part of n and g that stays");
  const AttrDef weights =
      real("clip_weights", "-1.0", "weights are cut to [-c, c]; 0 or less: not");
  const InputDef n{"n", "moving average of the squared gradient"};
  add_update({"rmsprop_update",
              "One step of RMSProp (Tieleman and Hinton, 2012): of g = clip(rescale_grad * grad + "
              "wd * weight) and n, which is written, returns weight - lr * g / sqrt(n + epsilon).",
              {n},
              {lr, gamma1, epsilon("1e-08"), wd, rescale, clip, weights},
              {rmsprop, 1}});
  add_update({"rmspropalex_update",
              "One step of RMSProp as Graves has it (2013): by the square's distance from the "
              "average g, with momentum; n, g and delta are written.",
              {n, {"g", "moving average of the gradient"}, {"delta", "the last step"}},
              {lr, gamma1, real("gamma2", "0.9", "part of delta that stays"), epsilon("1e-08"), wd,
               rescale, clip, weights},
              {rmsprop_centred, 3}});
  add_update({"ftrl_update",
              "One step of FTRL-proximal (McMahan and others, 2013); z and n are written.",
              {{"z", "accumulated gradient, less what the weights were"},
               {"n", "sum of the squared gradients"}},
              {lr, real("lamda1", "0.01", "L1 penalty"), real("beta", "1.0", "added to the root"),
               wd, rescale, clip},
              {ftrl, 2}});
}

}  // namespace hybrid
