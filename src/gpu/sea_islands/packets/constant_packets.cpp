// The constant engine: a RAM of its own that streams fill and copy out, and the counters by which it and the drawing engine wait
// for each other. It runs ahead of the drawing engine as far as it may.
#include <fmt/format.h>

#include <cstring>

#include "gpu/sea_islands/packets/packet_handlers.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

using namespace packets;

namespace {

// Null: the range does not lie in the RAM, and the context is lost.
uint8_t* ram(CommandProcessor& cp, uint32_t offset, uint64_t bytes) {
  uint64_t size = cp.constant_ram.size();
  if (offset <= size && bytes <= size - offset) return cp.constant_ram.data() + offset;
  cp.c.lose(fmt::format("bytes {:#x} to {:#x} of the constant engine's {:#x}", offset, offset + bytes, size));
  return nullptr;
}

}  // namespace

// {address, dwords, offset in bytes}
void load_const_ram(CommandProcessor& cp, Body body) {
  uint32_t bytes = LOAD_CONST_RAM::NUM_DWORDS::NUM_DWORDS_::get(body[2]) * 4;
  if (uint8_t* at = ram(cp, LOAD_CONST_RAM::OFFSET::OFFSET_::get(body[3]), bytes))
    cp.c.read(address_of(body[0] & ~3u, body[1] & 0xffff), at, bytes, "load of constants");
}

// {offset in bytes, values}
void write_const_ram(CommandProcessor& cp, Body body) {
  Body values = body.subspan(1);
  if (uint8_t* at = ram(cp, WRITE_CONST_RAM::OFFSET::OFFSET_::get(body[0]), values.size_bytes()))
    std::memcpy(at, values.data(), values.size_bytes());
}

// {offset in bytes, dwords, address}
void dump_const_ram(CommandProcessor& cp, Body body) {
  uint32_t bytes = DUMP_CONST_RAM::NUM_DWORDS::NUM_DWORDS_::get(body[1]) * 4;
  if (uint8_t* at = ram(cp, DUMP_CONST_RAM::OFFSET::OFFSET_::get(body[0]), bytes))
    cp.c.write(address_of(body[2] & ~3u, body[3] & 0xffff), at, bytes, "dump of constants");
}

void increment_ce_counter(CommandProcessor& cp, Body) { cp.constant_counter++; }

void increment_de_counter(CommandProcessor& cp, Body) {
  cp.drawing_counter++;
  cp.run_constant_engine();
}

// The drawing engine goes on when the constant engine is ahead of it.
void wait_on_ce_counter(CommandProcessor& cp, Body) {
  if (!cp.constant_stream || cp.constant_counter > cp.drawing_counter) return;
  cp.run_constant_engine();
  cp.blocked = cp.constant_counter <= cp.drawing_counter;
}

// The constant engine waits while it is this far ahead or more.
void wait_on_de_counter_diff(CommandProcessor& cp, Body body) {
  if (cp.stream != cp.constant_stream) return;
  cp.blocked = cp.constant_counter >= cp.drawing_counter && cp.constant_counter - cp.drawing_counter >= body[0];
}

}  // namespace Atoll::sea_islands
