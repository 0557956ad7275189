// Any dwords, and packets with plausible fields, into the queues of a Sea Islands chip: whatever comes, the stream ends or the
// context is lost with a report; nothing outside of the address space is touched.
#include "gpu/sea_islands/packets/command_processor.h"
#include "gpu/sea_islands/packets/copy_engine.h"
#include "sea_islands_world.h"

using namespace Atoll;
using namespace Atoll::sea_islands;
using namespace Atoll::sea_islands::fuzz;

namespace {

const std::vector<uint32_t>& register_addresses() {
  static const std::vector<uint32_t> all = [] {
    std::vector<uint32_t> addresses;
    for (auto& instance : registers::all_instances(*registers::find_family("sea_islands")))
      if (auto address = instance.address(); address && *address < registers_end) addresses.push_back(*address);
    return addresses;
  }();
  return all;
}

// A value for a packet's word: small, an address in memory, a register's number, a great number, or anything.
uint32_t value(World& w, Bytes& in) {
  switch (in.byte() & 15) {
    case 0: return in.byte();
    case 1: return uint32_t(w.memory.gpu_address) + (in.dword() & 0x1fffc);
    case 2: return uint32_t(w.memory.gpu_address >> 32);
    case 3: return register_addresses()[in.dword() % register_addresses().size()] / 4;
    case 4: return 1u << (in.byte() & 31);
    case 5: return uint32_t(w.memory.gpu_address >> 8) + (in.byte() & 0x1f) * 16;
    case 6: return ~uint32_t(0) >> (in.byte() & 31);
    case 7: return uint32_t(w.large.gpu_address >> (in.byte() & 1 ? 32 : 0));
    default: return in.dword();
  }
}

// Low and high halves of addresses by the word's name, mostly right; others as value().
uint32_t word(World& w, Bytes& in, std::string_view name) {
  bool high = name.ends_with("_HI"), low = name.ends_with("_LO");
  if ((!high && !low) || in.byte() < 16) return value(w, in);
  if (high) return uint32_t(w.memory.gpu_address >> 32);
  return uint32_t(w.memory.gpu_address) + (in.byte() | in.byte() << 8) * 2;
}

// A buffer that is called: in memory, where this stream itself may stand, or in the large part; of any size, often right.
struct Called {
  uint64_t address;
  uint32_t dwords;
};
Called called(World& w, Bytes& in) {
  uint8_t how = in.byte();
  uint64_t address = how & 1 ? w.large.gpu_address : w.memory.gpu_address + (how & 2 ? 0 : in.dword() & 0x1fffc);
  return {address, how & 4 ? in.dword() & 0xfffff : how & 8 ? 0x1000u : in.byte()};
}

// A packet of the copy engine with all its dwords.
void copy_packet(World& w, Bytes& in, Words& words) {
  static constexpr struct {
    uint32_t header, dwords;
  } kinds[] = {{0, 0}, {1, 6}, {1 | 4 << 8, 12}, {2, 4}, {4, 3}, {5, 3}, {7, 2}, {8, 5}, {9, 4}, {11, 4}, {12, 9}, {14, 2}};
  auto& kind = kinds[in.byte() % std::size(kinds)];
  words.push_back(kind.header | uint32_t(in.byte()) << 24);
  if (kind.header == 4) {
    Called c = called(w, in);
    words.insert(words.end(), {uint32_t(c.address), uint32_t(c.address >> 32), c.dwords});
    return;
  }
  for (uint32_t n = 0; n < kind.dwords; n++) words.push_back(value(w, in));
}

void packet(World& w, Bytes& in, Words& words) {
  uint8_t kind = in.byte();
  if ((kind & 0x1f) == 0x1e) {  // a call or a chain
    Called c = called(w, in);
    return words.packet(0x3f,
                        {uint32_t(c.address), uint32_t(c.address >> 32), c.dwords | (kind & 0x80 ? 1u << 20 : 0) | 1u << 23});
  }
  auto put = [&](uint32_t opcode, uint32_t count) {
    words.push_back(3u << 30 | (count - 1) << 16 | opcode << 8 | (kind >> 7));
    auto* known = registers::find_packet(*registers::find_family("sea_islands"), opcode);
    for (uint32_t n = 0; n < count; n++)
      words.push_back(word(w, in, known && n < known->words.size() ? known->words[n].name : registers::Text()));
  };
  if (kind & 1) {  // a register's value
    uint32_t address = register_addresses()[in.dword() % register_addresses().size()];
    words.set(address, value(w, in));
    return;
  }
  for (uint32_t opcode = in.byte();; opcode = (opcode + 1) & 0xff)
    if (auto* row = find_packet_row(opcode)) return put(opcode, std::max<uint32_t>(1, row->min_dwords) + (kind >> 1 & 3));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static World& w = *new World(300);
  Bytes in{data, size};
  uint8_t mode = in.byte();
  auto kind = mode & 1 ? gpu::QueueKind::copy : mode & 2 ? gpu::QueueKind::compute : gpu::QueueKind::graphics;
  w.fill();
  Words words;
  if (mode & 8) {
    while (in.left) words.push_back(in.dword());
  } else if (mode & 16) {  // what stands in memory as well: shaders, descriptors, other streams
    size_t count = std::min<size_t>(in.left / 2, w.memory.bytes);
    std::memcpy(w.memory.host_pointer, in.at, count);
    in.at += count, in.left -= count;
  }
  while (in.left && words.size() < 4096) {
    if (kind == gpu::QueueKind::copy && mode & 2)
      words.push_back(value(w, in));
    else if (kind == gpu::QueueKind::copy)
      copy_packet(w, in, words);
    else
      packet(w, in, words);
  }
  w.queue(mode & 4 ? "kabini" : "hawaii", kind, nullptr, [&](Context& c) {
    if (mode & 32) {  // from memory, where the stream can chain to itself and write over itself
      Buffer& place = mode & 64 ? w.large : w.memory;
      size_t bytes = std::min<uint64_t>(words.size() * 4, place.bytes);
      if (bytes) std::memcpy(place.host_pointer, words.data(), bytes);
      gpu::CommandBuffer buffer{place.gpu_address, mode & 64 ? 0x7fffffff : uint32_t(bytes / 4)};
      return kind == gpu::QueueKind::copy ? run_copy_engine(c, {&buffer, 1}) : CommandProcessor(c).run({&buffer, 1});
    }
    return kind == gpu::QueueKind::copy ? run_copy_engine(c, w.memory.gpu_address, words)
                                        : CommandProcessor(c).run(w.memory.gpu_address, words);
  });
  return 0;
}
