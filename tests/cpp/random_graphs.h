// Random graphs with views, broadcasts, reductions, values read twice and random draws.
#pragma once
#include <vector>

#include "exec_helpers.h"
#include "launch/run_op.h"

namespace exec_test {

struct RandomGraph {
  Graph graph;
  std::vector<NDArray> inputs;
};

inline RandomGraph random_graph(uint64_t seed, int num_nodes, bool with_random = true) {
  uint64_t state = seed * 2654435761u + 12345;
  const auto below = [&state](int n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int>((state >> 33) % static_cast<uint64_t>(n));
  };
  RandomGraph result;
  Maker m;
  const std::vector<Shape> shapes = {{4, 6}, {6, 4}, {4, 6}, {1, 6}, {24}};
  std::vector<Entry> values;
  for (size_t i = 0; i < shapes.size(); ++i) {
    values.push_back(m.input("x" + std::to_string(i), shapes[i]));
    result.inputs.push_back(sample(shapes[i], seed * 10 + i));
  }
  values.push_back(m.constant(sample({4, 1}, seed + 77)));
  const auto of_shape = [&](const Shape& shape, Entry* found) {
    std::vector<Entry> fitting;
    for (const Entry& e : values) {
      if (m.graph.shape(e) == shape) fitting.push_back(e);
    }
    if (fitting.empty()) return false;
    *found = fitting[below(static_cast<int>(fitting.size()))];
    return true;
  };
  const char* unary[] = {"tanh", "square", "neg", "sigmoid", "abs", "sin"};
  const char* binary[] = {"add", "sub", "mul", "maximum"};
  while (static_cast<int>(m.graph.nodes.size()) < num_nodes) {
    const Entry a = values[below(static_cast<int>(values.size()))];
    const Shape shape = m.graph.shape(a);
    Entry b = a;
    switch (below(11)) {
      case 0:
      case 1:
        values.push_back(m.op(unary[below(6)], {a}));
        break;
      case 2:
      case 3:
        if (below(3)) of_shape(shape, &b);  // else the same value twice
        values.push_back(m.op(binary[below(4)], {a, b}));
        break;
      case 4:
        values.push_back(m.op("mul_scalar", {a}, {{"scalar", "0.5"}}));
        break;
      case 5:  // a value against its own transpose: read twice in different layouts
        if (shape.ndim() == 2) {
          const Entry t = m.op("transpose", {a});
          values.push_back(t);
          if (of_shape(m.graph.shape(t), &b)) values.push_back(m.op(binary[below(4)], {t, b}));
        }
        break;
      case 6:
        if (shape.size() == 24) {
          values.push_back(m.op("reshape", {a}, {{"shape", below(2) ? "(6, 4)" : "(4, 6)"}}));
        }
        break;
      case 7:
        if (shape == Shape{4, 6} && of_shape({6, 4}, &b)) {
          const Entry product = m.op("dot", {a, b});  // (4, 4)
          values.push_back(m.op("softmax", {product}));
        } else if (shape.ndim() == 2) {
          values.push_back(m.op("sum", {a}, {{"axis", "(0,)"}, {"keepdims", "True"}}));
        }
        break;
      case 9:  // a row's number, read again along the row
      case 10:
        if (shape.ndim() == 2) {
          const char* reductions[] = {"sum", "max", "mean", "min", "norm"};
          const bool stays = below(2) == 0;
          Entry row = m.op(reductions[below(5)], {a},
                           {{"axis", "(1,)"}, {"keepdims", stays ? "True" : "False"}});
          if (!stays) {
            if (below(3) == 0) values.push_back(row);
            row = m.op("expand_dims", {row}, {{"axis", "1"}});
          }
          if (below(2)) row = m.op(unary[below(6)], {row});
          if (below(3) == 0) values.push_back(row);
          values.push_back(m.op(binary[below(4)], {a, row}));
        }
        break;
      case 8:
        if (with_random) {
          values.push_back(m.op("Dropout", {a}, {{"p", "0.5"}}));
        } else if (of_shape({1, 6}, &b) && shape == Shape{4, 6}) {
          values.push_back(m.op("mul", {a, b}));
        }
        break;
    }
  }
  const int num_outputs = 1 + below(4);
  m.output(values.back());
  for (int i = 1; i < num_outputs; ++i) {  // inputs, constants, views and repeats among them
    m.output(values[below(static_cast<int>(values.size()))]);
  }
  m.graph.check();
  result.graph = std::move(m.graph);
  return result;
}

// Node by node with run_op: no plan, no fusion, nothing shared but views.
inline std::vector<NDArray> run_eagerly(const Graph& graph, const std::vector<NDArray>& inputs,
                                        const std::vector<uint64_t>& keys, bool training) {
  std::map<Entry, NDArray> values;
  for (size_t i = 0; i < inputs.size(); ++i) values[{graph.inputs[i], 0}] = inputs[i];
  for (const Node& n : graph.nodes) {
    if (n.kind == NodeKind::constant) values[{n.id, 0}] = n.value;
    if (n.kind != NodeKind::op) continue;
    if (n.op->training_only && !training) {
      values[{n.id, 0}] = values.at(n.inputs[0]);
      continue;
    }
    std::vector<NDArray> arguments;
    for (const Entry& e : n.inputs) arguments.push_back(values.at(e));
    const uint64_t key = n.key_slot >= 0 ? keys[n.key_slot] : 0;
    const std::vector<NDArray> made = run_op(*n.op, n.attrs, arguments, key);
    for (size_t i = 0; i < made.size(); ++i) values[{n.id, static_cast<int32_t>(i)}] = made[i];
  }
  std::vector<NDArray> results;
  for (const Entry& e : graph.outputs) results.push_back(values.at(e));
  return results;
}

}  // namespace exec_test
