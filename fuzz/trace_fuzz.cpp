// Recordings: any records behind a right header, stored as in a file of version 1 or of this one, or any bytes, played on a GPU that does
// nothing.
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "trace/player.h"

using namespace Atoll;

namespace {

struct Nothing : gpu::Device {
  struct NothingQueue : gpu::Queue {
    Expected<void> run(std::span<const gpu::CommandBuffer>) override { return {}; }
    gpu::Statistics statistics() const override { return {}; }
  };
  std::string_view name() const override { return "nothing"; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind, AddressSpace&) override {
    return std::make_unique<NothingQueue>();
  }
  uint32_t read_register(uint32_t) override { return 0; }
  void write_register(uint32_t, uint32_t) override {}
  void attach(AddressSpace&) override {}
  std::string report() const override { return {}; }
};

std::vector<uint8_t> packed(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> stored(ZSTD_compressBound(bytes.size()));
  stored.resize(ZSTD_compress(stored.data(), stored.size(), bytes.data(), bytes.size(), 1));
  return stored;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static int file = memfd_create("recording", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  // The first byte: are the others the file itself, or its records, as version 1 or as this one stores them?
  std::vector<uint8_t> bytes;
  std::span<const uint8_t> rest(data, size);
  unsigned way = size ? data[0] % 4 : 0;
  if (size) rest = rest.subspan(1);
  auto append = [&](std::span<const uint8_t> more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  if (way == 0) {
    append(rest);
  } else {
    append({reinterpret_cast<const uint8_t*>(trace::magic.data()), trace::magic.size()});
    append(std::vector<uint8_t>{uint8_t(way == 1 ? 1 : trace::version), 0, 0, 0});
    if (way != 1) append(std::vector<uint8_t>{0, 0, 0, 0});
  }
  if (way == 1) append(packed(rest));
  // Chunks of records; in the last way a byte each for what is wrong with its header.
  while (way >= 2 && !rest.empty()) {
    std::span<const uint8_t> part = rest.first(std::min<size_t>(rest.size(), way == 2 ? 4096 : 64));
    rest = rest.subspan(part.size());
    auto stored = packed(part);
    trace::ChunkHeader header{trace::chunk_fresh, uint32_t(stored.size()), uint32_t(part.size()), 0, trace::bytes_hash(stored)};
    if (way == 3 && !rest.empty()) {
      uint8_t wrong = rest[0];
      rest = rest.subspan(1);
      if (wrong & 1) header.raw = uint32_t(wrong) << 16;
      if (wrong & 2) header.stored = uint32_t(wrong) << 13;
      if (wrong & 4) header.flags = wrong;
      if (wrong & 8 && !stored.empty()) stored[wrong % stored.size()] ^= wrong;
      if (wrong & 8 && wrong & 16) header.hash = trace::bytes_hash(stored);
    }
    append(trace::encode(header));
    append(stored);
  }
  if (ftruncate(file, 0) != 0 || pwrite(file, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size())) std::abort();
  trace::PlayOptions options;
  options.open = [](std::string_view, const gpu::Options&) -> Expected<std::unique_ptr<gpu::Device>> {
    return std::make_unique<Nothing>();
  };
  (void)trace::play(path, options);
  return 0;
}
