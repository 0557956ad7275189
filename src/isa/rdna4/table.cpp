#include "isa/rdna4/table.h"

#include <array>

#include "wave/program.h"

namespace Atoll::rdna4 {
namespace {

constexpr uint64_t bit(Flag flag) { return uint64_t(1) << unsigned(flag); }

#include "isa/rdna4/rows.inc"

}  // namespace

constinit const amd::Table table = the_table;
constinit const Layout &dpp16_layout = layout_dpp16, &dpp8_layout = layout_dpp8;

}  // namespace Atoll::rdna4
