// Any dwords, and packets with plausible fields, into the queues of a Sea Islands chip: whatever comes, the stream ends or the
// context is lost with a report; nothing outside of the address space is touched.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "gpu/sea_islands/device.h"
#include "gpu/sea_islands/packets/command_processor.h"
#include "gpu/sea_islands/packets/copy_engine.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "pipeline/workers.h"
#include "registers/lookup.h"

using namespace Atoll;
using namespace Atoll::sea_islands;

namespace {

// The fuzzer's bytes, taken from the front; zeros when they are used up.
struct Bytes {
  const uint8_t* at;
  size_t left;
  uint8_t byte() { return left ? left--, *at++ : 0; }
  uint32_t dword() {
    uint32_t value = 0;
    for (unsigned n = 0; n < 4; n++) value |= uint32_t(byte()) << n * 8;
    return value;
  }
};

struct World {
  std::unique_ptr<AddressSpace> space = std::move(*AddressSpace::create());
  Buffer memory = *space->allocate(0x20000, 4096);
  pipeline::Workers workers{2};
  std::vector<uint32_t> addresses;  // of registers
  std::atomic<int> stop{0};
  std::atomic<uint64_t> run{0}, ended{0};  // numbers of runs
  std::thread watch;

  World() {
    for (auto& instance : registers::all_instances(*registers::find_family("sea_islands")))
      if (auto address = instance.address(); address && *address < Registers::end) addresses.push_back(*address);
    watch = std::thread([this] {  // shaders may loop for ever; somebody must end them, as the kernel would
      for (;;) {
        uint64_t before = run;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        if (run == before && ended != before) stop = 1;
      }
    });
    watch.detach();
  }
};

// A value for a packet's word: small, an address in memory, a register's number, or anything.
uint32_t value(World& w, Bytes& in) {
  switch (in.byte() & 7) {
    case 0: return in.byte();
    case 1: return uint32_t(w.memory.gpu_address) + (in.dword() & 0x1fffc);
    case 2: return uint32_t(w.memory.gpu_address >> 32);
    case 3: return w.addresses[in.dword() % w.addresses.size()] / 4;
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

void packet(World& w, Bytes& in, std::vector<uint32_t>& words) {
  uint8_t kind = in.byte();
  auto put = [&](uint32_t opcode, uint32_t count) {
    words.push_back(3u << 30 | (count - 1) << 16 | opcode << 8 | (kind >> 7));
    auto* known = registers::find_packet(*registers::find_family("sea_islands"), opcode);
    for (uint32_t n = 0; n < count; n++)
      words.push_back(word(w, in, known && n < known->words.size() ? known->words[n].name : ""));
  };
  if (kind & 1) {  // a register's value
    uint32_t address = w.addresses[in.dword() % w.addresses.size()], v = value(w, in);
    uint32_t base = address >= 0x30000 ? 0x30000 : address >= 0x28000 ? 0x28000 : address >= 0xb000 ? 0xb000 : 0x8000;
    uint32_t opcode = base == 0x30000 ? 0x79 : base == 0x28000 ? 0x69 : base == 0xb000 ? 0x76 : 0x68;
    words.insert(words.end(), {3u << 30 | 1u << 16 | opcode << 8, (address - base) / 4, v});
    return;
  }
  for (uint32_t opcode = in.byte();; opcode = (opcode + 1) & 0xff)
    if (auto* row = find_packet_row(opcode)) return put(opcode, std::max<uint32_t>(1, row->least) + (kind >> 1 & 3));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static World& w = *new World;
  Bytes in{data, size};
  uint8_t mode = in.byte();
  auto kind = mode & 1 ? gpu::QueueKind::copy : mode & 2 ? gpu::QueueKind::compute : gpu::QueueKind::graphics;
  // Memory begins the same: programs that end at once, descriptors and indices that are those words.
  for (size_t n = 0; n < w.memory.bytes; n += 4) {
    const uint32_t fill = 0xbf810000;
    std::memcpy(w.memory.host_pointer + n, &fill, 4);
  }
  gpu::Options options{.engine = "interpreter", .threads = 2};
  w.stop = 0;
  w.run++;
  Context c(*find_chip(mode & 4 ? "kabini" : "hawaii"), kind, *w.space, options, w.stop);
  c.lockup_seconds = 0.001;
  c.workers = &w.workers;
  c.shaders = std::make_shared<ShaderCache>(*w.space, wave::EngineChoice::Interpreter);
  c.statistics.submissions = 1;

  std::vector<uint32_t> words;
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
  bool fine = kind == gpu::QueueKind::copy ? run_copy_engine(c, w.memory.gpu_address, words)
                                           : CommandProcessor(c).run(w.memory.gpu_address, words);
  w.ended = w.run.load();
  if (fine == c.lost() || c.report().empty() != fine) {
    fmt::print(stderr, "the context is {}, its report '{}'\n", c.lost() ? "lost" : "alive", c.report());
    std::abort();
  }
  return 0;
}
