#include "gpu/amd/images.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/amd/image_operations.h"
#include "gpu/images/texel_access.h"
#include "gpu/images/texture_slots.h"

namespace Atoll::gpu::amd {

using surface::Lanes;
using wave::ImageAccess;
using wave::ImageOperation;

surface::Colour border_colour(ImageSampler::Border border, const surface::Format& format) {
  const uint32_t one = surface::is_integer(format.number) ? 1 : 0x3f800000u;
  switch (border) {
    case ImageSampler::Border::opaque_black: return {0, 0, 0, one};
    case ImageSampler::Border::opaque_white: return {one, one, one, one};
    default: return {0, 0, 0, 0};
  }
}

Images::Images(AddressSpace& space, gpu::Reports& reports, const ImageDescriptors& descriptors)
    : space_(space), reports_(reports), descriptors_(descriptors) {
  images::empty_slots(texture_slots_);
}
Images::~Images() = default;

void Images::invalidate() {
  std::lock_guard lock(mutex_);
  submission_++;
  images::empty_slots(texture_slots_);
  if (entries_.size() >= slots / 2 || !overflow_.empty() || table_bytes_ >= max_table_bytes / 2) drop_entries();
}

void Images::forget() {
  std::lock_guard lock(mutex_);
  submission_++;
  images::empty_slots(texture_slots_);
  drop_entries();
}

void Images::drop_entries() {
  for (auto& slot : table_) slot.store(nullptr, std::memory_order_relaxed);
  overflow_.clear();
  entries_.clear();
  table_bytes_ = 0;
}

// A program may name more images in one submission than can be kept, and waves of other threads may be at any of those that are:
// the rest are made when they are needed, the last one of each thread stays.
Images::Entry* Images::find_uncached(const Key& key) {
  struct Uncached {
    uint64_t owner = 0;
    uint32_t submission = 0;
    std::unique_ptr<Entry> entry;
  };
  static thread_local Uncached uncached;
  if (uncached.owner != number_ || uncached.submission != submission_ || !(uncached.entry->key == key))
    uncached = {number_, submission_, make(key)};
  return uncached.entry.get();
}

std::unique_ptr<Images::Entry> Images::make(const Key& key) const {
  auto entry = std::make_unique<Entry>();
  entry->key = key;
  auto resource = descriptors_.resource(key.words, key.short_resource);
  if (!resource) {
    entry->error = resource.error().message;
    return entry;
  }
  entry->resource = std::move(*resource);
  // Numbers of other kinds, and layouts that have no sRGB, are read as they are.
  surface::Format& format = entry->resource.description.format;
  using enum surface::Number;
  const surface::Number from = key.degamma == Degamma::skipped ? srgb : unorm,
                        to = key.degamma == Degamma::skipped ? unorm : srgb;
  if (key.degamma != Degamma::as_it_is && format.number == from)
    if (auto degamma = surface::make_format(format.layout, to, format.order)) format = *degamma;
  if (!entry->resource.bound) return entry;
  const ImageResource& r = entry->resource;
  uint64_t window = space_.size();
  if (r.address >= window || r.bytes > window - r.address) {
    entry->error = fmt::format("T#: {} bytes at 0x{:x}, beyond the address space", r.bytes, r.address);
    return entry;
  }
  // Pages that are apart in the window are not contiguous memory.
  if (r.bytes && space_.host(r.address + r.bytes - 1) - space_.host(r.address) != int64_t(r.bytes - 1)) {
    entry->error = fmt::format("T#: {} bytes at 0x{:x}, over several mappings of this process", r.bytes, r.address);
    return entry;
  }
  auto texture = surface::Texture::make(r.description, space_.host(r.address), r.bytes);
  if (texture)
    entry->texture = std::make_unique<surface::Texture>(std::move(*texture));
  else
    entry->error = fmt::format("T#: {}", texture.error().message);
  return entry;
}

void Images::tell_use(const uint32_t* resource, unsigned resource_words, const uint32_t* sampler) const {
  uses_->structure("SQ_IMG_RSRC_WORD", 0, std::span(resource, resource_words));
  if (sampler) uses_->structure("SQ_IMG_SAMP_WORD", 0, std::span(sampler, std::tuple_size_v<SamplerWords>));
}

const Images::Entry* Images::find(const ImageAccess& access) {
  Key key;
  std::copy_n(access.resource, access.short_resource ? 4 : descriptors_.resource_words(), key.words.begin());
  key.short_resource = access.short_resource;
  using enum wave::ImageOperation;
  if (access.operation == sample || access.operation == gather) {
    SamplerWords words;
    std::copy_n(access.sampler, words.size(), words.begin());
    key.degamma = descriptors_.degamma(words);
  }
  uint64_t hash = uint64_t(key.short_resource) | uint64_t(key.degamma) << 1;
  for (uint32_t word : key.words) hash = (hash ^ word) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
  for (size_t n = 0; n < probes; n++) {
    Entry* entry = table_[(hash + n) % slots].load(std::memory_order_acquire);
    if (!entry) break;
    if (entry->key == key) return entry;
  }
  std::lock_guard lock(mutex_);
  std::atomic<Entry*>* empty = nullptr;
  for (size_t n = 0; n < probes && !empty; n++) {
    auto& slot = table_[(hash + n) % slots];
    Entry* entry = slot.load(std::memory_order_acquire);
    if (!entry)
      empty = &slot;
    else if (entry->key == key)
      return entry;
  }
  if (!empty)
    if (auto known = overflow_.find(key); known != overflow_.end()) return known->second;
  if (entries_.size() >= max_entries || table_bytes_ > max_table_bytes) return find_uncached(key);
  Entry* made = entries_.emplace_back(make(key)).get();
  made->stays = true;
  if (made->texture) table_bytes_ += made->texture->table_bytes();
  if (empty)
    empty->store(made, std::memory_order_release);
  else
    overflow_[key] = made;
  return made;
}

bool Images::check_memory(Entry& entry, bool write, ImageAccess& access) {
  auto& checked = write ? entry.writable : entry.readable;
  if (checked.load(std::memory_order_relaxed) == submission_) return true;
  if (space_.contains(entry.resource.address, entry.resource.bytes, write)) {
    checked.store(submission_, std::memory_order_relaxed);
    return true;
  }
  access.fault = !write ? "an image of which not all memory is mapped"
                 : space_.contains(entry.resource.address, entry.resource.bytes)
                     ? "a store to an image in memory that may only be read"
                     : "a store to an image of which not all memory is mapped";
  access.fault_address = entry.resource.address;
  return false;
}

surface::Sampler Images::sampler_of(const ImageAccess& access, const Entry& entry, uint64_t border_colours) {
  SamplerWords words;
  std::copy_n(access.sampler, words.size(), words.begin());
  ImageSampler decoded = descriptors_.sampler(words);
  surface::Sampler& s = decoded.sampler;
  const surface::Format& format = entry.texture->format();
  s.border = border_colour(decoded.border, format);
  if (decoded.border == ImageSampler::Border::table) {
    uint64_t at = border_colours + uint64_t(decoded.border_index) * 16;
    surface::Colour colour{};
    if (space_.contains(at, 16))
      std::memcpy(colour.data(), space_.host(at), 16);
    else
      reports_.unknown("a border colour at an address where nothing is mapped");
    s.border = colour;
  }
  const surface::Colour colour = s.border;
  const auto order = descriptors_.border_order(entry.key.words);
  for (size_t c = 0; c < 4; c++) s.border[c] = colour[order[c]];
  // DST_SEL's constants replace components of borders as well.
  for (size_t c = 0; c < 4; c++) {
    if (format.order[c] == surface::Select::zero) s.border[c] = 0;
    if (format.order[c] == surface::Select::one) s.border[c] = surface::is_integer(format.number) ? 1 : 0x3f800000u;
  }
  s.compare = access.compare;
  s.unnormalized |= access.unnormalized;
  s.lod_min = std::max(s.lod_min, entry.resource.min_lod);
  descriptors_.is_whole(access.resource, access.short_resource, access.sampler, &reports_);
  return s;
}

void Images::access(ImageAccess& access, uint64_t border_colours) {
  if (uses_) {
    using enum wave::ImageOperation;
    tell_use(access.resource, access.short_resource ? 4 : std::tuple_size_v<ImageResourceWords>,
             access.operation == sample || access.operation == gather ? access.sampler : nullptr);
  }
  Entry& entry = const_cast<Entry&>(*find(access));
  access.status.fill(0);
  if (!entry.error.empty()) {
    reports_.unknown(entry.error);
    return give_nothing(access, surface::natural_order);
  }
  if (!entry.resource.is_image) {
    access.ignored = true;
    return;
  }
  if (!entry.texture) return give_nothing(access, entry.resource.order);
  const surface::Texture& texture = *entry.texture;
  using enum wave::ImageOperation;
  const bool writes = access.operation == store || access.operation == atomic;
  if (access.operation != size && access.operation != query_lod && !check_memory(entry, writes, access)) {
    const PartialImage* partial = entry.resource.partially_resident ? partial_image(entry, access) : nullptr;
    if (!partial) return;
    access.fault = nullptr;
    return access_partial(entry, *partial, access, border_colours);
  }
  if (writes && surface::row(texture.format().layout).block_width > 1) {
    reports_.unknown("a store to an image of blocks");
    return give_nothing(access, entry.resource.order);
  }
  // A shader that asks for residency is told of addresses of partially resident resources that have no memory.
  if (access.tfe && access.operation != size && access.operation != query_lod &&
      space_.has_absent(entry.resource.address, entry.resource.bytes)) {
    if (const PartialImage* partial = partial_image(entry, access)) access_partial(entry, *partial, access, border_colours);
    return;
  }
  run(entry, texture, access, border_colours);
  if (access.lwe) warn_of_level(entry, access, border_colours);
}

void Images::run(const Entry& entry, const surface::Texture& texture, ImageAccess& access, uint64_t border_colours) {
  using enum wave::ImageOperation;
  switch (access.operation) {
    case load: return amd::load(entry.resource, texture, access);
    case load_samples: return amd::load_samples(entry.resource, texture, access);
    case store: return amd::store(entry.resource, texture, access);
    case size: return amd::size(entry.resource, texture, access);
    case atomic:
      if (const char* why = change(entry.resource, texture, access)) {
        reports_.unknown(why);
        give_nothing(access, entry.resource.order);
      }
      return;
    case ImageOperation::sample:
    case gather:
    case query_lod: return this->sample(entry, texture, access, border_colours);
  }
}

void Images::sample(const Entry& entry, const surface::Texture& texture, ImageAccess& access, uint64_t border_colours) {
  if (texture.description().samples > 1) {
    reports_.unknown("a sample of a multisampled image");
    return give_nothing(access, entry.resource.order);
  }
  surface::Sampler sampler = sampler_of(access, entry, border_colours);
  surface::SampleLanes call = sample_lanes(entry.resource, texture, access);
  if (gathers_hidden(entry.resource, access)) {
    const surface::Colour outside = surface::in_order(texture.format(), {0, 0, 0, 0});
    for (auto& lanes : access.data) lanes.fill(access.compare ? 0 : outside[access.gather_component & 3]);
    return narrow(access, texture.format().number);
  }
  // Integers are never filtered, so that the four texels begin with the nearest one: drivers move the coordinates back by half
  // a texel (Mesa 22.3.6 ac_nir_to_llvm.c, lower_gather4_integer).
  call.gather_from_nearest = access.operation == ImageOperation::gather && surface::is_integer(texture.format().number);
  images::sample(texture, sampler, call, access);
  if (access.operation != ImageOperation::query_lod) narrow(access, texture.format().number);
}

}  // namespace Atoll::gpu::amd
