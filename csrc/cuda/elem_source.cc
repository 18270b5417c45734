#include "cuda/elem_source.h"

#include <cstring>
#include <sstream>

#include "cuda/driver.h"
#include "kernels/device_kernels.h"
#include "kernels/elem_table.h"

namespace hybrid {
namespace cuda {
namespace {

std::string text(int i) { return std::to_string(i); }

// The struct of elem_ops.inc or functions.inc that computes an opcode.
std::string function_name(ElemCode code, DType dtype) {
  const bool is_bool = dtype == DType::boolean;
  if (is_floating(dtype)) {
    if (code == ElemCode::power) return "Power";
  } else {
    switch (code) {
      case ElemCode::floor:
      case ElemCode::ceil:
      case ElemCode::trunc:
      case ElemCode::rint:
      case ElemCode::round:
        return "Copy";
      case ElemCode::power:
        return "IntPower";
      case ElemCode::add:
        return is_bool ? "BitOr" : "Add";
      case ElemCode::mul:
        return is_bool ? "BitAnd" : "Mul";
      case ElemCode::invert:
        return is_bool ? "LogicalNot" : "Invert";
      case ElemCode::abs:
      case ElemCode::square:
      case ElemCode::sign:
      case ElemCode::relu:
        if (is_bool) return "Copy";
        break;
      default:
        break;
    }
  }
  switch (code) {
    case ElemCode::isnan:
      return "IsNan";
    case ElemCode::isinf:
      return "IsInf";
    case ElemCode::isfinite:
      return "IsFinite";
    default:
      break;
  }
  std::string name;
  bool upper = true;
  for (const char* c = elem_code_name(code); *c; ++c) {
    if (*c == '_') {
      upper = true;
      continue;
    }
    name += upper && *c >= 'a' ? static_cast<char>(*c - 'a' + 'A') : *c;
    upper = false;
  }
  return name;
}

std::string converted(const std::string& value, DType from, DType to) {
  if (from == to) return value;
  if (to == DType::boolean) return "to_bool(" + value + ")";
  return "convert<" + std::string(device_type(from)) + ", " + device_type(to) + ">(" + value + ")";
}

std::string operand(const ElemOperand& o, DType dtype, int instr) {
  switch (o.kind) {
    case ElemOperand::input:
      return "v" + text(o.index);
    case ElemOperand::temp:
      return "t" + text(o.index);
    default:
      break;
  }
  const std::string number = "p.c" + text(instr);
  if (is_floating(dtype)) {
    return "static_cast<" + std::string(device_type(dtype)) + ">(__longlong_as_double(" + number +
           "))";
  }
  return "static_cast<" + std::string(device_type(dtype)) + ">(" + number + ")";
}

std::string instruction(const ElemInstr& q, int i) {
  std::string value;
  DType own = q.code == ElemCode::cast ? q.dtype : elem_result(q.code, q.dtype);
  const std::string a = operand(q.a, q.code == ElemCode::where ? DType::boolean : q.dtype, i);
  if (q.code == ElemCode::fill) {
    own = q.out_dtype;
    value = operand({ElemOperand::immediate, 0}, own, i);
  } else if (q.code == ElemCode::cast) {
    value = a;
  } else if (q.code == ElemCode::where) {
    value = a + " ? " + operand(q.b, q.dtype, i) + " : " + operand(q.c, q.dtype, i);
  } else {
    if (elem_table().code[static_cast<int>(q.code)][elem_type(q.dtype)][0] == nullptr ||
        q.code == ElemCode::polygamma) {
      throw NotOnDevice(std::string(elem_code_name(q.code)) + " of " + dtype_name(q.dtype));
    }
    value = function_name(q.code, q.dtype) + "::f(" + a;
    if (!is_unary(q.code)) value += ", " + operand(q.b, q.dtype, i);
    value += ")";
  }
  if (own != q.out_dtype) value = converted("(" + value + ")", own, q.out_dtype);
  return std::string("  const ") + device_type(q.out_dtype) + " t" + text(i) + " = " + value +
         ";\n";
}

class Writer {
 public:
  Writer(const ElemProgram& program, const ElemLayout& layout)
      : program_(program),
        layout_(layout),
        num_in_(static_cast<int>(program.inputs.size())),
        num_views_(num_in_ + static_cast<int>(program.outputs.size())) {}

  std::string write() {
    out_ << "#include \"functions.inc\"\nusing namespace hybrid::HYBRID_ISA;\n";
    out_ << "using Index = " << (layout_.wide_index ? "int64_t" : "uint32_t") << ";\n";
    write_arguments();
    write_element();
    write_kernel();
    return out_.str();
  }

 private:
  DType dtype(int view) const {
    return view < num_in_ ? program_.inputs[static_cast<size_t>(view)]
                          : program_
                                .instrs[static_cast<size_t>(
                                    program_.outputs[static_cast<size_t>(view - num_in_)])]
                                .out_dtype;
  }
  const char* type(int view) const { return device_type(dtype(view)); }

  void write_arguments() {
    out_ << "struct Args {\n";
    for (int v = 0; v < num_views_; ++v) out_ << "  " << type(v) << "* a" << v << ";\n";
    for (size_t i = 0; i < program_.instrs.size(); ++i) {
      if (has_number(program_.instrs[i])) out_ << "  int64_t c" << i << ";\n";
    }
    out_ << "  int64_t n;\n";
    for (int d = 1; d < layout_.ndim; ++d) out_ << "  int64_t size" << d << ";\n";
    for (int v = 0; v < num_views_; ++v) {
      for (int d = 0; d < layout_.ndim; ++d) out_ << "  int64_t s" << v << "_" << d << ";\n";
    }
    out_ << "};\n";
  }

  void write_element() {
    out_ << "HYBRID_INLINE void element(const Args& p";
    for (int v = 0; v < num_in_; ++v) out_ << ", const " << type(v) << " v" << v;
    for (int v = num_in_; v < num_views_; ++v) out_ << ", " << type(v) << "& r" << v;
    out_ << ") {\n";
    for (size_t i = 0; i < program_.instrs.size(); ++i) {
      out_ << instruction(program_.instrs[i], static_cast<int>(i));
    }
    for (int v = num_in_; v < num_views_; ++v) {
      out_ << "  r" << v << " = t" << program_.outputs[static_cast<size_t>(v - num_in_)] << ";\n";
    }
    out_ << "}\n";
  }

  // Offsets of the first of `vector` elements, from their number i.
  void write_offsets() {
    const int last = layout_.ndim - 1;
    out_ << "    Index rest = i;\n";
    for (int d = last; d >= 0; --d) {
      if (d > 0) {
        out_ << "    const Index i" << d << " = rest % Index(p.size" << d
             << ");\n    rest /= Index(p.size" << d << ");\n";
      } else {
        out_ << "    const Index i0 = rest;\n";
      }
    }
    for (int v = 0; v < num_views_; ++v) {
      out_ << "    const int64_t o" << v << " = 0";
      for (int d = 0; d <= last; ++d) {
        const bool inner = d == last;
        if (inner && layout_.steps[static_cast<size_t>(v)] == ElemLayout::one) continue;
        out_ << " + int64_t(i" << d << ")";
        if (!inner || layout_.steps[static_cast<size_t>(v)] == ElemLayout::strided) {
          out_ << " * p.s" << v << "_" << d;
        }
      }
      out_ << ";\n";
    }
  }

  void write_body(int vector) {
    write_offsets();
    const std::string count = text(vector);
    for (int v = 0; v < num_views_; ++v) {
      const bool repeated = layout_.steps[static_cast<size_t>(v)] == ElemLayout::one;
      if (v < num_in_ && (repeated || vector == 1)) {
        out_ << "    const " << type(v) << " x" << v << " = p.a" << v << "[o" << v << "];\n";
      } else if (v < num_in_) {
        out_ << "    const Pack<" << type(v) << ", " << count << "> x" << v
             << " = *reinterpret_cast<const Pack<" << type(v) << ", " << count << ">*>(p.a" << v
             << " + o" << v << ");\n";
      } else {
        out_ << "    Pack<" << type(v) << ", " << count << "> x" << v << ";\n";
      }
    }
    out_ << "    for (int k = 0; k < " << count << "; ++k) {\n      element(p";
    for (int v = 0; v < num_views_; ++v) {
      const bool repeated = layout_.steps[static_cast<size_t>(v)] == ElemLayout::one;
      out_ << ", x" << v << (v < num_in_ && (repeated || vector == 1) ? "" : ".of[k]");
    }
    out_ << ");\n    }\n";
    for (int v = num_in_; v < num_views_; ++v) {
      if (vector == 1) {
        out_ << "    p.a" << v << "[o" << v << "] = x" << v << ".of[0];\n";
      } else {
        out_ << "    *reinterpret_cast<Pack<" << type(v) << ", " << count << ">*>(p.a" << v
             << " + o" << v << ") = x" << v << ";\n";
      }
    }
  }

  void write_kernel() {
    const int vector = layout_.vector;
    out_ << "extern \"C\" __global__ void __launch_bounds__(256) elements(Args p) {\n"
         << "  const Index n = Index(p.n), step = Index(gridDim.x) * 256 * " << vector << ";\n"
         << "  const Index first = Index(blockIdx.x) * 256 + threadIdx.x;\n"
         << "  const Index whole = n / " << vector << " * " << vector << ";\n"
         << "  for (Index i = first * " << vector << "; i < whole; i += step) {\n";
    write_body(vector);
    out_ << "    if (whole - i <= step) break;\n  }\n";  // i + step may not be an Index
    if (vector > 1 && layout_.ndim == 1) {
      out_ << "  if (first < n - whole) {\n    const Index i = whole + first;\n";
      write_body(1);
      out_ << "  }\n";
    }
    out_ << "}\n";
  }

  const ElemProgram& program_;
  const ElemLayout& layout_;
  const int num_in_, num_views_;
  std::ostringstream out_;
};

}  // namespace

bool has_number(const ElemInstr& q) {
  return q.a.kind == ElemOperand::immediate || q.b.kind == ElemOperand::immediate ||
         q.c.kind == ElemOperand::immediate || q.code == ElemCode::fill;
}

const char* device_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    case DType::int8:
      return "int8_t";
    case DType::int16:
      return "int16_t";
    case DType::int32:
      return "int32_t";
    case DType::int64:
      return "int64_t";
    case DType::boolean:
    case DType::uint8:
      return "uint8_t";
    case DType::uint16:
      return "uint16_t";
    case DType::uint32:
      return "uint32_t";
    case DType::uint64:
      return "uint64_t";
    default:
      throw NotOnDevice(std::string(dtype_name(dtype)) + " is computed by the CPU");
  }
}

std::string elem_source(const ElemProgram& program, const ElemLayout& layout) {
  return Writer(program, layout).write();
}

}  // namespace cuda
}  // namespace hybrid
