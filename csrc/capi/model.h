// Model: an exported program with its parameters, compiled for one set of input shapes.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "program/program.h"

namespace hybrid {

class Model {
 public:
  struct Port {  // an input or an output
    std::string name;
    Shape shape = Shape::unknown();  // what is known
    DType dtype = DType::unknown;
    bool optional = false;  // a label: no result depends on it
  };

  // The contents of a symbol.json and of a .params file (empty: no parameters). Throws Error.
  Model(const std::string& symbol, const std::string& params);

  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  // `dtype` unknown: the model decides. Drops the value when anything changes. Throws Error when
  // the model contradicts it, and is as before then.
  void set_shape(size_t input, const Shape& shape, DType dtype);
  // Where the operators of AttrScope(ctx_group=group) run. Throws Error when there is no such
  // group.
  void set_group(const std::string& group, Context ctx);
  // Those that copies name and that groups were given, each once, in the order of the nodes.
  std::vector<Context> devices() const;
  void bind();
  // Contiguous elements; shapes must be known or follow from those that are.
  void set_input(size_t input, const void* data, size_t bytes);
  void run();
  const std::vector<NDArray>& results() const {
    return results_;
  }  // contiguous, computed, on the host
  const Plan& plan();
  int num_kernels();  // of one run
  int64_t parameter_bytes() const { return parameter_bytes_; }

 private:
  struct Given {  // what the caller has said of an input
    Shape shape = Shape::unknown();
    DType dtype = DType::unknown;
  };

  void take_parameters(const std::string& params);
  void find_labels();
  Graph inferred(const std::vector<Given>& given, bool assume_dtype) const;
  void describe(const Graph& typed);
  void require_values();
  void forget_program();
  void place(size_t i);  // the value of graph input i, where the program reads it

  Graph graph_;
  std::vector<NDArray> values_;   // by graph input; parameters, then what was set
  std::vector<size_t> position_;  // by input: of graph_.inputs
  std::vector<Given> given_;      // by input
  std::vector<Port> inputs_, outputs_;
  std::vector<bool> draws_;  // by key slot
  std::map<std::string, Context> groups_;
  int64_t parameter_bytes_ = 0;
  ProgramRef program_;  // null: not compiled for these shapes
  std::vector<NDArray> results_;
};

}  // namespace hybrid
