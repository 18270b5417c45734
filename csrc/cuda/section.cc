#include "engine/section.h"

#include "core/pool.h"
#include "cuda/device.h"
#include "cuda/kernels.h"

namespace hybrid {
namespace cuda {
namespace {

thread_local Section* current_section = nullptr;

template <class F>
void each_device(F visit) {
  for (int i = 0; i < kMaxGpus; ++i) {
    if (Device* const device = device_in_use(i)) visit(*device);
  }
}

}  // namespace

Section* Section::current() { return current_section; }

Section::Section(Context ctx, engine::LaneKind kind, Resources& resources) : resources_(resources) {
  if (__builtin_expect(ctx.is_cpu() || !is_physical(ctx), true)) return;
  device_ = &device_of(ctx);
  lane_ = device_->lanes[static_cast<int>(kind)].get();
  kernels_ = &kernels_of(*device_, static_cast<int>(kind));
}

void Section::use(engine::Var& var) {
  if (active() && var.block) used_.push_back(var.block);
}

void Section::use(Block* block) {
  if (block->device == device_->number) lane_->use(block);
}

bool Section::uses(const Block* block) const { return block->device == device_->number; }

void Section::begin() {
  if (!active()) return;
  device_->enter();
  lane_->begin_section();
  begun_ = true;
  outer_ = current_section;
  current_section = this;
  device_before_ = resources_.device();
  resources_.set_device(kernels_, kernels_);
  for (Block* const block : used_) {
    use(block);
    if (block->device == device_->number) continue;
    device_of(block->device).wait(*block);  // another GPU's: its lanes are not ours to order
  }
}

void Section::end(const trace::Record* record, bool wait) {
  if (!active()) return;
  lane_->note(record);
  const uint64_t section = lane_->next_section();
  if (wait) lane_->wait(section);
}

Section::~Section() {
  if (!begun_) return;
  try {
    lane_->note(nullptr);  // nothing is open unless the operator threw
  } catch (const Error&) {
    // It is remembered by the device.
  }
  kernels_->give_workspace();
  resources_.set_device(device_before_, device_before_);
  current_section = outer_;
  for (Block* const block : given_) device_->pool->give(block);
  lane_->end_section();
}

void finish(engine::Var& var) {
  if (var.block) device_of(var.block->device).wait(*var.block);
}

void finish_all() {
  each_device([](Device& device) { device.wait_all(); });
}

void retire_all() {
  each_device([](Device& device) { device.retire(); });
}

}  // namespace cuda
}  // namespace hybrid
