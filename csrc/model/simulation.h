// Simulation: when operators begin and end on modelled lanes and links, by discrete events.
//
// Operators come in program order and wait for each other by what they read and write, as in the
// engine. A lane runs one at a time: of those that are ready the most urgent, then the one that was
// ready first. Copies share the links that they cross: every link's bandwidth is divided so that
// the slowest copies get as much as can be (max-min fairness). All times are in seconds.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "core/kernel_cost.h"

namespace hybrid {
namespace model {

struct Piece {  // a kernel of an operator
  double seconds = 0;
  Kernel kernel;
  double peak = 0;           // FLOP/s that the device could reach in it
  double begun = 0;          // set by the simulation
  double met = 0, told = 0;  // likewise, where it waits: when all devices had come, and went on
};

// Before a piece ends it waits for those of other devices.
struct Waits {
  size_t piece = 0;
  uint64_t meeting = 0;
  int devices = 0;
  double seconds = 0;  // that telling each other takes; the most that any of them says
};

struct Work {
  uint32_t serial = 0;  // what it is called by who is told of it
  uint16_t lane = 0;
  int priority = 0;   // higher first
  double pushed = 0;  // not ready before
  std::vector<const void*> reads, writes;
  // Of the writes, those that are whole before the operator ends, and with which of its pieces.
  std::vector<std::pair<const void*, size_t>> finished;
  std::vector<Piece> pieces;  // one after the other, before the copy
  std::vector<Waits> waits;   // in the order of the pieces
  std::vector<int> links;     // that it crosses; empty: it is no copy between devices
  double bytes = 0, latency = 0;
  std::vector<uint16_t> also;  // lanes of other devices that take part
  uint16_t meets_lane = 0;     // where it shows that devices tell each other something
  uint32_t name = 0, site = 0;
  double ready = 0, begun = 0, ended = 0;  // set by the simulation
};

class Simulation {
 public:
  // `ended`: told of every operator in the order of their ends. `changed`: of a variable that now
  // is, or is no more, written or used by operators that have not ended.
  using Ended = std::function<void(const Work&)>;
  using Changed = std::function<void(const void* variable, bool written, bool used)>;
  Simulation(std::vector<double> link_bandwidths, Ended ended, Changed changed);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  double now() const { return now_; }
  void add(Work work);  // pushed now or later, else it counts as pushed now
  // What happens before that time. Whatever is added later must be pushed then or later.
  void advance(double until);
  // Until the operators that write it have ended, or all that use it; false: before that come
  // operators that were not added yet, on which a device waits.
  bool finish(const void* variable, bool only_writers);
  bool finish_all();
  bool finish_next();  // what happens at the next moment; false: nothing does
  // It will never be complete: who waits there, or comes, goes on.
  void dismiss(uint64_t meeting);
  // Another variable may lie there from now on.
  void forget(const void* variable);
  bool idle() const { return pending_ == 0; }

 private:
  struct Op;
  struct Variable {
    Op* writer = nullptr;      // the last one that was added, if it has not ended
    std::vector<Op*> readers;  // since then, not ended
  };
  struct Lane;
  struct Event {
    double time;
    uint64_t order;
    Op* op;
    enum Kind : uint8_t { arrives, finishes, meets, comes_back, goes_on, copies, ends } kind;
    size_t which;  // of what it finishes, or of its waits
    bool operator<(const Event& o) const {
      return time != o.time ? time > o.time : order > o.order;
    }
  };

  Lane& lane(uint16_t id);
  void at(double time, Event::Kind kind, Op* op, size_t which = 0);
  void wait_for(Op* op, Op* before, const void* variable);
  double next_time() const;
  void step();  // everything that happens at the next moment
  void arrive(Op* op);
  void begin(Lane& lane);
  void run_pieces(Op* op);  // until it waits or ends
  void finish_piece(Op* op, size_t piece, double when);
  void meet(Op* op, const Waits& waits);
  void come_back(Op* op);
  void touch(Lane& lane);
  void written(Op* op, const void* variable);
  void go_on(std::vector<Op*>* waiting);
  void end(Op* op);
  void share();  // bandwidths among the copies under way
  void tell(const void* variable);

  const std::vector<double> bandwidths_;
  const Ended ended_;
  const Changed changed_;
  double now_ = 0;
  uint64_t order_ = 0;
  size_t pending_ = 0;
  std::priority_queue<Event> events_;
  std::unordered_map<const void*, Variable> variables_;
  std::unordered_map<uint16_t, std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> touched_;  // they may begin something
  struct Gathering {
    std::vector<Op*> here;
    double seconds = 0;
    bool dismissed = false;
  };
  std::unordered_map<uint64_t, Gathering> gatherings_;  // of meetings that are not over
  std::vector<Op*> copies_;  // under way, in the order of their beginning
  bool copies_changed_ = false;
};

}  // namespace model
}  // namespace hybrid
