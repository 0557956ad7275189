#include "gpu/sea_islands/shaders/shader_files.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "gpu/device/program_words.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "gpu/sea_islands/state/stage_registers.h"
#include "isa/gfx7/listing.h"

namespace Atoll::sea_islands {

void ShaderFiles::write(const RegisterContext& c, const char* stage, uint64_t address, const std::vector<uint32_t>& words) {
  files_.write(c.chip.name, stage, words, [&] {
    std::string text = fmt::format("// {} {} at {:#x}, {} bytes\n", c.chip.name, stage, address, words.size() * 4);
    std::span<const uint8_t> left(reinterpret_cast<const uint8_t*>(words.data()), words.size() * 4);
    while (!left.empty()) {
      gfx7::ListedLine line = gfx7::list(left, false);
      text += fmt::format("{}\n", line.text);
      left = left.subspan(line.bytes);
    }
    return text;
  });
}

const std::vector<uint32_t>* ShaderFiles::note(const RegisterContext& c, const char* stage, uint64_t address) {
  std::vector<uint32_t>& seen = seen_[{stage, &c.space, address}];
  if (!seen.empty() && gpu::holds_words(c.space, address, seen)) return &seen;
  auto words = read_program(c.space, address, 0);
  if (!words) return nullptr;  // whoever runs it says so
  seen = std::move(words->words);
  write(c, stage, address, seen);
  return &seen;
}

template <class Stage>
void ShaderFiles::note(const RegisterContext& c, const char* stage) {
  const RegisterFile& r = c.registers;
  std::lock_guard lock(mutex_);
  const std::vector<uint32_t>* words = note(c, stage, program_address<Stage>(r));
  auto end = words ? prolog_end(*words) : std::nullopt;
  if (!end) return;
  using UserData = typename Stage::UserData;
  uint64_t address = uint64_t(r.whole<UserData>(end->sgpr + 1)) << 32 | r.whole<UserData>(end->sgpr);
  if (end->offset) {
    address += *end->offset;
    uint32_t halves[2];
    if (address & 3 || !gpu::copy_words(c.space, address, halves)) return;
    address = uint64_t(halves[1]) << 32 | halves[0];
  }
  note(c, stage, address);
}

void ShaderFiles::draw(const RegisterContext& c) {
  using Stages = VGT_SHADER_STAGES_EN;
  const auto stages = c.registers.read<Stages>();
  if (Stages::LS_EN::get(stages)) note<stages::LS>(c, "ls");
  if (Stages::HS_EN::get(stages)) note<stages::HS>(c, "hs");
  if (Stages::ES_EN::get(stages)) note<stages::ES>(c, "es");
  if (Stages::GS_EN::get(stages)) note<stages::GS>(c, "gs");
  note<stages::VS>(c, "vs");
  note<stages::PS>(c, "ps");
}

void ShaderFiles::dispatch(const RegisterContext& c) { note<stages::CS>(c, "cs"); }

}  // namespace Atoll::sea_islands
