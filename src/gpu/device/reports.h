// Reports of a queue: what it met that is not modelled, and why it was lost, each once, with the current packet. Any thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/device/device.h"
#include "gpu/device/fault.h"

namespace Atoll::gpu {

// The place of the command processor. Set by the queue's thread before it executes a packet.
struct PacketPlace {
  std::string_view packet;      // its name, which outlives the queue; empty: no packet, a register is written by MMIO
  uint64_t packet_address = 0;  // GPU address of its header
  // The number in the packet's name, which is formatted only when the name is asked for, as for most packets it never is. 0
  // digits: there is none.
  uint32_t packet_number = 0;
  uint8_t packet_digits = 0;
};

class Reports : public PacketPlace {
public:
  // `strict`: unknown things end the context.
  explicit Reports(bool strict) : strict_(strict) {}

  std::string packet_name() const;
  std::string place() const;  // "DRAW_INDEX_2 at 0x100240000"

  // Counts something that is not modelled: unknown("CB format 31"). If a stream names too many such things they are counted
  // together. `more_place`: ", draw 12".
  void unknown(std::string what, const std::string& more_place = {});
  std::vector<Statistics::Unknown> unknowns() const;

  // The number of times that something was unknown, on any thread.
  uint64_t report_count() const { return report_count_.load(std::memory_order_relaxed); }

  // The context is lost: the first report stays. Always false, so that `return context.lose(...)` reads well.
  bool lose(const std::string& report);
  bool lose(const std::string& report, Fault fault);
  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  std::string report() const;
  std::optional<Fault> fault() const;  // of the program that lost it

  // Reports from pixels that an earlier packet asked for, by any thread, kept until their turn comes.
  class Kept {
  public:
    // Keeps reports of the current packet.
    explicit Kept(Reports& reports) : place_(reports), turn_(++reports.turn_) {}

  private:
    friend Reports;
    const PacketPlace place_;
    const uint64_t turn_;
    std::mutex mutex_;
    struct Unknown {
      std::string what, more_place;
      uint64_t times;
    };
    std::vector<Unknown> unknowns_;
    std::optional<std::string> report_;
    std::optional<Fault> fault_;
  };
  // While it lives, this thread's reports are kept.
  class Keeping {
  public:
    explicit Keeping(Kept& kept);
    ~Keeping();
    Keeping(const Keeping&) = delete;
    Keeping& operator=(const Keeping&) = delete;

  private:
    Kept* const before_;
  };
  // Loses the context, for the packet whose reports are kept there.
  bool lose(Kept& kept, const std::string& report) {
    const Keeping keeping(kept);
    return lose(report);
  }
  // Makes the kept reports, for their packet, unless an earlier packet lost the context. `failed`: the context is lost, with this
  // reason if none was reported; a loss by a later packet is forgotten.
  void say(Kept& kept, const char* failed = nullptr);

private:
  static thread_local Kept* keeping_;
  void count_locked(std::string what, const std::string& more_place, uint64_t times);
  void lose_locked(const std::string& report);

  const bool strict_;
  mutable std::mutex mutex_;
  std::atomic<bool> lost_{false};
  std::atomic<uint64_t> report_count_{0};
  std::string report_;
  std::optional<Fault> fault_;
  uint64_t turn_ = 0, lost_turn_ = 0;  // of the last Kept; of what lost the context
  std::vector<Statistics::Unknown> unknowns_;
  std::unordered_map<std::string, size_t> index_;  // in unknowns_
};

}  // namespace Atoll::gpu
