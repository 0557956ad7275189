// Instructions that no flag of isa/rdna4.tsv tells apart, by their names.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace Atoll::gfx12 {

using namespace std::string_view_literals;

// Registers by M0.
inline constexpr std::array indexed_vector_moves{"v_movreld_b32"sv, "v_movrels_b32"sv, "v_movrelsd_b32"sv, "v_movrelsd_2_b32"sv};
inline constexpr std::array indexed_scalar_moves{"s_movreld_b32"sv, "s_movreld_b64"sv, "s_movrels_b32"sv, "s_movrels_b64"sv,
                                                 "s_movrelsd_2_b32"sv};
// The scalar moves whose destination M0 moves.
inline constexpr std::array indexed_scalar_writes{"s_movreld_b32"sv, "s_movreld_b64"sv, "s_movrelsd_2_b32"sv};
// One lane alone, or other lanes than the quad's.
inline constexpr std::array across_lanes{"v_permlane16_b32"sv,      "v_permlane16_var_b32"sv, "v_permlanex16_b32"sv,
                                         "v_permlanex16_var_b32"sv, "v_permlane64_b32"sv,     "v_readfirstlane_b32"sv,
                                         "v_readlane_b32"sv,        "v_writelane_b32"sv};
inline constexpr std::array lane_numbers{"v_mbcnt_lo_u32_b32"sv, "v_mbcnt_hi_u32_b32"sv};
inline constexpr std::array barriers{"s_barrier_init"sv,   "s_barrier_join"sv,           "s_barrier_leave"sv,
                                     "s_barrier_signal"sv, "s_barrier_signal_isfirst"sv, "s_barrier_wait"sv};
inline constexpr std::array waits{
    "s_wait_alu"sv,      "s_wait_bvhcnt"sv,         "s_wait_dscnt"sv,   "s_wait_event"sv,         "s_wait_expcnt"sv,
    "s_wait_idle"sv,     "s_wait_kmcnt"sv,          "s_wait_loadcnt"sv, "s_wait_loadcnt_dscnt"sv, "s_wait_samplecnt"sv,
    "s_wait_storecnt"sv, "s_wait_storecnt_dscnt"sv, "s_waitcnt"sv,
};

template <size_t count>
constexpr bool is_among(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace Atoll::gfx12
