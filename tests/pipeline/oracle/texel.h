// One texel of a colour target: colours from its fields and back.
#pragma once
#include <array>

#include "pipeline/state.h"
#include "pipeline/target.h"
#include "surface/number.h"

namespace Atoll::pipeline::oracle {

// As the pixel stage gives them and blending takes them: floats' bits, or integers.
using Colour = std::array<uint32_t, 4>;

class Texel {
public:
  // `by_texel`: a logic operation is done, which takes the plain encoding of every format.
  Texel(const ColourTarget& target, const Blend& blend, bool by_texel);

  // True if any component is stored and let through by the mask.
  bool written() const { return written_; }
  Colour decode(const uint8_t* texel) const;
  void encode(const Colour& colour, uint8_t* texel) const;
  const std::array<uint8_t, 16>& mask() const { return mask_; }  // bits of the texel that are written

private:
  bool stored(unsigned component) const;
  bool first_of_field(unsigned component) const;
  const surface::Field& field(unsigned component) const { return layout_.field[size_t(format_.order[component])]; }
  surface::Number number(unsigned component) const;
  // True if the component comes with more bits than are stored, which are cut off.
  bool cut(unsigned component) const;

  const surface::Format& format_;
  const surface::LayoutRow& layout_;
  const BitCut colour_cut_, alpha_cut_;
  const surface::Rounding rounding_;
  bool unorm_bytes_ = false;  // 8_8_8_8: rounded as floats
  bool alpha_by_component_ = false;
  bool written_ = false;
  std::array<uint8_t, 16> mask_{};
};

}  // namespace Atoll::pipeline::oracle
