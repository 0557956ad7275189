#include "cli/live_usage.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "cli/usage_report.h"

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr unsigned refresh_seconds = 2;

}  // namespace

Expected<std::unique_ptr<LiveUsage>> LiveUsage::start(std::string file, const registers::Family& family, std::string gpu) {
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "atoll-registers-XXXXXX").string();
  if (!::mkdtemp(folder.data())) return fail("{}: {}", folder, std::strerror(errno));
  std::unique_ptr<LiveUsage> live(new LiveUsage(std::move(file), std::move(folder), family, std::move(gpu)));
  if (auto written = live->write(false); !written) return std::unexpected(written.error());
  // signals are for the thread that waits for the program
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  live->writer_ = std::thread([writing = live.get()] {
    for (auto next = std::chrono::steady_clock::now() + 1s; !writing->ends_; std::this_thread::sleep_for(50ms)) {
      if (std::chrono::steady_clock::now() < next) continue;
      (void)writing->write(false);  // finish() says what is wrong
      next = std::chrono::steady_clock::now() + 1s;
    }
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return live;
}

LiveUsage::LiveUsage(std::string file, std::string folder, const registers::Family& family, std::string gpu)
    : file_(std::move(file)), folder_(std::move(folder)), gpu_(std::move(gpu)), family_(family) {}

LiveUsage::~LiveUsage() {
  ends_ = true;
  if (writer_.joinable()) writer_.join();
  std::error_code error;
  fs::remove_all(folder_, error);
}

Expected<void> LiveUsage::finish() {
  ends_ = true;
  if (writer_.joinable()) writer_.join();
  return write(true);
}

Expected<void> LiveUsage::write(bool last) {
  std::vector<std::string> files;
  std::error_code error;
  for (auto& entry : fs::directory_iterator(folder_, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  registers::Usage all;
  all.gpu = gpu_;
  for (auto& file : files) {
    auto bytes = read_file(file);
    auto one = bytes ? registers::read_usage({reinterpret_cast<const char*>(bytes->data()), bytes->size()})
                     : Expected<registers::Usage>(std::unexpected(bytes.error()));
    if (!one) return fail("{}: {}", file, one.error().message);
    all.add(*one);
  }
  std::string report = usage_report_for(file_, family_, all, last ? 0 : refresh_seconds);
  if (report == written_) return {};
  if (auto done = write_file(file_, {reinterpret_cast<const uint8_t*>(report.data()), report.size()}); !done) return done;
  written_ = std::move(report);
  return {};
}

}  // namespace Atoll::cli
