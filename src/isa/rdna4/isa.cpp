#include "isa/rdna4/isa.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "base/static_mutex.h"
#include "isa/amd/cell_names.h"
#include "isa/amd/isa.h"
#include "isa/rdna4/decode.h"
#include "isa/rdna4/operands.h"
#include "isa/rdna4/print.h"
#include "isa/rdna4/registers.h"
#include "isa/rdna4/semantics/bundle.h"
#include "isa/rdna4/semantics/semantics.h"
#include "isa/rdna4/wait_counters.h"
#include "isa/rdna4/watched.h"
#include "wave/named_registers.h"

namespace Atoll::rdna4 {

using wave::FloatClass;
using wave::Step;

wave::FloatMode float_mode_of(uint32_t mode) {
  wave::FloatMode floats = amd::float_mode_of(mode);
  floats.clamp_halves = mode & MODE_FP16_OVFL;
  return floats;
}

namespace {

class Rdna4 : public wave::Isa, public wave::NamedRegisters {
public:
  Rdna4(unsigned wave_size, const Allocation& allocation, Exceptions exceptions)
      : wave_size_(wave_size), allocation_(allocation), exceptions_(exceptions) {}
  const char* name() const override { return "gfx12"; }
  wave::RegisterFile register_file() const override {
    const bool wide = wave_size_ == 64;
    return {.bytes = register_file_bytes(wide),
            .active_cell = scalar_cell(EXEC_LO),
            .results_begin = export_values_begin(wide),
            .results_end = register_file_end(wide)};
  }
  std::string register_name(uint32_t cell, uint32_t words) const override {
    return cell_name(registers, cell, words, wave_size_ == 64);
  }
  wave::FloatMode float_mode(const wave::Wave& wave) const override {
    wave::FloatMode mode = float_mode_of(wave::word_of(const_cast<wave::Wave&>(wave), mode_cell));
    if (allocation_.block) mode.vgprs = uint16_t(wave::word_of(const_cast<wave::Wave&>(wave), vgpr_count_cell));
    return mode;
  }
  std::shared_ptr<wave::WaitRule> wait_rule() const override { return wait_counters(wave_size_); }
  std::string text(const Step& step) const override {
    return step.instruction ? print(*static_cast<const Instruction*>(step.instruction), {wave_size_}) : std::string();
  }

  Expected<void> decode(std::span<const uint32_t> code, Step& step, std::vector<std::shared_ptr<void>>& keep) const override {
    auto decoded = std::make_shared<Decoded>();
    std::span bytes(reinterpret_cast<const uint8_t*>(code.data()), code.size_bytes());
    if (const char* why = decode_into(bytes, {wave_size_}, *decoded)) return fail("{}", why);
    const Instruction& i = decoded->main;
    step.words = uint8_t(i.bytes / 4);
    step.instruction = &i;
    keep.push_back(decoded);
    if (auto done = form(decoded, step, keep); !done) return done;
    const bool beyond = highest_vgpr(i, wave_size_) >= int(allocation_.block ? allocation_.block : allocation_.vgprs);
    return beyond ? within_allocation(decoded, step, keep) : Expected<void>();
  }

private:
  unsigned wave_size_;
  Allocation allocation_;
  Exceptions exceptions_;

  Expected<void> form(const std::shared_ptr<Decoded>& decoded, Step& step, std::vector<std::shared_ptr<void>>& keep) const {
    auto done = decoded->main.dual_x ? bundle(decoded, step, keep) : fill(decoded->main, step);
    if (!done || exceptions_ == Exceptions::unseen) return done;
    watch_it(watch(decoded, step), step, keep);
    return {};
  }
  static void watch_it(Watched watched, Step& step, std::vector<std::shared_ptr<void>>& keep) {
    auto what = std::make_shared<Watched>(std::move(watched));
    step.instruction = &what->instruction;
    step.interpret = find_semantics("watched")->interpret;
    step.record = nullptr;
    keep.push_back(what);
  }

  // An instruction that names VGPRs which the wave has not, or at times has not (allocation.h).
  Expected<void> within_allocation(const std::shared_ptr<Decoded>& decoded, Step& step,
                                   std::vector<std::shared_ptr<void>>& keep) const {
    auto limited = std::make_shared<Limited>();
    limited->instruction = decoded->main;
    limited->block = allocation_.block;
    const Step written = step;
    const uint32_t first = allocation_.block ? 0 : 1, last = allocation_.block ? max_blocks : 1;
    for (uint32_t n = first; n <= last; n++) {
      Limited::Form& f = limited->forms.emplace_back();
      f.step = written;
      f.changed = std::make_shared<Decoded>();
      Reach reach =
          limit(*decoded, wave_size_, allocation_.block ? n * allocation_.block : allocation_.vgprs, *f.changed, f.copies);
      if (reach == Reach::Changed) {
        if (auto done = form(f.changed, f.step, keep); !done) return done;
      } else if (reach == Reach::Nothing) {
        const SemanticEntry* nothing = find_semantics("s_nop");
        f.step.interpret = nothing->interpret, f.step.record = nothing->record;
        if (exceptions_ == Exceptions::watched) {  // it raises nothing (7.2.7), but a single step stops behind it
          Watched w;
          w.instruction = decoded->main, w.step = f.step, w.decoded = decoded;
          watch_it(std::move(w), f.step, keep);
        }
      }
    }
    const SemanticEntry* semantics = find_semantics("limited");
    step.instruction = &limited->instruction;
    step.interpret = semantics->interpret;
    step.record = semantics->record;
    keep.push_back(limited);
    return {};
  }

  static Expected<void> fill(const Instruction& i, Step& step) {
    step.instruction = &i;
    return amd::describe(*i.opcode, i.immediate, find_semantics(i.opcode->name), step);
  }

  // VOPD: both halves read before either writes (RDNA4 ISA 7.8).
  static Expected<void> bundle(const std::shared_ptr<Decoded>& decoded, Step& step, std::vector<std::shared_ptr<void>>& keep) {
    auto both = std::make_shared<Bundle>();
    both->instruction = decoded->main;
    both->x = both->y = step;
    if (auto done = fill(decoded->x, both->x); !done) return done;
    if (auto done = fill(decoded->y, both->y); !done) return done;
    for (uint16_t source : decoded->y.src) both->overlaps |= source == VGPR0 + decoded->x.dst;
    step.instruction = both.get();
    step.float_class = both->x.float_class != FloatClass::None ? both->x.float_class : both->y.float_class;
    const SemanticEntry* semantics = find_semantics("vopd");
    step.interpret = semantics->interpret;
    step.record = both->x.record && both->y.record ? semantics->record : nullptr;
    keep.push_back(both);
    return {};
  }
};

}  // namespace

const wave::Isa& isa(unsigned wave_size, const Allocation& allocation, Exceptions exceptions) {
  static const Rdna4 wave32(32, {}, Exceptions::unseen), wave64(64, {}, Exceptions::unseen);
  if (allocation == Allocation{} && exceptions == Exceptions::unseen) return wave_size == 64 ? wave64 : wave32;
  // As many as there are sizes of allocations: kept for good.
  [[clang::no_destroy]] static StaticMutex mutex;
  [[clang::no_destroy]] static std::map<std::array<uint32_t, 4>, std::unique_ptr<Rdna4>> others;
  const uint32_t vgprs = std::clamp(allocation.vgprs, 1u, kVgprCount), block = allocation.block;
  std::lock_guard lock(mutex);
  auto& made = others[{wave_size, block ? 0 : vgprs, block, uint32_t(exceptions)}];
  if (!made) made = std::make_unique<Rdna4>(wave_size == 64 ? 64u : 32u, Allocation{vgprs, block}, exceptions);
  return *made;
}

}  // namespace Atoll::rdna4
