#include "gpu/r5xx/draw/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace Atoll::r5xx {
namespace {

using surface::Layout;
using surface::Number;
using surface::Order;
using surface::Select;
using ColourFormat = RB3D_COLORPITCH::COLORFORMAT;
using OutFormat = US_OUT_FMT::OUT_FMT;

constexpr Order bgra = surface::bgra_order, rgba = surface::natural_order;
constexpr Order replicated = {Select::field_0, Select::field_0, Select::field_0, Select::field_0};
// The target's alpha is 1 to the blender (docs/errata.md, "R5xx colour buffers").
constexpr Order low_red_high_blue = {Select::field_0, Select::field_0, Select::field_1, Select::one};
constexpr Order two_fields = {Select::field_0, Select::field_1, Select::zero, Select::one};
constexpr Order one_field = {Select::field_0, Select::zero, Select::zero, Select::one};

// Which Cn the pipeline's red, green, blue, alpha are, and which bits of the channel mask (0: BLUE_MASK's, C0's, to 3) let them
// through.
// `constant`: which of the blend constant's.
struct Components {
  std::array<uint8_t, 4> component, mask_bit, constant;
};
constexpr Components by_name = {{2, 1, 0, 3}, {2, 1, 0, 3}, {2, 1, 0, 3}};
// Mesa 22.3.6 r300_state.c (r300_set_blend_color): the one component takes the constant's green.
constexpr Components one_by_name = {{2, 1, 0, 3}, {2, 1, 0, 3}, {1, 1, 0, 3}};
constexpr Components in_order = {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}};
constexpr Components two_words = {{0, 1, 2, 3}, {2, 0, 0, 0}, {0, 1, 2, 3}};         // C0 and C1
constexpr Components two_double_words = {{0, 2, 1, 3}, {2, 0, 0, 0}, {0, 2, 1, 3}};  // C0 and C2

struct ColourRow {
  uint32_t colour_format, out_format;
  Layout layout;
  bool is_float;
  Order order;
  Components components;
};
constexpr ColourRow colour_rows[] = {
    {ColourFormat::ARGB8888, OutFormat::C4_8, Layout::bits_8_8_8_8, false, bgra, by_name},
    {ColourFormat::RGB565, OutFormat::C4_8, Layout::bits_5_6_5, false, bgra, by_name},
    {ColourFormat::ARGB1555, OutFormat::C4_8, Layout::bits_5_5_5_1, false, bgra, by_name},
    {ColourFormat::ARGB4444, OutFormat::C4_8, Layout::bits_4_4_4_4, false, bgra, by_name},
    {ColourFormat::I8, OutFormat::C4_8, Layout::bits_8, false, replicated, one_by_name},
    {ColourFormat::UV88, OutFormat::C4_8, Layout::bits_8_8, false, low_red_high_blue, by_name},
    {ColourFormat::ARGB2101010, OutFormat::C4_10, Layout::bits_10_10_10_2, false, bgra, by_name},
    {ColourFormat::ARGB2101010, OutFormat::C_2_10_10_10, Layout::bits_10_10_10_2, false, bgra, by_name},
    {ColourFormat::UV88, OutFormat::C_16, Layout::bits_16, false, one_field, in_order},
    {ColourFormat::ARGB8888, OutFormat::C2_16, Layout::bits_16_16, false, two_fields, two_words},
    {ColourFormat::ARGB16161616, OutFormat::C4_16, Layout::bits_16_16_16_16, false, rgba, in_order},
    {ColourFormat::UV88, OutFormat::C_16_FP, Layout::bits_16, true, one_field, in_order},
    {ColourFormat::ARGB8888, OutFormat::C2_16_FP, Layout::bits_16_16, true, two_fields, two_words},
    {ColourFormat::ARGB16161616, OutFormat::C4_16_FP, Layout::bits_16_16_16_16, true, rgba, in_order},
    {ColourFormat::ARGB8888, OutFormat::C_32_FP, Layout::bits_32, true, one_field, in_order},
    {ColourFormat::ARGB16161616, OutFormat::C2_32_FP, Layout::bits_32_32, true, two_fields, two_double_words},
    {ColourFormat::ARGB32323232, OutFormat::C4_32_FP, Layout::bits_32_32_32_32, true, rgba, in_order},
};

// Bits of a component of fixed-point output formats.
uint8_t source_bits(uint32_t out_format) {
  switch (out_format) {
    case OutFormat::C4_8: return 8;
    case OutFormat::C4_10:
    case OutFormat::C_2_10_10_10: return 10;
    case OutFormat::C_16:
    case OutFormat::C2_16:
    case OutFormat::C4_16: return 16;
    default: return 0;
  }
}

// BLUE_MASK lowest, and so on for each buffer.
uint32_t channel_mask(const RegisterFile& r, unsigned n) {
  using M = RB3D_COLOR_CHANNEL_MASK;
  const auto word = r.read<M>();
  switch (n) {
    case 0: return FieldList<M::BLUE_MASK, M::GREEN_MASK, M::RED_MASK, M::ALPHA_MASK>::bits(word);
    case 1: return FieldList<M::BLUE_MASK1, M::GREEN_MASK1, M::RED_MASK1, M::ALPHA_MASK1>::bits(word);
    case 2: return FieldList<M::BLUE_MASK2, M::GREEN_MASK2, M::RED_MASK2, M::ALPHA_MASK2>::bits(word);
    default: return FieldList<M::BLUE_MASK3, M::GREEN_MASK3, M::RED_MASK3, M::ALPHA_MASK3>::bits(word);
  }
}
using ShaderSelects = FieldList<US_OUT_FMT::C0_SEL, US_OUT_FMT::C1_SEL, US_OUT_FMT::C2_SEL, US_OUT_FMT::C3_SEL>;

std::nullopt_t lose(Context& context, const std::string& report) {
  context.lose(report);
  return std::nullopt;
}

std::optional<surface::R300MicroTile> micro_tile(Context& context, uint32_t value, const char* name) {
  if (value > 2) return lose(context, fmt::format("{}: micro tile mode {} is reserved", name, value));
  return surface::R300MicroTile(value);
}

// How buffers of several samples are tiled is not programmable (Mesa 22.3.6 r300_emit.c: the tiling bits of a multisampled buffer
// are the resolve buffer's) and nothing but the GPU sees it: pixels in rows here.
void arrange_samples(SurfacePlace& place) {
  if (place.samples == 1) return;
  place.surface.micro = surface::R300MicroTile::linear;
  place.surface.macro = false;
}

void swap_bytes(uint8_t* bytes, size_t count, uint8_t mode) {
  for (size_t n = 0; n + 4 <= count; n += 4) {
    uint8_t* b = bytes + n;
    if (mode == ByteSwap::_16_bit_swap) std::swap(b[0], b[1]), std::swap(b[2], b[3]);
    if (mode == ByteSwap::_32_bit_swap) std::swap(b[0], b[3]), std::swap(b[1], b[2]);
    if (mode == ByteSwap::Half_dword_swap) std::swap(b[0], b[2]), std::swap(b[1], b[3]);
  }
}

void swap_in_quads(uint8_t* bytes, size_t count, uint8_t mode) {
  for (size_t n = 0; n + 8 <= count; n += 8)
    for (size_t row = 0; row < 4; row += 2) {
      uint8_t* b = bytes + n + row;
      uint8_t dword[4] = {b[0], b[1], b[4], b[5]};
      swap_bytes(dword, 4, mode);
      b[0] = dword[0], b[1] = dword[1], b[4] = dword[2], b[5] = dword[3];
    }
}

}  // namespace

SurfaceTarget::SurfaceTarget(const SurfacePlace& place, const AddressSpace& space, const SurfaceTarget* like)
    : given_(place), place_(place), space_(space) {
  const auto& s = place_.surface;
  if (place_.samples == 1) {
    auto tile = surface::r300_tile(s.element_bytes, s.micro, false);
    run_ = s.micro == surface::R300MicroTile::linear ? std::min(8u, 64 / s.element_bytes) : tile ? std::min(tile->width, 8u) : 1;
  }
  tiles_of_4x2_ = place_.samples == 1 && s.element_bytes == 4 && s.micro == surface::R300MicroTile::tiled;
  // Bytes are swapped in whole dwords.
  if (place_.swap && s.element_bytes < 4) place_.width = (place_.width + 3) & ~3u;
  place_.width = std::min(place_.width, s.pitch - std::min(s.pitch, place_.left));
  // Tiles are whole in memory, whatever of them may be drawn into.
  auto tile = surface::r300_tile(s.element_bytes, s.micro, s.macro);
  uint64_t rows = place_.height ? place_.top + place_.height : 0;
  if (tile) rows = (rows + tile->height - 1) / tile->height * tile->height;
  const uint64_t bytes = rows * s.pitch * s.element_bytes * place_.samples;
  all_mapped_ = rows == 0 || space.contains(place_.address, bytes, true);
  memory_ = {space.host(place_.address), bytes};
  if (like && like->place_.surface == s && like->place_.samples == place_.samples && like->place_.width == place_.width &&
      like->place_.height == place_.height && like->place_.left == place_.left && like->place_.top == place_.top) {
    parts_ = like->parts_;
    return;
  }
  auto parts = std::make_shared<Parts>();
  for (unsigned x = 0; x < place_.width; x += run_) parts->columns.push_back(part_of(place_.left + x, 0));
  for (unsigned y = 0; y < place_.height; y++) parts->rows.push_back(part_of(0, place_.top + y));
  parts_ = std::move(parts);
}

SurfaceTarget::Part SurfaceTarget::part_of(unsigned x, unsigned y) const {
  const uint64_t at = surface::address(place_.surface, x, y) * place_.samples;
  const uint32_t swizzled = place_.surface.macro ? 31 << 6 : 0;  // (never of several samples)
  return {at & ~uint64_t(swizzled), uint32_t(at) & swizzled};
}

// move(number of the texel in the block, address, bytes) for the pixels that exist, two next to each other where they are so in
// memory.
template <class Move>
void SurfaceTarget::each_pair(unsigned block_x, unsigned block_y, Move&& move) const {
  const auto& s = place_.surface;
  const unsigned x0 = block_x * pipeline::block_size, y0 = block_y * pipeline::block_size;
  for (unsigned py = 0; py < pipeline::block_size && y0 + py < place_.height; py++)
    for (unsigned px = 0; px < pipeline::block_size && x0 + px < place_.width; px += run_) {
      const unsigned count = std::min(run_, place_.width - (x0 + px));
      const uint64_t at = run_at((x0 + px) / run_, y0 + py);
      for (unsigned sample = 0; sample < place_.samples; sample++)
        for (unsigned n = 0; n < count; n += 2)
          move(sample * pipeline::pixels_in_block + pipeline::number_in_block(px + n, py),
               at + (n * place_.samples + sample) * s.element_bytes, std::min(count - n, 2u) * s.element_bytes);
    }
}

// Between what stands in memory and what the pipeline takes: byte order, depth above stencil.
void SurfaceTarget::arrange(uint8_t* texels, unsigned pixels, bool store) const {
  const unsigned bytes = pixels * place_.surface.element_bytes;
  // Four pixels of a row are a dword: halves of two quads.
  const bool of_quads = place_.surface.element_bytes == 1;
  auto swap = [&] { of_quads ? swap_in_quads(texels, bytes, place_.swap) : swap_bytes(texels, bytes, place_.swap); };
  if (!store && place_.swap) swap();
  if (place_.stencil_low)
    for (unsigned n = 0; n < bytes; n += 4) {
      uint32_t word;
      std::memcpy(&word, texels + n, 4);
      word = store ? std::rotl(word, 8) : std::rotr(word, 8);
      std::memcpy(texels + n, &word, 4);
    }
  if (store && place_.swap) swap();
}

// Two rows of eight pixels of 4 bytes, which are two micro tiles after each other in memory, and four quads here. Either way the
// second and third pairs of pixels of four change places.
void move_strip(uint8_t* to, const uint8_t* from) {
  typedef uint64_t u64x8 __attribute__((vector_size(64)));
  u64x8 pairs;
  std::memcpy(&pairs, from, sizeof pairs);
  pairs = __builtin_shufflevector(pairs, pairs, 0, 2, 1, 3, 4, 6, 5, 7);
  std::memcpy(to, &pairs, sizeof pairs);
}

// A block of one sample, all of which is there; false: it is none, and nothing was done.
template <unsigned pair_bytes, bool store>
bool SurfaceTarget::move_whole(unsigned block_x, unsigned block_y, uint8_t* texels) const {
  constexpr unsigned size = pipeline::block_size;
  const unsigned x0 = block_x * size, y0 = block_y * size;
  if (place_.samples != 1 || !all_mapped_ || run_ % 2 || x0 + size > place_.width || y0 + size > place_.height) return false;
  if constexpr (pair_bytes == 8) {
    if (tiles_of_4x2_) {
      for (unsigned py = 0; py < size; py += 2) {
        uint8_t *strip = space_.host(run_at(x0 / run_, y0 + py)), *quads = texels + pipeline::number_in_block(0, py) * 4;
        if (store)
          move_strip(strip, quads);
        else
          move_strip(quads, strip);
      }
      return true;
    }
    // Two rows of four pixels at once, which are two quads.
    for (unsigned py = 0; run_ % 4 == 0 && py < size; py += 2)
      for (unsigned px = 0; px < size; px += 4) {
        const unsigned run = (x0 + px) / run_, first = (x0 + px) % run_ * 4;
        uint8_t *above = space_.host(run_at(run, y0 + py)) + first, *below = space_.host(run_at(run, y0 + py + 1)) + first;
        uint8_t* quads = texels + pipeline::number_in_block(px, py) * 4;
        if (store)
          pipeline::cross_rows(above, below, quads, quads + 16);
        else
          pipeline::cross_rows(quads, quads + 16, above, below);
      }
    if (run_ % 4 == 0) return true;
  }
  for (unsigned py = 0; py < size; py++)
    for (unsigned px = 0; px < size; px += run_) {
      uint8_t* at = space_.host(run_at((x0 + px) / run_, y0 + py));
      for (unsigned n = 0; n < run_; n += 2, at += pair_bytes) {
        uint8_t* texel = texels + pipeline::number_in_block(px + n, py) * (pair_bytes / 2);
        if (store)
          std::memcpy(at, texel, pair_bytes);
        else
          std::memcpy(texel, at, pair_bytes);
      }
    }
  return true;
}

// What pixels have 2 or 4 bytes of, as a rule.
template <bool store>
bool SurfaceTarget::move_whole(unsigned block_x, unsigned block_y, uint8_t* texels) const {
  switch (place_.surface.element_bytes) {
    case 2: return move_whole<4, store>(block_x, block_y, texels);
    case 4: return move_whole<8, store>(block_x, block_y, texels);
    case 8: return move_whole<16, store>(block_x, block_y, texels);
    default: return false;
  }
}

// Whether a block of depth above stencil lies in memory as strips do, whole.
bool SurfaceTarget::in_strips(unsigned x, unsigned y) const {
  constexpr unsigned size = pipeline::block_size;
  return tiles_of_4x2_ && all_mapped_ && place_.stencil_low && !place_.swap && (x + 1) * size <= place_.width &&
         (y + 1) * size <= place_.height;
}

// As move_strip(), of words that memory has turned by the stencil's 8 bits.
template <bool store>
static void move_turned(uint8_t* to, const uint8_t* from) {
  typedef uint32_t u32x16 __attribute__((vector_size(64)));
  u32x16 words;
  move_strip(reinterpret_cast<uint8_t*>(&words), from);
  words = store ? words << 8 | words >> 24 : words >> 8 | words << 24;
  std::memcpy(to, &words, sizeof words);
}

void SurfaceTarget::load(unsigned x, unsigned y, unsigned, uint8_t* texels) {
  if (in_strips(x, y)) {
    for (unsigned py = 0; py < pipeline::block_size; py += 2)
      move_turned<false>(texels + pipeline::number_in_block(0, py) * 4,
                         space_.host(run_at(x * pipeline::block_size / run_, y * pipeline::block_size + py)));
    return;
  }
  const unsigned pixels = pipeline::block_size * pipeline::block_size * place_.samples;
  if (!move_whole<false>(x, y, texels)) {
    std::memset(texels, 0, pixels * place_.surface.element_bytes);
    each_pair(x, y, [&](unsigned number, uint64_t address, unsigned bytes) {
      if (!all_mapped_ && !space_.contains(address, bytes)) {
        uint64_t none = 0;
        unmapped_.compare_exchange_strong(none, address);
        return;
      }
      std::memcpy(texels + number * place_.surface.element_bytes, space_.host(address), bytes);
    });
  }
  if (place_.swap || place_.stencil_low) arrange(texels, pixels, false);
}

void SurfaceTarget::store(unsigned x, unsigned y, unsigned, const uint8_t* texels) {
  if (in_strips(x, y)) {
    for (unsigned py = 0; py < pipeline::block_size; py += 2)
      move_turned<true>(space_.host(run_at(x * pipeline::block_size / run_, y * pipeline::block_size + py)),
                        texels + pipeline::number_in_block(0, py) * 4);
    return;
  }
  const unsigned pixels = pipeline::block_size * pipeline::block_size * place_.samples;
  alignas(64) uint8_t arranged[8 * 8 * 8 * 16];
  if (place_.swap || place_.stencil_low) {
    std::memcpy(arranged, texels, pixels * place_.surface.element_bytes);
    arrange(arranged, pixels, true);
    texels = arranged;
  }
  if (move_whole<true>(x, y, const_cast<uint8_t*>(texels))) return;
  each_pair(x, y, [&](unsigned number, uint64_t address, unsigned bytes) {
    if (!all_mapped_ && !space_.contains(address, bytes, true)) {
      uint64_t none = 0;
      unmapped_.compare_exchange_strong(none, address);
      return;
    }
    std::memcpy(space_.host(address), texels + number * place_.surface.element_bytes, bytes);
  });
}

// Two rows of eight pixels, as move_strip() has them, whose depths go above the stencils that are there.
static void put_depths(uint8_t* strip, const uint8_t* quads) {
  typedef uint32_t u32x16 __attribute__((vector_size(64)));
  u32x16 fresh, old;
  move_strip(reinterpret_cast<uint8_t*>(&fresh), quads);
  std::memcpy(&old, strip, sizeof old);
  fresh = fresh << 8 | (old & 0xff);
  std::memcpy(strip, &fresh, sizeof fresh);
}

void SurfaceTarget::store_depths(unsigned x, unsigned y, unsigned layer, const uint8_t* texels, unsigned samples) {
  constexpr unsigned size = pipeline::block_size;
  const unsigned x0 = x * size, y0 = y * size;
  if (!in_strips(x, y)) return Target::store_depths(x, y, layer, texels, samples);
  for (unsigned py = 0; py < size; py += 2)
    put_depths(space_.host(run_at(x0 / run_, y0 + py)), texels + pipeline::number_in_block(0, py) * 4);
}

// Tiles that are whole are stretches of memory, one row of them after the other; what is left goes run by run.
void SurfaceTarget::fill_area(const pipeline::Rectangle& area, unsigned layer, const pipeline::PixelChange& change) {
  const auto& s = place_.surface;
  // Bytes that are swapped between pixels, and memory that is not there, are the blocks' matter.
  if (!all_mapped_ || place_.left || place_.top || (place_.swap && s.element_bytes < 4) ||
      change.texel_bytes() != s.element_bytes)
    return Target::fill_area(area, layer, change);
  const unsigned left = unsigned(std::max(area.left, 0)), right = std::min(unsigned(std::max(area.right, 0)), place_.width);
  const unsigned top = unsigned(std::max(area.top, 0)), bottom = std::min(unsigned(std::max(area.bottom, 0)), place_.height);
  if (left >= right || top >= bottom) return;

  // 16 pixels in memory's order.
  constexpr unsigned times = 16;
  const unsigned pixel_bytes = s.element_bytes * place_.samples;
  alignas(64) std::array<uint8_t, times * 16 * 8> keep, flip;
  for (unsigned n = 0; n < times; n++) {
    std::ranges::copy(change.keep, keep.begin() + n * pixel_bytes);
    std::ranges::copy(change.flip, flip.begin() + n * pixel_bytes);
  }
  arrange(keep.data(), times * place_.samples, true);
  arrange(flip.data(), times * place_.samples, true);
  const size_t chunk = times * pixel_bytes;
  const bool keeps = std::ranges::any_of(change.keep, [](uint8_t v) { return v != 0; });
  auto put = [&](uint64_t at, size_t bytes) {
    uint8_t* to = space_.host(place_.address + at);
    for (; bytes; to += std::min(bytes, chunk), bytes -= std::min(bytes, chunk)) {
      const size_t here = std::min(bytes, chunk);
      if (!keeps) {
        std::memcpy(to, flip.data(), here);
      } else {
        for (size_t n = 0; n < here; n++) to[n] = uint8_t((to[n] & keep[n]) ^ flip[n]);
      }
    }
  };

  const bool rows = s.micro == surface::R300MicroTile::linear && !s.macro;
  if (rows) {
    for (unsigned y = top; y < bottom; y++)
      put(surface::address(s, left, y) * place_.samples, size_t(right - left) * pixel_bytes);
    return;
  }
  const auto tile = surface::r300_tile(s.element_bytes, s.micro, s.macro);
  const unsigned w = tile->width, h = tile->height, tile_bytes = w * h * s.element_bytes;
  const unsigned whole_left = (left + w - 1) / w * w, whole_right = std::max(right / w * w, whole_left);
  auto by_runs = [&](unsigned y, unsigned from, unsigned to) {
    for (unsigned x = from, next; x < to; x = next) {
      next = std::min(to, (x / run_ + 1) * run_);
      put(surface::address(s, x, y), size_t(next - x) * pixel_bytes);
    }
  };
  for (unsigned y = top; y < bottom;) {
    if (y % h || y + h > bottom || whole_left == whole_right) {
      by_runs(y++, left, right);
      continue;
    }
    put(surface::address(s, whole_left, y) / tile_bytes * tile_bytes, size_t(whole_right - whole_left) / w * tile_bytes);
    for (unsigned row = y; row < y + h; row++) by_runs(row, left, std::min(whole_left, right)), by_runs(row, whole_right, right);
    y += h;
  }
}

std::string SurfaceTarget::fault() const {
  uint64_t address = unmapped_.load();
  return address ? fmt::format("render target memory at {:#x} is not mapped", address) : std::string();
}

Area scissor_area_of(const RegisterFile& r) {
  auto corner = r.read<SC_SCISSOR1>();
  return {SC_SCISSOR1::XS1::get(corner) + 1, SC_SCISSOR1::YS1::get(corner) + 1};
}

std::optional<ColourBuffer> colour_buffer_of(Context& context, unsigned n, unsigned samples) {
  const RegisterFile& r = context.registers;
  ColourBuffer b;
  const auto control = r.read<RB3D_CCTL>();
  unsigned copies = RB3D_CCTL::NUM_MULTIWRITES::get(control) + 1;
  if (copies > 1) {
    // A quad goes into several buffers: all of them are drawn as output 0 is.
    if (n >= copies) return b;
  }
  const auto out = r.read<US_OUT_FMT>(copies > 1 ? 0 : n);
  if (US_OUT_FMT::OUT_FMT::get(out) == OutFormat::UNUSED) return b;
  auto pitch = r.read<RB3D_COLORPITCH>(n);
  bool own_format = RB3D_CCTL::INDEPENDENT_COLORFORMAT_ENABLE::get(control);
  uint32_t colour_format = r.get<ColourFormat>(own_format ? n : 0);
  uint32_t out_format = US_OUT_FMT::OUT_FMT::get(out);
  bool own_mask = RB3D_CCTL::INDEPENDENT_COLOR_CHANNEL_MASK_ENABLE::get(control);
  const uint32_t mask = channel_mask(r, own_mask ? n : 0);
  if (mask == 0) return b;

  const ColourRow* row = nullptr;
  for (auto& candidate : colour_rows)
    if (candidate.colour_format == colour_format && candidate.out_format == out_format) row = &candidate;
  if (!row) {
    // What such a pair stores is not documented: the buffer's format with the components in its usual places.
    auto pair = fmt::format("RB3D_COLORPITCH.COLORFORMAT {} with US_OUT_FMT {}", colour_format, out_format);
    for (auto& candidate : colour_rows)
      if (candidate.colour_format == colour_format) row = &candidate;
    if (!row) return lose(context, fmt::format("render target {}: {}", n, pair));
    context.unknown(pair);
  }
  bool is_signed = US_OUT_FMT::OUT_SIGN::get(out) != 0;
  Number number = row->is_float ? Number::floating : is_signed ? Number::snorm : Number::unorm;
  auto format = surface::make_format(row->layout, number, row->order);
  if (!format) return lose(context, fmt::format("render target {}: {}", n, format.error().message));
  b.bound = true;
  b.format = *format;
  b.is_float = row->is_float;
  b.source_bits = source_bits(out_format);
  b.component = row->components.component;
  b.constant = row->components.constant;
  for (unsigned c = 0; c < 4; c++) {
    // C0_SEL to C3_SEL: alpha, red, green, blue.
    uint32_t select = ShaderSelects::get(out, b.component[c]);
    b.shader_channel[c] = uint8_t((select + 3) % 4);
    if (mask >> row->components.mask_bit[c] & 1) b.write_mask |= uint8_t(1u << c);
  }
  auto micro = micro_tile(context, RB3D_COLORPITCH::COLORMICROTILE::get(pitch), "RB3D_COLORPITCH");
  if (!micro) return std::nullopt;
  Area area = scissor_area_of(r);
  b.place = {.address = r.get<RB3D_COLOROFFSET::COLOROFFSET>(n) << RB3D_COLOROFFSET::COLOROFFSET::low,
             .surface = {.element_bytes = surface::row(row->layout).bytes,
                         .pitch = RB3D_COLORPITCH::COLORPITCH::get(pitch) * 2,
                         .micro = *micro,
                         .macro = RB3D_COLORPITCH::COLORTILE::get(pitch) != 0},
             .samples = samples,
             .width = area.width,
             .height = area.height,
             .swap = uint8_t(RB3D_COLORPITCH::COLORENDIAN::get(pitch))};
  arrange_samples(b.place);
  if (auto good = surface::check(b.place.surface); !good)
    return lose(context, fmt::format("render target {}: {}", n, good.error().message));
  return b;
}

std::optional<DepthBuffer> depth_buffer_of(Context& context, unsigned samples) {
  const RegisterFile& r = context.registers;
  DepthBuffer b;
  const uint32_t format = r.get<ZB_FORMAT::DEPTHFORMAT>();
  const auto pitch = r.read<ZB_DEPTHPITCH>();
  if (format > ZB_FORMAT::DEPTHFORMAT::_24_bit_Integer_Z_8_bit_Stencil)
    return lose(context, fmt::format("ZB_FORMAT.DEPTHFORMAT {}", format));
  b.bits = format == ZB_FORMAT::DEPTHFORMAT::_24_bit_Integer_Z_8_bit_Stencil ? 24 : 16;
  if (format == ZB_FORMAT::DEPTHFORMAT::_16_bit_compressed_13E3)
    b.code = r.get<ZB_FORMAT::INVERT>() ? pipeline::DepthCode::zeros : pipeline::DepthCode::ones;
  auto micro = micro_tile(context, ZB_DEPTHPITCH::DEPTHMICROTILE::get(pitch), "ZB_DEPTHPITCH");
  if (!micro) return std::nullopt;
  Area area = scissor_area_of(r);
  b.place = {.address = r.get<ZB_DEPTHOFFSET::DEPTHOFFSET>() << ZB_DEPTHOFFSET::DEPTHOFFSET::low,
             .surface = {.element_bytes = b.bits == 16 ? 2u : 4u,
                         .pitch = ZB_DEPTHPITCH::DEPTHPITCH::get(pitch) * 4,
                         .micro = *micro,
                         .macro = ZB_DEPTHPITCH::DEPTHMACROTILE::get(pitch) != 0},
             .samples = samples,
             .width = area.width,
             .height = area.height,
             .left = r.get<ZB_DEPTHXY_OFFSET::DEPTHX_OFFSET>() << ZB_DEPTHXY_OFFSET::DEPTHX_OFFSET::low & ~31u & 0xfffu,
             .top = r.get<ZB_DEPTHXY_OFFSET::DEPTHY_OFFSET>() << 1 & ~31u & 0xfffu,
             .swap = uint8_t(ZB_DEPTHPITCH::DEPTHENDIAN::get(pitch)),
             .stencil_low = b.bits == 24};
  arrange_samples(b.place);
  if (auto good = surface::check(b.place.surface); !good)
    return lose(context, fmt::format("depth buffer: {}", good.error().message));
  return b;
}

std::optional<ColourBuffer> resolve_buffer_of(Context& context) {
  const RegisterFile& r = context.registers;
  auto b = colour_buffer_of(context, 0, 1);
  if (!b || !b->bound) return b;
  b->place.address = r.get<RB3D_AARESOLVE_OFFSET::AARESOLVE_OFFSET>() << RB3D_AARESOLVE_OFFSET::AARESOLVE_OFFSET::low;
  b->place.surface.pitch = r.get<RB3D_AARESOLVE_PITCH::AARESOLVE_PITCH>() * 2;
  if (auto good = surface::check(b->place.surface); !good)
    return lose(context, fmt::format("resolve buffer: {}", good.error().message));
  return b;
}

}  // namespace Atoll::r5xx
