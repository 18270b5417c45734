// Errors of operators: their text, and where they are kept until somebody reads.
#pragma once
#include <deque>
#include <memory>
#include <string>

#include "engine/engine.h"

namespace hybrid {
namespace engine {

using ErrorRef = std::shared_ptr<StoredError>;

// "<op>: <message>\n  pushed at <file or cell>, line N"; the last line when a site is known.
// A message that names its place already (a kernel's in a program) stays as it is.
ErrorRef make_error(const Props& props, const std::string& message);
// What is kept in results of a device that is modelled only.
ErrorRef not_computed_error(const Props& props);
// The text of such an error.
std::string placed_message(uint32_t name, uint32_t site, const std::string& message);
// Text of the exception being handled.
std::string current_exception_message();

// Errors that wait_all() has still to raise, oldest first; the newest are dropped beyond a bound.
class Unreported {
 public:
  void add(const ErrorRef& error);
  ErrorRef take();  // the first that nobody has raised yet; empty when there is none
  void clear() { errors_.clear(); }

 private:
  std::deque<ErrorRef> errors_;
};

}  // namespace engine
}  // namespace hybrid
