#include "gpu/dg1/draw/vertex_stage.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/dg1/draw/vue.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

constexpr unsigned lanes = 8;  // vertices of a thread

class LoneVertexStage final : public pipeline::VertexStage {
public:
  LoneVertexStage(const GraphicsState& state, const AttributeMap& attributes, unsigned replica, unsigned workers)
      : reader_(find_vue_reader(state, attributes, replica)), urbs_(workers) {}
  VertexShading& shading() { return shading_; }

  unsigned attribute_count() const override { return reader_.attributes; }
  unsigned batch_size() const override { return most_vertices; }
  bool shade(unsigned worker, const pipeline::VertexBatch& batch, pipeline::Vertex* vertices, float* attributes) override {
    Urb& urb = urbs_[worker];
    urb.clear();
    const auto count = unsigned(batch.number.size());
    uint8_t edges[most_vertices];
    for (unsigned first = 0; first < count; first += most_vertices) {
      const unsigned here = std::min(most_vertices, count - first);
      urb.clear();
      const xe_lp::UrbEntries entries = urb.add(here, shading_.entry_rows());
      if (!shading_.shade(worker, batch.number.subspan(first, here), batch.instance.subspan(first, here), urb, entries, 0, edges))
        return false;
      for (unsigned n = 0; n < here; n++) {
        pipeline::Vertex& vertex = vertices[first + n];
        reader_.read(urb.entry(entries, n), shading_.slots(), vertex, attributes + size_t(first + n) * reader_.attributes * 4);
        vertex.edge = edges[n];
      }
    }
    return true;
  }

private:
  static constexpr unsigned most_vertices = 64;  // at once: eight threads' that follow each other
  const VueReader reader_;
  VertexShading shading_;
  std::vector<Urb> urbs_;
};

}  // namespace

bool VertexShading::find(Context& context, VertexSource source, unsigned workers) {
  context_ = &context, source_ = std::move(source);
  const GraphicsState& s = context.graphics;
  enabled_ = s.get<_3DSTATE_VS::Enable>();
  entry_rows_ = std::max(urb_entry_rows(s, Stage::VS), (source_.elements + 3) / 4);
  workers_.resize(workers);
  if (!enabled_) return true;
  if (!s.get<_3DSTATE_VS::SIMD8_Dispatch_Enable>())
    return context.lose("3DSTATE_VS.SIMD8 Dispatch Enable 0: vertex shaders run eight vertices a thread on this GPU");
  if (!find_stage(context, Stage::VS, setup_)) return false;
  // Both in pairs of elements.
  first_element_ = unsigned(s.get<_3DSTATE_VS::Vertex_URB_Entry_Read_Offset>()) * 2;
  read_elements_ = unsigned(s.get<_3DSTATE_VS::Vertex_URB_Entry_Read_Length>()) * 2;
  elements_register_ = setup_.data_register();
  const unsigned payload = std::max(elements_register_ + read_elements_ * 4, 2u);
  if (payload > xe_lp::kRegisters || setup_.first_register < 2)
    return context.lose(
        fmt::format("3DSTATE_VS: a payload of {} registers from r{} on: Dispatch GRF Start Register For URB Data, "
                    "Vertex URB Entry Read Length",
                    payload, setup_.first_register));
  for (unsigned n = 0; n < workers; n++) workers_[n].threads = std::make_unique<UrbThreads>(setup_, n, payload);
  return true;
}

bool VertexShading::shade(unsigned worker, std::span<const uint32_t> numbers, std::span<const uint32_t> instances, Urb& urb,
                          const xe_lp::UrbEntries& entries, uint32_t first, uint8_t* edges) {
  Worker& own = workers_[worker];
  const auto count = unsigned(numbers.size());
  const size_t stride = source_.elements * size_t(4);
  own.elements.resize(count * stride);
  std::memset(edges, 1, count);
  std::string fault;
  if (!source_.fetch(numbers, instances, own.elements.data(), edges, fault)) return context_->lose(fault);
  // The elements stand in the entry, where a shader has not written over them yet.
  const size_t entry_bytes = entry_rows_ * size_t(xe_lp::urb_row_bytes);
  for (unsigned n = 0; n < count; n++) {
    auto* entry = reinterpret_cast<uint8_t*>(urb.entry(entries, first + n));
    if (stride) std::memcpy(entry, own.elements.data() + n * stride, stride * 4);
    std::memset(entry + stride * 4, 0, entry_bytes - stride * 4);
  }
  if (!enabled_) return true;
  return own.threads->run({urb, {}, entries}, (count + lanes - 1) / lanes, [&](unsigned thread, uint32_t* payload) {
    const unsigned begin = thread * lanes, here = std::min(lanes, count - begin);
    for (unsigned lane = 0; lane < lanes; lane++)
      payload[8 + lane] = lane < here ? entries.first + (first + begin + lane) * entries.size : 0;
    uint32_t* to = payload + elements_register_ * 8;
    for (unsigned e = first_element_; e < first_element_ + read_elements_; e++)
      for (unsigned c = 0; c < 4; c++, to += 8)
        for (unsigned lane = 0; lane < lanes; lane++)
          to[lane] = lane < here && e < source_.elements ? own.elements[(begin + lane) * stride + e * 4 + c] : 0;
    return (1u << here) - 1;
  });
}

std::unique_ptr<pipeline::VertexStage> make_vertex_stage(Context& context, VertexSource source, const AttributeMap& attributes,
                                                         unsigned workers, unsigned replica) {
  auto stage = std::make_unique<LoneVertexStage>(context.graphics, attributes, replica, workers);
  if (!stage->shading().find(context, std::move(source), workers)) return nullptr;
  return stage;
}

}  // namespace Atoll::dg1
