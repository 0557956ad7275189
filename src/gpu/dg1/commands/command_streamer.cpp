#include "gpu/dg1/commands/command_streamer.h"

#include <algorithm>

#include "gpu/dg1/commands/handlers.h"
#include "gpu/dg1/draw/draw.h"
#include "gpu/dg1/state/tiled_resources.h"
#include "memory/fault.h"

namespace Atoll::dg1 {
namespace {

constexpr size_t max_depth = 3;  // batches in the ring, of the second level, of the third
constexpr const char* fetch = "fetch of a command";

// MI_SET_PREDICATE: commands behind it are passed over while what it names is so.
bool is_passed_over(Context& c, uint32_t first) {
  using namespace commands;
  const uint32_t mode = uint32_t(c.noop_predicate);
  if (!mode || (first & MI_SET_PREDICATE::match_mask) == MI_SET_PREDICATE::match) return false;
  const uint32_t result = c.registers.read(mmio::predicate_result) & 1, second = c.registers.read(mmio::predicate_result_2) & 1;
  using Mode = MI_SET_PREDICATE::Predicate_Enable;
  switch (mode) {
    case Mode::NOOP_On_Result_Clear: return !result;
    case Mode::NOOP_On_Result_Set: return result;
    case Mode::NOOP_On_Result2_Clear: return !second;
    case Mode::NOOP_On_Result2_Set: return second;
    case Mode::NOOP_Always: return true;
    default: return false;
  }
}

}  // namespace

bool CommandStreamer::jump(uint64_t address, bool call) {
  if (!context_.within(context_.budget.buffers())) return false;
  address = stripped(address);
  if (call && frames_.size() >= max_depth) return context_.lose("batches are nested more than three deep");
  if (!call && !frames_.empty()) frames_.pop_back();
  frames_.push_back({address, uint64_t(1) << Sections::address_bits});
  return true;
}

void CommandStreamer::end_batch() {
  if (!frames_.empty()) frames_.pop_back();
}

bool CommandStreamer::step() {
  Context& c = context_;
  Frame& frame = frames_.back();
  if (frame.address >= frame.end) {  // i915 takes a batch that ends so
    end_batch();
    return true;
  }
  const uint64_t address = frame.address;
  c.packet = "batch", c.packet_address = address, c.packet_digits = 0;
  if (!c.within(c.budget.packets())) return false;
  if (c.stop.load(std::memory_order_relaxed)) return c.lose_stopped();
  uint32_t first = 0;
  if (!c.read(address, &first, 4, fetch)) return false;
  const TableEntry entry = find_command(first, c.kind);
  if (!entry.row) return c.lose(fmt::format("dword {:#010x} begins no command of the {} engine", first, c.engine()));
  const uint32_t dwords = entry.row->dwords_of(first);
  c.packet = entry.row->name;
  if (dwords > (frame.end - address) / 4)
    return c.lose(fmt::format("it has {} dwords, the batch ends after {}", dwords, (frame.end - address) / 4));
  if (!c.within(c.budget.dwords(dwords))) return false;
  words_.assign(std::max<size_t>(dwords, entry.row->dwords), 0);
  words_[0] = first;
  if (dwords > 1 && !c.read(address + 4, &words_[1], size_t(dwords - 1) * 4, fetch)) return false;
  frame.address += uint64_t(dwords) * 4;
  c.statistics.packets++;
  c.begin_packet();
  c.progress.fetch_add(1, std::memory_order_relaxed);
  if (is_passed_over(c, first)) return true;
  if (entry.not_yet) entry.not_yet->look(words_.data(), [&](std::string what) { c.unknown(std::move(what)); });
  if (c.lost()) return false;
  if (entry.after_draws && !write_back(c)) return false;
  if (c.aliases && (entry.after_draws || entry.handler == primitive)) c.aliases->drop_writes();
  if (entry.handler) return entry.handler(*this, {*entry.row, words_.data(), dwords, address});
  c.graphics.set(*entry.row, std::span(words_).first(dwords));
  return true;
}

void CommandStreamer::run(uint64_t address, uint64_t dwords) {
  FaultRecovery recovery;
  context_.recovery = &recovery;
  context_.kernels.invalidate();
  context_.environment->begin_submission(&context_);
  frames_.clear();
  frames_.push_back({stripped(address), stripped(address) + dwords * 4});
  // (mappings may have changed)
  if (!translate_tiled_resources(context_)) frames_.clear();
  while (!frames_.empty() && step()) {
  }
  write_back(context_);
  frames_.clear();
  context_.recovery = nullptr;
}

}  // namespace Atoll::dg1
