// Loads, stores and atomics of texels by integer coordinates in the words of the engine, specialised by a Form: what surface::fetch() and
// surface::store() do lane by lane, in every bit. As with samples (sample.h) only the recorder has the words for it.
#pragma once
#include <array>
#include <cstddef>
#include <optional>

#include "sampling/texels.h"
#include "surface/field_codes.h"
#include "wave/float_mode.h"
#include "wave/memory_access.h"

namespace Atoll::sampling {

// Integers, a lane each. Coordinates that the image's dimension does not have are not looked at.
template <class E>
struct TexelCoordinates {
  using U32 = typename E::U32;
  U32 x;
  std::optional<U32> y, slice, level;  // none: 0. The slice is a volume's, a layer or a face (6 * cube + face)
};

// True if code of the form has the reference's bits under the mode: numbers are rounded to the nearest even.
inline bool is_exact(const wave::FloatMode& mode) {
  return mode.round32 == wave::Rounding::NearestEven && mode.round64 == wave::Rounding::NearestEven;
}

// Width, height or layers, depth or layers, levels of a texture at a level (0 beyond the last): as D3D11's resinfo has them, a 1D array's
// layers stand second.
template <class E>
std::array<typename E::U32, 4> size_of_texture(E& e, const Form& form, typename E::Texture texture, typename E::U32 level) {
  using U32 = typename E::U32;
  const auto dimension = surface::Dimension(form.dimension);
  auto count = [&](size_t byte) { return e.splat(e.texture_word(texture, byte)); };
  const U32 last = count(offsetof(wave::SampledTexture, last_level)), at = umin(level, last), none = e.u32(0);
  const auto exists = level <= last;
  auto shrunk = [&](size_t byte) { return select(exists, umax(count(byte) >> at, e.u32(1)), none); };
  auto kept = [&](size_t byte) { return select(exists, count(byte), none); };
  const size_t slices = offsetof(wave::SampledTexture, slices.size);
  const bool row_of_layers = dimension == surface::Dimension::one_array, volume = dimension == surface::Dimension::three;
  return {shrunk(offsetof(wave::SampledTexture, columns.size)),
          row_of_layers ? kept(slices) : shrunk(offsetof(wave::SampledTexture, rows.size)),
          volume ? shrunk(slices) : kept(slices), last + 1u};
}

template <class E>
class TexelAccess {
public:
  using U32 = typename E::U32;
  using M = typename E::M;
  using Texture = typename E::Texture;
  using Words = std::array<U32, 4>;

  TexelAccess(E& e, const Form& form, Texture texture, const TexelCoordinates<E>& at) : e_(e), form_(form), texture_(texture) {
    U32 level = e_.u32(0);
    M inside = e_.m(true);
    if (at.level) {
      U32 last = count(offsetof(wave::SampledTexture, last_level));
      inside = *at.level <= last;
      if (form_.hides_levels) inside = inside & (*at.level >= count(offsetof(wave::SampledTexture, least_level)));
      level = umin(*at.level, last);
    }
    const bool volume = dimension() == surface::Dimension::three;
    const bool one = dimension() == surface::Dimension::one || dimension() == surface::Dimension::one_array;
    const bool flat = dimension() == surface::Dimension::one || dimension() == surface::Dimension::two;
    auto size = [&](size_t byte, bool shrinks) {
      U32 n = count(byte);
      return shrinks && at.level ? umax(n >> level, e_.u32(1)) : n;
    };
    U32 zero = e_.u32(0), y = one || !at.y ? zero : *at.y;
    inside = inside & (at.x < size(offsetof(wave::SampledTexture, columns.size), true));
    if (!one && at.y) inside = inside & (y < size(offsetof(wave::SampledTexture, rows.size), true));
    column_ = e_.texel_column(texture_, level, at.x);
    row_ = e_.texel_row(texture_, level, y);
    if (!flat) {
      U32 slice = at.slice ? *at.slice : zero;
      if (at.slice) inside = inside & (slice < size(offsetof(wave::SampledTexture, slices.size), volume));
      slice_ = e_.texel_slice(texture_, level, slice).id;
    }
    inside_ = inside;
    in_block_ = (y & 3u) << 2 | (at.x & 3u);
  }

  // The colour's components that are wanted, floats' bits or integers; beyond the level that of a texel of zeros.
  Words load(unsigned wanted) {
    Texels<E> texels(e_, form_, texture_, false, wanted);
    const auto colour = texels.decoded(texels.load(column_, row_, slice_, in_block_), nullptr);
    const surface::Format format{surface::Layout(form_.layout), surface::Number(form_.number), form_.order()};
    const surface::Colour outside = surface::in_order(format, {0, 0, 0, 0});
    Words words = {e_.u32(0), e_.u32(0), e_.u32(0), e_.u32(0)};
    for (unsigned c = 0; c < 4; c++)
      if (wanted >> c & 1) words[c] = select(inside_, as_u32(colour[c]), e_.u32(outside[c]));
    return words;
  }
  // The texel's dwords as they are, 0 behind its end; of 8 and 16 bits with their sign where it is wanted.
  Words load_packed(unsigned wanted, bool with_sign) {
    const unsigned bytes = layout().bytes;
    Words words = {e_.u32(0), e_.u32(0), e_.u32(0), e_.u32(0)};
    for (unsigned n = 0; n < 4 && n * 4 < bytes; n++) {
      if (!(wanted >> n & 1)) continue;
      U32 dword = e_.texel(texture_, column_, row_, slice_, bytes, n * 4);
      if (with_sign && bytes < 4) dword = ashr(dword << int(32 - 8 * bytes), int(32 - 8 * bytes));
      words[n] = select(inside_, dword, e_.u32(0));
    }
    return words;
  }

  // `colour` as components of red, green, blue, alpha. Only forms with can_store().
  void store(M lanes, const Words& colour) {
    surface::FieldCodes<E> codes(e_);
    const surface::Order order = form_.order();
    Words texel = {e_.u32(0), e_.u32(0), e_.u32(0), e_.u32(0)};
    for (unsigned f = 0; f < layout().fields; f++) {
      unsigned from = 4;  // the first component that is drawn from the field
      for (unsigned c = 4; c-- > 0;)
        if (unsigned(order[c]) == f) from = c;
      if (from == 4) continue;
      const surface::Field place = layout().field[f];
      U32 code = codes.encoded(number_of(f), place.bits, surface::Rounding::nearest_even, colour[from]);
      U32& word = texel[place.first_bit / 32];
      word = place.bits == 32 ? code : word | code << int(place.first_bit % 32);
    }
    write(lanes, texel);
  }
  void store_packed(M lanes, const Words& words) { write(lanes, words); }

  // An atomic on the texel's bits (`access.bytes` of them, which it must have); beyond the level it does nothing and gives 0. The words of
  // the old value go to the `results` cells.
  void change(const wave::AtomicAccess& access, const uint32_t* cells, unsigned results, const std::array<U32, 2>& data,
              const std::array<U32, 2>& compare) {
    constexpr size_t address = offsetof(wave::SampledTexture, address);
    const U32 base = count(address), low = base + e_.texel_offset(texture_, column_, row_, slice_);
    const U32 high = count(address + 4) + select(low < base, e_.u32(1), e_.u32(0));
    e_.atomic_into(cells, results, inside_, access, low, high, data[0], data[1], compare[0], compare[1]);
  }

private:
  E& e_;
  const Form form_;
  const Texture texture_;
  U32 column_{}, row_{}, in_block_{};
  int slice_ = -1;
  M inside_{};

  surface::Dimension dimension() const { return surface::Dimension(form_.dimension); }
  const surface::LayoutRow& layout() const { return surface::row(surface::Layout(form_.layout)); }
  surface::Number number_of(unsigned field) const {
    const surface::Number number = surface::Number(form_.number);
    const bool linear = number == surface::Number::srgb && is_linear(layout().layout, form_.order(), field);
    return linear ? surface::Number::unorm : number;
  }
  U32 count(size_t byte) { return e_.splat(e_.texture_word(texture_, byte)); }
  void write(M lanes, const Words& words) {
    U32 offset = e_.texel_offset(texture_, column_, row_, slice_);
    const unsigned bytes = layout().bytes;
    for (unsigned n = 0; n < 4 && n * 4 < bytes; n++) e_.set_texel(lanes & inside_, offset, words[n], bytes, n * 4);
  }
};

}  // namespace Atoll::sampling
