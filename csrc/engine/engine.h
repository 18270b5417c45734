// Engine: orders operators by the variables they read and write and runs them on device lanes.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/context.h"
#include "core/error.h"
#include "core/kernel_cost.h"
#include "core/var.h"
#include "engine/resources.h"

namespace hybrid {

struct Storage;

namespace engine {

// A unit of work. Holds references to every storage it touches until destroyed.
struct Task {
  virtual ~Task() = default;
  virtual void run(Resources& resources) = 0;  // throws on error; never touches Python
  // After an error, or when it never ran: a variable that was to be written is as it was before.
  virtual bool left_alone(const Var&) const { return false; }
  // What it writes there is made of what is there. If it was to use the results of discarded work,
  // and was pushed before the interruption too, the variable is as it was before.
  virtual bool updates(const Var&) const { return false; }
};

enum class LaneKind : uint8_t { compute, copy_in, copy_out, all_reduce };

struct Props {
  Context ctx;  // whose lane
  LaneKind lane = LaneKind::compute;
  int priority = 0;             // higher first among ready operators of a lane
  double cost_ns = 0;           // estimate; 0 unknown (treated as large)
  int64_t bytes = 0;            // output bytes, for the pending-bytes bound
  uint32_t name = 0;            // trace::intern_name
  uint32_t site = 0;            // trace push site
  uint32_t node = 0;            // node id in a program, 0 otherwise
  bool whole_overwrite = true;  // writes replace everything (clears poison)
  bool traces_itself = false;   // a program: emits one record per kernel
  bool discardable = false;     // a program or a loop: an interruption after the push ends it
  bool recorded = false;        // so does take_back_recorded()
  // What it asks of a modelled device, read by push() alone; none: it moves its bytes.
  const model::Kernel* kernels = nullptr;
  int num_kernels = 0;
  const model::Exchange* exchange = nullptr;  // likewise, of what crosses links
  const model::Meet* meets = nullptr;         // and where it waits for other devices
  int num_meets = 0;
  // The first so many writes are finished() when this kernel ends.
  const int32_t* finished_after = nullptr;
  int num_finished = 0;
};

// `reads` and `writes` are distinct; a variable in both belongs in `writes` only.
// Runs the task on the caller when small and idle (see inline_threshold), else queues it.
// Blocks (interruptibly) while the pending queue is at its limit. Threads that push operators on
// shared variables must exclude each other, as Python's lock does; an operator that also reads
// what it writes says whole_overwrite = false.
void push(std::unique_ptr<Task> task, Storage* const* reads, int num_reads, Storage* const* writes,
          int num_writes, const Props& props);

// True when an operator of this cost on these idle variables would run on the caller: lets the
// imperative fast path skip making a Task. Operators on virtual GPUs are never inlined.
bool may_inline(double cost_ns, Context ctx);
// From within a task on a lane: this result is whole and the task does not touch it any more, so
// what waits for it may begin. It stays valid if the task fails later. Elsewhere nothing happens.
void finished(Storage* result);
// Book-keeping of an operator that the caller ran itself (trace record, coalesced).
void note_inline(const Props& props, uint64_t start_ticks, uint64_t end_ticks);
// The same for one that failed: poisons what it was to write; in naive mode throws at once.
void fail_inline(Storage* const* writes, int num_writes, const Props& props,
                 const std::string& message);
// True when push() would wait for room or run something long on the caller: time to release locks.
bool would_block(const Props& props);

// Waits until the last write (read=true) or all accesses are done; raises the stored error.
void wait_to_read(Storage* storage);
void wait_to_write(Storage* storage);
void wait_until_written(Storage* storage);  // or until that has failed
void wait_until_over(Storage* storage);     // raises errors, but not for what is modelled only
bool has_values(const Storage& storage);    // when that is over: false for what is modelled only
void wait_all();  // raises the first error not yet reported, after everything has finished
// Access by the calling thread itself, in its turn among the operators: waits for those in the way
// and keeps later ones out until destroyed. Reading raises the stored error.
class ReadAccess {
 public:
  explicit ReadAccess(Storage* storage);
  ~ReadAccess();
  ReadAccess(const ReadAccess&) = delete;
  ReadAccess& operator=(const ReadAccess&) = delete;

 private:
  Storage* storage_;
};
class WriteAccess {
 public:
  WriteAccess(Storage* storage, bool whole_overwrite);
  ~WriteAccess();
  WriteAccess(const WriteAccess&) = delete;
  WriteAccess& operator=(const WriteAccess&) = delete;

 private:
  Storage* storage_;
  bool whole_overwrite_;
};
// Called every <= 50 ms by waits on the main thread; returns true to abandon the wait, which
// then throws Interrupted. The binding sets it (it asks Python for pending signals).
void set_interrupt_check(bool (*check)());
struct Interrupted : Error {
  using Error::Error;
};
// Ends what was pushed as recorded, as an interruption would, and nothing else.
void take_back_recorded();
// Has an interruption, or taking back, ended the work that was to write this? For those who push,
// when nothing writes it any more.
bool was_discarded(const Storage& storage);
// Asks running long kernels to stop (their outputs are poisoned) and drops nothing else.
void cancel_running();

enum class Kind { threaded, naive };
struct Settings {
  Kind kind = Kind::threaded;
  bool inline_small = true;
  int64_t limit_ops = 100000;              // pending operators
  int64_t limit_bytes = int64_t{4} << 30;  // pending output bytes
  double slow_seconds = 0;                 // each queued operator is held that long, for teaching
  double inline_ns = 8000;                 // inline below this estimate
};
Settings settings();
void set_settings(const Settings&);  // waits for pending work first when the kind changes
int64_t pending();                   // queued + running operators
void tell_queues(bool anyway);  // to the trace: what every queue holds, if it did not know (or so)
std::string describe_pending(int max_rows);  // text: op, site, what it waits for

// Virtual GPUs: computed by the CPU, own lanes and pool each. n in [0, 64].
void set_virtual_gpus(int n);
int num_virtual_gpus();
bool is_virtual(Context ctx);

// Exit: drops what is queued, ends what is discardable, finishes what else runs, joins the threads.
// Idempotent.
void shutdown();
// Around fork(): stop dispatch and drain; child starts naive with pending arrays poisoned.
void install_fork_handlers();

}  // namespace engine
}  // namespace hybrid
