// PM4 command streams of R5xx and Sea Islands: dwords cut into packets, with the registers they write and the fields of their
// words. Reading only: nothing is executed here.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "registers/lookup.h"
#include "registers/pm4_header.h"

namespace Atoll::registers {

struct RegisterWrite {
  uint32_t address, value;  // address in bytes
  size_t word;              // where in the packet the value stands
  Instance place;           // entry is null for an unknown register
};

// A dword behind the header whose meaning is known.
struct PacketOperand {
  std::string_view name;
  uint32_t value;
  std::span<const Field> fields;
};

// Another buffer of packets that the packet has executed.
struct IndirectBuffer {
  uint64_t address;  // in bytes
  uint32_t dwords;
  bool chained;  // the stream goes on there and does not come back
};

struct StreamPacket {
  size_t offset = 0;                         // of the header, in dwords
  size_t length = 0;                         // in dwords, as the header says, with the header
  std::span<const uint32_t> words;           // those that are there: fewer than `length` at the end of a truncated stream
  unsigned type = 0;                         // 0: registers in a row, 2: filler, 3: an opcode
  uint32_t opcode = 0;                       // type 3
  const Packet* known = nullptr;             // type 3: null for an unknown opcode
  bool predicated = false, compute = false;  // type 3 of Sea Islands: bits 0 and 1 of the header
  std::vector<RegisterWrite> writes;
  std::vector<PacketOperand> operands;
  size_t named_words = 1;  // words from here on have no meaning known
  std::optional<IndirectBuffer> buffer;

  // PACKET0, PACKET2, or the opcode's name; empty for an unknown opcode.
  std::string_view name() const;
  bool truncated() const { return words.size() < length; }
};

// The packet at `offset` dwords into the stream. An error says why no packet can begin there; reading cannot go on behind it.
Expected<StreamPacket> read_packet(const Family& family, std::span<const uint32_t> stream, size_t offset);

}  // namespace Atoll::registers
