#include "model/simulation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hybrid {
namespace model {

struct Simulation::Op {
  Work work;
  int waits = 0;                          // operators that must end before
  std::vector<Op*> next;                  // that wait for this one
  std::vector<std::vector<Op*>> next_of;  // by what it finishes before its end
  uint64_t ready_order = 0;
  size_t piece = 0, wait = 0;            // the next ones
  double tells = 0;                      // seconds, where all have come
  double rest = 0, rate = 0, since = 0;  // of a copy: bytes left at `since`, bytes a second
  double copied = 0;                     // when it will be over at this rate
};

struct Simulation::Lane {
  struct Later {
    bool operator()(const Op* a, const Op* b) const {
      const int pa = a->work.priority, pb = b->work.priority;
      return pa != pb ? pa < pb : a->ready_order > b->ready_order;
    }
  };
  std::priority_queue<Op*, std::vector<Op*>, Later> ready;
  std::vector<Op*> back;  // what waited for other devices and would go on, in order
  Op* running = nullptr;
  bool touched = false;
};

Simulation::Simulation(std::vector<double> link_bandwidths, Ended ended, Changed changed)
    : bandwidths_(std::move(link_bandwidths)),
      ended_(std::move(ended)),
      changed_(std::move(changed)) {}

Simulation::~Simulation() {
  while (!finish_all()) {
    for (auto& [meeting, gathering] : std::exchange(gatherings_, {})) {
      for (Op* op : gathering.here) at(now_, Event::comes_back, op);
    }
  }
}

Simulation::Lane& Simulation::lane(uint16_t id) {
  std::unique_ptr<Lane>& at = lanes_[id];
  if (!at) at = std::make_unique<Lane>();
  return *at;
}

void Simulation::at(double time, Event::Kind kind, Op* op, size_t which) {
  events_.push({time, ++order_, op, kind, which});
}

void Simulation::tell(const void* variable) {
  const auto found = variables_.find(variable);
  const bool written = found != variables_.end() && found->second.writer;
  const bool used = written || (found != variables_.end() && !found->second.readers.empty());
  if (!used && found != variables_.end()) variables_.erase(found);
  changed_(variable, written, used);
}

void Simulation::wait_for(Op* op, Op* before, const void* variable) {
  if (!before || before == op) return;
  std::vector<Op*>* waiting = &before->next;
  for (size_t i = 0; i < before->next_of.size(); ++i) {
    if (before->work.finished[i].first == variable) waiting = &before->next_of[i];
  }
  waiting->push_back(op);
  ++op->waits;
}

void Simulation::add(Work work) {
  auto* const op = new Op;
  op->work = std::move(work);
  Work& w = op->work;
  op->next_of.resize(w.finished.size());
  w.pushed = std::max(w.pushed, now_);
  ++pending_;
  for (const void* v : w.reads) {
    Variable& variable = variables_[v];
    wait_for(op, variable.writer, v);
    variable.readers.push_back(op);
    tell(v);
  }
  for (const void* v : w.writes) {
    Variable& variable = variables_[v];
    if (variable.readers.empty()) wait_for(op, variable.writer, v);
    for (Op* reader : variable.readers) wait_for(op, reader, nullptr);
    variable.readers.clear();
    variable.writer = op;
    tell(v);
  }
  if (op->waits == 0) at(w.pushed, Event::arrives, op);
}

double Simulation::next_time() const {
  double next = events_.empty() ? HUGE_VAL : events_.top().time;
  for (const Op* copy : copies_) next = std::min(next, copy->copied);
  return next;
}

void Simulation::touch(Lane& lane) {
  if (!std::exchange(lane.touched, true)) touched_.push_back(&lane);
}

void Simulation::arrive(Op* op) {
  Lane& to = lane(op->work.lane);
  op->work.ready = now_;
  op->ready_order = ++order_;
  to.ready.push(op);
  touch(to);
}

void Simulation::begin(Lane& of) {
  Op* const op = of.ready.top();
  of.ready.pop();
  of.running = op;
  op->work.begun = now_;
  run_pieces(op);
}

void Simulation::run_pieces(Op* op) {
  Work& w = op->work;
  double until = now_;
  if (op->wait > 0) {  // the rest of the piece that waited: what it waited for is over
    const Waits& over = w.waits[op->wait - 1];
    w.pieces[over.piece].told = now_;
    finish_piece(op, over.piece, until);
  }
  for (; op->piece < w.pieces.size(); ++op->piece) {
    Piece& piece = w.pieces[op->piece];
    piece.begun = until;
    until += piece.seconds;
    if (op->wait < w.waits.size() && w.waits[op->wait].piece == op->piece) {
      at(until, Event::meets, op, op->wait);
      ++op->wait;
      ++op->piece;
      return;
    }
    finish_piece(op, op->piece, until);
  }
  const bool copies = !w.links.empty() && w.bytes > 0;
  at(until + w.latency, copies ? Event::copies : Event::ends, op);
}

// What it finishes is whole then.
void Simulation::finish_piece(Op* op, size_t piece, double when) {
  const auto& finished = op->work.finished;
  for (size_t i = 0; i < finished.size(); ++i) {
    if (finished[i].second == piece) at(when, Event::finishes, op, i);
  }
}

// Until all are there its lane runs others; then it is its own again, as soon as it is free.
void Simulation::meet(Op* op, const Waits& waits) {
  Gathering& all = gatherings_[waits.meeting];
  if (all.dismissed) return run_pieces(op);
  all.here.push_back(op);
  all.seconds = std::max(all.seconds, waits.seconds);
  if (static_cast<int>(all.here.size()) < waits.devices) {
    Lane& of = lane(op->work.lane);
    of.running = nullptr;
    return touch(of);
  }
  for (Op* each : all.here) {
    each->work.pieces[each->work.waits[each->wait - 1].piece].met = now_;
    each->tells = all.seconds;
    if (each != op) come_back(each);
  }
  at(now_ + op->tells, Event::goes_on, op);
  gatherings_.erase(waits.meeting);
}

void Simulation::come_back(Op* op) {
  Lane& to = lane(op->work.lane);
  to.back.push_back(op);
  touch(to);
}

void Simulation::dismiss(uint64_t meeting) {
  Gathering& all = gatherings_[meeting];
  all.dismissed = true;
  // Lanes are looked at in the next moment that something happens: now.
  for (Op* op : std::exchange(all.here, {})) at(now_, Event::comes_back, op);
}

void Simulation::written(Op* op, const void* variable) {
  const auto found = variables_.find(variable);
  if (found == variables_.end() || found->second.writer != op) return;
  found->second.writer = nullptr;
  tell(variable);
}

void Simulation::go_on(std::vector<Op*>* waiting) {
  for (Op* next : *waiting) {
    if (--next->waits == 0) at(std::max(now_, next->work.pushed), Event::arrives, next);
  }
  waiting->clear();
}

void Simulation::end(Op* op) {
  Work& w = op->work;
  w.ended = now_;
  Lane& of = lane(w.lane);
  of.running = nullptr;
  touch(of);
  for (const void* v : w.reads) {
    const auto found = variables_.find(v);
    if (found == variables_.end()) continue;
    std::vector<Op*>& readers = found->second.readers;
    readers.erase(std::remove(readers.begin(), readers.end(), op), readers.end());
    tell(v);
  }
  for (const void* v : w.writes) written(op, v);
  for (std::vector<Op*>& waiting : op->next_of) go_on(&waiting);
  go_on(&op->next);
  --pending_;
  ended_(w);
  delete op;
}

// Max-min fairness by progressive filling: the link whose fair share is the least decides for the
// copies that cross it, then the others share what is left.
void Simulation::share() {
  std::vector<double> left = bandwidths_;
  std::vector<int> crossing(bandwidths_.size(), 0);
  std::vector<Op*> open = copies_;
  for (Op* copy : open) {
    copy->rest -= copy->rate * (now_ - copy->since);
    copy->since = now_;
    for (const int link : copy->work.links) ++crossing[static_cast<size_t>(link)];
  }
  while (!open.empty()) {
    double least = HUGE_VAL;
    int narrowest = -1;
    for (size_t i = 0; i < left.size(); ++i) {
      if (crossing[i] == 0 || left[i] / crossing[i] >= least) continue;
      least = left[i] / crossing[i];
      narrowest = static_cast<int>(i);
    }
    const auto decided = [&](Op* copy) {
      const std::vector<int>& links = copy->work.links;
      if (std::find(links.begin(), links.end(), narrowest) == links.end()) return false;
      copy->rate = least;
      copy->copied = now_ + std::max(copy->rest, 0.0) / least;
      for (const int link : links) {
        left[static_cast<size_t>(link)] -= least;
        --crossing[static_cast<size_t>(link)];
      }
      return true;
    };
    open.erase(std::remove_if(open.begin(), open.end(), decided), open.end());
  }
}

void Simulation::step() {
  now_ = next_time();
  for (size_t i = 0; i < copies_.size();) {
    Op* const copy = copies_[i];
    if (copy->copied > now_) {
      ++i;
      continue;
    }
    copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(i));
    copies_changed_ = true;
    end(copy);
  }
  while (!events_.empty() && events_.top().time <= now_) {
    const Event event = events_.top();
    events_.pop();
    switch (event.kind) {
      case Event::arrives:
        arrive(event.op);
        break;
      case Event::finishes:
        written(event.op, event.op->work.finished[event.which].first);
        go_on(&event.op->next_of[event.which]);
        break;
      case Event::meets:
        meet(event.op, event.op->work.waits[event.which]);
        break;
      case Event::comes_back:
        come_back(event.op);
        break;
      case Event::goes_on:
        run_pieces(event.op);
        break;
      case Event::copies:
        event.op->rest = event.op->work.bytes;
        event.op->rate = 0;
        event.op->since = now_;
        copies_.push_back(event.op);
        copies_changed_ = true;
        break;
      case Event::ends:
        end(event.op);
        break;
    }
  }
  if (std::exchange(copies_changed_, false)) share();
  for (Lane* const lane : touched_) {
    lane->touched = false;
    if (lane->running) continue;
    if (!lane->back.empty()) {
      lane->running = lane->back.front();
      lane->back.erase(lane->back.begin());
      at(now_ + lane->running->tells, Event::goes_on, lane->running);
    } else if (!lane->ready.empty()) {
      begin(*lane);
    }
  }
  touched_.clear();
}

void Simulation::advance(double until) {
  while (pending_ > 0 && next_time() < until) step();
  now_ = std::max(now_, until);
}

bool Simulation::finish(const void* variable, bool only_writers) {
  for (;;) {
    const auto found = variables_.find(variable);
    if (found == variables_.end() || (only_writers && !found->second.writer)) return true;
    if (next_time() == HUGE_VAL) return false;
    step();
  }
}

bool Simulation::finish_all() {
  while (pending_ > 0) {
    if (next_time() == HUGE_VAL) return false;
    step();
  }
  return true;
}

bool Simulation::finish_next() {
  if (pending_ == 0 || next_time() == HUGE_VAL) return false;
  step();
  return true;
}

void Simulation::forget(const void* variable) { variables_.erase(variable); }

}  // namespace model
}  // namespace hybrid
