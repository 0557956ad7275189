// Any bytes as batches for a DG1's engines: raw dwords, or commands by their table with fields of any value and addresses that mostly
// are mapped, also calls and chains to themselves. Whatever comes, the context lives or is lost with a report, in time.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "bytes.h"
#include "gpu/chips/chip.h"
#include "gpu/dg1/device.h"
#include "memory/address_space.h"
#include "registers/lookup.h"

using namespace Atoll;
using fuzz::Bytes;

namespace {

constexpr uint64_t memory_bytes = 1 << 18, low = 0x10'0000, high = 0xffff'fff0'0000;

// Memory is made once; what a batch did to it is seen by the next one.
struct Memory {
  std::unique_ptr<AddressSpace> space;
  Memory() {
    auto memory = MemoryFile::create();
    auto made = AddressSpace::create_sectioned(*memory);
    if (!made) std::abort();
    space = std::move(*made);
    for (uint64_t at : {low, high}) {
      auto pages = (*memory)->allocate(memory_bytes);
      if (!pages || !space->map(at, *pages, memory_bytes)) std::abort();
    }
  }
};

// A command of the table; addresses lead somewhere three times of four.
void add_command(std::vector<uint32_t>& batch, Bytes& in) {
  const auto rows = registers::find_family("dg1")->commands;
  const auto& row = rows[in.take<uint8_t>() % rows.size()];
  const uint32_t length = row.length_bits ? std::min<uint32_t>(row.dwords + in.take<uint8_t>() % 3, 40) : row.dwords;
  std::vector<uint32_t> words(length);
  for (auto& word : words) word = in.take<uint8_t>() & 1 ? in.take<uint32_t>() : 0;
  words[0] = row.match | (words[0] & ~row.mask);
  if (row.length_bits) words[0] = (words[0] & ~((1u << row.length_bits) - 1)) | (std::max(length, 2u) - 2);
  for (auto& field : row.fields) {
    const bool wide = field.high - field.low >= 40 && field.high / 32 < length;
    if (!wide || (in.take<uint8_t>() & 3) == 0) continue;
    const uint64_t address = (in.take<uint8_t>() & 1 ? low : high) + in.take<uint16_t>() % memory_bytes * 4;
    words[field.low / 32] = (words[field.low / 32] & ((1u << field.low % 32) - 1)) | (uint32_t(address) & ~63u);
    words[field.low / 32 + 1] = uint32_t(address >> 32);
  }
  batch.insert(batch.end(), words.begin(), words.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Memory memory;
  Bytes in(data, size);
  const uint8_t shape = in.take<uint8_t>();
  gpu::Options options;
  options.engine = gpu::Engine::Interpreter;
  options.deterministic = true;
  options.max_still_seconds = 0.5;
  options.limits = {.packets = 2000, .dwords = 20000, .buffers = 50, .bytes = 1 << 20};
  auto device = dg1::make_device(*gpu::find_chip("dg1"), options);
  auto queue = (*device)->make_queue(shape & 1 ? gpu::QueueKind::copy : gpu::QueueKind::graphics, *memory.space);
  for (int submissions = 0; submissions < 3 && !in.empty(); ++submissions) {
    std::vector<uint32_t> batch;
    while (!in.empty() && batch.size() < 2000 && (batch.empty() || in.take<uint8_t>() != 0xff)) {
      if (shape & 2)
        batch.push_back(in.take<uint32_t>());
      else
        add_command(batch, in);
    }
    batch.push_back(0x05000000);
    std::memcpy(memory.space->host(low), batch.data(), batch.size() * 4);
    const gpu::CommandBuffer buffer{low, uint32_t(batch.size())};
    auto done = (*queue)->run({&buffer, 1});
    if (!done && done.error().message.empty()) std::abort();
    if (!done) break;
  }
  return 0;
}
