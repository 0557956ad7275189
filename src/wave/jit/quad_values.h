// Values that are the same in the four lanes of a quad are computed once for each quad: what a texture's level of detail is made
// of. They begin where a node takes one lane of each quad (Op::QuadLane) and go on through arithmetic on such values, constants and
// scalars. Values that follow from registers as the region finds them are computed for all of the wave's quads before its chunks:
// a chain of forty operations that wait for each other, once instead of for each chunk.
#pragma once
#include <vector>

#include "wave/jit/function_builder.h"

namespace Atoll::wave {

class QuadValues {
public:
  using V = llvm::Value*;
  QuadValues(FunctionBuilder& f, const std::vector<V>& values) : f_(f), b_(f.ir), values_(values) {}

  V chunk = nullptr;  // i64: the first lane of the one that is lowered

  // Before the chunks of a region that runs through them once, with its scalars computed where they need nothing from the lanes.
  void compute_for_wave(const std::vector<Node>& nodes);
  void begin_block(size_t nodes) { quads_.assign(nodes, nullptr); }
  // The node's value for all lanes, if it could be computed by quads; else null, and nothing is done.
  V emit(const std::vector<Node>& nodes, size_t n);
  // True if the node's value is no NaN, because NaNs are replaced.
  static bool is_number(const std::vector<Node>& nodes, int node);

private:
  FunctionBuilder& f_;
  llvm::IRBuilder<>& b_;
  const std::vector<V>& values_;  // by node, for all lanes
  std::vector<V> quads_;          // by node, a lane for each quad; null: not computed so
  unsigned count_ = 0;            // quads that are computed together: a chunk's or the wave's
  struct OfWave {
    bool is_computed = false;
    V home = nullptr;  // alloca with all quads' values, where something else uses it
  };
  std::vector<OfWave> of_wave_;  // by node; empty: none

  bool may_compute() const { return !f_.options.exact && !f_.constrained() && f_.width % 4 == 0; }
  llvm::Type* type(Type t);
  V lane_for_wave(const std::vector<Node>& nodes, const Node& x, const std::vector<bool>& as_found);
  void keep_for_chunks(const std::vector<Node>& nodes);
  V load_for_chunk(const Node& x, V home);
  V spread(V narrow);
  V leaf(const std::vector<Node>& nodes, int node);
  V operand(const std::vector<Node>& nodes, int node);
  template <class Find>
  V compute_of(const Node& x, Find find);
  V compute(const Node& x, V a, V b, V c);
};

}  // namespace Atoll::wave
