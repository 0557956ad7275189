// Recordings: any records behind a right header, compressed as in a file, played on a GPU that does nothing.
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdlib>
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
  std::vector<gpu::Picture> pictures() const override { return {}; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static int file = memfd_create("recording", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  // The first byte: are the others records, or the file itself?
  std::vector<uint8_t> bytes;
  if (size && data[0] & 1) {
    bytes.assign({'A', 'T', 'O', 'L', 'L', 'T', 'R', 'C', 1, 0, 0, 0});
    std::vector<uint8_t> packed(ZSTD_compressBound(size));
    size_t length = ZSTD_compress(packed.data(), packed.size(), data + 1, size - 1, 1);
    bytes.insert(bytes.end(), packed.begin(), packed.begin() + ptrdiff_t(length));
  } else if (size) {
    bytes.assign(data + 1, data + size);
  }
  if (ftruncate(file, 0) != 0 || pwrite(file, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size())) std::abort();
  trace::PlayOptions options;
  options.open = [](std::string_view, const gpu::Options&) -> Expected<std::unique_ptr<gpu::Device>> {
    return std::make_unique<Nothing>();
  };
  (void)trace::play(path, options);
  return 0;
}
