// The R5xx shaders for asm and disasm: lines to bytes and back, 24 bytes (6 little-endian words) an instruction of the pixel
// shader, 16 of the vertex shader.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"

namespace Atoll::cli {

// One line, which may end in a comment behind // or ;.
Expected<std::vector<uint8_t>> assemble_r500(std::string line);
// The first instruction.
Expected<std::string> disassemble_r500(std::span<const uint8_t> bytes);
inline constexpr size_t r500_instruction_bytes = 24;
Expected<std::vector<uint8_t>> assemble_r500_vertex(std::string line);
Expected<std::string> disassemble_r500_vertex(std::span<const uint8_t> bytes);
inline constexpr size_t r500_vertex_bytes = 16;
// If a flow control instruction of a pixel shader jumps to a name, takes it out and leaves 0.
std::string take_r500_target(std::string& line);
// JUMP_ADDR of an instruction's bytes, from a label's distance in bytes from the beginning of the code; false: too far.
bool set_r500_target(std::vector<uint8_t>& bytes, uint64_t address);

}  // namespace Atoll::cli
