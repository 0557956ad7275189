// Names in the vectors of R5xx shader instructions: registers of a wave, and the opcodes of the tables in src/isa/r500.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "eval/target.h"

namespace Atoll::vectors {

inline bool is_r500(const std::string& isa) { return isa == "r500_fs" || isa == "r500_vs"; }
// "t5.x", "o1.y", "u0.z", "i3.w", "a0.x": every lane's; "c7.x", "al", "us_config": one for all; "p", "p.x", "alu_result" and
// "active": a bit a lane.
std::optional<eval::Register> r500_register(const std::string& isa, const std::string& name, unsigned lanes);
// The words behind the mnemonic, hexadecimal. An error: they are another instruction than the encoding and mnemonic say.
Expected<std::vector<uint32_t>> r500_words(const std::string& isa, const std::string& encoding, const std::string& text);
// (encoding, mnemonic) of every operation: RGB and ALPHA of the pixel shader; VECTOR, MATH and MACRO of the vertex shader, and
// DUAL, the math operations beside a vector operation.
std::vector<std::pair<std::string, std::string>> r500_table(const std::string& isa);

}  // namespace Atoll::vectors
