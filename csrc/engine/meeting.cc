#include "engine/meeting.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "core/device_name.h"
#include "core/error.h"
#include "core/fork.h"
#include "core/modelled.h"
#include "core/mutex.h"
#include "engine/engine.h"
#include "engine/interrupt.h"
#include "engine/modelled.h"
#include "engine/resources.h"
#include "engine/scheduler.h"

namespace hybrid {
namespace engine {

// Guarded by the lock of all.
struct Meeting {
  struct Part {
    Context device;
    Told told;
    bool here = false;
  };
  uint64_t number = 0;
  std::string key;
  size_t devices = 0;
  std::vector<Part> parts;  // in the order of the calls
  size_t num_here = 0;
  int waiting = 0;
  std::string ended;  // why it will never be complete
  bool told = false;  // and the user knows
  Condition wake;

  bool complete() const { return num_here == devices; }
  bool over() const { return complete() || !ended.empty(); }
};

namespace {

struct All {
  Mutex mutex;
  std::atomic<int> waiting{0};
  uint64_t last_number = 0;
  // By key: those that lack a call, the oldest first, even when they were ended: the calls that
  // they still get have their places there. And those that lack none and are not over.
  std::map<std::string, std::vector<std::shared_ptr<Meeting>>> open;
  std::vector<std::weak_ptr<Meeting>> called;
  std::map<std::pair<int, int>, StorageRef> orders;  // by device
  std::atomic<bool (*)()> callers_check{nullptr};
};

All& all() {
  static All* const the = new All;  // never destroyed: threads may outlive main()
  return *the;
}

std::vector<std::shared_ptr<Meeting>> unfinished() {
  std::vector<std::shared_ptr<Meeting>> list;
  for (const auto& [key, meetings] : all().open) {
    list.insert(list.end(), meetings.begin(), meetings.end());
  }
  for (const auto& weak : all().called) {
    if (auto held = weak.lock()) list.push_back(std::move(held));
  }
  list.erase(std::remove_if(list.begin(), list.end(), [](const auto& m) { return m->over(); }),
             list.end());
  return list;
}

// The child of a fork has no threads that wait.
void forget_all() {
  for (const auto& m : unfinished()) {
    m->waiting = 0;
    m->wake.reset_after_fork();
  }
  all().waiting.store(0);
  all().open.clear();
  all().called.clear();
}

const bool held_over_fork = hold_over_fork(ForkStage::meetings, {[] { all().mutex.lock(); },
                                                                 [](bool child) {
                                                                   if (child) forget_all();
                                                                   all().mutex.unlock();
                                                                 }});

std::string names_of(const Meeting& m, bool here_only) {
  std::string text;
  for (const Meeting::Part& p : m.parts) {
    if (here_only && !p.here) continue;
    text += (text.empty() ? "" : ", ") + p.device.str();
  }
  return text;
}

std::string title(const Meeting& m) {
  return "the meeting of " + std::to_string(m.devices) + " devices under the key '" + m.key + "'";
}

// Under the lock.
void stop_waiting(Meeting* m) {
  all().waiting.fetch_sub(m->waiting);
  m->waiting = 0;
  m->wake.notify_all();
}

void end(Meeting* m, const std::string& why) {
  m->ended = why;
  stop_waiting(m);
}

std::shared_ptr<Meeting> meeting_for(const std::string& key, int devices, Context device) {
  auto& list = all().open[key];
  for (const auto& m : list) {
    const auto is_there = [&](const Meeting::Part& p) { return p.device == device; };
    if (std::any_of(m->parts.begin(), m->parts.end(), is_there)) continue;
    if (m->devices == static_cast<size_t>(devices)) return m;
    fail("given ", devices, " devices under the key '", key, "', ", names_of(*m, false), " gave ",
         m->devices);
  }
  auto made = std::make_shared<Meeting>();
  made->number = ++all().last_number;
  made->key = key;
  made->devices = static_cast<size_t>(devices);
  list.push_back(made);
  return made;
}

// It gets no more calls.
void close(const std::shared_ptr<Meeting>& meeting) {
  const auto at = all().open.find(meeting->key);
  if (at == all().open.end()) return;
  auto& list = at->second;
  list.erase(std::remove(list.begin(), list.end(), meeting), list.end());
  if (list.empty()) all().open.erase(at);
}

StorageRef order_of(Context device) {
  StorageRef& order = all().orders[{static_cast<int>(device.type), device.id}];
  if (!order) order = allocate(0, Context());
  return order;
}

}  // namespace

Seats::~Seats() {
  // Where arithmetic is left out operators go without having run.
  if (seats_.empty() || model::skips(device_)) return;
  std::vector<uint64_t> ended;
  {
    Guard guard(all().mutex);
    for (const Seat& seat : seats_) {
      if (seat.used || seat.meeting->over()) continue;
      end(seat.meeting.get(), device_.str() + " did not come: its operator failed or was dropped");
      ended.push_back(seat.meeting->number);
    }
  }
  for (const uint64_t number : ended) model::dismissed(number);
}

void Seats::take(const std::string& key, int devices, Context device, double bytes,
                 int32_t kernel) {
  require(settings().kind != Kind::naive, "given ", devices,
          " devices, which wait for each other; NaiveEngine runs every operator before the next is "
          "called: use the threaded engine");
  device = worker_of(device);
  device_ = device;
  Guard guard(all().mutex);
  if (!order_) order_ = order_of(device);
  const std::shared_ptr<Meeting> meeting = meeting_for(key, devices, device);
  seats_.push_back({meeting, meeting->parts.size(), false});
  meeting->parts.push_back({device, {}, false});
  model::Meet meet;
  meet.kernel = kernel;
  meet.number = meeting->number;
  meet.num_devices = devices;
  meet.bytes = bytes;
  if (meeting->parts.size() == meeting->devices) {
    for (const Meeting::Part& p : meeting->parts) meet.devices.push_back(p.device);
    close(meeting);
    auto& called = all().called;
    const auto is_over = [](const std::weak_ptr<Meeting>& m) {
      const auto held = m.lock();
      return !held || held->over();
    };
    called.erase(std::remove_if(called.begin(), called.end(), is_over), called.end());
    called.push_back(meeting);
  }
  modelled_.push_back(std::move(meet));
}

std::vector<Told> Seats::meet(const std::string& key, Told own, Resources& resources) {
  Guard guard(all().mutex);
  const auto found = std::find_if(seats_.begin(), seats_.end(),
                                  [&](const Seat& s) { return !s.used && s.meeting->key == key; });
  require(found != seats_.end(), "no seat was taken under the key '", key, "'");
  found->used = true;
  const std::shared_ptr<Meeting> m = found->meeting;
  Meeting::Part& part = m->parts[found->place];
  part.told = std::move(own);
  part.here = true;
  if (m->ended.empty() && ++m->num_here == m->devices) stop_waiting(m.get());
  const bool waits = !m->over();
  if (waits) {
    guard.unlock();
    Scheduler::get().leave_lane();
    guard.lock();
  }
  if (!m->over()) {
    ++m->waiting;
    all().waiting.fetch_add(1);
  }
  while (!m->over()) {
    if (m->wake.wait_ns(all().mutex, kInterruptCheckNs) || m->over()) continue;
    guard.unlock();
    const bool cancelled = resources.cancelled();
    guard.lock();
    if (!cancelled || m->over()) continue;
    end(m.get(), device_.str() + " was " + resources.why_cancelled());
    close(m);  // who was interrupted does not make the other calls
    guard.unlock();
    model::dismissed(m->number);
    guard.lock();
  }
  if (waits) {
    guard.unlock();
    Scheduler::get().come_back();
    guard.lock();
  }
  if (!m->ended.empty()) {
    resources.note_ended(m->told);
    fail(title(*m), ": ", m->ended);
  }
  std::vector<const Meeting::Part*> sorted;
  for (const Meeting::Part& p : m->parts) sorted.push_back(&p);
  std::sort(sorted.begin(), sorted.end(), [](const Meeting::Part* a, const Meeting::Part* b) {
    return std::make_pair(a->device.type, a->device.id) <
           std::make_pair(b->device.type, b->device.id);
  });
  std::vector<Told> told;
  for (const Meeting::Part* p : sorted) told.push_back(p->told);
  return told;
}

int num_meeting() { return all().waiting.load(); }

bool awaits_calls() {
  Guard guard(all().mutex);
  return !all().open.empty();
}

void set_callers_check(bool (*others_may_call)()) { all().callers_check.store(others_may_call); }

bool others_may_call() {
  bool (*const check)() = all().callers_check.load();
  return check && check();
}

void end_meetings(const std::string& why) {
  std::vector<uint64_t> numbers;
  {
    Guard guard(all().mutex);
    for (const auto& m : unfinished()) {
      numbers.push_back(m->number);
      const size_t calls = m->parts.size();
      const bool called = calls == m->devices;
      const std::string here = names_of(*m, called);
      end(m.get(),
          (here.empty() ? "nobody" : here) + (called ? " came" : " alone called") + "; " + why +
              (called ? "" : " (if these are all: num_devices=" + std::to_string(calls) + ")"));
    }
    all().open.clear();
    all().called.clear();
  }
  for (const uint64_t number : numbers) model::dismissed(number);
}

void end_open_meetings(const std::string& why) {
  std::vector<uint64_t> numbers;
  {
    Guard guard(all().mutex);
    for (const auto& [key, meetings] : all().open) {
      for (const auto& m : meetings) {
        if (m->over()) continue;
        numbers.push_back(m->number);
        m->told = true;
        end(m.get(), names_of(*m, false) + " alone called; " + why);
      }
    }
    all().open.clear();
  }
  for (const uint64_t number : numbers) model::dismissed(number);
}

}  // namespace engine
}  // namespace hybrid
