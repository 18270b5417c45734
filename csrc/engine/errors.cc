#include "engine/errors.h"

#include <new>

#include "engine/trace.h"

namespace hybrid {
namespace engine {

namespace {

const char* const kPlace = "\n  pushed at ";

}  // namespace

std::string placed_message(uint32_t name, uint32_t site, const std::string& message) {
  if (message.find(kPlace) != std::string::npos) return message;
  const std::string op = trace::name_of(name);
  const std::string prefix = op + ": ";
  const bool named = op.empty() || message.compare(0, prefix.size(), prefix) == 0;
  const std::string place = trace::describe_site(site);
  return (named ? message : prefix + message) + (place.empty() ? "" : kPlace + place);
}

ErrorRef make_error(const Props& props, const std::string& message) {
  auto error = std::make_shared<StoredError>();
  error->op = trace::name_of(props.name);
  error->site = props.site;
  error->message = placed_message(props.name, props.site, message);
  return error;
}

ErrorRef not_computed_error(const Props& props) {
  ErrorRef error =
      make_error(props, "not computed, because " + props.ctx.str() +
                            " is modelled only: its results have times and no values. "
                            "virtual_gpus(n, like=..., compute=True) computes them, too");
  error->not_computed = true;
  error->reported = true;  // nothing has failed
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
