// Any dwords, and packets with plausible fields, into the queues of a GFX12 chip: the graphics and compute rings and SDMA. Memory holds
// programs that end, random words among them, and is seen by the next stream as the last one left it. Whatever comes, the stream ends or
// the context is lost with a report; nothing outside of the address space is touched.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "bytes.h"
#include "gpu/chips/chip.h"
#include "gpu/gfx12/device.h"
#include "memory/address_space.h"
#include "registers/lookup.h"

using namespace Atoll;
using fuzz::Bytes;

namespace {

constexpr uint64_t memory_bytes = 1 << 18, low = 0x10'0000;
constexpr uint32_t s_endpgm = 0xbfb00000;

// Streams stand at its beginning, everything else behind them; `large` has nothing in it, for sizes beyond measure.
struct Memory {
  std::unique_ptr<AddressSpace> space;
  Buffer large;
  Memory() {
    auto memory = MemoryFile::create();
    auto made = AddressSpace::create(*memory);
    if (!made) std::abort();
    space = std::move(*made);
    auto pages = (*memory)->allocate(memory_bytes);
    if (!pages || !space->map(low, *pages, memory_bytes)) std::abort();
    auto more = space->allocate(uint64_t(4) << 30, 4096);
    if (!more) std::abort();
    large = *more;
  }
  uint32_t* words(uint64_t offset) { return reinterpret_cast<uint32_t*>(space->host(low + offset)); }
};

const std::vector<uint32_t>& register_addresses() {
  static const std::vector<uint32_t> all = [] {
    std::vector<uint32_t> addresses;
    for (auto& instance : registers::all_instances(*registers::find_family("gfx12")))
      if (auto address = instance.address()) addresses.push_back(*address);
    return addresses;
  }();
  return all;
}

uint32_t value(Memory& m, Bytes& in) {
  switch (in.byte() & 15) {
    case 0: return in.byte();
    case 1: return uint32_t(low) + (in.take<uint32_t>() & (memory_bytes - 4));
    case 2: return 0;
    case 3: return register_addresses()[in.take<uint16_t>() % register_addresses().size()] / 4;
    case 4: return 1u << (in.byte() & 31);
    case 5: return uint32_t(low >> 8) + in.take<uint16_t>() % (memory_bytes >> 8);
    case 6: return ~uint32_t(0) >> (in.byte() & 31);
    case 7: return uint32_t(m.large.gpu_address >> (in.byte() & 1 ? 32 : 0));
    default: return in.take<uint32_t>();
  }
}

// Halves of addresses by the word's name, mostly right.
uint32_t word(Memory& m, Bytes& in, std::string_view name) {
  const bool is_high = name.ends_with("_HI"), is_low = name.ends_with("_LO");
  if ((!is_high && !is_low) || in.chance(16)) return value(m, in);
  return is_high ? 0 : uint32_t(low) + in.take<uint16_t>() * 4;
}

void packet(Memory& m, Bytes& in, std::vector<uint32_t>& stream) {
  const registers::Family& family = *registers::find_family("gfx12");
  const uint8_t kind = in.byte();
  if (kind & 1) {  // registers, by the packet of the space that they are in
    const uint32_t address = register_addresses()[in.take<uint16_t>() % register_addresses().size()];
    static constexpr struct {
      uint32_t begin, end, opcode;
    } spaces[] = {{0x8000, 0xb000, 0x68}, {0xb000, 0xc000, 0x76}, {0x28000, 0x30000, 0x69}, {0x30000, 0x40000, 0x79}};
    for (const auto& space : spaces) {
      if (address < space.begin || address >= space.end) continue;
      const uint32_t count = 1 + (kind >> 1 & 3);
      stream.insert(stream.end(), {3u << 30 | count << 16 | space.opcode << 8, (address - space.begin) / 4});
      for (uint32_t n = 0; n < count; n++) stream.push_back(value(m, in));
    }
    return;
  }
  const uint32_t opcode = in.byte();
  const registers::Packet* known = registers::find_packet(family, opcode);
  const uint32_t count = (known ? std::max<uint32_t>(1, uint32_t(known->words.size())) : 1) + (kind >> 1 & 3);
  stream.push_back(3u << 30 | (count - 1) << 16 | opcode << 8 | kind >> 7);
  for (uint32_t n = 0; n < count; n++)
    stream.push_back(word(m, in, known && n < known->words.size() ? std::string_view(known->words[n].name) : std::string_view()));
}

// With all its dwords.
void copy_packet(Memory& m, Bytes& in, std::vector<uint32_t>& stream) {
  static constexpr struct {
    uint32_t header, dwords;
  } kinds[] = {{0, 0}, {1, 6}, {1 | 4 << 8, 12}, {1 | 5 << 8, 13}, {1 | 6 << 8, 14}, {2, 4},  {4, 5},
               {5, 3}, {6, 1}, {8, 5},           {9, 4},           {11, 4},          {13, 2}, {17, 4}};
  const auto& kind = kinds[in.byte() % std::size(kinds)];
  stream.push_back(kind.header | uint32_t(in.byte() & in.byte()) << 16);
  for (uint32_t n = 0; n < kind.dwords; n++) {
    // (low and high halves in turn are as good a guess as any)
    const uint8_t how = in.byte();
    stream.push_back(how < 90 ? uint32_t(low) + in.take<uint16_t>() * 4 : how < 170 ? 0 : value(m, in));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Memory m;
  Bytes in(data, size);
  const uint8_t shape = in.byte();
  const gpu::QueueKind kind = shape & 1 ? gpu::QueueKind::copy : shape & 2 ? gpu::QueueKind::compute : gpu::QueueKind::graphics;
  gpu::Options options;
  options.engine = gpu::Engine::Interpreter;
  options.deterministic = true;
  options.max_still_seconds = 0.5;
  options.limits = {.packets = 2000, .dwords = 20000, .buffers = 50, .bytes = 1 << 20};
  // Programs: other words between ends.
  uint32_t random = in.take<uint16_t>();
  for (uint64_t offset = 0x10000; offset < memory_bytes; offset += 4) {
    random = random * 1664525 + 1013904223;
    *m.words(offset) = random >> 29 ? s_endpgm : random << 16 ^ random >> 8;
  }
  auto device = gfx12::make_device(*gpu::find_chip(shape & 4 ? "gfx1200" : "gfx1201"), options);
  auto queue = (*device)->make_queue(kind, *m.space);
  for (int submissions = 0; submissions < 3 && !in.empty(); ++submissions) {
    std::vector<uint32_t> stream;
    while (!in.empty() && stream.size() < 4096 && (stream.empty() || in.byte() != 0xff)) {
      if (shape & 8)
        stream.push_back(in.take<uint32_t>());
      else if (kind == gpu::QueueKind::copy)
        copy_packet(m, in, stream);
      else
        packet(m, in, stream);
    }
    if (stream.empty()) break;
    std::memcpy(m.words(0), stream.data(), stream.size() * 4);
    // Also of a size beyond what is there.
    const gpu::CommandBuffer buffer{low, shape & 16 ? 0x7fffffffu : uint32_t(stream.size())};
    auto done = (*queue)->run({&buffer, 1});
    if (!done && done.error().message.empty()) std::abort();
    if (!done) break;
  }
  return 0;
}
