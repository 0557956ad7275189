// GFX12: vertices through NGG, whose attributes go by the ring, and pixel programs of RDNA4's words.
#include "gfx12.h"

#include "amd_gpu.h"
#include "draw_check.h"
#include "gpu/chips/chip.h"
#include "tests/gpu/gfx12/ngg_draw.h"

namespace Atoll::random_states {

namespace {

using namespace gfx12;
using namespace gfx12::packets;
using test::Words;

// Position and two attributes of vertex v3 from a table of 48 bytes a vertex.
const Lines vertex_lines = {"s_pack_ll_b32_b16 s12, 0, s3",
                            "s_load_b128 s[16:19], s[8:9], 0x0",
                            "s_load_b128 s[20:23], s[0:1], 0xa0",
                            "s_bfe_u32 exec_lo, -1, s12",
                            "s_wait_kmcnt 0x0",
                            "buffer_load_b128 v[8:11], v3, s[16:19], null idxen",
                            "buffer_load_b128 v[12:15], v3, s[16:19], null idxen offset:16",
                            "buffer_load_b128 v[16:19], v3, s[16:19], null idxen offset:32",
                            "s_wait_loadcnt 0x0",
                            "export pos0 v8, v9, v10, v11 done",
                            "s_lshl_b32 s13, s3, 8",
                            "s_bfe_u32 exec_lo, -1, s13",
                            "export prim v0, off, off, off done",
                            "s_bfe_u32 exec_lo, -1, s12",
                            "s_bfe_u32 s13, s3, 0x40018",
                            "s_lshl_b32 s13, s13, 5",
                            "v_mbcnt_lo_u32_b32 v4, -1, s13",
                            "s_or_b32 s21, s21, 0x200000",
                            "s_and_b32 s5, s5, 0x7fff",
                            "s_lshl_b32 s5, s5, 9",
                            "buffer_store_b128 v[12:15], v4, s[20:23], s5 idxen scope:SCOPE_DEV",
                            "buffer_store_b128 v[16:19], v4, s[20:23], s5 idxen offset:16 scope:SCOPE_DEV",
                            "s_endpgm"};

class Gfx12Gpu : public AmdGpu<Gfx12States, Words> {
public:
  Gfx12Gpu(const char* chip, const gpu::Options& options) : AmdGpu(*make_device(*gpu::find_chip(chip), options)) {
    tables_ = *space_->allocate((max_draws + 1) * table_bytes, 4096);
    ring_ = allocate_blocks(ring_bytes * engines);
    put_program(0, vertex_lines);
    const std::vector<uint32_t> words = test::ring_words(ring_.gpu_address, uint32_t(ring_bytes * engines));
    std::memcpy(tables_.host_pointer + 0xa0, words.data(), 16);
  }

  Expected<void> draw(uint64_t seed) override {
    Random r(seed);
    surfaces_ = random_surfaces<Gfx12States>(r);
    mode_ = r.one_of({1u, 2u, 3u});
    if (surfaces_.log_samples) mode_ = std::max(mode_, 2u);  // (256 bytes hold no block of several samples)
    fill_targets(r, seed);
    text_.clear(), stream_.clear();
    begin();
    const unsigned draws = 1 + r.below(max_draws);
    for (unsigned n = 0; n < draws; n++) random_draw(r, n);
    std::memset(counter_.host_pointer, 0, 4096);
    stream_.packet(EVENT_WRITE_ZPASS::opcode, {test::low(counter_.gpu_address + 8), test::high(counter_.gpu_address)});
    draw_check().given = true;
    if (surfaces_.coverage_seen) draw_check().enabled = false;
    const uint64_t before = passed_;
    auto done = run_stream();
    passed_ = *reinterpret_cast<const uint64_t*>(counter_.host_pointer + 8) & ~(uint64_t(1) << 63);
    passed_in_state_ = passed_ - before;  // (the chip counts from wherever it stands)
    return done;
  }
  uint64_t samples_passed() const override { return passed_in_state_; }
  std::string text() const override { return text_ + stream_text(registers::gfx12_tables, stream_); }

private:
  static constexpr unsigned table_bytes = 256, engines = 4;
  static constexpr size_t ring_bytes = 0x10000;

  uint64_t put_program(unsigned n, const Lines& lines) {
    return AmdGpu::put_program(n, lines, [](const std::string& line) {
      auto parsed = rdna4::parse(line, {32});
      return parsed ? rdna4::encode(parsed->main, {32}) : Expected<rdna4::Words>(std::unexpected(parsed.error()));
    });
  }
  void set(uint32_t address, uint32_t value) {
    if (address >= 0x30000)
      stream_.user(address, value);
    else if (address >= 0x28000)
      stream_.context(address, value);
    else
      stream_.shader(address, value);
  }
  void begin() {
    for (auto [address, value] : test::registers_of({.vertex = programs_.gpu_address,
                                                     .pixel = programs_.gpu_address,
                                                     .tables = tables_.gpu_address,
                                                     .user_data = tables_.gpu_address + table_bytes,
                                                     .ring = ring_.gpu_address,
                                                     .ring_bytes = unsigned(ring_bytes),
                                                     .attributes = 2,
                                                     .pixel_user_sgprs = user_sgprs,
                                                     .width = width,
                                                     .height = height}))
      set(address, value);
    const uint32_t size = (side - 1) | (side - 1) << 16;
    for (unsigned n = 0; n < 8; n++) {
      using Info = CB_COLOR_INFO;
      if (n >= surfaces_.targets) {
        set(Info::address(n), 0);
        continue;
      }
      const ColourBuffer& c = surfaces_.colour[n];
      set(CB_COLOR_BASE::address(n), uint32_t(colour_[n].gpu_address >> 8));
      set(CB_COLOR_BASE_EXT::address(n), uint32_t(colour_[n].gpu_address >> 40));
      const bool is_float = c.number == Info::NUMBER_TYPE::NUMBER_FLOAT, fixed = !is_float && !c.integer;
      set(Info::address(n), Info::FORMAT::of(c.format) | Info::NUMBER_TYPE::of(c.number) | Info::COMP_SWAP::of(c.swap) |
                                Info::BLEND_BYPASS::of(c.integer) | Info::BLEND_CLAMP::of(fixed) | Info::ROUND_MODE::of(!fixed) |
                                Info::SIMPLE_FLOAT::of(1));
      using Attrib = CB_COLOR_ATTRIB;
      set(Attrib::address(n), Attrib::FORCE_DST_ALPHA_1::of(c.alpha_is_one) | Attrib::NUM_FRAGMENTS::of(surfaces_.log_samples));
      set(CB_COLOR_ATTRIB2::address(n), size);
      set(CB_COLOR_ATTRIB3::address(n), CB_COLOR_ATTRIB3::COLOR_SW_MODE::of(mode_) | CB_COLOR_ATTRIB3::RESOURCE_TYPE::of(1));
    }
    set(DB_Z_INFO::address(), DB_Z_INFO::FORMAT::of(surfaces_.depth_format) | DB_Z_INFO::NUM_SAMPLES::of(surfaces_.log_samples) |
                                  DB_Z_INFO::SW_MODE::of(mode_));
    set(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(surfaces_.stencil) | DB_STENCIL_INFO::SW_MODE::of(mode_));
    set(DB_DEPTH_SIZE_XY::address(), size);
    for (uint32_t base : {DB_Z_READ_BASE::address(), DB_Z_WRITE_BASE::address()})
      set(base, uint32_t(depth_.gpu_address >> 8)), set(base + 4, uint32_t(depth_.gpu_address >> 40));
    for (uint32_t base : {DB_STENCIL_READ_BASE::address(), DB_STENCIL_WRITE_BASE::address()})
      set(base, uint32_t(stencil_.gpu_address >> 8)), set(base + 4, uint32_t(stencil_.gpu_address >> 40));
    stream_.packet(NUM_INSTANCES::opcode, {1});
  }
  void random_draw(Random& r, unsigned n) {
    Words& w = stream_;
    const PixelShader shader = random_pixels(r, n);
    const uint64_t program = put_program(n + 1, shader.lines);
    set(SPI_SHADER_PGM_LO_PS::address(), uint32_t(program >> 8)), set(SPI_SHADER_PGM_HI_PS::address(), uint32_t(program >> 40));
    for (unsigned s = 0; s < user_sgprs; s++) set(SPI_SHADER_USER_DATA_PS::address(s), random_constant(r, s));
    set(SPI_PS_INPUT_ENA::address(), shader.input_ena), set(SPI_PS_INPUT_ADDR::address(), shader.input_addr);
    set(SPI_SHADER_COL_FORMAT::address(), shader.col_format), set(CB_SHADER_MASK::address(), shader.shader_mask);
    // The ring's descriptor and the table's: each draw has its own.
    const uint64_t own = tables_.gpu_address + (n + 1) * table_bytes;
    set(SPI_SHADER_USER_DATA_GS::address(0), test::low(own)), set(SPI_SHADER_USER_DATA_GS::address(1), test::high(own));
    const RandomVertices vertices = random_vertices(r);
    std::memcpy(vertices_.host_pointer + n * vertex_bytes, vertices.values.data(), vertices.values.size() * 48);
    const std::vector<uint32_t> words =
        test::buffer_words(vertices_.gpu_address + n * vertex_bytes, 48, uint32_t(vertices.values.size()));
    std::memcpy(tables_.host_pointer + (n + 1) * table_bytes, words.data(), 16);
    set(VGT_PRIMITIVE_TYPE::address(), vertices.type), set(VGT_GS_OUT_PRIM_TYPE::address(), test::output_of(vertices.type));
    w.packet(DRAW_INDEX_AUTO::opcode, {uint32_t(vertices.values.size()), 2});
  }

  Buffer tables_, ring_;
  uint32_t mode_ = 2;  // how surfaces are swizzled
  uint64_t passed_ = 0, passed_in_state_ = 0;
};

}  // namespace

std::unique_ptr<RandomGpu> make_gfx1200(const gpu::Options& options) { return std::make_unique<Gfx12Gpu>("gfx1200", options); }
std::unique_ptr<RandomGpu> make_gfx1201(const gpu::Options& options) { return std::make_unique<Gfx12Gpu>("gfx1201", options); }

}  // namespace Atoll::random_states
