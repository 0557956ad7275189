#include "gpu/device/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace Atoll::gpu {

constexpr size_t max_unknowns = 1000;

thread_local Reports::Kept* Reports::keeping_ = nullptr;

Reports::Keeping::Keeping(Kept& kept) : before_(std::exchange(keeping_, &kept)) {}
Reports::Keeping::~Keeping() { keeping_ = before_; }

void Reports::say(Kept& kept, const char* failed) {
  const PacketPlace now = *this;
  static_cast<PacketPlace&>(*this) = kept.place_;
  std::lock_guard own(kept.mutex_);
  if (std::lock_guard lock(mutex_); !lost_ || kept.turn_ < lost_turn_) {
    for (auto& [what, more_place, times] : kept.unknowns_) count_locked(std::move(what), more_place, times);
    if (kept.report_ || failed) {
      lost_ = false;
      lose_locked(kept.report_ ? *kept.report_ : failed);
      fault_ = std::move(kept.fault_);
      lost_turn_ = kept.turn_;
    }
  }
  kept.unknowns_.clear(), kept.report_.reset();
  static_cast<PacketPlace&>(*this) = now;
}

std::string Reports::packet_name() const {
  return packet_digits ? fmt::format("{} {:#0{}x}", packet, packet_number, packet_digits + 2) : std::string(packet);
}

std::string Reports::place() const {
  return !packet.empty() ? fmt::format("{} at {:#x}", packet_name(), packet_address) : "MMIO";
}

void Reports::unknown(std::string what, const std::string& more_place) {
  report_count_.fetch_add(1, std::memory_order_relaxed);
  if (!keeping_) {
    std::lock_guard lock(mutex_);
    return count_locked(std::move(what), more_place, 1);
  }
  std::lock_guard lock(keeping_->mutex_);
  auto& kept = keeping_->unknowns_;
  auto same = std::ranges::find(kept, what, &Kept::Unknown::what);
  if (same != kept.end())
    same->times++;
  else if (kept.size() < max_unknowns)
    kept.push_back({std::move(what), more_place, 1});
}

void Reports::count_locked(std::string what, const std::string& more_place, uint64_t times) {
  if (unknowns_.size() >= max_unknowns && !index_.contains(what)) what = "more that is not understood";
  auto [at, is_new] = index_.try_emplace(what, unknowns_.size());
  if (is_new) unknowns_.push_back({what, place() + more_place, 0});
  unknowns_[at->second].times += times;
  if (strict_) lose_locked(what + " is not understood (--strict)" + more_place);
}

std::vector<Statistics::Unknown> Reports::unknowns() const {
  std::lock_guard lock(mutex_);
  return unknowns_;
}

void Reports::lose_locked(const std::string& report) {
  if (lost_) return;
  report_ = place() + ": " + report;
  lost_turn_ = turn_ + 1;
  lost_ = true;
}

bool Reports::lose(const std::string& report) {
  if (keeping_) {
    std::lock_guard lock(keeping_->mutex_);
    if (!keeping_->report_) keeping_->report_ = report;
    return false;
  }
  std::lock_guard lock(mutex_);
  lose_locked(report);
  return false;
}

bool Reports::lose(const std::string& report, Fault fault) {
  if (keeping_) {
    std::lock_guard lock(keeping_->mutex_);
    if (!keeping_->report_) keeping_->report_ = report, keeping_->fault_ = std::move(fault);
    return false;
  }
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

}  // namespace Atoll::gpu
