// Every SURFACE_FORMAT of the manual has a format of ours or a reason, and the ledger (registers/dg1/enumeration_states.json) says the
// same.
#include <gtest/gtest.h>

#include <string_view>

#include "isa/xe_lp/surface_format.h"
#include "registers/dg1.h"
#include "registers/lookup.h"
#include "registers/tables.h"

namespace {

using namespace Atoll;

// Formats that vertices may have and no surface can (Mesa 22.3.6 isl_format.c, format_info: VB alone): numbers of 64 bits, and
// fixed-point ones.
bool is_of_vertices_alone(std::string_view name) {
  if (name.ends_with("_SFIXED") || name.ends_with("_PASSTHRU")) return true;
  return name.starts_with("R64") && name.ends_with("_FLOAT");
}

TEST(SurfaceFormats, TheLedgerSaysWhichAct) {
  const registers::Family& family = registers::dg1_tables;
  const registers::Enumeration* formats = registers::find_enumeration(family, "SURFACE_FORMAT");
  ASSERT_TRUE(formats);
  auto state_of = [&](uint32_t value) -> std::string_view {
    for (const auto& row : family.enumeration_states)
      if (&family.enumerations[row.enumeration] == formats && (row.whole || row.value == value)) return row.state;
    return {};
  };
  size_t act = 0;
  for (const registers::NamedValue& v : formats->values) {
    const unsigned code = v.first;
    const surface::Format* format = xe_lp::surface_format(code);
    // (untyped messages take RAW, which has no texels)
    // threads/converted_surface.h
    const bool converted = std::string_view(v.name).contains("_PALETTE") || std::string_view(v.name).starts_with("PLANAR_420_");
    EXPECT_EQ(format != nullptr || converted || code == dg1::SURFACE_FORMAT::RAW || is_of_vertices_alone(v.name),
              state_of(v.first) == "acts")
        << v.name;
    const char* why = xe_lp::why_no_surface_format(code);
    const bool reserved = std::string_view(v.name).starts_with("RESERVED");
    EXPECT_EQ(why != nullptr, !format && !reserved) << v.name;
    if (why) {
      EXPECT_TRUE(std::string_view(why).starts_with(std::string(v.name) + ": ")) << why;
    }
    if (!format) continue;
    act++;
    EXPECT_TRUE(surface::make_format(format->layout, format->number, format->order)) << v.name;
  }
  EXPECT_EQ(act, 191u);
  EXPECT_EQ(formats->values.size(), 223u);
}

}  // namespace
