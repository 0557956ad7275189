// The geometry stage: threads of eight primitives, or of one primitive's eight instances; each lane leaves its vertices in an entry of the
// URB, with control data before them. PRM volume 2a, 3DSTATE_GS; payload and output: Mesa 22.3.6 brw_fs.cpp (fs_visitor::run_gs,
// setup_gs_payload), brw_vec4_gs_visitor.cpp (brw_compile_gs), brw_fs_visitor.cpp (emit_gs_control_data_bits).
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/dg1/draw/stage_primitives.h"
#include "gpu/dg1/draw/urb_threads.h"
#include "pipeline/state.h"
#include "pipeline/workers.h"

namespace Atoll::dg1 {

inline constexpr uint32_t strip_end = ~0u;  // among vertices' numbers: the next begins a strip

// Vertices that a geometry shader emitted to a stream: where they stand in the URB, in slots of 16 bytes, and in which order and strips.
struct Emitted {
  std::vector<uint32_t> place;
  std::vector<uint32_t> order;       // numbers of `place`, and strip_end
  std::vector<uint32_t> identifier;  // of the primitive that each vertex was made of
  void clear() { place.clear(), order.clear(), identifier.clear(); }
};

class GeometryStage {
public:
  using Streams = std::array<Emitted, 4>;

  bool find(Context& context, unsigned corners, unsigned workers);
  pipeline::Topology topology() const { return topology_; }  // of what it emits
  unsigned vertex_slots() const { return vertex_slots_; }
  // Calls take(streams) for stretches of the primitives, in their order. Entries are added at the URB's end, which are gone when it
  // returns. False: the context is lost, or it said so.
  bool run(Urb& urb, const StagePrimitives& primitives, WorkerPool& workers, const std::function<bool(Streams&)>& take);
  uint64_t invocations() const { return invocations_; }

private:
  bool run_part(Urb& urb, const StagePrimitives& primitives, size_t first, size_t count, WorkerPool& workers);
  void put(uint32_t* payload, Urb& urb, const StagePrimitives& primitives, const xe_lp::UrbEntries& outputs, size_t first,
           size_t begin, unsigned here) const;
  void take_entry(Urb& urb, const xe_lp::UrbEntries& outputs, uint32_t n, uint32_t identifier);

  Context* context_ = nullptr;
  StageSetup setup_;
  pipeline::Topology topology_ = pipeline::Topology::points;
  bool with_identifiers_ = false, with_handles_ = false, static_ = false, stream_ids_ = false;
  unsigned corners_ = 0, instances_ = 1, static_count_ = 0, control_slots_ = 0, default_stream_ = 0;
  unsigned first_slot_ = 0, read_slots_ = 0;  // of each vertex, in the payload
  unsigned vertex_slots_ = 1;                 // of each that is emitted
  uint32_t entry_rows_ = 1;
  uint64_t invocations_ = 0;
  Streams streams_;
  std::vector<std::unique_ptr<UrbThreads>> workers_;
};

}  // namespace Atoll::dg1
