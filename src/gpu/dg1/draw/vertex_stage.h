// The vertex stage: elements from the vertex fetcher become entries of the URB, by threads of the vertex shader (SIMD8) where there is one.
// PRM volume 2a, 3DSTATE_VS; the payload as Mesa's compiler takes it (22.3.6 brw_fs_visitor.cpp and brw_fs.cpp, run_vs).
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "gpu/dg1/draw/attributes.h"
#include "gpu/dg1/draw/urb_threads.h"
#include "gpu/dg1/draw/vertex_fetch.h"
#include "pipeline/stages.h"

namespace Atoll::dg1 {

// The vertex fetcher as the stage calls it.
struct VertexSource {
  unsigned elements = 0;
  // As VertexFetch::fetch().
  std::function<bool(std::span<const uint32_t> numbers, std::span<const uint32_t> instances, uint32_t* out, uint8_t* edges,
                     std::string& fault)>
      fetch;
};
inline VertexSource source_of(const VertexFetch& fetch) {  // which stands while it is used
  return {fetch.elements(),
          [&fetch](std::span<const uint32_t> numbers, std::span<const uint32_t> instances, uint32_t* out, uint8_t* edges,
                   std::string& fault) { return fetch.fetch(numbers, instances, out, edges, fault); }};
}

// A draw's vertices as entries of the URB. It stands while the draw does; several threads may shade at once, each a worker's.
class VertexShading {
public:
  // False: the context is lost.
  bool find(Context& context, VertexSource source, unsigned workers);

  // Rows of a vertex's entry, and slots of 16 bytes.
  uint32_t entry_rows() const { return entry_rows_; }
  unsigned slots() const { return entry_rows_ * 4; }
  // Fills entries `first` on, one a vertex, of `entries` of the URB. `edges`: a byte a vertex. False: as UrbThreads::run().
  bool shade(unsigned worker, std::span<const uint32_t> numbers, std::span<const uint32_t> instances, Urb& urb,
             const xe_lp::UrbEntries& entries, uint32_t first, uint8_t* edges);

private:
  struct Worker {
    std::unique_ptr<UrbThreads> threads;
    std::vector<uint32_t> elements;
  };

  Context* context_ = nullptr;
  VertexSource source_;
  bool enabled_ = false;
  StageSetup setup_;
  unsigned first_element_ = 0, read_elements_ = 0;  // that stand in a thread's registers
  unsigned elements_register_ = 0;                  // the first of these
  uint32_t entry_rows_ = 1;
  std::vector<Worker> workers_;
};

// The stage of a draw that has no other before its pixels, for a replica of its primitives (vue.h). Null: the context is lost. `workers`:
// who may call it.
std::unique_ptr<pipeline::VertexStage> make_vertex_stage(Context& context, VertexSource source, const AttributeMap& attributes,
                                                         unsigned workers, unsigned replica = 0);
// The same of the context's workers and a fetcher that stands while the stage does.
inline std::unique_ptr<pipeline::VertexStage> make_vertex_stage(Context& context, const VertexFetch& fetch,
                                                                const AttributeMap& attributes, unsigned replica) {
  return make_vertex_stage(context, source_of(fetch), attributes, context.workers->count(), replica);
}

}  // namespace Atoll::dg1
