#include "sampling/form.h"

#include <algorithm>

#include "base/host_level.h"

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
  if (layout.block_width > 1) return format.layout >= Layout::bc1 && format.layout <= Layout::bc5;
  if (surface::is_mixed(format.number)) return false;
  if (layout.bytes > 2 && layout.bytes % 4) return false;
  for (unsigned f = 0; f < layout.fields; f++) {
    const unsigned bits = layout.field[f].bits, first = layout.field[f].first_bit % 32;
    if (first + bits > 32) return false;
    if (bits > 24 && (format.number == Number::unorm || format.number == Number::snorm)) return false;
    if (format.number == Number::snorm && bits <= 1) return false;
    if (format.number == Number::srgb && bits > 8) return false;
  }
  return true;
}

bool is_supported(Dimension d) {
  return d == Dimension::one || d == Dimension::two || d == Dimension::three || d == Dimension::one_array ||
         d == Dimension::two_array || d == Dimension::cube || d == Dimension::cube_array;
}

// Offsets are signed 32 bits in gathers.
constexpr uint64_t max_bytes = uint64_t(1) << 31;

TexelTable table_of(unsigned size, bool shrinks) { return {nullptr, size, shrinks ? 2 * std::bit_ceil(size) : 0}; }

// The address bits below the highest swizzled one: what a level's place must not have for its parts to hold it.
uint32_t up_to(uint32_t bits) { return bits ? std::bit_ceil(bits) - 1 : 0; }

// How many digits numbers have, of 5 bits where vectors hold 16 dwords and a permutation takes two of them, of 3 where they hold 8.
struct Digits {
  unsigned bits;
  std::array<uint8_t, 4> counts;  // by the form's code
};
Digits digits_of_host() {
  switch (host_level()) {
    case HostLevel::Avx512: return {5, {0, 2, 3, 3}};
    case HostLevel::Avx2: return {3, {0, 3, 4, 5}};
    case HostLevel::Baseline: break;
  }
  return {0, {}};
}

}  // namespace

wave::TexelPlaces Form::places() const {
  const Digits digits = digits_of_host();
  return {{digits.counts[column_digits], digits.counts[row_digits], digits.counts[slice_digits]},
          uint8_t(digits.bits),
          exclusive != 0};
}

bool has_form(const Texture& texture, const surface::Sampler& sampler) {
  const surface::TextureDescription& d = texture.description();
  return is_supported(d.dimension) && (!texture.cube() || d.width == d.height) && d.samples <= 1 && is_supported(d.format) &&
         sampler.max_anisotropy <= 1 && sampler.reduction == surface::Reduction::average && sampler.mip_slope == 1 &&
         sampler.mip_cut == 0 && !sampler.is_special();
}

bool is_linear(Layout layout, const surface::Order& order, unsigned field) {
  auto takes = [&](unsigned c) { return unsigned(order[c]) == field; };
  return field == 3 || (surface::row(layout).fields < 4 && takes(3) && !takes(0) && !takes(1) && !takes(2));
}

bool can_store(const surface::Format& format) {
  const surface::LayoutRow& layout = surface::row(format.layout);
  if (layout.block_width > 1 || format.layout == Layout::bits_9_9_9_e5 || format.number == Number::depth_stencil ||
      format.number == Number::floats_clamped)
    return false;
  for (unsigned f = 0; f < layout.fields; f++)
    if (format.number == Number::srgb && f < 3 && layout.field[f].bits != 8) return false;
  return is_supported(format);
}

Form form_of(const Texture& texture, const surface::Sampler& sampler, const Tables& tables) {
  const surface::TextureDescription& d = texture.description();
  Form f;
  if (!has_form(texture, sampler)) return f;
  std::array<Wrap, 3> wrap = sampler.wrap;
  if (sampler.unnormalized)
    for (Wrap& w : wrap)
      if (w == Wrap::repeat || w == Wrap::mirror) w = Wrap::clamp_to_edge;
  f.seamless = texture.cube() && sampler.seamless_cube;
  if (f.seamless) wrap.fill(Wrap::clamp_to_edge);
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
  f.half_before_clamps = f.mip_filter == uint64_t(MipFilter::nearest) && sampler.half_before_clamps;
  f.unnormalized = sampler.unnormalized;
  // (Where one filter alone can be used it is of all.)
  const bool mixed = f.magnify_linear != f.minify_linear;
  f.truncate = sampler.truncate_coordinates || (sampler.truncate_nearest && !mixed && !f.magnify_linear);
  f.truncate_nearest = sampler.truncate_nearest && !sampler.truncate_coordinates && mixed;
  f.half_fractions = sampler.half_fractions;
  f.flush_denormals =
      sampler.flush_denormals && !surface::is_integer(d.format.number) && d.format.number != Number::depth_stencil;
  if (d.dimension == Dimension::three) f.slice_filter = uint64_t(sampler.slice_filter);
  f.comparison = uint64_t(sampler.comparison);
  f.column_digits = tables.directions_[0].digits_code, f.row_digits = tables.directions_[1].digits_code;
  f.slice_digits = tables.directions_[2].digits_code;
  f.exclusive = tables.exclusive_;
  f.valid = 1;
  return f;
}

std::unique_ptr<Tables> Tables::make(const Texture& texture) {
  const surface::TextureDescription& d = texture.description();
  auto tables = std::make_unique<Tables>();
  Tables& t = *tables;
  const unsigned first = d.first_level, last = texture.last_level();
  if (d.samples > 1) return nullptr;
  const unsigned shift = texture.block_shift();  // columns and rows are those of texels, though blocks hold four of each
  const bool volume = d.dimension == Dimension::three;
  const Texture::Level& base = texture.level(first);
  const unsigned bytes = surface::row(d.format.layout).bytes;
  // The lowest level: of some tilings the smallest ones (GFX12).
  t.texels_ = base.base;
  for (unsigned n = first; n <= last; n++) t.texels_ = std::min<const uint8_t*>(t.texels_, texture.level(n).base);
  if (!t.texels_ || reinterpret_cast<uintptr_t>(t.texels_) % 4 || last - first > 16) return nullptr;
  t.last_level_ = last - first;
  // The offset of each level from the lowest. Levels of macro tiles come first, those of plain tiles after them.
  t.swizzled_bits_ = base.swizzled_bits;
  bool swizzled = true;
  for (unsigned n = first; n <= last; n++) {
    const Texture::Level& level = texture.level(n);
    if (!level.separable) return nullptr;
    if (level.swizzled_bits) {
      if (!swizzled || level.swizzled_bits != t.swizzled_bits_) return nullptr;
      t.swizzled_levels_ = n - first + 1;
    } else {
      swizzled = false;
    }
  }
  const std::array sizes = {base.size.width, base.size.height, texture.slices(first)};
  for (unsigned n = 0; n < 3; n++) t.directions_[n].table = table_of(sizes[n], n < 2 || volume);
  // An entry has the swizzled bits of its part in their places. Rows have the level's place as well, and that of the only slice
  // of textures that are no arrays.
  const bool flat = d.dimension == Dimension::one || d.dimension == Dimension::two;
  auto fill = [&](Direction& direction, const std::vector<surface::AddressPart> Texture::Level::* parts_of) {
    std::vector<uint32_t>& to = direction.parts;
    const TexelTable& table = direction.table;
    to.assign(wave::table_start(table, t.last_level_) + wave::table_size(table, t.last_level_), 0);
    for (unsigned n = 0; n <= t.last_level_; n++) {
      const Texture::Level& level = texture.level(first + n);
      const std::vector<surface::AddressPart>& parts = level.*parts_of;
      const uint32_t bits = level.swizzled_bits;
      uint64_t place = 0;
      surface::AddressPart slice;
      if (parts_of == &Texture::Level::y) {
        place = uint64_t(level.base - t.texels_);
        if (flat) slice = level.z[0];
      }
      const unsigned size = wave::table_size(table, n), by = parts_of == &Texture::Level::z ? 0 : shift;
      if (parts.size() != (size + (1u << by) - 1) >> by || (place & up_to(bits)) || place >= max_bytes) return false;
      for (size_t i = 0; i < size; i++) {
        const surface::AddressPart& own = parts[i >> by];
        uint64_t sum = (uint64_t(own.offset) | bits) + slice.offset, swizzle = (own.swizzle ^ slice.swizzle) & bits;
        uint64_t part = place + ((sum & ~uint64_t(bits)) | swizzle);
        if (part >= max_bytes) return false;
        to[wave::table_start(table, n) + i] = uint32_t(part);
      }
    }
    return true;
  };
  if (!fill(t.directions_[0], &Texture::Level::x) || !fill(t.directions_[1], &Texture::Level::y) ||
      !fill(t.directions_[2], &Texture::Level::z))
    return nullptr;
  // The sum of a level's largest parts lies in the level; here it is only made sure that 31 bits can hold it.
  uint64_t largest = t.swizzled_bits_ + bytes;
  for (Direction& direction : t.directions_) {
    largest += *std::max_element(direction.parts.begin(), direction.parts.end());
    direction.table.parts = direction.parts.data();
  }
  if (largest >= max_bytes) return nullptr;
  auto make_all = [&](bool exclusive) {
    bool all = true;
    for (unsigned n = 0; n < (flat ? 2u : 3u); n++) all &= t.make_digits(t.directions_[n], exclusive);
    return all;
  };
  t.exclusive_ = t.are_exclusive() && make_all(true);
  if (!t.exclusive_) make_all(false);
  return tables;
}

// The sum of two parts of a level, as HostAddresses makes it.
uint32_t Tables::joined(uint32_t a, uint32_t b, unsigned level) const {
  const uint32_t bits = level < swizzled_levels_ ? swizzled_bits_ : 0;
  return (((a | bits) + (b & ~bits)) & ~bits) | ((a ^ b) & bits);
}

// True if no bit but swizzled ones is set in parts of two directions of a level.
bool Tables::are_exclusive() const {
  for (unsigned n = 0; n <= last_level_; n++) {
    uint32_t met = 0;
    for (const Direction& d : directions_) {
      uint32_t own = 0;
      for (unsigned i = 0; i < wave::table_size(d.table, n); i++) own |= d.parts[wave::table_start(d.table, n) + i];
      if (n < swizzled_levels_) own &= ~swizzled_bits_;
      if (own & met) return false;
      met |= own;
    }
  }
  return true;
}

// A table for each digit, if there are not too many and their sums are the parts of all numbers; false where those are not.
bool Tables::make_digits(Direction& d, bool exclusive) {
  const Digits kind = digits_of_host();
  d.digits_code = 0;
  for (unsigned code = 3; code > 0; code--)
    if (d.table.size <= 1u << kind.bits * kind.counts[code]) d.digits_code = code;
  if (!kind.bits || !d.digits_code) return true;
  const unsigned count = kind.counts[d.digits_code], entries = 1u << kind.bits;
  d.digits.assign((size_t(last_level_ + 1) * count * entries + 15) / 16, {});
  uint32_t* const all = d.digits[0].dwords.data();
  for (unsigned n = 0; n <= last_level_; n++) {
    uint32_t* const tables = all + size_t(n) * count * entries;
    const uint32_t* const parts = &d.parts[wave::table_start(d.table, n)];
    const unsigned size = wave::table_size(d.table, n);
    const uint32_t bits = n < swizzled_levels_ ? swizzled_bits_ : 0, first = parts[0];
    for (unsigned digit = 0; digit < count; digit++)
      for (unsigned i = 0; i < entries && i << kind.bits * digit < size; i++) {
        const uint32_t part = parts[i << kind.bits * digit];
        const uint32_t more = exclusive ? part ^ first : (((part & ~bits) - (first & ~bits)) & ~bits) | ((part ^ first) & bits);
        tables[digit * entries + i] = digit ? more : part;
      }
    for (unsigned i = 0; i < size; i++) {
      uint32_t sum = tables[i % entries];
      for (unsigned digit = 1; digit < count; digit++) {
        const uint32_t more = tables[digit * entries + (i >> kind.bits * digit) % entries];
        sum = exclusive ? sum ^ more : joined(sum, more, n);
      }
      if (sum != parts[i]) {
        d.digits_code = 0;
        return false;
      }
    }
  }
  d.table.digits = all;
  return true;
}

size_t Tables::bytes() const {
  size_t bytes = 0;
  for (const Direction& d : directions_) bytes += d.parts.size() * sizeof(uint32_t) + d.digits.size() * sizeof(Line);
  return bytes;
}

void Tables::describe(const Texture& texture, const surface::Sampler& sampler, wave::TextureUse use,
                      wave::SampledTexture& to) const {
  Form form = form_of(texture, sampler, *this);
  if (form.valid) form.use = uint64_t(use);
  to.form = form.bits();
  to.texels = texels_;
  to.columns = directions_[0].table, to.rows = directions_[1].table, to.slices = directions_[2].table;
  to.swizzled_bits = swizzled_bits_, to.swizzled_levels = swizzled_levels_;
  to.last_level = last_level_;
  to.lod_bias = sampler.lod_bias, to.lod_min = sampler.lod_min, to.lod_max = sampler.lod_max;
  to.border = sampler.border;
}

}  // namespace Atoll::sampling
