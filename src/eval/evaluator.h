// Runs eval's requests, each from a fresh state, on either engine.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#include "eval/request.h"
#include "eval/target.h"
#include "memory/address_space.h"
#include "wave/environment.h"
#include "wave/storage.h"

namespace Atoll::eval {

class Evaluator : private wave::Environment {
public:
  // An error: the host has no room for an address window.
  static Expected<std::unique_ptr<Evaluator>> create();
  ~Evaluator() override;

  // An error is what the request lacks or has too much of, or what became of the code: an illegal instruction, a fault, no end
  // within the time limit. The next request is not affected.
  Expected<Result> run(const Request& request);

  void set_time_limit(double seconds) { time_limit_ = seconds; }

private:
  std::unique_ptr<AddressSpace> space_;
  std::vector<MemoryRange> mapped_;  // of the request under way
  std::vector<std::pair<uint64_t, uint64_t>> file_ranges_;
  std::vector<uint8_t> lds_, scratch_;
  std::unique_ptr<wave::GlobalShare> share_;  // of the request under way
  wave::StorageBytes storage_;
  size_t storage_bytes_ = 0;
  double time_limit_ = 10;
  uint64_t ticks_ = 0;
  // The state of the current request.
  static constexpr size_t most_kept = 1 << 16;
  const Target* target_ = nullptr;
  std::vector<ExportValue> rows_;
  std::vector<MessageValue> messages_;

  // The watch raises `stop_` when a run takes longer than the limit.
  std::atomic<int> stop_{0};
  std::thread watch_;
  std::mutex mutex_;
  int64_t deadline_ = 0;  // nanoseconds of the steady clock; 0: nothing runs
  std::condition_variable gone_;
  bool ending_ = false;

  Evaluator() = default;
  Expected<Result> run_mapped(const Request& request, const Target& target, unsigned lanes, uint64_t code_address,
                              std::span<const uint32_t> words);
  Expected<void> map(const Request& request, uint64_t code_address, size_t code_bytes);
  void unmap();
  wave::Wave* fresh_wave(const wave::Isa& isa, unsigned lanes);
  void watch();
  void watch_until(int64_t deadline);

  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return space_->contains(address, bytes, writable);
  }
  uint64_t clock() override { return ++ticks_; }
  uint64_t message(wave::Wave&, uint32_t message, uint32_t m0) override {
    constexpr uint32_t dealloc_vgprs = 3;  // RDNA4's hint, which compiled code does not even send
    if (message != dealloc_vgprs && messages_.size() < most_kept) messages_.push_back({message, m0});
    return 0;
  }
  bool export_row(wave::Wave& wave, const wave::RowExport& row) override {
    if (rows_.size() >= most_kept) return false;
    rows_.push_back(target_->row(wave, row));
    return true;
  }
  wave::GlobalPart global_part() override { return {share_.get(), 0, wave::GlobalShare::bytes, 0, wave::GlobalShare::resources}; }
};

}  // namespace Atoll::eval
