// Messages about texels in compiled code against the lane-by-lane reference, which the interpreter calls: random surfaces, samplers,
// messages and lanes, in every bit. ATOLL_BOUNDS=n: so many cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "gpu/dg1/threads/images.h"
#include "isa/xe_lp/sampler_message.h"
#include "isa/xe_lp/surface_format.h"
#include "machine.h"
#include "surface/hostile_access.h"

namespace Atoll::dg1_tests {
namespace {

using namespace dg1;
using surface::test::Random;
using State = SurfaceState;

constexpr uint64_t image_bytes = 1 << 20, image_at = 0x610000000;
constexpr unsigned payload_registers = 48, answer = 40;  // r1 to r47 begin with random bits; what comes back stands in r40 to r47

struct Case {
  SurfaceWords surface{};
  SamplerWords sampler{};
  std::string message;
  std::vector<uint8_t> registers = std::vector<uint8_t>((payload_registers - 1) * 32);
  uint32_t lanes = 8, channels = ~0u, control = 0;
  const char* kind = "";
};

class CompiledImages : public testing::Test {
protected:
  Machine m{wave::EngineChoice::Jit, true};
  WorkerPool pool{1};
  std::vector<uint8_t> image = std::vector<uint8_t>(image_bytes);
  CompiledImages() { EXPECT_TRUE(m.space->map(image_at, *m.space->memory().allocate(image_bytes), image_bytes)); }

  struct Result {
    std::array<uint8_t, 256> answer{};
    std::vector<uint8_t> image;
    bool fault = false;
    wave::Counters counters;
    bool operator==(const Result& b) const { return answer == b.answer && image == b.image && fault == b.fault; }
  };
  void put_states(const Case& c) {
    std::memcpy(m.space->host(m.states), c.surface.data(), sizeof c.surface);
    std::memcpy(m.space->host(m.states) + 0x900 + 32, c.sampler.data(), sizeof c.sampler);
    constexpr uint32_t border[4] = {0x3f000000, 0xbf800000, 0x3dcccccd, 0x40490fdb};
    std::memcpy(m.space->host(m.states) + 0xa00, border, sizeof border);
  }
  Result run(const Case& c, Kernel& kernel, ThreadEnvironment& environment) {
    std::memcpy(m.space->host(image_at), image.data(), image_bytes);
    std::memset(m.space->host(m.output), 0, 256);
    m.groups.simd = c.lanes, m.groups.right_mask = c.channels, m.groups.control = c.control;
    m.groups.cross_thread = c.registers;
    m.groups.context.dynamic_state_base = m.states + 0x900, m.groups.context.sampler_states = m.states + 0x900 + 32;
    std::atomic<int> stop{0};
    Result result;
    std::thread([&] {
      auto ended = run_thread_groups(m.groups, kernel, *m.space, pool, environment, stop);
      ASSERT_TRUE(ended) << ended.error().message;
      result.fault = ended->fault.has_value(), result.counters = ended->counters;
    }).join();
    std::memcpy(result.answer.data(), m.space->host(m.output), 256);
    result.image.assign(m.space->host(image_at), m.space->host(image_at) + image_bytes);
    return result;
  }
  void put_kernel(const Case& c) {
    std::vector<std::string> lines = {c.message};
    for (unsigned n = 0; n < 4; n++) {
      lines.push_back(fmt::format("(W) mov (1|M0) r50.2<1>:ud {}:ud", n * 4));
      lines.push_back(send("dc0", 8, "null", 50, int(answer + n * 2), 2, descriptor(1, 0, true, 8, 3 << 8 | 1), "(W) "));
    }
    lines.emplace_back("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
    const auto words = xe_lp::assemble(lines);
    ASSERT_TRUE(words) << words.error().message << c.message;
    std::memcpy(m.space->host(m.kernel_at), words->data(), words->size() * 4);
  }
};

SurfaceWords random_surface(Random& r, bool stores) {
  for (;;) {
    SurfaceWords w{};
    uint32_t code = 0;
    const surface::Format* format = nullptr;
    while (!format) code = r.below(512), format = xe_lp::surface_format(code);
    const surface::LayoutRow& layout = surface::row(format->layout);
    if (stores && layout.block_width > 1) continue;
    const uint32_t types[] = {State::Surface_Type::SURFTYPE_2D, State::Surface_Type::SURFTYPE_2D,
                              State::Surface_Type::SURFTYPE_2D, State::Surface_Type::SURFTYPE_1D,
                              State::Surface_Type::SURFTYPE_3D, State::Surface_Type::SURFTYPE_CUBE};
    const uint32_t type = types[r.below(std::size(types))];
    constexpr uint32_t tilings[] = {0, 2, 3, 3};
    const uint32_t tiling = type == State::Surface_Type::SURFTYPE_1D ? 0 : tilings[r.below(4)];
    uint32_t width = 1 + r.below(1u << r.below(8)), height = 1 + r.below(1u << r.below(7)), depth = 1 + r.below(4);
    if (type == State::Surface_Type::SURFTYPE_CUBE) height = width = 1 + width % 32, depth = 1 + depth % 2;
    if (type == State::Surface_Type::SURFTYPE_1D) height = 1;
    const bool array = r.below(2) && type != State::Surface_Type::SURFTYPE_3D;
    if (!array && type != State::Surface_Type::SURFTYPE_3D) depth = 1;
    const uint32_t levels = r.below(3) ? 1 : 1 + r.below(5);
    State::Surface_Type::set(w, type), State::Surface_Array::set(w, array), State::Surface_Format::set(w, code);
    if (type == State::Surface_Type::SURFTYPE_CUBE) w[0] |= r.below(8) ? 0x3f : r.below(0x40);  // its faces
    State::Tile_Mode::set(w, tiling), State::Width::set(w, width - 1), State::Height::set(w, height - 1),
        State::Depth::set(w, depth - 1);
    State::MIP_Count_LOD::set(w, levels - 1), State::Surface_Min_LOD::set(w, r.below(4) ? 0 : r.below(levels));
    State::Surface_Horizontal_Alignment::set(w, 1), State::Surface_Vertical_Alignment::set(w, 1);
    const uint32_t columns = (width + layout.block_width - 1) / layout.block_width;
    uint32_t pitch = (columns + columns / 2 + 8) * layout.bytes;
    const uint32_t unit = tiling == 2 ? 512 : tiling == 3 ? 128 : 4;
    pitch = (pitch + unit - 1) / unit * unit;
    State::Surface_Pitch::set(w, pitch - 1), State::Surface_QPitch::set(w, (height * 2 + 32) / 4);
    State::Surface_Base_Address::set(w, image_at);
    const uint32_t selects[] = {r.below(3) ? 4u : r.below(2), r.below(3) ? 5u : 4 + r.below(4), 6, r.below(3) ? 7u : 1u};
    State::Shader_Channel_Select_Red::set(w, selects[0]), State::Shader_Channel_Select_Green::set(w, selects[1]);
    State::Shader_Channel_Select_Blue::set(w, selects[2]), State::Shader_Channel_Select_Alpha::set(w, selects[3]);
    const auto decoded = image_surface(w);
    if (decoded && decoded->bytes <= image_bytes) return w;
  }
}

SamplerWords random_sampler(Random& r, const SurfaceWords& surface) {
  SamplerWords w{};
  using S = SamplerState;
  const uint32_t all = r.below(8) ? 7 : 8;  // MIRROR_101 now and then, which is not compiled
  const uint32_t modes[] = {r.below(all), r.below(all), r.below(all)};
  S::TCX_Address_Control_Mode::set(w, modes[0]), S::TCY_Address_Control_Mode::set(w, modes[1]),
      S::TCZ_Address_Control_Mode::set(w, modes[2]);
  S::Mag_Mode_Filter::set(w, r.below(2)), S::Min_Mode_Filter::set(w, r.below(2));
  constexpr uint32_t mips[] = {0, 1, 3};
  S::Mip_Mode_Filter::set(w, mips[r.below(3)]);
  S::Texture_LOD_Bias::set(w, r.below(3) ? 0 : r.below(0x2000)), S::Min_LOD::set(w, r.below(3) ? 0 : r.below(1024));
  S::Max_LOD::set(w, r.below(4) ? 3584 : r.below(1024)), S::Shadow_Function::set(w, r.below(8));
  const bool three = State::Surface_Type::get(surface) == State::Surface_Type::SURFTYPE_3D;
  if (!three && r.below(4) == 0) S::Non_normalized_Coordinate_Enable::set(w, 1);
  // As drivers have it, or at random: a linear filter rounds coordinates, a nearest one does not; levels are clamped first.
  const bool drivers = r.below(8) != 0;
  const uint32_t up = drivers ? S::Mag_Mode_Filter::get(w) * 7 : r.below(8),
                 down = drivers ? S::Min_Mode_Filter::get(w) * 7 : r.below(8);
  S::U_Address_Mag_Filter_Rounding_Enable::set(w, up & 1), S::V_Address_Mag_Filter_Rounding_Enable::set(w, up >> 1 & 1),
      S::R_Address_Mag_Filter_Rounding_Enable::set(w, up >> 2 & 1);
  S::U_Address_Min_Filter_Rounding_Enable::set(w, down & 1), S::V_Address_Min_Filter_Rounding_Enable::set(w, down >> 1 & 1),
      S::R_Address_Min_Filter_Rounding_Enable::set(w, down >> 2 & 1);
  if (r.below(8)) S::LOD_PreClamp_Mode::set(w, S::LOD_PreClamp_Mode::OGL);
  S::Border_Color_Pointer::set(w, 0xa00 - 0x900);
  return w;
}

// Parameters behind each other from r1 on, a header before them, in one payload or two.
void put_sampler_message(Random& r, Case& c) {
  constexpr uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0x10, 0x11, 0x12, 0x14, 0x18, 0x19, 0x1a, 0x18, 0, 0x1a};
  const uint32_t number = numbers[r.below(std::size(numbers))];
  c.lanes = r.below(2) ? 16 : 8;
  const bool header = r.below(4) == 0;
  xe_lp::SamplerMessage m;
  ASSERT_TRUE(xe_lp::read_sampler_message(number << 12 | (c.lanes == 8 ? 1u : 2u) << 17, m));
  const unsigned each = c.lanes / 8;
  unsigned count = std::min<unsigned>(unsigned(m.parameters.size()), 11 / each);
  if (r.below(2) && count > 2) count -= r.below(count - 1);
  auto put = [&](unsigned reg, unsigned lane, uint32_t x) { std::memcpy(&c.registers[(reg - 1) * 32 + lane * 4], &x, 4); };
  const bool texels = SamplerState::Non_normalized_Coordinate_Enable::get(c.sampler);
  const float du = float(int(r.below(400)) - 200) / 4096, dv = float(int(r.below(400)) - 200) / 4096;
  const float u0 = float(r.below(3000)) / 1000 - 1, v0 = float(r.below(3000)) / 1000 - 1;
  for (unsigned n = 0; n < count; n++)
    for (unsigned l = 0; l < c.lanes; l++) {
      const char what = m.parameters[n];
      uint32_t x = 0;
      auto f = [](float value) { return std::bit_cast<uint32_t>(value); };
      if (m.integers)
        x = what == 'l' ? r.integer(4) : r.integer(40);
      else if (what == 'p' || what == 'q')
        x = r.next();
      else if (what == 'u' || what == 'v') {  // a plane, as of pixels' quads
        const float at = what == 'u' ? u0 + du * float(l % 2 + l / 4 * 2) : v0 + dv * float(l / 2 % 2);
        x = f(texels ? at * 40 : at);
      } else if (what == 'l' || what == 'b' || what == 'm')
        x = f(float(int(r.below(800)) - 200) / 100);
      else if (what == 'c')
        x = f(float(r.below(1000)) / 900);
      else if (what >= 'd' && what <= 'i')
        x = f(float(int(r.below(400)) - 200) / 1024);
      else
        x = f(float(r.below(600)) / 100 - 1);
      if (!m.integers && what != 'p' && what != 'q' && r.below(24) == 0) x = r.coordinate();
      put(1 + header + n * each + l / 8, l % 8, x);
    }
  if (header) {
    const uint32_t words[] = {r.next(), r.next(), 0, 32};
    for (unsigned n = 0; n < 4; n++) put(1, n, words[n]);
  }
  const unsigned registers = header + count * each;
  const unsigned first = count > 1 && r.below(2) ? header + each * (1 + r.below(count - 1)) : registers;
  const unsigned answers = 1 + r.below(4);
  const uint32_t d = first << 25 | answers * each << 20 | uint32_t(header) << 19 | (c.lanes == 8 ? 1u : 2u) << 17 | number << 12;
  c.kind = m.operation == wave::ImageOperation::load ? "ld" : m.operation == wave::ImageOperation::gather ? "gather" : "sample";
  c.message = send("smpl", c.lanes, "r40", 1, first < registers ? int(1 + first) : -1, registers - first, d);
}

void put_typed_message(Random& r, Case& c, bool stores) {
  c.lanes = 8;
  auto put = [&](unsigned reg, unsigned lane, uint32_t x) { std::memcpy(&c.registers[(reg - 1) * 32 + lane * 4], &x, 4); };
  const unsigned coordinates = 1 + r.below(3), channels = stores ? 15 : 1 + r.below(15),
                 count = unsigned(std::popcount(channels));
  for (unsigned n = 0; n < coordinates; n++)
    for (unsigned l = 0; l < 8; l++) put(1 + n, l, n == 2 ? r.integer(3) : r.integer(40));
  for (unsigned n = 0; n < count; n++)
    for (unsigned l = 0; l < 8; l++)
      put(10 + n, l, r.below(2) ? std::bit_cast<uint32_t>(float(int(r.below(3000)) - 1000) / 1000) : r.integer(300));
  c.kind = stores ? "typed write" : "typed read";
  const uint32_t d = descriptor(coordinates, stores ? 0 : count, false, stores ? 0x0d : 0x05, (~channels & 15) << 8 | 1 << 12);
  c.message = send("dc1", 8, stores ? "null" : "r40", 1, stores ? 10 : -1, stores ? count : 0, d);
}

TEST_F(CompiledImages, AreWhatTheReferenceSays) {
  const uint64_t cases = surface::test::seeds(60);
  std::map<std::string, std::array<uint64_t, 2>> counts;  // all, compiled
  for (uint64_t seed = 1; seed <= cases; seed++) {
    Random r(seed);
    Case c;
    for (auto& byte : c.registers) byte = uint8_t(r.next());
    for (auto& byte : image) byte = uint8_t(r.next());
    const unsigned kind = r.below(5);  // samplers' messages thrice as often as typed ones
    c.surface = random_surface(r, kind == 4);
    c.sampler = random_sampler(r, c.surface);
    if (kind < 3)
      put_sampler_message(r, c);
    else
      put_typed_message(r, c, kind == 4);
    if (r.below(2)) c.channels = r.next() | 1;
    c.control = r.below(3) ? 0 : 0x4c0;  // denormals
    put_kernel(c);
    put_states(c);
    SCOPED_TRACE(fmt::format("seed {}: {} on format {:#x} of type {}", seed, c.message, State::Surface_Format::get(c.surface),
                             State::Surface_Type::get(c.surface)));
    ThreadEnvironment environment(*m.space);
    Kernels interpreted(*m.space, wave::EngineChoice::Interpreter), compiled(*m.space, wave::EngineChoice::Jit);
    auto reference = interpreted.find(m.kernel_at), kernel = compiled.find(m.kernel_at);
    ASSERT_TRUE(reference && kernel);
    const Result wanted = run(c, **reference, environment);
    Result found;
    for (unsigned round = 0; round < 3; round++) {
      for (unsigned n = 0; n < 10; n++) {
        found = run(c, **kernel, environment);
        ASSERT_EQ(found.fault, wanted.fault);
        ASSERT_EQ(found.answer, wanted.answer);
        ASSERT_TRUE(found.image == wanted.image);
      }
      (*kernel)->wait_for_compilation();
    }
    auto& count = counts[c.kind];
    count[0]++, count[1] += found.counters.called == 0 && found.counters.interpreted == 0;
  }
  // (Not compiled are formats without a form, samples of cubes, floats of 32 bits that filters mix.)
  for (auto& [kind, count] : counts) {
    RecordProperty(kind, fmt::format("{} of {} compiled", count[1], count[0]));
    EXPECT_GE(count[1], 1u) << kind << ": none of " << count[0];
  }
}

}  // namespace
}  // namespace Atoll::dg1_tests
