#include "gpu/sea_islands/draw/tessellation_stage.h"

#include <algorithm>
#include <cstring>

#include "pipeline/workers.h"
#include "registers/sea_islands.h"
#include "wave/storage.h"
#include "wave/work_group.h"

namespace Atoll::sea_islands {
namespace {

constexpr unsigned lanes = 64;
constexpr unsigned max_groups = 32;                     // at once
constexpr unsigned max_patches_at_once = 1024;          // of all groups: each may become 4225 points and 8192 triangles
constexpr unsigned max_hull_waves = 16;                 // of a thread group
constexpr uint32_t lds_granule = 512, max_lds = 65536;  // bytes

uint8_t* lds_storage() {
  static thread_local wave::StorageBytes lds;
  if (!lds) lds = wave::allocate_storage(max_lds + wave::storage_alignment);
  return lds.get();
}

unsigned factor_count(pipeline::Domain domain) {
  return domain == pipeline::Domain::isolines ? 2 : domain == pipeline::Domain::triangles ? 4 : 6;
}

}  // namespace

bool TessellationStage::prepare(DrawContext& context, const StageSelection& stages) {
  context_ = &context, control_words_ = stages.dynamic_hs;
  const RegisterFile& r = context.registers;
  if (!prepare_stage<stages::LS>(context, ls_) || !prepare_stage<stages::HS>(context, hs_)) return false;
  loading_ = vertex_loading<stages::LS>(r, VertexKind::api, nullptr, stages.grouper);
  using Config = VGT_LS_HS_CONFIG;
  const auto config = r.read<Config>();
  patches_ = Config::NUM_PATCHES::get(config);
  inputs_ = Config::HS_NUM_INPUT_CP::get(config), outputs_ = Config::HS_NUM_OUTPUT_CP::get(config);
  if (!patches_ || !inputs_ || !outputs_ || patches_ * outputs_ > max_hull_waves * lanes)
    return context.lose(fmt::format("{}: VGT_LS_HS_CONFIG 0x{:x}: {} patches of {} and {} control points in a thread group",
                                    context.place(), config.key(), patches_, inputs_, outputs_));
  hull_waves_ = (patches_ * outputs_ + lanes - 1) / lanes;
  offchip_ = r.get<SPI_SHADER_PGM_RSRC2_HS::OC_LDS_EN>();
  group_size_ = r.get<SPI_SHADER_PGM_RSRC2_HS::TG_SIZE_EN>();
  lds_bytes_ = std::min(r.get<SPI_SHADER_PGM_RSRC2_LS::LDS_SIZE>() * lds_granule, max_lds);

  using Param = VGT_TF_PARAM;
  const auto param = r.read<Param>();
  state_.domain = pipeline::Domain(std::min(Param::TYPE::get(param), 2u));
  state_.partitioning = pipeline::Partitioning(Param::PARTITIONING::get(param) & 3);
  state_.output = pipeline::TessellatorOutput(Param::TOPOLOGY::get(param) & 3);
  least_ = r.as_float<VGT_HOS_MIN_TESS_LEVEL>(), most_ = r.as_float<VGT_HOS_MAX_TESS_LEVEL>();

  // Buffers for what hull shaders leave off chip: 8192, 4096, 2048 or 1024 dwords each.
  using Offchip = VGT_HS_OFFCHIP_PARAM;
  const auto buffers = r.read<Offchip>();
  offchip_bytes_ = 32768u >> Offchip::OFFCHIP_GRANULARITY::get(buffers);
  factors_ = uint64_t(r.whole<VGT_TF_MEMORY_BASE>()) << 8;
  factor_bytes_ = (patches_ * factor_count(state_.domain) + control_words_) * 4;
  uint32_t ring_bytes = r.get<VGT_TF_RING_SIZE::SIZE>() * 4;
  if (ring_bytes < factor_bytes_)
    return context.lose(
        fmt::format("{}: {} bytes of tessellation factors, their ring has {}", context.place(), factor_bytes_, ring_bytes));
  groups_ =
      std::clamp(std::min({Offchip::OFFCHIP_BUFFERING::get(buffers), ring_bytes / factor_bytes_, max_patches_at_once / patches_}),
                 1u, max_groups);
  return true;
}

pipeline::Topology TessellationStage::topology() const {
  if (state_.output == pipeline::TessellatorOutput::points) return pipeline::Topology::points;
  return state_.domain == pipeline::Domain::isolines ? pipeline::Topology::lines : pipeline::Topology::triangles;
}

bool TessellationStage::run_group(unsigned worker, unsigned group, std::span<const uint32_t> numbers, uint32_t instance,
                                  uint32_t first_patch, TessellatedGroup& result) {
  using namespace gfx7;
  QueueEnvironment environment(*context_);
  uint8_t* lds = lds_storage();
  std::memset(lds, 0, lds_bytes_);
  auto give_lds = [&](wave::Wave& w) {
    w.lds = lds, w.lds_bytes = lds_bytes_;
    wave::word_of(w, lds_allocation_cell) = lds_bytes_;
  };
  for (size_t first = 0; first < numbers.size(); first += lanes) {
    size_t count = std::min<size_t>(lanes, numbers.size() - first);
    wave::Wave& w = start_wave(*context_, environment, ls_, vertex_wave, lanes_mask(count));
    give_lds(w);
    if (ls_.scratch) put_sgpr(w, ls_.user_sgprs, worker * ls_.scratch_bytes_per_wave);
    // v0: vertex; v1: its place in the thread group; v2: instance by the first step rate; v3: instance.
    std::memcpy(words_of(w, vgpr_cell(0)), numbers.data() + first, count * 4);
    for (size_t n = 0; n < count; n++) {
      words_of(w, vgpr_cell(1))[n] = uint32_t(first + n);
      if (loading_.vgprs > 2) words_of(w, vgpr_cell(2))[n] = instance / loading_.step_rate[0];
      if (loading_.vgprs > 3) words_of(w, vgpr_cell(3))[n] = instance;
    }
    if (loading_.grouper) loading_.grouper->load(w, numbers.subspan(first, count), loading_.vgprs);
    if (!finish_wave(*context_, ls_, w)) return false;
  }
  uint32_t patches = uint32_t(numbers.size() / inputs_), threads = patches * outputs_, waves = (threads + lanes - 1) / lanes;
  wave::WorkGroup work_group;
  wave::Wave* hull[max_hull_waves];
  for (uint32_t n = 0; n < waves; n++) {
    uint32_t first = n * lanes, count = std::min(lanes, threads - first);
    wave::Wave& w = *(hull[n] = &start_wave(*context_, environment, hs_, first_group_wave + n, lanes_mask(count)));
    give_lds(w);
    w.group = &work_group, w.index = n;
    unsigned sgpr = hs_.user_sgprs;
    if (offchip_) put_sgpr(w, sgpr++, group * offchip_bytes_);
    if (group_size_) put_sgpr(w, sgpr++, (n == 0 ? 1u << 31 : 0) | n << 6 | waves);
    put_sgpr(w, sgpr++, group * factor_bytes_);
    if (hs_.scratch) put_sgpr(w, sgpr, (worker * hull_waves_ + n) * hs_.scratch_bytes_per_wave);
    // v0: patch; v1: patch in the thread group in 7:0, control point in 12:8.
    for (uint32_t lane = 0; lane < count; lane++) {
      uint32_t patch = (first + lane) / outputs_;
      words_of(w, vgpr_cell(0))[lane] = first_patch + patch;
      words_of(w, vgpr_cell(1))[lane] = patch | (first + lane) % outputs_ << 8;
    }
  }
  if (!finish_group(*context_, hs_, work_group, {hull, waves})) return false;
  return tessellate(group, patches, first_patch, result);
}

bool TessellationStage::tessellate(unsigned group, uint32_t patches, uint32_t first_patch, TessellatedGroup& result) {
  DomainPoints& points = result.points;
  StagePrimitives& primitives = result.primitives;
  points.clear(), primitives.clear();
  points.offchip_offset = group * offchip_bytes_;
  primitives.kind = VertexKind::domain;
  primitives.domain = &points;
  uint64_t address = factors_ + uint64_t(group) * factor_bytes_;
  const uint8_t* memory = context_->memory(address, factor_bytes_, false, "tessellation factors");
  if (!memory) return false;
  memory += control_words_ * 4;
  const unsigned count = factor_count(state_.domain), edges = count == 2 ? 2 : count == 4 ? 3 : 4;
  pipeline::Tessellation tessellation;
  for (uint32_t patch = 0; patch < patches; patch++) {
    float values[6];
    std::memcpy(values, memory + patch * count * 4, count * 4);
    pipeline::TessellationFactors factors;
    // (Zero, negative numbers and NaNs, which drop the patch, stay.)
    for (unsigned n = 0; n < count; n++) {
      float value = values[n] > 0 && values[n] < least_ ? least_ : values[n];
      (n < edges ? factors.edge[n] : factors.inside[n - edges]) = value > most_ ? most_ : value;
    }
    pipeline::tessellate(state_, factors, tessellation);
    uint32_t base = uint32_t(points.u.size());
    points.u.insert(points.u.end(), tessellation.u.begin(), tessellation.u.end());
    points.v.insert(points.v.end(), tessellation.v.begin(), tessellation.v.end());
    points.relative_patch.resize(points.u.size(), patch);
    points.patch.resize(points.u.size(), first_patch + patch);
    primitives.corners = tessellation.corners;
    for (uint32_t corner : tessellation.corner) primitives.corner.push_back(base + corner);
    primitives.identifier.resize(primitives.corner.size() / tessellation.corners, first_patch + patch);
  }
  for (uint32_t n = 0; n < points.u.size(); n++) primitives.number.push_back(n);
  return true;
}

bool TessellationStage::run(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_patch,
                            std::vector<TessellatedGroup>& groups) {
  const size_t each = size_t(patches_) * inputs_;
  groups.resize((numbers.size() + each - 1) / each);
  std::atomic<bool> fine{true};
  context_->workers->share(unsigned(groups.size()), [&](unsigned worker, unsigned n) {
    size_t first = n * each;
    auto own = numbers.subspan(first, std::min(each, numbers.size() - first));
    if (fine && !run_group(worker, n, own, instance, first_patch + n * patches_, groups[n])) fine = false;
  });
  return fine;
}

}  // namespace Atoll::sea_islands
