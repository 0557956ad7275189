// The specialisation key of compiled sampling code: everything of a texture and its sampler that chooses code rather than being a
// number in it. It fits 64 bits, so that a step can note it and a guard compare it (wave/sampled_texture.h).
#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "surface/sampler.h"
#include "surface/texture.h"
#include "wave/sampled_texture.h"

namespace Atoll::sampling {

struct Form {
  uint64_t valid : 1 = 0;      // 0: code cannot be specialised for it
  uint64_t dimension : 4 = 0;  // surface::Dimension
  uint64_t layout : 6 = 0;     // surface::Layout, Number, Order
  uint64_t number : 4 = 0;
  uint64_t red : 3 = 0, green : 3 = 0, blue : 3 = 0, alpha : 3 = 0;
  uint64_t wrap_s : 3 = 0, wrap_t : 3 = 0, wrap_r : 3 = 0;  // surface::Wrap
  uint64_t magnify_linear : 1 = 0, minify_linear : 1 = 0;
  uint64_t mip_filter : 2 = 0;    // surface::MipFilter; none where there is one level
  uint64_t comparison : 3 = 0;    // surface::Comparison
  uint64_t unnormalized : 1 = 0;  // the coordinates
  uint64_t truncate : 1 = 0, half_fractions : 1 = 0;
  uint64_t one_level : 1 = 0;
  uint64_t slice_filter : 2 = 0;  // surface::SliceFilter, of volumes
  uint64_t column_digits : 2 = 0, row_digits : 2 = 0, slice_digits : 2 = 0, exclusive : 1 = 0;  // places()
  uint64_t seamless : 1 = 0;                                                                    // cubes
  uint64_t use : 2 = 0;                 // wave::TextureUse: what samplers say is 0 but where the texture is sampled
  uint64_t flush_denormals : 1 = 0;     // of what is sampled
  uint64_t half_before_clamps : 1 = 0;  // of nearest levels
  uint64_t truncate_nearest : 1 = 0;    // of nearest filters alone, of forms whose two filters differ
  uint64_t hides_levels : 1 = 0;        // of what is read: wave::SampledTexture::least_level is not 0 (the highest bit is
                                        // wave::other_form)

  uint64_t bits() const { return std::bit_cast<uint64_t>(*this); }
  static Form from(uint64_t bits) { return std::bit_cast<Form>(bits); }
  surface::Order order() const {
    return {surface::Select(red), surface::Select(green), surface::Select(blue), surface::Select(alpha)};
  }
  // A direction's two bits name a row of digit_counts (form.cpp), 0 no digits.
  wave::TexelPlaces places() const;
};
static_assert(sizeof(Form) == 8);

class Tables;
// The form of a texture with a sampler; not valid where compiled code has nothing for them. `tables` are the texture's.
Form form_of(const surface::Texture& texture, const surface::Sampler& sampler, const Tables& tables);
// True if there is a form; may be asked before there are tables.
bool has_form(const surface::Texture& texture, const surface::Sampler& sampler);
// True if stores can be compiled: code can encode the format's texels.
bool can_store(const surface::Format& format);
// True if a field of an sRGB format is alpha, which is linear (surface/texel.cpp, number_of()).
bool is_linear(surface::Layout layout, const surface::Order& order, unsigned field);

// The texture's tables as compiled code reads them; null if they do not take this shape.
class Tables {
public:
  static std::unique_ptr<Tables> make(const surface::Texture& texture);
  // Fills in all of `to` but the descriptors' words.
  void describe(const surface::Texture& texture, const surface::Sampler& sampler, wave::TextureUse use,
                wave::SampledTexture& to) const;
  size_t bytes() const;

private:
  friend Form form_of(const surface::Texture&, const surface::Sampler&, const Tables&);
  struct alignas(64) Line {
    std::array<uint32_t, 16> dwords{};
  };
  struct Direction {
    wave::TexelTable table;
    std::vector<uint32_t> parts;
    unsigned digits_code = 0;  // as Form has it
    std::vector<Line> digits;
  };
  const uint8_t* texels_ = nullptr;
  std::array<Direction, 3> directions_;  // by wave::TexelPlaces::Direction
  bool exclusive_ = false;
  uint32_t swizzled_bits_ = 0, swizzled_levels_ = 0, last_level_ = 0;

  uint32_t joined(uint32_t a, uint32_t b, unsigned level) const;
  bool are_exclusive() const;
  bool make_digits(Direction& direction, bool exclusive);
};

}  // namespace Atoll::sampling
