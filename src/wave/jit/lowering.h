// Turns a region of nodes, or a loop of several regions, into an LLVM function. regions.h says what a region is, compiler.h what
// the function returns. The parts: the function itself (FunctionBuilder), its registers (RegisterValues), float arithmetic
// (FloatRules), NaNs whose payload nobody may see (NanWatch), loads and stores (MemoryLowering), barriers (barrier_lowering.h).
// This class puts them together: a region's function (lowering.cpp), a loop's (loop_lowering.cpp), a node (node_lowering.cpp).
#pragma once
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>

#include "wave/jit/byte_file.h"
#include "wave/jit/float_rules.h"
#include "wave/jit/function_builder.h"
#include "wave/jit/memory_lowering.h"
#include "wave/jit/nan_watch.h"
#include "wave/jit/passages.h"
#include "wave/jit/quad_values.h"
#include "wave/jit/register_values.h"

namespace Atoll::wave {

class Lowering {
public:
  // `width`: lanes of a chunk (chunk_lanes), or all lanes of the wave for ISAs whose registers are byte regions.
  Lowering(llvm::Module& module, const Program& program, const RegionSet& set, const CompileOptions& options, int width);
  // Adds the function `name` for the region, which check_region() has passed with this plan.
  llvm::Function* lower(const CodeRegion& region, const AccessPlan& plan, const std::string& name);
  // The loop that is entered at this region (CodeRegion::loop); `width` must be all lanes.
  // `plans`: of its regions, in the order of CodeRegion::loop; all their accesses are in line.
  llvm::Function* lower_loop(const CodeRegion& entry, std::span<const AccessPlan> plans, const std::string& name);
  // The regions of a passage (passages.h), which check_region() has passed with the plans of theirs; `alone`: the function of its first
  // one by itself.
  llvm::Function* lower_passage(const Passage& passage, std::span<const AccessPlan> plans, llvm::Value* alone,
                                const std::string& name);

private:
  using V = llvm::Value*;
  using Block = llvm::BasicBlock*;

  const CodeRegion* region_ = nullptr;  // being lowered
  const AccessPlan* plan_ = nullptr;
  std::vector<V> values_;  // by node
  FunctionBuilder f_;
  llvm::IRBuilder<>& b_;
  RegisterValues r_;
  NanWatch nans_;
  FloatRules float_rules_;
  MemoryLowering memory_;
  QuadValues quads_;
  ByteFile bytes_;
  bool has_memory_ = false;
  V steps_done_ = nullptr;  // alloca i64: instructions of a loop's iterations

  // --- a region (lowering.cpp)
  void survey();
  void emit_prologue();
  void emit_chunk_loop();
  V emit_body();
  void emit_loop_end(V seen, Block commit, Block again);
  void emit_epilogue();
  void terminate();
  void go_on_in_mode(V target);
  void call_tail();
  void leave_for_noted_nan();  // before memory is touched where such bits say
  void leave_for_exact();
  V nans_in_registers();

  // --- a region of a file of bytes (byte_file_lowering.cpp)
  bool in_order_ = false;
  llvm::Function* lower_in_order(const CodeRegion& region, const AccessPlan& plan, const std::string& name);
  // One way through the region. `channels`: those that are on, whatever else is; it may go round where the region is a loop.
  struct Way {
    Block if_guards_fail = nullptr;
    uint32_t channels = 0;
    bool rounds = false;
  };
  void emit_in_order(const Way& way);
  V emit_nodes_in_order(const Way& way);
  void count_steps(V steps);
  Block nan_exit_ = nullptr;  // of a passage's region: where it leaves for a NaN
  uint64_t channels_cell_ = 0;
  uint32_t channels_used();
  V channels_are_on(V active, uint32_t channels);
  bool emit_known_ones(size_t n);
  std::vector<uint32_t> ones_;  // by node: bits of a scalar that are known to be 1
  uint32_t active_ones_ = 0;    // the same of the active lanes' word
  // NaNs whose bits were looked at since that was last asked.
  std::map<unsigned, V> nans_in_order_;              // by number of lanes
  V nan_waits_ = nullptr, nan_condition_ = nullptr;  // one more, and the lanes in which it counts (null: all)
  // Dwords of the file (by cell) that hold computed floats which nobody has looked at; null: of a loop's round before.
  std::map<uint64_t, V> floats_in_file_;
  void find_carried_in_order();
  void read_in_order(size_t n);
  void write_in_order(const Node& x, V computed, V condition);
  void look_at_floats(uint64_t cell, uint64_t bytes);
  void note_in_order(V computed, V condition);
  void settle_in_order();
  void count_nans(V a, V b, V condition);
  void leave_for_nan_in_order();

  // --- regions of a file of bytes that follow each other (passage_lowering.cpp)
  // Work that cannot be done again after something else: by space, LDS being the second.
  struct Done {
    bool loads[2] = {}, stores[2] = {}, signals = false;
    void operator|=(const Done& b) {
      for (int space : {0, 1}) loads[space] |= b.loads[space], stores[space] |= b.stores[space];
      signals |= b.signals;
    }
  };
  struct PassagePart {
    const CodeRegion* region = nullptr;
    const AccessPlan* plan = nullptr;
    Block begin = nullptr;
    ByteFile::Units touched, live;
    ByteFile::Units resident,
        changed;  // where it begins: units that stand in the function; those that the wave does not have yet
    Done done;    // since the wave was last as it was at its pc
  };
  static Done done_by(const CodeRegion& region);
  static bool may_follow(const Done& before, const Done& next);
  std::map<uint64_t, PassagePart> parts_;  // by pc
  ByteFile::Units find_residents(uint64_t entry);
  void emit_part(PassagePart& part, V alone);
  void leave_passage(const ByteFile::Units& changed, const LiveLanes& live);
  void end_part(const PassagePart& part, const ByteFile::Units& changed);

  // --- a region on all lanes at once, in the order of the program (whole_lowering.cpp)
  bool all_at_once_ = false;
  bool lanes_begun_ = false;  // something was written under the mask that is active
  llvm::Function* lower_whole(const CodeRegion& region, const AccessPlan& plan, const std::string& name);
  void write_scalar_in_order(uint64_t cell, V value);
  void write_mask_in_order(uint64_t cell, V lanes);
  V mask_in_order(uint64_t cell);

  // --- a node (node_lowering.cpp)
  void emit(size_t n);
  bool emit_register_access(size_t n, V a, V second);
  V integer_or_texture(const Node& x, V a, V second, V c);

  // --- lanes among each other, and what is done for the whole wave (lane_lowering.cpp)
  std::map<uint32_t, V> kept_;  // by step: alloca, an atomic's slots
  V move_lanes(const Node& x, V value);
  V pick_lanes(V value, V lane);
  V in_vectors(unsigned size, V index, const std::function<V(V)>& of_one);
  V constant_words(const Node& node, V index);
  V with_named_rounding(Op op, std::array<V, 3> operands);
  struct {
    Block from = nullptr, after = nullptr;
    NanWatch::Mark nans;
    std::map<unsigned, V> in_order;  // nans_in_order_ before it
  } seldom_;
  void begin_seldom(const Node& x);
  V end_seldom(const Node& x);
  V read_lane(size_t n, const Node& x);
  void keep_lanes(const Node& x);
  void run_atomic(const Node& x);
  void call_whole(const Node& x);
  void put_scalars_back();

  // --- a loop over several regions (loop_lowering.cpp)
  bool whole_ = false;                // all lanes together, homes for every register
  std::set<uint64_t> unmerged_;       // lane registers whose cached value has not met the active mask
  std::set<uint64_t> mask_cells_;     // that the loop uses as masks
  std::vector<V> twins_;              // of a block: the lanes of scalar nodes that are masks
  std::map<uint64_t, int> low_word_;  // of a block: the 64-bit node whose low half a scalar register holds
  uint64_t loop_pc_ = 0;              // where it is entered, and given up
  V ever_active_ = nullptr;           // alloca: lanes that were active when something was merged
  void survey_loop(const std::vector<const CodeRegion*>& members);
  void emit_loop_block();
  void leave_loop(uint64_t pc);
  V active_lanes();
  V whole_mask(uint64_t cell);
  void merge_lanes();
  V twin(const Node& x);
  void write_whole_scalar(uint64_t cell, V value, int node);
  void write_whole_mask(uint64_t cell, V lanes);
};

}  // namespace Atoll::wave
