#include "model/machine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/error.h"

namespace hybrid {
namespace model {

double DeviceModel::peak(const KernelCost& cost) const {
  switch (cost.dtype) {
    case DType::float64:
    case DType::complex128:
      return flops64;
    case DType::float16:
    case DType::bfloat16:
      return cost.dense ? dense16 : flops16;
    default:
      return flops32;
  }
}

double DeviceModel::seconds(const KernelCost& cost) const {
  return launch_s + std::max(cost.flops / peak(cost), cost.bytes / bytes_per_s);
}

namespace {

void check_positive(double figure, const std::string& of, const char* what) {
  require(std::isfinite(figure) && figure > 0, "virtual_gpus: the ", what, " of ", of, " is ",
          figure, ", expected more than 0");
}

void check_not_negative(double figure, const std::string& of, const char* what) {
  require(std::isfinite(figure) && figure >= 0, "virtual_gpus: the ", what, " of ", of, " is ",
          figure, ", expected 0 or more");
}

void check(const Machine& machine) {
  for (const DeviceModel& gpu : machine.gpus) {
    check_positive(gpu.flops64, gpu.name, "float64 rate");
    check_positive(gpu.flops32, gpu.name, "float32 rate");
    check_positive(gpu.flops16, gpu.name, "float16 rate");
    check_positive(gpu.dense16, gpu.name, "float16 rate of products");
    check_positive(gpu.bytes_per_s, gpu.name, "memory bandwidth");
    check_not_negative(gpu.launch_s, gpu.name, "launch time");
  }
  for (const Link& link : machine.links) {
    const std::string of = "the link from " + link.from + " to " + link.to;
    check_positive(link.bytes_per_s, of, "bandwidth");
    check_not_negative(link.latency_s, of, "latency");
    require(link.from != link.to, "virtual_gpus: ", of, " begins where it ends");
  }
  check_not_negative(machine.host.dispatch_s, "the host", "dispatch time");
  check_not_negative(machine.host.cpu_scale, "the host", "scale of processor time");
}

}  // namespace

Routes::Routes(const Machine& machine) {
  check(machine);
  num_ends_ = 1 + machine.gpus.size();
  std::map<std::string, int> ends{{"cpu(0)", 0}};
  std::vector<std::vector<std::pair<int, int>>> from(num_ends_);  // (to, directed link)
  for (size_t i = 0; i < machine.gpus.size(); ++i) {
    ends["gpu(" + std::to_string(i) + ")"] = static_cast<int>(i) + 1;
  }
  const auto end_of = [&](const std::string& name) {
    const auto [at, is_new] = ends.insert({name, static_cast<int>(from.size())});
    if (is_new) {
      require(name.compare(0, 4, "gpu(") != 0 && name.compare(0, 4, "cpu(") != 0,
              "virtual_gpus: a link leads to ", name,
              ", which does not exist: ", machine.gpus.size(),
              " GPUs are declared, and the host is cpu(0)");
      from.emplace_back();
    }
    return at->second;
  };
  std::vector<double> latencies;
  for (const Link& link : machine.links) {
    const int a = end_of(link.from), b = end_of(link.to);
    const std::string kind = link.name.empty() ? "" : link.name + " ";
    for (const auto& [here, there, text] : {std::tuple(a, b, link.from + " to " + link.to),
                                            std::tuple(b, a, link.to + " to " + link.from)}) {
      from[static_cast<size_t>(here)].push_back({there, static_cast<int>(names_.size())});
      names_.push_back(kind + text);
      bandwidths_.push_back(link.bytes_per_s);
      latencies.push_back(link.latency_s);
    }
  }
  routes_.resize(num_ends_ * num_ends_);
  for (size_t start = 0; start < num_ends_; ++start) find_from(start, from, latencies);
}

// In waves of one link more; of two ways in a wave the faster one.
void Routes::find_from(size_t start, const std::vector<std::vector<std::pair<int, int>>>& from,
                       const std::vector<double>& latencies) {
  struct Best {
    int before = -1, link = -1, wave = -1;
    double bytes_per_s = 0;
  };
  std::vector<Best> best(from.size());
  best[start] = {-1, -1, 0, HUGE_VAL};
  std::vector<int> wave{static_cast<int>(start)};
  for (int number = 1; !wave.empty(); ++number) {
    std::vector<int> next;
    for (const int here : wave) {
      const auto h = static_cast<size_t>(here);
      if (h != start && h >= 1 && h < num_ends_) continue;  // a GPU hands nothing on
      for (const auto& [to, link] : from[h]) {
        Best& there = best[static_cast<size_t>(to)];
        const double rate = std::min(best[h].bytes_per_s, bandwidths_[static_cast<size_t>(link)]);
        if (there.wave >= 0 && (there.wave < number || there.bytes_per_s >= rate)) continue;
        if (there.wave < 0) next.push_back(to);
        there = {here, link, number, rate};
      }
    }
    wave = std::move(next);
  }
  const auto text = [](size_t e) {
    return e == 0 ? std::string("cpu(0)") : "gpu(" + std::to_string(e - 1) + ")";
  };
  for (size_t end = 0; end < num_ends_; ++end) {
    if (end == start) continue;
    require(best[end].wave > 0, "virtual_gpus: no links lead from ", text(start), " to ", text(end),
            " without another GPU between them");
    Route& route = routes_[start * num_ends_ + end];
    for (int at = static_cast<int>(end); best[static_cast<size_t>(at)].link >= 0;
         at = best[static_cast<size_t>(at)].before) {
      const int link = best[static_cast<size_t>(at)].link;
      route.links.insert(route.links.begin(), link);
      route.latency_s += latencies[static_cast<size_t>(link)];
    }
  }
}

size_t Routes::end_of(Context ctx) const {
  return ctx.is_cpu() ? 0 : std::min(static_cast<size_t>(ctx.id) + 1, num_ends_ - 1);
}

const Routes::Route& Routes::between(Context from, Context to) const {
  return routes_[end_of(from) * num_ends_ + end_of(to)];
}

void Routes::add_hop(size_t a, size_t b, Route* route) const {
  for (const Route* hop : {&routes_[a * num_ends_ + b], &routes_[b * num_ends_ + a]}) {
    route->links.insert(route->links.end(), hop->links.begin(), hop->links.end());
    route->latency_s = std::max(route->latency_s, hop->latency_s);
  }
}

Routes::Route Routes::ring_of(const std::vector<size_t>& ends) const {
  Route ring;
  for (size_t i = 0; i < ends.size(); ++i) add_hop(ends[i], ends[(i + 1) % ends.size()], &ring);
  return ring;
}

// Of ends[first] to ends[last - 1]; returns its depth.
int Routes::add_tree(const std::vector<size_t>& ends, size_t first, size_t last, Tree* tree) const {
  const size_t root = (first + last) / 2;
  int depth = 0;
  for (const auto& [from, to] : {std::make_pair(first, root), std::make_pair(root + 1, last)}) {
    if (from >= to) continue;
    add_hop(ends[root], ends[(from + to) / 2], tree);
    depth = std::max(depth, 1 + add_tree(ends, from, to, tree));
  }
  return depth;
}

double Routes::rate(const Route& route) const {
  std::map<int, int> crossings;
  for (const int link : route.links) ++crossings[link];
  double rate = HUGE_VAL;
  for (const auto& [link, count] : crossings) {
    rate = std::min(rate, bandwidths_[static_cast<size_t>(link)] / count);
  }
  return rate;
}

const Routes::Joined& Routes::join(const std::vector<Context>& devices) const {
  constexpr size_t kMostTried = 8;
  std::vector<size_t> ends;
  for (const Context ctx : devices) ends.push_back(end_of(ctx));
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const auto [at, is_new] = joined_.insert({ends, Joined()});
  Joined& made = at->second;
  if (!is_new || ends.size() < 2) return made;
  made.ring = ring_of(ends);
  std::vector<size_t> order = ends;
  double best = rate(made.ring);
  while (ends.size() <= kMostTried && std::next_permutation(ends.begin() + 1, ends.end())) {
    Route other = ring_of(ends);
    const double its = rate(other);
    const auto length = [](const Route& r) { return std::make_pair(r.links.size(), r.latency_s); };
    if (its < best || (its == best && length(other) >= length(made.ring))) continue;
    made.ring = std::move(other);
    order = ends;
    best = its;
  }
  made.tree.depth = add_tree(order, 0, order.size(), &made.tree);
  return made;
}

const Routes::Route& Routes::ring(const std::vector<Context>& devices) const {
  return join(devices).ring;
}

const Routes::Tree& Routes::tree(const std::vector<Context>& devices) const {
  return join(devices).tree;
}

}  // namespace model
}  // namespace hybrid
