#include "surface/element_address.h"

#include <bit>

namespace Atoll::surface {

uint64_t address_of(const LinearSurface& s, unsigned element_bytes, const ElementPlace& p) {
  return p.slice * s.slice_bytes + p.y * s.pitch_bytes + uint64_t(p.x) * element_bytes;
}
uint64_t address_of(const BankedSurface& s, unsigned, const ElementPlace& p) { return address(s, p); }
uint64_t address_of(const R300Surface& s, unsigned, const ElementPlace& p) { return address(s, p.x, p.y, p.slice); }
uint64_t address_of(const IntelSurface& s, unsigned element_bytes, const ElementPlace& p) {
  if (s.interleaved) {
    const SamplePlace at = interleaved_place(s, p.x, p.y, p.sample);
    return address(s, s.x_bytes + uint64_t(at.x) * element_bytes, s.y_rows + uint64_t(p.slice) * s.slice_rows + at.y);
  }
  return address(s, s.x_bytes + uint64_t(p.x) * element_bytes,
                 s.y_rows + (uint64_t(p.slice) * s.samples + p.sample) * s.slice_rows + p.y);
}
uint64_t address_of(const IntelStandardSurface& s, unsigned, const ElementPlace& p) {
  if (!s.interleaved) return address(s, p);
  const SamplePlace at = interleaved_place(s, p.x, p.y, p.sample);
  return address(s, {.x = at.x, .y = at.y, .slice = p.slice});
}
uint64_t address_of(const Gfx12Surface& s, unsigned, const ElementPlace& p) { return address(s, p); }
uint64_t address_of(const PageNumbers& s, unsigned, const ElementPlace& p) {
  const ElementPlace element{p.x >> s.block_shift, p.y >> s.block_row_shift, p.slice, p.sample};
  return (s.of->offset + address_of(s.of->place, s.element_bytes, element)) >> s.page_shift;
}

SwizzledBits swizzled_bits(const PageNumbers&) { return {}; }
SwizzledBits swizzled_bits(const LinearSurface&) { return {}; }
SwizzledBits swizzled_bits(const BankedSurface& s) {
  if (!row(s.tiling.arrangement).macro) return {};
  return {unsigned(std::countr_zero(s.tiling.pipe_interleave_bytes)),
          unsigned(std::countr_zero(pipes(s.tiling.pipe_config) * s.tiling.banks))};
}
SwizzledBits swizzled_bits(const R300Surface& s) { return s.macro ? SwizzledBits{6, 5} : SwizzledBits{}; }
SwizzledBits swizzled_bits(const IntelSurface&) { return {}; }
SwizzledBits swizzled_bits(const IntelStandardSurface&) { return {}; }
SwizzledBits swizzled_bits(const Gfx12Surface& s) {
  return s.start_bits ? SwizzledBits{8, block_bits(s.swizzle) - 8} : SwizzledBits{};
}

}  // namespace Atoll::surface
