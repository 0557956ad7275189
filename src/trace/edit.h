// A replay that leaves out some of a recording's work, and the recording that this makes (insight/bisection.h looks for one). A packet
// is left out by writing another into memory in its place, a NOP, before its submission runs; so all queues need to know nothing of it.
#pragma once
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "memory/address_space.h"
#include "memory/memory_file.h"
#include "trace/writer.h"

namespace Atoll::trace {

// The dwords in which each page that Kind::pages brings, in their order, is not what memory holds then. Where results of the
// GPU stand in a page that the program writes, the record has both: in a replay with other results these dwords are the program's.
struct ProgramWrites {
  static constexpr size_t most = 1 << 21;  // pages, of 128 bytes of memory each
  using Dwords = std::bitset<page_bytes / 4>;
  std::vector<Dwords> pages;
};

struct LeftOutPacket {
  uint64_t address = 0;           // on the GPU
  std::vector<uint32_t> instead;  // of its first dwords
};

struct Edit {
  std::map<uint64_t, std::vector<LeftOutPacket>> packets;  // by the submission that they are left out of
  std::set<uint64_t> submissions;                          // that are left out altogether
};

// The player's part of it. Recordings that it writes have what was replayed, so that they are replayed alike.
class Editor {
public:
  // `writes`: what a whole replay has found. `writer`: null, or where the recording goes.
  Editor(const Edit& edit, const ProgramWrites& writes, const MemoryFile& memory, Writer* writer)
      : edit_(edit), writes_(writes), memory_(memory), writer_(writer) {}

  bool leaves_out(uint64_t submission) const { return edit_.submissions.contains(submission); }
  // Puts the other packets in their places. Those that are not mapped stay out of it: the GPU cannot read them either.
  Expected<void> begin_submission(uint64_t submission, const AddressSpace& space);
  // A page of a record, which becomes what it is here.
  void page(uint64_t number, std::span<uint8_t> bytes);
  // Pages are as these bytes now.
  void write_pages(uint64_t first, std::span<const uint8_t> bytes);
  void write(Kind kind, std::span<const uint8_t> payload);
  void digest(const std::vector<uint64_t>& pages);
  // All that belongs to a submission has been done: what stood in the packets' places comes back. `losses`: reports of the contexts that
  // were lost in it.
  Expected<void> end_submission(uint64_t submission, std::span<const std::string> losses);

private:
  const Edit& edit_;
  const ProgramWrites& writes_;
  const MemoryFile& memory_;
  Writer* const writer_;
  struct Replaced {
    uint32_t before, instead;
  };
  std::map<uint64_t, Replaced> replaced_;  // by the dword's place in the memory file
  size_t next_page_ = 0;                   // of writes_

  void write_pages_of(const std::set<uint64_t>& numbers);
};

// Notes what a record changes in a page, before it does. An error: there are too many.
Expected<void> note_program_writes(ProgramWrites& writes, const MemoryFile& memory, uint64_t page,
                                   std::span<const uint8_t> bytes);

}  // namespace Atoll::trace
