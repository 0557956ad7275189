#include "gpu/rdna4/trap_handler.h"

#include <cstring>

#include "isa/rdna4/registers.h"
#include "wave/work_group.h"

namespace Atoll::rdna4 {

using wave::Stop;
using wave::Wave;

Expected<std::unique_ptr<TrapHandler>> TrapHandler::make(const hsa::TrapHandler& where, AddressSpace& space, const wave::Isa& isa,
                                                         hsa::Engine engine, const Wave& like) {
  if (!space.contains(where.address, where.bytes) || where.address % 4)
    return fail("the trap handler: not all of its code is in memory, {} bytes at {:#x}", where.bytes, where.address);
  std::unique_ptr<TrapHandler> made(new TrapHandler);
  made->where_ = where;
  made->code_.resize(where.bytes / 4);
  std::memcpy(made->code_.data(), space.host(where.address), made->code_.size() * 4);
  made->like_.lanes = like.lanes, made->like_.window_bytes = like.window_bytes, made->like_.inspected = like.inspected;
  made->like_.flat_shared_high = like.flat_shared_high, made->like_.flat_private_high = like.flat_private_high;
  made->like_.privileged = true;
  made->program_ = std::make_unique<wave::Program>(isa, where.address, made->code_);
  made->executor_ = std::make_unique<wave::Executor>(*made->program_, engine, made->like_);
  if (std::string why = made->executor_->error(); engine == hsa::Engine::Jit && !why.empty()) return fail("{}", why);
  return made;
}

bool TrapHandler::enter_by_exception(Wave& w) const {
  uint32_t source = 0, flag = EXCP_MEMVIOL;
  switch (w.fault.kind) {
    case wave::FaultKind::Fetch: source = 0; break;
    case wave::FaultKind::ScalarLoad: source = 1; break;
    case wave::FaultKind::Load:
    case wave::FaultKind::Store:
    case wave::FaultKind::Atomic: source = 3; break;
    case wave::FaultKind::Illegal: flag = EXCP_ILLEGAL_INST; break;
    default: return false;
  }
  if (w.privileged) return false;
  uint32_t& flags = wave::word_of(w, private_flags_cell);
  if (flag == EXCP_MEMVIOL && !(flags & EXCP_MEMVIOL))
    flags = (flags & ~(3u << first_memviol_shift)) | source << first_memviol_shift;
  flags |= flag;
  wave::word_of(w, scalar_cell(TTMP0)) = uint32_t(w.fault.pc);
  wave::word_of(w, scalar_cell(TTMP0 + 1)) = uint32_t(w.fault.pc >> 32) & 0xffff;  // TrapID 0
  w.fault = {};
  w.privileged = true;
  w.pc = where_.address;
  w.stop = Stop::Elsewhere;
  return true;
}

wave::Executor::GroupEnd TrapHandler::run(wave::WorkGroup& group, std::span<Wave* const> waves) {
  bool any = false;
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t n = 0; n < waves.size(); n++) {
      Wave& w = *waves[n];
      if (!w.privileged || is_over(group, n) || (w.waits_at_barrier && !may_resume(group, w))) continue;
      executor_->run(w);
      if (w.stop == Stop::Fault || w.stop == Stop::Interrupted) return {w.stop, n};
      if (w.stop == Stop::End) leave(group, n);
      progress = any = true;
    }
  }
  return {any ? Stop::End : Stop::Barrier, 0};
}

}  // namespace Atoll::rdna4
