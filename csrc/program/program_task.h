// One run of a program: its arrays, and how its kernels get executed.
#pragma once
#include <memory>
#include <vector>

#include "engine/run_time.h"
#include "program/kernels.h"

namespace hybrid {

struct ProgramRun {
  std::vector<NDArray> inputs;
  std::vector<StorageRef> outputs;     // by impl.outputs
  std::vector<int64_t> output_offset;  // bytes, of arrays given to write into
  std::vector<NDArray> given;          // by impl.given
  StorageRef arena;                    // taken before it runs, where memory is limited
  bool own_outputs = true;             // each is all that lies in its memory
  bool hands_out = false;              // results, before all of them are there
  mutable bool updating = false;       // arrays of the caller's are being overwritten
  mutable bool skipped = false;        // interrupted then: nothing but that was finished
  const std::vector<NDArray>* constants = nullptr;
  const uint64_t* keys = nullptr;
  engine::RunTimeRef time;  // null: nobody wants to know
  Context ctx;
};

// Runs on the caller when small and everything is idle (`ready`: the inputs are, and arrays given
// to write into), else as one engine task that takes copies of `keys`.
void submit(const std::shared_ptr<const Program::Impl>& impl, ProgramRun run,
            const std::vector<uint64_t>& keys, bool ready);

bool ends_when_interrupted(const Program::Impl& impl);  // as this thread submits it now
bool runs_programs(const Program::Impl& impl);  // in a kernel, as loops do, that might never end

// All kernels now, on this thread and untraced. Throws Error with the failing kernel's line.
void run_untraced(const Program::Impl& impl, const ProgramRun& run, Resources& resources);

}  // namespace hybrid
