#include "cli/decode_recording.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "cli/gpu_names.h"
#include "cli/recordings.h"
#include "cli/register_output.h"
#include "cli/stream_printer.h"
#include "cli/verbs.h"
#include "gpu/device/budget.h"
#include "trace/player.h"

namespace Atoll::cli {
namespace {

using namespace registers;

constexpr const char* kinds[] = {"graphics", "compute", "copy"};
constexpr uint64_t most_dwords = gpu::Limits{}.dwords;

// A GPU that prints what it is given. What real ones would have written into buffers is not there: buffers that the GPU itself
// fills are printed as the CPU left them.
class PrintingDevice : public gpu::Device {
public:
  PrintingDevice(const char* verb, std::string name, const Family& family, bool json)
      : name_(std::move(name)),
        json_(json),
        printer_(verb, family, json, [this](const IndirectBuffer& called) { return fetch(called.address, called.dwords); }) {}

  void begin(uint64_t submission, uint64_t queue, gpu::QueueKind kind) { submission_ = submission, queue_ = queue, kind_ = kind; }
  bool summarise() const { return printer_.summarise(); }

  std::string_view name() const override { return name_; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind, AddressSpace& space) override {
    return std::make_unique<Queue>(*this, space);
  }
  uint32_t read_register(uint32_t) override { return 0; }
  void write_register(uint32_t address, uint32_t value) override {
    if (json_)
      fmt::print("{{\"mmio\":\"{:#x}\",\"value\":\"{:#x}\"}}\n", address, value);
    else
      fmt::print("register {:#x} = {:#x}\n", address, value);
  }
  void attach(AddressSpace&) override {}
  std::string report() const override { return {}; }
  std::vector<gpu::Picture> pictures() const override { return {}; }

private:
  struct Queue : gpu::Queue {
    PrintingDevice& device;
    AddressSpace& space;
    Queue(PrintingDevice& d, AddressSpace& s) : device(d), space(s) {}
    Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override {
      device.print(space, buffers);
      return {};
    }
    gpu::Statistics statistics() const override { return {}; }
  };

  void print(AddressSpace& space, std::span<const gpu::CommandBuffer> buffers) {
    space_ = &space;
    called_.clear();
    kept_dwords_ = 0;
    printer_.forget_calls();
    for (const gpu::CommandBuffer& b : buffers) {
      std::string place = fmt::format("submission {}, buffer {:#x}", submission_, b.address);
      if (!json_)
        fmt::print("submission {}, {} queue {}{}: buffer {:#x}, {} dwords\n", submission_, kinds[size_t(kind_)], queue_,
                   b.constant_engine ? ", constant engine" : "", b.address, b.dwords);
      if (b.dwords > most_dwords) {
        printer_.problem(place, 0, fmt::format("{} dwords, more than a GPU takes in one submission", b.dwords));
        continue;
      }
      auto words = read(b.address, b.dwords);
      if (!words) {
        printer_.problem(place, 0, fmt::format("its {} dwords are not mapped", b.dwords));
      } else if (kind_ == gpu::QueueKind::copy) {
        if (!json_) fmt::print("    packets of the copy engine, which decode does not know yet\n");
      } else {
        printer_.context = {{"submission", submission_}, {"queue", queue_}, {"kind", kinds[size_t(kind_)]}};
        printer_.print(place, fmt::format("{:#x}", b.address), *words);
      }
    }
  }

  // Nothing if a part of it is not mapped: memory is taken for what is there.
  std::optional<std::vector<uint32_t>> read(uint64_t address, uint32_t dwords) {
    address &= ~uint64_t(3);
    if (!space_->contains(address, uint64_t(dwords) * 4)) return {};
    std::vector<uint32_t> words(dwords);
    if (dwords) std::memcpy(words.data(), space_->host(address), size_t(dwords) * 4);
    return words;
  }

  StreamPrinter::Buffer* fetch(uint64_t address, uint32_t dwords) {
    auto [at, fresh] = called_.try_emplace({address, dwords});
    if (fresh) {
      at->second.name = fmt::format("{:#x}", address);
      // The same memory may be called in as many sizes as there are.
      kept_dwords_ += dwords;
      auto words = kept_dwords_ <= most_dwords ? read(address, dwords) : std::nullopt;
      if (words) at->second.words = std::move(*words);
    }
    return &at->second;
  }

  const std::string name_;
  const bool json_;
  StreamPrinter printer_;
  uint64_t submission_ = 0, queue_ = 0;
  gpu::QueueKind kind_ = gpu::QueueKind::graphics;
  AddressSpace* space_ = nullptr;
  std::map<std::pair<uint64_t, uint32_t>, StreamPrinter::Buffer> called_;
  uint64_t kept_dwords_ = 0;  // in called_
};

}  // namespace

bool decode_recording(const char* verb, const std::string& file, const std::string& gpu, bool json) {
  if (!gpu.empty()) families_of(verb, gpu);  // ends the verb if there is no such GPU
  PrintingDevice* device = nullptr;
  bool well = true;
  trace::PlayOptions options;
  options.executes = false;
  options.open = [&](std::string_view name, const gpu::Options&) -> Expected<std::unique_ptr<gpu::Device>> {
    const GpuName *known = find_gpu(name), *asked = gpu.empty() ? known : find_gpu(gpu);
    if (!known) return fail("a recording of {}, which this Atoll does not know", name);
    if (asked != known) return fail("it is of {}, not of {}", name, gpu);
    const Family& family = *families_of(verb, std::string(name)).front();
    if (!has_pm4(family)) return fail("streams of {} cannot be read yet", name);
    auto made = std::make_unique<PrintingDevice>(verb, std::string(name), family, json);
    device = made.get();
    return made;
  };
  options.before_submission = [&](uint64_t submission, uint64_t queue, gpu::QueueKind kind) {
    device->begin(submission, queue, kind);
  };
  options.before_end = [&] { well = device->summarise(); };
  auto result = trace::play(file, options);
  if (!result) end_with(STATUS_FAILED, verb, result.error().message);
  tell_passed_over(verb, file, result->passed_over);
  return tell_ending(verb, file, result->ending) && well;
}

}  // namespace Atoll::cli
