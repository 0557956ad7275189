#include "gpu/amd/reports.h"

#include <fmt/format.h>

namespace Atoll::gpu::amd {

constexpr size_t max_unknowns = 1000;

std::string Reports::packet_name() const {
  return packet_digits ? fmt::format("{} {:#0{}x}", packet, packet_number, packet_digits + 2) : packet;
}

std::string Reports::place() const { return packet ? fmt::format("{} at {:#x}", packet_name(), packet_address) : "MMIO"; }

void Reports::unknown(std::string what, const std::string& more_place) {
  std::lock_guard lock(mutex_);
  if (unknowns_.size() >= max_unknowns && !index_.contains(what)) what = "more that is not understood";
  auto [at, is_new] = index_.try_emplace(what, unknowns_.size());
  if (is_new) unknowns_.push_back({what, place() + more_place, 0});
  unknowns_[at->second].times++;
  if (strict_) lose_locked(what + " is not understood (--strict)" + more_place);
}

std::vector<Statistics::Unknown> Reports::unknowns() const {
  std::lock_guard lock(mutex_);
  return unknowns_;
}

void Reports::lose_locked(const std::string& report) {
  if (lost_) return;
  report_ = place() + ": " + report;
  lost_ = true;
}

bool Reports::lose(const std::string& report) {
  std::lock_guard lock(mutex_);
  lose_locked(report);
  return false;
}

bool Reports::lose(const std::string& report, Fault fault) {
  std::lock_guard lock(mutex_);
  if (!lost_) fault_ = std::move(fault);
  lose_locked(report);
  return false;
}

std::string Reports::report() const {
  std::lock_guard lock(mutex_);
  return report_;
}

std::optional<Fault> Reports::fault() const {
  std::lock_guard lock(mutex_);
  return fault_;
}

}  // namespace Atoll::gpu::amd
