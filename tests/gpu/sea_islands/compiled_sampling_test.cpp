// Sampling in compiled code against the lane-by-lane reference, which the interpreter calls: random textures, samplers, coordinates
// and lanes, in every bit; what happens where the descriptors are others than the code was made for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "gpu/amd/images.h"
#include "gpu/sea_islands/packets/context.h"
#include "gpu/sea_islands/shaders/environment.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "image_words.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/isa.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/registers.h"
#include "surface/hostile_access.h"
#include "wave/executor.h"
#include "wave/storage.h"

namespace Atoll::sea_islands::test {
namespace {

using surface::test::Random;
using wave::EngineChoice;

constexpr uint64_t code_base = 0x4000;
constexpr unsigned resource_sgpr = 16, sampler_sgpr = 24, registers = 32;

std::vector<uint32_t> assemble(const std::vector<std::string>& lines) {
  std::vector<uint32_t> code;
  for (const std::string& line : lines) {
    auto parsed = gfx7::parse(line);
    if (!parsed) {
      ADD_FAILURE() << line << ": " << parsed.error().message;
      return {};
    }
    auto words = gfx7::encode(*parsed);
    for (unsigned n = 0; words && n < words->count; n++) code.push_back(words->dwords[n]);
  }
  return code;
}

// A wave's registers before or after a run.
struct Registers {
  std::array<std::array<uint32_t, 64>, registers> v{};
  std::array<uint32_t, 32> s{};
  uint64_t exec = 0;
  uint32_t mode = 0;
  bool operator==(const Registers&) const = default;
};

class CompiledSampling : public testing::Test {
protected:
  static constexpr uint64_t memory_bytes = uint64_t(8) << 20;
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  gpu::Options options;
  std::atomic<int> stop{0};
  Context context{*gpu::find_chip("bonaire"), gpu::QueueKind::graphics, *space, options, stop};
  QueueEnvironment environment{context};
  Buffer memory = *space->allocate(memory_bytes, 4096);
  wave::Storage storage{gfx7::register_file_end};
  uint64_t compiled = 0, called = 0, interpreted = 0;
  wave::Stop stopped = wave::Stop::Run;

  wave::Wave& wave_of(const Registers& r) {
    wave::Wave& w = storage.reset();
    w.window = space->base(), w.window_bytes = space->size();
    w.stop_flag = &stop;
    w.environment = &environment;
    w.textures = &context.images->texture_slots();
    w.lanes = 64;
    w.pc = code_base;
    for (unsigned n = 0; n < registers; n++) std::memcpy(wave::bytes_of(w, gfx7::vgpr_cell(n)), r.v[n].data(), 256);
    for (unsigned n = 0; n < r.s.size(); n++) wave::word_of(w, gfx7::scalar_cell(n)) = r.s[n];
    wave::word_of(w, gfx7::scalar_cell(gfx7::EXEC_LO)) = uint32_t(r.exec);
    wave::word_of(w, gfx7::scalar_cell(gfx7::EXEC_HI)) = uint32_t(r.exec >> 32);
    wave::word_of(w, gfx7::mode_cell) = r.mode;
    wave::word_of(w, gfx7::vgpr_count_cell) = registers;
    return w;
  }
  Registers run(wave::Executor& executor, const wave::Program& program, const Registers& before) {
    wave::Wave& w = wave_of(before);
    w.program = &program;
    executor.run(w);
    stopped = w.stop;
    compiled = w.compiled, called = w.called, interpreted = w.interpreted;
    Registers after;
    for (unsigned n = 0; n < registers; n++) std::memcpy(after.v[n].data(), wave::bytes_of(w, gfx7::vgpr_cell(n)), 256);
    for (unsigned n = 0; n < after.s.size(); n++) after.s[n] = wave::word_of(w, gfx7::scalar_cell(n));
    after.exec = before.exec, after.mode = before.mode;
    return after;
  }

  void set_image(Registers& r, const ImageResourceWords& words) {
    std::copy(words.begin(), words.end(), r.s.begin() + resource_sgpr);
  }
  void set_sampler(Registers& r, const SamplerWords& words) { std::copy(words.begin(), words.end(), r.s.begin() + sampler_sgpr); }
};

// Formats that have code: DATA_FORMAT, NUM_FORMAT, bytes.
struct FormatNumbers {
  unsigned data, number, bytes;
};
constexpr FormatNumbers formats[] = {
    {10, 0, 4}, {10, 0, 4}, {3, 0, 2},   {1, 0, 1},   {10, 1, 4},  {10, 2, 4},  {10, 3, 4}, {10, 4, 4}, {10, 5, 4},  {2, 0, 2},
    {2, 1, 2},  {2, 7, 2},  {5, 0, 4},   {5, 7, 4},   {12, 0, 8},  {12, 7, 8},  {12, 5, 8}, {4, 7, 4},  {11, 7, 8},  {14, 7, 16},
    {4, 4, 4},  {6, 7, 4},  {7, 7, 4},   {8, 0, 4},   {9, 0, 4},   {16, 0, 2},  {17, 0, 2}, {18, 0, 2}, {19, 0, 2},  {20, 0, 4},
    {21, 0, 4}, {34, 7, 4}, {57, 0, 1},  {22, 7, 8},  {10, 9, 4},  {3, 9, 2},   {1, 9, 1},  {16, 9, 2}, {18, 9, 2},  {19, 9, 2},
    {35, 0, 8}, {35, 9, 8}, {36, 0, 16}, {36, 9, 16}, {37, 0, 16}, {37, 9, 16}, {38, 0, 8}, {38, 1, 8}, {39, 0, 16}, {39, 1, 16}};

ImageNumbers random_image(Random& r) {
  ImageNumbers n;
  const FormatNumbers& format = formats[r.below(std::size(formats))];
  using Type = SQ_IMG_RSRC_WORD3::TYPE;
  constexpr uint32_t types[] = {Type::SQ_RSRC_IMG_2D,  Type::SQ_RSRC_IMG_2D,       Type::SQ_RSRC_IMG_1D,
                                Type::SQ_RSRC_IMG_3D,  Type::SQ_RSRC_IMG_1D_ARRAY, Type::SQ_RSRC_IMG_2D_ARRAY,
                                Type::SQ_RSRC_IMG_CUBE};
  n.type = types[r.below(std::size(types))];
  n.data_format = format.data, n.number_format = format.number;
  n.tile_mode = r.below(32);
  unsigned limit = 1u << r.below(9);
  n.width = 1 + r.below(limit), n.height = 1 + r.below(limit);
  if (r.below(3) == 0) n.width = 1u << r.below(9), n.height = 1u << r.below(9);
  n.base_level = r.below(3) ? 0 : r.below(3), n.last_level = n.base_level + (r.below(3) ? r.below(8) : 0);
  n.pow2_pad = n.last_level > 0;
  if (n.type == Type::SQ_RSRC_IMG_3D) n.depth = 1 + r.below(20), n.width = 1 + n.width % 64, n.height = 1 + n.height % 64;
  if (n.type == Type::SQ_RSRC_IMG_1D_ARRAY || n.type == Type::SQ_RSRC_IMG_2D_ARRAY)
    n.first_layer = r.below(2), n.last_layer = n.first_layer + r.below(5), n.depth = n.last_layer + 1;
  if (n.type == Type::SQ_RSRC_IMG_CUBE)
    n.width = n.height = 1 + n.width % 64, n.last_layer = 6 * (1 + r.below(2)) - 1, n.depth = n.last_layer + 1;
  if (n.type == Type::SQ_RSRC_IMG_2D && r.below(6) == 0) n.width = 1u << r.below(12), n.height = 1u << r.below(9);
  if (n.type == Type::SQ_RSRC_IMG_2D && r.below(12) == 0) std::swap(n.width, n.height);
  if (r.below(2))
    for (auto& s : n.select) s = r.below(3) ? 4 + r.below(4) : r.below(2);
  if (r.below(4) == 0) n.min_lod = r.below(4 * 256);
  return n;
}

SamplerWords random_sampler(Random& r) {
  using W0 = SQ_IMG_SAMP_WORD0;
  using W1 = SQ_IMG_SAMP_WORD1;
  using W2 = SQ_IMG_SAMP_WORD2;
  constexpr uint32_t wraps[] = {0, 0, 1, 2, 2, 3, 4, 5, 6, 7};
  auto wrap = [&] { return wraps[r.below(std::size(wraps))]; };
  bool same = r.below(2);
  uint32_t magnify = r.below(2);
  SamplerWords w;
  w[0] = W0::CLAMP_X::of(wrap()) | W0::CLAMP_Y::of(wrap()) | W0::CLAMP_Z::of(wrap()) | W0::TRUNC_COORD::of(r.below(4) == 0) |
         W0::FORCE_DEGAMMA::of(r.below(4) == 0) | W0::FORCE_UNNORMALIZED::of(r.below(6) == 0) |
         W0::MC_COORD_TRUNC::of(r.below(8) == 0) | W0::DEPTH_COMPARE_FUNC::of(r.below(8)) |
         W0::DISABLE_CUBE_WRAP::of(r.below(4) == 0);
  w[1] = W1::MIN_LOD::of(r.below(3) ? 0 : r.below(1024)) | W1::MAX_LOD::of(r.below(3) ? 0xfff : r.below(2048));
  w[2] = W2::LOD_BIAS::of(r.below(3) ? 0 : r.below(1 << 14)) | W2::XY_MAG_FILTER::of(magnify) |
         W2::XY_MIN_FILTER::of(same ? magnify : r.below(2)) | W2::MIP_FILTER::of(r.below(3)) | W2::Z_FILTER::of(r.below(3)) |
         W2::MIP_POINT_PRECLAMP::of(r.below(2));
  w[3] = SQ_IMG_SAMP_WORD3::BORDER_COLOR_TYPE::of(r.below(3));
  return w;
}

TEST_F(CompiledSampling, SameBitsAsTheReference) {
  constexpr const char* samples[] = {"",     "",      "_l",   "_lz", "_b",    "_cl",     "_b_cl",     "_d", "_c",
                                     "_c_l", "_c_lz", "_c_b", "_o",  "_lz_o", "_c_lz_o", "_c_d_cl_o", "_cd"};
  constexpr const char* gathers[] = {"",   "",     "_l",      "_b",    "_b_cl", "_cl",    "_lz",
                                     "_c", "_c_l", "_c_b_cl", "_c_lz", "_o",    "_c_lz_o"};
  Random bytes(1);
  for (uint64_t n = 0; n < memory_bytes; n += 4) {
    uint32_t word = bytes.next();
    std::memcpy(memory.host_pointer + n, &word, 4);
  }
  const uint64_t seeds = surface::test::seeds(150);
  unsigned in_code = 0, tried = 0;
  for (uint64_t seed = 0; seed < seeds; seed++) {
    Random r(seed);
    ImageNumbers image = random_image(r);
    image.address = ((memory.gpu_address + 0xffff) & ~uint64_t(0xffff)) + 65536 * r.below(8);
    auto resource = image_resource(context.config, image.words(), false);
    if (!resource || resource->bytes > memory_bytes / 2) continue;
    const bool gather = r.below(4) == 0 && image.type != SQ_IMG_RSRC_WORD3::TYPE::SQ_RSRC_IMG_3D;
    const char* sample = gather ? gathers[r.below(std::size(gathers))] : samples[r.below(std::size(samples))];
    unsigned mask = gather ? 1u << r.below(4) : 1 + r.below(15);
    bool computes = r.below(2);
    std::vector<std::string> lines;
    if (computes) lines = {"v_mul_f32 v0, v26, v27", "v_mul_f32 v1, v27, v28", "v_add_f32 v2, v2, v29"};
    bool array = r.below(3) > 0 && image.type >= SQ_IMG_RSRC_WORD3::TYPE::SQ_RSRC_IMG_1D_ARRAY;
    const char* form = lines.empty() ? "" : " in the region of its coordinates";
    // (The text must name as many registers as the instruction may have; which it reads the image's type decides.)
    for (unsigned count : {4, 8, 16, 3, 2, 1}) {
      std::string line = fmt::format("image_{}{} v[20:{}], v[0:{}], s[{}:{}], s[{}:{}] dmask:{:#x}{}",
                                     gather ? "gather4" : "sample", sample, gather ? 23 : 19 + std::popcount(mask), count - 1,
                                     resource_sgpr, resource_sgpr + 7, sampler_sgpr, sampler_sgpr + 3, mask, array ? " da" : "");
      if (!gfx7::parse(line)) continue;
      lines.push_back(line);
      break;
    }
    lines.push_back("v_add_f32 v25, v20, v20");
    lines.push_back("s_endpgm");
    auto code = assemble(lines);
    wave::Program program(gfx7::isa(), code_base, code);
    Registers before;
    set_image(before, image.words());
    set_sampler(before, random_sampler(r));
    before.mode = r.below(2) ? 0xc0 : 0xf0;  // denormals of f32 flushed, as drivers have it, or kept
    auto fill = [&] {
      before.exec = r.below(3) ? ~uint64_t(0) : uint64_t(r.next()) << 32 | r.next();
      for (auto& lanes : before.v)
        for (auto& lane : lanes) lane = r.coordinate();
      if (r.below(2)) {  // pixels beside each other
        float step = float(1 + r.below(1000)) * 0x1p-12f, s = float(r.below(4000)) * 0x1p-10f - 2, t = s * 0.7f;
        for (unsigned lane = 0; lane < 64; lane++)
          for (unsigned c = 0; c < 2; c++) {
            float at = c ? t + step * float(lane / 2 % 2 + lane / 16 * 2) : s + step * float(lane % 2 + lane / 4 % 4 * 2);
            (computes ? before.v[c ? 28 : 26] : before.v[c])[lane] = std::bit_cast<uint32_t>(at);
          }
        if (computes) before.v[27].fill(0x3f800000);
        for (unsigned lane = 0; lane < 64; lane++)
          before.v[2][lane] = std::bit_cast<uint32_t>(float(r.below(2000)) * 0.01f - 4), before.v[29][lane] = 0;
      }
    };
    fill();
    wave::Wave like = wave_of(before);
    like.inspected = true;
    wave::Executor reference(program, EngineChoice::Interpreter, like);
    run(reference, program, before);  // which leaves the hint
    wave::Executor executor(program, EngineChoice::Jit, like, {.first_tier = wave::Tier::Full});
    tried++;
    for (unsigned round = 0; round < 6; round++) {
      if (round) fill();
      Registers expected = run(reference, program, before);
      Registers got = run(executor, program, before);
      ASSERT_EQ(stopped, wave::Stop::End) << "seed " << seed;
      if (!round) in_code += called == 0;
      for (unsigned v = 0; v < registers; v++)
        for (unsigned lane = 0; lane < 64; lane++)
          ASSERT_EQ(got.v[v][lane], expected.v[v][lane])
              << "seed " << seed << " round " << round << ": " << lines[computes ? 3 : 0] << form << ", v" << v << " lane "
              << lane << (before.exec >> lane & 1 ? "" : " (not active)") << "; " << image.width << "x" << image.height
              << " levels " << image.base_level << " to " << image.last_level << " tile mode " << image.tile_mode << " type "
              << image.type << " format " << image.data_format << " " << image.number_format << ", s "
              << std::bit_cast<float>(before.v[0][lane]) << " t " << std::bit_cast<float>(before.v[1][lane]) << " v2 "
              << std::bit_cast<float>(before.v[2][lane]);
    }
  }
  EXPECT_GT(tried, seeds / 2);
  EXPECT_GT(in_code, tried * 2 / 3) << "of " << tried;
}

// Loads and stores of texels, packed and not, with levels and without, and atomics: registers and all memory.
TEST_F(CompiledSampling, TexelsAreLoadedStoredAndChangedAsByTheReference) {
  constexpr const char* loads[] = {"load",         "load_mip",         "load_pck",   "load_pck_sgn",
                                   "load_mip_pck", "load_mip_pck_sgn", "get_resinfo"};
  constexpr const char* stores[] = {"store", "store_mip", "store_pck", "store_mip_pck"};
  constexpr const char* atomics[] = {"swap", "cmpswap", "add", "sub", "smin", "umin", "smax",     "umax",
                                     "and",  "or",      "xor", "inc", "dec",  "fmin", "fcmpswap", "fmax"};
  std::vector<uint8_t> initial(memory_bytes), expected_memory(memory_bytes);
  Random bytes(2);
  for (uint8_t& byte : initial) byte = uint8_t(bytes.next());
  const uint64_t seeds = surface::test::seeds(300);
  unsigned in_code = 0, tried = 0, changed = 0;
  for (uint64_t seed = 0; seed < seeds; seed++) {
    Random r(seed + 1000);
    ImageNumbers image = random_image(r);
    image.address = ((memory.gpu_address + 0xffff) & ~uint64_t(0xffff)) + 65536 * r.below(8);
    const unsigned kind = r.below(3);
    const bool atomic = kind == 2, store = kind != 0, wide = r.below(2);  // (an atomic stores, too)
    if (atomic) image.data_format = wide ? 11 : 4, image.number_format = r.below(2) ? 4 : 7;
    auto resource = image_resource(context.config, image.words(), false);
    if (!resource || resource->bytes > memory_bytes / 2) continue;
    const bool array = r.below(3) > 0 && image.type >= SQ_IMG_RSRC_WORD3::TYPE::SQ_RSRC_IMG_1D_ARRAY;
    if (store && resource->description.format.layout >= surface::Layout::bc1) continue;
    const std::string name = atomic  ? std::string("atomic_") + atomics[r.below(std::size(atomics))]
                             : store ? stores[r.below(std::size(stores))]
                                     : loads[r.below(std::size(loads))];
    const bool compares = name.ends_with("cmpswap");
    const unsigned mask = atomic ? (1u << ((wide ? 2 : 1) * (compares ? 2 : 1))) - 1 : r.below(3) ? 15 : 1 + r.below(15);
    const bool computes = r.below(2);
    std::vector<std::string> lines;
    if (computes) lines = {"v_and_b32 v0, v26, v27", "v_add_f32 v20, v20, v29", "v_mul_f32 v21, v21, v28"};
    const bool sizes = name == "get_resinfo";
    const std::string text = fmt::format("image_{} v[20:{}], {}, s[{}:{}] dmask:{:#x} unorm{}{}", name, 19 + std::popcount(mask),
                                         sizes ? "v0" : "v[0:3]", resource_sgpr, resource_sgpr + 7, mask,
                                         atomic && r.below(2) ? " glc" : "", array ? " da" : "");
    lines.push_back(text);
    lines.push_back("v_add_f32 v25, v20, v20");
    lines.push_back("s_endpgm");
    auto code = assemble(lines);
    ASSERT_FALSE(code.empty());
    wave::Program program(gfx7::isa(), code_base, code);
    Registers before;
    set_image(before, image.words());
    before.mode = r.below(2) ? 0xc0 : 0xf0;
    auto fill = [&] {
      before.exec = r.below(3) ? ~uint64_t(0) : uint64_t(r.next()) << 32 | r.next();
      for (auto& lanes : before.v)
        for (auto& lane : lanes) lane = r.below(3) ? r.coordinate() : r.next();
      const uint32_t most[] = {image.width, image.height, std::max(1u, image.depth), 4};
      for (unsigned v = 0; v < 4; v++)
        for (auto& lane : before.v[v]) lane = r.below(20) ? r.below(most[r.below(8) ? v : 3] + 1) : r.next();
      if (sizes)
        for (auto& lane : before.v[0]) lane = r.below(20) ? r.below(6) : r.next();
      if (computes) before.v[26] = before.v[0], before.v[27].fill(~0u);
    };
    fill();
    wave::Wave like = wave_of(before);
    like.inspected = true;
    wave::Executor reference(program, EngineChoice::Interpreter, like);
    std::memcpy(memory.host_pointer, initial.data(), memory_bytes);
    run(reference, program, before);  // which leaves the hint
    wave::Executor executor(program, EngineChoice::Jit, like, {.first_tier = wave::Tier::Full});
    tried++;
    for (unsigned round = 0; round < 4; round++) {
      if (round) fill();
      if (store) std::memcpy(memory.host_pointer, initial.data(), memory_bytes);
      const Registers expected = run(reference, program, before);
      if (store) {
        std::memcpy(expected_memory.data(), memory.host_pointer, memory_bytes);
        std::memcpy(memory.host_pointer, initial.data(), memory_bytes);
        changed += expected_memory != initial;
      }
      const Registers got = run(executor, program, before);
      ASSERT_EQ(stopped, wave::Stop::End) << "seed " << seed;
      if (!round) in_code += called == 0;
      const std::string where =
          fmt::format("seed {} round {}: {}{}; {}x{} levels {} to {} tile mode {} type {} format {} {}", seed, round, text,
                      computes ? " in the region of its data" : "", image.width, image.height, image.base_level, image.last_level,
                      image.tile_mode, image.type, image.data_format, image.number_format);
      for (unsigned v = 0; v < registers; v++)
        for (unsigned lane = 0; lane < 64; lane++)
          ASSERT_EQ(got.v[v][lane], expected.v[v][lane]) << where << ", v" << v << " lane " << lane;
      if (!store) continue;
      const auto differs = std::mismatch(expected_memory.begin(), expected_memory.end(), memory.host_pointer);
      ASSERT_EQ(differs.first, expected_memory.end()) << where << ", byte " << differs.first - expected_memory.begin();
    }
  }
  EXPECT_GT(tried, seeds / 2);
  EXPECT_GT(in_code, tried * 2 / 3) << "of " << tried;
  EXPECT_GT(changed, tried / 3);
}

// The form that is met first does not filter between mip levels, so that its code does not need the bias. A later sampler does.
TEST_F(CompiledSampling, WhatOneFormDoesNotReadAnotherMay) {
  Random r(7);
  for (uint64_t n = 0; n < memory_bytes; n += 4) {
    uint32_t word = r.next();
    std::memcpy(memory.host_pointer + n, &word, 4);
  }
  std::vector<uint32_t> code = assemble({"v_mul_f32 v0, v26, v27", "v_mov_b32 v1, v28", "v_mov_b32 v2, v29",
                                         "s_cbranch_scc0 0",  // (what follows is a region of its own)
                                         fmt::format("image_sample_b v[4:7], v[0:2], s[{}:{}], s[{}:{}] dmask:0xf", resource_sgpr,
                                                     resource_sgpr + 7, sampler_sgpr, sampler_sgpr + 3),
                                         "v_mov_b32 v0, 0", "v_mov_b32 v1, 0", "v_mov_b32 v2, 0", "s_endpgm"});
  wave::Program program(gfx7::isa(), code_base, code);
  ImageNumbers image;
  image.address = (memory.gpu_address + 0xffff) & ~uint64_t(0xffff);
  image.width = image.height = image.pitch = 64, image.last_level = 6, image.pow2_pad = true;
  Registers before;
  before.exec = ~uint64_t(0), before.mode = 0xc0;
  before.s[sampler_sgpr + 1] = SQ_IMG_SAMP_WORD1::MAX_LOD::of(0xfff);
  for (unsigned lane = 0; lane < 64; lane++) {
    before.v[26][lane] = std::bit_cast<uint32_t>(float(lane / 4 % 5));
    before.v[27][lane] = 0x3f800000;
    // A texel a pixel: level 0 and the bias.
    before.v[28][lane] = std::bit_cast<uint32_t>(float(lane / 4 * 3 + lane % 2) * 0x1p-6f);
    before.v[29][lane] = std::bit_cast<uint32_t>(float(lane / 4 * 2 + lane / 2 % 2) * 0x1p-6f);
  }
  set_image(before, image.words());
  wave::Wave like = wave_of(before);
  like.inspected = false;  // nobody looks at a wave that has ended: what is not read any more may be left out
  wave::Executor reference(program, EngineChoice::Interpreter, like);
  Registers level_0 = run(reference, program, before);
  wave::Executor executor(program, EngineChoice::Jit, like, {.first_tier = wave::Tier::Full});
  run(executor, program, before);
  ASSERT_EQ(called + interpreted, 0u);
  before.s[sampler_sgpr + 2] = SQ_IMG_SAMP_WORD2::MIP_FILTER::of(1);
  Registers expected = run(reference, program, before);
  Registers got = run(executor, program, before);
  EXPECT_EQ(got.v[4], expected.v[4]);
  EXPECT_NE(got.v[4], level_0.v[4]);
}

// A program, its reference, and code made for what a first wave met.
struct Compiled {
  std::vector<uint32_t> code = assemble({fmt::format("image_sample v[4:7], v[0:1], s[{}:{}], s[{}:{}] dmask:0xf", resource_sgpr,
                                                     resource_sgpr + 7, sampler_sgpr, sampler_sgpr + 3),
                                         "v_add_f32 v9, v4, v4", "s_endpgm"});
  wave::Program program{gfx7::isa(), code_base, code};
  std::unique_ptr<wave::Executor> reference, executor;
};

class ChangingTextures : public CompiledSampling {
protected:
  ImageNumbers image;
  Registers before;
  Compiled c;
  wave::Wave like;

  void SetUp() override {
    Random r(5);
    for (uint64_t n = 0; n < memory_bytes; n += 4) {
      uint32_t word = r.next();
      std::memcpy(memory.host_pointer + n, &word, 4);
    }
    image.address = (memory.gpu_address + 0xffff) & ~uint64_t(0xffff);
    image.width = image.height = image.pitch = 64;
    set_image(before, image.words());
    before.exec = ~uint64_t(0), before.mode = 0xc0;
    for (unsigned v = 0; v < 2; v++)
      for (auto& lane : before.v[v]) lane = std::bit_cast<uint32_t>(float(r.below(1000)) * 0.001f);
    like = wave_of(before);
    c.reference = std::make_unique<wave::Executor>(c.program, EngineChoice::Interpreter, like);
    run(*c.reference, c.program, before);
    c.executor = std::make_unique<wave::Executor>(c.program, EngineChoice::Jit, like,
                                                  wave::ExecutorOptions{.first_tier = wave::Tier::Full});
    same();
    ASSERT_EQ(called, 0u);
    ASSERT_EQ(interpreted, 0u);
  }
  // The code's result is the reference's, whose instructions are not counted.
  void same() {
    Registers expected = run(*c.reference, c.program, before);
    Registers got = run(*c.executor, c.program, before);
    EXPECT_EQ(stopped, wave::Stop::End);
    EXPECT_TRUE(got == expected);
  }
};

TEST_F(ChangingTextures, OthersOfTheSameFormNeedNoOtherCode) {
  for (unsigned n = 0; n < 40; n++) {
    image.width = 10 + n, image.pitch = 64, image.address += 65536;
    set_image(before, image.words());
    same();
    EXPECT_EQ(called + interpreted, 0u);
  }
}

TEST_F(ChangingTextures, OtherFormsHaveCodeOfTheirOwn) {
  constexpr unsigned forms[] = {10, 3, 1, 5};  // texels of four bytes, two, one, and two halves
  for (unsigned n = 0; n < 200; n++) {
    image.data_format = forms[n % 4];
    set_image(before, image.words());
    same();
    c.executor->wait_for_compilation();
    if (n > 150) ASSERT_EQ(called + interpreted, 0u);
  }
}

TEST_F(ChangingTextures, TooManyFormsAreCalled) {
  constexpr unsigned forms[] = {10, 3, 1, 5, 2, 16, 17, 18, 19, 12};
  for (unsigned n = 0; n < 200; n++) {
    image.data_format = forms[n % std::size(forms)];
    set_image(before, image.words());
    same();
    c.executor->wait_for_compilation();
  }
  EXPECT_GT(called, 0u);
  EXPECT_EQ(interpreted, 0u);
}

TEST_F(ChangingTextures, MemoryIsLookedAtInEachSubmission) {
  Buffer own = *space->allocate(65536 * 2, 4096);
  image.address = (own.gpu_address + 0xff) & ~uint64_t(0xff);
  set_image(before, image.words());
  same();
  EXPECT_EQ(called + interpreted, 0u);
  space->free(own);
  context.images->invalidate();
  run(*c.executor, c.program, before);
  EXPECT_EQ(stopped, wave::Stop::Fault);
  EXPECT_STREQ(storage->fault.reason, "an image of which not all memory is mapped");
}

// Code that stores to images has only such of which all memory may be written; others are faults as the interpreter has them.
TEST_F(CompiledSampling, StoresNeedMemoryThatMayBeWritten) {
  const uint64_t place = uint64_t(1) << 33;
  ASSERT_TRUE(space->map(place, 0, 65536, false));
  ImageNumbers image;
  image.width = image.height = image.pitch = 32;
  Registers before;
  before.exec = ~uint64_t(0), before.mode = 0xc0;
  for (unsigned lane = 0; lane < 64; lane++) before.v[0][lane] = lane % 8, before.v[1][lane] = lane / 8, before.v[4][lane] = lane;
  auto at = [&](uint64_t address) {
    image.address = address;
    set_image(before, image.words());
  };
  const std::string registers = fmt::format("s[{}:{}] dmask:0xf unorm", resource_sgpr, resource_sgpr + 7);
  std::vector<uint32_t> code =
      assemble({"image_load v[8:11], v[0:1], " + registers, "image_store v[4:7], v[0:1], " + registers, "s_endpgm"});
  wave::Program program(gfx7::isa(), code_base, code);
  at((memory.gpu_address + 0xffff) & ~uint64_t(0xffff));
  wave::Wave like = wave_of(before);
  wave::Executor reference(program, EngineChoice::Interpreter, like);
  run(reference, program, before);
  wave::Executor executor(program, EngineChoice::Jit, like, {.first_tier = wave::Tier::Full});
  run(executor, program, before);
  EXPECT_EQ(stopped, wave::Stop::End);
  EXPECT_EQ(called + interpreted, 0u);
  at(place);
  for (unsigned n = 0; n < 3; n++) {
    run(executor, program, before);
    EXPECT_EQ(stopped, wave::Stop::Fault);
    EXPECT_STREQ(storage->fault.reason, "a store to an image in memory that may only be read");
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
