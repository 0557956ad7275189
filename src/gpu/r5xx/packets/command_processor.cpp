#include "gpu/r5xx/packets/command_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpu/r5xx/byte_swap.h"
#include "registers/lookup.h"
#include "registers/pm4_header.h"

namespace Atoll::r5xx {
namespace {

using registers::PacketHeader;
using registers::PacketType;

// An opcode's row. Opcodes without one are not modelled. Cached blocks of targets are written back before an opcode unless its row
// says otherwise, as it does where the opcode only sets registers and draws.
struct OpcodeRow {
  uint32_t opcode;
  bool (CommandProcessor::*execute)(std::span<const uint32_t> words);
  bool writes_back = true;
};
constexpr OpcodeRow opcode_rows[] = {
    {packets::NOP::opcode, &CommandProcessor::nothing, false},
    {packets::WAIT_FOR_IDLE::opcode, &CommandProcessor::nothing},
    {packets::_3D_DRAW_VBUF::opcode, &CommandProcessor::draw_with_format, false},
    {packets::_3D_DRAW_IMMD::opcode, &CommandProcessor::draw_with_format, false},
    {packets::_3D_DRAW_INDX::opcode, &CommandProcessor::draw_with_format, false},
    {packets::_3D_DRAW_VBUF_2::opcode, &CommandProcessor::draw, false},
    {packets::_3D_DRAW_IMMD_2::opcode, &CommandProcessor::draw, false},
    {packets::_3D_DRAW_INDX_2::opcode, &CommandProcessor::draw, false},
    {packets::_3D_DRAW_128::opcode, &CommandProcessor::draw, false},
    {packets::_3D_LOAD_VBPNTR::opcode, &CommandProcessor::load_vertex_arrays, false},
    {packets::INDX_BUFFER::opcode, &CommandProcessor::index_buffer, false},
    {packets::_3D_CLEAR_ZMASK::opcode, &CommandProcessor::clear_depth_tiles, false},
    {packets::_3D_CLEAR_HIZ::opcode, &CommandProcessor::clear_hierarchical_depth, false},
    {packets::_3D_CLEAR_CMASK::opcode, &CommandProcessor::clear_colour_tiles, false},
};

// A packet's name in reports: "PACKET0 to 0x4e00", "3D_DRAW_IMMD_2", "packet 0x12".
void name_packet(const PacketHeader& header, gpu::Reports& reports) {
  static const auto names = [] {
    std::array<std::string_view, 256> all{};
    for (unsigned n = 0; n < all.size(); n++)
      if (auto* known = registers::find_packet(registers::r5xx_tables, n)) all[n] = known->name;
    return all;
  }();
  reports.packet_digits = 0;
  if (header.type == PacketType::registers) {
    reports.packet = "PACKET0 to", reports.packet_number = header.first_register, reports.packet_digits = 4;
  } else if (header.type == PacketType::opcode) {
    reports.packet = names[header.opcode % names.size()];
    if (reports.packet.empty()) reports.packet = "packet", reports.packet_number = header.opcode, reports.packet_digits = 2;
  } else {
    reports.packet = header.type == PacketType::filler ? "PACKET2" : "PACKET1";
  }
}

const OpcodeRow* find_row(uint32_t opcode) {
  for (auto& row : opcode_rows)
    if (row.opcode == opcode) return &row;
  return nullptr;
}

}  // namespace

bool CommandProcessor::run(uint64_t address, uint64_t dwords) {
  if (c_.lost() || dwords == 0) return !c_.lost();
  if (address % 4) return c_.lose(fmt::format("a buffer at {:#x}: no multiple of 4", address));
  if (!c_.within(c_.budget.buffers())) return false;
  if (!c_.memory(address, dwords * 4, false, "fetch of a command buffer")) return false;
  return run(gpu::CommandReader(address, dwords));
}

bool CommandProcessor::run(std::vector<uint32_t> words, uint64_t address) {
  return run(gpu::CommandReader(address, std::move(words)));
}

std::span<const uint32_t> CommandProcessor::peek(gpu::CommandReader& reader, uint64_t dwords, uint32_t swap) {
  return reader.peek(dwords, [this, swap](uint64_t address, uint32_t* to, uint64_t bytes) {
    if (!c_.read(address, to, bytes, "fetch of a command buffer")) return false;
    if (swap)
      for (uint64_t n = 0; n < bytes / 4; n++) to[n] = swapped(to[n], swap);
    return true;
  });
}

bool CommandProcessor::run(gpu::CommandReader reader) {
  if (level_ > max_levels) return c_.lose("indirect buffers nest too deep");
  level_++;
  const uint32_t swap = c_.registers.get<CP_RB_CNTL::BUF_SWAP>();  // (of all memory: where it is does not matter here)
  // An indirect buffer is called from within a packet, which goes on behind it.
  std::string_view outer = c_.packet;
  const auto outer_number = c_.packet_number;
  const auto outer_digits = c_.packet_digits;
  const uint64_t outer_address = c_.packet_address;
  while (reader.left() && !c_.lost()) {
    c_.packet_address = reader.address();
    auto packet = peek(reader, 1, swap);
    if (packet.empty()) break;
    const PacketHeader header = registers::read_header(packet[0], registers::Pm4Dialect::R5xx);
    name_packet(header, c_);
    if (header.type == PacketType::reserved) {
      c_.lose(fmt::format("header {:#010x}: there are no packets of type 1", packet[0]));
      break;
    }
    const size_t length = 1 + header.dwords;
    if (length > reader.left()) {
      c_.lose(fmt::format("the packet's {} dwords go beyond the buffer's end", length));
      break;
    }
    if (!c_.within(c_.budget.packets()) || !c_.within(c_.budget.dwords(length))) break;
    if (c_.stop.load(std::memory_order_relaxed)) {
      c_.lose_stopped();
      break;
    }
    c_.statistics.packets++;
    c_.begin_packet();
    c_.progress.fetch_add(1, std::memory_order_relaxed);
    if (length > 1) packet = peek(reader, length, swap);
    if (packet.empty()) break;
    execute(header, packet.subspan(1));
    reader.skip(length);
  }
  write_back();
  c_.packet = outer, c_.packet_address = outer_address;
  c_.packet_number = outer_number, c_.packet_digits = outer_digits;
  level_--;
  return !c_.lost();
}

bool CommandProcessor::execute(const PacketHeader& header, std::span<const uint32_t> words) {
  if (header.type == PacketType::registers) {
    uint32_t address = header.first_register;
    for (uint32_t value : words) {
      if (!write(address, value)) return false;
      if (!header.one_register) address += 4;
    }
  } else if (header.type == PacketType::opcode) {
    const OpcodeRow* row = find_row(header.opcode);
    if ((!row || row->writes_back) && !write_back()) return false;
    if (row) return (this->*row->execute)(words);
    c_.unknown(c_.packet_name());
  }
  return !c_.lost();
}

bool CommandProcessor::write(uint32_t address, uint32_t value) {
  if (writes_back(address) && !write_back()) return false;
  Effect effect = write_register(c_, address, value);
  if (auto* dword = std::get_if<PortDword>(&effect)) return to_port({&dword->dword, 1});
  if (auto* begun = std::get_if<BeginDraw>(&effect)) return draw(port_.begin(begun->control));
  if (std::holds_alternative<EmitVertex>(effect)) return draw(port_.emit_vertex());
  if (std::holds_alternative<EndVertices>(effect)) return draw(port_.end_vertices());
  if (auto* buffer = std::get_if<RunIndirectBuffer>(&effect)) return run(buffer->address, buffer->dwords);
  return !c_.lost();
}

bool CommandProcessor::to_port(std::span<const uint32_t> dwords) { return draw(port_.take(dwords)); }

bool CommandProcessor::draw(const std::optional<DrawCall>& call) {
  if (call && !c_.within(c_.budget.vertices(call->vertices, 1))) return false;
  return !c_.lost() && (!call || draws_.draw(*call));
}

// --- packets of type 3

// VAP_VF_CNTL, then dwords for the vertex port.
bool CommandProcessor::draw(std::span<const uint32_t> words) {
  if (!write(VAP_VF_CNTL::address(), words[0])) return false;
  if (words.size() > 1 && !to_port(words.subspan(1))) return false;
  return port_.end_packet();
}

// The same behind a vertex format that R300 and later do not use.
bool CommandProcessor::draw_with_format(std::span<const uint32_t> words) {
  if (words.size() < 2) return c_.lose("the packet has no VAP_VF_CNTL");
  return draw(words.subspan(1));
}

// The count, then two arrays at a time: their sizes and strides, and the address of each.
bool CommandProcessor::load_vertex_arrays(std::span<const uint32_t> words) {
  write(VAP_VTX_NUM_ARRAYS::address(), words[0]);
  uint32_t count = VAP_VTX_NUM_ARRAYS::VTX_NUM_ARRAYS::get(words[0]);
  size_t at = 1;
  for (uint32_t n = 0; n < std::min<uint32_t>(count, 16); n++) {
    if (n % 2 == 0) {
      if (at >= words.size()) return c_.lose(fmt::format("the packet lacks array {} of {}", n, count));
      write(VAP_VTX_AOS_ATTR::address(n / 2), words[at++]);
    }
    if (at >= words.size()) return c_.lose(fmt::format("the packet lacks the address of array {} of {}", n, count));
    write(VAP_VTX_AOS_ADDR::address(n), words[at++]);
  }
  return !c_.lost();
}

// Tiles become cleared, of which draws that wait know nothing: those that they reach were written before them.
template <class Packet>
bool CommandProcessor::clear_tiles(TileMask& mask, std::span<const uint32_t> words) {
  if (words.size() < Packet::min_dwords) return c_.lose("the packet has 3 dwords");
  using Start = typename Packet::START::START_;
  using Count = typename Packet::COUNT::COUNT_;
  using Value = typename Packet::CLEAR_VALUE::CLEAR_VALUE_;
  if (!mask.set(Start::get(words[Packet::START::index]), Count::get(words[Packet::COUNT::index]),
                Value::get(words[Packet::CLEAR_VALUE::index])))
    c_.unknown(fmt::format("{} of cleared tiles and others", c_.packet_name()));
  return !c_.lost();
}

bool CommandProcessor::clear_depth_tiles(std::span<const uint32_t> words) {
  return clear_tiles<packets::_3D_CLEAR_ZMASK>(c_.depth_tiles, words);
}
bool CommandProcessor::clear_colour_tiles(std::span<const uint32_t> words) {
  return clear_tiles<packets::_3D_CLEAR_CMASK>(c_.colour_tiles, words);
}

bool CommandProcessor::clear_hierarchical_depth(std::span<const uint32_t> words) {
  using P = packets::_3D_CLEAR_HIZ;
  if (words.size() < P::min_dwords) return c_.lose("the packet has 3 dwords");
  const uint32_t start = P::START::START_::get(words[0]), count = P::COUNT::COUNT_::get(words[1]);
  for (uint32_t n = 0; n < count; n++) c_.hierarchical_depth.write(start + n, P::CLEAR_VALUE::CLEAR_VALUE_::get(words[2]));
  return true;
}

// Dwords of memory go to a register, the index port as a rule.
bool CommandProcessor::index_buffer(std::span<const uint32_t> words) {
  if (words.size() < 3) return c_.lose("the packet has 3 dwords");
  using P = packets::INDX_BUFFER;
  uint32_t destination = P::DESTINATION::DST::get(words[0]) * 4, dwords = words[2];
  uint64_t address = words[1] & ~3u;
  if (dwords == 0) return true;
  if (!c_.memory(address, uint64_t(dwords) * 4, false, "fetch of indices")) return false;
  const uint64_t skipped = std::min<uint64_t>(P::DESTINATION::SKIP::get(words[0]), dwords);
  // Copied, as commands are: what is drawn or written cannot change meanwhile.
  gpu::CommandReader reader(address, dwords);
  reader.skip(skipped);
  if (destination == VAP_PORT_IDX::address(0)) {
    // A draw takes what it lacks. Dwords without a draw are reported by the first one.
    std::vector<uint32_t> indices(std::min(reader.left(), std::max<uint64_t>(1, port_.missing())));
    if (!c_.within(c_.budget.bytes(indices.size() * 4))) return false;
    if (!c_.read(reader.address(), indices.data(), indices.size() * 4, "fetch of indices")) return false;
    return to_port(indices);
  }
  if (!c_.within(c_.budget.dwords(reader.left()))) return false;
  while (reader.left() && !c_.lost()) {
    auto data = peek(reader, std::min(reader.left(), gpu::CommandReader::block_dwords));
    for (uint32_t value : data) {
      write(destination, value);
      if (!P::DESTINATION::ONE_REG_WR::get(words[0])) destination += 4;
    }
    reader.skip(data.size());
  }
  return !c_.lost();
}

}  // namespace Atoll::r5xx
