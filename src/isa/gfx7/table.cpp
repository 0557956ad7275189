#include "isa/gfx7/table.h"

#include <array>

#include "wave/program.h"

namespace Atoll::gfx7 {
namespace {

constexpr uint64_t bit(Flag flag) { return uint64_t(1) << unsigned(flag); }

#include "isa/gfx7/rows.inc"

}  // namespace

constinit const amd::Table table = the_table;

}  // namespace Atoll::gfx7
