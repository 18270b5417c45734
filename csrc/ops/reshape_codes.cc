// MXNet's reshape codes.
#include <algorithm>

#include "core/error.h"
#include "ops/attrs.h"
#include "ops/reshape.h"

namespace hybrid {

namespace {

int64_t times(int64_t a, int64_t b) {
  if (a < 0 || b < 0) return -1;
  require(b == 0 || a <= (int64_t{1} << 62) / b, "reshape: sizes multiply beyond 2^62");
  return a * b;
}

class Resolver {
 public:
  Resolver(const Shape& in, const std::vector<int64_t>& spec, const char* op)
      : in_(in.to_vector()), spec_(spec), op_(op), given_(in), kept_(in_.size(), false) {}

  std::vector<int64_t> run(bool reverse) {
    if (reverse) {
      std::reverse(in_.begin(), in_.end());
      std::reverse(spec_.begin(), spec_.end());
    }
    for (size_t i = 0; i < spec_.size(); ++i) {
      switch (spec_[i]) {
        case 0:
          out_.push_back(next());
          break;
        case -1:
          infer_next();
          break;
        case -2:
          while (at_ < in_.size()) out_.push_back(next());
          break;
        case -3: {
          const int64_t first = next();
          out_.push_back(times(first, next()));
          break;
        }
        case -4:
          check(i + 2 < spec_.size(), "-4 needs two sizes after it");
          split(spec_[i + 1], spec_[i + 2]);
          i += 2;
          break;
        default:
          check(spec_[i] > 0, "codes are 0 to -4");
          put(spec_[i]);
          if (at_ < in_.size()) ++at_;
      }
      check(out_.size() <= static_cast<size_t>(kMaxDims), "too many dimensions");
    }
    if (inferred_ >= 0) infer_size();
    if (reverse) std::reverse(out_.begin(), out_.end());
    return out_;
  }

  // Plain sizes and -1.
  std::vector<int64_t> run_plain() {
    for (int64_t d : spec_) {
      check(d >= -1, "sizes are 0 or more, or -1 once");
      if (d == -1) {
        infer_next();
      } else {
        put(d);
      }
    }
    if (inferred_ >= 0) infer_size();
    return out_;
  }

 private:
  void check(bool ok, const char* why) const {
    require(ok, op_, ": given data of shape ", given_, " and shape ",
            attr_text(AttrType::ints, spec_), "; ", why);
  }

  int64_t next() {
    check(at_ < in_.size(), "it asks for more dimensions than data has");
    kept_[at_] = true;
    return in_[at_++];
  }

  void put(int64_t size) {
    out_.push_back(size);
    written_ = times(written_, size);
  }

  void infer_next() {
    check(inferred_ < 0, "at most one size can be inferred (-1)");
    inferred_ = static_cast<int>(out_.size());
    out_.push_back(-1);
    if (at_ < in_.size()) ++at_;
  }

  void split(int64_t left, int64_t right) {
    const int64_t whole = next();
    check(left != -1 || right != -1, "-4 can infer one size, not two");
    check((left == -1 || left > 0) && (right == -1 || right > 0), "-4 splits into positive sizes");
    if (left == -1) left = whole < 0 ? -1 : whole / right;
    if (right == -1) right = whole < 0 ? -1 : whole / left;
    check(whole < 0 || times(left, right) == whole, "-4 does not split that size evenly");
    out_.push_back(left);
    out_.push_back(right);
  }

  // Dimensions that codes keep are on both sides, so that a batch of 0 can be kept.
  void infer_size() {
    int64_t total = 1;
    for (size_t i = 0; i < in_.size(); ++i) {
      if (!kept_[i]) total = times(total, in_[i]);
    }
    if (total < 0) return;  // not known yet
    check(written_ != 0, "-1 cannot be inferred next to a size of 0");
    check(total % written_ == 0, "the element count is not a multiple of the sizes given");
    out_[static_cast<size_t>(inferred_)] = total / written_;
  }

  std::vector<int64_t> in_, spec_, out_;
  const char* op_;
  Shape given_;
  std::vector<bool> kept_;  // by input dimension: goes to the output by a code
  int64_t written_ = 1;     // product of the sizes given as such
  size_t at_ = 0;
  int inferred_ = -1;
};

}  // namespace

Shape resolve_reshape(const Shape& in, const std::vector<int64_t>& spec, bool codes, bool reverse,
                      const char* op) {
  Resolver resolver(in, spec, op);
  const Shape out(codes ? resolver.run(reverse) : resolver.run_plain());
  if (in.known() && out.known()) {
    require(in.size() == out.size(), op, ": given data of shape ", in, " (", in.size(),
            " elements) and shape ", attr_text(AttrType::ints, spec), ", which has ", out.size());
  }
  return out;
}

}  // namespace hybrid
