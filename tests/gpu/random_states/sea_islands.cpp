#include "sea_islands.h"

#include "amd_gpu.h"
#include "draw_check.h"
#include "gpu/chips/chip.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"
#include "registers/pm4.h"

namespace Atoll::random_states {

namespace {

using namespace packets;

class SeaIslandsGpu : public AmdGpu<SeaIslandsStates, Words> {
public:
  explicit SeaIslandsGpu(const gpu::Options& options) : AmdGpu(*make_device(*gpu::find_chip("bonaire"), options)) {
    // Position and two attributes of 16 bytes each from a table: s[0:1] has its address, v0 the vertex.
    put_program(0, {"v_lshlrev_b32 v1, 6, v0", "v_mov_b32 v2, s1", "v_add_i32 v1, vcc, s0, v1", "v_addc_u32 v2, vcc, 0, v2, vcc",
                    "flat_load_dwordx4 v[4:7], v[1:2]", "v_add_i32 v1, vcc, 16, v1", "v_addc_u32 v2, vcc, 0, v2, vcc",
                    "flat_load_dwordx4 v[8:11], v[1:2]", "v_add_i32 v1, vcc, 16, v1", "v_addc_u32 v2, vcc, 0, v2, vcc",
                    "flat_load_dwordx4 v[12:15], v[1:2]", "s_waitcnt vmcnt(0) & lgkmcnt(0)", "exp pos0 v4, v5, v6, v7 done",
                    "exp param0 v8, v9, v10, v11", "exp param1 v12, v13, v14, v15", "s_endpgm"});
  }

  Expected<void> draw(uint64_t seed) override {
    Random r(seed);
    surfaces_ = random_surfaces<SeaIslandsStates>(r);
    fill_targets(r, seed);
    text_.clear();
    stream_.clear();
    begin();
    const unsigned draws = 1 + r.below(max_draws);
    for (unsigned n = 0; n < draws; n++) random_draw(r, n);
    std::memset(counter_.host_pointer, 0, 4096);
    stream_.store(DB_ZPASS_COUNT_LOW::address(), counter_.gpu_address);
    if (surfaces_.coverage_seen) draw_check().enabled = false;
    return run_stream();
  }
  uint64_t samples_passed() const override { return *reinterpret_cast<const uint32_t*>(counter_.host_pointer); }
  std::string text() const override { return text_ + stream_text(registers::sea_islands_tables, stream_); }

private:
  uint64_t put_program(unsigned n, const Lines& lines) {
    return AmdGpu::put_program(n, lines, [](const std::string& line) {
      auto i = gfx7::parse(line);
      return i ? gfx7::encode(*i) : Expected<gfx7::Words>(std::unexpected(i.error()));
    });
  }
  void begin() {
    Words& w = stream_;
    w.packet(CLEAR_STATE::opcode, {0});
    const uint64_t vertex = programs_.gpu_address;
    w.shader(SPI_SHADER_PGM_LO_VS::address(), Words::low(vertex >> 8))
        .shader(SPI_SHADER_PGM_HI_VS::address(), uint32_t(vertex >> 40));
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0004)
        .shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2));
    w.context(SPI_SHADER_POS_FORMAT::address(), 4);
    w.context(SPI_VS_OUT_CONFIG::address(), SPI_VS_OUT_CONFIG::VS_EXPORT_COUNT::of(1));
    w.context(SPI_PS_IN_CONTROL::address(), 2);
    for (unsigned n = 0; n < surfaces_.targets; n++) {
      const ColourBuffer& c = surfaces_.colour[n];
      w.context(CB_COLOR_BASE::address(n), uint32_t(colour_[n].gpu_address >> 8));
      w.context(CB_COLOR_PITCH::address(n), side / 8 - 1).context(CB_COLOR_SLICE::address(n), side * side / 64 - 1);
      using Info = CB_COLOR_INFO;
      const bool is_float = c.number == Info::NUMBER_TYPE::NUMBER_FLOAT, fixed = !is_float && !c.integer;
      w.context(Info::address(n), Info::FORMAT::of(c.format) | Info::NUMBER_TYPE::of(c.number) | Info::COMP_SWAP::of(c.swap) |
                                      Info::BLEND_BYPASS::of(c.integer) | Info::BLEND_CLAMP::of(fixed) |
                                      Info::ROUND_MODE::of(!fixed) | Info::SIMPLE_FLOAT::of(1));
      w.context(CB_COLOR_ATTRIB::address(n), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(surfaces_.log_samples ? 14 : 8) |
                                                 CB_COLOR_ATTRIB::FORCE_DST_ALPHA_1::of(c.alpha_is_one) |
                                                 CB_COLOR_ATTRIB::NUM_SAMPLES::of(surfaces_.log_samples) |
                                                 CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(surfaces_.log_samples));
    }
    w.context(DB_Z_INFO::address(),
              DB_Z_INFO::FORMAT::of(surfaces_.depth_format) | DB_Z_INFO::NUM_SAMPLES::of(surfaces_.log_samples));
    w.context(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(surfaces_.stencil));
    w.context(DB_DEPTH_INFO::address(), DB_DEPTH_INFO::ARRAY_MODE::of(ArrayMode::ARRAY_1D_TILED_THIN1) |
                                            DB_DEPTH_INFO::PIPE_CONFIG::of(sea_islands::PipeConfig::ADDR_SURF_P4_16x16));
    w.context(DB_DEPTH_SIZE::address(),
              DB_DEPTH_SIZE::PITCH_TILE_MAX::of(side / 8 - 1) | DB_DEPTH_SIZE::HEIGHT_TILE_MAX::of(side / 8 - 1));
    w.context(DB_DEPTH_SLICE::address(), side * side / 64 - 1);
    for (uint32_t base : {DB_Z_READ_BASE::address(), DB_Z_WRITE_BASE::address()})
      w.context(base, uint32_t(depth_.gpu_address >> 8));
    for (uint32_t base : {DB_STENCIL_READ_BASE::address(), DB_STENCIL_WRITE_BASE::address()})
      w.context(base, uint32_t(stencil_.gpu_address >> 8));
    w.context(PA_SC_WINDOW_SCISSOR_BR::address(), width | height << 16)
        .context(PA_SC_SCREEN_SCISSOR_BR::address(), width | height << 16);
    w.context(PA_SC_LINE_CNTL::address(), 0);
    w.context(PA_SU_VTX_CNTL::address(), 0x2d).context(PA_CL_VTE_CNTL::address(), 0x43f);
    for (uint32_t address : {PA_CL_VPORT_XSCALE::address(0), PA_CL_VPORT_XOFFSET::address(0)})
      w.context(address, bits(width / 2));
    for (uint32_t address : {PA_CL_VPORT_YSCALE::address(0), PA_CL_VPORT_YOFFSET::address(0)})
      w.context(address, bits(height / 2));
    for (uint32_t address : {PA_CL_VPORT_ZSCALE::address(0), PA_CL_VPORT_ZOFFSET::address(0)}) w.context(address, bits(0.5f));
    w.context(PA_CL_GB_HORZ_CLIP_ADJ::address(), bits(8)).context(PA_CL_GB_VERT_CLIP_ADJ::address(), bits(8));
    w.packet(NUM_INSTANCES::opcode, {1});
  }
  void random_draw(Random& r, unsigned n) {
    Words& w = stream_;
    const PixelShader shader = random_pixels(r, n);
    const uint64_t program = put_program(n + 1, shader.lines);
    w.shader(SPI_SHADER_PGM_LO_PS::address(), uint32_t(program >> 8))
        .shader(SPI_SHADER_PGM_HI_PS::address(), uint32_t(program >> 40));
    w.shader(SPI_SHADER_PGM_RSRC1_PS::address(), 0x000c000f)
        .shader(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(user_sgprs));
    for (unsigned s = 0; s < user_sgprs; s++) w.shader(SPI_SHADER_USER_DATA_PS::address(s), random_constant(r, s));
    w.context(SPI_PS_INPUT_ENA::address(), shader.input_ena).context(SPI_PS_INPUT_ADDR::address(), shader.input_addr);
    w.context(SPI_SHADER_COL_FORMAT::address(), shader.col_format).context(CB_SHADER_MASK::address(), shader.shader_mask);
    const uint64_t table = vertices_.gpu_address + n * vertex_bytes;
    w.shader(SPI_SHADER_USER_DATA_VS::address(0), Words::low(table))
        .shader(SPI_SHADER_USER_DATA_VS::address(1), Words::high(table));
    const RandomVertices vertices = random_vertices(r);
    for (size_t k = 0; k < vertices.values.size(); k++)
      std::memcpy(vertices_.host_pointer + n * vertex_bytes + k * 64, vertices.values[k].data(), 48);
    w.user(VGT_PRIMITIVE_TYPE::address(), vertices.type);
    w.packet(DRAW_INDEX_AUTO::opcode, {uint32_t(vertices.values.size()), 2});
  }
};

}  // namespace

std::unique_ptr<RandomGpu> make_sea_islands(const gpu::Options& options) { return std::make_unique<SeaIslandsGpu>(options); }

}  // namespace Atoll::random_states
