#include "gpu/dg1/threads/astc_surface.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "memory/fault.h"

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
    bytes_of_srgb{surface::Layout::bits_8_8_8_8, surface::Number::srgb};

unsigned slices_of(const TextureDescription& d, unsigned level) {
  return d.dimension == Dimension::three ? std::max(1u, d.depth >> level) : d.layers;
}

}  // namespace

const surface::Format& AstcBlocks::texels() const { return srgb ? bytes_of_srgb : floats; }

std::optional<AstcBlocks> astc_blocks(uint32_t format) {
  if (format < first_srgb || format >= floats_end) return {};
  const bool srgb = format < first_floats;
  const AstcFormat* row =
      std::ranges::find(astc_formats, srgb ? format : format - first_floats + first_srgb, &AstcFormat::format);
  if (row == std::end(astc_formats)) return {};
  return AstcBlocks{row->size, srgb};
}

void AstcBlocks::take_levels(TextureDescription& d) {
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

void AstcTexels::Freed::operator()(uint8_t* memory) const { std::free(memory); }

Expected<std::unique_ptr<AstcTexels>> AstcTexels::make(const AstcBlocks& blocks, const TextureDescription& d, uint8_t* memory,
                                                       uint64_t memory_bytes) {
  std::unique_ptr<AstcTexels> made(new AstcTexels(blocks));
  const surface::AstcSize size = blocks.size;
  for (unsigned n = d.first_level; n < blocks.levels.size(); n++) {
    const unsigned width = std::max(1u, d.width >> n), height = std::max(1u, d.height >> n), slices = slices_of(d, n);
    TextureDescription raw;
    raw.dimension = Dimension::two_array;
    raw.format = {surface::Layout::bits_32_32_32_32, surface::Number::uint};
    raw.width = (width + size.width - 1) / size.width, raw.height = (height + size.height - 1) / size.height;
    raw.first_layer = d.dimension == Dimension::three ? 0 : blocks.first_layer, raw.layers = slices;
    raw.levels = {blocks.levels[n]};
    const auto& place = std::get<surface::LinearSurface>(d.levels[n].place);
    auto texture = surface::Texture::make(raw, memory, memory_bytes);
    if (!texture) return std::unexpected(texture.error());
    made->levels_.push_back({std::move(*texture), width, height, raw.width, raw.height, slices, d.levels[n].offset,
                             place.pitch_bytes, place.slice_bytes});
    made->copy_bytes_ = d.levels[n].offset + place.slice_bytes * slices;
    made->before_bytes_ += uint64_t(raw.width) * raw.height * slices * AstcBlocks::bytes;
    if (made->copy_bytes_ > most_bytes)
      return fail("a surface of ASTC blocks with {} bytes of texels: {} are the most", made->copy_bytes_, most_bytes);
  }
  // (Neither takes memory before there are texels in it.)
  made->copy_.reset(static_cast<uint8_t*>(std::calloc(made->copy_bytes_, 1)));
  made->before_.reset(static_cast<uint8_t*>(std::calloc(made->before_bytes_, 1)));
  if (!made->copy_ || !made->before_) return fail("no memory for {} bytes of texels of ASTC blocks", made->bytes());
  return made;
}

Expected<surface::Texture> AstcTexels::texture(const TextureDescription& d) const {
  return surface::Texture::make(d, copy_.get(), copy_bytes_);
}

void AstcTexels::decode_level(const Level& level, uint8_t* before) {
  const unsigned texel = srgb_ ? 4 : 8;
  uint16_t texels[144][4];
  for (unsigned z = 0; z < level.slices; z++)
    for (unsigned row = 0; row < level.rows; row++)
      for (unsigned column = 0; column < level.columns; column++, before += AstcBlocks::bytes) {
        const uint8_t* block = level.blocks.texel(0, column, row, z);
        if (!is_new_ && !std::memcmp(before, block, AstcBlocks::bytes)) continue;
        std::memcpy(before, block, AstcBlocks::bytes);
        surface::decode_astc_block(before, size_, srgb_, texels);
        const unsigned x0 = column * size_.width, y0 = row * size_.height;
        for (unsigned y = y0; y < std::min(y0 + size_.height, level.height); y++)
          for (unsigned x = x0; x < std::min(x0 + size_.width, level.width); x++) {
            const uint16_t* from = texels[(y - y0) * size_.width + x - x0];
            uint8_t* to = copy_.get() + level.offset + z * level.slice_bytes + y * level.pitch + uint64_t(x) * texel;
            for (unsigned c = 0; c < 4; c++)
              if (srgb_)
                to[c] = uint8_t(from[c]);
              else
                std::memcpy(to + 2 * c, &from[c], 2);
          }
      }
}

void AstcTexels::decode(uint32_t round) {
  if (round_.load(std::memory_order_acquire) == round) return;
  std::lock_guard lock(mutex_);
  if (round_.load(std::memory_order_relaxed) == round) return;
  // A mapping that another thread takes away meanwhile ends it here.
  FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0)) return;
  recovery.activate();
  uint8_t* before = before_.get();
  for (const Level& level : levels_) {
    decode_level(level, before);
    before += uint64_t(level.columns) * level.rows * level.slices * AstcBlocks::bytes;
  }
  recovery.deactivate();
  is_new_ = false;
  round_.store(round, std::memory_order_release);
}

}  // namespace Atoll::dg1
