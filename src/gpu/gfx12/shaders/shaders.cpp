#include "gpu/gfx12/shaders/shaders.h"

#include <algorithm>
#include <string_view>

#include "gpu/device/program_words.h"
#include "gpu/gfx12/shaders/turns.h"
#include "gpu/rdna4/target.h"
#include "isa/rdna4/decode.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/watched.h"

namespace Atoll::gfx12 {
namespace {

constexpr size_t most_words = 1 << 20;    // of a program
constexpr size_t called_words = 1 << 19;  // taken before and behind a program that jumps where a register says

struct Extent {
  size_t words = 0;
  bool leaves = false, has_end = false, jumps_near = false;
};

// Up to the end that no branch reaches over. A program that asks for its own address may jump to anything beside it (s_getpc_b64,
// s_call_b64).
Extent extent_of(std::span<const uint32_t> code, unsigned lanes, size_t called) {
  Extent extent;
  size_t at = 0, reached = 0;  // reached: the furthest branch target
  bool knows_place = false;
  rdna4::Decoded decoded;
  const std::span bytes(reinterpret_cast<const uint8_t*>(code.data()), code.size_bytes());
  while (at < code.size()) {
    if (rdna4::decode_into(bytes.subspan(at * 4), {.wave = lanes}, decoded)) {
      // The last words, if fewer than the longest instruction has, may be cut off where reading has come to (gpu::read_words()).
      constexpr size_t longest_words = 3;
      if (code.size() - at < longest_words) at = code.size();
      // data, or an illegal instruction, which faults when reached
      else if (++at > reached)
        break;
      continue;
    }
    at += decoded.main.bytes / 4;
    const rdna4::Opcode& row = *decoded.main.opcode;
    const std::string_view name = row.name;
    knows_place |= name == "s_getpc_b64" || name == "s_swappc_b64" || name == "s_call_b64";
    if (row.flow == wave::Flow::Branch || row.flow == wave::Flow::Conditional) {
      const int64_t target = int64_t(at) + int16_t(decoded.main.immediate);
      if (target > 0) reached = std::max(reached, size_t(target));
    }
    const bool computed = name == "s_setpc_b64" || name == "s_swappc_b64";
    extent.leaves |= computed;
    extent.jumps_near |= computed && knows_place;
    extent.has_end |= row.flow == wave::Flow::End;
    // (A call comes back.)
    const bool ends = row.flow == wave::Flow::End || name == "s_branch" || name == "s_setpc_b64" || name == "s_rfe_b64";
    if (ends && at > reached) break;
  }
  extent.words = std::min(extent.jumps_near ? at + called : at, code.size());
  return extent;
}

// A program and the words that it runs by.
struct Running {
  Running(const wave::Isa& isa, uint64_t begin, std::vector<uint32_t> code)
      : words(std::move(code)), program(isa, begin, words) {}
  const std::vector<uint32_t> words;
  const wave::Program program;
};

}  // namespace

Expected<ProgramWords> read_program(const AddressSpace& space, uint64_t address, unsigned lanes, size_t called) {
  if (address & 3) return fail("a program at {:#x}, which is no multiple of 4", address);
  Extent extent;
  auto words = gpu::read_words(space, address, most_words, "a program", [&](std::span<const uint32_t> code) {
    extent = extent_of(code, lanes, called);
    return extent.words;
  });
  if (!words) return std::unexpected(words.error());
  ProgramWords program{address, std::move(*words), extent.leaves, extent.leaves && !extent.has_end};
  if (extent.jumps_near) program.begin = gpu::prepend_words(space, address, called * 4, program.words);
  return program;
}

Expected<std::shared_ptr<Shader>> ShaderSource::make(const Key& key) const {
  auto read = read_program(space, key.address, key.lanes, called_words);
  if (!read) return std::unexpected(read.error());
  auto shader = std::make_shared<Shader>();
  shader->key = key;
  shader->address = key.address;
  shader->begin = read->begin;
  shader->words = std::move(read->words);
  shader->leaves = read->leaves, shader->is_prolog = read->is_prolog;
  wave::Wave& like = shader->like;
  like.lanes = key.lanes;
  like.inspected = false;
  like.exports = key.exports;
  like.window = space.base(), like.window_bytes = space.window_bytes();
  like.signed_addresses = true;
  like.flat_shared_high = rdna4::target().shared_aperture_high, like.flat_private_high = rdna4::target().private_aperture_high;
  const auto exceptions = rdna4::reads_exceptions(shader->words) ? rdna4::Exceptions::watched : rdna4::Exceptions::unseen;
  // (What is looked for mistakes runs as it stands, and what begins in the middle of other code may be data in part.)
  const bool takes_turns = key.exports && !findings && shader->begin == shader->address;
  auto running = std::make_shared<Running>(rdna4::isa(key.lanes, {.vgprs = key.vgprs}, exceptions), shader->begin,
                                           takes_turns ? with_turns(shader->words, key.lanes) : shader->words);
  shader->program = {running, &running->program};
  if (auto made = shader->make_executor(engine, findings); !made) return std::unexpected(made.error());
  return shader;
}

const PixelProgram& Shader::pixel_program() const {
  std::call_once(pixel_once_, [&] { pixel_program_ = gfx12::pixel_program(*program, address, key.lanes); });
  return pixel_program_;
}

Likeness Shader::likeness(std::span<const unsigned> varying) const {
  std::lock_guard lock(likeness_mutex_);
  const auto [known, is_new] = likeness_.try_emplace({varying.begin(), varying.end()});
  if (is_new) known->second = gfx12::likeness(*program, address, key.lanes, varying);
  return known->second;
}

// (Of long stretches of memory few words are instructions.)
size_t Shader::bytes() const {
  constexpr size_t per_instruction = sizeof(rdna4::Decoded) + 64, max_instructions = 1 << 16;
  return sizeof(Shader) + framed.bytes() + ProgramInMemory::bytes(std::min(words.size(), max_instructions) * per_instruction);
}

}  // namespace Atoll::gfx12
