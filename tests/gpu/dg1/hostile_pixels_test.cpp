// Pixel threads that write their pixels themselves, of hostile kernels: words that were changed anywhere, branches into the middle of
// instructions, messages to render targets of other lengths, rows and targets than theirs, words at random, and surfaces and states that
// fit nothing. Whatever comes, the process lives, the draw ends or its context is lost by name, no byte changes that the draw does not
// reach, and compiled code and the interpreter leave the same: each in an address space of its own, so that what would come of a host
// address differs.
//
// Kernels whose words were changed: ATOLL_COUNT (40), half as many of the other kinds; the first of them: ATOLL_SEED.
#include <gtest/gtest.h>

#include "hostile_draws.h"

namespace Atoll::dg1 {
namespace {

using namespace hostile;

// A write of `half` of the thread's pixels, in every third case with something of it changed.
Instruction target_write(Random& r, unsigned width, unsigned half, bool last) {
  unsigned form = width == 8 ? 4 : 0, length = width == 8 ? 4 : 8, second = 0, first = 60 + half * 8, group = half;
  unsigned target = r.chance(70) ? 0 : r.below(8), surface = target, type = 0xc, flags = last ? 1u << 12 : 0, more = 0;
  if (r.chance(20)) second = r.below(length), length -= second;
  if (r.chance(33)) switch (r.below(9)) {
      case 0: form = r.below(5); break;
      case 1: length = r.below(16); break;
      case 2: second = r.below(16); break;
      case 3: first = 127 - r.below(16); break;
      case 4: first = 120 + r.below(8), length = 128 - first, second = 8; break;
      case 5: group ^= 1; break;
      case 6: surface = r.chance(50) ? r.below(16) : r.below(256); break;
      case 7: more = 1u << (r.chance(50) ? 15 : 20); break;
      default: flags ^= 1u << (11 + r.below(9)); break;
    }
  Instruction i;
  i.op = Op::Sendc, i.function = uint8_t(xe_lp::Sfid::RenderTarget), i.lanes = uint8_t(std::min(width, 16u));
  i.channel = uint8_t(half * 16), i.end_of_thread = last;
  i.descriptor = length << 25 | type << 14 | flags | group << 11 | form << 8 | surface;
  i.extended_descriptor = more | target << 12 | second << 6;
  i.dst.kind = i.src[0].kind = i.src[1].kind = Kind::Direct;
  i.src[0].file = xe_lp::File::Grf, i.src[0].number = uint8_t(first);
  if (second) i.src[1].file = xe_lp::File::Grf, i.src[1].number = uint8_t(r.chance(80) ? 80 + r.below(16) : r.below(128));
  if (r.chance(25)) i.predicate = 1, i.flag = uint8_t(r.below(2)), i.predicate_inverted = r.chance(50);
  return i;
}

// A question to the pixel interpolator: no matter whether the state says that the kernel asks any.
Instruction question(Random& r, unsigned width) {
  Instruction i;
  i.op = Op::Send, i.function = uint8_t(xe_lp::Sfid::PixelInterpolator), i.lanes = uint8_t(std::min(width, 16u));
  i.descriptor = 1u << 25 | (width / 4 < 4 ? 2u : 4u) << 20 | (width > 8 ? 1u << 16 : 0) | r.below(4) << 12 | r.below(256);
  i.dst.kind = i.src[0].kind = i.src[1].kind = Kind::Direct;
  i.dst.file = i.src[0].file = xe_lp::File::Grf, i.dst.number = uint8_t(100), i.src[0].number = uint8_t(r.below(128));
  return i;
}

// Two instructions that do no harm, from whose middle a message to a render target begins which ends the thread.
bool add_hidden_message(Kernel& kernel, Random& r, unsigned width) {
  for (unsigned tries = 0; tries < 4000; tries++) {
    Instruction seen, following = xe_lp::test::InstructionMaker{r, 128}.any();
    Instruction write = target_write(r, width, r.below(2), true);
    if (r.chance(60)) write.src[0].number = uint8_t(r.chance(50) ? r.below(3) : 125 + r.below(3));
    auto message = xe_lp::encode_native(write);
    auto native = xe_lp::encode_native(following);
    if (!message || !native) continue;
    uint32_t words[8] = {};
    Instruction holder = move(100, 0);
    holder.dst.type = holder.src[0].type = xe_lp::Type::UQ, holder.lanes = 1;
    holder.src[0].kind = Kind::Immediate, holder.src[0].immediate = 0;
    auto held = xe_lp::encode_native(holder);
    if (!held) return false;
    std::memcpy(words, held->half, 8), std::memcpy(words + 2, message->half, 8), std::memcpy(words + 4, native->half, 16);
    // (the shared function, and the message's type, where the next instruction has fields of its own)
    words[4] = (words[4] & 0x0fffffff) | uint32_t(xe_lp::Sfid::RenderTarget) << 28;
    words[5] = (words[5] & ~0x00f00000u) | 0xcu << 20;
    if (!is_legal(words, seen) || !is_legal(words + 4, seen) || !is_legal(words + 2, seen)) continue;
    if (!xe_lp::is_send(seen.op) || seen.descriptor_in_register || !seen.end_of_thread) continue;
    kernel.insert(kernel.end(), words, words + 8);
    return true;
  }
  return false;
}

Kernel changed_kernel(Random& r, unsigned width) {
  Kernel k;
  xe_lp::test::InstructionMaker maker{r, 128};
  for (unsigned n = r.below(5); n > 0; n--) k.add(maker.any());
  if (r.chance(15)) {
    Instruction jump;
    jump.op = Op::Goto, jump.lanes = 32;
    jump.src[0].kind = jump.src[1].kind = Kind::Label, jump.src[0].immediate = jump.src[1].immediate = 24;
    k.add(jump);
    add_hidden_message(k, r, width);
  } else if (r.chance(40)) {
    // Ahead, now and then to the middle of an instruction, or anywhere.
    const int64_t ahead = 16 * (1 + r.below(12)) + (r.chance(20) ? 8 : 0);
    k.add(branch(r, r.chance(4) ? int64_t(int32_t(r.next() << 3)) : r.chance(4) ? -ahead : ahead));
  }
  for (unsigned n = 0; n < 16 && r.chance(95); n++) k.add(move(60 + n, r.chance(50) ? 2 + r.below(8) : r.below(128)));
  for (unsigned n = r.below(4); n > 0; n--) k.add(maker.any());
  if (r.chance(10)) k.add(question(r, width));
  const unsigned halves = width == 32 ? 2 : 1;
  for (unsigned more = r.below(3); more > 0; more--) k.add(target_write(r, width, r.below(halves), false));
  for (unsigned half = 0; half < halves; half++) k.add(target_write(r, width, half, half + 1 == halves));
  for (unsigned n = r.chance(60) ? 0 : 1 + r.below(3); n > 0; n--) {
    uint32_t& word = k[r.below(uint32_t(k.size()))];
    word = r.chance(70) ? word ^ 1u << r.below(32) : r.chance(50) ? r.word() : word + (r.chance(50) ? 8 : -8);
  }
  return k;
}

// Words at random, of which most are instructions: one that is none ends the kernel. A message ends it where it comes that far.
Kernel random_kernel(Random& r, unsigned width) {
  constexpr Op ops[] = {Op::Mov, Op::Sel, Op::And, Op::Mad, Op::Add, Op::Goto, Op::Jmpi, Op::Sendc, Op::Send, Op::Math};
  Kernel k;
  for (unsigned n = 1 + r.below(10); n > 0; n--) {
    uint32_t words[4];
    Instruction seen;
    unsigned tries = r.chance(97) ? 3000 : 1;
    do {
      const Op op = ops[r.below(std::size(ops))];
      for (uint32_t& word : words) word = r.chance(70) ? r.next() : r.word();
      words[0] = (words[0] & ~0x2000'007fu) | uint32_t(op);
      if (xe_lp::is_send(op) && r.chance(90))
        words[2] = (words[2] & 0x0fffffff) | uint32_t(xe_lp::Sfid::RenderTarget) << 28,
        words[3] = (words[3] & ~0x00f00000u) | 0x00c00000;
      if (op == Op::Goto || op == Op::Jmpi)
        words[3] = 8 + r.below(25) * 8, words[2] = op == Op::Goto ? 8 + r.below(25) * 8 : words[2];
    } while (!is_legal(words, seen) && --tries);
    k.insert(k.end(), words, words + 4);
  }
  for (unsigned half = 0; half < (width == 32 ? 2u : 1u); half++)
    k.add(target_write(r, width, half, half + 1 == (width == 32 ? 2u : 1u)));
  return k;
}

Case make_case(Random& r, unsigned width, bool tame, bool by_chance) {
  Case c;
  c.tame = tame;
  c.memory.resize(std::size(place::all) * place::region);
  for (size_t n = 0; n < c.memory.size(); n++) c.memory[n] = uint8_t(n * 37 % 251);
  for (uint64_t region : {place::batch, place::dynamic, place::surfaces, place::vertices})
    std::fill_n(words_of(c.memory, region), place::region / 4, 0u);
  put_structures(r, c.memory, tame);
  const Kernel kernel = by_chance ? random_kernel(r, width) : changed_kernel(r, width);
  c.only_targets = only_sends_to(kernel, {xe_lp::Sfid::RenderTarget});
  c.only_computes = only_sends_to(kernel, {xe_lp::Sfid::RenderTarget, xe_lp::Sfid::PixelInterpolator});
  std::copy(kernel.begin(), kernel.end(), words_of(c.memory, place::kernels, start_of(Program::pixel)));
  auto vertex = xe_lp::assemble(program_text(Program::vertex, {}));
  std::copy(vertex->begin(), vertex->end(), words_of(c.memory, place::kernels, start_of(Program::vertex)));
  Commands commands = draw_commands({});
  const bool tests = r.chance(20), pulls = r.chance(30), multisamples = !tame && r.chance(15);
  if (!tests) with<_3DSTATE_WM_DEPTH_STENCIL>(commands, [](uint32_t* w) { std::fill_n(w + 1, 3, 0u); });
  with<_3DSTATE_PS_EXTRA>(commands, [&](uint32_t* w) { _3DSTATE_PS_EXTRA::Pixel_Shader_Pulls_Bary::set(w, pulls); });
  with<_3DSTATE_PS>(commands, [&](uint32_t* w) {
    using P = _3DSTATE_PS;
    P::_8_Pixel_Dispatch_Enable::set(w, width == 8), P::_16_Pixel_Dispatch_Enable::set(w, width == 16);
    P::_32_Pixel_Dispatch_Enable::set(w, width == 32);
    P::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_0::set(w, 12);
  });
  if (multisamples) with<_3DSTATE_MULTISAMPLE>(commands, [&](uint32_t* w) { w[1] = r.below(16); });
  for (unsigned n = tame ? 0 : r.below(3); n > 0; n--) {
    auto& command = commands[r.below(uint32_t(commands.size()))];
    if (command.size() > 1) command[1 + r.below(uint32_t(command.size() - 1))] ^= 1u << r.below(32);
  }
  add_draw(commands, 12, false);
  uint32_t* batch = words_of(c.memory, place::batch);
  for (const auto& command : commands) batch = std::copy(command.begin(), command.end(), batch);
  *batch++ = 0x05000000;
  c.batch_dwords = uint32_t(batch - words_of(c.memory, place::batch));
  return c;
}

struct HostilePixels : testing::TestWithParam<unsigned> {
  uint64_t framed = 0, compiled = 0, ended = 0, lost = 0, compared = 0;
  void attack(bool tame, bool by_chance) {
    World interpreted, translated;
    const uint64_t first = number_of("ATOLL_SEED", 1), all = number_of("ATOLL_COUNT", 40),
                   count = tame && !by_chance ? all : (all + 1) / 2;
    for (uint64_t seed = first; seed < first + count; seed++) {
      SCOPED_TRACE(testing::Message() << "ATOLL_SEED=" << seed << " ATOLL_COUNT=1");
      Random r{seed * 1000 + GetParam() + tame * 100 + by_chance * 200};
      const Case c = make_case(r, GetParam(), tame, by_chance);
      const Outcome a = run(interpreted, c, gpu::Engine::Interpreter, 1), b = run(translated, c, gpu::Engine::Jit, 1);
      std::vector<const Outcome*> all_of{&a, &b};
      Outcome more;
      if (!stands(a))
        more = run(translated, c, seed & 1 ? gpu::Engine::Jit : gpu::Engine::Interpreter, 2), all_of.push_back(&more);
      for (const Outcome* out : all_of) {
        EXPECT_NE(out->lost, "without a word");
        framed += out->framed, ++(out->lost.empty() ? ended : lost);
        expect_reach(c, *out);
        if (HasFatalFailure()) return;
      }
      compiled += b.framed ? b.compiled : 0;
      if (a.framed) {
        // Messages that threads may not send are refused in a frame as well.
        const Outcome plain = run(interpreted, c, gpu::Engine::Interpreter, 1, true);
        // (That a pixel's last message came is asked for where the pipeline waits for it.)
        const bool lacks_last = plain.lost.find("last render target write") != plain.lost.npos;
        if (c.only_computes && !lacks_last && !stands(plain) && !stands(a))
          EXPECT_EQ(a.lost.empty(), plain.lost.empty()) << a.lost << "\n" << plain.lost;
      }
      if (!c.only_targets || !a.lost.empty() || !b.lost.empty()) continue;
      compared++;
      for (size_t n = 0; n < a.memory.size(); n++)
        ASSERT_EQ(a.memory[n], b.memory[n]) << "byte " << n % place::region << " of the region at " << std::hex
                                            << place::all[n / place::region];
    }
    RecordProperty("framed", std::to_string(framed)), RecordProperty("compared", std::to_string(compared));
    if (std::getenv("ATOLL_COUNT"))
      fmt::print("{} pixels by framed code, {} instructions of it compiled; {} draws ended, {} contexts lost, {} compared\n",
                 framed, compiled, ended, lost, compared);
  }
};
INSTANTIATE_TEST_SUITE_P(Pixels, HostilePixels, testing::Values(8u, 16u, 32u), testing::PrintToStringParamName());

TEST_P(HostilePixels, ChangedKernels) {
  attack(true, false);
  for (uint64_t some : {framed, compiled, compared, ended, lost}) EXPECT_GT(some, 0u);
}
TEST_P(HostilePixels, ChangedKernelsAndStates) {
  attack(false, false);
  for (uint64_t some : {framed, ended, lost}) EXPECT_GT(some, 0u);
}
TEST_P(HostilePixels, RandomWords) { attack(true, true); }

}  // namespace
}  // namespace Atoll::dg1
