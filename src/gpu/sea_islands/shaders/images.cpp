#include "gpu/sea_islands/shaders/images.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "registers/sea_islands.h"
#include "wave/interpreter/atomics.h"

namespace Atoll::sea_islands {

namespace {

using surface::Lanes;
using wave::ImageAccess;
using wave::ImageAtomic;
using wave::ImageOperation;
using Type = SQ_IMG_RSRC_WORD3::TYPE;

static_assert(surface::max_lanes == wave::image_lanes);
static_assert(int(surface::LodMode::derivatives) == int(wave::LodMode::derivatives) &&
              int(surface::LodMode::level) == int(wave::LodMode::level) &&
              int(surface::LodMode::bias) == int(wave::LodMode::bias));

template <class Body>
void for_active(const ImageAccess& access, Body body) {
  for (uint64_t rest = access.active; rest; rest &= rest - 1) body(unsigned(std::countr_zero(rest)));
}

// The components that DMASK asks for, packed.
void give(ImageAccess& access, const std::array<Lanes, 4>& colour) {
  unsigned to = 0;
  for (unsigned c = 0; c < 4; c++)
    if (access.components >> c & 1) access.data[to++] = colour[c];
}

// What a T# without memory behind it reads: DST_SEL's constants, and 0.
surface::Colour nothing(const surface::Order& order) {
  surface::Colour colour;
  for (int c = 0; c < 4; c++) colour[c] = order[c] == surface::Select::one ? 0x3f800000u : 0;
  return colour;
}
void give_colour(ImageAccess& access, const surface::Colour& colour) {
  unsigned to = 0;
  for (unsigned c = 0; c < 4; c++)
    if (access.components >> c & 1) access.data[to++].fill(colour[c]);
}
void give_nothing(ImageAccess& access, const surface::Order& order) {
  if (access.operation == ImageOperation::size || access.operation == ImageOperation::query_lod ||
      access.operation == ImageOperation::atomic)
    for (auto& lanes : access.data) lanes.fill(0);
  else if (access.operation == ImageOperation::gather)
    for (auto& lanes : access.data) lanes.fill(nothing(order)[access.gather_component & 3]);
  else
    give_colour(access, nothing(order));
}

// Where an image's type finds its coordinates. An array's slice is there only if the instruction declares an array.
struct Coordinates {
  unsigned axes;      // filtered or counted in texels
  int slice, sample;  // index of the coordinate, or -1
};
Coordinates coordinates_of(uint32_t type, bool array) {
  switch (type) {
    case Type::SQ_RSRC_IMG_1D: return {1, -1, -1};
    case Type::SQ_RSRC_IMG_1D_ARRAY: return {1, array ? 1 : -1, -1};
    case Type::SQ_RSRC_IMG_2D_ARRAY: return {2, array ? 2 : -1, -1};
    case Type::SQ_RSRC_IMG_3D: return {3, -1, -1};
    case Type::SQ_RSRC_IMG_CUBE: return {2, 2, -1};
    case Type::SQ_RSRC_IMG_2D_MSAA: return {2, -1, array ? 3 : 2};
    case Type::SQ_RSRC_IMG_2D_MSAA_ARRAY: return {2, array ? 2 : -1, array ? 3 : 2};
    default: return {2, -1, -1};
  }
}

surface::TexelLanes texel_lanes(const ImageAccess& access, uint32_t type) {
  Coordinates at = coordinates_of(type, access.array);
  auto lanes = [&](int n) { return n >= 0 && n < int(access.coordinate.size()) ? access.coordinate[size_t(n)].data() : nullptr; };
  surface::TexelLanes call;
  call.lanes = access.lanes;
  call.active = access.active;
  call.x = lanes(0);
  call.y = at.axes > 1 ? lanes(1) : nullptr;
  call.z = at.axes > 2 ? lanes(2) : lanes(at.slice);
  call.sample = lanes(at.sample);
  call.level = access.explicit_level ? access.lod.data() : nullptr;
  return call;
}

// The bytes of the texel of a lane; null out of range.
uint8_t* texel_of_lane(const surface::Texture& texture, const surface::TexelLanes& call, unsigned lane) {
  auto word = [lane](const uint32_t* lanes) { return lanes ? lanes[lane] : 0; };
  uint32_t level = word(call.level);
  if (level > texture.last_level()) return nullptr;
  return texture.texel_or_null(texture.description().first_level + level, word(call.x), word(call.y), word(call.z),
                               word(call.sample));
}

// Four bits a sample instead of the format's.
void widen_fragment_mask(const FragmentMask& mask, std::array<Lanes, 4>& colour, const ImageAccess& access) {
  for_active(access, [&](unsigned lane) {
    uint64_t packed = colour[0][lane] | uint64_t(colour[1][lane]) << 32, wide = 0;
    for (unsigned sample = 0; sample < mask.samples; sample++)
      wide |= (packed >> sample * mask.bits & ((1u << mask.bits) - 1)) << 4 * sample;
    colour[0][lane] = uint32_t(wide);
    colour[1][lane] = uint32_t(wide >> 32);
  });
}

void load(const ImageResource& resource, const surface::Texture& texture, ImageAccess& access) {
  surface::TexelLanes call = texel_lanes(access, resource.type);
  call.outside = surface::in_order(texture.format(), {0, 0, 0, 0});
  std::array<Lanes, 4> colour;
  if (access.packed) {
    unsigned bytes = surface::row(texture.format().layout).bytes;
    for_active(access, [&](unsigned lane) {
      uint32_t words[4] = {};
      if (const uint8_t* texel = texel_of_lane(texture, call, lane)) std::memcpy(words, texel, bytes);
      if (access.sign_extend && bytes < 4) words[0] = uint32_t(int32_t(words[0] << (32 - 8 * bytes)) >> (32 - 8 * bytes));
      for (int n = 0; n < 4; n++) colour[size_t(n)][lane] = words[n];
    });
    return give(access, colour);
  }
  if (resource.fragment_mask.samples) {
    surface::Format format = texture.format();
    for_active(access, [&](unsigned lane) {
      format.order = surface::natural_order;
      const uint8_t* texel = texel_of_lane(texture, call, lane);
      surface::Colour texels = texel ? surface::read_texel(format, texel) : surface::Colour{};
      for (size_t c = 0; c < 4; c++) colour[c][lane] = texels[c];
    });
    widen_fragment_mask(resource.fragment_mask, colour, access);
    return give(access, colour);
  }
  surface::fetch(texture, call, colour);
  give(access, colour);
}

void store(const ImageResource& resource, const surface::Texture& texture, ImageAccess& access) {
  surface::TexelLanes call = texel_lanes(access, resource.type);
  std::array<Lanes, 4> colour;
  unsigned from = 0;
  for (unsigned c = 0; c < 4; c++) {
    if (access.components >> c & 1)
      colour[c] = access.data[from++];
    else
      colour[c].fill(0);
  }
  if (!access.packed) return surface::store(texture, call, colour);
  unsigned bytes = surface::row(texture.format().layout).bytes;
  for_active(access, [&](unsigned lane) {
    uint32_t words[4] = {colour[0][lane], colour[1][lane], colour[2][lane], colour[3][lane]};
    if (uint8_t* texel = texel_of_lane(texture, call, lane)) std::memcpy(texel, words, bytes);
  });
}

wave::AtomicOp operation_of(ImageAtomic atomic, bool wide) {
  using wave::AtomicOp;
  switch (atomic) {
    case ImageAtomic::swap: return AtomicOp::Swap;
    case ImageAtomic::compare_swap: return AtomicOp::CompareSwap;
    case ImageAtomic::add: return AtomicOp::Add;
    case ImageAtomic::sub: return AtomicOp::Sub;
    case ImageAtomic::smin: return AtomicOp::SMin;
    case ImageAtomic::umin: return AtomicOp::UMin;
    case ImageAtomic::smax: return AtomicOp::SMax;
    case ImageAtomic::umax: return AtomicOp::UMax;
    case ImageAtomic::bit_and: return AtomicOp::And;
    case ImageAtomic::bit_or: return AtomicOp::Or;
    case ImageAtomic::bit_xor: return AtomicOp::Xor;
    case ImageAtomic::inc: return AtomicOp::IncrementWrap;
    case ImageAtomic::dec: return AtomicOp::DecrementWrap;
    case ImageAtomic::fcmpswap: return wide ? AtomicOp::CompareSwapF64 : AtomicOp::CompareSwapF32;
    case ImageAtomic::fmin: return wide ? AtomicOp::MinF64 : AtomicOp::MinF32;
    case ImageAtomic::fmax: return wide ? AtomicOp::MaxF64 : AtomicOp::MaxF32;
  }
  return AtomicOp::Add;
}

// Why the atomic cannot be carried out; null if it was.
const char* atomic(const ImageResource& resource, const surface::Texture& texture, ImageAccess& access) {
  bool compares = access.atomic == ImageAtomic::compare_swap || access.atomic == ImageAtomic::fcmpswap;
  unsigned dwords = unsigned(std::popcount(unsigned(access.components & 15))) / (compares ? 2 : 1);
  if (dwords != 1 && dwords != 2) return "image atomic with a DMASK that is neither of 32 nor 64 bits";
  bool wide = dwords == 2;
  if (surface::row(texture.format().layout).bytes != 4 * dwords) return "image atomic on a format of another size";
  surface::TexelLanes call = texel_lanes(access, resource.type);
  wave::AtomicOp op = operation_of(access.atomic, wide);
  for_active(access, [&](unsigned lane) {
    auto word = [&](unsigned n) { return uint64_t(access.data[n][lane]); };
    uint64_t data = word(0) | (wide ? word(1) << 32 : 0);
    uint64_t compare = !compares ? 0 : wide ? word(2) | word(3) << 32 : word(1);
    uint8_t* texel = texel_of_lane(texture, call, lane);
    uint64_t old = texel ? wave::atomic_update(op, 4 * dwords, texel, data, compare) : 0;
    access.data[0][lane] = uint32_t(old);
    if (wide) access.data[1][lane] = uint32_t(old >> 32);
  });
  return nullptr;
}

// Width, height or layers, depth or layers, levels (as D3D11's resinfo has them: a 1D array's layers stand second).
void size(const ImageResource& resource, const surface::Texture& texture, ImageAccess& access) {
  const surface::TextureDescription& d = resource.description;
  std::array<Lanes, 4> result;
  for_active(access, [&](unsigned lane) {
    uint64_t level = uint64_t(d.first_level) + access.lod[lane];
    std::array<uint32_t, 4> words = {0, 0, 0, texture.last_level() - d.first_level + 1};
    if (level <= texture.last_level()) {
      surface::Texture::Size s = texture.size(unsigned(level));
      bool layered = texture.layered() || texture.cube();
      words[0] = s.width;
      words[1] = resource.type == Type::SQ_RSRC_IMG_1D_ARRAY ? d.layers : s.height;
      words[2] = layered ? d.layers : s.depth;
    }
    for (size_t c = 0; c < 4; c++) result[c][lane] = words[c];
  });
  give(access, result);
}

surface::SampleLanes sample_lanes(const ImageAccess& access, const surface::Texture& texture, uint32_t type) {
  Coordinates at = coordinates_of(type, access.array);
  surface::SampleLanes call;
  call.lanes = access.lanes;
  call.active = access.active;
  // Pixel shaders compute coordinates for whole quads (S_WQM) and may sample with fewer lanes: differences are those of all four.
  uint64_t quads = access.active | access.active >> 1;
  quads = (quads | quads >> 2) & 0x1111111111111111;
  call.helpers = quads * 15 & ~access.active;
  call.s = access.coordinate[0].data();
  if (at.axes > 1) call.t = access.coordinate[1].data();
  if (at.axes > 2) call.r = access.coordinate[2].data();
  if (at.slice >= 0) call.layer = access.coordinate[size_t(at.slice)].data();
  call.faces = texture.cube();
  call.face_base = 1;  // V_CUBESC_F32 and V_CUBETC_F32, over V_CUBEMA_F32, plus 1.5
  call.lod_mode = surface::LodMode(access.lod_mode);
  if (access.lod_mode == wave::LodMode::bias || access.lod_mode == wave::LodMode::level) call.lod = access.lod.data();
  if (access.clamp_lod) call.lod_clamp = access.lod_clamp.data();
  if (access.lod_mode == wave::LodMode::derivatives)
    for (unsigned c = 0; c < at.axes; c++) call.dx[c] = access.dx[c].data(), call.dy[c] = access.dy[c].data();
  if (access.compare) call.reference = access.reference.data();
  if (access.offset) call.offsets = access.offsets.data();
  call.gather_component = access.gather_component;
  return call;
}

}  // namespace

Images::Images(RegisterContext& context) : context_(context) {
  for (auto& slot : texture_slots_) slot.store(&wave::no_texture, std::memory_order_relaxed);
}
Images::~Images() = default;

void Images::invalidate() {
  std::lock_guard lock(mutex_);
  submission_++;
  for (auto& slot : texture_slots_) slot.store(&wave::no_texture, std::memory_order_relaxed);
  if (entries_.size() < slots / 2 && overflow_.empty() && table_bytes_ < max_table_bytes / 2) return;
  for (auto& slot : table_) slot.store(nullptr, std::memory_order_relaxed);
  overflow_.clear();
  entries_.clear();
  table_bytes_ = 0;
}

// A program may name more images in one submission than can be kept, and waves of other threads may be at any of those that are:
// the rest are made when they are needed, the last one of each thread stays.
Images::Entry* Images::find_apart(const Key& key) {
  struct Apart {
    uint64_t owner = 0;
    uint32_t submission = 0;
    std::unique_ptr<Entry> entry;
  };
  static thread_local Apart apart;
  if (apart.owner != number_ || apart.submission != submission_ || !(apart.entry->key == key))
    apart = {number_, submission_, make(key)};
  return apart.entry.get();
}

std::unique_ptr<Images::Entry> Images::make(const Key& key) const {
  auto entry = std::make_unique<Entry>();
  entry->key = key;
  ImageResourceWords words{};
  std::copy(key.words.begin(), key.words.end(), words.begin());
  auto resource = image_resource(context_.config, words, key.short_resource);
  if (!resource) {
    entry->error = resource.error().message;
    return entry;
  }
  entry->resource = std::move(*resource);
  // Numbers of other kinds, and layouts that have no sRGB, are read as they are.
  if (surface::Format& format = entry->resource.description.format; key.degamma && format.number == surface::Number::unorm)
    if (auto degamma = surface::make_format(format.layout, surface::Number::srgb, format.order)) format = *degamma;
  if (!entry->resource.bound) return entry;
  const ImageResource& r = entry->resource;
  uint64_t window = context_.space.size();
  if (r.address >= window || r.bytes > window - r.address) {
    entry->error = fmt::format("T#: {} bytes at 0x{:x}, beyond the address space", r.bytes, r.address);
    return entry;
  }
  auto texture = surface::Texture::make(r.description, context_.space.host(r.address), r.bytes);
  if (texture)
    entry->texture = std::make_unique<surface::Texture>(std::move(*texture));
  else
    entry->error = fmt::format("T#: {}", texture.error().message);
  return entry;
}

const Images::Entry* Images::find(const ImageAccess& access) {
  Key key;
  std::copy_n(access.resource, access.short_resource ? 4 : 6, key.words.begin());
  key.short_resource = access.short_resource;
  using enum wave::ImageOperation;
  if (access.operation == sample || access.operation == gather)
    key.degamma = SQ_IMG_SAMP_WORD0::FORCE_DEGAMMA::get(access.sampler[0]);
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
  if (entries_.size() >= max_entries || table_bytes_ > max_table_bytes) return find_apart(key);
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
  if (context_.space.contains(entry.resource.address, entry.resource.bytes, write)) {
    checked.store(submission_, std::memory_order_relaxed);
    return true;
  }
  access.fault = write ? "a store to an image of which not all memory is mapped" : "an image of which not all memory is mapped";
  access.fault_address = entry.resource.address;
  return false;
}

surface::Sampler Images::sampler_of(const ImageAccess& access, const Entry& entry, uint64_t border_colours) {
  SamplerWords words;
  std::copy_n(access.sampler, words.size(), words.begin());
  ImageSampler decoded = image_sampler(words);
  surface::Sampler& s = decoded.sampler;
  const surface::Format& format = entry.texture->format();
  uint32_t one = surface::is_integer(format.number) ? 1 : 0x3f800000u;
  switch (decoded.border) {
    case ImageSampler::Border::transparent_black: s.border = {0, 0, 0, 0}; break;
    case ImageSampler::Border::opaque_black: s.border = {0, 0, 0, one}; break;
    case ImageSampler::Border::opaque_white: s.border = {one, one, one, one}; break;
    case ImageSampler::Border::table: {
      uint64_t at = border_colours + uint64_t(decoded.border_index) * 16;
      if (context_.space.contains(at, 16))
        std::memcpy(s.border.data(), context_.space.host(at), 16);
      else
        context_.unknown("a border colour at an address where nothing is mapped");
    }
  }
  // The table's colours are what shaders see, but for the components that DST_SEL makes constant.
  for (size_t c = 0; c < 4; c++) {
    if (format.order[c] == surface::Select::zero) s.border[c] = 0;
    if (format.order[c] == surface::Select::one) s.border[c] = one;
  }
  s.compare = access.compare;
  s.unnormalized |= access.unnormalized;
  s.lod_min = std::max(s.lod_min, entry.resource.min_lod);
  if (SQ_IMG_SAMP_WORD2::MIP_POINT_PRECLAMP::peek(access.sampler[2])) context_.unknown("S# MIP_POINT_PRECLAMP");
  if (SQ_IMG_RSRC_WORD2::INTERLACED::peek(access.resource[2])) context_.unknown("T# INTERLACED");
  if (!access.short_resource && SQ_IMG_RSRC_WORD6::MIN_LOD_WARN::peek(access.resource[6])) context_.unknown("T# MIN_LOD_WARN");
  return s;
}

void Images::access(ImageAccess& access, uint64_t border_colours) {
  Entry& entry = const_cast<Entry&>(*find(access));
  access.status.fill(0);
  if (!entry.error.empty()) {
    context_.unknown(entry.error);
    return give_nothing(access, surface::natural_order);
  }
  if (!entry.texture) return give_nothing(access, entry.resource.order);
  const surface::Texture& texture = *entry.texture;
  bool writes = access.operation == ImageOperation::store || access.operation == ImageOperation::atomic;
  if (access.operation != ImageOperation::size && access.operation != ImageOperation::query_lod &&
      !check_memory(entry, writes, access))
    return;
  if (writes && surface::row(texture.format().layout).block_width > 1) {
    context_.unknown("a store to an image of blocks");
    return give_nothing(access, entry.resource.order);
  }
  switch (access.operation) {
    case ImageOperation::load: return load(entry.resource, texture, access);
    case ImageOperation::store: return store(entry.resource, texture, access);
    case ImageOperation::size: return size(entry.resource, texture, access);
    case ImageOperation::atomic:
      if (const char* why = atomic(entry.resource, texture, access)) {
        context_.unknown(why);
        give_nothing(access, entry.resource.order);
      }
      return;
    default: break;
  }
  if (texture.description().samples > 1) {
    context_.unknown("a sample of a multisampled image");
    return give_nothing(access, entry.resource.order);
  }
  surface::Sampler sampler = sampler_of(access, entry, border_colours);
  surface::SampleLanes call = sample_lanes(access, texture, entry.resource.type);
  std::array<Lanes, 4> result;
  if (access.operation == ImageOperation::gather) {
    // Integers are never filtered, so that the four texels begin with the nearest one: drivers move the coordinates back by half
    // a texel (Mesa 22.3.6 ac_nir_to_llvm.c, lower_gather4_integer).
    call.gather_from_nearest = surface::is_integer(texture.format().number);
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

}  // namespace Atoll::sea_islands
