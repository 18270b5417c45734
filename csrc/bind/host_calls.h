// Functions of Python's with gradients of their own.
#pragma once
#include "bind/common.h"

namespace hybrid {
namespace bind {

void bind_host_calls(py::module_& m);
void bind_custom(py::module_& m);

}  // namespace bind
}  // namespace hybrid
