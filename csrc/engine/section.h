// Section: around one operator of the engine on a GPU's lane. Elsewhere it does nothing. The engine
// knows no more of GPUs; csrc/cuda defines all of this.
#pragma once
#include <vector>

#include "engine/engine.h"
#include "engine/trace.h"

namespace hybrid {
namespace cuda {

class Device;
class Kernels;
class Lane;
struct Block;

class Section {
 public:
  Section(Context ctx, engine::LaneKind kind, Resources& resources);
  ~Section();
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  bool active() const { return kernels_ != nullptr; }
  void use(engine::Var& var);  // memory that the operator reads or writes
  void begin();                // kernels go to the GPU from here on
  // `record`: of what has been given to the stream and not noted yet. Waits when told to.
  void end(const trace::Record* record, bool wait);

  void use(Block* block);               // taken while the operator runs
  bool uses(const Block* block) const;  // of this section's GPU
  void give_later(Block* block) { given_.push_back(block); }
  static Section* current();  // of this thread; null outside

 private:
  Resources& resources_;
  Device* device_ = nullptr;
  Kernels* kernels_ = nullptr;
  Lane* lane_ = nullptr;
  bool begun_ = false;
  Section* outer_ = nullptr;
  DeviceKernels* device_before_ = nullptr;
  std::vector<Block*> used_, given_;
};

// Waits until what was given to the GPU for this memory is done; throws what failed there.
void finish(engine::Var& var);
void finish_all();
void retire_all();

}  // namespace cuda
}  // namespace hybrid
