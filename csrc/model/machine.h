// Machine: the modelled GPUs, the links between them and the host, and how fast the host pushes.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/context.h"
#include "core/kernel_cost.h"

namespace hybrid {
namespace model {

// From a data sheet. A kernel takes its launch, and then what its arithmetic or its memory traffic
// takes, whichever is longer (the roofline model: Williams, Waterman, Patterson, CACM 2009).
struct DeviceModel {
  std::string name;
  double flops64 = 0, flops32 = 0, flops16 = 0;  // FLOP/s
  double dense16 = 0;                            // of half-precision products and convolutions
  double bytes_per_s = 0;                        // of its memory
  double launch_s = 0;                           // of every kernel, on the device

  double seconds(const KernelCost& cost) const;
  double peak(const KernelCost& cost) const;  // FLOP/s that the arithmetic could reach
};

// Both ways at once, each with all of the bandwidth. Ends are "cpu(0)", "gpu(2)" or switches'
// names.
struct Link {
  std::string from, to, name;
  double bytes_per_s = 0;
  double latency_s = 0;
};

struct Host {
  double dispatch_s = 0;  // of every operator that is pushed to a GPU
  double cpu_scale = 1;   // modelled seconds in a second of the thread's own processor time
};

struct Machine {
  std::vector<DeviceModel> gpus;
  std::vector<Link> links;
  Host host;
  bool computes = true;  // false: arithmetic is skipped, and results can't be read
};

// The ways of copies: over the fewest links, of these over the fastest. No way leads through a GPU.
class Routes {
 public:
  // Throws Error when an end is unknown, a figure is not above 0, or a GPU can't be reached.
  explicit Routes(const Machine& machine);

  struct Route {
    std::vector<int> links;  // directed, numbered as in names()
    double latency_s = 0;
  };
  const Route& between(Context from, Context to) const;
  // A ring through devices, both ways round: the links that its hops cross, one as often as it is
  // crossed, and the longest latency of a hop. Of up to 8 devices the best of all orders, of more
  // the order given.
  const Route& ring(const std::vector<Context>& devices) const;
  // A binary tree over the ring's order, whose middle is the root: the links of all its edges, both
  // ways, and the longest latency of an edge.
  struct Tree : Route {
    int depth = 0;  // edges from the root to the farthest
  };
  const Tree& tree(const std::vector<Context>& devices) const;
  // Bytes a second, when nobody else uses the links.
  double rate(const Route& route) const;
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<double>& bandwidths() const { return bandwidths_; }  // bytes a second

 private:
  // `from`: by end, (end, directed link).
  void find_from(size_t start, const std::vector<std::vector<std::pair<int, int>>>& from,
                 const std::vector<double>& latencies);
  size_t end_of(Context ctx) const;
  Route ring_of(const std::vector<size_t>& ends) const;
  void add_hop(size_t a, size_t b, Route* route) const;
  int add_tree(const std::vector<size_t>& ends, size_t first, size_t last, Tree* tree) const;
  struct Joined {  // of devices, both made once
    Route ring;
    Tree tree;
  };
  const Joined& join(const std::vector<Context>& devices) const;

  size_t num_ends_ = 0;  // the host, then the GPUs
  mutable std::map<std::vector<size_t>, Joined> joined_;
  std::vector<Route> routes_;
  std::vector<std::string> names_;
  std::vector<double> bandwidths_;
};

}  // namespace model
}  // namespace hybrid
