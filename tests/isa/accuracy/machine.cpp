#include "machine.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/registers.h"
#include "wave/environment.h"
#include "wave/executor.h"
#include "wave/storage.h"

namespace Atoll::rdna4::accuracy {
namespace {

constexpr unsigned lanes = 64, scalars = 50;
constexpr uint64_t code_base = 0x1000;
// The operands that no register holds yet: v255 has those of the first register, v254 those of the next instruction.
constexpr unsigned operand_vgpr = 254, first_vgpr = 255;

class NoGpu : public wave::Environment {
public:
  bool mapped(uint64_t, uint64_t, bool) const override { return false; }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
};

Expected<std::vector<uint32_t>> assemble(const std::vector<std::string>& lines) {
  std::vector<uint32_t> code;
  for (const std::string& line : lines) {
    auto decoded = parse(line, {lanes});
    if (!decoded) return fail("{}: {}", line, decoded.error().message);
    auto words = encode(decoded->main, {lanes});
    if (!words) return fail("{}: {}", line, words.error().message);
    code.insert(code.end(), words->dwords.begin(), words->dwords.begin() + words->count);
  }
  return code;
}

}  // namespace

struct Machine::Parts {
  const Function& function;
  unsigned registers;
  std::vector<uint32_t> code;
  NoGpu environment;
  std::atomic<int> stop{0};
  wave::StorageBytes storage = wave::allocate_storage(wave::register_file_offset + register_file_bytes(true));
  wave::Wave* wave = new (storage.get()) wave::Wave;
  std::unique_ptr<wave::Program> program{};
  std::unique_ptr<wave::Executor> executor{};

  uint32_t& scalar(unsigned n) { return wave::word_of(*wave, scalar_cell(n)); }
  uint32_t* vgpr(unsigned n) { return &wave::word_of(*wave, vgpr_cell(n, true)); }
  bool pairs() const { return function.result == Operand::F64; }
};

Machine::Machine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)), results_(count()) {}
Machine::~Machine() = default;

size_t Machine::count() const { return parts_->function.scalar ? scalars : size_t(lanes) * parts_->registers; }

Expected<std::unique_ptr<Machine>> Machine::make(const Function& function, uint32_t mode, wave::EngineChoice engine,
                                                 unsigned registers) {
  auto parts = std::make_unique<Parts>(function, registers);
  std::vector<std::string> lines;
  if (function.scalar) {
    for (unsigned n = 0; n < scalars; n++) lines.push_back(fmt::format("{} s{}, s{}", function.name, n, n + scalars));
  } else {
    for (unsigned n = 0; n < registers; n++) {
      lines.push_back(fmt::format("v_add_nc_u32 v{}, s{}, v{}", operand_vgpr, n, first_vgpr));
      lines.push_back(parts->pairs() ? fmt::format("{} v[{}:{}], v{}", function.name, 2 * n, 2 * n + 1, operand_vgpr)
                                     : fmt::format("{} v{}, v{}", function.name, n, operand_vgpr));
    }
  }
  lines.push_back("s_endpgm");
  auto code = assemble(lines);
  if (!code) return std::unexpected(code.error());
  parts->code = std::move(*code);
  wave::Wave& w = *parts->wave;
  w.lanes = lanes;
  w.stop_flag = &parts->stop;
  w.environment = &parts->environment;
  w.window_bytes = 0;
  std::memset(wave::bytes_of(w, wave::register_file_offset), 0, register_file_bytes(true));
  wave::word_of(w, mode_cell) = mode;
  wave::word_of(w, vgpr_count_cell) = kVgprCount;
  parts->scalar(EXEC_LO) = parts->scalar(EXEC_HI) = ~0u;
  parts->program = std::make_unique<wave::Program>(isa(lanes), code_base, parts->code);
  parts->executor =
      std::make_unique<wave::Executor>(*parts->program, engine, w, wave::ExecutorOptions{.first_tier = wave::Tier::Full});
  if (std::string error = parts->executor->error(); !error.empty()) return fail("{}", error);
  return std::unique_ptr<Machine>(new Machine(std::move(parts)));
}

Expected<void> Machine::run(uint32_t first, uint32_t step) {
  Parts& p = *parts_;
  if (p.function.scalar) {
    for (uint32_t n = 0; n < scalars; n++) p.scalar(n + scalars) = first + n * step;
  } else {
    for (uint32_t n = 0; n < p.registers; n++) p.scalar(n) = n * lanes * step;
    for (uint32_t l = 0; l < lanes; l++) p.vgpr(first_vgpr)[l] = first + l * step;
  }
  p.wave->pc = code_base;
  p.executor->run(*p.wave);
  if (p.wave->stop != wave::Stop::End)
    return fail("{}: the wave stopped: {}", p.function.name, p.wave->fault.reason ? p.wave->fault.reason : "no reason");
  const bool half = p.function.result == Operand::F16 || p.function.result == Operand::Integer16;
  const uint32_t mask = half && !p.function.scalar ? 0xffffu : ~0u;
  if (p.function.scalar) {
    for (uint32_t n = 0; n < scalars; n++) results_[n] = p.scalar(n);
  } else if (p.pairs()) {
    for (uint32_t n = 0; n < p.registers; n++)
      for (uint32_t l = 0; l < lanes; l++) results_[n * lanes + l] = p.vgpr(2 * n)[l] | uint64_t(p.vgpr(2 * n + 1)[l]) << 32;
  } else {
    for (uint32_t n = 0; n < p.registers; n++)
      for (uint32_t l = 0; l < lanes; l++) results_[n * lanes + l] = p.vgpr(n)[l] & mask;
  }
  return {};
}

double Machine::compiled() const {
  const wave::Wave& w = *parts_->wave;
  const uint64_t all = w.compiled + w.called + w.interpreted;
  return all ? double(w.compiled) / double(all) : 0;
}

}  // namespace Atoll::rdna4::accuracy
