#include "gpu/gfx12/draw/primitive_stage.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/gfx12/draw/primitive_round.h"
#include "pipeline/front/input_primitives.h"
#include "pipeline/workers.h"

namespace Atoll::gfx12 {
namespace {

constexpr size_t primitives_at_once = 1 << 14;  // of those with all their vertices
// The most vertices that groups may leave at once (a geometry shader 256 for each instance), and the most places of primitives in
// a list of groups.
constexpr uint32_t most_left_at_once = 1 << 18;
constexpr size_t most_listed_at_once = 1 << 20;

}  // namespace

bool PrimitiveStage::prepare(DrawContext& context) {
  context_ = &context;
  const RegisterFile& r = context.registers;
  using Stages = VGT_SHADER_STAGES_EN;
  const auto stages = r.read<Stages>();
  hull_ = Stages::HS_EN::get(stages), geometry_ = Stages::GS_EN::get(stages), mesh_ = Stages::GS_FAST_LAUNCH::get(stages);
  asks_ = !Stages::PRIMGEN_PASSTHRU_NO_MSG::get(stages);
  numbers_waves_ = Stages::NGG_WAVE_ID_EN::get(stages);
  if (!prepare_stage<stages::GS>(context, Stages::GS_W32_EN::get(stages) ? 32 : 64, setup_)) return false;
  using One = SPI_SHADER_PGM_RSRC1_GS;
  using Two = SPI_SHADER_PGM_RSRC2_GS;
  if (hull_ && !hull_stage_.prepare(context)) return false;
  geometry_vgprs_ = r.get<One::GS_VGPR_COMP_CNT>() + 1;
  const auto two = r.read<Two>();
  vertex_vgprs_ = Two::ES_VGPR_COMP_CNT::get(two) + 1;
  lds_bytes_ = std::min(Two::LDS_SIZE::get(two) * lds_granule, max_lds);
  first_sgprs_ = uint64_t(r.whole<SPI_SHADER_PGM_HI_GS>()) << 32 | r.whole<SPI_SHADER_PGM_LO_GS>();

  using Cntl = GE_CNTL;
  const auto cntl = r.read<Cntl>();
  vertices_ = std::clamp(Cntl::VERTS_PER_SUBGRP::get(cntl), 1u, 256u);
  primitives_ = std::clamp(Cntl::PRIMS_PER_SUBGRP::get(cntl), 1u, 256u);
  breaks_at_instances_ = Cntl::BREAK_SUBGRP_AT_EOI::get(cntl);
  using Instances = VGT_GS_INSTANCE_CNT;
  const auto instances = r.read<Instances>();
  instances_ = geometry_ && Instances::ENABLE::get(instances) ? std::clamp(Instances::CNT::get(instances), 1u, 32u) : 1;
  instance_alone_ = geometry_ && Instances::EN_MAX_VERT_OUT_PER_GS_INSTANCE::get(instances);
  amplification_ = std::max(1u, r.get<GE_NGG_SUBGRP_CNTL::PRIM_AMP_FACTOR>());
  most_out_ = std::clamp(r.get<GE_MAX_OUTPUT_PER_SUBGROUP::MAX_VERTS_PER_SUBGROUP>(), 1u, 256u);
  own_provoking_ = r.get<VGT_PRIMITIVEID_EN::NGG_DISABLE_PROVOK_REUSE>();

  if (mesh_) {
    using Size = SPI_SHADER_GS_MESHLET_DIM;
    const auto size = r.read<Size>();
    group_size_ = {Size::MESHLET_NUM_THREAD_X::get(size) + 1, Size::MESHLET_NUM_THREAD_Y::get(size) + 1};
    group_threads_ = Size::MESHLET_THREADGROUP_SIZE::get(size) + 1;
    using Room = SPI_SHADER_GS_MESHLET_EXP_ALLOC;
    const auto room = r.read<Room>();
    vertices_ = std::clamp(Room::MAX_EXP_VERTS::get(room), 1u, 256u),
    primitives_ = std::clamp(Room::MAX_EXP_PRIMS::get(room), 1u, 256u);
    using Order = SPI_SHADER_GS_MESHLET_CTRL;
    const auto order = r.read<Order>();
    if (Order::INTERLEAVE_BITS_X::peek(order) || Order::INTERLEAVE_BITS_Y::peek(order))
      context.unknown("SPI_SHADER_GS_MESHLET_CTRL: mesh shaders' groups in another order");
  }
  exports_.prepare(context, r.get<PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST>());
  // If pixels interpolate nothing, attributes are not taken either.
  using Out = SPI_SHADER_GS_OUT_CONFIG_PS;
  const auto out = r.read<Out>();
  const bool takes = !Out::NO_PC_EXPORT::get(out) && (Out::NUM_INTERP::get(out) || Out::NUM_PRIM_INTERP::get(out));
  // Behind those of vertices stand those of primitives: of mesh shaders, and the number of a vertex shader's primitive (Mesa 25.0.7
  // radv_shader_info.c, export_prim_id_per_primitive). For meshes RADV 25.0.7 counts them in NUM_INTERP: NUM_PRIM_INTERP is 0.
  const unsigned of_primitives = Out::PRIM_EXPORT_COUNT::get(out);
  const unsigned attributes = takes ? std::min(Out::VS_EXPORT_COUNT::get(out) + 1 + of_primitives, pipeline::max_attributes) : 0;
  exports_own_ = takes && of_primitives;
  return ring_.prepare(context, attributes, 256);
}

SubgroupLimits PrimitiveStage::limits(const pipeline::Assembly& assembly, unsigned corners) const {
  const bool last = assembly.provoking == pipeline::ProvokingVertex::last;
  return {.vertices = vertices_,
          .primitives = primitives_,
          .corners = corners,
          .instances = instances_,
          .instance_alone = instance_alone_,
          .breaks_at_instances = breaks_at_instances_,
          .own_provoking = own_provoking_,
          .provoking_corner = last && corners ? corners - 1 : 0};
}

unsigned PrimitiveStage::most_vertices(const Subgroup& group) const {
  return geometry_ ? std::min(group.primitives * amplification_, most_out_) : group.vertices;
}
unsigned PrimitiveStage::most_primitives(const Subgroup& group) const {
  // (Of a geometry shader each vertex ends one primitive at most.)
  return geometry_ ? most_vertices(group) : group.primitives;
}

bool PrimitiveStage::run(const pipeline::Vertices& vertices, const pipeline::Assembly& assembly, pipeline::GivenDraw& into,
                         pipeline::Counters& counters) {
  static thread_local std::unique_ptr<Round> kept;
  if (!kept) kept = std::make_unique<Round>();
  Round& round = *kept;
  round.into = &into, round.counters = &counters, round.fine = true;
  read_user_data<stages::GS>(context_->registers, setup_);
  if (mesh_) return context_->lose(fmt::format("{}: a draw of vertices with GS_FAST_LAUNCH", context_->place()));
  if (!vertices.count) return true;
  if (hull_) return run_patches(vertices, assembly, round);
  return geometry_ ? run_whole_primitives(vertices, assembly, round) : run_assembled(vertices, assembly, round);
}

// Without a geometry shader waves see what is rasterized: quads and polygons are triangles already, whose provoking vertex is the first
// or the last of each.
bool PrimitiveStage::run_assembled(const pipeline::Vertices& vertices, const pipeline::Assembly& assembly, Round& round) {
  const bool last = assembly.provoking == pipeline::ProvokingVertex::last;
  pipeline::Assembler assembler(vertices, assembly, round.into->cache(), true);
  SubgroupBuilder builder(limits(assembly, 3));
  while (assembler.next(round.segment)) {
    const pipeline::Segment& segment = round.segment;
    builder.begin(round.list, segment.number.size());
    uint32_t instance = segment.instance.empty() ? 0 : segment.instance[0];
    for (const pipeline::Assembled& p : segment.primitives) {
      const unsigned corners = p.kind == pipeline::PrimitiveKind::point ? 1 : p.kind == pipeline::PrimitiveKind::line ? 2 : 3;
      if (const uint32_t own = segment.instance[p.slot[0]]; own != instance) instance = own, builder.end_instance();
      uint32_t slot[3] = {p.slot[0], p.slot[1], p.slot[2]};
      unsigned edges = p.edges & 7;
      const unsigned place = last ? corners - 1 : 0;
      for (unsigned turn = 0; turn + 1 < corners && corners == 3 && slot[place] != p.provoking; turn++) {
        std::rotate(slot, slot + 1, slot + 3);
        edges = edges >> 1 | (edges & 1) << 2;
      }
      builder.add({slot, corners}, p.number, corners == 3 ? edges : 0, corners == 2 && p.stipple);
    }
    builder.end();
    if (!run_round(round)) return false;
  }
  round.counters->vertices += assembler.vertices_read();
  round.counters->primitives += assembler.primitives_read();
  return true;
}

bool PrimitiveStage::run_whole_primitives(const pipeline::Vertices& vertices, const pipeline::Assembly& assembly, Round& round) {
  const unsigned corners = pipeline::input_vertices(assembly);
  if (!corners || corners > 6) {
    context_->unknown("a geometry shader on primitives that it cannot take");
    return true;
  }
  SubgroupBuilder builder(limits(assembly, corners));
  uint32_t primitive = assembly.first_primitive;
  pipeline::Segment& segment = round.segment;
  for (uint32_t n = 0; n < vertices.instances; n++) {
    pipeline::InputPrimitives input(vertices, assembly);
    if (!assembly.primitives_go_on) primitive = assembly.first_primitive;
    while (input.next(primitives_at_once, round.numbers)) {
      if (context_->stop.load(std::memory_order_relaxed)) return context_->lose_stopped();
      const size_t count = round.numbers.size() / corners;
      if (!count) continue;
      segment.clear();
      pipeline::VertexCache& cache = round.into->cache();
      cache.forget();
      round.corners.clear();
      for (uint32_t number : round.numbers) round.corners.push_back(cache.slot(segment, number, vertices.first_instance + n));
      builder.begin(round.list, segment.number.size());
      for (size_t p = 0; p < count; p++)
        builder.add(std::span(round.corners).subspan(p * corners, corners), primitive++, 7, false);
      builder.end();
      if (!run_round(round)) return false;
      round.counters->primitives += count;
    }
    round.counters->vertices += input.vertices_read();
  }
  return true;
}

bool PrimitiveStage::run_patches(const pipeline::Vertices& vertices, const pipeline::Assembly& assembly, Round& round) {
  // The rings in memory are one draw's at a time: queues that run at once may have the same (radeonsi has one for all contexts).
  [[clang::no_destroy]] static std::mutex rings;
  const std::lock_guard lock(rings);
  hull_stage_.begin();
  pipeline::Assembly patches = assembly;
  patches.topology = pipeline::Topology::patches, patches.patch_vertices = hull_stage_.patch_vertices();
  const size_t corners = patches.patch_vertices, most = hull_stage_.most_patches();
  uint32_t first_patch = assembly.first_primitive;
  for (uint32_t n = 0; n < vertices.instances; n++) {
    pipeline::InputPrimitives input(vertices, patches);
    if (!assembly.primitives_go_on) first_patch = assembly.first_primitive;
    while (input.next(primitives_at_once, round.numbers)) {
      const size_t count = round.numbers.size() / corners;
      for (size_t first = 0; first < count; first += most) {
        if (context_->stop.load(std::memory_order_relaxed)) return context_->lose_stopped();
        const size_t here = std::min(most, count - first);
        size_t groups = 0;
        if (!hull_stage_.run(std::span(round.numbers).subspan(first * corners, here * corners), vertices.first_instance + n,
                             first_patch, round.patches, groups) ||
            !run_tessellated({round.patches.data(), groups}, assembly, round))
          return false;
        first_patch += uint32_t(here);
        round.counters->vertex_invocations += here * corners, round.counters->hull_invocations += here;
      }
      round.counters->primitives += count;
    }
    round.counters->vertices += input.vertices_read();
  }
  return true;
}

bool PrimitiveStage::run_tessellated(std::span<const TessellatedPatches> groups, const pipeline::Assembly& assembly,
                                     Round& round) {
  constexpr size_t most_points = 1 << 16;  // taken at once, but for those of one group
  for (size_t first = 0, end; first < groups.size(); first = end) {
    size_t points = 0;
    for (end = first; end < groups.size() && (end == first || points + groups[end].u.size() <= most_points); end++)
      points += groups[end].u.size();
    SubgroupBuilder builder(limits(assembly, groups[first].corners));
    builder.begin(round.list, points);
    round.u.clear(), round.v.clear(), round.relative_patch.clear(), round.patch.clear(), round.off_chip.clear();
    for (const TessellatedPatches& group : groups.subspan(first, end - first)) {
      const uint32_t slots = uint32_t(round.u.size());
      round.u.insert(round.u.end(), group.u.begin(), group.u.end());
      round.v.insert(round.v.end(), group.v.begin(), group.v.end());
      round.relative_patch.insert(round.relative_patch.end(), group.relative_patch.begin(), group.relative_patch.end());
      round.patch.insert(round.patch.end(), group.patch.begin(), group.patch.end());
      for (size_t p = 0; p < group.primitive_patch.size(); p++) {
        uint32_t slot[3];
        for (unsigned c = 0; c < group.corners; c++) slot[c] = slots + group.corner[p * group.corners + c];
        builder.add({slot, group.corners}, group.primitive_patch[p], group.corners == 3 ? 7 : 0, false);
        if (round.list.word.size() < most_listed_at_once) continue;
        builder.end();
        round.off_chip.resize(round.list.groups.size(), group.off_chip);
        if (!run_round(round)) return false;
        builder.begin(round.list, points);
        round.off_chip.clear();
      }
      builder.end();
      round.off_chip.resize(round.list.groups.size(), group.off_chip);
    }
    if (!run_round(round)) return false;
  }
  return true;
}

bool PrimitiveStage::run_round(Round& round) {
  const auto& groups = round.list.groups;
  round.left.resize(groups.size());
  // Groups whose waves are numbered run in their order. Numbers go on from draw to draw until a program writes the register.
  using Ordered = GE_GS_ORDERED_ID_BASE;
  round.first_ordered = context_->registers.get<Ordered::BASE>();
  if (numbers_waves_ && !groups.empty())
    context_->registers.set_uncounted(Ordered::address(), Ordered::BASE::of(round.first_ordered + uint32_t(groups.size())));
  for (size_t first = 0, end; first < groups.size(); first = end) {
    uint32_t vertices = 0, primitives = 0;
    for (end = first; end < groups.size() && (end == first || vertices < most_left_at_once); end++) {
      round.left[end] = {.first_vertex = vertices, .first_primitive = primitives};
      vertices += most_vertices(groups[end]), primitives += most_primitives(groups[end]);
    }
    if (!run_groups_of_round(round, first, end, vertices, primitives)) return false;
  }
  return true;
}

bool PrimitiveStage::run_groups_of_round(Round& round, size_t first, size_t end, uint32_t vertices, uint32_t primitives) {
  if (context_->stop.load(std::memory_order_relaxed)) return context_->lose_stopped();
  const auto& groups = round.list.groups;
  for (size_t n = first; n < end; n++) {
    (hull_ ? round.counters->domain_invocations : round.counters->vertex_invocations) += groups[n].vertices;
    if (geometry_) round.counters->geometry_invocations += groups[n].primitives;
  }
  round.given = round.into->vertices(vertices);
  if (round.given.vertices.size() < vertices) return false;
  if (round.primitives.size() < primitives) round.primitives.resize(primitives);
  if (exports_.has_values() && round.values.size() < primitives) round.values.resize(primitives);
  if (exports_own_) round.own.resize(size_t(primitives) * ring_.attributes() * 4);
  const bool in_order = numbers_waves_;
  context_->workers->share(in_order ? 1 : unsigned(end - first), [&](unsigned worker, unsigned part) {
    for (size_t n = first + part; n < (in_order ? end : first + part + 1); n++)
      if (round.fine.load(std::memory_order_relaxed) && !run_subgroup(round, worker, unsigned(n))) round.fine = false;
  });
  return give(round, {round.left.data() + first, end - first});
}

bool PrimitiveStage::give(Round& round, std::span<const Left> groups) {
  if (!round.fine) return false;
  // Moves the output of all groups together.
  size_t count = 0;
  const size_t floats = size_t(ring_.attributes()) * 4;
  for (const Left& left : groups) {
    if (count != left.first_primitive) {
      std::copy_n(round.primitives.begin() + left.first_primitive, left.primitives, round.primitives.begin() + ptrdiff_t(count));
      if (exports_.has_values())
        std::copy_n(round.values.begin() + left.first_primitive, left.primitives, round.values.begin() + ptrdiff_t(count));
      if (exports_own_)
        std::copy_n(round.own.begin() + ptrdiff_t(left.first_primitive * floats), left.primitives * floats,
                    round.own.begin() + ptrdiff_t(count * floats));
    }
    count += left.primitives;
  }
  if (geometry_ && !mesh_) round.counters->geometry_primitives += count;
  if (exports_.has_values() || exports_own_)
    for (size_t n = 0; n < count; n++) round.primitives[n].given = uint32_t(n);
  const auto values = exports_.has_values() ? std::span<const pipeline::PrimitiveValues>(round.values.data(), count)
                                            : std::span<const pipeline::PrimitiveValues>();
  const unsigned own = exports_own_ ? ring_.attributes() : 0;
  return round.into->add({round.primitives.data(), count}, values, own ? round.own.data() : nullptr, own) && !context_->lost();
}

// Table 10: what stands in the registers of a wave.
void PrimitiveStage::load_wave(const Round& round, const Subgroup& group, wave::Wave& w, unsigned number, unsigned waves,
                               uint32_t ring_offset, uint32_t ordered_id) const {
  const unsigned lanes = setup_.lanes(), first = number * lanes;
  auto here = [&](unsigned count) { return count > first ? std::min(count - first, lanes) : 0; };
  const unsigned vertices = here(group.vertices), primitives = here(group.primitives);
  put_sgpr(w, 0, uint32_t(first_sgprs_)), put_sgpr(w, 1, uint32_t(first_sgprs_ >> 32));
  // A geometry shader's group counts the vertices that it may leave (Mesa ac_nir_lower_ngg_gs.c: max_vtxcnt).
  put_sgpr(w, 2, group.primitives << 22 | most_vertices(group) << 12 | (ordered_id & 0xfff));
  put_sgpr(w, 3, waves << 28 | number << 24 | primitives << 8 | vertices);
  put_sgpr(w, 4, hull_ ? round.off_chip[size_t(&group - round.list.groups.data())] : 0);
  put_sgpr(w, 5, ring_offset);
  const bool wide = setup_.wide();
  auto vgpr = [&](unsigned n) { return words_of(w, rdna4::vgpr_cell(n, wide)); };
  const SubgroupList& list = round.list;
  if (primitives) {
    const size_t at = group.first_primitive + first;
    std::memcpy(vgpr(0), &list.word[at], primitives * 4);
    if (geometry_vgprs_ > 1) std::memcpy(vgpr(1), &list.identifier[at], primitives * 4);
    if (geometry_vgprs_ > 2 && !list.adjacent.empty()) std::memcpy(vgpr(2), &list.adjacent[at], primitives * 4);
  }
  if (hull_) {
    uint32_t *u = vgpr(3), *v = vgpr(4), *relative = vgpr(5), *patch = vgpr(6);
    for (unsigned lane = 0; lane < vertices; lane++) {
      const uint32_t slot = list.vertex[group.first_vertex + first + lane];
      u[lane] = std::bit_cast<uint32_t>(round.u[slot]), v[lane] = std::bit_cast<uint32_t>(round.v[slot]);
      relative[lane] = round.relative_patch[slot];
      if (vertex_vgprs_ > 3) patch[lane] = round.patch[slot];
    }
    return;
  }
  uint32_t *to_number = vgpr(3), *to_instance = vgpr(4);
  for (unsigned lane = 0; lane < vertices; lane++) {
    const uint32_t slot = list.vertex[group.first_vertex + first + lane];
    to_number[lane] = round.segment.number[slot];
    if (vertex_vgprs_ > 1) to_instance[lane] = round.segment.instance[slot];
  }
}

bool PrimitiveStage::run_subgroup(Round& round, unsigned worker, unsigned number) {
  const Subgroup& group = round.list.groups[number];
  const unsigned lanes = setup_.lanes();
  // A thread for each vertex, and for each primitive that may be left (PRIM_AMP_FACTOR).
  const unsigned threads =
      std::max(group.vertices, std::min(group.primitives * amplification_, std::max(most_out_, group.primitives)));
  const unsigned count = std::clamp((threads + lanes - 1) / lanes, 1u, most_geometry_waves);
  Environment environment(*context_);
  const AttributeRing::Part part(ring_, worker);
  wave::WorkGroup together;
  wave::Wave* waves[most_geometry_waves];
  uint8_t* lds = lds_bytes_ ? group_lds() : nullptr;
  if (lds) std::memset(lds, 0, lds_bytes_);
  for (unsigned n = 0; n < count; n++) {
    const unsigned first = n * lanes, most = std::max(group.vertices, group.primitives);
    wave::Wave& w = *(waves[n] = &start_wave(*context_, environment, setup_, first_group_wave + n,
                                             most > first ? lanes_mask(std::min(most - first, lanes)) : 0));
    w.group = &together, w.index = n;
    w.lds = lds, w.lds_bytes = lds_bytes_;
    wave::word_of(w, rdna4::lds_allocation_cell) = lds_bytes_;
    load_wave(round, group, w, n, count, part.offset(), round.first_ordered + number);
  }
  if (!finish_group(*context_, setup_, together, {waves, count})) return false;
  unsigned vertices = group.vertices, primitives = group.primitives;
  if (asks_) {
    if (environment.request == Environment::no_request)
      context_->unknown("a group of geometry waves that asks for no room for what it exports");
    vertices = environment.vertices(), primitives = environment.primitives();
  }
  // A group has room for no more, whether or not it asks: GS_EN may come with PRIMGEN_PASSTHRU_NO_MSG, and with fewer vertices than it takes.
  vertices = std::min(vertices, most_vertices(group)), primitives = std::min(primitives, most_primitives(group));
  static thread_local std::vector<float> own;
  if (exports_own_ && primitives) own.resize(size_t(primitives) * ring_.attributes() * 4), part.take(primitives, own.data());
  take_exports(round, group, {waves, count}, vertices, primitives, number, own.data());
  if (primitives && ring_.attributes())
    part.take(vertices, round.given.attributes + size_t(round.left[number].first_vertex) * ring_.attributes() * 4);
  for (unsigned n = 0; n < count; n++) context_->statistics.share(*waves[n]);
  return true;
}

void PrimitiveStage::take_exports(Round& round, const Subgroup& group, std::span<wave::Wave* const> waves, unsigned vertices,
                                  unsigned primitives, unsigned number, const float* own) const {
  const unsigned lanes = setup_.lanes(), floats = ring_.attributes() * 4;
  const bool wide = setup_.wide();
  Left& left = round.left[number];
  pipeline::Vertex* to = round.given.vertices.data() + left.first_vertex;
  pipeline::Assembled* out = round.primitives.data() + left.first_primitive;
  left.primitives = 0;
  for (unsigned n = 0; n < waves.size(); n++) {
    wave::Wave& w = *waves[n];
    const unsigned first = n * lanes;
    if (first < vertices) {
      const unsigned here = std::min(vertices - first, lanes);
      for (uint32_t target = rdna4::POS0; exports_.targets() >> (target - rdna4::POS0); target++) {
        clear_lanes_without_export(w, target, here);
        exports_.to_vertices(target, rows_of(w, target), here, to + first);
      }
      exports_.finish(here, to + first);
    }
    if (first >= primitives) continue;
    const unsigned here = std::min(primitives - first, lanes);
    const uint64_t exported = mask_of(w, rdna4::export_mask_cell(rdna4::PRIM, wide));
    const ExportRows rows = rows_of(w, rdna4::PRIM);
    if (!(rows.enabled & 1)) continue;
    for (unsigned lane = 0; lane < here; lane++) {
      if (!(exported >> lane & 1)) continue;
      pipeline::Assembled& p = out[left.primitives];
      if (!exports_.to_primitive(rows.source[0][lane], left.first_vertex, vertices, p)) continue;
      if (!geometry_ && first + lane < group.primitives) {
        const size_t at = group.first_primitive + first + lane;
        p.number = round.list.identifier[at];
        if (round.list.goes_on[at]) p.stipple = 1;
      }
      if (exports_.has_values())
        round.values[left.first_primitive + left.primitives] =
            PrimitiveExports::values_of(rows.enabled & 2 ? rows.source[1][lane] : 0);
      if (exports_own_)
        std::copy_n(&own[size_t(first + lane) * floats], floats,
                    &round.own[size_t(left.first_primitive + left.primitives) * floats]);
      left.primitives++;
    }
  }
}

}  // namespace Atoll::gfx12
