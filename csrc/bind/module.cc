// jupyter_hybrid._core: the native module, one part a noun.
#include "bind/common.h"
#include "bind/index_bounds.h"
#include "bind/traced_array.h"

PYBIND11_MODULE(_core, m) {
  using namespace hybrid::bind;
  m.doc() = "Native core of jupyter_hybrid: arrays, engine, operators, graphs, passes, programs.";
  m.attr("__version__") = HYBRID_VERSION;
  bind_errors(m);
  bind_context(m);
  bind_array(m);
  bind_create(m);
  bind_invoke(m);
  bind_tables(m);
  bind_symbol(m);
  bind_graph(m);
  bind_plan(m);
  bind_compile(m);
  bind_cached_graph(m);
  bind_cell(m);
  bind_trace_writes(m);
  bind_settle(m);
  bind_index_bounds(m);
  bind_taken_back(m);
  bind_control(m);
  bind_long_calls(m);
  bind_site(m);
  bind_autograd(m);
  bind_push(m);
  bind_engine(m);
  bind_trace(m);
  bind_model(m);
  bind_exchange(m);
  bind_meeting(m);
  bind_files(m);
  bind_numpy_memory(m);
  bind_random(m);
  bind_guards(m);
  bind_array_guards(m);
  bind_recorder_state(m);
  bind_region(m);
  bind_ufunc_plans(m);
  bind_traced_array(m);
  bind_syntax_trees(m);
  bind_units(m);
}
