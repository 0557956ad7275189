#include "isa/r500/cell_names.h"

#include <fmt/format.h>

#include "isa/r500/registers.h"
#include "isa/r500/registers_vs.h"

namespace Atoll::r500 {
namespace {

// Registers of four components, from `first` on.
struct Vectors {
  const char* prefix;
  uint32_t first, count, component_bytes;
};

std::string vector_name(std::span<const Vectors> all, uint32_t cell) {
  for (const Vectors& v : all) {
    if (cell < v.first || cell >= v.first + v.count * 4 * v.component_bytes) continue;
    uint32_t n = (cell - v.first) / v.component_bytes;
    return (cell - v.first) % v.component_bytes ? "" : fmt::format("{}{}.{}", v.prefix, n / 4, "xyzw"[n % 4]);
  }
  return {};
}

}  // namespace

std::string cell_name(uint32_t cell) {
  constexpr Vectors vectors[] = {{"c", constant_cell(0, 0), kConstants, 4},
                                 {"p", predicate_cell(0), 1, 8},
                                 {"t", temporary_cell(0, 0), kTemporaries, lanes_bytes},
                                 {"o", output_cell(0, 0), kOutputs, lanes_bytes}};
  if (cell == active_cell) return "active";
  if (cell == alu_result_cell) return "alu_result";
  if (cell == killed_cell) return "killed";
  if (cell == config_cell) return "config";
  if (cell == uncovered_cell) return "uncovered";
  if (cell == loop_register_cell) return "al";
  if (cell == depth_cell) return "depth";
  for (uint8_t pixel = 0; pixel < 3; pixel++)
    for (uint32_t channel = 0; channel < 4; channel++)
      if (cell == quad_cell(QuadPixel(pixel), channel)) return fmt::format("quad{}.{}", pixel, "xyzw"[channel]);
  return vector_name(vectors, cell);
}

namespace vs {

std::string cell_name(uint32_t cell) {
  constexpr uint32_t bytes = kVertices * 4;
  constexpr Vectors vectors[] = {{"c", constant_cell(0, 0), kConstants, 4},
                                 {"i", input_cell(0, 0), kInputs, bytes},
                                 {"o", output_cell(0, 0), kOutputs, bytes},
                                 {"a", address_cell(0), 1, bytes},
                                 {"alt", alternate_cell(0, 0), kAlternates, bytes},
                                 {"relative", relative_cell(0, 0), 3, bytes},
                                 {"result", result_cell(0), 1, bytes},
                                 {"t", temporary_cell(0, 0), kTemporaries, bytes}};
  if (cell == active_cell) return "active";
  if (cell == predicate_cell) return "predicate";
  if (cell == loop_index_cell) return "al";
  for (uint32_t k = 0; k < kFlowOperations; k++) {
    if (cell == rounds_cell(k)) return fmt::format("rounds{}", k);
    if (cell == outer_index_cell(k)) return fmt::format("outer_index{}", k);
  }
  return vector_name(vectors, cell);
}

}  // namespace vs
}  // namespace Atoll::r500
