#include "gpu/dg1/threads/converted_surface.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "memory/fault.h"
#include "registers/dg1.h"

namespace Atoll::dg1 {

using surface::Dimension;
using surface::TextureDescription;

namespace {

// Mesa 22.3.6 src/intel/isl/isl.h, ISL_FORMAT_ASTC_LDR_2D_*_U8SRGB; those of halves (FLT16) are 64 behind.
constexpr uint32_t first_srgb = 0x200, first_floats = 0x240, floats_end = 0x280;
struct AstcFormat {
  uint32_t format;
  surface::AstcSize size;
};
constexpr AstcFormat astc_formats[] = {{0x200, {4, 4}},  {0x208, {5, 4}},   {0x209, {5, 5}},   {0x211, {6, 5}},  {0x212, {6, 6}},
                                       {0x221, {8, 5}},  {0x222, {8, 6}},   {0x224, {8, 8}},   {0x231, {10, 5}}, {0x232, {10, 6}},
                                       {0x234, {10, 8}}, {0x236, {10, 10}}, {0x23e, {12, 10}}, {0x23f, {12, 12}}};

constexpr surface::Format floats{surface::Layout::bits_16_16_16_16, surface::Number::floating},
    bytes_of_srgb{surface::Layout::bits_8_8_8_8, surface::Number::srgb},
    bytes_of_unorm{surface::Layout::bits_8_8_8_8, surface::Number::unorm},
    words_of_unorm{surface::Layout::bits_16_16_16_16, surface::Number::unorm};

// Fields stand from bit 0 up in the order of the name; texels of less than a byte likewise. Without alpha of their own texels have their
// palette's (Sandy Bridge PRM volume 4 part 1, 2.11.6 and 2.11.7).
struct PaletteFormat {
  uint32_t format, bytes;
  PaletteIndex index;
};
using Name = SURFACE_FORMAT;
constexpr PaletteFormat palette_formats[] = {
    {Name::A8P8_UNORM_PALETTE0, 2, {0, 8, 8, 8, 0}}, {Name::A8P8_UNORM_PALETTE1, 2, {1, 8, 8, 8, 0}},
    {Name::P8A8_UNORM_PALETTE0, 2, {0, 8, 0, 8, 8}}, {Name::P8A8_UNORM_PALETTE1, 2, {1, 8, 0, 8, 8}},
    {Name::P4A4_UNORM_PALETTE0, 1, {0, 4, 0, 4, 4}}, {Name::P4A4_UNORM_PALETTE1, 1, {1, 4, 0, 4, 4}},
    {Name::A4P4_UNORM_PALETTE0, 1, {0, 4, 4, 4, 0}}, {Name::A4P4_UNORM_PALETTE1, 1, {1, 4, 4, 4, 0}},
    {Name::P8_UNORM_PALETTE0, 1, {0, 8, 0, 0, 0}},   {Name::P8_UNORM_PALETTE1, 1, {1, 8, 0, 0, 0}},
    {Name::P2_UNORM_PALETTE0, 1, {0, 2, 0, 0, 0}},   {Name::P2_UNORM_PALETTE1, 1, {1, 2, 0, 0, 0}}};

unsigned slices_of(const TextureDescription& d, unsigned level) {
  return d.dimension == Dimension::three ? std::max(1u, d.depth >> level) : d.layers;
}

}  // namespace

const surface::Format& ConvertedBlocks::texels() const {
  if (planar) return bytes == 1 ? bytes_of_unorm : words_of_unorm;
  return index ? bytes_of_unorm : srgb ? bytes_of_srgb : floats;
}

std::optional<ConvertedBlocks> converted_blocks(uint32_t format) {
  const PaletteFormat* of_palette = std::ranges::find(palette_formats, format, &PaletteFormat::format);
  if (of_palette != std::end(palette_formats)) {
    const PaletteIndex& index = of_palette->index;
    const unsigned texels = of_palette->bytes * 8 / (index.bits + index.alpha_bits);
    return ConvertedBlocks{.size = {texels, 1}, .srgb = false, .bytes = of_palette->bytes, .index = index};
  }
  if (format == Name::PLANAR_420_8 || format == Name::PLANAR_420_16)
    return ConvertedBlocks{.size = {1, 1}, .srgb = false, .bytes = format == Name::PLANAR_420_8 ? 1u : 2u, .planar = true};
  if (format < first_srgb || format >= floats_end) return {};
  const bool srgb = format < first_floats;
  const AstcFormat* row =
      std::ranges::find(astc_formats, srgb ? format : format - first_floats + first_srgb, &AstcFormat::format);
  if (row == std::end(astc_formats)) return {};
  return ConvertedBlocks{row->size, srgb};
}

void ConvertedBlocks::take_levels(TextureDescription& d) {
  levels = std::move(d.levels), first_layer = d.first_layer;
  d.first_layer = 0;
  d.levels.clear();
  const uint64_t texel = surface::row(texels().layout).bytes;
  uint64_t offset = 0;
  for (unsigned n = 0; n < levels.size(); n++) {
    surface::TextureLevel& level = d.levels.emplace_back();
    if (n < d.first_level) {
      level.place = surface::LinearSurface{};
      continue;
    }
    const uint64_t pitch = std::max(1u, d.width >> n) * texel, slice = pitch * std::max(1u, d.height >> n);
    level.offset = offset, level.place = surface::LinearSurface{pitch, slice};
    offset += slice * slices_of(d, n);
  }
}

void ConvertedTexels::Freed::operator()(uint8_t* memory) const { std::free(memory); }

Expected<std::unique_ptr<ConvertedTexels>> ConvertedTexels::make(const ConvertedBlocks& blocks, const TextureDescription& d,
                                                                 uint8_t* memory, uint64_t memory_bytes) {
  std::unique_ptr<ConvertedTexels> made(new ConvertedTexels(blocks));
  const surface::AstcSize size = blocks.size;
  for (unsigned n = d.first_level; n < blocks.levels.size(); n++) {
    const unsigned width = std::max(1u, d.width >> n), height = std::max(1u, d.height >> n), slices = slices_of(d, n);
    TextureDescription raw;
    raw.dimension = Dimension::two_array;
    using surface::Layout;
    raw.format = {blocks.bytes == 1   ? Layout::bits_8
                  : blocks.bytes == 2 ? Layout::bits_16
                                      : Layout::bits_32_32_32_32,
                  surface::Number::uint};
    raw.width = (width + size.width - 1) / size.width, raw.height = (height + size.height - 1) / size.height;
    raw.first_layer = d.dimension == Dimension::three ? 0 : blocks.first_layer, raw.layers = slices;
    raw.levels = {blocks.levels[n]};
    const auto& place = std::get<surface::LinearSurface>(d.levels[n].place);
    auto texture = surface::Texture::make(raw, memory, memory_bytes);
    if (!texture) return std::unexpected(texture.error());
    made->levels_.push_back({std::move(*texture), width, height, raw.width, raw.height, slices, d.levels[n].offset,
                             place.pitch_bytes, place.slice_bytes});
    made->copy_bytes_ = d.levels[n].offset + place.slice_bytes * slices;
    made->before_bytes_ += uint64_t(raw.width) * raw.height * slices * blocks.bytes;
    if (made->copy_bytes_ > most_bytes)
      return fail("a surface of blocks or indices with {} bytes of texels: {} are the most", made->copy_bytes_, most_bytes);
  }
  if (blocks.planar) {
    TextureDescription pairs;
    pairs.format = {blocks.bytes == 1 ? surface::Layout::bits_8_8 : surface::Layout::bits_16_16, surface::Number::uint};
    pairs.width = (d.width + 1) / 2, pairs.height = (d.height + 1) / 2;
    pairs.levels = {blocks.chroma};
    auto texture = surface::Texture::make(pairs, memory, memory_bytes);
    if (!texture) return std::unexpected(texture.error());
    made->chroma_ = std::move(*texture);
  }
  // (Neither takes memory before there are texels in it.)
  made->copy_.reset(static_cast<uint8_t*>(std::calloc(made->copy_bytes_, 1)));
  made->before_.reset(static_cast<uint8_t*>(std::calloc(made->before_bytes_, 1)));
  if (!made->copy_ || !made->before_) return fail("no memory for {} bytes of texels of blocks or indices", made->bytes());
  return made;
}

Expected<surface::Texture> ConvertedTexels::texture(const TextureDescription& d) const {
  return surface::Texture::make(d, copy_.get(), copy_bytes_);
}

namespace {

// A block of indices as red, green, blue and alpha, a byte each.
void look_up(const PaletteIndex& index, unsigned texels, uint32_t word, const std::array<uint32_t, 256>& palette,
             uint16_t (*to)[4]) {
  for (unsigned n = 0; n < texels; n++) {
    const uint32_t bits = word >> n * (index.bits + index.alpha_bits);
    const uint32_t colour = palette[bits >> index.first & ((1u << index.bits) - 1)];
    const uint32_t alpha = bits >> index.alpha_first & ((1u << index.alpha_bits) - 1);
    for (unsigned c = 0; c < 3; c++) to[n][c] = uint16_t(colour >> (16 - 8 * c) & 0xff);
    to[n][3] = uint16_t(!index.alpha_bits ? colour >> 24 : index.alpha_bits == 4 ? alpha * 17 : alpha);
  }
}

}  // namespace

void ConvertedTexels::decode_level(const Level& level, const Palettes& palettes, uint8_t* before) {
  const bool in_bytes = srgb_ || index_;
  const unsigned texel = in_bytes ? 4 : 8;
  uint16_t texels[144][4];
  for (unsigned z = 0; z < level.slices; z++)
    for (unsigned row = 0; row < level.rows; row++)
      for (unsigned column = 0; column < level.columns; column++, before += block_bytes_) {
        const uint8_t* block = level.blocks.texel(0, column, row, z);
        if (!is_new_ && !std::memcmp(before, block, block_bytes_)) continue;
        std::memcpy(before, block, block_bytes_);
        if (index_) {
          uint32_t word = 0;
          std::memcpy(&word, before, block_bytes_);
          look_up(*index_, size_.width, word, palettes[index_->palette], texels);
        } else {
          surface::decode_astc_block(before, size_, srgb_, texels);
        }
        const unsigned x0 = column * size_.width, y0 = row * size_.height;
        for (unsigned y = y0; y < std::min(y0 + size_.height, level.height); y++)
          for (unsigned x = x0; x < std::min(x0 + size_.width, level.width); x++) {
            const uint16_t* from = texels[(y - y0) * size_.width + x - x0];
            uint8_t* to = copy_.get() + level.offset + z * level.slice_bytes + y * level.pitch + uint64_t(x) * texel;
            for (unsigned c = 0; c < 4; c++)
              if (in_bytes)
                to[c] = uint8_t(from[c]);
              else
                std::memcpy(to + 2 * c, &from[c], 2);
          }
      }
}

// Red is V, green luma and blue U (cl_intel_planar_yuv, which has these of NV12 images: the samples of two by two texels are the same).
void ConvertedTexels::join_planes(const Level& luma) {
  const size_t bytes = block_bytes_;
  for (unsigned y = 0; y < luma.height; y++)
    for (unsigned x = 0; x < luma.width; x++) {
      const uint8_t* pair = chroma_->texel(0, x / 2, y / 2);
      uint8_t* to = copy_.get() + luma.offset + y * luma.pitch + x * 4 * bytes;
      std::memcpy(to, pair + bytes, bytes);
      std::memcpy(to + bytes, luma.blocks.texel(0, x, y), bytes);
      std::memcpy(to + 2 * bytes, pair, bytes);
      std::memset(to + 3 * bytes, 0xff, bytes);
    }
}

void ConvertedTexels::decode(uint32_t round, const Palettes& palettes) {
  if (round_.load(std::memory_order_acquire) == round) return;
  std::lock_guard lock(mutex_);
  if (round_.load(std::memory_order_relaxed) == round) return;
  // A mapping that another thread takes away meanwhile ends it here.
  FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0)) return;
  recovery.activate();
  if (index_ && palette_ != palettes[index_->palette]) palette_ = palettes[index_->palette], is_new_ = true;
  uint8_t* before = before_.get();
  if (chroma_) join_planes(levels_.front());
  for (const Level& level : chroma_ ? std::span<const Level>() : std::span<const Level>(levels_)) {
    decode_level(level, palettes, before);
    before += uint64_t(level.columns) * level.rows * level.slices * block_bytes_;
  }
  recovery.deactivate();
  is_new_ = false;
  round_.store(round, std::memory_order_release);
}

}  // namespace Atoll::dg1
