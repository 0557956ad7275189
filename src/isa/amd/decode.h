// The common part of the decoders of AMD's instruction sets: reasons for refusal, and the path from the first words to the row.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "isa/amd/table.h"

namespace Atoll::amd {

// Why words are no instruction: a string that lives until this thread's next call.
const char* refuse_with(std::string reason);
template <class... Args>
const char* refuse(fmt::format_string<Args...> format, Args&&... args) {
  return refuse_with(fmt::format(format, std::forward<Args>(args)...));
}

// The format that the words begin with, and the row of its opcode; none for VOPD, which has two.
struct Found {
  Format format = Format::COUNT;
  const Opcode* row = nullptr;
};
// Null, or why there is none: no such encoding, a reserved bit, too few words, an unknown opcode.
const char* find_row(const Table& table, std::span<const uint32_t> words, Found& found);

// "v255 and the 1 after it: there are 256 VGPRs", or null.
const char* vgpr_problem(unsigned first, unsigned count);

}  // namespace Atoll::amd
