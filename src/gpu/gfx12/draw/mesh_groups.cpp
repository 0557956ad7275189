// Mesh shaders: groups of waves that no geometry engine feeds. They ask for room, and export vertices and primitives row by row, a row as
// many as a wave has lanes. Mesa 25.0.7 ac_nir_lower_ngg_mesh.c; SPI_SHADER_GS_MESHLET_*, GS_FAST_LAUNCH; RDNA4 ISA 3.5, table 10, 3.4.4.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "gpu/gfx12/draw/primitive_round.h"
#include "pipeline/workers.h"

namespace Atoll::gfx12 {

// Takes a group's exports as they come.
class PrimitiveStage::MeshEnvironment : public Environment {
public:
  MeshEnvironment(DrawContext& context, const PrimitiveExports& exports, pipeline::Vertex* vertices, unsigned most_vertices)
      : Environment(context), exports_(exports), vertices_(vertices), most_vertices_(most_vertices) {}
  bool export_row(wave::Wave& wave, const wave::RowExport& row) override {
    const unsigned first = row.row * wave.lanes;
    // Lanes side by side at once.
    for (uint64_t left = row.lanes; left;) {
      const unsigned lane = unsigned(std::countr_zero(left)), count = unsigned(std::countr_one(left >> lane));
      left = lane + count >= 64 ? 0 : left >> (lane + count) << (lane + count);
      if (row.target == rdna4::PRIM)
        primitives_from(row, lane, count, first + lane);
      else if (first + lane < most_vertices_)
        vertices_from(row, lane, std::min(count, most_vertices_ - first - lane), first + lane);
    }
    return true;
  }
  struct Primitive {
    uint32_t word = 1u << 31, second = 0;  // a null primitive
  };
  std::array<Primitive, 256> primitives_left;

private:
  void vertices_from(const wave::RowExport& row, unsigned lane, unsigned count, unsigned to) {
    ExportRows rows{.enabled = row.enabled};
    for (unsigned c = 0; c < 4; c++) rows.source[c] = row.values[c] ? row.values[c] + lane : nullptr;
    exports_.to_vertices(row.target, rows, count, vertices_ + to);
  }
  void primitives_from(const wave::RowExport& row, unsigned lane, unsigned count, unsigned to) {
    for (unsigned n = 0; n < count && to + n < primitives_left.size(); n++) {
      if (row.enabled & 1) primitives_left[to + n].word = row.values[0][lane + n];
      if (row.enabled & 2) primitives_left[to + n].second = row.values[1][lane + n];
    }
  }
  const PrimitiveExports& exports_;
  pipeline::Vertex* const vertices_;
  const unsigned most_vertices_;
};

bool PrimitiveStage::run_groups(const std::array<uint32_t, 3>& groups, pipeline::GivenDraw& into, pipeline::Counters& counters) {
  static thread_local std::unique_ptr<Round> kept;
  if (!kept) kept = std::make_unique<Round>();
  Round& round = *kept;
  round.into = &into, round.counters = &counters, round.fine = true;
  read_user_data<stages::GS>(context_->registers, setup_);
  if (!mesh_) return context_->lose(fmt::format("{}: a draw of groups without GS_FAST_LAUNCH", context_->place()));
  constexpr uint64_t most_vertices_at_once = 1 << 15;
  const uint64_t all = uint64_t(groups[0]) * groups[1] * groups[2];
  const uint64_t most = std::max<uint64_t>(1, most_vertices_at_once / std::max(vertices_, primitives_));
  for (uint64_t first = 0; first < all; first += most) {
    if (context_->stop.load(std::memory_order_relaxed)) return context_->lose_stopped();
    const auto here = unsigned(std::min(most, all - first));
    round.left.resize(here);
    for (unsigned n = 0; n < here; n++) round.left[n] = {.first_vertex = n * vertices_, .first_primitive = n * primitives_};
    round.given = into.vertices(size_t(here) * vertices_);
    if (round.given.vertices.size() < size_t(here) * vertices_) return false;
    const size_t primitives = size_t(here) * primitives_;
    if (round.primitives.size() < primitives) round.primitives.resize(primitives);
    if (exports_.has_values() && round.values.size() < primitives) round.values.resize(primitives);
    if (exports_own_) round.own.resize(primitives * ring_.attributes() * 4);
    context_->workers->share(here, [&](unsigned worker, unsigned n) {
      const uint64_t number = first + n;
      const uint32_t id[3] = {uint32_t(number % groups[0]), uint32_t(number / groups[0] % groups[1]),
                              uint32_t(number / groups[0] / groups[1])};
      if (round.fine.load(std::memory_order_relaxed) && !run_mesh_group(round, worker, n, id)) round.fine = false;
    });
    if (!give(round, round.left)) return false;
    if (!context_->counts) continue;
    context_->mesh_invocations += uint64_t(here) * group_threads_;
    for (const Left& left : round.left) context_->mesh_primitives += left.asked;
  }
  return true;
}

bool PrimitiveStage::run_mesh_group(Round& round, unsigned worker, unsigned number, const uint32_t (&id)[3]) {
  Left& left = round.left[number];
  pipeline::Vertex* vertices = round.given.vertices.data() + left.first_vertex;
  MeshEnvironment environment(*context_, exports_, vertices, vertices_);
  const AttributeRing::Part part(ring_, worker);
  const unsigned lanes = setup_.lanes(), count = std::clamp((group_threads_ + lanes - 1) / lanes, 1u, most_geometry_waves);
  wave::WorkGroup together;
  wave::Wave* waves[most_geometry_waves];
  uint8_t* lds = lds_bytes_ ? group_lds() : nullptr;
  if (lds) std::memset(lds, 0, lds_bytes_);
  for (unsigned n = 0; n < count; n++) {
    const unsigned first = n * lanes, own = group_threads_ > first ? std::min(group_threads_ - first, lanes) : 0;
    wave::Wave& w = *(waves[n] = &start_wave(*context_, environment, setup_, first_group_wave + n, lanes_mask(own)));
    w.group = &together, w.index = n;
    w.lds = lds, w.lds_bytes = lds_bytes_;
    wave::word_of(w, rdna4::lds_allocation_cell) = lds_bytes_;
    put_sgpr(w, 0, uint32_t(first_sgprs_)), put_sgpr(w, 1, uint32_t(first_sgprs_ >> 32));
    put_sgpr(w, 3, count << 28 | n << 24);
    put_sgpr(w, 4, (id[1] & 0xffff) << 16 | (id[0] & 0xffff));
    put_sgpr(w, 5, (id[2] & 0xffff) << 16 | part.offset());
    // v0: the thread's place in its group (radv_shader_args.c, local_invocation_ids_packed).
    uint32_t* places = words_of(w, rdna4::vgpr_cell(0, setup_.wide()));
    for (unsigned lane = 0; lane < own; lane++) {
      const uint32_t at = first + lane, x = at % group_size_[0], y = at / group_size_[0] % group_size_[1];
      places[lane] = x | y << 10 | (at / group_size_[0] / group_size_[1]) << 20;
    }
  }
  if (!finish_group(*context_, setup_, together, {waves, count})) return false;
  if (environment.request == Environment::no_request)
    context_->unknown("a group of mesh shader waves that asks for no room for what it exports");
  const unsigned vertex_count = std::min(environment.vertices(), vertices_);
  const unsigned primitive_count =
      std::min({environment.primitives(), primitives_, unsigned(environment.primitives_left.size())});
  left.asked = primitive_count;
  exports_.finish(vertex_count, vertices);
  const unsigned attributes = ring_.attributes();
  static thread_local std::vector<float> own;
  if (exports_own_ && primitive_count)
    own.resize(size_t(primitive_count) * attributes * 4), part.take(primitive_count, own.data());
  left.primitives = 0;
  for (unsigned n = 0; n < primitive_count; n++) {
    const auto& [word, second] = environment.primitives_left[n];
    const size_t to = left.first_primitive + left.primitives;
    if (!exports_.to_primitive(word, left.first_vertex, vertex_count, round.primitives[to])) continue;
    if (exports_.has_values()) round.values[to] = PrimitiveExports::values_of(second);
    if (exports_own_) std::copy_n(&own[size_t(n) * attributes * 4], attributes * 4, &round.own[to * attributes * 4]);
    left.primitives++;
  }
  if (vertex_count && attributes) part.take(vertex_count, round.given.attributes + size_t(left.first_vertex) * attributes * 4);
  for (unsigned n = 0; n < count; n++) context_->statistics.share(*waves[n]);
  return true;
}

}  // namespace Atoll::gfx12
