// Registers and fields as reg, enum and decode print them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/expected.h"
#include "registers/lookup.h"

namespace Atoll::cli {

// The tables of a GPU's family, or those of every family without a GPU's name. Ends the verb for a GPU that is unknown or that
// has no tables.
std::vector<const registers::Family*> families_of(const char* verb, const std::string& gpu);

// {"0":"COLOR_INVALID",…}; ranges as "4-7".
nlohmann::ordered_json values_json(std::span<const registers::NamedValue> values);

// Each field with its bits, value and the value's name.
nlohmann::ordered_json fields_json(std::span<const registers::Field> fields, uint32_t value);

// A number as text: decimal or 0x hexadecimal, of up to `bits` bits, in dwords from the lowest on.
Expected<std::vector<uint32_t>> parse_words(const std::string& text, unsigned bits);

// Lower-case hexadecimal with 0x, without leading zeros.
std::string hex_words(std::span<const uint32_t> words);

// "A, B or C"
std::string joined(const std::vector<std::string>& names);

}  // namespace Atoll::cli
