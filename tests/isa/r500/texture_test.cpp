// Texture instructions of the pixel shader: what they ask of the units, where results go, whatever pixels are active and whatever
// predicates say; on both engines.
#include <bit>

#include "isa/r500/machine.h"
#include "isa/r500/text.h"

namespace Atoll::r500 {
namespace {

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

// Keeps the accesses; result component c of pixel l is 1000 * unit + 100 * c + l.
class Units : public NoMemory {
public:
  void image(wave::Wave&, wave::ImageAccess& access) override {
    accesses.push_back(access);
    if (access.unit == 9) {
      access.fault = "unit 9 is broken";
      return;
    }
    for (uint32_t c = 0; c < 4; c++)
      for (uint32_t l = 0; l < access.lanes; l++) access.data[c][l] = 1000 * access.unit + 100 * c + l - first_pixel;
  }
  std::vector<wave::ImageAccess> accesses;
};

class Textures : public testing::TestWithParam<wave::EngineChoice> {
protected:
  Textures() {
    m.w->environment = &units;
    for (uint32_t n = 0; n < 8; n++)
      for (uint32_t c = 0; c < 4; c++)
        for (uint32_t l = 0; l < tested_pixels; l++) m.t(n, c, l) = bits(float(n * 10 + c) + float(l) / 64);
  }
  // Compiled code calls lookups: these units have nothing that it could be made for.
  void run(std::initializer_list<const char*> lines, bool looks_up = true) {
    std::vector<Words> words;
    for (const char* line : lines) {
      auto parsed = parse(line);
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      words.push_back(*parsed);
    }
    m.run(words, GetParam(), looks_up ? lines.size() : 0);
  }
  // Coordinate k is channel c of temporary n.
  void expect_lanes(const wave::ImageLanes& lanes, uint32_t n, uint32_t c) {
    for (uint32_t l = 0; l < tested_pixels; l++) ASSERT_EQ(lanes[first_pixel + l], bits(float(n * 10 + c) + float(l) / 64)) << l;
  }
  Machine m;
  Units units;
};

TEST_P(Textures, Lookup) {
  run({"ld t5.rgba, tex3.xyzw, t1.yxww @tex_sem_acquire"});
  ASSERT_EQ(units.accesses.size(), 1u);
  const wave::ImageAccess& a = units.accesses[0];
  EXPECT_EQ(a.operation, wave::ImageOperation::sample);
  EXPECT_EQ(a.unit, 3u);
  EXPECT_EQ(a.lanes, first_pixel + tested_pixels);
  EXPECT_EQ(a.active >> first_pixel, 0xffffffffu);
  EXPECT_EQ(a.lod_mode, wave::LodMode::implicit);
  EXPECT_FALSE(a.projected || a.unnormalized);
  EXPECT_EQ(a.resource, nullptr);
  EXPECT_EQ(a.coordinate_count, 4u);
  expect_lanes(a.coordinate[0], 1, 1), expect_lanes(a.coordinate[1], 1, 0);
  expect_lanes(a.coordinate[2], 1, 3), expect_lanes(a.coordinate[3], 1, 3);
  for (uint32_t c = 0; c < 4; c++)
    for (uint32_t l = 0; l < tested_pixels; l++) EXPECT_EQ(m.t(5, c, l), 3000 + 100 * c + l);
}

TEST_P(Textures, KindsOfLookups) {
  run({"proj t5.r, tex0, t1.xyzw", "lodbias t5.g, tex1, t2.xyzw @unscaled", "lod t5.b, tex2, t3.wzyx",
       "dxdy t5.a, tex15, t1.xyzw, t2.zyxw, t3.yyyx"});
  ASSERT_EQ(units.accesses.size(), 4u);
  EXPECT_TRUE(units.accesses[0].projected);
  EXPECT_EQ(units.accesses[0].lod_mode, wave::LodMode::implicit);
  EXPECT_EQ(units.accesses[1].lod_mode, wave::LodMode::bias);
  EXPECT_TRUE(units.accesses[1].unnormalized);
  EXPECT_FALSE(units.accesses[2].unnormalized);
  expect_lanes(units.accesses[1].lod, 2, 3);
  EXPECT_EQ(units.accesses[2].lod_mode, wave::LodMode::level);
  expect_lanes(units.accesses[2].lod, 3, 0);
  const wave::ImageAccess& d = units.accesses[3];
  EXPECT_EQ(d.lod_mode, wave::LodMode::derivatives);
  EXPECT_EQ(d.unit, 15u);
  expect_lanes(d.dx[0], 2, 2), expect_lanes(d.dx[1], 2, 1), expect_lanes(d.dx[2], 2, 0);
  expect_lanes(d.dy[0], 3, 1), expect_lanes(d.dy[2], 3, 1);
  const uint32_t units_of[] = {0, 1, 2, 15};
  for (uint32_t c = 0; c < 4; c++) EXPECT_EQ(m.t(5, c, 7), 1000 * units_of[c] + 100 * c + 7);
}

TEST_P(Textures, WhereResultsGo) {
  m.word(active_cell) = 0x0000ffff, m.word(uncovered_cell) = 0xf, m.word(loop_register_cell) = 2;
  m.word(predicate_cell(0)) = 0x00f0, m.word(predicate_cell(3)) = 0x0f00;
  run({"ld t[al+3].ra, tex1.wzyx, t[al+126].xyzw",          // t5, from t0
       "(!p.r) ld t6.rg, tex2.xyzw, t1 @alpha_pred_sel=0",  // alpha is not written
       "ld t7.rgba, tex4.yyyy, t1 @ignore_uncovered"});
  ASSERT_EQ(units.accesses.size(), 3u);
  EXPECT_EQ(units.accesses[0].active >> first_pixel, 0xffffu);
  expect_lanes(units.accesses[0].coordinate[0], 0, 0);
  EXPECT_EQ(units.accesses[2].active >> first_pixel, 0xfff0u);
  auto before = [](uint32_t n, uint32_t c, uint32_t l) { return bits(float(n * 10 + c) + float(l) / 64); };
  for (uint32_t l = 0; l < tested_pixels; l++) {
    const bool active = l < 16;
    EXPECT_EQ(m.t(5, 0, l), active ? 1300 + l : before(5, 0, l));
    EXPECT_EQ(m.t(5, 3, l), active ? 1000 + l : before(5, 3, l));
    EXPECT_EQ(m.t(5, 1, l), before(5, 1, l));
    EXPECT_EQ(m.t(6, 1, l), active && !(0x00f0 >> l & 1) ? 2100 + l : before(6, 1, l)) << l;
    EXPECT_EQ(m.t(6, 3, l), before(6, 3, l));
    EXPECT_EQ(m.t(7, 2, l), l >= 4 && active ? 4100 + l : before(7, 2, l));
  }
}

TEST_P(Textures, NothingIsAskedForNothing) {
  run({"ld _, tex9, t1", "texnop"}, false);
  EXPECT_TRUE(units.accesses.empty());
}

TEST_P(Textures, Faults) {
  for (bool has_units : {true, false}) {
    Machine machine;
    if (has_units) machine.w->environment = &units;
    auto words = parse("ld t0.rgba, tex9, t1");
    std::vector<uint32_t> code(words->begin(), words->end());
    wave::Program program(fragment_isa(), 0x1000, code);
    machine.w->pc = 0x1000;
    wave::Executor executor(program, GetParam(), *machine.w);
    executor.run(*machine.w);
    ASSERT_EQ(machine.w->stop, wave::Stop::Fault);
    EXPECT_NE(std::string(machine.w->fault.reason).find(has_units ? "unit 9" : "no images"), std::string::npos);
    EXPECT_EQ(machine.t(0, 0, 0), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Textures, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                         [](auto& info) { return info.param == wave::EngineChoice::Jit ? "jit" : "interpreter"; });

}  // namespace
}  // namespace Atoll::r500
