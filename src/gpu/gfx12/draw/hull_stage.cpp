#include "gpu/gfx12/draw/hull_stage.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "pipeline/workers.h"

namespace Atoll::gfx12 {
namespace {

constexpr unsigned most_groups = 64;             // at once
constexpr unsigned most_patches_at_once = 1024;  // of all groups: each may become 4225 points and 8192 triangles

unsigned factor_count(pipeline::Domain domain) {
  return domain == pipeline::Domain::isolines ? 2 : domain == pipeline::Domain::triangles ? 4 : 6;
}

}  // namespace

void TessellatedPatches::clear() {
  u.clear(), v.clear(), relative_patch.clear(), patch.clear(), corner.clear(), primitive_patch.clear();
}

// Takes the message by which a group says that all its factors are 0 (M0 is 0) or 1 (M0 is 1): it stores none then.
class HullStage::Environment : public QueueEnvironment {
public:
  explicit Environment(DrawContext& context) : QueueEnvironment(context) {}
  uint64_t message(wave::Wave& wave, uint32_t message, uint32_t m0) override {
    if ((message & 0xff) != MSG_HS_TESSFACTOR) return QueueEnvironment::message(wave, message, m0);
    all_factors = m0 & 1 ? 1.0f : 0.0f;
    return 0;
  }
  std::optional<float> all_factors;
};

bool HullStage::prepare(DrawContext& context) {
  context_ = &context;
  const RegisterFile& r = context.registers;
  if (!prepare_stage<stages::HS>(context, r.get<VGT_SHADER_STAGES_EN::HS_W32_EN>() ? 32 : 64, setup_)) return false;
  first_sgprs_ = uint64_t(r.whole<SPI_SHADER_PGM_HI_HS>()) << 32 | r.whole<SPI_SHADER_PGM_LO_HS>();
  lds_bytes_ = std::min(r.get<SPI_SHADER_PGM_RSRC2_HS::LDS_SIZE>() * lds_granule, max_lds);
  using Config = VGT_LS_HS_CONFIG;
  const auto config = r.read<Config>();
  patches_ = Config::NUM_PATCHES::get(config), outputs_ = Config::HS_NUM_OUTPUT_CP::get(config);
  inputs_ = r.get<VGT_PRIMITIVE_TYPE::NUM_INPUT_CP>();
  const unsigned threads = patches_ * std::max(inputs_, outputs_);
  if (!patches_ || !inputs_ || !outputs_ || threads > most_group_waves * setup_.lanes())
    return context.lose(fmt::format("{}: VGT_LS_HS_CONFIG {:#x}: {} patches of {} and {} control points in a group",
                                    context.place(), config.key(), patches_, inputs_, outputs_));

  using Param = VGT_TF_PARAM;
  const auto param = r.read<Param>();
  state_.domain = pipeline::Domain(std::min(Param::TYPE::get(param), 2u));
  state_.partitioning = pipeline::Partitioning(Param::PARTITIONING::get(param) & 3);
  state_.output = pipeline::TessellatorOutput(Param::TOPOLOGY::get(param) & 3);
  least_ = r.as_float<VGT_HOS_MIN_TESS_LEVEL>(), most_ = r.as_float<VGT_HOS_MAX_TESS_LEVEL>();

  // Buffers for what hull shaders leave off chip: 8192, 4096, 2048 or 1024 dwords each.
  using Offchip = VGT_HS_OFFCHIP_PARAM;
  const auto buffers = r.read<Offchip>();
  off_chip_bytes_ = 32768u >> Offchip::OFFCHIP_GRANULARITY::get(buffers);
  factors_ = (uint64_t(r.get<VGT_TF_MEMORY_BASE_HI::BASE_HI>()) << 32 | r.whole<VGT_TF_MEMORY_BASE>()) << 8;
  factor_bytes_ = patches_ * factor_count(state_.domain) * 4;
  const uint32_t ring_bytes = r.get<VGT_TF_RING_SIZE::SIZE>() * 4;
  if (ring_bytes < factor_bytes_)
    return context.lose(
        fmt::format("{}: {} bytes of tessellation factors, their ring has {}", context.place(), factor_bytes_, ring_bytes));
  groups_ = std::clamp(
      std::min({Offchip::OFFCHIP_BUFFERING::get(buffers) + 1, ring_bytes / factor_bytes_, most_patches_at_once / patches_}), 1u,
      most_groups);
  return true;
}

bool HullStage::run_group(unsigned group, std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_patch,
                          TessellatedPatches& result) {
  Environment environment(*context_);
  uint8_t* lds = group_lds();
  std::memset(lds, 0, lds_bytes_);
  const unsigned lanes = setup_.lanes();
  const bool wide = setup_.wide();
  const uint32_t patches = uint32_t(numbers.size() / inputs_), vertices = uint32_t(numbers.size()), points = patches * outputs_;
  const unsigned count = (std::max(vertices, points) + lanes - 1) / lanes;
  wave::WorkGroup together;
  wave::Wave* waves[most_group_waves];
  for (unsigned n = 0; n < count; n++) {
    const uint32_t first = n * lanes;
    auto here = [&](uint32_t all) { return all > first ? std::min(all - first, lanes) : 0; };
    const uint32_t own_vertices = here(vertices), own_points = here(points);
    wave::Wave& w = *(waves[n] = &start_wave(*context_, environment, setup_, first_group_wave + n,
                                             lanes_mask(std::max(own_vertices, own_points))));
    w.group = &together, w.index = n;
    w.lds = lds, w.lds_bytes = lds_bytes_;
    wave::word_of(w, rdna4::lds_allocation_cell) = lds_bytes_;
    put_sgpr(w, 0, uint32_t(first_sgprs_)), put_sgpr(w, 1, uint32_t(first_sgprs_ >> 32));
    put_sgpr(w, 2, group * off_chip_bytes_);
    put_sgpr(w, 3, (n == 0 ? 1u << 31 : 0) | (count & 0x7f) << 24 | (patches & 0xff) << 16 | own_points << 8 | own_vertices);
    put_sgpr(w, 4, group * factor_bytes_);
    put_sgpr(w, 5, n);
    auto vgpr = [&](unsigned v) { return words_of(w, rdna4::vgpr_cell(v, wide)); };
    uint32_t *patch = vgpr(0), *relative = vgpr(1), *instances = vgpr(3);
    for (uint32_t lane = 0; lane < own_points; lane++) {
      const uint32_t own = (first + lane) / outputs_;
      patch[lane] = first_patch + own, relative[lane] = own | (first + lane) % outputs_ << 8;
    }
    if (own_vertices) std::memcpy(vgpr(2), &numbers[first], own_vertices * 4);
    for (uint32_t lane = 0; lane < own_vertices; lane++) instances[lane] = instance;
  }
  if (!finish_group(*context_, setup_, together, {waves, count})) return false;
  for (unsigned n = 0; n < count; n++) context_->statistics.share(*waves[n]);
  return tessellate(group, patches, first_patch, environment, result);
}

bool HullStage::tessellate(unsigned group, uint32_t patches, uint32_t first_patch, const Environment& outcome,
                           TessellatedPatches& result) {
  result.clear();
  result.off_chip = group * off_chip_bytes_;
  const unsigned count = factor_count(state_.domain), edges = count == 2 ? 2 : count == 4 ? 3 : 4;
  const uint8_t* memory = nullptr;
  if (!outcome.all_factors) {
    memory = context_->memory(factors_ + uint64_t(group) * factor_bytes_, factor_bytes_, false, "tessellation factors");
    if (!memory) return false;
  }
  pipeline::Tessellation tessellation;
  for (uint32_t patch = 0; patch < patches; patch++) {
    float values[6];
    if (outcome.all_factors)
      std::fill_n(values, count, *outcome.all_factors);
    else
      std::memcpy(values, memory + patch * count * 4, count * 4);
    pipeline::TessellationFactors factors;
    // (Zero, negative numbers and NaNs, which drop the patch, stay.)
    for (unsigned n = 0; n < count; n++) {
      const float value = values[n] > 0 && values[n] < least_ ? least_ : values[n];
      (n < edges ? factors.edge[n] : factors.inside[n - edges]) = value > most_ ? most_ : value;
    }
    pipeline::tessellate(state_, factors, tessellation);
    const uint32_t base = uint32_t(result.u.size());
    result.u.insert(result.u.end(), tessellation.u.begin(), tessellation.u.end());
    result.v.insert(result.v.end(), tessellation.v.begin(), tessellation.v.end());
    result.relative_patch.resize(result.u.size(), patch);
    result.patch.resize(result.u.size(), first_patch + patch);
    result.corners = tessellation.corners;
    for (uint32_t corner : tessellation.corner) result.corner.push_back(base + corner);
    result.primitive_patch.resize(result.corner.size() / tessellation.corners, first_patch + patch);
  }
  return true;
}

bool HullStage::run(std::span<const uint32_t> numbers, uint32_t instance, uint32_t first_patch,
                    std::vector<TessellatedPatches>& groups, size_t& count) {
  const size_t each = size_t(patches_) * inputs_;
  count = (numbers.size() + each - 1) / each;
  if (groups.size() < count) groups.resize(count);
  std::atomic<bool> fine{true};
  context_->workers->share(unsigned(count), [&](unsigned, unsigned n) {
    const size_t first = n * each;
    const auto own = numbers.subspan(first, std::min(each, numbers.size() - first));
    if (fine && !run_group(n, own, instance, first_patch + n * patches_, groups[n])) fine = false;
  });
  return fine;
}

}  // namespace Atoll::gfx12
