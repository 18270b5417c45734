#include "ops/differentiable_once.h"

#include "core/error.h"

namespace hybrid {

void differentiable_once(GradBuilder& b) {
  fail(b.attrs().op()->name, ": has no gradient of its own, so that what it belongs to can be ",
       "differentiated once; written in other operators it can be as often as you like");
}

}  // namespace hybrid
