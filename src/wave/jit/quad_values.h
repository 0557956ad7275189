// Values that are the same in the four lanes of a quad are computed once for each quad: what a texture's level of detail is made
// of. They begin where a node takes one lane of each quad (Op::QuadLane) and go on through arithmetic on such values, constants and
// scalars.
#pragma once
#include <vector>

#include "wave/jit/function_builder.h"

namespace Atoll::wave {

class QuadValues {
public:
  using V = llvm::Value*;
  QuadValues(FunctionBuilder& f, const std::vector<V>& values) : f_(f), b_(f.ir), values_(values) {}

  void begin_block(size_t nodes) { quads_.assign(nodes, nullptr); }
  // The node's value for all lanes, if it could be computed by quads; else null, and nothing is done.
  V emit(const std::vector<Node>& nodes, size_t n);

private:
  FunctionBuilder& f_;
  llvm::IRBuilder<>& b_;
  const std::vector<V>& values_;  // by node, for all lanes
  std::vector<V> quads_;          // by node, a lane for each quad; null: not computed so

  llvm::Type* type(Type t);
  V leaf(const std::vector<Node>& nodes, int node);
  V operand(const std::vector<Node>& nodes, int node);
  template <class Find>
  V compute_of(const Node& x, Find find);
  V compute(const Node& x, V a, V b, V c);
};

}  // namespace Atoll::wave
