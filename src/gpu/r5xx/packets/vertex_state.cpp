#include "gpu/r5xx/packets/vertex_state.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace Atoll::r5xx {
namespace {

using Vector = std::array<uint32_t, 4>;

// A vector of the state stands in 16 bytes from the position on, and has the bit of VAP_VSM_VTX_ASSM that its place is (Mesa's
// r300_reg.h: R300_INPUT_CNTL_POS, _NORMAL, _COLOR, _TC0 to _TC7).
constexpr unsigned first_colour = 2, first_texture = 10, state_vectors = 23;
static_assert(VAP_VTX_ST_CLR_R::address(0) == VAP_VTX_ST_POS_0_X_4::address() + first_colour * 16);
static_assert(VAP_VTX_ST_TEX_S::address(0) == VAP_VTX_ST_POS_0_X_4::address() + first_texture * 16);
static_assert(VAP_VTX_ST_USR_CLR_R::address() == VAP_VTX_ST_POS_0_X_4::address() + (state_vectors - 1) * 16);

// A bit each; the names that are known are those of some.
uint32_t assembled_vectors(const RegisterFile& r) { return r.raw(VAP_VSM_VTX_ASSM::address()) & ((1u << state_vectors) - 1); }

using ColourSources = FieldList<VAP_VTX_STATE_CNTL::COLOR_0_ASSEMBLY_CNTL, VAP_VTX_STATE_CNTL::COLOR_1_ASSEMBLY_CNTL,
                                VAP_VTX_STATE_CNTL::COLOR_2_ASSEMBLY_CNTL, VAP_VTX_STATE_CNTL::COLOR_3_ASSEMBLY_CNTL,
                                VAP_VTX_STATE_CNTL::COLOR_4_ASSEMBLY_CNTL, VAP_VTX_STATE_CNTL::COLOR_5_ASSEMBLY_CNTL,
                                VAP_VTX_STATE_CNTL::COLOR_6_ASSEMBLY_CNTL, VAP_VTX_STATE_CNTL::COLOR_7_ASSEMBLY_CNTL>;

Vector user_colour(const RegisterFile& r) {
  return {r.whole<VAP_VTX_ST_USR_CLR_R>(), r.whole<VAP_VTX_ST_USR_CLR_G>(), r.whole<VAP_VTX_ST_USR_CLR_B>(),
          r.whole<VAP_VTX_ST_USR_CLR_A>()};
}

Vector colour(Context& c, unsigned n) {
  const RegisterFile& r = c.registers;
  const uint32_t source = ColourSources::get(r.read<VAP_VTX_STATE_CNTL>(), n);
  if (source == 3) c.unknown(fmt::format("VAP_VTX_STATE_CNTL.COLOR_{}_ASSEMBLY_CNTL 3", n));
  if (source == 1 || source == 2) return c.user_colours[source - 1];
  return {r.whole<VAP_VTX_ST_CLR_R>(n), r.whole<VAP_VTX_ST_CLR_G>(n), r.whole<VAP_VTX_ST_CLR_B>(n), r.whole<VAP_VTX_ST_CLR_A>(n)};
}

Vector state_vector(Context& c, unsigned n) {
  const RegisterFile& r = c.registers;
  if (n >= first_texture && n < first_texture + VAP_VTX_ST_TEX_S::count) {
    n -= first_texture;
    return {r.whole<VAP_VTX_ST_TEX_S>(n), r.whole<VAP_VTX_ST_TEX_T>(n), r.whole<VAP_VTX_ST_TEX_R>(n),
            r.whole<VAP_VTX_ST_TEX_Q>(n)};
  }
  switch (n) {
    case 0:
      return {r.whole<VAP_VTX_ST_POS_0_X_4>(), r.whole<VAP_VTX_ST_POS_0_Y_4>(), r.whole<VAP_VTX_ST_POS_0_Z_4>(),
              r.whole<VAP_VTX_ST_POS_0_W_4>()};
    case 1:
      return {r.whole<VAP_VTX_ST_NORM_0_X>(), r.whole<VAP_VTX_ST_NORM_0_Y>(), r.whole<VAP_VTX_ST_NORM_0_Z>(),
              r.whole<VAP_VTX_ST_PVMS>()};
    case 18:
      return {r.whole<VAP_VTX_ST_PNT_SPRT_SZ>(), r.whole<VAP_VTX_ST_DISC_FOG>(), r.whole<VAP_VTX_ST_SHININESS_0>(),
              r.whole<VAP_VTX_ST_SHININESS_1>()};
    case 19:
      return {r.whole<VAP_VTX_ST_BLND_WT>(0), r.whole<VAP_VTX_ST_BLND_WT>(1), r.whole<VAP_VTX_ST_BLND_WT>(2),
              r.whole<VAP_VTX_ST_BLND_WT>(3)};
    case 20:
      return {r.whole<VAP_VTX_ST_POS_1_X>(), r.whole<VAP_VTX_ST_POS_1_Y>(), r.whole<VAP_VTX_ST_POS_1_Z>(),
              r.whole<VAP_VTX_ST_POS_1_W>()};
    case 21:
      return {r.whole<VAP_VTX_ST_NORM_1_X>(), r.whole<VAP_VTX_ST_NORM_1_Y>(), r.whole<VAP_VTX_ST_NORM_1_Z>(),
              std::bit_cast<uint32_t>(r.get<VAP_VTX_ST_EDGE_FLAGS::DATA_REGISTER>() ? 1.0f : 0.0f)};
    case 22: return user_colour(r);
    default: return colour(c, n - first_colour);
  }
}

// Red in the lowest byte: R200_VTX_PK_RGBA in Mesa's r200_reg.h, which has the same registers.
template <class Red, class Green, class Blue, class Alpha, class... Index>
void set_colour(RegisterFile& r, uint32_t packed, Index... n) {
  auto part = [&](unsigned low) { return std::bit_cast<uint32_t>(float(packed >> low & 0xff) / 255.0f); };
  r.set(Red::address(n...), part(0)), r.set(Green::address(n...), part(8));
  r.set(Blue::address(n...), part(16)), r.set(Alpha::address(n...), part(24));
}

void keep_user_colour(Context& c) {
  const auto control = c.registers.read<VAP_VTX_STATE_CNTL>();
  if (VAP_VTX_STATE_CNTL::UPDATE_USER_COLOR_0_ENA::get(control)) c.user_colours[0] = user_colour(c.registers);
  if (VAP_VTX_STATE_CNTL::UPDATE_USER_COLOR_1_ENA::get(control)) c.user_colours[1] = user_colour(c.registers);
}

}  // namespace

bool is_vertex_state(uint32_t address) {
  return address >= VAP_VTX_ST_POS_0_X_4::address() && address <= VAP_VTX_ST_END_OF_PKT::address();
}

Effect write_vertex_state(Context& c, uint32_t address, uint32_t value) {
  RegisterFile& r = c.registers;
  r.set(address, value);
  // Components that the forms of two and three leave out are 0, and w is 1.
  auto position = [&](uint32_t place, uint32_t component) { r.set(place, component); };
  constexpr uint32_t x = VAP_VTX_ST_POS_0_X_4::address(), y = VAP_VTX_ST_POS_0_Y_4::address(),
                     z = VAP_VTX_ST_POS_0_Z_4::address(), w = VAP_VTX_ST_POS_0_W_4::address();
  const uint32_t one = std::bit_cast<uint32_t>(1.0f);
  switch (address) {
    case VAP_VTX_ST_POS_0_X_2::address(): position(x, r.whole<VAP_VTX_ST_POS_0_X_2>()); return {};
    case VAP_VTX_ST_POS_0_Y_2::address():
      position(y, r.whole<VAP_VTX_ST_POS_0_Y_2>()), position(z, 0), position(w, one);
      return EmitVertex();
    case VAP_VTX_ST_POS_0_X_3::address(): position(x, r.whole<VAP_VTX_ST_POS_0_X_3>()); return {};
    case VAP_VTX_ST_POS_0_Y_3::address(): position(y, r.whole<VAP_VTX_ST_POS_0_Y_3>()); return {};
    case VAP_VTX_ST_POS_0_Z_3::address(): position(z, r.whole<VAP_VTX_ST_POS_0_Z_3>()), position(w, one); return EmitVertex();
    case w: return EmitVertex();
    case VAP_VTX_ST_END_OF_PKT::address(): return r.whole<VAP_VTX_ST_END_OF_PKT>(), EndVertices();
    case VAP_VTX_ST_USR_CLR_PKD::address():
      set_colour<VAP_VTX_ST_USR_CLR_R, VAP_VTX_ST_USR_CLR_G, VAP_VTX_ST_USR_CLR_B, VAP_VTX_ST_USR_CLR_A>(
          r, r.whole<VAP_VTX_ST_USR_CLR_PKD>());
      keep_user_colour(c);
      return {};
    case VAP_VTX_ST_USR_CLR_R::address():
    case VAP_VTX_ST_USR_CLR_G::address():
    case VAP_VTX_ST_USR_CLR_B::address():
    case VAP_VTX_ST_USR_CLR_A::address(): keep_user_colour(c); return {};
    default: break;
  }
  using Packed = VAP_VTX_ST_CLR_PKD;
  if (address >= Packed::address(0) && address <= Packed::address(Packed::count - 1)) {
    const uint32_t n = (address - Packed::address(0)) / Packed::stride;
    set_colour<VAP_VTX_ST_CLR_R, VAP_VTX_ST_CLR_G, VAP_VTX_ST_CLR_B, VAP_VTX_ST_CLR_A>(r, r.whole<Packed>(n), n);
  }
  return {};
}

bool assemble_vertex(Context& c, std::vector<uint32_t>& dwords) {
  const uint32_t vectors = assembled_vectors(c.registers);
  for (unsigned n = 0; n < state_vectors; n++)
    if (vectors >> n & 1) {
      const Vector vector = state_vector(c, n);
      dwords.insert(dwords.end(), vector.begin(), vector.end());
    }
  return c.registers.get<VAP_VTX_ST_EDGE_FLAGS::DATA_REGISTER>();
}

unsigned assembled_dwords(const RegisterFile& r) { return unsigned(std::popcount(assembled_vectors(r))) * 4; }

}  // namespace Atoll::r5xx
