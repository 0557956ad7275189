#include "insight/draw_uses.h"

#include <algorithm>

#include "gpu/device/program_listing.h"
#include "insight/hash.h"

namespace Atoll::insight {

UseCollector::UseCollector() {
  uses_.program = [this](const wave::Program& program, uint64_t begin, uint64_t address) {
    take_program(program, begin, address);
  };
  uses_.structure = [this](std::string_view name, uint64_t address, std::span<const uint32_t> words) {
    take_structure(name, address, words);
  };
}

void UseCollector::take_program(const wave::Program& program, uint64_t begin, uint64_t address) {
  std::lock_guard lock(mutex_);
  const std::span<const uint32_t> code = program.code();
  const uint64_t hash = mixed(hash_bytes(code.data(), code.size_bytes()), begin - program.base());
  if (std::ranges::any_of(now_.programs, [&](const UsedProgram& p) { return p.hash == hash && p.address == address; })) return;
  auto& lines = programs_[hash];
  if (!lines) {
    // They are told apart but not disassembled if there is no room for more.
    auto listed = lines_ < most_lines ? gpu::list_program(program, begin) : std::vector<std::string>();
    lines_ += listed.size();
    lines = std::make_shared<const std::vector<std::string>>(std::move(listed));
  }
  now_.programs.push_back({address, code.size_bytes() - (begin - program.base()), hash, program.isa().name(), lines});
}

void UseCollector::take_structure(std::string_view name, uint64_t address, std::span<const uint32_t> words) {
  std::lock_guard lock(mutex_);
  const uint64_t content = mixed(hash_bytes(name.data(), name.size()), hash_bytes(words.data(), words.size_bytes()));
  const uint64_t hash = mixed(content, address);
  if (hash == last_ || now_.structures.size() == most_structures || words_ > most_words) return;
  last_ = hash;
  Words& kept = structures_[content];
  if (!kept) {
    words_ += words.size();
    kept = std::make_shared<const std::pair<std::string, std::vector<uint32_t>>>(name, std::vector(words.begin(), words.end()));
  }
  if (std::ranges::none_of(now_.structures, [&](const UsedStructure& s) { return s.words == kept && s.address == address; }))
    now_.structures.push_back({address, kept});
}

DrawUses UseCollector::take() {
  std::lock_guard lock(mutex_);
  last_ = 0;
  return std::exchange(now_, {});
}

}  // namespace Atoll::insight
