#include "gpu/r5xx/command_processor.h"

#include <algorithm>
#include <cstring>

#include "registers/lookup.h"
#include "registers/r5xx.h"

namespace Atoll::r5xx {
namespace {

// Headers (r300d.h): bits 31:30 the type; type 0 writes `count + 1` registers from bits 12:0 on, or all to that one (bit 15);
// type 3 has an opcode in bits 15:8.
using Type = registers::access::Bits<30, 2>;
using Count = registers::access::Bits<16, 14>;
using FirstRegister = registers::access::Bits<0, 13>;
using OneRegister = registers::access::Bits<15, 1>;
using Opcode = registers::access::Bits<8, 8>;

std::string packet_name(uint32_t header) {
  switch (Type::get(header)) {
    case 0: return fmt::format("PACKET0 to {:#06x}", FirstRegister::get(header) * 4);
    case 2: return "PACKET2";
    case 3: {
      auto* known = registers::find_packet(registers::r5xx_tables, Opcode::get(header));
      return known ? std::string(known->name) : fmt::format("packet {:#04x}", Opcode::get(header));
    }
    default: return "PACKET1";
  }
}

// What an opcode's words are, for those that are executed here.
enum class Action : uint8_t {
  none,              // order or padding only
  draw,              // VAP_VF_CNTL, then dwords for the vertex port
  draw_with_format,  // the same behind a vertex format that R300 and later do not use
  vertex_arrays,
  index_buffer,
  hyper_z,  // memories beside the Z and colour buffers
};
struct OpcodeRow {
  uint32_t opcode;
  Action action;
};
constexpr OpcodeRow opcode_rows[] = {
    {packets::NOP::opcode, Action::none},
    {packets::WAIT_FOR_IDLE::opcode, Action::none},
    {packets::_3D_DRAW_VBUF::opcode, Action::draw_with_format},
    {packets::_3D_DRAW_IMMD::opcode, Action::draw_with_format},
    {packets::_3D_DRAW_INDX::opcode, Action::draw_with_format},
    {packets::_3D_DRAW_VBUF_2::opcode, Action::draw},
    {packets::_3D_DRAW_IMMD_2::opcode, Action::draw},
    {packets::_3D_DRAW_INDX_2::opcode, Action::draw},
    {packets::_3D_DRAW_128::opcode, Action::draw},
    {packets::_3D_LOAD_VBPNTR::opcode, Action::vertex_arrays},
    {packets::INDX_BUFFER::opcode, Action::index_buffer},
    {packets::_3D_CLEAR_ZMASK::opcode, Action::hyper_z},
    {packets::_3D_CLEAR_HIZ::opcode, Action::hyper_z},
    {packets::_3D_CLEAR_CMASK::opcode, Action::hyper_z},
};

}  // namespace

CommandProcessor::CommandProcessor(Context& context) : c_(context) {
  c_.place = [this] { return place(); };
  c_.run_indirect_buffer = [this](uint64_t address, uint32_t dwords, unsigned) { run(address, dwords); };
}

std::string CommandProcessor::place() const {
  if (!in_packet_) return "MMIO";
  return fmt::format("{} at {:#x}", packet_name(packet_header_), packet_address_);
}

void CommandProcessor::run(uint64_t address, uint64_t dwords) {
  if (c_.lost() || dwords == 0) return;
  if (address % 4) return c_.lose(fmt::format("a buffer at {:#x}: no multiple of 4", address));
  if (!c_.within(c_.budget.buffers())) return;
  if (!c_.space.contains(address, dwords * 4))
    return c_.lose(fmt::format("a buffer of {} dwords at {:#x} is not mapped", dwords, address));
  run(gpu::CommandReader(address, dwords));
}

void CommandProcessor::run(std::vector<uint32_t> words, uint64_t address) { run(gpu::CommandReader(address, std::move(words))); }

std::span<const uint32_t> CommandProcessor::peek(gpu::CommandReader& reader, uint64_t dwords) {
  return reader.peek(dwords, [this](uint64_t address, uint32_t* to, uint64_t bytes) {
    if (!c_.space.contains(address, bytes))
      return c_.lose(fmt::format("a buffer's {} bytes at {:#x} are not mapped any more", bytes, address)), false;
    std::memcpy(to, c_.space.host(address), bytes);
    return true;
  });
}

void CommandProcessor::run(gpu::CommandReader reader) {
  if (level_ > most_levels) return c_.lose("indirect buffers nest too deep");
  level_++;
  // An indirect buffer is called from within a packet, which goes on behind it.
  const uint64_t outer_address = packet_address_;
  const uint32_t outer_header = packet_header_;
  const bool outer = in_packet_;
  while (reader.left() && !c_.lost()) {
    packet_address_ = reader.address();
    auto packet = peek(reader, 1);
    if (packet.empty()) break;
    const uint32_t header = packet[0];
    packet_header_ = header;
    in_packet_ = true;
    if (Type::get(header) == 1) {
      c_.lose(fmt::format("header {:#010x}: there are no packets of type 1", header));
      break;
    }
    const size_t length = Type::get(header) == 2 ? 1 : Count::get(header) + 2;
    if (length > reader.left()) {
      c_.lose(fmt::format("the packet's {} dwords go beyond the buffer's end", length));
      break;
    }
    if (!c_.within(c_.budget.packets()) || !c_.within(c_.budget.dwords(length))) break;
    if (c_.stop.load(std::memory_order_relaxed)) {
      c_.lose(c_.stop_report());
      break;
    }
    c_.statistics.packets++;
    c_.progress.fetch_add(1, std::memory_order_relaxed);
    if (length > 1) packet = peek(reader, length);
    if (packet.empty()) break;
    execute(packet);
    reader.skip(length);
  }
  packet_address_ = outer_address, packet_header_ = outer_header, in_packet_ = outer;
  level_--;
}

void CommandProcessor::execute(std::span<const uint32_t> packet) {
  const uint32_t header = packet[0];
  auto words = packet.subspan(1);
  switch (Type::get(header)) {
    case 0: {
      uint32_t address = FirstRegister::get(header) * 4;
      for (uint32_t value : words) {
        c_.write(address, value);
        if (!OneRegister::get(header)) address += 4;
      }
      break;
    }
    case 3: execute_opcode(Opcode::get(header), words); break;
    default: break;
  }
}

void CommandProcessor::execute_opcode(uint32_t opcode, std::span<const uint32_t> words) {
  const OpcodeRow* row = nullptr;
  for (auto& candidate : opcode_rows)
    if (candidate.opcode == opcode) row = &candidate;
  if (!row) return c_.unknown(packet_name(packet_header_));
  switch (row->action) {
    case Action::none: break;
    case Action::draw_with_format:
      if (words.size() < 2) return c_.lose("the packet has no VAP_VF_CNTL");
      words = words.subspan(1);
      [[fallthrough]];
    case Action::draw:
      c_.begin_draw(words[0]);
      if (words.size() > 1) c_.port_dwords(words.subspan(1));
      c_.end_packet();
      break;
    case Action::vertex_arrays: load_vertex_arrays(words); break;
    case Action::index_buffer: index_buffer(words); break;
    case Action::hyper_z: c_.unknown(packet_name(packet_header_)); break;
  }
}

// The count, then two arrays at a time: their sizes and strides, and the address of each.
void CommandProcessor::load_vertex_arrays(std::span<const uint32_t> words) {
  c_.write(VAP_VTX_NUM_ARRAYS::address(), words[0]);
  uint32_t count = VAP_VTX_NUM_ARRAYS::VTX_NUM_ARRAYS::get(words[0]);
  size_t at = 1;
  for (uint32_t n = 0; n < std::min<uint32_t>(count, 16); n++) {
    if (n % 2 == 0) {
      if (at >= words.size()) return c_.lose(fmt::format("the packet lacks array {} of {}", n, count));
      c_.write(VAP_VTX_AOS_ATTR::address(n / 2), words[at++]);
    }
    if (at >= words.size()) return c_.lose(fmt::format("the packet lacks the address of array {} of {}", n, count));
    c_.write(VAP_VTX_AOS_ADDR::address(n), words[at++]);
  }
}

// Dwords of memory go to a register, the index port as a rule.
void CommandProcessor::index_buffer(std::span<const uint32_t> words) {
  if (words.size() < 3) return c_.lose("the packet has 3 dwords");
  using P = packets::INDX_BUFFER;
  uint32_t destination = P::DESTINATION::DST::get(words[0]) * 4, dwords = words[2];
  uint64_t address = words[1] & ~3u;
  if (dwords == 0) return;
  if (!c_.space.contains(address, uint64_t(dwords) * 4))
    return c_.lose(fmt::format("{} dwords at {:#x} are not mapped", dwords, address));
  const uint64_t skipped = std::min<uint64_t>(P::DESTINATION::SKIP::get(words[0]), dwords);
  // Copied, as commands are: what is drawn or written cannot change meanwhile.
  gpu::CommandReader reader(address, dwords);
  reader.skip(skipped);
  if (destination == VAP_PORT_IDX::address(0)) {
    // A draw takes what it lacks. What comes without a draw is reported by its first dword.
    std::vector<uint32_t> indices(std::min(reader.left(), std::max<uint64_t>(1, c_.port_missing())));
    if (!c_.within(c_.budget.bytes(indices.size() * 4))) return;
    std::memcpy(indices.data(), c_.space.host(reader.address()), indices.size() * 4);
    return c_.port_dwords(indices);
  }
  if (!c_.within(c_.budget.dwords(reader.left()))) return;
  while (reader.left() && !c_.lost()) {
    auto data = peek(reader, std::min(reader.left(), gpu::CommandReader::piece));
    for (uint32_t value : data) {
      c_.write(destination, value);
      if (!P::DESTINATION::ONE_REG_WR::get(words[0])) destination += 4;
    }
    reader.skip(data.size());
  }
}

}  // namespace Atoll::r5xx
