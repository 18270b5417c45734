#include "units/machine.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "units/numbers.h"

namespace hybrid {
namespace units {
namespace {

constexpr int64_t kFuel = 1 << 17;      // loop steps between two looks for interrupts
constexpr int64_t kPrice = 32;          // of whole arrays, in such steps
constexpr int64_t kWork = 256;          // between two snapshots
constexpr size_t kMostAppended = 4096;  // before somebody takes them

// The processor's sticky flags as they were before.
class KeptFlags {
 public:
  KeptFlags() : before_(std::fetestexcept(FE_ALL_EXCEPT)) { std::feclearexcept(FE_ALL_EXCEPT); }
  ~KeptFlags() {
    std::feclearexcept(FE_ALL_EXCEPT);
    if (before_) std::feraiseexcept(before_);
  }
  KeptFlags(const KeptFlags&) = delete;
  KeptFlags& operator=(const KeptFlags&) = delete;

 private:
  const int before_;
};

}  // namespace

Run::Run(const Unit& unit, std::vector<Register> registers, std::vector<Array> arrays, Calls* calls,
         Appends* appends)
    : unit_(unit),
      registers_(std::move(registers)),
      arrays_(std::move(arrays)),
      calls_(calls),
      appends_(appends) {}

void Run::collect(const std::vector<Register>& kept) {
  arrays_.collect(registers_.data(), static_cast<size_t>(unit_.registers), kept.data(),
                  static_cast<size_t>(unit_.variables));
}

// The instructions of a step run one after the other; each jumps to the next one's code.
Result Run::go(bool (*stop)(), const int watched) {
  static const void* const code_of[] = {
#define OP(name, operands) &&do_##name,
#include "units/opcodes.inc"
#undef OP
  };
  const KeptFlags flags;
  const Instruction* const code = unit_.code.data();
  const Instruction* i = code;
  Register* const r = registers_.data();
  Register* const m = r + unit_.registers;  // imaginary parts
  std::vector<Register> kept(2 * static_cast<size_t>(unit_.variables));
  Result result;
  int64_t passes = 0, committed = 0, countdown = 0, fuel = kFuel, burnt = 0, saved = 0;
  size_t appended = 0;  // committed

#define NEXT goto* code_of[static_cast<int>((++i)->op)]
#define GO_TO(target)                       \
  do {                                      \
    i = code + (target);                    \
    goto* code_of[static_cast<int>(i->op)]; \
  } while (0)
#define LEAVE_IF(condition)                        \
  do {                                             \
    if (__builtin_expect(condition, 0)) goto left; \
  } while (0)
#define LOOK_FOR_INTERRUPTS               \
  if (__builtin_expect(--fuel <= 0, 0)) { \
    burnt += kFuel;                       \
    fuel = kFuel;                         \
    if (stop()) goto interrupted;         \
  }
#define A r[i->a]
#define B r[i->b]
#define C r[i->c]
#define D r[i->d]
#define MA m[i->a]
#define MB m[i->b]
#define MC m[i->c]
  goto* code_of[static_cast<int>(i->op)];

do_commit:
  ++passes;
  // Snapshots are short beside the work between them.
  if (--countdown <= 0 || burnt - fuel >= saved) {
    LEAVE_IF(watched && std::fetestexcept(watched));
    std::memcpy(kept.data(), r, unit_.variables * sizeof(Register));
    std::memcpy(kept.data() + unit_.variables, m, unit_.variables * sizeof(Register));
    arrays_.commit();
    if (calls_ != nullptr) calls_->commit();
    if (arrays_.has_garbage()) arrays_.collect(kept.data(), unit_.variables, nullptr, 0);
    committed = passes;
    if (appends_ != nullptr && appended_.size() >= kMostAppended) {
      appends_->take(appended_);
      appended_.clear();
    }
    appended = appended_.size();
    result.kinds = i->a;
    countdown = i->d;
    saved = burnt - fuel + kWork;
  }
  NEXT;
do_exit:
  LEAVE_IF(watched && std::fetestexcept(watched));
  result.end = static_cast<End>(i->a);
  if (i->c) goto back;
  result.kinds = i->b;
  result.work = burnt + kFuel - fuel;
  // A step that ends the loop early has been taken too.
  result.steps = passes - (result.end == End::over);
  return result;
do_leave:
  goto left;
do_jump:
  GO_TO(i->a);
do_back:
  LOOK_FOR_INTERRUPTS
  GO_TO(i->a);
do_next:
  {
    Register* const loop = &r[i->a];
    if (loop[1].i == 0) GO_TO(i->c);
    LOOK_FOR_INTERRUPTS
    B.i = loop[0].i;
    --loop[1].i;
    // After the last step there may be no number of 64 bits.
    loop[0].i = static_cast<int64_t>(static_cast<uint64_t>(loop[0].i) + loop[2].i);
    NEXT;
  }
do_steps_of:
  {
    const int64_t start = B.i, end = C.i, step = D.i;
    LEAVE_IF(step == 0 || step == std::numeric_limits<int64_t>::min());
    uint64_t steps = 0;
    if (step > 0 && start < end) {
      steps = (static_cast<uint64_t>(end) - start - 1) / step + 1;
    } else if (step < 0 && start > end) {
      steps = (static_cast<uint64_t>(start) - end - 1) / -step + 1;
    }
    LEAVE_IF(steps > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
    A.i = static_cast<int64_t>(steps);
    NEXT;
  }
do_move:
  A = B;
  NEXT;
do_move_c:
  A = B;
  MA = MB;
  NEXT;
do_pick:
  A = B.i ? C : D;
  NEXT;
do_if_false:
  if (!A.i) GO_TO(i->b);
  NEXT;
do_if_zero_f:
  if (A.f == 0) GO_TO(i->b);
  NEXT;
#define BRANCH(name, condition)           \
  do_##name : if (condition) GO_TO(i->c); \
  NEXT;
  BRANCH(if_eq_i, A.i == B.i)
  BRANCH(if_ne_i, A.i != B.i)
  BRANCH(if_lt_i, A.i < B.i)
  BRANCH(if_le_i, A.i <= B.i)
  // Those of doubles raise no flag for nan.
  BRANCH(if_eq_f, A.f == B.f)
  BRANCH(unless_eq_f, !(A.f == B.f))
  BRANCH(unless_lt_f, !std::isless(A.f, B.f))
  BRANCH(unless_le_f, !std::islessequal(A.f, B.f))
#undef BRANCH
#define GIVES(name, field, value) \
  do_##name : A.field = value;    \
  NEXT;
  GIVES(eq_i, i, B.i == C.i)
  GIVES(ne_i, i, B.i != C.i)
  GIVES(lt_i, i, B.i < C.i)
  GIVES(le_i, i, B.i <= C.i)
  GIVES(eq_f, i, B.f == C.f)
  GIVES(ne_f, i, B.f != C.f)
  GIVES(lt_f, i, std::isless(B.f, C.f))
  GIVES(le_f, i, std::islessequal(B.f, C.f))
  GIVES(eq_c, i, B.f == C.f && MB.f == MC.f)
  GIVES(ne_c, i, B.f != C.f || MB.f != MC.f)
  GIVES(not_i, i, !B.i)
  GIVES(true_f, i, B.f != 0)
  GIVES(true_c, i, B.f != 0 || MB.f != 0)
  GIVES(and_i, i, B.i & C.i)
  GIVES(or_i, i, B.i | C.i)
  GIVES(xor_i, i, B.i ^ C.i)
  GIVES(invert_i, i, ~B.i)
  GIVES(invert_u, i, ~B.i & ((int64_t{1} << i->c) - 1))
  GIVES(add_f, f, B.f + C.f)
  GIVES(sub_f, f, B.f - C.f)
  GIVES(mul_f, f, B.f * C.f)
  GIVES(div_f, f, B.f / C.f)
  GIVES(floordiv_f, f, floor_divided(B.f, C.f))
  GIVES(mod_f, f, remainder(B.f, C.f))
  GIVES(pow_f, f, std::pow(B.f, C.f))
  GIVES(neg_f, f, -B.f)
  GIVES(abs_f, f, std::fabs(B.f))
  GIVES(round_f, f, static_cast<float>(B.f))
  GIVES(to_f, f, static_cast<double>(B.i))
  GIVES(floor_f, f, std::floor(B.f))
  GIVES(ceil_f, f, std::ceil(B.f))
  GIVES(near_f, f, std::nearbyint(B.f))
  GIVES(min_i, i, B.i < C.i ? B.i : C.i)
  GIVES(abs_c, f, std::hypot(B.f, MB.f))
  GIVES(real_c, f, B.f)
  GIVES(imag_c, f, MB.f)
  GIVES(math_1, f, math_1(static_cast<Math1>(i->c), B.f))
  GIVES(math_2, f, math_2(static_cast<Math2>(i->c), B.f, D.f))
#undef GIVES
do_add_i:
  {
    int64_t made;
    LEAVE_IF(__builtin_add_overflow(B.i, C.i, &made));
    A.i = made;
    NEXT;
  }
do_sub_i:
  {
    int64_t made;
    LEAVE_IF(__builtin_sub_overflow(B.i, C.i, &made));
    A.i = made;
    NEXT;
  }
do_mul_i:
  {
    int64_t made;
    LEAVE_IF(__builtin_mul_overflow(B.i, C.i, &made));
    A.i = made;
    NEXT;
  }
do_add_ii:
  {
    int64_t made;
    LEAVE_IF(__builtin_add_overflow(B.i, static_cast<int64_t>(i->c), &made));
    A.i = made;
    NEXT;
  }
do_floordiv_i:
  {
    const int64_t a = B.i, b = C.i;
    LEAVE_IF(b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()));
    A.i = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
    NEXT;
  }
do_mod_i:
  {
    const int64_t a = B.i, b = C.i;
    LEAVE_IF(b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()));
    const int64_t rest = a % b;
    A.i = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    NEXT;
  }
do_pow_i:
  LEAVE_IF(!power(B.i, C.i, &A.i));
  NEXT;
do_shl_i:
  {
    const int64_t a = B.i, count = C.i;
    LEAVE_IF(count < 0 || count > 62 || a > (std::numeric_limits<int64_t>::max() >> count) ||
             a < (std::numeric_limits<int64_t>::min() >> count));
    A.i = static_cast<int64_t>(static_cast<uint64_t>(a) << count);
    NEXT;
  }
do_shr_i:
  LEAVE_IF(C.i < 0);
  A.i = B.i >> (C.i > 63 ? 63 : C.i);
  NEXT;
do_shift_fits:
  LEAVE_IF(static_cast<uint64_t>(A.i) >= static_cast<uint64_t>(i->b));
  NEXT;
do_neg_i:
  {
    LEAVE_IF(B.i == std::numeric_limits<int64_t>::min());
    A.i = -B.i;
    NEXT;
  }
do_abs_i:
  LEAVE_IF(B.i == std::numeric_limits<int64_t>::min());
  A.i = B.i < 0 ? -B.i : B.i;
  NEXT;
do_fits:
  LEAVE_IF(!fits(static_cast<Type>(i->b), A.i));
  NEXT;
do_exact_i:
  LEAVE_IF(A.i > (int64_t{1} << 53) || A.i < -(int64_t{1} << 53));
  NEXT;
do_nonzero_f:
  LEAVE_IF(A.f == 0);
  NEXT;
do_number_f:
  LEAVE_IF(std::isnan(A.f));
  NEXT;
do_nonzero_i:
  LEAVE_IF(A.i == 0);
  NEXT;
do_finite_f:
  LEAVE_IF(!std::isfinite(A.f) && !std::isnan(B.f) && (std::isnan(A.f) || std::isfinite(B.f)));
  NEXT;
do_to_i:
  {
    const double f = B.f;
    LEAVE_IF(!(f > -9.2e18 && f < 9.2e18));
    A.i = static_cast<int64_t>(f);
    NEXT;
  }
do_add_c:
  A.f = B.f + C.f;
  MA.f = MB.f + MC.f;
  NEXT;
do_sub_c:
  A.f = B.f - C.f;
  MA.f = MB.f - MC.f;
  NEXT;
do_mul_c:
  {
    const double real = B.f * C.f - MB.f * MC.f;
    MA.f = B.f * MC.f + MB.f * C.f;
    A.f = real;
    NEXT;
  }
do_div_c:
  {
    Register real, imaginary;
    LEAVE_IF(!divide({B.f, MB.f}, {C.f, MC.f}, i->d != 0, &real.f, &imaginary.f));
    A = real;
    MA = imaginary;
    NEXT;
  }
do_neg_c:
  A.f = -B.f;
  MA.f = -MB.f;
  NEXT;
do_to_c:
  A.f = B.f;
  MA.f = 0;
  NEXT;
do_make_c:
  {
    const double part = C.f;
    A.f = B.f;
    MA.f = part;
    NEXT;
  }
do_length:
  A.i = arrays_[B.i].shape[i->c];
  NEXT;
// Addresses of elements; negative indices count from the end.
#define STEP_ALONG(axis, register)                                     \
  {                                                                    \
    int64_t k = (register).i;                                          \
    const int64_t size = array.shape[axis];                            \
    k += k < 0 ? size : 0;                                             \
    LEAVE_IF(static_cast<uint64_t>(k) >= static_cast<uint64_t>(size)); \
    p += k * array.stride[axis];                                       \
  }
// Above the type of an element there is, for an item of a list, its letter.
#define TAG array.tags[(p - array.data) / sizeof(Register)]
#define LOAD                                             \
  if (i->e == static_cast<int>(Type::f64)) {             \
    A.f = read<double>(p);                               \
  } else if (i->e == static_cast<int>(Type::i64)) {      \
    A.i = read<int64_t>(p);                              \
  } else if (i->e > 0xff) {                              \
    LEAVE_IF(TAG != static_cast<char>(i->e >> 8));       \
    A.i = read<int64_t>(p);                              \
  } else {                                               \
    LEAVE_IF(!get(static_cast<Type>(i->e), p, &A, &MA)); \
  }                                                      \
  NEXT;
#define STORE                                                             \
  if (i->e > 0xff) {                                                      \
    LEAVE_IF(!arrays_.set_item(B.i, p, static_cast<char>(i->e >> 8), A)); \
    NEXT;                                                                 \
  }                                                                       \
  LEAVE_IF(!arrays_.log_element(p, static_cast<Type>(i->e)));             \
  if (i->e == static_cast<int>(Type::f64)) {                              \
    std::memcpy(p, &A.f, sizeof(double));                                 \
  } else {                                                                \
    put(static_cast<Type>(i->e), p, A, MA);                               \
  }                                                                       \
  NEXT;
#define ELEMENT(name, find, act)       \
  do_##name : {                        \
    const Array& array = arrays_[B.i]; \
    char* p = array.data;              \
    find;                              \
    act                                \
  }
#define ONE STEP_ALONG(0, C)
#define TWO STEP_ALONG(0, C) STEP_ALONG(1, D)
#define MANY \
  for (int axis = 0; axis < i->d; ++axis) STEP_ALONG(axis, r[i->c + axis])
  ELEMENT(load_1, ONE, LOAD)
  ELEMENT(load_2, TWO, LOAD)
  ELEMENT(load_n, MANY, LOAD)
  ELEMENT(store_1, ONE, STORE)
  ELEMENT(store_2, TWO, STORE)
  ELEMENT(store_n, MANY, STORE)

// Whole arrays.
#define DO(act)                                      \
  {                                                  \
    fuel -= kPrice;                                  \
    LEAVE_IF(watched && std::fetestexcept(watched)); \
    const Did did = act;                             \
    result.large = did == Did::large;                \
    LEAVE_IF(did != Did::well);                      \
    LEAVE_IF(watched && std::fetestexcept(watched)); \
  }
#define MADE(number)                                                \
  A.i = number;                                                     \
  if (__builtin_expect(arrays_.should_collect(), 0)) collect(kept); \
  NEXT;
#define RELEASE(flag, number) \
  if (i->e & (flag)) arrays_.release(number);
do_view:
  {
    const int64_t of = B.i;
    const int64_t number = arrays_.view(of, unit_.parts.data() + i->c, i->d, r);
    LEAVE_IF(number < 0);
    RELEASE(1, of)
    MADE(number)
  }
do_turn:
  {
    const int64_t of = B.i;
    const int64_t number = arrays_.turned(of);
    RELEASE(1, of)
    MADE(number)
  }
do_apply:
  {
    const ArrayLoop& loop = unit_.loops[i->d];
    Arrays::Input inputs[2];
    for (int k = 0; k < loop.inputs; ++k) {
      const int at = k == 0 ? i->b : i->c;
      if (i->e & (1 << k)) {
        put(loop.types[k], inputs[k].scalar, r[at], m[at]);
      } else {
        inputs[k].array = r[at].i;
        inputs[k].dies = i->e & (4 << k);
      }
    }
    int64_t number;
    DO(arrays_.apply(loop, inputs, i->e & 16, i->e & 32, &number))
    MADE(number)
  }
do_apply_s:
  {
    const ArrayLoop& loop = unit_.loops[i->d];
    alignas(16) char numbers[3][16];
    put(loop.types[0], numbers[0], B, MB);
    if (loop.inputs == 2) put(loop.types[1], numbers[1], C, MC);
    char* data[3] = {numbers[0], numbers[1], numbers[2]};
    const intptr_t one = 1, strides[3] = {};  // as NumPy has them for one element
    data[loop.inputs] = numbers[2];
    LEAVE_IF(watched && std::fetestexcept(watched));
    loop.function(data, &one, strides, loop.extra);
    LEAVE_IF(watched && std::fetestexcept(watched));
    LEAVE_IF(!get(loop.types[loop.inputs], numbers[2], &A, &MA));
    NEXT;
  }
do_reduce:
  {
    const ArrayLoop& loop = unit_.loops[i->c];
    const int64_t of = B.i;
    alignas(16) char made[16];
    DO(arrays_.reduced(loop, of, made))
    RELEASE(1, of)
    LEAVE_IF(!get(loop.types[2], made, &A, &MA));
    NEXT;
  }
do_reduce_axis:
  {
    const int64_t of = B.i;
    int64_t number;
    DO(arrays_.reduced(unit_.loops[i->c], of, i->d, &number))
    if (i->e & 2) arrays_.add_axis(number, i->d);
    RELEASE(1, of)
    MADE(number)
  }
do_product:
  {
    const ArrayLoop& loop = unit_.loops[i->d];
    const int64_t left = B.i, right = C.i;
    alignas(16) char made[16];
    int64_t number;
    LEAVE_IF(watched && std::fetestexcept(watched));
    const Did did = arrays_.product(loop, left, right, i->e & 4, &number, made);
    result.large = did == Did::large;
    LEAVE_IF(did != Did::well);
    LEAVE_IF(watched && std::fetestexcept(watched));
    RELEASE(1, left)
    RELEASE(2, right)
    if (i->e & 8) {
      LEAVE_IF(!get(loop.types[2], made, &A, &MA));
      NEXT;
    }
    MADE(number)
  }
do_convert:
  {
    const int64_t of = B.i;
    int64_t number;
    DO(arrays_.converted(of, static_cast<Type>(i->c), &number, i->e & 2))
    RELEASE(1, of)
    MADE(number)
  }
do_accumulate:
  {
    const int64_t of = B.i;
    int64_t number;
    DO(arrays_.accumulated(unit_.loops[i->c], of, &number))
    RELEASE(1, of)
    MADE(number)
  }
do_iota:
  {
    const int64_t number = arrays_.counted(B.i, C.i, D.i);
    LEAVE_IF(number < 0);
    MADE(number)
  }
do_reshape:
  {
    const int64_t of = B.i;
    int64_t shape[kMaxRank];
    for (int axis = 0; axis < i->d; ++axis) shape[axis] = r[i->c + axis].i;
    const int64_t number = arrays_.reshaped(of, shape, i->d);
    LEAVE_IF(number < 0);
    RELEASE(1, of)
    MADE(number)
  }
do_arg_best:
  {
    const int64_t of = B.i;
    const int64_t at = arrays_.best(of, i->e & 2);
    LEAVE_IF(at < 0);
    RELEASE(1, of)
    A.i = at;
    NEXT;
  }
do_take:
  {
    const int64_t of = B.i, indices = C.i;
    int64_t number;
    DO(arrays_.taken(of, indices, &number))
    RELEASE(1, of)
    RELEASE(2, indices)
    MADE(number)
  }
do_choose:
  {
    const Type type = static_cast<Type>(i->c);
    const int64_t condition = B.i;
    Arrays::Input two[2];
    for (int k = 0; k < 2; ++k) {
      const int at = i->b + 1 + k;
      if (i->e & (1 << k)) {
        put(type, two[k].scalar, r[at], m[at]);
      } else {
        two[k].array = r[at].i;
      }
    }
    int64_t number;
    DO(arrays_.chosen(condition, type, two, &number))
    RELEASE(4, condition)
    RELEASE(8, two[0].array)
    RELEASE(16, two[1].array)
    MADE(number)
  }
do_put_at:
  {
    alignas(16) char value[16];
    const bool is_number = i->e & 1;
    if (is_number) put(arrays_[A.i].type, value, C, MC);
    DO(arrays_.put_at(A.i, B.i, is_number ? -1 : C.i, value))
    RELEASE(2, B.i)
    RELEASE(4, C.i)
    NEXT;
  }
do_filled:
  {
    int64_t shape[kMaxRank];
    for (int axis = 0; axis < i->c; ++axis) shape[axis] = r[i->b + axis].i;
    alignas(16) char value[16];
    put(static_cast<Type>(i->e), value, D, m[i->d]);
    const int64_t number = arrays_.filled(shape, i->c, static_cast<Type>(i->e), value);
    LEAVE_IF(number < 0);
    MADE(number)
  }
do_ordered:
  LEAVE_IF(!in_order(arrays_[A.i]));
  NEXT;
do_assign:
  DO(arrays_.assign(A.i, B.i))
  RELEASE(1, A.i)
  RELEASE(2, B.i)
  NEXT;
do_fill:
  {
    alignas(16) char value[16];
    put(arrays_[A.i].type, value, B, MB);
    DO(arrays_.fill(A.i, value))
    RELEASE(1, A.i)
    NEXT;
  }

// Lists.
#define LIST(number) LEAVE_IF(!arrays_.may_grow(number))
#define MADE_OR_LEAVE(make)    \
  {                            \
    const int64_t made = make; \
    fuel -= kPrice;            \
    LEAVE_IF(made < 0);        \
    MADE(made)                 \
  }
do_new_list:
  MADE_OR_LEAVE(arrays_.new_list(i->b, i->c != 0))
do_listed:
  MADE_OR_LEAVE(arrays_.list_of(B.i))
do_repeat:
  MADE_OR_LEAVE(arrays_.repeated(B.i, C.i))
do_push:
  LIST(B.i);
  LEAVE_IF(!arrays_.push(B.i, static_cast<char>(i->c), A));
  NEXT;
do_insert:
  LIST(B.i);
  fuel -= kPrice;
  LEAVE_IF(!arrays_.insert(B.i, C.i, static_cast<char>(i->d), A));
  NEXT;
do_pop:
  LIST(B.i);
  LEAVE_IF(!arrays_.pop(B.i, C.i, static_cast<char>(i->d), &A));
  NEXT;
do_extend:
  LIST(A.i);
  fuel -= kPrice;
  LEAVE_IF(!arrays_.extend(A.i, B.i));
  NEXT;
do_reverse:
  LIST(A.i);
  fuel -= kPrice;
  LEAVE_IF(!arrays_.reverse(A.i));
  NEXT;
do_sort:
  LIST(A.i);
  fuel -= kPrice;
  LEAVE_IF(!arrays_.sort(A.i, static_cast<char>(i->b)));
  NEXT;
do_gather:
  {
    int64_t made;
    DO(arrays_.gathered(B.i, static_cast<char>(i->c), &made))
    MADE(made)
  }
do_find:
  fuel -= kPrice;
  LEAVE_IF(!arrays_.find(B.i, static_cast<char>(i->d), C, &A.i));
  NEXT;
do_is_like:
  {
    const Array& array = arrays_[A.i];
    LEAVE_IF(static_cast<int>(array.type) != i->b || array.rank != i->c);
    NEXT;
  }

do_append:
  if (i->c) arrays_.keep(A.i);
  appended_.push_back({i->b, A, MA});
  NEXT;
do_call:
  if (i->e) LEAVE_IF(!arrays_.will_write(C.i));
  DO(calls_->call(i->b, &arrays_, &C, &MC, &A, &MA))
  if (__builtin_expect(arrays_.should_collect(), 0)) collect(kept);
  NEXT;

do_draw:
  LEAVE_IF(calls_->draw(static_cast<Drawn>(i->b), i->d, C, r[i->c + 1], &A) != Did::well);
  NEXT;

interrupted:
  result.end = End::interrupted;
left:
back:
  arrays_.take_back();
  if (calls_ != nullptr) calls_->take_back();
  appended_.resize(appended);
  std::memcpy(r, kept.data(), unit_.variables * sizeof(Register));
  std::memcpy(m, kept.data() + unit_.variables, unit_.variables * sizeof(Register));
  result.steps = committed - 1;
  result.taken_back = passes - committed;
  result.work = burnt + kFuel - fuel;
  result.at = static_cast<int>(i - code);
  return result;
}

}  // namespace units
}  // namespace hybrid
