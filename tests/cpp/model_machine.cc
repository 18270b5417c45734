// Modelled machines: kernels' times, the ways of copies, rings.
#include "model/machine.h"

#include "engine_helpers.h"

using namespace hybrid;
using namespace hybrid::model;
using hybrid::testing::gpu;
using hybrid::testing::message_of;

namespace {

Machine machine(int n) {
  Machine m;
  for (int i = 0; i < n; ++i) m.gpus.push_back({"toy", 1e9, 4e9, 8e9, 32e9, 1e9, 1e-6});
  return m;
}

std::vector<std::string> names(const Routes& routes, const std::vector<int>& links) {
  std::vector<std::string> all;
  for (const int link : links) all.push_back(routes.names()[static_cast<size_t>(link)]);
  return all;
}

}  // namespace

TEST_CASE("model: a kernel takes its launch, and then arithmetic or memory") {
  const DeviceModel device = machine(1).gpus[0];
  CHECK(device.seconds({4e9, 100, DType::float32, false}) == doctest::Approx(1 + 1e-6));
  CHECK(device.seconds({4e9, 3e9, DType::float32, false}) == doctest::Approx(3 + 1e-6));
  CHECK(device.seconds({4e9, 0, DType::float64, false}) == doctest::Approx(4 + 1e-6));
  CHECK(device.seconds({4e9, 0, DType::float16, false}) == doctest::Approx(0.5 + 1e-6));
  CHECK(device.seconds({4e9, 0, DType::bfloat16, true}) == doctest::Approx(0.125 + 1e-6));
  CHECK(device.seconds({4e9, 0, DType::int32, true}) == doctest::Approx(1 + 1e-6));
}

TEST_CASE("model: copies go over the fewest links, of these over the fastest, through no GPU") {
  Machine m = machine(3);
  m.links = {{"cpu(0)", "gpu(0)", "PCIe", 10, 1},
             {"cpu(0)", "gpu(1)", "PCIe", 10, 2},
             {"cpu(0)", "gpu(2)", "", 10, 0},
             {"gpu(0)", "gpu(1)", "slow", 1, 0},
             {"gpu(0)", "gpu(1)", "fast", 50, 0}};
  const Routes routes(m);
  using Names = std::vector<std::string>;
  CHECK(names(routes, routes.between(gpu(0), gpu(1)).links) == Names{"fast gpu(0) to gpu(1)"});
  CHECK(names(routes, routes.between(gpu(1), gpu(2)).links) ==
        Names{"PCIe gpu(1) to cpu(0)", "cpu(0) to gpu(2)"});
  CHECK(routes.between(gpu(0), gpu(2)).latency_s == 1);
  CHECK(routes.between(Context(), gpu(1)).latency_s == 2);
  CHECK(routes.between(gpu(1), gpu(1)).links.empty());
}

TEST_CASE("model: the best ring is found") {
  Machine m = machine(4);
  const auto pair = [&](int a, int b, double rate) {
    m.links.push_back(
        {"gpu(" + std::to_string(a) + ")", "gpu(" + std::to_string(b) + ")", "", rate, 0});
  };
  for (int i = 0; i < 4; ++i) {
    m.links.push_back({"cpu(0)", "gpu(" + std::to_string(i) + ")", "", 1, 0});
  }
  // 0-2-1-3 is a ring of fast links; 0-1-2-3 is not.
  pair(0, 2, 100);
  pair(2, 1, 100);
  pair(1, 3, 100);
  pair(3, 0, 100);
  pair(0, 1, 10);
  const Routes routes(m);
  const auto& ring = routes.ring({gpu(0), gpu(1), gpu(2), gpu(3)});
  CHECK(ring.links.size() == 8);  // four hops, both ways
  for (const int link : ring.links) CHECK(routes.bandwidths()[static_cast<size_t>(link)] == 100);
  CHECK(routes.ring({gpu(1)}).links.empty());
  // A tree over 0-2-1-3: 1 is its root, 2 below it with 0, and 3.
  const auto& tree = routes.tree({gpu(0), gpu(1), gpu(2), gpu(3)});
  CHECK(tree.depth == 2);
  CHECK(tree.links.size() == 6);  // three edges, both ways
  CHECK(routes.rate(tree) == 100);
  CHECK(routes.tree({gpu(1)}).depth == 0);
}

TEST_CASE("model: machines that can't be are refused") {
  const auto refused = [](const Machine& m) { return message_of([&] { Routes routes(m); }); };
  Machine m = machine(1);
  CHECK(refused(m) ==
        "virtual_gpus: no links lead from cpu(0) to gpu(0) without another GPU between them");
  m.links = {{"cpu(0)", "gpu(0)", "", 1, 0}, {"gpu(0)", "gpu(1)", "", 1, 0}};
  CHECK(refused(m).find("a link leads to gpu(1), which does not exist") != std::string::npos);
  m.links = {{"cpu(0)", "gpu(0)", "", 0, 0}};
  CHECK(refused(m).find("the bandwidth of the link from cpu(0) to gpu(0) is 0") !=
        std::string::npos);
  m.links = {{"cpu(0)", "gpu(0)", "", 1, -1}};
  CHECK(refused(m).find("latency") != std::string::npos);
  m.links = {{"gpu(0)", "gpu(0)", "", 1, 0}};
  CHECK(refused(m).find("begins where it ends") != std::string::npos);
  m.links = {{"cpu(0)", "gpu(0)", "", 1, 0}};
  CHECK(refused(m).empty());
  m.gpus[0].flops32 = 0;
  CHECK(refused(m).find("the float32 rate of toy is 0") != std::string::npos);
  m = machine(1);
  m.host.dispatch_s = -1;
  CHECK(refused(m).find("the dispatch time of the host is -1") != std::string::npos);
}
