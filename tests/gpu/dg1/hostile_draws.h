// Draws whose kernels and states are hostile: a batch's memory with nothing around it, kernels of changed words, and what a run of them by
// either engine leaves.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fuzz/dg1_draw_state.h"
#include "gpu/chips/chip.h"
#include "gpu/dg1/device.h"
#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/program.h"
#include "memory/address_space.h"
#include "tests/wave/random_programs/xe_lp_programs.h"

namespace Atoll::dg1::hostile {

using namespace fuzz;
using test::Random;
using xe_lp::Instruction;
using xe_lp::Kind;
using xe_lp::Op;

// A batch's own memory, and nothing around it.
struct World {
  std::shared_ptr<MemoryFile> file = *MemoryFile::create();
  std::unique_ptr<AddressSpace> space = *AddressSpace::create_sectioned(file);
  World() {
    for (uint64_t at : place::all)
      if (!space->map(at, *file->allocate(place::region), place::region)) std::abort();
  }
};

using Memory = std::vector<uint8_t>;  // of all regions
constexpr size_t region_of(uint64_t at) {
  size_t n = 0;
  while (place::all[n] != at) n++;
  return n;
}
inline uint32_t* words_of(Memory& memory, uint64_t region, uint64_t offset = 0) {
  return reinterpret_cast<uint32_t*>(memory.data() + region_of(region) * place::region + offset);
}

struct Case {
  Memory memory;
  uint32_t batch_dwords = 0;
  bool only_targets = false;   // the kernel does nothing but compute, and send to render targets
  bool only_computes = false;  // or asks the pixel interpolator
  bool only_urb = false;       // of other stages: it does nothing but compute, and send to the URB
  bool tame = false;           // the state is
};

// --- kernels

struct Kernel : std::vector<uint32_t> {
  void add(const Instruction& i) {
    auto native = xe_lp::encode_native(i);
    ASSERT_TRUE(native) << native.error().message;
    const auto* words = reinterpret_cast<const uint32_t*>(native->half);
    insert(end(), words, words + 4);
  }
};

inline Instruction move(unsigned to, unsigned from) {
  Instruction i;
  i.op = Op::Mov, i.lanes = 8, i.no_mask = true;
  for (xe_lp::Operand* o : {&i.dst, &i.src[0]}) o->kind = Kind::Direct, o->file = xe_lp::File::Grf, o->type = xe_lp::Type::F;
  i.dst.number = uint8_t(to), i.dst.horizontal = 1;
  i.src[0].number = uint8_t(from), i.src[0].vertical = 8, i.src[0].width = 8, i.src[0].horizontal = 1;
  return i;
}

inline bool is_legal(const uint32_t* words, Instruction& i) {
  return !xe_lp::decode(std::as_bytes(std::span(words, 4)), i) && xe_lp::objection(i).empty();
}

inline Instruction branch(Random& r, int64_t bytes) {
  constexpr Op ops[] = {Op::Jmpi, Op::If, Op::Goto, Op::Brd, Op::Endif, Op::Halt, Op::Break};
  Instruction i;
  i.op = ops[r.below(std::size(ops))], i.lanes = i.op == Op::Jmpi ? 1 : 32;
  for (unsigned n = 0; n < (i.op == Op::Jmpi || i.op == Op::Brd || i.op == Op::Endif ? 1u : 2u); n++)
    i.src[n].kind = Kind::Label, i.src[n].immediate = uint64_t(bytes);
  if (i.op != Op::Endif && r.chance(60)) i.predicate = 1, i.predicate_inverted = r.chance(50);
  return i;
}

// True if no instruction, wherever one could begin, sends to other functions or reads what differs between engines.
inline bool only_sends_to(const Kernel& k, std::initializer_list<xe_lp::Sfid> functions) {
  for (size_t at = 0; at + 2 <= k.size(); at += 2) {
    uint32_t words[4] = {};
    std::copy(k.begin() + int64_t(at), k.begin() + int64_t(std::min(at + 4, k.size())), words);
    Instruction i;
    if (xe_lp::decode(std::as_bytes(std::span(words)), i)) continue;
    if (xe_lp::is_send(i.op) && std::ranges::find(functions, xe_lp::Sfid(i.function)) == functions.end()) return false;
    for (const xe_lp::Operand* o : {&i.dst, &i.src[0], &i.src[1], &i.src[2]})
      if (o->kind == Kind::Direct && o->file == xe_lp::File::Tm) return false;
  }
  return true;
}

// --- states

template <class Command, class Set>
void with(Commands& commands, Set&& set) {
  for (auto& words : commands)
    if ((words[0] & 0xffff0000) == (Command::match & 0xffff0000)) set(words.data());
}

inline void disturb_surface(Random& r, uint32_t* w) {
  using S = structures::RENDER_SURFACE_STATE;
  switch (r.below(9)) {
    case 0: S::Width::set(w, r.below(16384)), S::Height::set(w, r.below(16384)); break;
    case 1: S::Surface_Pitch::set(w, r.chance(50) ? r.below(1 << 18) : r.below(256)); break;
    case 2: S::Tile_Mode::set(w, r.below(4)); break;
    case 3: S::Surface_Format::set(w, r.below(512)); break;
    case 4: S::Number_of_Multisamples::set(w, r.below(8)); break;
    case 5: S::Surface_Base_Address::set(w, place::colour + place::region - 0x1000 + (r.chance(50) ? 0x800 : 0)); break;
    case 6: S::Surface_Base_Address::set(w, uint64_t(r.next()) << 32 | r.next()); break;
    case 7: S::Depth::set(w, r.below(2048)), S::Surface_QPitch::set(w, r.below(1 << 15)); break;
    default: w[r.below(16)] ^= 1u << r.below(32);
  }
}

inline void put_structures(Random& r, Memory& memory, bool tame) {
  uint32_t* dynamic = words_of(memory, place::dynamic);
  const float viewport[16] = {8, -8, 0.5f, 8, 8, 0.5f, 0, 0, -8, 8, -8, 8, 0, 15, 0, 15};
  for (unsigned n = 0; n < 16; n++) {
    for (unsigned k = 0; k < 16; k++) dynamic[place::viewports / 4 + n * 16 + k] = bits(viewport[k]);
    dynamic[place::depths / 4 + n * 2 + 1] = bits(1);
    dynamic[place::scissors / 4 + n * 2 + 1] = 15 | 15 << 16;
  }
  for (unsigned n = 0; n < 8; n++) dynamic[place::pushed / 4 + n] = bits(0.5f);
  uint32_t* surfaces = words_of(memory, place::surfaces);
  for (unsigned n = 0; n < 16; n++) {
    const bool buffer = n >= 8 && n < 12;
    const auto state = surface((n < 8 ? place::colour : place::output) + n % 8 * 0x1000, buffer);
    std::copy(state.begin(), state.end(), surfaces + n * 16);
  }
  for (unsigned n = 0; n < 64; n++) surfaces[place::table / 4 + n] = n % 16 * 64;
  uint32_t* vertices = words_of(memory, place::vertices);
  for (unsigned n = 0; n < 12; n++) {
    auto corner = [&] { return n < 3 ? 3.0f : float(int(r.below(256)) - 128) / 100; };
    const float x = n < 3 && n != 1 ? -1.0f : corner(), y = n < 3 && n != 2 ? -1.0f : corner();
    const uint32_t v[12] = {0,       0,          0,          bits(4),    bits(x), bits(y), bits(float(n % 5) / 8),
                            bits(1), bits(0.1f), bits(0.4f), bits(0.7f), bits(1)};
    std::copy(v, v + 12, vertices + 12 * n);
  }
  if (tame) return;
  for (unsigned n = r.below(3); n > 0; n--) disturb_surface(r, surfaces + r.below(2) * 16);
  if (r.chance(40)) dynamic[r.below(16)] = r.chance(50) ? r.word() : bits(float(int(r.next()) >> 8));
  if (r.chance(40)) dynamic[place::scissors / 4 + r.below(2)] = r.next();
  if (r.chance(30)) dynamic[place::blend / 4 + r.below(17)] = r.next();
  if (r.chance(20)) surfaces[place::table / 4 + r.below(2)] = r.next();
  if (r.chance(20)) vertices[r.below(144)] = r.word();
}

// --- runs

struct Outcome {
  std::string lost;  // empty: the draw has ended
  Memory memory;
  uint64_t framed = 0, compiled = 0;
};

// True for a loop without an end, or if the machine had no time for it.
inline bool stands(const Outcome& out) { return out.lost.find("nothing moved") != out.lost.npos; }

// `plainly`: the pipeline writes the pixels, of what the interpreter leaves.
inline Outcome run(World& world, const Case& c, gpu::Engine engine, unsigned threads, bool plainly = false) {
  for (size_t n = 0; n < std::size(place::all); n++)
    std::memcpy(world.space->host(place::all[n]), c.memory.data() + n * place::region, place::region);
  gpu::Options options;
  options.engine = engine, options.threads = threads, options.deterministic = threads == 1;
  options.max_still_seconds = 0.25;
  if (plainly) options.findings = std::make_shared<gpu::Findings>();
  options.limits = {.packets = 2000, .dwords = 20000, .buffers = 50, .bytes = 1 << 20, .vertices = 2000};
  auto device = *make_device(*gpu::find_chip("dg1"), options);
  auto queue = *device->make_queue(gpu::QueueKind::graphics, *world.space);
  const gpu::CommandBuffer buffer{place::batch, c.batch_dwords};
  Outcome out;
  testing::internal::CaptureStderr();
  auto done = queue->run({&buffer, 1});
  // (code that is refused before LLVM sees it, because it would reach beyond registers)
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("please report"), said.npos) << said;
  if (!done) out.lost = done.error().message.empty() ? "without a word" : done.error().message;
  const gpu::Statistics statistics = queue->statistics();
  if (auto found = statistics.pixel_paths.find("direct"); found != statistics.pixel_paths.end()) out.framed = found->second;
  out.compiled = statistics.compiled;
  queue.reset();
  out.memory.resize(c.memory.size());
  for (size_t n = 0; n < std::size(place::all); n++)
    std::memcpy(out.memory.data() + n * place::region, world.space->host(place::all[n]), place::region);
  return out;
}

// Texels of the targets that the table has, of 16 x 16 pixels in a tile each (columns of 16 bytes, of 32 rows), and depth and stencil.
inline bool may_change(size_t at) {
  const uint64_t region = place::all[at / place::region], offset = at % place::region;
  if (region == place::tests) return true;
  const bool is_target =
      region == place::colour ? offset < 0x8000 : region == place::output && offset >= 0x4000 && offset < 0x8000;
  return is_target && offset % 0x1000 / 512 < 4 && offset % 512 / 16 < 16;
}
inline void expect_reach(const Case& c, const Outcome& out) {
  if (!c.tame || !c.only_targets || out.memory == c.memory) return;
  for (size_t n = 0; n < c.memory.size(); n++)
    if (out.memory[n] != c.memory[n])
      ASSERT_TRUE(may_change(n)) << "byte " << n % place::region << " of the region at " << std::hex
                                 << place::all[n / place::region];
}

inline uint64_t number_of(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

}  // namespace Atoll::dg1::hostile
