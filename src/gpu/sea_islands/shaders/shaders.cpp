#include "gpu/sea_islands/shaders/shaders.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "gpu/device/program_words.h"
#include "gpu/sea_islands/shaders/effects.h"
#include "gpu/sea_islands/shaders/environment.h"
#include "isa/gfx7/decode.h"
#include "isa/gfx7/isa.h"
#include "isa/gfx7/registers.h"

namespace Atoll::sea_islands {
namespace {

constexpr size_t kMostWords = 1 << 20;    // of a program
constexpr unsigned user_sgprs = 16;       // that a stage can have
constexpr size_t kCalledWords = 1 << 19;  // taken before and behind a program that jumps where a register says

// Words of a program from its first: up to the end that no branch reaches over, and `called` more if it jumps anywhere.
size_t length(std::span<const uint32_t> code, size_t called, bool& jumps_anywhere) {
  size_t at = 0, reached = 0;  // reached: the furthest branch target
  bool knows_place = false;
  jumps_anywhere = false;
  std::span bytes(reinterpret_cast<const uint8_t*>(code.data()), code.size_bytes());
  while (at < code.size()) {
    gfx7::Instruction i;
    if (gfx7::decode_into(bytes.subspan(at * 4), i, gfx7::Unused::ignored)) {
      // data, or an illegal instruction, which faults when reached
      if (++at > reached) break;
      continue;
    }
    at += i.bytes / 4;
    const gfx7::Opcode& row = *i.opcode;
    if (row.flow == wave::Flow::Branch || row.flow == wave::Flow::Conditional) {
      int64_t target = int64_t(at) + int16_t(i.simm16);
      if (target > 0) reached = std::max(reached, size_t(target));
    }
    // A jump that leaves for good cannot come back here unless the program has read its own PC.
    bool leaves = row.has(gfx7::Flag::Terminator);
    knows_place |= row.has(gfx7::Flag::ReadsPc);
    jumps_anywhere |= row.has(gfx7::Flag::ComputedJump) && (knows_place || !leaves);
    if (leaves && at > reached) break;
  }
  if (jumps_anywhere) at = std::min(code.size(), at + called);
  return std::min(at, code.size());
}

// The attribute channels that interpolation instructions read, in rising order.
std::vector<uint8_t> attributes_read(std::span<const uint32_t> code) {
  std::array<bool, gfx7::attribute_count * 4> read{};
  std::span bytes(reinterpret_cast<const uint8_t*>(code.data()), code.size_bytes());
  for (size_t at = 0; at < code.size();) {
    gfx7::Instruction i;
    if (gfx7::decode_into(bytes.subspan(at * 4), i, gfx7::Unused::ignored)) {
      at++;
      continue;
    }
    at += i.bytes / 4;
    if (i.opcode->format == gfx7::Format::VINTRP && i.attr < gfx7::attribute_count) read[i.attr * 4u + i.attrchan % 4] = true;
  }
  std::vector<uint8_t> list;
  for (size_t n = 0; n < read.size(); n++)
    if (read[n]) list.push_back(uint8_t(n));
  return list;
}

}  // namespace

std::optional<PrologEnd> prolog_end(std::span<const uint32_t> words) {
  if (words.empty()) return {};
  gfx7::Instruction i;
  std::span bytes(reinterpret_cast<const uint8_t*>(words.data()), words.size_bytes());
  if (gfx7::decode_into(bytes.last(4), i) || std::string_view(i.opcode->name) != "s_setpc_b64") return {};
  unsigned to = i.src[0];
  if (to + 1 < user_sgprs) return PrologEnd{.sgpr = to, .offset = {}};
  std::optional<PrologEnd> end;
  while (bytes.size() > 4) {
    if (gfx7::decode_into(bytes, i, gfx7::Unused::ignored)) return {};
    bool loads = std::string_view(i.opcode->name) == "s_load_dwordx2" && i.imm && i.resource + 1u < user_sgprs;
    if (loads && i.dst == to) end = PrologEnd{.sgpr = i.resource, .offset = i.offset * 4u};
    bytes = bytes.subspan(i.bytes);
  }
  return end;
}

Expected<ProgramWords> read_program(const AddressSpace& space, uint64_t address, size_t called) {
  if (address & 3) return fail("a program at 0x{:x}, which is no multiple of 4", address);
  bool jumps_anywhere = false;
  auto words = gpu::read_words(space, address, kMostWords, "a program",
                               [&](std::span<const uint32_t> code) { return length(code, called, jumps_anywhere); });
  if (!words) return std::unexpected(words.error());
  ProgramWords program{address, std::move(*words)};
  if (jumps_anywhere) program.begin = gpu::prepend_words(space, address, called * 4, program.words);
  return program;
}

Expected<std::shared_ptr<Shader>> ShaderSource::make(const Key& key) const {
  const auto [address, privileged] = key;
  auto read = read_program(space, address, kCalledWords);
  if (!read) return std::unexpected(read.error());
  auto shader = std::make_shared<Shader>();
  shader->address = address;
  shader->begin = read->begin;
  shader->words = std::move(read->words);
  shader->attributes_read = attributes_read(std::span(shader->words).subspan((address - shader->begin) / 4));
  shader->is_prolog = prolog_end(shader->words).has_value();
  shader->like.lanes = 64;
  shader->like.inspected = false;
  shader->like.privileged = privileged;
  shader->like.window = space.base();
  shader->like.window_bytes = space.size();
  shader->program = std::make_shared<const wave::Program>(gfx7::isa(), shader->begin, shader->words);
  if (auto made = shader->make_executor(engine, findings); !made) return std::unexpected(made.error());
  return shader;
}

const ColourExports& Shader::colour_exports() const {
  std::call_once(exports_once_, [&] { exports_ = sea_islands::colour_exports(*program, address); });
  return exports_;
}

bool Shader::only_reads() const {
  std::call_once(effects_once_, [&] { only_reads_ = sea_islands::only_reads(*program); });
  return only_reads_;
}

uint32_t Shader::covered_exports() const {
  std::call_once(covered_once_, [&] { covered_exports_ = sea_islands::covered_exports(*program, address); });
  return covered_exports_;
}

bool Shader::same_in_blocks(std::span<const unsigned> varying) const {
  std::lock_guard lock(same_mutex_);
  const auto [known, is_new] = same_in_blocks_.try_emplace({varying.begin(), varying.end()});
  if (is_new) known->second = sea_islands::same_in_blocks(*program, address, varying);
  return known->second;
}

// (Of long stretches of memory few words are instructions.)
size_t Shader::bytes() const {
  constexpr size_t per_instruction = sizeof(gfx7::Instruction) + 64, max_instructions = 1 << 16;
  return sizeof(Shader) + framed.bytes() + ProgramInMemory::bytes(std::min(words.size(), max_instructions) * per_instruction);
}

void pause_waiting(unsigned round) {
  if (round < 16) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(round < 200 ? 20 : 200));
}

bool run_elsewhere(ShaderContext& context, const Shader& home, wave::Wave& w, std::shared_ptr<Shader>& last, const char* stage) {
  using wave::Stop;
  for (unsigned round = 0;;) {
    if (w.stop == Stop::Elsewhere) {
      if (w.privileged == home.like.privileged && home.program->contains(w.pc)) {
        w.program = home.program.get();
        w.stop = Stop::Run;
        return true;
      }
      auto found = context.shaders->find(w.pc, w.privileged);
      if (!found)
        return context.lose(fmt::format("{} shader at {:#x}, {}: {}", stage, home.address,
                                        w.privileged ? "its trap handler" : "back from its trap handler", found.error().message));
      last = std::move(*found);
    } else if (w.stop == Stop::Wait) {
      pause_waiting(round++);
    } else if (w.stop == Stop::Barrier) {
      w.stop = Stop::Fault;
      w.fault = {wave::FaultKind::Illegal, 0, 0, w.pc, -1, "a barrier in a trap handler"};
    }
    if (w.stop == Stop::End) return true;
    if (w.stop == Stop::Fault || w.stop == Stop::Interrupted) return lose_by_fault(context, w, stage, home.address);
    last->executor->run(w);
  }
}

}  // namespace Atoll::sea_islands
