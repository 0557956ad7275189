#include "drm/session/register_usage.h"

#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"
#include "base/log.h"
#include "drm/session/session.h"

namespace Atoll::drm {
namespace {

constexpr uint64_t between_writes = 1'000'000'000;

}  // namespace

std::unique_ptr<RegisterUsageFile> RegisterUsageFile::start(std::string_view gpu) {
  std::string folder(environment_text("ATOLL_REGISTERS_USED"));
  if (folder.empty()) return nullptr;
  const registers::Family* family = trace::stream_family(gpu);
  if (!family) {
    log(LogLevel::warn, "drm", "ATOLL_REGISTERS_USED: streams of {} cannot be read yet", gpu);
    return nullptr;
  }
  std::string file = fmt::format("{}/{}.json", folder, ::getpid());
  return std::unique_ptr<RegisterUsageFile>(new RegisterUsageFile(*family, std::string(gpu), std::move(file)));
}

RegisterUsageFile::RegisterUsageFile(const registers::Family& family, std::string gpu, std::string file)
    : usage_(family, std::move(gpu)), file_(std::move(file)) {}

void RegisterUsageFile::submission(gpu::QueueKind kind, const AddressSpace& space, std::span<const gpu::CommandBuffer> buffers) {
  usage_.submission(kind, space, buffers);
  uint64_t now = monotonic_nanoseconds(), due = next_write_;
  if (now >= due && next_write_.compare_exchange_strong(due, now + between_writes)) write(false);
}

void RegisterUsageFile::finish() { write(true); }

void RegisterUsageFile::write(bool finished) {
  registers::Usage usage = usage_.usage();
  if (!usage.submissions) return;
  usage.unfinished = finished ? 0 : 1;
  std::string text = registers::usage_text(usage);
  auto written = write_file(file_, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  if (!written && !failed_.exchange(true)) log(LogLevel::error, "drm", "ATOLL_REGISTERS_USED: {}", written.error().message);
}

}  // namespace Atoll::drm
