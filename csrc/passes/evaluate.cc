// Running one operator on constants while compiling, with the kernels that would run it later.
#include "passes/evaluate.h"

#include "core/error.h"
#include "engine/engine.h"
#include "graph/constant.h"
#include "kernels/host_copy.h"
#include "launch/run_op.h"

namespace hybrid {

bool evaluate(const Node& node, const std::vector<NDArray>& inputs, std::vector<NDArray>* outputs,
              std::string* reason) {
  try {
    *outputs = run_op(*node.op, node.attrs, inputs, 0, nullptr, node.ctx);
    for (NDArray& out : *outputs) {
      engine::wait_to_read(out.storage.get());
      // A window on a constant would keep all of it alive.
      if (out.contiguous() && static_cast<int64_t>(out.storage->bytes) == out.nbytes()) continue;
      const std::string bytes = constant_bytes(out);
      NDArray compact = NDArray::empty(out.shape, out.dtype, out.ctx());
      copy_from_host(compact, bytes.data(), bytes.size());
      out = compact;
    }
    return true;
  } catch (const engine::Interrupted&) {
    throw;
  } catch (const Error& error) {
    *reason = error.what();
    return false;
  }
}

}  // namespace hybrid
