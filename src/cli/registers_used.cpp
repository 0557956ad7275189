// atoll registers-used: which registers the driver of a recorded program wrote.
#include "base/files.h"
#include "cli/recordings.h"
#include "cli/usage_report.h"
#include "cli/verbs.h"
#include "gpu/chips/chip.h"
#include "trace/player.h"
#include "trace/submitted_streams.h"

namespace Atoll::cli {
namespace {

constexpr const char* registers_used_verb = "registers-used";

struct UsedCall {
  std::string trace, html;
  bool json = false;
};

class CountingDevice : public trace::LookingDevice {
public:
  CountingDevice(std::string name, trace::RegisterUsage& usage) : LookingDevice(std::move(name)), usage_(usage) {}
  void submission(gpu::QueueKind kind, AddressSpace& space, std::span<const gpu::CommandBuffer> buffers) override {
    usage_.submission(kind, space, buffers);
  }

private:
  trace::RegisterUsage& usage_;
};

void registers_used(const UsedCall& call) {
  const registers::Family* family = nullptr;
  std::unique_ptr<trace::RegisterUsage> usage;
  trace::PlayOptions options;
  options.executes = false;
  options.open = [&](std::string_view name, const gpu::Options&) -> Expected<std::unique_ptr<gpu::Device>> {
    if (!gpu::find_chip(name)) return fail("a recording of {}, which this Atoll does not know", name);
    family = trace::stream_family(name);
    if (!family) return fail("streams of {} cannot be read yet", name);
    usage = std::make_unique<trace::RegisterUsage>(*family, std::string(name));
    return std::make_unique<CountingDevice>(std::string(name), *usage);
  };
  auto result = trace::play(call.trace, options);
  if (!result) end_with(STATUS_FAILED, registers_used_verb, result.error().message);
  registers::Usage counted = usage->usage();
  if (!call.html.empty()) {
    std::string page = usage_report_html(*family, counted, 0);
    auto written = write_file(call.html, {reinterpret_cast<const uint8_t*>(page.data()), page.size()});
    if (!written) end_with(STATUS_FAILED, registers_used_verb, written.error().message);
  }
  if (call.json)
    fmt::print("{}", usage_report_json(*family, counted));
  else if (call.html.empty())
    fmt::print("{}", usage_report_text(*family, counted));
  warn_of_skipped(registers_used_verb, call.trace, result->passed_over);
  if (!tell_ending(registers_used_verb, call.trace, result->ending)) end(STATUS_FAILED);
}

}  // namespace

void add_registers_used(CLI::App& app) {
  auto call = std::make_shared<UsedCall>();
  CLI::App* sub = app.add_subcommand(
      registers_used_verb, "lists which registers the driver of a recorded program wrote, how often and by which packet");
  sub->footer("`atoll run --registers-used FILE` writes the same about a running program.");
  sub->add_option("TRACE", call->trace, "the file that `atoll run --record` wrote")->required();
  sub->add_flag("--json", call->json, "one JSON object per line");
  sub->add_option("--html", call->html, "writes a page to look at into this file")->type_name("FILE");
  sub->callback([call] { registers_used(*call); });
}

}  // namespace Atoll::cli
