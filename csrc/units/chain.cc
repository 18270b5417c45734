#include "units/chain.h"

#include <algorithm>
#include <cfenv>

#include "units/convert.h"
#include "units/numbers.h"

namespace hybrid {
namespace units {
namespace {

constexpr int64_t kBlock = 512, kBlockBytes = kBlock * 16;
constexpr int kFlags = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW;

// What is done to the second operand, where that is what there is.
PathCode taken_from(PathCode code) {
  if (code == PathCode::sub) return PathCode::sub_from;
  return code == PathCode::div ? PathCode::div_by : code;
}

}  // namespace

Arrays::Chain::Chain(const Arrays& arrays, const ArrayLoop& loop, const Input* inputs,
                     const Array& output)
    : arrays_(arrays), output_(output) {
  add(loop, inputs);
  for (int axis = 0; axis < output.rank; ++axis) join(axis);
  if (rank_ == 0) {
    rank_ = 1;
    shape_[0] = 1;
    steps_[0] = 0;
    for (Leaf& leaf : leaves_) leaf.steps[0] = 0;
  }
}

int Arrays::Chain::add(const ArrayLoop& loop, const Input* inputs) {
  Node made{&loop, {}};
  for (int k = 0; k < loop.inputs; ++k) {
    Operand& operand = made.operands[k];
    if (inputs[k].array < 0) {
      operand.scalar = inputs[k].scalar;
      continue;
    }
    const Array& array = arrays_.arrays_[inputs[k].array];
    if (array.later != 0) {
      const Later& later = arrays_.laters_[array.later - 1];
      operand.node = add(*later.loop, later.inputs);
      continue;
    }
    operand.leaf = leaves_.size();
    Leaf leaf;
    leaf.array = &array;
    leaf.data = array.data;
    std::fill_n(leaf.strides, output_.rank, 0);
    for (int axis = 0, to = output_.rank - array.rank; axis < array.rank; ++axis, ++to) {
      leaf.strides[to] = array.shape[axis] == 1 ? 0 : array.stride[axis];
    }
    leaves_.push_back(leaf);
  }
  nodes_.push_back(made);
  return nodes_.size() - 1;
}

// An axis of the result goes on with the one before, or is one by itself.
void Arrays::Chain::join(int axis) {
  const int64_t length = output_.shape[axis];
  if (length == 1) return;
  bool joins = rank_ > 0 && steps_[rank_ - 1] == output_.stride[axis] * length;
  for (const Leaf& leaf : leaves_) {
    joins = joins && leaf.steps[rank_ - 1] == leaf.strides[axis] * length;
  }
  if (!joins) ++rank_;
  shape_[rank_ - 1] = joins ? shape_[rank_ - 1] * length : length;
  steps_[rank_ - 1] = output_.stride[axis];
  for (Leaf& leaf : leaves_) leaf.steps[rank_ - 1] = leaf.strides[axis];
}

bool Arrays::Chain::overlaps() const {
  const char *low, *high, *other_low, *other_high;
  bounds_of(output_, &low, &high);
  for (const Leaf& leaf : leaves_) {
    const Array& array = *leaf.array;
    bounds_of(array, &other_low, &other_high);
    const bool same = array.data == output_.data && array.type == output_.type &&
                      array.rank == output_.rank &&
                      std::equal(array.stride, array.stride + array.rank, output_.stride) &&
                      std::equal(array.shape, array.shape + array.rank, output_.shape);
    if (!same && low < other_high && other_low < high) return true;
  }
  return false;
}

// Stages
// --------------------------------------------------------------------------------------------
bool Arrays::Chain::goes_by_steps(const Operand& operand, int size) const {
  return operand.leaf < 0 || leaves_[operand.leaf].steps[rank_ - 1] % size == 0;
}

void Arrays::Chain::add_step(PathCode code, const Operand& operand, int size) {
  int64_t step = operand.node >= 0 ? 1 : 0;
  if (operand.leaf >= 0) step = leaves_[operand.leaf].steps[rank_ - 1] / size;
  steps_of_paths_.push_back({code, operand.scalar, step});
  operands_.push_back(operand);
}

void Arrays::Chain::divide() {
  const int count = nodes_.size();
  for (int k = 0; k < count; ++k) {
    const Node& node = nodes_[k];
    const Type type = node.loop->types[0];
    const int size = size_of(type);
    const bool unary = node.loop->inputs == 1;
    bool is_path = node.loop->path >= 0 && (type == Type::f32 || type == Type::f64) &&
                   goes_by_steps(node.operands[0], size) &&
                   (unary || goes_by_steps(node.operands[1], size));
    if (k == count - 1) is_path = is_path && steps_[rank_ - 1] % size == 0;
    if (!is_path) {
      has_loops_ = true;
      stages_.push_back({k, 0, 0});
      continue;
    }
    const auto code = static_cast<PathCode>(node.loop->path);
    // What the last path gives is at hand.
    const bool goes_on = !stages_.empty() && stages_.back().end > 0 &&
                         nodes_[stages_.back().node].loop->types[0] == type;
    const bool first = goes_on && node.operands[0].node == k - 1;
    const bool second = goes_on && !first && !unary && node.operands[1].node == k - 1;
    if (first || second) {
      stages_.back().node = k;
    } else {
      const int begin = operands_.size();
      stages_.push_back({k, begin, begin});
      add_step(PathCode::begin, node.operands[0], size);
    }
    if (second) {
      add_step(taken_from(code), node.operands[0], size);
    } else {
      add_step(code, unary ? Operand{} : node.operands[1], size);
    }
    stages_.back().end = operands_.size();
  }
}

void Arrays::Chain::go(std::vector<char>* scratch, char* saved) {
  divide();
  const size_t size = static_cast<size_t>(nodes_.size() - 1) * kBlockBytes;
  if (scratch->size() < size) scratch->resize(size);
  int64_t at[kMaxRank] = {};
  char* out = output_.data;
  while (true) {
    row(out, scratch->data(), saved == nullptr ? nullptr : &saved);
    int axis = rank_ - 2;
    for (; axis >= 0; --axis) {
      out += steps_[axis];
      for (Leaf& leaf : leaves_) leaf.data += leaf.steps[axis];
      if (++at[axis] < shape_[axis]) break;
      out -= steps_[axis] * shape_[axis];
      for (Leaf& leaf : leaves_) leaf.data -= leaf.steps[axis] * shape_[axis];
      at[axis] = 0;
    }
    if (axis < 0) break;
  }
  if (flags_ != 0) std::feraiseexcept(flags_);
}

void Arrays::Chain::row(char* out, char* scratch, char** saved) {
  const int last = rank_ - 1;
  const int64_t step = stages_.size() == 1 && saved == nullptr ? shape_[last] : kBlock;
  for (int64_t begin = 0; begin < shape_[last]; begin += step, out += step * steps_[last]) {
    const int64_t n = std::min(step, shape_[last] - begin);
    if (saved != nullptr) {  // while it is in the cache
      const Convert copy = converter(output_.type, output_.type);
      copy(n, out, steps_[last], *saved, size_of(output_.type));
      *saved += n * size_of(output_.type);
    }
    for (const Stage& stage : stages_) block(stage, begin, n, out, scratch);
  }
}

void Arrays::Chain::block(const Stage& stage, int64_t begin, int64_t n, char* out, char* scratch) {
  const int last = rank_ - 1;
  const Node& node = nodes_[stage.node];
  const ArrayLoop& loop = *node.loop;
  const bool is_root = stage.node == nodes_.size() - 1;
  const auto data_of = [&](const Operand& operand) {
    if (operand.leaf >= 0) {
      const Leaf& leaf = leaves_[operand.leaf];
      return leaf.data + begin * leaf.steps[last];
    }
    if (operand.node >= 0) return scratch + operand.node * kBlockBytes;
    return const_cast<char*>(operand.scalar);
  };
  char* const to = is_root ? out : scratch + stage.node * kBlockBytes;
  const int size = size_of(loop.types[loop.inputs]);
  const int64_t to_step = is_root ? steps_[last] : size;
  if (stage.end > 0) {
    for (int k = stage.begin; k < stage.end; ++k) {
      if (operands_[k].scalar == nullptr) steps_of_paths_[k].data = data_of(operands_[k]);
    }
    const PathStep* const steps = steps_of_paths_.begin() + stage.begin;
    const int count = stage.end - stage.begin;
    if (loop.types[0] == Type::f64) {
      elem_path().f64(steps, count, reinterpret_cast<double*>(to), to_step / size, n);
    } else {
      elem_path().f32(steps, count, reinterpret_cast<float*>(to), to_step / size, n);
    }
  } else {
    char* data[3];
    intptr_t strides[3];
    for (int k = 0; k < loop.inputs; ++k) {
      const Operand& operand = node.operands[k];
      data[k] = data_of(operand);
      strides[k] = 0;
      if (operand.leaf >= 0) strides[k] = leaves_[operand.leaf].steps[last];
      if (operand.node >= 0) {
        const ArrayLoop& made = *nodes_[operand.node].loop;
        strides[k] = size_of(made.types[made.inputs]);
      }
    }
    data[loop.inputs] = to;
    strides[loop.inputs] = to_step;
    const intptr_t length = n;
    loop.function(data, &length, strides, loop.extra);
  }
  // Some of NumPy's loops clear the flags, the next ones' perhaps.
  if (has_loops_) flags_ |= std::fetestexcept(kFlags);
}

}  // namespace units
}  // namespace hybrid
