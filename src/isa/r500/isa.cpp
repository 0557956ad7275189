#include "isa/r500/isa.h"

#include "isa/r500/registers.h"
#include "isa/r500/text.h"
#include "wave/interpreter/level.h"

namespace Atoll::r500 {

namespace baseline {
void run_pair(void* interpreter, const wave::Step& step);
}
namespace avx2 {
void run_pair(void* interpreter, const wave::Step& step);
}
namespace avx512 {
void run_pair(void* interpreter, const wave::Step& step);
}
namespace recording {
void record_pair(wave::Recorder& recorder, const wave::Step& step);
}

namespace {

class Fragment : public wave::Isa {
public:
  const char* name() const override { return "r500-fs"; }
  wave::RegisterFile register_file() const override { return {register_file_bytes, active_cell, false}; }
  // Not documented: round to nearest even, denormals kept (docs/errata.md).
  wave::FloatMode float_mode(const wave::Wave&) const override { return {}; }
  std::string text(const wave::Step& step) const override {
    return step.instruction ? print(*static_cast<const Pair*>(step.instruction)) : std::string();
  }
  Expected<void> decode(std::span<const uint32_t> code, wave::Step& step,
                        std::vector<std::shared_ptr<void>>& keep) const override {
    auto decoded = pair_of(code);
    if (!decoded) return fail("not an instruction of r500-fs in Atoll's own words (docs/r500-assembly.md)");
    auto pair = std::make_shared<Pair>(*decoded);
    keep.push_back(pair);
    step.instruction = pair.get();
    step.words = kWords;
    step.float_class = wave::FloatClass::F32;
    auto level = wave::host_level();
    step.interpret = level == wave::Level::Avx512 ? avx512::run_pair
                     : level == wave::Level::Avx2 ? avx2::run_pair
                                                  : baseline::run_pair;
    step.record = recording::record_pair;
    return {};
  }
};

}  // namespace

const wave::Isa& fragment_isa() {
  static const Fragment isa;
  return isa;
}

}  // namespace Atoll::r500
