#include "sampling/form.h"

#include <algorithm>

namespace Atoll::sampling {
namespace {

using surface::Dimension;
using surface::Layout;
using surface::MipFilter;
using surface::Number;
using surface::Texture;
using surface::Wrap;
using wave::TexelTable;

bool is_supported(const surface::Format& format) {
  const surface::LayoutRow& layout = surface::row(format.layout);
  if (layout.block_width > 1 || (layout.bytes > 2 && layout.bytes % 4)) return false;
  for (unsigned f = 0; f < layout.fields; f++) {
    const unsigned bits = layout.field[f].bits, first = layout.field[f].first_bit % 32;
    if (first + bits > 32) return false;
    if (bits > 24 && (format.number == Number::unorm || format.number == Number::snorm)) return false;
    if (format.number == Number::snorm && bits <= 1) return false;
    if (format.number == Number::srgb) return false;  // wants a table
  }
  return true;
}

bool is_supported(Dimension d) {
  return d == Dimension::one || d == Dimension::two || d == Dimension::three || d == Dimension::one_array ||
         d == Dimension::two_array;
}

// Offsets are signed 32 bits in gathers.
constexpr uint64_t max_bytes = uint64_t(1) << 31;

TexelTable table_of(const std::vector<uint32_t>& parts, unsigned size, bool shrinks) {
  return {parts.data(), size, shrinks ? 2 * std::bit_ceil(size) : 0};
}

// The address bits below the highest swizzled one: what a level's place must not have for its parts to hold it.
uint32_t up_to(uint32_t bits) { return bits ? std::bit_ceil(bits) - 1 : 0; }

}  // namespace

Form form_of(const Texture& texture, const surface::Sampler& sampler) {
  const surface::TextureDescription& d = texture.description();
  Form f;
  if (!is_supported(d.dimension) || texture.block_shift() || d.samples > 1 || !is_supported(d.format)) return f;
  std::array<Wrap, 3> wrap = sampler.wrap;
  if (sampler.unnormalized)
    for (Wrap& w : wrap)
      if (w == Wrap::repeat || w == Wrap::mirror) w = Wrap::clamp_to_edge;
  if (sampler.max_anisotropy > 1 || sampler.reduction != surface::Reduction::average || sampler.mip_slope != 1 ||
      sampler.mip_cut != 0)
    return f;
  f.dimension = uint64_t(d.dimension);
  f.layout = uint64_t(d.format.layout);
  f.number = uint64_t(d.format.number);
  f.red = uint64_t(d.format.order[0]), f.green = uint64_t(d.format.order[1]);
  f.blue = uint64_t(d.format.order[2]), f.alpha = uint64_t(d.format.order[3]);
  f.wrap_s = uint64_t(wrap[0]);
  if (texture.axes() > 1) f.wrap_t = uint64_t(wrap[1]);
  if (texture.axes() > 2) f.wrap_r = uint64_t(wrap[2]);
  f.magnify_linear = sampler.mag_filter == surface::Filter::linear;
  f.minify_linear = sampler.min_filter == surface::Filter::linear;
  f.one_level = texture.last_level() == d.first_level;
  f.mip_filter = uint64_t(f.one_level ? MipFilter::none : sampler.mip_filter);
  f.unnormalized = sampler.unnormalized;
  f.truncate = sampler.truncate_coordinates;
  f.half_fractions = sampler.half_fractions;
  if (d.dimension == Dimension::three) f.slice_filter = uint64_t(sampler.slice_filter);
  f.comparison = uint64_t(sampler.comparison);
  f.valid = 1;
  return f;
}

std::unique_ptr<Tables> Tables::make(const Texture& texture) {
  const surface::TextureDescription& d = texture.description();
  auto tables = std::make_unique<Tables>();
  Tables& t = *tables;
  const unsigned first = d.first_level, last = texture.last_level();
  if (texture.block_shift() || d.samples > 1) return nullptr;
  const bool volume = d.dimension == Dimension::three;
  const Texture::Level& base = texture.level(first);
  const unsigned bytes = surface::row(d.format.layout).bytes;
  t.texels_ = base.base;
  if (reinterpret_cast<uintptr_t>(t.texels_) % 4 || last - first > 16) return nullptr;
  t.last_level_ = last - first;
  // Where each level stands, after the first that is there. Levels of macro tiles come first, those of plain tiles after them.
  t.swizzled_bits_ = base.swizzled_bits;
  bool swizzled = true;
  for (unsigned n = first; n <= last; n++) {
    const Texture::Level& level = texture.level(n);
    if (!level.separable || level.base < t.texels_) return nullptr;
    if (level.swizzled_bits) {
      if (!swizzled || level.swizzled_bits != t.swizzled_bits_) return nullptr;
      t.swizzled_levels_ = n - first + 1;
    } else {
      swizzled = false;
    }
  }
  t.column_table_ = table_of(t.columns_, base.size.width, true);
  t.row_table_ = table_of(t.rows_, base.size.height, true);
  t.slice_table_ = table_of(t.slices_, texture.slices(first), volume);
  // An entry has the swizzled bits of its part in their places. Rows have the level's place as well, and that of the only slice
  // of textures that are no arrays.
  const bool flat = d.dimension == Dimension::one || d.dimension == Dimension::two;
  auto fill = [&](std::vector<uint32_t>& to, const TexelTable& table,
                  const std::vector<surface::AddressPart> Texture::Level::* direction) {
    to.assign(wave::table_start(table, t.last_level_) + wave::table_size(table, t.last_level_), 0);
    for (unsigned n = 0; n <= t.last_level_; n++) {
      const Texture::Level& level = texture.level(first + n);
      const std::vector<surface::AddressPart>& parts = level.*direction;
      const uint32_t bits = level.swizzled_bits;
      uint64_t place = 0;
      surface::AddressPart slice;
      if (direction == &Texture::Level::y) {
        place = uint64_t(level.base - t.texels_);
        if (flat) slice = level.z[0];
      }
      if (parts.size() != wave::table_size(table, n) || (place & up_to(bits)) || place >= max_bytes) return false;
      for (size_t i = 0; i < parts.size(); i++) {
        uint64_t sum = (uint64_t(parts[i].offset) | bits) + slice.offset, swizzle = (parts[i].swizzle ^ slice.swizzle) & bits;
        uint64_t part = place + ((sum & ~uint64_t(bits)) | swizzle);
        if (part >= max_bytes) return false;
        to[wave::table_start(table, n) + i] = uint32_t(part);
      }
    }
    return true;
  };
  if (!fill(t.columns_, t.column_table_, &Texture::Level::x) || !fill(t.rows_, t.row_table_, &Texture::Level::y) ||
      !fill(t.slices_, t.slice_table_, &Texture::Level::z))
    return nullptr;
  t.column_table_.parts = t.columns_.data();
  t.row_table_.parts = t.rows_.data();
  t.slice_table_.parts = t.slices_.data();
  // What the largest parts of a level add up to lies in it; here only that it can be counted in 31 bits.
  auto largest = [](const std::vector<uint32_t>& parts) { return uint64_t(*std::max_element(parts.begin(), parts.end())); };
  if (largest(t.columns_) + largest(t.rows_) + largest(t.slices_) + t.swizzled_bits_ + bytes >= max_bytes) return nullptr;
  return tables;
}

void Tables::describe(const Texture& texture, const surface::Sampler& sampler, wave::SampledTexture& to) const {
  to.form = form_of(texture, sampler).bits();
  to.texels = texels_;
  to.columns = column_table_, to.rows = row_table_, to.slices = slice_table_;
  to.swizzled_bits = swizzled_bits_, to.swizzled_levels = swizzled_levels_;
  to.last_level = last_level_;
  to.lod_bias = sampler.lod_bias, to.lod_min = sampler.lod_min, to.lod_max = sampler.lod_max;
  to.border = sampler.border;
}

}  // namespace Atoll::sampling
