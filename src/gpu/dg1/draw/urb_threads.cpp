#include "gpu/dg1/draw/urb_threads.h"

#include <atomic>

namespace Atoll::dg1 {

UrbThreads::UrbThreads(const StageSetup& setup, unsigned slot, unsigned payload_registers, unsigned group)
    : setup_(setup),
      slot_(slot * group),
      payload_registers_(payload_registers),
      storage_(wave::allocate_zeroes(thread_bytes() * group)),
      clearing_(group) {}

wave::Wave& UrbThreads::renew(unsigned n, const UrbReach& reach) {
  wave::Wave& w = make_thread(storage_.get() + thread_bytes() * n, setup_.threads->surroundings);
  w.group = &group_;
  w.lds = reach.urb.data(), w.lds_bytes = reach.urb.bytes();
  xe_lp::ThreadContext& c = xe_lp::context_of(w);
  c.urb[0] = reach.read, c.urb[1] = reach.written;
  return w;
}

uint32_t* UrbThreads::start(wave::Wave& w, unsigned n) {
  const StageThreads& t = *setup_.threads;
  w.pc = t.kernel->address;
  w.code_table = nullptr;
  w.waits_at_barrier = false, w.barriers_passed = 0, w.resume = nullptr;
  clearing_[n].clear(w, *t.kernel, payload_registers_ * xe_lp::kRegisterBytes);
  auto* registers = reinterpret_cast<uint32_t*>(wave::bytes_of(w, xe_lp::grf_cell));
  std::memset(registers, 0, xe_lp::kRegisterBytes);
  set_header(registers, t.surroundings.context, t.dispatch.scratch_bytes, t.dispatch.scratch_offset, slot_ + n);
  if (!setup_.constants.empty())
    std::memcpy(registers + setup_.first_register * 8, setup_.constants.data(), setup_.constants.size() * 4);
  return registers;
}

void UrbThreads::begin(wave::Wave& w, unsigned n, uint32_t channels) const {
  const StageDispatch& dispatch = setup_.threads->dispatch;
  set_dispatch(w, channels, {dispatch.control, dispatch.exceptions}, slot_ + n);
}

bool UrbThreads::ended(const wave::Wave& w, unsigned threads) const {
  wave::Counters& counters = setup_.threads->context.statistics;
  counters.share(w);
  std::atomic_ref(counters.waves).fetch_add(threads - 1, std::memory_order_relaxed);
  return w.stop == wave::Stop::End || setup_.threads->lose(w);
}

bool UrbThreads::group_ended(std::vector<wave::Wave*>& waves) {
  const auto end = setup_.threads->kernel->executor->run_group(group_, waves);
  for (const wave::Wave* w : waves) setup_.threads->context.statistics.share(*w);
  if (end.stop == wave::Stop::End) return true;
  waves[end.wave]->stop = end.stop;
  return setup_.threads->lose(*waves[end.wave]);
}

}  // namespace Atoll::dg1
