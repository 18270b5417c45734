// Who waits for whom, as text.
#include <sstream>

#include "engine/scheduler.h"
#include "engine/trace.h"

namespace hybrid {
namespace engine {
namespace {

std::string title(const Operation& op) {
  std::string text = "#" + std::to_string(op.serial) + " " + trace::name_of(op.props.name);
  const std::string site = trace::describe_site(op.props.site);
  return site.empty() ? text : text + " (" + site + ")";
}

bool conflicts(Operation& earlier, const Access& access) {
  Access* const theirs = earlier.accesses();
  for (int i = 0; i < earlier.num_accesses; ++i) {
    if (theirs[i].var == access.var && (theirs[i].write || access.write)) return true;
  }
  return false;
}

}  // namespace

void Scheduler::tell_queues(bool anyway) {
  Guard guard(mutex_);
  for (QueueTrack& queue : queues_) queue.flush(trace::ticks(), anyway);
}

std::string Scheduler::describe(int max_rows) {
  Guard guard(mutex_);
  std::ostringstream text;
  const int64_t depth = pending();
  text << depth << (depth == 1 ? " operator" : " operators") << " pending\n";
  int row = 0;
  for (Operation* op = first_; op && row < max_rows; op = op->next, ++row) {
    text << title(*op) << " on " << op->lane->name << ": ";
    if (op->state == State::running) text << "running";
    if (op->state == State::ready) text << "ready, waits for its lane";
    if (op->state == State::waiting) {
      // The latest earlier operator in the way of each access that has not had its turn.
      std::vector<Operation*> blockers;
      for (int i = 0; i < op->num_accesses; ++i) {
        const Access& access = op->accesses()[i];
        if (access.granted) continue;
        Operation* earlier = op->previous;
        while (earlier && !conflicts(*earlier, access)) earlier = earlier->previous;
        bool known = !earlier;
        for (Operation* blocker : blockers) known = known || blocker == earlier;
        if (!known) blockers.push_back(earlier);
      }
      text << "waits for ";
      if (blockers.empty()) text << "a reader outside the queue";
      for (size_t i = 0; i < blockers.size(); ++i) text << (i ? ", " : "") << title(*blockers[i]);
    }
    text << "\n";
  }
  if (depth > row) text << "and " << depth - row << " more\n";
  return text.str();
}

}  // namespace engine
}  // namespace hybrid
