// Floating-point arithmetic in the wave's mode, and what NaN comes out of it: as nan.h says for scalars and in exact versions; in
// the others whichever LLVM's code gives, which NanWatch keeps from being seen.
#pragma once
#include "wave/jit/baseline_floats.h"
#include "wave/jit/function_builder.h"
#include "wave/lane_function.h"

namespace Atoll::wave {

class FloatRules {
public:
  explicit FloatRules(FunctionBuilder& f) : f_(f), b_(f.ir) {}
  // The value of a node from Op::FAdd to Op::CvtF16F32.
  llvm::Value* arithmetic(const Node& node, llvm::Value* a, llvm::Value* b, llvm::Value* c);
  bool in_loop = false;  // a register may bring what an earlier iteration has put there

private:
  using V = llvm::Value*;
  FunctionBuilder& f_;
  llvm::IRBuilder<>& b_;

  V hidden(V constant);
  void hide(const Node& node, V& a, V& b, V& c);
  bool may_be_neutral(V x, int depth) const;
  bool is_flushed(V x) const;
  V exact(const Node& node, V result, std::initializer_list<V> operands);
  V saturated(V x, llvm::Type* to, bool is_signed);
  template <class Convert>
  V in_parts(V a, unsigned lanes, Convert convert);
  V from_half(V a);
  V nearest(V a);
  V half_toward_zero(V a);
  bool without_instruction(V x) const;
  V as_host_reads(V x) const;
  bool calls() const;
  V integral(V a, Toward toward, llvm::Intrinsic::ID intrinsic);
  V float_call(llvm::Intrinsic::ID plain, llvm::Intrinsic::ID constrained, llvm::ArrayRef<V> operands);
};

}  // namespace Atoll::wave
