#include "gpu/r5xx/command_processor.h"

#include <algorithm>

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

void CommandProcessor::begin() {
  executed_ = 0;
  began_ = std::chrono::steady_clock::now();
}

void CommandProcessor::run(uint64_t address, uint64_t dwords) {
  if (c_.lost() || dwords == 0) return;
  if (address % 4) return c_.lose(fmt::format("a buffer at {:#x}: no multiple of 4", address));
  if (!c_.space.contains(address, dwords * 4))
    return c_.lose(fmt::format("a buffer of {} dwords at {:#x} is not mapped", dwords, address));
  run({reinterpret_cast<const uint32_t*>(c_.space.host(address)), size_t(dwords)}, address);
}

void CommandProcessor::run(std::span<const uint32_t> words, uint64_t address) {
  if (level_ > most_levels) return c_.lose("indirect buffers nest too deep");
  level_++;
  // An indirect buffer is called from within a packet, which goes on behind it.
  const uint64_t outer_address = packet_address_;
  const uint32_t outer_header = packet_header_;
  const bool outer = in_packet_;
  for (size_t at = 0; at < words.size() && !c_.lost();) {
    const uint32_t header = words[at];
    packet_address_ = address + at * 4;
    packet_header_ = header;
    in_packet_ = true;
    if (Type::get(header) == 1) {
      c_.lose(fmt::format("header {:#010x}: there are no packets of type 1", header));
      break;
    }
    const size_t length = Type::get(header) == 2 ? 1 : Count::get(header) + 2;
    if (length > words.size() - at) {
      c_.lose(fmt::format("the packet's {} dwords go beyond the buffer's end", length));
      break;
    }
    executed_ += length;
    if (executed_ > c_.limits.dwords) {
      c_.lose(fmt::format("hang: more than {} dwords in one submission", c_.limits.dwords));
      break;
    }
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() > c_.limits.seconds) {
      c_.lose(fmt::format("hang: the submission did not end in {} s", c_.limits.seconds));
      break;
    }
    if (c_.stop.load()) {
      c_.lose("stopped");
      break;
    }
    c_.statistics.packets++;
    execute(words.subspan(at, length));
    at += length;
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
  executed_ += dwords;
  std::span<const uint32_t> data(reinterpret_cast<const uint32_t*>(c_.space.host(address)), dwords);
  if (P::DESTINATION::SKIP::get(words[0])) data = data.subspan(std::min<size_t>(P::DESTINATION::SKIP::get(words[0]), dwords));
  if (destination == VAP_PORT_IDX::address(0)) return c_.port_dwords(data);
  for (uint32_t value : data) {
    c_.write(destination, value);
    if (!P::DESTINATION::ONE_REG_WR::get(words[0])) destination += 4;
  }
}

}  // namespace Atoll::r5xx
