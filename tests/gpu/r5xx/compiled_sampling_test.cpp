// Texture lookups in compiled code against the lane-by-lane reference, which the interpreter calls: units with random textures and
// samplers, random coordinates and pixels, in every bit; what happens where a unit's texture is another than the code was made for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>

#include "gpu/r5xx/shaders/environment.h"
#include "gpu/r5xx/shaders/textures.h"
#include "isa/r500/isa.h"
#include "isa/r500/registers.h"
#include "isa/r500/text.h"
#include "registers/r5xx.h"
#include "surface/hostile_access.h"
#include "wave/executor.h"
#include "wave/storage.h"

namespace Atoll::r5xx {
namespace {

using surface::test::Random;
using wave::EngineChoice;

constexpr unsigned temporaries = 8;

// A wave's registers before or after a run.
struct Registers {
  std::array<std::array<std::array<uint32_t, r500::kPixels>, 4>, temporaries> t{};
  uint64_t active = ~uint64_t(0), uncovered = 0, killed = 0;
  std::array<uint64_t, 4> predicate{};
};

// The result of a program, how often it was called, and how it ended.
struct Outcome {
  Registers after;
  uint64_t compiled = 0, called = 0, interpreted = 0;
  wave::Stop stop = wave::Stop::Run;
  const char* reason = nullptr;
};

class CompiledSampling : public testing::Test {
protected:
  static constexpr uint64_t memory_bytes = uint64_t(8) << 20;
  std::unique_ptr<AddressSpace> space = *AddressSpace::create(nullptr, uint64_t(1) << 32);
  Buffer memory = *space->allocate(memory_bytes, 4096);
  gpu::Options options;
  std::atomic<int> stop{0};
  Context context{*gpu::find_chip("r580"), options, *space, stop};
  Textures textures;
  QueueEnvironment environment{context, textures};
  wave::Storage storage{wave::register_file_offset + r500::register_file_bytes};

  CompiledSampling() {
    Random bytes(1);
    for (uint64_t n = 0; n < memory_bytes; n += 4) {
      uint32_t word = bytes.next();
      std::memcpy(memory.host_pointer + n, &word, 4);
    }
  }
  void set(uint32_t address, unsigned unit, uint32_t value) { context.registers.set(address + 4 * unit, value); }

  wave::Wave& wave_of(const Registers& r) {
    wave::Wave& w = storage.reset();
    w.stop_flag = &stop;
    w.environment = &environment;
    w.textures = &textures.slots();
    w.lanes = r500::kPixels;
    for (unsigned n = 0; n < temporaries; n++)
      std::memcpy(wave::bytes_of(w, r500::temporary_cell(n, 0)), r.t[n].data(), sizeof r.t[n]);
    r500::set_mask_in(w, r500::active_cell, r.active), r500::set_mask_in(w, r500::uncovered_cell, r.uncovered);
    r500::set_mask_in(w, r500::killed_cell, r.killed);
    for (unsigned c = 0; c < 4; c++) r500::set_mask_in(w, r500::predicate_cell(c), r.predicate[c]);
    return w;
  }
  Outcome run(wave::Executor& executor, const Registers& before) {
    wave::Wave& w = wave_of(before);
    executor.run(w);
    Outcome r{before, w.compiled, w.called, w.interpreted, w.stop, w.fault.reason};
    for (unsigned n = 0; n < temporaries; n++)
      std::memcpy(r.after.t[n].data(), wave::bytes_of(w, r500::temporary_cell(n, 0)), sizeof r.after.t[n]);
    r.after.killed = r500::mask_in(w, r500::killed_cell);
    return r;
  }
};

// A program, its reference, and code made for what a first wave met.
struct Compiled {
  explicit Compiled(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      auto words = r500::parse(line);
      if (!words)
        ADD_FAILURE() << line << ": " << words.error().message;
      else
        code.insert(code.end(), words->begin(), words->end());
    }
    program = std::make_unique<wave::Program>(r500::fragment_isa(uint32_t(lines.size()) - 1), 0, code);
    like.lanes = r500::kPixels;
    reference = std::make_unique<wave::Executor>(*program, EngineChoice::Interpreter, like);
  }
  void compile() {
    executor = std::make_unique<wave::Executor>(*program, EngineChoice::Jit, like,
                                                wave::ExecutorOptions{.first_tier = wave::Tier::Full});
  }
  std::vector<uint32_t> code;
  wave::Wave like;
  std::unique_ptr<wave::Program> program;
  std::unique_ptr<wave::Executor> reference, executor;
};

// TXFORMAT (32: TXFORMAT_MSB), components that may be signed.
struct FormatNumbers {
  uint32_t number, fields;
};
constexpr FormatNumbers formats[] = {{12, 4}, {12, 4}, {12, 4}, {0, 1},  {1, 1},  {2, 2},  {3, 2},  {4, 2},  {5, 3},
                                     {6, 3},  {7, 3},  {8, 3},  {9, 3},  {10, 4}, {11, 4}, {13, 4}, {14, 4}, {15, 0},
                                     {16, 0}, {17, 0}, {24, 0}, {25, 0}, {26, 0}, {27, 0}, {28, 0}, {29, 0}, {32 | 6, 0}};
enum Coordinates : uint32_t { two, volume, cube };

struct UnitState {
  Coordinates kind = two;
  unsigned width = 1, height = 1;
  bool bound = false;
};

class RandomUnits : public CompiledSampling {
protected:
  UnitState random_unit(Random& r, unsigned unit) {
    UnitState u;
    u.kind = Coordinates(r.below(6) > 1 ? two : 1 + r.below(2));
    const FormatNumbers& format = formats[r.below(std::size(formats))];
    unsigned limit = 1u << r.below(9);
    u.width = 1 + r.below(limit), u.height = 1 + r.below(limit);
    if (r.below(3)) u.width = 1u << r.below(9), u.height = 1u << r.below(9);
    if (u.kind == volume) u.width = 1u << r.below(6), u.height = 1u << r.below(6);
    if (u.kind == cube) u.width = u.height = 1u << r.below(8);
    const unsigned levels = r.below(3) ? r.below(9) : 0, depth = u.kind == volume ? r.below(5) : 0;
    using F0 = TX_FILTER0;
    using F1 = TX_FILTER1;
    set(0x4480, unit,
        TX_FORMAT0::TXWIDTH::of(u.width - 1) | TX_FORMAT0::TXHEIGHT::of(u.height - 1) | TX_FORMAT0::TXDEPTH::of(depth) |
            TX_FORMAT0::NUM_LEVELS::of(levels));
    auto select = [&](unsigned usual) { return r.below(3) ? usual : r.below(6); };
    const uint32_t is_signed = format.fields && r.below(5) == 0 ? (1u << format.fields) - 1 : 0;
    const bool is_srgb = !is_signed && (format.number == 12 || (format.number >= 15 && format.number <= 17)) && r.below(3) == 0;
    set(0x44c0, unit,
        (format.number & 31) | TX_FORMAT1::GAMMA::of(is_srgb) | is_signed << 5 | TX_FORMAT1::SEL_ALPHA::of(select(3)) |
            TX_FORMAT1::SEL_RED::of(select(0)) | TX_FORMAT1::SEL_GREEN::of(select(1)) | TX_FORMAT1::SEL_BLUE::of(select(2)) |
            TX_FORMAT1::TEX_COORD_TYPE::of(u.kind));
    set(0x4500, unit, TX_FORMAT2::TXFORMAT_MSB::of(format.number >> 5));
    set(0x4540, unit,
        uint32_t(memory.gpu_address + 4096 * r.below(16)) | TX_OFFSET::MACRO_TILE::of(r.below(2)) |
            TX_OFFSET::MICRO_TILE::of(r.below(2)));
    const bool same = r.below(2);
    const uint32_t magnify = 1 + r.below(2);
    set(0x4400, unit,
        F0::CLAMP_S::of(r.below(8)) | F0::CLAMP_T::of(r.below(8)) | F0::CLAMP_R::of(r.below(8)) | F0::MAG_FILTER::of(magnify) |
            F0::MIN_FILTER::of(same ? magnify : 1 + r.below(2)) | F0::MIP_FILTER::of(r.below(3)) |
            F0::VOL_FILTER::of(r.below(3)) | F0::MAX_MIP_LEVEL::of(r.below(4) ? 0 : r.below(4)));
    set(0x4440, unit,
        F1::LOD_BIAS::of(r.below(3) ? 1 : r.below(1024)) | F1::MC_COORD_TRUNCATE::of(r.below(8) == 0) |
            F1::MACRO_SWITCH::of(r.below(2)));
    set(0x45c0, unit, r.next());
    set(0x4104, 0, 1u << unit);
    textures.bind(context);
    u.bound = textures.memory().size() == 1;
    return u;
  }
};

TEST_F(RandomUnits, SameBitsAsTheReference) {
  constexpr const char* lookups[] = {"ld", "ld", "ld", "proj", "proj", "lodbias", "lod", "dxdy"};
  const uint64_t seeds = surface::test::seeds(300);
  unsigned tried = 0, in_code = 0, flat = 0;
  for (uint64_t seed = 0; seed < seeds; seed++) {
    Random r(seed);
    const unsigned unit = r.below(16);
    UnitState u = random_unit(r, unit);
    if (!u.bound) continue;
    const char* lookup = lookups[r.below(std::size(lookups))];
    auto swizzle = [&](const char* usual) {
      if (r.below(2)) return std::string(usual);
      std::string letters;
      for (unsigned n = 0; n < 4; n++) letters += "xyzw"[r.below(4)];
      return letters;
    };
    constexpr const char* masks[] = {"rgba", "rgba", "rgb", "a", "rb", "ga"};
    constexpr const char* predicates[] = {"", "", "", "(p) ", "(!p.r) ", "(p.g) "};
    std::string line = fmt::format("{}{} t{}.{}, tex{}.{}, t1.{}", predicates[r.below(6)], lookup, r.below(2) ? 1 : 5,
                                   masks[r.below(6)], unit, swizzle("xyzw"), swizzle("xyzw"));
    if (!std::strcmp(lookup, "dxdy")) line += fmt::format(", t2.{}, t3.{}", swizzle("xyzw"), swizzle("xyzw"));
    if (r.below(6) == 0) line += " @unscaled";
    if (r.below(4) == 0) line += " @ignore_uncovered";
    // The coordinates as they stand at the program's start, or as it computes them; something that reads the result; a kill.
    const bool computes = r.below(2);
    std::vector<std::string> lines;
    if (computes) lines.push_back("mad t1.rgb, t1.xyz, 1, t4.xyz | mad t1.a, t1.w, 1, 0");
    lines.push_back(line);
    if (r.below(3) == 0) lines.push_back("texkill t5.xyzw");
    lines.push_back("mad t6.rgb, t5.xyz, t5.xyz, t1.xyz");
    Compiled c(lines);
    Registers before;
    auto any = [&] { return uint64_t(r.next()) << 32 | r.next(); };
    auto fill = [&] {
      before.active = r.below(2) ? ~uint64_t(0) : any(), before.uncovered = r.below(2) ? 0 : any();
      before.killed = r.below(2) ? 0 : any();
      for (uint64_t& bits : before.predicate) bits = any();
      for (auto& t : before.t)
        for (auto& lanes : t)
          for (uint32_t& lane : lanes) lane = r.coordinate();
      for (auto& lanes : before.t[4]) lanes.fill(0);
      if (r.below(3) == 0) return;
      // Pixels beside each other.
      const float step = float(1 + r.below(1000)) * 0x1p-12f;
      for (unsigned channel = 0; channel < 3; channel++) {
        const float first = float(r.below(4000)) * 0x1p-10f - 2, x = step * float(r.below(3)), y = step * float(r.below(3));
        for (unsigned l = 0; l < r500::kPixels; l++)
          before.t[1][channel][l] = std::bit_cast<uint32_t>(first + x * float(l % 2 + l / 4 * 2) + y * float(l / 2 % 2));
      }
      for (unsigned l = 0; l < r500::kPixels; l++)
        before.t[1][3][l] = std::bit_cast<uint32_t>(r.below(2) ? 1 + float(l) / 64 : float(r.below(2000)) * 0.01f - 4);
    };
    fill();
    run(*c.reference, before);  // which leaves the hint
    c.compile();
    tried++, flat += u.kind != cube;
    for (unsigned round = 0; round < 6; round++) {
      if (round) fill();
      Outcome expected = run(*c.reference, before), got = run(*c.executor, before);
      ASSERT_EQ(expected.stop, wave::Stop::End) << "seed " << seed << ": " << line << ": " << expected.reason;
      ASSERT_EQ(got.stop, wave::Stop::End) << "seed " << seed << ": " << line << ": " << got.reason;
      if (!round) in_code += got.called == 0;
      ASSERT_EQ(got.after.killed, expected.after.killed) << "seed " << seed;
      for (unsigned t = 0; t < temporaries; t++)
        for (unsigned channel = 0; channel < 4; channel++)
          for (unsigned l = 0; l < r500::kPixels; l++)
            ASSERT_EQ(got.after.t[t][channel][l], expected.after.t[t][channel][l])
                << "seed " << seed << " round " << round << ": " << line << ", t" << t << "." << "rgba"[channel] << " pixel " << l
                << (before.active >> l & 1 ? "" : " (not active)") << "; " << u.width << "x" << u.height << " kind " << u.kind
                << " format1 " << std::hex << context.registers.raw(0x44c0 + 4 * unit) << " filters "
                << context.registers.raw(0x4400 + 4 * unit) << " " << context.registers.raw(0x4440 + 4 * unit);
    }
  }
  EXPECT_GT(tried, seeds * 3 / 4);
  EXPECT_GT(in_code, flat * 2 / 3) << "of " << flat;
}

// A texture of bytes in unit 3, with code for it.
class ChangingTextures : public CompiledSampling {
protected:
  static constexpr unsigned unit = 3;
  Compiled c{{"ld t5.rgba, tex3.xyzw, t1.xyzw", "mad t6.rgb, t5.xyz, 1, 0"}};
  Registers before;

  void texture(uint32_t format, unsigned size, uint64_t address) {
    set(0x4480, unit, (size - 1) | (size - 1) << 11);
    set(0x44c0, unit, format | 3 << 9 | 1 << 15 | 2 << 18);
    set(0x4540, unit, uint32_t(address));
    set(0x4400, unit, 2 << 9 | 2 << 11);
    set(0x4440, unit, 1 << 3);
    set(0x4104, 0, 1u << unit);
    textures.bind(context);
  }
  void SetUp() override {
    Random r(5);
    for (unsigned channel = 0; channel < 2; channel++)
      for (uint32_t& lane : before.t[1][channel]) lane = std::bit_cast<uint32_t>(float(r.below(1000)) * 0.001f);
    texture(12, 64, memory.gpu_address);
    run(*c.reference, before);
    c.compile();
    EXPECT_EQ(same().called, 0u);
  }
  // The code's result is the reference's, whose instructions are not counted.
  Outcome same() {
    Outcome expected = run(*c.reference, before), got = run(*c.executor, before);
    EXPECT_EQ(got.stop, wave::Stop::End);
    EXPECT_EQ(got.after.t, expected.after.t);
    return got;
  }
};

TEST_F(ChangingTextures, OthersOfTheSameFormNeedNoOtherCode) {
  for (unsigned n = 0; n < 40; n++) {
    texture(12, 1u << (3 + n % 6), memory.gpu_address + 65536 * n);
    Outcome run = same();
    EXPECT_EQ(run.called + run.interpreted, 0u);
  }
}

// Rows that are no power of two bytes long add up otherwise: one form more, whatever their length.
TEST_F(ChangingTextures, OddSizesAreOneForm) {
  for (unsigned n = 0; n < 80; n++) {
    texture(12, 10 + n, memory.gpu_address + 65536 * (n % 40));
    Outcome run = same();
    c.executor->wait_for_compilation();
    if (n >= 40) EXPECT_EQ(run.called + run.interpreted, 0u);
  }
}

TEST_F(ChangingTextures, OtherFormsHaveCodeOfTheirOwn) {
  for (unsigned n = 0; n < 80; n++) {
    texture(n % 2 ? 12 : 3, 64, memory.gpu_address);
    Outcome run = same();
    c.executor->wait_for_compilation();
    if (n > 60) ASSERT_EQ(run.called + run.interpreted, 0u);
  }
}

TEST_F(ChangingTextures, UnitsThatAreOff) {
  set(0x4104, 0, 0);
  textures.bind(context);
  Outcome run = same();
  EXPECT_EQ(run.after.t[5][3][0], std::bit_cast<uint32_t>(1.0f));
  EXPECT_EQ(run.after.t[5][0][0], 0u);
}

TEST_F(ChangingTextures, MemoryIsLookedAtInEachDraw) {
  Buffer own = *space->allocate(65536, 4096);
  texture(12, 64, own.gpu_address);
  EXPECT_EQ(same().called, 0u);
  space->free(own);
  textures.bind(context);
  Outcome run = this->run(*c.executor, before);
  EXPECT_EQ(run.stop, wave::Stop::Fault);
  EXPECT_STREQ(run.reason, "the texture lies in memory that is not mapped");
}

}  // namespace
}  // namespace Atoll::r5xx
