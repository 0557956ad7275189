#include "gpu/gfx12/shaders/turns.h"

#include <string_view>

#include "isa/rdna4/decode.h"

namespace Atoll::gfx12 {

std::vector<uint32_t> with_turns(std::span<const uint32_t> words, unsigned lanes) {
  constexpr uint32_t s_sleep_1 = 0xbf830001;  // SOPP, RDNA4 ISA 15.5
  constexpr size_t none = SIZE_MAX;
  std::vector<uint32_t> code(words.begin(), words.end());
  std::vector<size_t> waits;
  const std::span bytes(reinterpret_cast<const uint8_t*>(words.data()), words.size_bytes());
  bool is_ordered = false, behind_barrier = false, has_read = false;
  size_t wait = none;
  rdna4::Decoded decoded;
  for (size_t at = 0; at < words.size();) {
    if (rdna4::decode_into(bytes.subspan(at * 4), {.wave = lanes}, decoded)) {
      at++;
      continue;
    }
    const rdna4::Opcode& row = *decoded.main.opcode;
    const std::string_view name = row.name;
    const bool is_lds = row.format == rdna4::Format::VDS;
    is_ordered |= name == "global_atomic_ordered_add_b64";
    if (name == "s_barrier_wait") {
      behind_barrier = true, has_read = false, wait = none;
    } else if (behind_barrier && is_lds && row.store_bytes) {
      if (wait != none) waits.push_back(wait);
      behind_barrier = false;
    } else if (behind_barrier && is_lds && row.load_bytes) {
      has_read = true;
    } else if (has_read && wait == none && name == "s_wait_dscnt") {
      wait = at;
    }
    at += decoded.main.bytes / 4;
  }
  if (is_ordered)
    for (const size_t at : waits) code[at] = s_sleep_1;
  return code;
}

}  // namespace Atoll::gfx12
