// Tasks: what an operator does on the modelled machine: its kernels, the links that it crosses, the
// devices that it waits for, and what each of these takes.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "core/storage.h"
#include "engine/modelled.h"
#include "model/machine.h"
#include "model/simulation.h"

namespace hybrid {
namespace model {

class Tasks {
 public:
  using LaneOf =
      std::function<uint16_t(Context, engine::LaneKind)>;  // its number in the simulation
  Tasks(const Machine& machine, const Routes& routes, LaneOf lane_of);
  // Everything of the work but when it was pushed.
  Work of(const engine::Props& props, Storage* const* reads, int num_reads, Storage* const* writes,
          int num_writes, uint32_t serial) const;

 private:
  void add_exchange(const Exchange& exchange, Work* work) const;
  void add_copy(Context from, Context to, double bytes, Work* work) const;
  void add_kernels(const engine::Props& props, Storage* const* writes, Work* work) const;
  void add_other(const engine::Props& props, Work* work) const;
  void add_waits(const engine::Props& props, Work* work) const;
  double seconds_around(const std::vector<Context>& devices, double bytes) const;
  const DeviceModel& model_of(Context gpu) const;

  const Machine& machine_;
  const Routes& routes_;
  const LaneOf lane_of_;
};

}  // namespace model
}  // namespace hybrid
