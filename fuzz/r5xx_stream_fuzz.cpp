// Any bytes as a submission to an R5xx queue: raw dwords, or a list of register writes, uploads and draws over the state in which
// a triangle is drawn. Whatever comes, the context lives or is lost with a report, in time.
#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "gpu/device/watch.h"
#include "gpu/r5xx/context.h"
#include "gpu/r5xx/draw/draw.h"
#include "gpu/r5xx/packets/command_processor.h"
#include "registers/lookup.h"
#include "registers/r5xx.h"

using namespace Atoll;
using namespace Atoll::r5xx;

namespace {

constexpr uint64_t memory_bytes = 1 << 20, large_bytes = 1 << 30;

// Memory is made once; what a stream did to it is seen by the next one.
struct Memory {
  std::unique_ptr<AddressSpace> space;
  Buffer buffer, large;  // large: addresses with nothing in them, for sizes beyond measure
  Memory() {
    auto made = AddressSpace::create(nullptr, uint64_t(1) << 32);
    if (!made) std::abort();
    space = std::move(*made);
    auto allocated = space->allocate(memory_bytes, 4096);
    if (!allocated) std::abort();
    buffer = *allocated;
    large = *space->allocate(large_bytes, 4096);
  }
};

class Bytes {
public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  uint32_t dword() {
    uint32_t value = 0;
    size_t count = std::min<size_t>(4, size_ - std::min(at_, size_));
    std::memcpy(&value, data_ + std::min(at_, size_), count);
    at_ += 4;
    return value;
  }

private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

void set(std::vector<uint32_t>& words, uint32_t address, std::initializer_list<uint32_t> values, bool one = false) {
  words.push_back(uint32_t(values.size() - 1) << 16 | (one ? 1u << 15 : 0) | address / 4);
  words.insert(words.end(), values);
}

// The state of tests/gpu/r5xx/triangle_test.cpp, shorter.
void base_state(std::vector<uint32_t>& w, uint32_t memory) {
  set(w, 0x43e0, {0, 63u << 13 | 63});
  set(w, 0x4e00, {0x4000});
  set(w, 0x4e28, {memory});
  set(w, 0x4e38, {0x00c30040});
  set(w, 0x46a4, {0x3900, 0xf, 0xf, 0xf});
  set(w, 0x4e0c, {0xf});
  set(w, 0x4f10, {2});
  set(w, 0x4f20, {memory + 0x4000, 0x00030040});
  set(w, 0x43d0, {0xffff});
  set(w, 0x43e8, {0xffffff});
  set(w, 0x42c0, {0x4b7fffff, 0});
  set(w, 0x2150, {0x21030003});
  set(w, 0x21e0, {0xf688f688});
  set(w, 0x22d0, {0x00100000});
  set(w, 0x2200, {0});
  set(w, 0x2208, {0x00f00203, 0x00d10001, 0x01248001, 0x01248001, 0x00f02203, 0x00d10021, 0x01248021, 0x01248021}, true);
  set(w, 0x1d98, {0x42000000, 0x42000000, 0x42000000, 0x42000000, 0x3f000000, 0x3f000000});
  set(w, 0x20b0, {0x43f, 8});
  set(w, 0x2090, {1, 4});
  set(w, 0x4074, {0x000c2040});
  set(w, 0x4300, {0x00040004, 0});
  set(w, 0x4320, {0x10});
  set(w, 0x421c, {0x00060006});
  set(w, 0x4230, {0x00060006, 0x00020006});
  set(w, 0x428c, {0x31});
  set(w, 0x4600, {2, 1});
  set(w, 0x4250, {0});
  set(w, 0x4254, {0x00078005, 0x08020000, 0x08020000, 0x00db0220, 0x00c0c000, 0x20490000}, true);
  set(w, 0x4278, {0x0003aaaa});
  set(w, 0x20c0, {1, 8 | 8 << 8, memory + 0x8000});
  set(w, 0x2134, {15, 0});
}

bool is_address(uint32_t address) {
  switch (address) {
    case 0x4e28:
    case 0x4e2c:
    case 0x4e30:
    case 0x4e34:
    case 0x4f20:
    case 0x4f5c:
    case 0x4e80:
    case 0x774:
    case 0x738:
    case 0x730: return true;
    default: return (address >= 0x20c8 && address <= 0x2120) || (address >= 0x4540 && address < 0x4580);
  }
}

// One operation a byte: its low bits the kind.
std::vector<uint32_t> structured(Bytes& bytes, uint32_t memory, uint32_t large) {
  static const std::vector<uint32_t> addresses = [] {
    std::vector<uint32_t> all;
    for (auto& instance : registers::all_instances(registers::r5xx_tables))
      if (auto address = instance.address(); address && *address < 0x8000) all.push_back(*address);
    return all;
  }();
  std::vector<uint32_t> words;
  base_state(words, memory);
  while (!bytes.empty() && words.size() < 20000) {
    uint8_t kind = bytes.byte();
    switch (kind & 7) {
      case 0:
      case 1: {  // a register that has a name
        uint32_t address = addresses[(bytes.byte() | bytes.byte() << 8) % addresses.size()], value = bytes.dword();
        if (is_address(address)) value = memory + value % memory_bytes;
        set(words, address, {value});
        break;
      }
      case 2: {  // some bits of one
        uint32_t address = addresses[(bytes.byte() | bytes.byte() << 8) % addresses.size()];
        if (!is_address(address)) set(words, address, {1u << (bytes.byte() & 31)});
        break;
      }
      case 3: {  // shader code or constants
        bool pixel = kind & 8;
        set(words, pixel ? 0x4250 : 0x2200,
            {pixel ? bytes.byte() | (kind & 16 ? 0x10000u : 0u) : uint32_t(bytes.byte() & 7) << 8});
        if (pixel)
          set(words, 0x4254, {bytes.dword(), bytes.dword(), bytes.dword(), bytes.dword(), bytes.dword(), bytes.dword()}, true);
        else
          set(words, 0x2208, {bytes.dword(), bytes.dword(), bytes.dword(), bytes.dword()}, true);
        break;
      }
      case 4: {  // a triangle, or what the type says, out of the stream
        uint32_t count = kind >> 3 & 7;
        words.push_back(3u << 30 | count * 8 << 16 | 0x35 << 8);
        words.push_back(count << 16 | 0x30 | (bytes.byte() & 15));
        for (uint32_t n = 0; n < count * 8; n++) {
          // Small numbers more often than any.
          uint32_t value = bytes.byte();
          words.push_back(value < 240 ? (value & 1 ? 0x3f800000u : 0u) | value << 24 : bytes.dword());
        }
        break;
      }
      case 5:  // from arrays
        words.insert(words.end(), {3u << 30 | 0x34 << 8, uint32_t(bytes.byte()) << 16 | 0x20 | (bytes.byte() & 15u)});
        break;
      case 6:  // indices of the stream
        words.insert(words.end(),
                     {3u << 30 | 2 << 16 | 0x36 << 8, 4u << 16 | 0x10 | (bytes.byte() & 15u), bytes.dword(), bytes.dword()});
        break;
      default:
        if (kind & 8) {  // a buffer is called, perhaps this one
          uint32_t address = kind & 16 ? large : memory + (kind & 32 ? 0 : bytes.dword() % memory_bytes & ~3u);
          uint32_t dwords = kind & 64 ? bytes.dword() & 0x7fffff : bytes.byte();
          set(words, kind & 128 ? 0x730 : 0x738, {address, dwords});
        } else if (kind & 16) {  // dwords of memory to the index port or a register
          uint32_t to = kind & 32 ? 0x2040 / 4 : 0x15e0 / 4, dwords = kind & 64 ? bytes.dword() : bytes.byte();
          words.insert(words.end(), {3u << 30 | 2 << 16 | 0x33 << 8, 1u << 31 | to, large, dwords});
        } else {
          words.push_back(bytes.dword());
        }
        break;
    }
  }
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  static Memory memory;
  static std::atomic<int> never{0};
  static gpu::Watch watch(never, 1);
  const uint32_t base = uint32_t(memory.buffer.gpu_address);
  Bytes bytes(data + 1, size - 1);
  std::vector<uint32_t> words;
  if (data[0] & 1) {
    words = structured(bytes, base, uint32_t(memory.large.gpu_address));
  } else {
    while (!bytes.empty()) words.push_back(bytes.dword());
  }
  static constexpr std::string_view names[] = {"rv515", "r520", "rv530", "r580"};
  gpu::Options options;
  options.engine = gpu::Engine::Interpreter;
  options.threads = 1;
  options.strict = data[0] & 2;
  options.limits = {.packets = 1 << 16, .dwords = 1 << 20, .buffers = 1000, .bytes = 1 << 24};
  std::atomic<int> stop{0};
  Context context(*gpu::find_chip(names[data[0] >> 2 & 3]), options, *memory.space, stop);
  DrawEngine draws(context);
  CommandProcessor processor(context, draws);
  gpu::Watch::Queue watched{context.stop, context.progress};
  watch.begin(watched);
  processor.begin();
  if (data[0] & 16) {  // from memory, where the stream can call itself and write over itself
    const Buffer& place = data[0] & 32 ? memory.large : memory.buffer;
    if (!words.empty()) std::memcpy(place.host_pointer, words.data(), std::min<uint64_t>(words.size() * 4, place.bytes));
    processor.run(place.gpu_address, data[0] & 32 ? large_bytes / 4 : std::min<uint64_t>(words.size(), place.bytes / 4));
  } else {
    processor.run(words, base);
  }
  watch.end(watched);
  madvise(memory.large.host_pointer, memory.large.bytes, MADV_REMOVE);
  if (context.lost() == context.report().empty()) {
    fmt::print(stderr, "lost without a report, or a report of a context that lives\n");
    std::abort();
  }
  return 0;
}
