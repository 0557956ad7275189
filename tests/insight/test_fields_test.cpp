// The fields that `why` names are registers and fields of the families' tables.
#include "insight/test_fields.h"

#include <gtest/gtest.h>

#include "registers/lookup.h"

namespace Atoll::insight {
namespace {

TEST(TestFields, AreInTheTables) {
  unsigned named = 0;
  for (const char* name : {"bonaire", "gfx1201", "r580"}) {
    const gpu::Chip* chip = gpu::find_chip(name);
    ASSERT_TRUE(chip);
    const registers::Family* family = registers::find_family(chip->registers);
    ASSERT_TRUE(family) << name;
    for (size_t n = 0; n < pipeline::fragment_ends; n++) {
      const std::string_view field = field_of(chip->family, pipeline::FragmentEnd(n));
      if (field.empty()) continue;
      named++;
      const size_t dot = field.find('.');
      const auto found = registers::find_by_name(*family, field.substr(0, dot));
      ASSERT_FALSE(found.empty()) << name << " " << field;
      if (dot == std::string_view::npos) continue;
      bool has = false;
      for (const registers::Field& f : found[0].entry->fields) has |= f.name == field.substr(dot + 1);
      EXPECT_TRUE(has) << name << " " << field;
    }
  }
  EXPECT_GE(named, 30u);
}

TEST(TestFields, OfDG1AreFieldsOfCommandsAndStructures) {
  const gpu::Chip* chip = gpu::find_chip("dg1");
  ASSERT_TRUE(chip);
  unsigned named = 0;
  for (size_t n = 0; n < pipeline::fragment_ends; n++) {
    const std::string_view field = field_of(chip->family, pipeline::FragmentEnd(n));
    if (field.empty()) continue;
    named++;
    const size_t dot = field.find('.');
    bool has = false;
    for (const auto& rows : {registers::dg1_tables.commands, registers::dg1_tables.structures})
      for (const registers::Command& row : rows) {
        if (row.name != field.substr(0, dot)) continue;
        has |= dot == std::string_view::npos;
        for (const registers::Field& f : row.fields) has |= dot != std::string_view::npos && f.name == field.substr(dot + 1);
      }
    EXPECT_TRUE(has) << field;
  }
  EXPECT_GE(named, 10u);
}

}  // namespace
}  // namespace Atoll::insight
