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
      if (auto address = instance.address(); address && *address < Registers::end) addresses.push_back(*address);
    return addresses;
  }();
  return all;
}

// A value for a packet's word: small, an address in memory, a register's number, or anything.
uint32_t value(World& w, Bytes& in) {
  switch (in.byte() & 7) {
    case 0: return in.byte();
    case 1: return uint32_t(w.memory.gpu_address) + (in.dword() & 0x1fffc);
    case 2: return uint32_t(w.memory.gpu_address >> 32);
    case 3: return register_addresses()[in.dword() % register_addresses().size()] / 4;
    case 4: return 1u << (in.byte() & 31);
    case 5: return uint32_t(w.memory.gpu_address >> 8) + (in.byte() & 0x1f) * 16;
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

void packet(World& w, Bytes& in, Words& words) {
  uint8_t kind = in.byte();
  auto put = [&](uint32_t opcode, uint32_t count) {
    words.push_back(3u << 30 | (count - 1) << 16 | opcode << 8 | (kind >> 7));
    auto* known = registers::find_packet(*registers::find_family("sea_islands"), opcode);
    for (uint32_t n = 0; n < count; n++)
      words.push_back(word(w, in, known && n < known->words.size() ? known->words[n].name : ""));
  };
  if (kind & 1) {  // a register's value
    uint32_t address = register_addresses()[in.dword() % register_addresses().size()];
    words.set(address, value(w, in));
    return;
  }
  for (uint32_t opcode = in.byte();; opcode = (opcode + 1) & 0xff)
    if (auto* row = find_packet_row(opcode)) return put(opcode, std::max<uint32_t>(1, row->least) + (kind >> 1 & 3));
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
    if (kind == gpu::QueueKind::copy)
      words.push_back(value(w, in));
    else
      packet(w, in, words);
  }
  w.queue(mode & 4 ? "kabini" : "hawaii", kind, nullptr, [&](Context& c) {
    return kind == gpu::QueueKind::copy ? run_copy_engine(c, w.memory.gpu_address, words)
                                        : CommandProcessor(c).run(w.memory.gpu_address, words);
  });
  return 0;
}
