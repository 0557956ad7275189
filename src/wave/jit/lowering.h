// Turns a region of nodes into an LLVM function. regions.h says what a region is, compiler.h what the function returns.
#pragma once
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>

#include "wave/jit/compiler.h"
#include "wave/jit/host_addresses.h"

namespace Atoll::wave {

class Lowering {
public:
  // `width`: lanes of a chunk, 8 or 16, or all lanes of the wave for ISAs whose registers are byte regions.
  Lowering(llvm::Module& module, const Program& program, const RegionSet& set, const CompileOptions& options, int width);
  // Adds the function `name` for the region, which check_region() has passed with this plan.
  llvm::Function* lower(const CodeRegion& region, const AccessPlan& plan, const std::string& name);
  // The loop that is entered at this region (CodeRegion::loop); `width` must be all lanes.
  llvm::Function* lower_loop(const CodeRegion& entry, const std::string& name);

private:
  using V = llvm::Value*;
  using Block = llvm::BasicBlock*;

  llvm::Module& module_;
  const Program& program_;
  const RegionSet& set_;
  const CompileOptions& options_;
  const Wave& like_;
  const int width_;
  const bool wide_;  // more than 32 lanes: masks take two words
  const uint32_t active_cell_;
  llvm::IRBuilder<> b_;
  llvm::Type *i1_, *i8_, *i32_, *i64_, *f32_, *f64_, *vi32_, *vi64_, *vf32_, *vf64_, *vi1_;
  llvm::IntegerType* piece_;  // a chunk's bits of a mask

  // of the region being lowered
  const CodeRegion* region_ = nullptr;
  llvm::Function* function_ = nullptr;
  const AccessPlan* plan_ = nullptr;
  HostAddresses addresses_;
  V wave_ = nullptr, chunk_ = nullptr;
  V active_ = nullptr;  // the chunk's active lanes, <W x i1>; of a loop: null until asked for (active_lanes)
  std::vector<V> values_;
  std::vector<V> floats_;       // a U32/U64 node that holds the bits of a computed float: that float
  std::vector<bool> computed_;  // a float node: its NaN payload is not yet by rule
  std::map<uint64_t, V> scalar_live_in_, scalars_;
  std::map<uint64_t, std::pair<V, V>> mask_snapshot_;                       // by node
  std::map<uint64_t, V> lane_home_, mask_home_, mask_total_, scalar_home_;  // allocas
  std::map<uint64_t, V> lanes_, masks_;                                     // cached current values in the body
  std::map<uint64_t, V> lane_float_;  // the computed float that a lane register's current value is
  std::set<uint64_t> lanes_written_, masks_written_, scalars_written_, lanes_read_;
  std::vector<HostAddresses::Proof> proofs_;  // of the plan's groups, as far as their guards stand
  std::set<uint64_t> carried_floats_;         // lane registers that bring a computed float around a loop
  V nan_seen_ = nullptr;                      // alloca: a chunk's bits
  Block slow_ = nullptr;                      // where a failed guard goes; null in the slow version
  bool has_memory_ = false;
  bool noted_ = false;  // the body has looked at bits since it last asked whether they were a NaN's
  // of a loop (loop_lowering.cpp)
  bool whole_ = false;                // all lanes together, homes for every register
  std::set<uint64_t> unmerged_;       // lane registers whose cached value has not met the active mask
  std::set<uint64_t> mask_cells_;     // that the loop uses as masks
  std::vector<V> twins_;              // of a block: the lanes of scalar nodes that are masks
  std::map<uint64_t, int> low_word_;  // of a block: the 64-bit node whose low half a scalar register holds
  V ever_active_ = nullptr;           // alloca: lanes that were active when something was merged
  V steps_done_ = nullptr;            // alloca i64

  // --- types, constants
  llvm::Type* type(Type t);
  V constant(const Node& node);
  V splat(V scalar) { return b_.CreateVectorSplat(unsigned(width_), scalar); }
  V iota(uint32_t step);
  V wave_field(size_t offset, llvm::Type* type, bool is_volatile = false);
  V cell_pointer(uint64_t cell) { return b_.CreateConstInBoundsGEP1_64(i8_, wave_, cell); }
  V make_alloca(llvm::Type* t, const char* name);
  V any(V mask);       // i1: some lane is set
  V lanes_of(V bits);  // a chunk's bits of a mask as <W x i1>
  llvm::MDNode* odds(uint32_t taken, uint32_t not_taken);

  // --- the parts of a loop's function (loop_lowering.cpp)
  void survey_loop(const std::vector<const CodeRegion*>& members);
  void emit_loop_block();
  void leave_loop(uint64_t pc);
  V active_lanes();
  V whole_mask(uint64_t cell);
  void merge_lanes();
  V twin(const Node& x);
  void write_whole_scalar(uint64_t cell, V value, int node);
  void write_whole_mask(uint64_t cell, V lanes);

  // --- the parts of a function
  void begin_function(const std::string& name);
  void survey();
  void emit_prologue();
  void emit_chunk_loop();
  void emit_body(Block where, Block commit);
  void emit_loop_end(Block commit, Block again);
  void emit_epilogue();
  void terminate();
  void call_tail();
  void signal_barrier();
  void wait_barrier();
  void hand_over(V group, V completed);
  void emit(size_t n);
  void return_code(Code code, V index);
  void return_to(uint64_t pc);

  // --- registers
  V read_scalar(uint64_t cell);
  V read_lanes(uint64_t cell);
  V mask_piece(V low, V high);
  V read_mask(size_t n, const Node& node);
  V active_piece();

  // --- arithmetic
  V hidden(V constant);
  V arithmetic(const Node& node, V a, V b, V c);
  V exact(const Node& node, V result, std::initializer_list<V> operands);
  V saturated(V x, llvm::Type* to, bool is_signed);
  V float_call(llvm::Intrinsic::ID plain, llvm::Intrinsic::ID constrained, llvm::ArrayRef<V> operands);
  V float_of(int node);
  void find_carried_floats(const std::vector<const CodeRegion*>& members);
  bool holds_computed_float(int node) const;
  void note_carried_float(uint64_t cell);
  void note_nan(V computed);
  void leave_for_noted_nan();  // before memory is touched where such bits say
  void leave_for_exact();
  void observe(int node);    // the bits of this node are about to be seen
  bool constrained() const;  // a rounding that LLVM must not take for granted
  bool flushes() const;      // denormals, of some type

  // --- memory (memory_lowering.cpp)
  V load(size_t n, const Node& node);
  void store(size_t n, const Node& node);
  V scalar_load(size_t n, const Node& node);
  const HostAddresses::Proof& guarded(int group);
  V live_lanes(int condition);
  bool runs_round() const;
  void need_here(V loaded);
  V slow_load(const Node& node, V low, V high);
  void slow_store(const Node& node, V low, V high, V value);
  V call_host(const void* function, llvm::Type* result, llvm::ArrayRef<V> arguments);
  V pointer_constant(const void* p) { return b_.CreateIntToPtr(b_.getInt64(uint64_t(p)), b_.getPtrTy()); }
  V read_region(const Node& node);
  void write_region(const Node& node);
};

}  // namespace Atoll::wave
