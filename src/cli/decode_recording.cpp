#include "cli/decode_recording.h"

#include "cli/batch_printer.h"
#include "cli/recordings.h"
#include "cli/register_output.h"
#include "cli/stream_printer.h"
#include "cli/verbs.h"
#include "gpu/chips/chip.h"
#include "trace/player.h"
#include "trace/submitted_streams.h"

namespace Atoll::cli {
namespace {

using namespace registers;

// Prints what a GPU is given. The results of a real one are not in the buffers: buffers that the GPU itself fills are
// printed as the CPU left them.
class PrintingQueues : public trace::LookingDevice {
public:
  using LookingDevice::LookingDevice;
  void begin(uint64_t submission, uint64_t queue) { submission_ = submission, queue_ = queue; }
  virtual bool summarise() const = 0;

protected:
  uint64_t submission_ = 0, queue_ = 0;
};

class PrintingDevice : public PrintingQueues {
public:
  PrintingDevice(const char* verb, std::string name, const Family& family, bool json)
      : PrintingQueues(std::move(name)),
        json_(json),
        printer_(verb, family, json, [this](const IndirectBuffer& called) { return buffers_.find(called); }) {}

  bool summarise() const override { return printer_.summarise(); }

  void write_register(uint32_t address, uint32_t value) override {
    if (json_)
      fmt::print("{{\"mmio\":\"{:#x}\",\"value\":\"{:#x}\"}}\n", address, value);
    else
      fmt::print("register {:#x} = {:#x}\n", address, value);
  }

  void submission(gpu::QueueKind kind, AddressSpace& space, std::span<const gpu::CommandBuffer> buffers) override {
    buffers_.begin_submission(space);
    printer_.forget_calls();
    for (const gpu::CommandBuffer& b : buffers) {
      std::string place = fmt::format("submission {}, buffer {:#x}", submission_, b.address);
      if (!json_)
        fmt::print("submission {}, {} queue {}{}: buffer {:#x}, {} dwords\n", submission_, trace::ring_name(kind), queue_,
                   b.constant_engine ? ", constant engine" : "", b.address, b.dwords);
      if (b.dwords > trace::SubmittedBuffers::max_dwords) {
        printer_.problem(place, 0, fmt::format("{} dwords, more than a GPU takes in one submission", b.dwords));
        continue;
      }
      auto words = buffers_.read(b.address, b.dwords);
      if (!words) {
        printer_.problem(place, 0, fmt::format("its {} dwords are not mapped", b.dwords));
      } else if (kind == gpu::QueueKind::copy) {
        if (!json_) fmt::print("    packets of the copy engine, which decode does not know yet\n");
      } else {
        printer_.context = {{"submission", submission_}, {"queue", queue_}, {"kind", trace::ring_name(kind)}};
        printer_.print(place, fmt::format("{:#x}", b.address), *words);
      }
    }
  }

private:
  const bool json_;
  trace::SubmittedBuffers buffers_;
  StreamPrinter printer_;
};

// The same of Intel's command streamers.
class BatchPrintingDevice : public PrintingQueues {
public:
  BatchPrintingDevice(const char* verb, std::string name, const Family& family, bool json)
      : PrintingQueues(std::move(name)), json_(json), printer_(verb, family, json) {}

  bool summarise() const override { return printer_.summarise(); }
  void submission(gpu::QueueKind kind, AddressSpace& space, std::span<const gpu::CommandBuffer> buffers) override {
    auto read = [&](uint64_t address, uint32_t* to, uint32_t dwords) {
      if (!space.contains(address, uint64_t(dwords) * 4)) return false;
      std::memcpy(to, space.host(address), size_t(dwords) * 4);
      return true;
    };
    for (const gpu::CommandBuffer& b : buffers) {
      if (!json_) fmt::print("submission {}, {} queue {}: batch {:#x}\n", submission_, trace::ring_name(kind), queue_, b.address);
      printer_.context = {{"submission", submission_}, {"queue", queue_}, {"kind", trace::ring_name(kind)}};
      printer_.walk(fmt::format("submission {}, batch {:#x}", submission_, b.address), b.address, b.dwords,
                    trace::engine_name(kind), read);
    }
  }

private:
  const bool json_;
  BatchPrinter printer_;
};

}  // namespace

bool decode_recording(const char* verb, const std::string& file, const std::string& gpu, bool json) {
  if (!gpu.empty()) families_of(verb, gpu);  // ends the verb if there is no such GPU
  PrintingQueues* device = nullptr;
  bool well = true;
  trace::PlayOptions options;
  options.executes = false;
  options.open = [&](std::string_view name, const gpu::Options&) -> Expected<std::unique_ptr<gpu::Device>> {
    const gpu::Chip *known = gpu::find_chip(name), *asked = gpu.empty() ? known : gpu::find_chip(gpu);
    if (!known) return fail("a recording of {}, which this Atoll does not know", name);
    if (asked != known) return fail("it is of {}, not of {}", name, gpu);
    const Family& family = *families_of(verb, std::string(name)).front();
    std::unique_ptr<PrintingQueues> made;
    if (!family.commands.empty())
      made = std::make_unique<BatchPrintingDevice>(verb, std::string(name), family, json);
    else if (family.pm4 != registers::Pm4Dialect::None)
      made = std::make_unique<PrintingDevice>(verb, std::string(name), family, json);
    else
      return fail("streams of {} cannot be read yet", name);
    device = made.get();
    return made;
  };
  options.before_submission = [&](uint64_t submission, uint64_t queue, gpu::QueueKind) { device->begin(submission, queue); };
  options.before_end = [&] { well = device->summarise(); };
  auto result = trace::play(file, options);
  if (!result) end_with(STATUS_FAILED, verb, result.error().message);
  warn_of_skipped(verb, file, result->passed_over);
  return tell_ending(verb, file, result->ending) && well;
}

}  // namespace Atoll::cli
