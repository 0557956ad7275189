#include "gpu/dg1/threads/images.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "base/removable_check.h"
#include "base/static_mutex.h"
#include "gpu/dg1/threads/not_yet.h"
#include "gpu/dg1/threads/surface_queries.h"
#include "gpu/images/texel_access.h"
#include "isa/xe_lp/surface_format.h"
#include "memory/aliases.h"

namespace Atoll::dg1 {
namespace {

using gpu::images::Coordinates;
using wave::ImageAccess;
using wave::ImageOperation;
using BorderColour = structures::SAMPLER_BORDER_COLOR_STATE;

void give_nothing(ImageAccess& access) {
  for (auto& lanes : access.data) lanes.fill(0);
}
// The coordinates that count texels, and the one behind them that names the layer; for faces of cubes as images it is the third.
Coordinates coordinates_of_texels(const surface::Texture& texture) {
  Coordinates at;
  const unsigned axes = texture.axes();
  if (axes > 1) at.y = 1;
  if (axes > 2) at.z = 2;
  if (texture.description().dimension == surface::Dimension::one_array)
    at.slice = 1;
  else if (texture.layered() || texture.cube())
    at.slice = 2;
  if (texture.description().samples > 1) at.sample = 3;
  return at;
}
// The same of samples: of a cube a direction.
Coordinates coordinates_of_samples(const surface::Texture& texture) {
  Coordinates at;
  const unsigned axes = texture.cube() ? 3 : texture.axes();
  if (axes > 1) at.y = 1;
  if (axes > 2) at.z = 2;
  if (texture.layered()) at.slice = int(axes);
  if (texture.description().dimension == surface::Dimension::cube_array) at.slice = 3;
  return at;
}

// Entry n of a texel buffer in rows becomes its column and row; what is behind the last one is in no row.
void place_entries(const ImageSurface& surface, ImageAccess& access) {
  gpu::images::for_active(access, [&](unsigned lane) {
    const uint32_t n = access.coordinate[0][lane];
    access.coordinate[0][lane] = n % buffer_row;
    access.coordinate[1][lane] = n < surface.entries ? n / buffer_row : ~0u;
  });
}

// A fault's text must outlive it: there are as many as kinds of unknown surfaces.
const char* kept(const std::string& text) {
  [[clang::no_destroy]] static StaticMutex mutex;
  [[clang::no_destroy]] static std::set<std::string> all;
  std::lock_guard lock(mutex);
  if (all.size() >= 1024 && !all.contains(text)) return "a surface that is not executed";
  return all.insert(text).first->c_str();
}

// Null, or why there is no answer.
const char* size(const SurfaceWords& words, ImageAccess& access) {
  for (uint64_t rest = access.active; rest; rest &= rest - 1) {
    const unsigned lane = unsigned(std::countr_zero(rest));
    const auto found = surface_size(words, access.lod[lane]);
    if (!found) return kept(found.error().message);
    for (size_t c = 0; c < 4; c++) access.data[c][lane] = (*found)[c];
  }
  return nullptr;
}
bool samples(ImageOperation operation) {
  return operation == ImageOperation::sample || operation == ImageOperation::gather || operation == ImageOperation::query_lod;
}
// True if the surface is a row of entries, which has neither levels nor anything between them: a query of its lod gives 0.
bool has_no_levels(const SurfaceWords& words) {
  const uint32_t type = SurfaceState::Surface_Type::get(words);
  return type == SurfaceType::SURFTYPE_BUFFER || type == SurfaceType::SURFTYPE_STRBUF;
}

}  // namespace

Images::Images(AddressSpace& space) : space_(space) { forget_states(); }

void Images::load_palette(unsigned palette, std::span<const uint32_t> colours) {
  std::ranges::copy(colours.first(std::min(colours.size(), palettes_[palette].size())), palettes_[palette].begin());
}

// Alpha is the uppermost byte, red, green and blue follow (Intel's media driver, vphal_render_composite.cpp: luma in bits 15:8 where it is
// green, and 23:16 where it is red).
void Images::load_chroma_key(unsigned index, uint32_t low, uint32_t high) {
  constexpr unsigned shifts[] = {16, 8, 0, 24};
  surface::Sampler::KeyRange& key = chroma_keys_[index];
  for (size_t c = 0; c < 4; c++) key.least[c] = uint8_t(low >> shifts[c]), key.most[c] = uint8_t(high >> shifts[c]);
}

void Images::begin_submission(gpu::Reports* reports) {
  std::lock_guard lock(mutex_);
  reports_ = reports;
  submission_++;
  forget_states();
  sampled_.clear(), sampled_entries_.clear();
  if (astc_bytes_ > max_astc_bytes) entries_.clear(), table_bytes_ = astc_bytes_ = 0;
  if (entries_.size() > max_entries / 2 || table_bytes_ > max_table_bytes / 2) entries_.clear(), table_bytes_ = astc_bytes_ = 0;
}

std::shared_ptr<Images::Entry> Images::find(const SurfaceWords& words) {
  if (uses_) uses_->structure("RENDER_SURFACE_STATE", 0, words);
  std::lock_guard lock(mutex_);
  if (auto found = entries_.find(words); found != entries_.end()) return found->second;
  auto entry = std::make_shared<Entry>();
  static const NotYet not_yet("RENDER_SURFACE_STATE", NotYet::Checked::Use);
  if (reports_) not_yet.look(words.data(), [&](std::string what) { reports_->unknown(std::move(what)); });
  if (auto decoded = image_surface(words)) {
    entry->surface = std::move(*decoded);
  } else {
    entry->error = decoded.error().message;
  }
  const ImageSurface& s = entry->surface;
  if (s.bound && entry->error.empty()) {
    const uint64_t at = space_.sections().window_address(s.address);
    if (at >= space_.window_bytes() || s.bytes > space_.window_bytes() - at) {
      entry->error = fmt::format("a surface of {} bytes at {:#x}, beyond the address space", s.bytes, s.address);
    } else {
      // (No access reaches beyond the last of a buffer's entries: place_entries.)
      const surface::TextureDescription& d = s.description;
      const uint64_t bytes = s.entries ? uint64_t(d.width) * d.height * surface::row(d.format.layout).bytes : s.bytes;
      auto made = [&]() -> Expected<surface::Texture> {
        if (!s.astc) return surface::Texture::make(d, space_.base() + at, bytes);
        auto texels = ConvertedTexels::make(*s.astc, d, space_.base() + at, s.bytes);
        if (!texels) return std::unexpected(texels.error());
        entry->astc = std::move(*texels);
        astc_bytes_ += entry->astc->bytes();
        return entry->astc->texture(d);
      };
      auto texture = made();
      if (texture)
        entry->texture = std::make_unique<surface::Texture>(std::move(*texture));
      else
        entry->error = texture.error().message;
    }
  }
  if (entries_.size() < max_entries) entries_[words] = entry;
  return entry;
}

// (Two that have one hash count as one: no more than a report is lost.)
bool Images::is_new(const SamplerWords& words) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (uint32_t word : words) hash = (hash ^ word) * 0xff51afd7ed558ccd, hash ^= hash >> 32;
  return seen_samplers_[hash % seen_samplers_.size()].exchange(hash, std::memory_order_relaxed) != hash;
}

bool Images::is_there(Entry& entry, bool write) {
  auto& checked = write ? entry.writable : entry.readable;
  if (checked.load(std::memory_order_relaxed) == submission_) return true;
  if (!ATOLL_CHECK("xe_lp.image.memory", space_.contains(entry.surface.address, entry.surface.bytes, write))) return false;
  checked.store(submission_, std::memory_order_relaxed);
  return true;
}

bool Images::check_memory(Entry& entry, bool write, ImageAccess& access) {
  if (is_there(entry, write)) return true;
  access.fault = !write ? "an image of which not all memory is mapped"
                 : space_.contains(entry.surface.address, entry.surface.bytes)
                     ? "a store to an image in memory that may only be read"
                     : "a store to an image of which not all memory is mapped";
  access.fault_address = entry.surface.address;
  return false;
}

void Images::look_at_fields(const SamplerWords& words) {
  if (uses_) uses_->structure("SAMPLER_STATE", 0, words);
  if (!reports_ || !is_new(words)) return;
  static const NotYet not_yet("SAMPLER_STATE", NotYet::Checked::Use);
  not_yet.look(words.data(), [&](std::string what) { reports_->unknown(std::move(what)); });
}

// Texels of the key become zeros before they are filtered, or clear bits of a mask that killpix messages alone return, which are not executed
// (CHROMAKEY_MODE in Intel's media driver, mhw_state_heap_hwcmd_g12_X.h).
void Images::set_chroma_key(const SamplerWords& words, const surface::Format& format, surface::Sampler& sampler) const {
  using Mode = SamplerState::ChromaKey_Mode;
  if (!SamplerState::ChromaKey_Enable::get(words) || Mode::get(words) != Mode::KEYFILTER_REPLACE_BLACK) return;
  const surface::LayoutRow& layout = surface::row(format.layout);
  bool in_bytes = format.number == surface::Number::unorm && layout.block_width == 1;
  for (unsigned f = 0; f < layout.fields; f++) in_bytes &= layout.field[f].bits <= 8;
  if (!in_bytes) {
    if (reports_) reports_->unknown("SAMPLER_STATE.ChromaKey Enable 1 of a format other than UNORM of up to 8 bits a channel");
    return;
  }
  sampler.key_range = chroma_keys_[SamplerState::ChromaKey_Index::get(words)];
  sampler.key_range->order = format.order;
  sampler.key_is_zero = true;
}

// Weights of texels in place of their alpha (RETURN_FILTER_WEIGHT_FOR_NULL_TEXELS and _BORDER_TEXELS in Intel's media driver,
// mhw_state_heap_hwcmd_g12_X.h). Texels in null tiles are zeros here, which leaves them out of the colours.
static void set_weights(const SamplerWords& words, const surface::Format& format, gpu::Reports* reports,
                        surface::Sampler& sampler) {
  using Alpha = surface::Sampler::AlphaIsWeight;
  const bool without_border = SamplerState::Return_Filter_Weight_for_Border_Texels::get(words);
  if (!without_border && !SamplerState::Return_Filter_Weight_for_Null_Texels::get(words)) return;
  if (surface::is_integer(format.number)) {
    if (reports) reports->unknown("SAMPLER_STATE.Return Filter Weight of integers");
    return;
  }
  sampler.alpha_is_weight = without_border ? Alpha::without_border : Alpha::of_all;
}

// SAMPLER_BORDER_COLOR_STATE: four dwords, floats or integers as the format has them, or four bytes that are UNORM, red first (Intel's
// media driver, mhw_state_heap_hwcmd_g12_X.h: SAMPLER_INDIRECT_STATE_CMD, TEXTURE_BORDER_COLOR_MODE_8BIT).
static std::array<uint32_t, 4> border_colour(const uint32_t* colour, bool in_bytes) {
  if (!in_bytes)
    return {BorderColour::Border_Color_32bit_Red::get(colour), BorderColour::Border_Color_32bit_Green::get(colour),
            BorderColour::Border_Color_32bit_Blue::get(colour), BorderColour::Border_Color_32bit_Alpha::get(colour)};
  std::array<uint32_t, 4> floats;
  for (unsigned c = 0; c < 4; c++) floats[c] = std::bit_cast<uint32_t>(float(colour[0] >> 8 * c & 0xff) / 255);
  return floats;
}

// With borders in bytes channels that a format lacks may have other values, by a table of the BXT PRM that no public text has, but for
// alpha, which is 1 (Microsoft's "Recommended DirectX 9.0 Driver Support").
void Images::check_border_of_bytes(const surface::Format& format, bool needs_border) const {
  if (!reports_) return;
  const unsigned fields = surface::row(format.layout).fields;
  const bool lacks_colours =
      std::any_of(format.order.begin(), format.order.begin() + 3, [&](surface::Select s) { return unsigned(s) >= fields; });
  if (lacks_colours) reports_->unknown("SAMPLER_STATE.Texture Border Color Mode 1 of a format without red, green or blue");
  if (needs_border && surface::is_integer(format.number))
    reports_->unknown("SAMPLER_STATE.Texture Border Color Mode 1 of integers");
}

surface::Sampler Images::sampler_of(const SamplerWords& words, const ImageSurface& surface, uint64_t dynamic_state_base) const {
  uint32_t border = 0;
  surface::Sampler sampler = image_sampler(words, border);
  // (A level that is not there is not sampled, whatever the sampler's bounds are.)
  sampler.lod_min = std::max(sampler.lod_min, surface.least_level),
  sampler.lod_max = std::max(sampler.lod_max, surface.least_level);
  sampler.base_level = surface.base_level, sampler.missing_faces = surface.missing_faces;
  surface::Format channels = surface.description.format;
  channels.order = surface.channels;
  set_chroma_key(words, channels, sampler);
  set_weights(words, channels, reports_, sampler);
  const bool needs_border = surface.missing_faces || std::ranges::any_of(sampler.wrap, [](surface::Wrap w) {
                              return w == surface::Wrap::clamp_to_border || w == surface::Wrap::clamp_half_border;
                            });
  const bool in_bytes = SamplerState::Texture_Border_Color_Mode::get(words) == SamplerState::Texture_Border_Color_Mode::DX9;
  if (in_bytes) check_border_of_bytes(surface.description.format, needs_border);
  uint32_t colour[BorderColour::dwords];
  if (needs_border && copy(dynamic_state_base + border, colour, sizeof colour))
    sampler.border = surface::in_order(surface.border, border_colour(colour, in_bytes));
  return sampler;
}

// As the access itself goes, but in a texture of one byte a page, which is 255 where there is nothing: any of it that has weight shows.
bool Images::find_missing(const Entry& entry, const SamplerWords* sampler_words, uint64_t dynamic_state_base,
                          const ImageAccess& access, wave::ImageLanes& missing) {
  constexpr unsigned page_shift = 16;
  const ImageSurface& s = entry.surface;
  std::vector<uint8_t> pages = Aliases::nothing_in(space_, s.address, s.bytes, page_shift);
  if (std::ranges::all_of(pages, [](uint8_t page) { return page == 0; })) return false;
  surface::TextureDescription d = s.description;
  const surface::LayoutRow& layout = surface::row(d.format.layout);
  std::vector<surface::PagedLevel> levels;
  levels.reserve(d.levels.size());
  for (surface::TextureLevel& level : d.levels) {
    const uint64_t offset = level.offset + (s.address & ((uint64_t(1) << page_shift) - 1));
    levels.push_back({level.place, offset});
    level = {0, surface::PageNumbers{&levels.back(), layout.bytes, unsigned(std::countr_zero(layout.block_width)),
                                     unsigned(std::countr_zero(layout.block_height)), page_shift, d.samples}};
  }
  d.format = *xe_lp::surface_format(SURFACE_FORMAT::R8_UNORM);
  const auto texture = surface::Texture::make(std::move(d), pages.data(), pages.size());
  if (!texture) return false;
  ImageAccess probe = access;
  probe.compare = false, probe.gather_component = 0, probe.components = 1, probe.tfe = false;
  if (sampler_words) {
    surface::Sampler sampler = sampler_of(*sampler_words, s, dynamic_state_base);
    sampler.compare = false, sampler.border = {}, sampler.reduction = surface::Reduction::average;
    sampler.key_range = {}, sampler.alpha_is_weight = surface::Sampler::AlphaIsWeight::no;
    gpu::images::sample(*texture, sampler,
                        gpu::images::sample_lanes(probe, coordinates_of_samples(*texture), texture->cube() ? 3 : texture->axes()),
                        probe);
  } else {
    gpu::images::load(*texture, coordinates_of_texels(*texture), 0, probe);
  }
  missing = probe.data[0];
  return true;
}

void Images::access(ImageAccess& access, uint64_t dynamic_state_base) {
  SurfaceWords words;
  std::copy_n(access.resource, words.size(), words.begin());
  if (access.operation == ImageOperation::size) {
    access.fault = size(words, access);
    return;
  }
  if (access.operation == ImageOperation::query_lod && has_no_levels(words)) return give_nothing(access);
  if (samples(access.operation) && SamplerState::SRGB_DECODE::get(access.sampler)) words = without_srgb(words);
  const std::shared_ptr<Entry> entry = find(words);
  if (!entry->error.empty()) {
    access.fault = kept(entry->error), access.fault_address = entry->surface.address;
    return;
  }
  if (!entry->texture) return give_nothing(access);
  const surface::Texture& texture = *entry->texture;
  const bool writes = access.operation == ImageOperation::store || access.operation == ImageOperation::atomic;
  if (!check_memory(*entry, writes, access)) return;
  if (entry->astc) entry->astc->decode(round_, palettes_);
  if (writes && (entry->astc || surface::row(texture.format().layout).block_width > 1)) {
    access.fault = "a store to an image of compressed blocks", access.fault_address = entry->surface.address;
    return;
  }
  if (entry->surface.entries) place_entries(entry->surface, access);
  wave::ImageLanes missing;
  auto tell_residency = [&] {
    gpu::images::for_active(access, [&](unsigned lane) { access.status[lane] = missing[lane] != 0; });
  };
  if (access.tfe && access.operation == ImageOperation::load &&
      find_missing(*entry, nullptr, dynamic_state_base, access, missing))
    tell_residency();
  switch (access.operation) {
    case ImageOperation::load: return gpu::images::load(texture, coordinates_of_texels(texture), 0, access);
    case ImageOperation::store:
      return surface::store(texture, gpu::images::texel_lanes(access, coordinates_of_texels(texture)),
                            gpu::images::colour_given(access));
    case ImageOperation::atomic:
      if (surface::row(texture.format().layout).bytes != 4)
        access.fault = "an atomic on an image whose texels are not of 32 bits";
      else
        gpu::images::change(texture, coordinates_of_texels(texture), 1, access);
      return;
    default: break;
  }
  SamplerWords sampler_words;
  std::copy_n(access.sampler, sampler_words.size(), sampler_words.begin());
  look_at_fields(sampler_words);
  if (SamplerState::Sampler_Disable::get(sampler_words)) return give_nothing(access);
  if (access.operation == ImageOperation::sample && SamplerState::Force_gather4_Behavior::get(sampler_words))
    access.operation = ImageOperation::gather, access.gather_component = 0;
  surface::Sampler sampler = sampler_of(sampler_words, entry->surface, dynamic_state_base);
  sampler.compare = access.compare;
  const bool weighs_null = access.operation == ImageOperation::sample &&
                           sampler.alpha_is_weight != surface::Sampler::AlphaIsWeight::no &&
                           SamplerState::Return_Filter_Weight_for_Null_Texels::get(sampler_words);
  const bool misses = (access.tfe || weighs_null) && find_missing(*entry, &sampler_words, dynamic_state_base, access, missing);
  if (misses && access.tfe) tell_residency();
  gpu::images::sample(texture, sampler,
                      gpu::images::sample_lanes(access, coordinates_of_samples(texture), texture.cube() ? 3 : texture.axes()),
                      access);
  if (!misses || !weighs_null || !(access.components & 8)) return;
  auto& alpha = access.data[size_t(std::popcount(access.components & 7u))];
  gpu::images::for_active(access, [&](unsigned lane) {
    alpha[lane] = std::bit_cast<uint32_t>(std::bit_cast<float>(alpha[lane]) - std::bit_cast<float>(missing[lane]));
  });
}

}  // namespace Atoll::dg1
