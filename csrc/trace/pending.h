// What recorded values wait for, found without making a Graph, and the form by which it is known
// again when the same code records it once more.
#pragma once
#include <functional>
#include <vector>

#include "symbol/symbol.h"

namespace hybrid {

// The nodes that have to run for some values. Valid while those who hold the values hold them.
struct Pending {
  std::vector<SymNode*> nodes;  // in the order of the code
  std::vector<SymEntry> stops;  // values that are there already, in that order too
  bool plain = true;            // autograd will not ask for anything of it
  bool contains(const SymNode* node) const;
  size_t stop(const SymEntry& e) const;  // its index in `stops`
};
// Each node's `place` is its index in `nodes` until the next call.
Pending pending_for(const std::vector<SymEntry>& wanted);
// By node of `nodes`: is it computed from memory for which `may_change` says so?
std::vector<bool> reads_changing(const Pending& pending,
                                 const std::function<bool(const NDArray&)>& may_change);
// A value that it starts from; throws Error when that was overwritten after it was recorded, and
// not kept.
NDArray recorded_value(const SymEntry& stop);
// Random draws' keys, by key slot.
std::vector<uint64_t> draw_keys(const Pending& pending);

// Two pending works of one form are run by one program, and come from the same lines.
struct Form {
  std::vector<uint64_t> words;      // operators, edges, types, lines, constants, results
  std::vector<const Attrs*> attrs;  // by operator node
  uint64_t hash = 0;
};
Form form_of(const Pending& pending, const std::vector<SymEntry>& results);

// A form that outlives what was recorded.
struct KnownForm {
  explicit KnownForm(const Form& form);
  bool same(const Form& form) const;
  std::vector<uint64_t> words;
  std::vector<Attrs> attrs;
  uint64_t hash;
};

// When the node has all its values, what it was computed from may go, unless autograd may want it.
// Not for windows: their memory is found through what they were recorded from.
void forget_history(SymNode* node);

// Recorded work must not wait without end. What a code's places record once is as long as the text;
// where places repeat, it is run when the estimate or the inputs that it holds pass these limits:
// between two lines, or within one where they are passed several times. So often they have to be
// passed where places repeat a few times only, too: a function that is called twice is no loop.
constexpr double kMostPendingNs = 50e6;
constexpr int64_t kMostPendingBytes = 32 << 20;
constexpr double kMostWithinLine = 8;
constexpr int kFewTimes = 8;
double recorded_ns();                    // estimate of all that this thread has recorded
double pending_ns();                     // ... and that has not been run
void note_pending(double ns);            // one more operator was recorded, at the current site
void note_pending_bytes(int64_t bytes);  // one more array is held as an input
void note_step();                        // a loop goes on: what follows may be its only operator
bool pending_is_enough();                // ... to be run before more is recorded
void forget_pending();                   // it is run

}  // namespace hybrid
