// The stages before rasterization of GFX12 without a driver: programs and vertices in memory, the registers of an NGG draw, and a canvas
// that the stage's primitives are drawn on, beside one that has the same vertices from a table.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "gpu/chips/chip.h"
#include "gpu/gfx12/draw/primitive_stage.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"
#include "tests/pipeline/canvas.h"

namespace Atoll::gfx12::test {

// Shaders make addresses of 32 bits and this upper half.
inline constexpr uint32_t upper = 0x10;
inline constexpr uint64_t base = uint64_t(upper) << 32;
inline constexpr uint64_t code_page = base, tables = base + 0x10000, vertex_table = tables + 0x1000, vertex_data = base + 0x20000,
                          other_data = base + 0x120000, ring = base + 0x200000;
inline constexpr uint64_t ring_bytes = 0x100000, all_bytes = 0x300000;

struct Setting {
  gpu::Engine engine = gpu::Engine::Jit;
  unsigned threads = 1, lanes = 64;
  unsigned vertices = 128, primitives = 128;  // of a subgroup
};

class PrimitiveMachine {
public:
  explicit PrimitiveMachine(const Setting& setting) : setting(setting), workers(setting.threads) {
    options.engine = setting.engine;
    const uint64_t offset = *space->memory().allocate(all_bytes);
    EXPECT_TRUE(space->map(base, offset, all_bytes));
    std::memset(space->host(base), 0, all_bytes);
    context = std::make_unique<DrawContext>(*gpu::find_chip("gfx1201"), gpu::QueueKind::graphics, *space, options, stop);
    context->workers = &workers;
    context->shaders = std::make_shared<ShaderCache>(*space, setting.engine);
    set<SPI_SHADER_PGM_LO_ES>(uint32_t(code_page >> 8)), set<SPI_SHADER_PGM_HI_ES>(uint32_t(code_page >> 40));
    set<SPI_SHADER_PGM_LO_GS>(uint32_t(tables)), set<SPI_SHADER_PGM_HI_GS>(upper);
    using One = SPI_SHADER_PGM_RSRC1_GS;
    set<One>(One::VGPRS::of(setting.lanes == 64 ? 15 : 7) | One::FLOAT_MODE::of(0xc0) | One::GS_VGPR_COMP_CNT::of(2));
    resources(4, 1, 0);
    set<GE_CNTL>(GE_CNTL::VERTS_PER_SUBGRP::of(setting.vertices) | GE_CNTL::PRIMS_PER_SUBGRP::of(setting.primitives));
    set<GE_NGG_SUBGRP_CNTL>(1), set<GE_MAX_OUTPUT_PER_SUBGROUP>(setting.vertices);
    set<SPI_SHADER_IDX_FORMAT>(SPI_SHADER_FORMAT::SPI_SHADER_1COMP);
    set<SPI_SHADER_POS_FORMAT>(0x44444);
    set<SPI_ATTRIBUTE_RING_BASE>(uint32_t(ring >> 16));
    set<SPI_ATTRIBUTE_RING_SIZE>(SPI_ATTRIBUTE_RING_SIZE::MEM_SIZE::of(uint32_t(ring_bytes / 4 >> 16) - 1));
    stages(VGT_SHADER_STAGES_EN::PRIMGEN_PASSTHRU_NO_MSG::of(1));
    attributes(1);
    set<SPI_SHADER_USER_DATA_GS>(uint32_t(vertex_table), 0), set<SPI_SHADER_USER_DATA_GS>(upper, 1);
    // The attribute ring (Mesa ac_descriptors.c, ac_build_attr_ring_descriptor): elements of 16 bytes, an index stride of 32.
    const uint32_t ring_descriptor[] = {uint32_t(ring), upper | 3u << 30, uint32_t(ring_bytes), 0x0043'ffac};
    write(tables + 0xa0, ring_descriptor, sizeof ring_descriptor);
  }
  template <class Register, class... Index>
  void set(uint32_t value, Index... index) {
    context->registers.set(Register::address(index...), value);
  }
  void resources(unsigned user_sgprs, unsigned vertex_vgprs, uint32_t lds_units) {
    using Two = SPI_SHADER_PGM_RSRC2_GS;
    set<Two>(Two::USER_SGPR::of(user_sgprs) | Two::ES_VGPR_COMP_CNT::of(vertex_vgprs) | Two::LDS_SIZE::of(lds_units));
  }
  void stages(uint32_t enabled) { set<VGT_SHADER_STAGES_EN>(enabled | VGT_SHADER_STAGES_EN::GS_W32_EN::of(setting.lanes == 32)); }
  void attributes(unsigned count) {
    using Out = SPI_SHADER_GS_OUT_CONFIG_PS;
    set<Out>(count ? Out::VS_EXPORT_COUNT::of(count - 1) | Out::NUM_INTERP::of(count) : Out::NO_PC_EXPORT::of(1));
  }
  void write(uint64_t at, const void* from, size_t bytes) { std::memcpy(space->host(at), from, bytes); }
  uint32_t& word(uint64_t at) { return *reinterpret_cast<uint32_t*>(space->host(at)); }
  // A V# of records of four floats and more.
  void buffer(uint64_t at, uint64_t address, uint32_t stride, uint32_t records) {
    const uint32_t words[] = {uint32_t(address), uint32_t(address >> 32) | stride << 16, records,
                              63u << 12 | 4 | 5 << 3 | 6 << 6 | 7 << 9 | (stride ? 1u : 3u) << 28};
    write(at, words, sizeof words);
  }
  // Vertices of a table: position and one attribute each, 32 bytes.
  void vertices(const pipeline::TableVertices& from) {
    ASSERT_EQ(from.count, 1u);
    ASSERT_LE(from.vertices.size() * 32, other_data - vertex_data);
    for (size_t n = 0; n < from.vertices.size(); n++) {
      write(vertex_data + n * 32, from.vertices[n].position, 16);
      write(vertex_data + n * 32 + 16, &from.attributes[n * 4], 16);
    }
    buffer(vertex_table, vertex_data, 32, uint32_t(from.vertices.size()));
  }
  void assemble(const std::string& text, uint64_t at = code_page) {
    std::vector<uint32_t> words;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      auto parsed = rdna4::parse(line, {setting.lanes});
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      auto encoded = rdna4::encode(parsed->main, {setting.lanes});
      ASSERT_TRUE(encoded) << line;
      words.insert(words.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
    }
    write(at, words.data(), words.size() * 4);
    context->shaders->invalidate();
  }
  // The output's kind and the provoking vertex, as drivers set them for an assembly.
  void assembly(const pipeline::Assembly& assembly, uint32_t output) {
    set<VGT_GS_OUT_PRIM_TYPE>(output);
    using Mode = PA_SU_SC_MODE_CNTL;
    set<Mode>(Mode::PROVOKING_VTX_LAST::of(assembly.provoking == pipeline::ProvokingVertex::last));
  }
  // Draws on the canvas what the stage makes of its draw. (GPU code runs on threads of Atoll's only.)
  bool draw(pipeline::Canvas& canvas, PrimitiveStage& stage) {
    bool good = false;
    std::thread([&] {
      if (!stage.prepare(*context)) return;
      pipeline::Draw draw = canvas.draw;
      draw.vertex_stage = nullptr, draw.given_attributes = stage.attribute_count();
      pipeline::GivenDraw given(draw, workers, stop);
      good = stage.run(draw.vertices, draw.assembly, given, canvas.counters) && given.end(canvas.counters);
    }).join();
    return good;
  }

  const Setting setting;
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  std::atomic<int> stop{0};
  gpu::Options options;
  pipeline::Workers workers;
  std::unique_ptr<DrawContext> context;
};

// Loads the position and the attribute of vertex v3, and passes them and the primitive on: RADV's vertex shaders have this form.
inline std::string passthrough(unsigned lanes, unsigned attribute_count = 1) {
  const bool wide = lanes == 64;
  auto first_lanes = [&](const char* amount) {
    return std::string(wide ? "s_bfe_u64 exec, -1, " : "s_bfe_u32 exec_lo, -1, ") + amount + "\n";
  };
  std::string text = R"(s_pack_ll_b32_b16 s12, 0, s3
s_load_b128 s[16:19], s[8:9], 0x0
s_load_b128 s[20:23], s[0:1], 0xa0
)" + first_lanes("s12") +
                     R"(s_wait_kmcnt 0x0
buffer_load_b128 v[8:11], v3, s[16:19], null idxen
buffer_load_b128 v[12:15], v3, s[16:19], null idxen offset:16
s_wait_loadcnt 0x0
export pos0 v8, v9, v10, v11 done
s_lshl_b32 s13, s3, 8
)" + first_lanes("s13") +
                     "export prim v0, off, off, off done\n" + first_lanes("s12") + "s_bfe_u32 s13, s3, 0x40018\n" +
                     (wide ? "s_lshl_b32 s13, s13, 6\nv_mbcnt_lo_u32_b32 v4, -1, s13\nv_mbcnt_hi_u32_b32 v4, -1, v4\n"
                           : "s_lshl_b32 s13, s13, 5\nv_mbcnt_lo_u32_b32 v4, -1, s13\n") +
                     "s_or_b32 s21, s21, " + std::to_string(16 * attribute_count << 16) + R"(
s_and_b32 s5, s5, 0x7fff
s_lshl_b32 s5, s5, 9
buffer_store_b128 v[12:15], v4, s[20:23], s5 idxen scope:SCOPE_DEV
)";
  for (unsigned n = 1; n < attribute_count; n++)
    text += "buffer_store_b128 v[8:11], v4, s[20:23], s5 idxen offset:" + std::to_string(16 * n) + " scope:SCOPE_DEV\n";
  return text + "s_endpgm\n";
}

}  // namespace Atoll::gfx12::test
