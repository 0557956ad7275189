#include "gpu/dg1/threads/images.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "base/removable_check.h"
#include "base/static_mutex.h"
#include "gpu/dg1/threads/not_yet.h"
#include "gpu/dg1/threads/surface_queries.h"
#include "wave/interpreter/atomics.h"

namespace Atoll::dg1 {
namespace {

using surface::Lanes;
using wave::ImageAccess;
using wave::ImageAtomic;
using wave::ImageOperation;
using BorderColour = structures::SAMPLER_BORDER_COLOR_STATE;

static_assert(surface::max_lanes == wave::image_lanes);
static_assert(int(surface::LodMode::derivatives) == int(wave::LodMode::derivatives) &&
              int(surface::LodMode::level) == int(wave::LodMode::level) &&
              int(surface::LodMode::bias) == int(wave::LodMode::bias));

template <class Body>
void for_active(const ImageAccess& access, Body body) {
  for (uint64_t rest = access.active; rest; rest &= rest - 1) body(unsigned(std::countr_zero(rest)));
}

void give_nothing(ImageAccess& access) {
  for (auto& lanes : access.data) lanes.fill(0);
}
// The components that are wanted, one after the other.
void give(ImageAccess& access, const std::array<Lanes, 4>& colour) {
  unsigned to = 0;
  for (unsigned c = 0; c < 4; c++)
    if (access.components >> c & 1) access.data[to++] = colour[c];
}

// Which coordinate names the layer: behind those that count texels. Of cubes' faces as images it is the third.
int layer_coordinate(const surface::Texture& texture) {
  if (texture.description().dimension == surface::Dimension::one_array) return 1;
  return texture.layered() || texture.cube() ? 2 : -1;
}

surface::TexelLanes texel_lanes(const ImageAccess& access, const surface::Texture& texture) {
  const int layer = layer_coordinate(texture);
  surface::TexelLanes call;
  call.lanes = access.lanes, call.active = access.active;
  call.x = access.coordinate[0].data();
  if (texture.axes() > 1) call.y = access.coordinate[1].data();
  if (texture.axes() > 2) call.z = access.coordinate[2].data();
  if (layer >= 0) call.z = access.coordinate[size_t(layer)].data();
  if (texture.description().samples > 1) call.sample = access.coordinate[3].data();
  if (access.explicit_level) call.level = access.lod.data();
  return call;
}

uint8_t* texel_of_lane(const surface::Texture& texture, const surface::TexelLanes& call, unsigned lane) {
  auto word = [lane](const uint32_t* lanes) { return lanes ? lanes[lane] : 0; };
  const uint32_t level = word(call.level);
  if (level > texture.last_level()) return nullptr;
  return texture.texel_or_null(texture.description().first_level + level, word(call.x), word(call.y), word(call.z),
                               word(call.sample));
}

void load(const surface::Texture& texture, ImageAccess& access) {
  surface::TexelLanes call = texel_lanes(access, texture);
  call.outside = surface::in_order(texture.format(), {0, 0, 0, 0});
  std::array<Lanes, 4> colour;
  surface::fetch(texture, call, colour);
  give(access, colour);
}

void store(const surface::Texture& texture, ImageAccess& access) {
  std::array<Lanes, 4> colour;
  unsigned from = 0;
  for (unsigned c = 0; c < 4; c++) {
    if (access.components >> c & 1)
      colour[c] = access.data[from++];
    else
      colour[c].fill(0);
  }
  surface::store(texture, texel_lanes(access, texture), colour);
}

wave::AtomicOp operation_of(ImageAtomic atomic) {
  using wave::AtomicOp;
  switch (atomic) {
    case ImageAtomic::swap: return AtomicOp::Swap;
    case ImageAtomic::compare_swap: return AtomicOp::CompareSwap;
    case ImageAtomic::sub: return AtomicOp::Sub;
    case ImageAtomic::smin: return AtomicOp::SMin;
    case ImageAtomic::umin: return AtomicOp::UMin;
    case ImageAtomic::smax: return AtomicOp::SMax;
    case ImageAtomic::umax: return AtomicOp::UMax;
    case ImageAtomic::bit_and: return AtomicOp::And;
    case ImageAtomic::bit_or: return AtomicOp::Or;
    case ImageAtomic::bit_xor: return AtomicOp::Xor;
    default: return AtomicOp::Add;
  }
}

// Null, or why it was not carried out.
const char* atomic(const surface::Texture& texture, ImageAccess& access) {
  if (surface::row(texture.format().layout).bytes != 4) return "an atomic on an image whose texels are not of 32 bits";
  const surface::TexelLanes call = texel_lanes(access, texture);
  const wave::AtomicOp op = operation_of(access.atomic);
  for_active(access, [&](unsigned lane) {
    uint8_t* texel = texel_of_lane(texture, call, lane);
    const uint32_t data = access.data[0][lane], compare = access.data[1][lane];
    const bool aligned = !(reinterpret_cast<uintptr_t>(texel) & 3);
    access.data[0][lane] = texel && aligned ? uint32_t(wave::atomic_update(op, 4, texel, data, compare)) : 0;
  });
  return nullptr;
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
// Whether lod is asked of entries in a row, which have neither levels nor anything between them: the answer is 0.
bool has_no_levels(const SurfaceWords& words) {
  const uint32_t type = SurfaceState::Surface_Type::get(words);
  return type == SurfaceType::SURFTYPE_BUFFER || type == SurfaceType::SURFTYPE_STRBUF;
}

surface::SampleLanes sample_lanes(const ImageAccess& access, const surface::Texture& texture) {
  surface::SampleLanes call;
  call.lanes = access.lanes, call.active = access.active;
  const bool cube = texture.cube();
  const unsigned axes = cube ? 3 : texture.axes();
  call.s = access.coordinate[0].data();
  if (axes > 1) call.t = access.coordinate[1].data();
  if (axes > 2) call.r = access.coordinate[2].data();
  if (texture.layered()) call.layer = access.coordinate[axes].data();
  if (texture.description().dimension == surface::Dimension::cube_array) call.layer = access.coordinate[3].data();
  call.lod_mode = surface::LodMode(access.lod_mode);
  if (access.lod_mode == wave::LodMode::bias || access.lod_mode == wave::LodMode::level) call.lod = access.lod.data();
  if (access.clamp_lod) call.lod_clamp = access.lod_clamp.data();
  if (access.lod_mode == wave::LodMode::derivatives)
    for (unsigned c = 0; c < axes; c++) call.dx[c] = access.dx[c].data(), call.dy[c] = access.dy[c].data();
  if (access.compare) call.reference = access.reference.data();
  if (access.offset) call.offsets = access.offsets.data();
  call.gather_component = access.gather_component;
  return call;
}

}  // namespace

Images::Images(AddressSpace& space) : space_(space) { forget_states(); }

void Images::begin_submission(gpu::Reports* reports) {
  std::lock_guard lock(mutex_);
  reports_ = reports;
  submission_++;
  forget_states();
  sampled_.clear(), sampled_entries_.clear();
  if (entries_.size() > max_entries / 2 || table_bytes_ > max_table_bytes / 2) entries_.clear(), table_bytes_ = 0;
}

std::shared_ptr<Images::Entry> Images::find(const SurfaceWords& words) {
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
      auto texture = surface::Texture::make(s.description, space_.base() + at, s.bytes);
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
  if (!reports_ || !is_new(words)) return;
  static const NotYet not_yet("SAMPLER_STATE", NotYet::Checked::Use);
  not_yet.look(words.data(), [&](std::string what) { reports_->unknown(std::move(what)); });
}

surface::Sampler Images::sampler_of(const SamplerWords& words, uint64_t dynamic_state_base) const {
  uint32_t border = 0;
  surface::Sampler sampler = image_sampler(words, border);
  const bool needs_border = std::ranges::any_of(
      sampler.wrap, [](surface::Wrap w) { return w == surface::Wrap::clamp_to_border || w == surface::Wrap::clamp_half_border; });
  // SAMPLER_BORDER_COLOR_STATE: four dwords, floats or integers as the format has them
  uint32_t colour[BorderColour::dwords];
  if (needs_border && copy(dynamic_state_base + border, colour, sizeof colour))
    sampler.border = {BorderColour::Border_Color_32bit_Red::get(colour), BorderColour::Border_Color_32bit_Green::get(colour),
                      BorderColour::Border_Color_32bit_Blue::get(colour), BorderColour::Border_Color_32bit_Alpha::get(colour)};
  return sampler;
}

void Images::access(ImageAccess& access, uint64_t dynamic_state_base) {
  SurfaceWords words;
  std::copy_n(access.resource, words.size(), words.begin());
  if (access.operation == ImageOperation::size) {
    access.fault = size(words, access);
    return;
  }
  if (access.operation == ImageOperation::query_lod && has_no_levels(words)) return give_nothing(access);
  const std::shared_ptr<Entry> entry = find(words);
  if (!entry->error.empty()) {
    access.fault = kept(entry->error), access.fault_address = entry->surface.address;
    return;
  }
  if (!entry->texture) return give_nothing(access);
  const surface::Texture& texture = *entry->texture;
  const bool writes = access.operation == ImageOperation::store || access.operation == ImageOperation::atomic;
  if (!check_memory(*entry, writes, access)) return;
  if (writes && surface::row(texture.format().layout).block_width > 1) {
    access.fault = "a store to an image of compressed blocks", access.fault_address = entry->surface.address;
    return;
  }
  switch (access.operation) {
    case ImageOperation::load: return load(texture, access);
    case ImageOperation::store: return store(texture, access);
    case ImageOperation::atomic: access.fault = atomic(texture, access); return;
    default: break;
  }
  SamplerWords sampler_words;
  std::copy_n(access.sampler, sampler_words.size(), sampler_words.begin());
  if (has_unknown_wrap(sampler_words)) {
    access.fault = "texture coordinate mode MIRROR_101 is not executed", access.fault_address = entry->surface.address;
    return;
  }
  look_at_fields(sampler_words);
  surface::Sampler sampler = sampler_of(sampler_words, dynamic_state_base);
  sampler.compare = access.compare;
  const surface::SampleLanes call = sample_lanes(access, texture);
  std::array<Lanes, 4> result{};
  if (access.operation == ImageOperation::gather) {
    surface::gather(texture, sampler, call, result);
    for (size_t c = 0; c < 4; c++) access.data[c] = result[c];
    return;
  }
  if (access.operation == ImageOperation::query_lod)
    surface::query_lod(texture, sampler, call, result);
  else
    surface::sample(texture, sampler, call, result);
  give(access, result);
}

}  // namespace Atoll::dg1
