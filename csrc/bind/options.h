// Compile options as they come from Python, and compiled results as they go there.
#pragma once
#include "bind/common.h"
#include "program/program.h"

namespace hybrid {
namespace bind {

struct CompileArguments {
  py::object input_shapes, input_dtypes, passes;
  bool only_these;
  std::vector<std::string> without;
  std::vector<bool> donated;
  bool training, fast, keep_stages;
  py::object grad_of, grad_wrt, head_grads;
  py::object bound;
  std::vector<int32_t> updates = {};
  py::object plan = py::none();  // None or 'fast', 'exact', 'parallel'
  double plan_seconds = 10;
  py::object progress = py::none();
  // Where nodes run: None; 'recorded', as they were traced; or by input.
  py::object devices = py::none();
  py::object groups = py::none();  // dict: group -> Context
  py::object home = py::none();    // Context of what nothing decides
  py::dict settings = {};          // of passes, by name
};
DeviceOptions device_options(const py::object& devices, const py::object& groups,
                             const py::object& home);
CompileOptions compile_options(const CompileArguments& arguments);
// Asks Python twenty times a second: interrupts, and progress(seconds, peak, bound) unless None.
// What they raise ends the search.
std::function<bool(const ExactProgress&)> exact_progress(py::object progress);

struct CompiledView {
  py::list stages;
  ProgramRef program;
  double seconds;
};
CompiledView view_of_compiled(Compiled compiled);

}  // namespace bind
}  // namespace hybrid
