// Packets, registers and fields as text for people, and hexadecimal text as dwords.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "registers/pm4.h"

namespace Atoll::registers {

// "FORMAT = 10 (0xa) COLOR_8_8_8_8": without the name where the value has none.
std::string field_text(const Field& field, uint64_t value);

// Appends the packet's lines: its offset in bytes, header and name; below them, indented, the registers it writes and the dwords
// whose meaning is known with their fields, then the others. `margin` stands before every line.
void append_text(std::string& text, const StreamPacket& packet, std::string_view margin);

// Hexadecimal dwords of up to eight digits, with or without 0x, between blanks, commas and line ends. An error begins with the
// number of its line and a colon.
Expected<std::vector<uint32_t>> dwords_of_hex(std::string_view text);

}  // namespace Atoll::registers
