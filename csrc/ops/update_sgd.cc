// Gradient descent: plain, with momentum, Nesterov's, by signs; of one weight and of several.
#include "ops/states.h"
#include "ops/updates.h"

namespace hybrid {

namespace {

using Terms = std::vector<Term>;

// lr * (clip(rescale * grad) + wd * weight).
Term way(const Step& s) {
  Term g = s.clipped_grad();
  if (s.wd != 0) g = g + s.weight * s.wd;
  return g * s.lr;
}

Terms sgd(const Step& s) { return {s.weight - way(s)}; }

Terms momentum(const Step& s) {
  const Term mom = s.states[0] * s.attrs.real("momentum") - way(s);
  return {s.weight + mom, mom};
}

Terms nesterov(const Step& s) {
  const double share = s.attrs.real("momentum");
  const Term step = way(s);
  const Term mom = s.states[0] * share - step;
  return {s.weight + mom * share - step, mom};
}

Terms signs(const Step& s) {
  return {s.weight * (1 - s.lr * s.wd) - sign(s.clipped_grad()) * s.lr};
}

Terms signum(const Step& s) {
  const double share = s.attrs.real("momentum");
  Term g = s.clipped_grad();
  if (s.wd != 0) g = g + s.weight * s.wd;
  const Term mom = s.states[0] * share - g * (1 - share);
  return {s.weight * (1 - s.lr * s.attrs.real("wd_lh")) + sign(mom) * s.lr, mom};
}

const InputDef kMom{"mom", "accumulated steps"};
const AttrDef kMomentum{"momentum", AttrType::real, "0.0", "part of mom that stays"};

const char* const kSgd =
    "One step of gradient descent: weight - lr * (clip(rescale_grad * grad) + wd * weight). "
    "Returns the new weight; give the weight as out= to change it.";
const char* const kMomentumDoc =
    "One step of gradient descent with momentum: mom = momentum * mom - lr * (clip(rescale_grad * "
    "grad) + wd * weight), which is written into mom. Returns weight + mom.";
const char* const kNag =
    "One step with Nesterov's momentum: with g = clip(rescale_grad * grad) + wd * weight and mom = "
    "momentum * mom - lr * g, which is written into mom, returns weight + momentum * mom - lr * g.";
const char* const kMany =
    "A step of gradient descent of several weights, by lists of their learning rates and decays. "
    "Arrays are weight, gradient, then momentum and float32 copy where there are such, of each "
    "weight in turn; momenta and copies are written. Returns the new weights.";

AttrDef reals(const char* name, const char* doc) { return {name, AttrType::reals, nullptr, doc}; }

void add_many(const char* name, bool with_momentum, bool copies, bool preloaded) {
  UpdateRule rule{with_momentum ? momentum : sgd, with_momentum ? 1 : 0, copies, true, preloaded};
  std::vector<AttrDef> attrs;
  if (!preloaded) {
    attrs.push_back(reals("lrs", "learning rates"));
    attrs.push_back(reals("wds", "weight decays"));
  }
  if (with_momentum) attrs.push_back(kMomentum);
  attrs.push_back(update_rescale());
  attrs.push_back(update_clip());
  add_update({name, kMany, {}, attrs, rule});
}

}  // namespace

void register_updates_of_sgd() {
  const AttrDef lr = update_lr(), wd = update_wd(), rescale = update_rescale(),
                clip = update_clip(), lazy = update_lazy();
  add_update({"sgd_update", kSgd, {}, {lr, wd, rescale, clip, lazy}, {sgd}});
  add_update({"mp_sgd_update", kSgd, {}, {lr, wd, rescale, clip, lazy}, {sgd, 0, true}});
  const std::vector<AttrDef> attrs = {lr, kMomentum, wd, rescale, clip};
  std::vector<AttrDef> lazily = attrs;
  lazily.push_back(lazy);
  add_update({"sgd_mom_update", kMomentumDoc, {kMom}, lazily, {momentum, 1}});
  add_update({"mp_sgd_mom_update", kMomentumDoc, {kMom}, lazily, {momentum, 1, true}});
  add_update({"nag_mom_update", kNag, {kMom}, attrs, {nesterov, 1}});
  add_update({"mp_nag_mom_update", kNag, {kMom}, attrs, {nesterov, 1, true}});
  add_update({"signsgd_update",
              "One step by the gradient's signs (Bernstein and others, 2018): (1 - lr * wd) * "
              "weight - lr * sign(grad).",
              {},
              {lr, wd, rescale, clip},
              {signs}});
  std::vector<AttrDef> local = attrs;
  local.push_back({"wd_lh", AttrType::real, "0.0", "weight decay beside the gradient"});
  add_update({"signum_update",
              "One step by the momentum's signs (Bernstein and others, 2018): mom = momentum * mom "
              "- (1 - momentum) * (clip(rescale_grad * grad) + wd * weight), which is written. "
              "Returns (1 - lr * wd_lh) * weight + lr * sign(mom).",
              {kMom},
              local,
              {signum, 1}});
  for (const bool preloaded : {false, true}) {
    add_many(preloaded ? "preloaded_multi_sgd_update" : "multi_sgd_update", false, false,
             preloaded);
    add_many(preloaded ? "preloaded_multi_sgd_mom_update" : "multi_sgd_mom_update", true, false,
             preloaded);
    add_many(preloaded ? "preloaded_multi_mp_sgd_update" : "multi_mp_sgd_update", false, true,
             preloaded);
    add_many(preloaded ? "preloaded_multi_mp_sgd_mom_update" : "multi_mp_sgd_mom_update", true,
             true, preloaded);
  }
}

}  // namespace hybrid
