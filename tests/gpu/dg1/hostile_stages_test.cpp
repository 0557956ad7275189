// Vertex, hull, domain and geometry threads of hostile kernels: words that were changed anywhere, branches into the middle of
// instructions, messages to the URB with other handles, offsets, masks and lengths than theirs, and states that fit nothing: payloads, sizes
// and numbers of entries, dispatch modes, control data. Whatever comes, the process lives, the draw ends or its context is lost by name, no
// byte changes that the draw does not reach, and compiled code and the interpreter leave the same.
//
// Kernels of each stage: ATOLL_COUNT (40); the first of them: ATOLL_SEED.
#include "hostile_draws.h"

namespace Atoll::dg1 {
namespace {

using namespace hostile;

// The entries' handles stand in r1 of vertex, hull and geometry threads, in r4 of domain threads, inputs behind them.
constexpr unsigned handles_of(Program p) { return p == Program::domain ? 4 : 1; }

// A message to the URB, in every third case with something of it changed.
Instruction urb_message(Random& r, Program p, bool last) {
  unsigned handles = r.chance(70) ? handles_of(p) : r.chance(50) ? r.below(8) : r.below(128);
  const bool write = last || r.chance(60);
  unsigned offset = r.below(6), length = 1, second = write ? 1 + r.below(8) : 0, answer = write ? 0 : 1 + r.below(8), flags = 0;
  const unsigned from = 60 + r.below(8);
  if (r.chance(33)) switch (r.below(8)) {
      case 0: offset = r.chance(50) ? r.below(0x800) : 0x7ff - r.below(4); break;
      case 1: length = r.below(16); break;
      case 2: second = r.below(16); break;
      case 3: answer = r.below(32); break;
      case 4: flags |= 1u << 17, length = 2; break;
      case 5: flags |= 1u << 15, length = 2; break;
      case 6: flags |= 1u << r.below(19); break;
      default: handles = 120 + r.below(8), length = r.below(8);
    }
  Instruction i;
  i.op = Op::Send, i.function = uint8_t(xe_lp::Sfid::Urb), i.lanes = 8, i.end_of_thread = last;
  i.descriptor = length << 25 | answer << 20 | 1u << 19 | flags | offset << 4 | (write ? 7u : 8u);
  i.extended_descriptor = second << 6;
  i.dst.kind = i.src[0].kind = i.src[1].kind = Kind::Direct;
  if (answer) i.dst.file = xe_lp::File::Grf, i.dst.number = uint8_t(r.chance(80) ? 60 + r.below(16) : r.below(128));
  i.src[0].file = xe_lp::File::Grf, i.src[0].number = uint8_t(handles);
  if (second) i.src[1].file = xe_lp::File::Grf, i.src[1].number = uint8_t(r.chance(80) ? from : r.below(128));
  if (r.chance(15)) i.no_mask = true;
  if (r.chance(20)) i.predicate = 1, i.flag = uint8_t(r.below(2)), i.predicate_inverted = r.chance(50);
  return i;
}

// Handles that are a little or far from a thread's own.
void add_wild_handle(Kernel& k, Random& r, Program p) {
  Instruction i = move(handles_of(p), handles_of(p));
  i.op = Op::Add, i.no_mask = r.chance(50);
  i.dst.type = i.src[0].type = i.src[1].type = xe_lp::Type::UD;
  i.src[1].kind = Kind::Immediate, i.src[1].immediate = r.chance(60) ? uint32_t(int32_t(r.below(9)) - 4) : r.word();
  k.add(i);
}

Kernel changed_kernel(Random& r, Program p) {
  Kernel k;
  xe_lp::test::InstructionMaker maker{r, 128};
  for (unsigned n = r.below(4); n > 0; n--) k.add(maker.any());
  if (r.chance(40)) {
    const int64_t ahead = 16 * (1 + r.below(12)) + (r.chance(25) ? 8 : 0);
    k.add(branch(r, r.chance(4) ? int64_t(int32_t(r.next() << 3)) : r.chance(4) ? -ahead : ahead));
  }
  if (r.chance(20)) add_wild_handle(k, r, p);
  for (unsigned n = r.below(4); n > 0; n--) k.add(urb_message(r, p, false));
  for (unsigned n = r.below(3); n > 0; n--) k.add(maker.any());
  if (r.chance(70)) {
    const auto whole = xe_lp::assemble(program_text(p, {}));
    k.insert(k.end(), whole->begin(), whole->end());
  } else {
    k.add(urb_message(r, p, true));
  }
  for (unsigned n = r.chance(55) ? 0 : 1 + r.below(3); n > 0; n--) {
    uint32_t& word = k[r.below(uint32_t(k.size()))];
    word = r.chance(70) ? word ^ 1u << r.below(32) : r.chance(50) ? r.word() : word + (r.chance(50) ? 8 : -8);
  }
  return k;
}

// Changes a stage's commands: payloads, entries and outputs.
void disturb_stage(Random& r, Commands& commands, Program p) {
  auto any = [&](uint32_t most) {
    return r.chance(70) ? r.below(std::min(most, 5u) + 1) : r.chance(70) ? r.below(most + 1) : most;
  };
  switch (p) {
    case Program::vertex:
      with<_3DSTATE_VS>(commands, [&](uint32_t* w) {
        using V = _3DSTATE_VS;
        if (r.chance(50)) V::Vertex_URB_Entry_Read_Length::set(w, any(63));
        if (r.chance(50)) V::Dispatch_GRF_Start_Register_For_URB_Data::set(w, any(31));
        if (r.chance(30)) V::Vertex_URB_Entry_Read_Offset::set(w, any(63));
      });
      if (r.chance(50))
        with<_3DSTATE_URB_VS>(commands, [&](uint32_t* w) { _3DSTATE_URB_VS::VS_URB_Entry_Allocation_Size::set(w, any(8)); });
      break;
    case Program::hull:
      with<_3DSTATE_HS>(commands, [&](uint32_t* w) {
        using H = _3DSTATE_HS;
        if (r.chance(50)) H::Instance_Count::set(w, any(31));
        if (r.chance(50)) H::Dispatch_GRF_Start_Register_For_URB_Data::set(w, any(31));
        if (r.chance(40)) H::Dispatch_Mode::set(w, r.below(4));
        if (r.chance(30)) H::Vertex_URB_Entry_Read_Length::set(w, any(63)), H::Include_Primitive_ID::set(w, 1);
      });
      if (r.chance(50))
        with<_3DSTATE_URB_HS>(commands, [&](uint32_t* w) { _3DSTATE_URB_HS::HS_URB_Entry_Allocation_Size::set(w, any(8)); });
      break;
    case Program::domain:
      with<_3DSTATE_DS>(commands, [&](uint32_t* w) {
        using D = _3DSTATE_DS;
        if (r.chance(50)) D::Patch_URB_Entry_Read_Length::set(w, any(63));
        if (r.chance(50)) D::Dispatch_GRF_Start_Register_For_URB_Data::set(w, any(31));
        if (r.chance(30)) D::Patch_URB_Entry_Read_Offset::set(w, any(63)), D::Compute_W_Coordinate_Enable::set(w, 1);
      });
      if (r.chance(50))
        with<_3DSTATE_URB_DS>(commands, [&](uint32_t* w) { _3DSTATE_URB_DS::DS_URB_Entry_Allocation_Size::set(w, any(8)); });
      break;
    default:
      with<_3DSTATE_GS>(commands, [&](uint32_t* w) {
        using G = _3DSTATE_GS;
        if (r.chance(50)) G::Vertex_URB_Entry_Read_Length::set(w, any(63));
        if (r.chance(40)) G::Dispatch_GRF_Start_Register_For_URB_Data::set(w, any(15));
        if (r.chance(40)) G::Instance_Control::set(w, any(31));
        if (r.chance(40)) G::Static_Output::set(w, 0), G::Control_Data_Header_Size::set(w, any(15));
        if (r.chance(40)) G::Static_Output_Vertex_Count::set(w, any(1023)), G::Output_Vertex_Size::set(w, any(63));
        if (r.chance(40))
          G::Output_Topology::set(w, r.chance(80) ? 1 + r.below(6) : any(63)), G::Control_Data_Format::set(w, r.below(2));
        if (r.chance(30)) G::Vertex_URB_Entry_Read_Offset::set(w, any(63)), G::Include_Primitive_ID::set(w, 1);
      });
      if (r.chance(50))
        with<_3DSTATE_URB_GS>(commands, [&](uint32_t* w) { _3DSTATE_URB_GS::GS_URB_Entry_Allocation_Size::set(w, any(8)); });
  }
}

constexpr Program stages[] = {Program::vertex, Program::hull, Program::domain, Program::geometry, Program::pixel};

Case make_case(Random& r, Program p, bool tame) {
  Case c;
  c.tame = tame;
  c.memory.resize(std::size(place::all) * place::region);
  for (size_t n = 0; n < c.memory.size(); n++) c.memory[n] = uint8_t(n * 37 % 251);
  for (uint64_t region : {place::batch, place::dynamic, place::surfaces, place::vertices})
    std::fill_n(words_of(c.memory, region), place::region / 4, 0u);
  std::fill_n(words_of(c.memory, place::output, 0x8000), 4, 0u);  // where stream output goes on
  put_structures(r, c.memory, true);
  for (const Program other : stages) {
    const auto text = xe_lp::assemble(program_text(other, {}));
    std::copy(text->begin(), text->end(), words_of(c.memory, place::kernels, start_of(other)));
  }
  const Kernel kernel = changed_kernel(r, p);
  c.only_urb = only_sends_to(kernel, {xe_lp::Sfid::Urb, xe_lp::Sfid::ThreadSpawner});
  std::copy(kernel.begin(), kernel.end(), words_of(c.memory, place::kernels, start_of(p)));
  const bool tessellates = p == Program::hull || p == Program::domain;
  Commands commands =
      draw_commands({true, tessellates || (tame && r.chance(10)), p == Program::geometry || r.chance(20), r.chance(30)});
  with<_3DSTATE_TE>(commands, [&](uint32_t* w) {
    using T = _3DSTATE_TE;
    if (r.chance(50))
      T::TE_Domain::set(w, r.below(3)), T::Partitioning::set(w, r.below(3)), T::Output_Topology::set(w, r.below(4));
  });
  if (!tame) {
    disturb_stage(r, commands, p);
    for (unsigned n = r.below(3); n > 0; n--) {
      auto& command = commands[r.below(uint32_t(commands.size()))];
      if (command.size() > 1) command[1 + r.below(uint32_t(command.size() - 1))] ^= 1u << r.below(32);
    }
  }
  add_draw(commands, 3 * (1 + r.below(6)), false);
  uint32_t* batch = words_of(c.memory, place::batch);
  for (const auto& command : commands) batch = std::copy(command.begin(), command.end(), batch);
  *batch++ = 0x05000000;
  c.batch_dwords = uint32_t(batch - words_of(c.memory, place::batch));
  return c;
}

// Targets, and stream output's buffer and where it goes on.
bool stages_may_change(size_t at) {
  const uint64_t region = place::all[at / place::region], offset = at % place::region;
  return may_change(at) || (region == place::output && (offset < 4096 || (offset >= 0x8000 && offset < 0x8004)));
}

struct HostileStages : testing::TestWithParam<Program> {
  uint64_t compiled = 0, ended = 0, lost = 0, compared = 0;

  void attack(bool tame) {
    World interpreted, translated;
    const uint64_t first = number_of("ATOLL_SEED", 1), count = number_of("ATOLL_COUNT", 40);
    for (uint64_t seed = first; seed < first + count; seed++) {
      SCOPED_TRACE(testing::Message() << "ATOLL_SEED=" << seed << " ATOLL_COUNT=1");
      Random r{seed * 1000 + uint64_t(GetParam()) * 10 + tame};
      const Case c = make_case(r, GetParam(), tame);
      const Outcome a = run(interpreted, c, gpu::Engine::Interpreter, 1), b = run(translated, c, gpu::Engine::Jit, 1);
      std::vector<const Outcome*> all_of{&a, &b};
      Outcome more;
      if (!stands(a))
        more = run(translated, c, seed & 1 ? gpu::Engine::Jit : gpu::Engine::Interpreter, 2), all_of.push_back(&more);
      for (const Outcome* out : all_of) {
        EXPECT_NE(out->lost, "without a word");
        ++(out->lost.empty() ? ended : lost);
        if (!tame || !c.only_urb) continue;
        for (size_t n = 0; n < c.memory.size(); n++)
          if (out->memory[n] != c.memory[n])
            ASSERT_TRUE(stages_may_change(n))
                << "byte " << n % place::region << " of the region at " << std::hex << place::all[n / place::region];
      }
      compiled += b.compiled;
      if (!c.only_urb || stands(a) || stands(b)) continue;
      ASSERT_EQ(a.lost.empty(), b.lost.empty()) << a.lost << "\n" << b.lost;
      if (!a.lost.empty()) continue;
      compared++;
      for (size_t n = 0; n < a.memory.size(); n++)
        ASSERT_EQ(a.memory[n], b.memory[n]) << "byte " << n % place::region << " of the region at " << std::hex
                                            << place::all[n / place::region];
    }
    RecordProperty("compared", std::to_string(compared));
    if (std::getenv("ATOLL_COUNT"))
      fmt::print("{} instructions compiled; {} draws ended, {} contexts lost, {} compared\n", compiled, ended, lost, compared);
  }
};
std::string name_of(const testing::TestParamInfo<Program>& info) {
  constexpr const char* names[] = {"Vertex", "Hull", "Domain", "Geometry"};
  return names[size_t(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Stages, HostileStages,
                         testing::Values(Program::vertex, Program::hull, Program::domain, Program::geometry), name_of);

TEST_P(HostileStages, ChangedKernels) {
  attack(true);
  for (uint64_t some : {compiled, compared, ended, lost}) EXPECT_GT(some, 0u);
}
TEST_P(HostileStages, ChangedKernelsAndStates) {
  attack(false);
  for (uint64_t some : {compiled, ended, lost}) EXPECT_GT(some, 0u);
}

}  // namespace
}  // namespace Atoll::dg1
