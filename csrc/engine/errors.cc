#include "engine/errors.h"

#include <new>

#include "engine/trace.h"

namespace hybrid {
namespace engine {

ErrorRef make_error(const Props& props, const std::string& message) {
  auto error = std::make_shared<StoredError>();
  error->op = trace::name_of(props.name);
  error->site = props.site;
  const std::string prefix = error->op + ": ";
  const bool named = error->op.empty() || message.compare(0, prefix.size(), prefix) == 0;
  error->message = named ? message : prefix + message;
  const std::string site = trace::describe_site(props.site);
  if (!site.empty()) error->message += "\n  pushed at " + site;
  return error;
}

std::string current_exception_message() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown exception was thrown";
  }
}

void Unreported::add(const ErrorRef& error) {
  constexpr size_t kMost = 1000;
  while (!errors_.empty() && errors_.front()->reported.load()) errors_.pop_front();
  if (errors_.size() < kMost) errors_.push_back(error);
}

ErrorRef Unreported::take() {
  while (!errors_.empty()) {
    const ErrorRef error = errors_.front();
    errors_.pop_front();
    if (!error->reported.exchange(true)) return error;
  }
  return nullptr;
}

}  // namespace engine
}  // namespace hybrid
