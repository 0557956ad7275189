#include "dg1.h"

#include <fmt/format.h>

#include "draw_check.h"
#include "gpu/chips/chip.h"
#include "gpu/dg1/device.h"
#include "isa/xe_lp/program.h"
#include "registers/batch_walk.h"
#include "registers/lookup.h"
#include "registers/stream_text.h"

namespace Atoll::random_states {

namespace dg1_states {
namespace {

using namespace dg1::commands;
using dg1::_3D_Prim_Topo_Type;
using dg1::SURFACE_FORMAT;
using Surface = dg1::structures::RENDER_SURFACE_STATE;

constexpr unsigned up(unsigned value, unsigned to) { return (value + to - 1) / to * to; }

// How many samples of a depth or stencil buffer lie side by side in a pixel's place, and above each other.
struct Interleaved {
  unsigned x, y;
};
constexpr Interleaved interleaved[] = {{1, 1}, {2, 1}, {2, 2}, {4, 2}, {4, 4}};

// Commands with the fields that are not 0.
std::string batch_text(std::span<const uint32_t> batch) {
  std::string text;
  for (size_t at = 0; at < batch.size();) {
    const registers::Command* row = registers::find_command(registers::dg1_tables, batch[at]);
    if (!row) break;
    const auto words = batch.subspan(at, std::min<size_t>(row->dwords_of(batch[at]), batch.size() - at));
    text += fmt::format("  {}\n", row->name);
    registers::each_field(*row, words, [&](const registers::Field& field, int, uint64_t value) {
      if (value) text += fmt::format("      {}\n", registers::field_text(field, value));
    });
    at += words.size();
  }
  return text;
}

// A structure's fields that are not 0.
std::string structure_text(std::string_view name, std::span<const uint32_t> words) {
  std::string text = fmt::format("  {}\n", name);
  for (const registers::Command& row : registers::dg1_tables.structures)
    if (row.name == name)
      registers::each_field(row, words, [&](const registers::Field& field, int, uint64_t value) {
        if (value) text += fmt::format("      {}\n", registers::field_text(field, value));
      });
  return text;
}

class Dg1Gpu : public RandomGpu {
public:
  explicit Dg1Gpu(const gpu::Options& options) {
    space_ = *AddressSpace::create();
    device_ = *dg1::make_device(*gpu::find_chip("dg1"), options);
    queue_ = *device_->make_queue(gpu::QueueKind::graphics, *space_);
    for (Buffer& colour : colour_) colour = *space_->allocate(colour_bytes, 4096);
    depth_ = *space_->allocate(tests_bytes, 4096), stencil_ = *space_->allocate(tests_bytes, 4096);
    vertices_ = *space_->allocate(max_draws * vertices_bytes, 4096);
    programs_ = *space_->allocate((max_draws + 1) * program_bytes, 4096);
    dynamic_ = *space_->allocate(max_draws * Dynamic::bytes, 4096), surface_states_ = *space_->allocate(4096, 4096);
    commands_ = *space_->allocate(1 << 18, 4096), counter_ = *space_->allocate(4096, 4096);
    // Header, position and two colours as they come: two slots a message.
    put_program(0, {"send.urb (8|M0) null r1 r2 0x200 0x02080007", "send.urb (8|M0) null r1 r10 0x200 0x02080027 {EOT}"});
  }

  Expected<void> draw(uint64_t seed) override {
    Random r(seed);
    surfaces_ = random_surfaces(r);
    Random content(seed ^ 0x5ca1ab1e);
    for (unsigned n = 0; n < surfaces_.targets; n++) fill(content, colour_bytes_of(n), surfaces_.colour[n].content);
    fill_depths(r, content);
    text_.clear(), stream_.clear();
    draw_check().expectations.clear();
    begin();
    count_samples(counter_.gpu_address);
    const unsigned draws = 1 + r.below(max_draws);
    for (unsigned n = 0; n < draws; n++) random_draw(r, n);
    count_samples(counter_.gpu_address + 8);
    stream_.end_batch();
    std::memcpy(commands_.host_pointer, stream_.data(), stream_.size() * 4);
    const gpu::CommandBuffer commands{commands_.gpu_address, uint32_t(stream_.size())};
    if (surfaces_.coverage_seen) draw_check().enabled = false;
    return queue_->run(std::span(&commands, 1));
  }
  std::vector<Range> targets() const override {
    std::vector<Range> all;
    for (unsigned n = 0; n < surfaces_.targets; n++) all.push_back({fmt::format("colour {}", n), colour_bytes_of(n)});
    all.push_back({"depth", depth_bytes()});
    all.push_back({"stencil", stencil_bytes()});
    return all;
  }
  uint64_t samples_passed() const override {
    const auto* counts = reinterpret_cast<const uint64_t*>(counter_.host_pointer);
    return counts[1] - counts[0];
  }
  gpu::Statistics statistics() const override { return queue_->statistics(); }
  std::string text() const override { return text_ + batch_text(stream_); }

private:
  static constexpr unsigned max_draws = 6, vertices_bytes = 4096, program_bytes = 1 << 14, colour_bytes = 1 << 21,
                            tests_bytes = 1 << 19;
  static constexpr uint32_t table = 0x800;  // of bindings, from the surface base

  // Sizes with all samples.
  unsigned depth_texel() const { return surfaces_.depth_format == _3DSTATE_DEPTH_BUFFER::Surface_Format::D16_UNORM ? 2 : 4; }
  unsigned pitch_of_tests(unsigned texel) const { return up(width * interleaved[surfaces_.log2_samples].x * texel, 128); }
  unsigned rows_of_tests() const { return up(height * interleaved[surfaces_.log2_samples].y, 32); }
  unsigned pitch_of(const ColourBuffer& c) const { return up(width * c.bytes, 512); }
  std::span<uint8_t> depth_bytes() const {
    return {depth_.host_pointer, size_t(pitch_of_tests(depth_texel())) * rows_of_tests()};
  }
  std::span<uint8_t> stencil_bytes() const { return {stencil_.host_pointer, size_t(pitch_of_tests(1)) * rows_of_tests()}; }
  std::span<uint8_t> colour_bytes_of(unsigned n) const {
    return {colour_[n].host_pointer, size_t(pitch_of(surfaces_.colour[n])) * up(height * surfaces_.samples(), 32)};
  }

  uint64_t put_program(unsigned n, const std::vector<std::string>& lines) {
    auto words = xe_lp::assemble(lines);
    if (!words || words->size() * 4 > program_bytes) {
      fmt::print(stderr, "{}\n", words ? "a program that is too long" : words.error().message);
      std::abort();
    }
    std::memset(programs_.host_pointer + n * program_bytes, 0, program_bytes);
    std::memcpy(programs_.host_pointer + n * program_bytes, words->data(), words->size() * 4);
    return n * program_bytes;
  }
  // Depths from 0 to 1, or those of primitives that lie at one depth.
  void fill_depths(Random& r, Random& content) {
    fill(content, stencil_bytes(), Content::bytes);
    if (r.percent(40))
      for (uint8_t& value : stencil_bytes()) value &= 3;
    auto* words = reinterpret_cast<uint32_t*>(depth_.host_pointer);
    const bool one = r.percent(30);
    using Format = _3DSTATE_DEPTH_BUFFER::Surface_Format;
    for (size_t n = 0; n < depth_bytes().size() / 4; n++) switch (surfaces_.depth_format) {
        case Format::D32_FLOAT: words[n] = bits(one ? 0.5f : content.unit()); break;
        case Format::D16_UNORM: words[n] = one ? 0x80008000 : content.next(); break;
        default: words[n] = one ? 0xab800000 : content.next();
      }
  }
  void count_samples(uint64_t address) {
    stream_.add<PIPE_CONTROL>([&](uint32_t* w) {
      PIPE_CONTROL::Depth_Stall_Enable::set(w, 1),
          PIPE_CONTROL::Post_Sync_Operation::set(w, PIPE_CONTROL::Post_Sync_Operation::Write_PS_Depth_Count);
      PIPE_CONTROL::Address::set(w, address);
    });
  }
  void put_surface(unsigned n) {
    const ColourBuffer& c = surfaces_.colour[n];
    uint32_t w[Surface::dwords] = {};
    Surface::Surface_Type::set(w, c.null ? Surface::Surface_Type::SURFTYPE_NULL : Surface::Surface_Type::SURFTYPE_2D);
    Surface::Surface_Format::set(w, c.format), Surface::Tile_Mode::set(w, c.tile);
    Surface::Width::set(w, width - 1), Surface::Height::set(w, height - 1), Surface::Surface_Pitch::set(w, pitch_of(c) - 1);
    Surface::Surface_Horizontal_Alignment::set(w, 3), Surface::Surface_Vertical_Alignment::set(w, 1);
    Surface::Surface_QPitch::set(w, height / 4), Surface::Number_of_Multisamples::set(w, surfaces_.log2_samples);
    Surface::Shader_Channel_Select_Red::set(w, 4), Surface::Shader_Channel_Select_Green::set(w, 5);
    Surface::Shader_Channel_Select_Blue::set(w, 6), Surface::Shader_Channel_Select_Alpha::set(w, 7);
    Surface::Surface_Base_Address::set(w, colour_[n].gpu_address);
    text_ += structure_text("RENDER_SURFACE_STATE", w);
    std::memcpy(surface_states_.host_pointer + n * 64, w, sizeof w);
    const uint32_t entry = n * 64;
    std::memcpy(surface_states_.host_pointer + table + n * 4, &entry, 4);
  }
  void begin() {
    Batch& b = stream_;
    b.add<PIPE_CONTROL>([](uint32_t* w) {
      PIPE_CONTROL::State_Cache_Invalidation_Enable::set(w, 1), PIPE_CONTROL::Instruction_Cache_Invalidate_Enable::set(w, 1);
      PIPE_CONTROL::Command_Streamer_Stall_Enable::set(w, 1);
    });
    b.add<STATE_BASE_ADDRESS>([&](uint32_t* w) {
      using Base = STATE_BASE_ADDRESS;
      Base::Surface_State_Base_Address_Modify_Enable::set(w, 1),
          Base::Surface_State_Base_Address::set(w, surface_states_.gpu_address);
      Base::Dynamic_State_Base_Address_Modify_Enable::set(w, 1), Base::Dynamic_State_Base_Address::set(w, dynamic_.gpu_address);
      Base::Instruction_Base_Address_Modify_Enable::set(w, 1), Base::Instruction_Base_Address::set(w, programs_.gpu_address);
    });
    for (unsigned n = 0; n < surfaces_.targets; n++) put_surface(n);
    b.add<_3DSTATE_BINDING_TABLE_POINTERS_PS>([](uint32_t* w) { w[1] = table; });
    const unsigned log2 = surfaces_.log2_samples;
    b.add<_3DSTATE_DEPTH_BUFFER>([&](uint32_t* w) {
      using D = _3DSTATE_DEPTH_BUFFER;
      const uint32_t format = surfaces_.depth_format;
      D::Surface_Type::set(w, format ? 1 : D::Surface_Type::SURFTYPE_NULL), D::Surface_Format::set(w, format ? format : 1);
      D::Depth_Write_Enable::set(w, 1), D::Width::set(w, width - 1), D::Height::set(w, height - 1);
      D::Surface_Pitch::set(w, pitch_of_tests(depth_texel()) - 1), D::Surface_QPitch::set(w, height * interleaved[log2].y / 4);
      D::Surface_Base_Address::set(w, depth_.gpu_address);
    });
    b.add<_3DSTATE_STENCIL_BUFFER>([&](uint32_t* w) {
      using S = _3DSTATE_STENCIL_BUFFER;
      S::Surface_Type::set(w, surfaces_.stencil ? 1 : S::Surface_Type::SURFTYPE_NULL), S::Stencil_Write_Enable::set(w, 1);
      S::Width::set(w, width - 1), S::Height::set(w, height - 1), S::Surface_Pitch::set(w, pitch_of_tests(1) - 1);
      S::Surface_QPitch::set(w, height * interleaved[log2].y / 4), S::Surface_Base_Address::set(w, stencil_.gpu_address);
    });
    b.add<_3DSTATE_URB_VS>([](uint32_t*) {});
    b.add<_3DSTATE_VERTEX_ELEMENTS>(
        [](uint32_t* w) {
          for (uint32_t n = 0; n < 4; n++) {  // header, position, two colours
            const uint32_t format = n ? SURFACE_FORMAT::R32G32B32A32_FLOAT : SURFACE_FORMAT::R32G32B32A32_UINT;
            w[1 + 2 * n] = 16 * n | format << 16 | 1 << 25, w[2 + 2 * n] = 0x11110000;
          }
        },
        9);
  }
  void random_draw(Random& r, unsigned n) {
    Batch& b = stream_;
    Expectation e;
    const uint32_t topology =
        r.one_of({uint32_t(_3D_Prim_Topo_Type::_3DPRIM_TRILIST), uint32_t(_3D_Prim_Topo_Type::_3DPRIM_TRILIST),
                  uint32_t(_3D_Prim_Topo_Type::_3DPRIM_TRISTRIP), uint32_t(_3D_Prim_Topo_Type::_3DPRIM_TRIFAN),
                  uint32_t(_3D_Prim_Topo_Type::_3DPRIM_QUADLIST), uint32_t(_3D_Prim_Topo_Type::_3DPRIM_RECTLIST),
                  uint32_t(_3D_Prim_Topo_Type::_3DPRIM_POINTLIST), uint32_t(_3D_Prim_Topo_Type::_3DPRIM_LINELIST)});
    const bool rectangles = topology == _3D_Prim_Topo_Type::_3DPRIM_RECTLIST;
    const Dynamic dynamic{dynamic_.host_pointer, n * Dynamic::bytes};
    const PixelShader shader = random_shader(r, surfaces_, random_dual_source(r, surfaces_));
    random_blending(r, surfaces_, shader, dynamic, b, e);
    random_depth_stencil(r, surfaces_, b, e);
    random_viewports(r, dynamic, rectangles, b, e);
    random_rasterization(r, surfaces_, shader, b, e);
    random_inputs(r, b);
    text_ += fmt::format("pixel shader of draw {}\n", n);
    const uint32_t* blend = dynamic.at<uint32_t>(Dynamic::blend);
    text_ += structure_text("BLEND_STATE", {blend, 1});
    for (unsigned t = 0; t < surfaces_.targets; t++) text_ += structure_text("BLEND_STATE_ENTRY", {blend + 1 + 2 * t, 2});
    for (const std::string& line : shader.lines) text_ += "    " + line + "\n";
    set_shader(shader, put_program(n + 1, shader.lines), b);
    for (unsigned k = 0; k < 8; k++)
      dynamic.at<float>(Dynamic::constants)[k] = k == 7 ? r.real(0.2f, 0.8f) : r.percent(75) ? r.unit() : r.real(-1, 2);
    b.add<_3DSTATE_CONSTANT_PS>([&](uint32_t* w) {
      using C = _3DSTATE_CONSTANT_PS;
      C::Constant_Body_Read_Length_3::set(w, 1);
      C::Constant_Body_Buffer_3::set(w, dynamic_.gpu_address + dynamic.offset + Dynamic::constants);
    });
    b.add<_3DSTATE_VS>([&](uint32_t* w) {
      using V = _3DSTATE_VS;
      V::Enable::set(w, !rectangles && r.percent(30)), V::SIMD8_Dispatch_Enable::set(w, 1),
          V::Vertex_URB_Entry_Read_Length::set(w, 2);
      V::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 2), V::Statistics_Enable::set(w, 1);
    });
    b.add<_3DSTATE_VF_TOPOLOGY>([&](uint32_t* w) { w[1] = topology; });
    const uint32_t count = put_vertices(r, n, topology);
    b.add<_3DPRIMITIVE>(
        [&](uint32_t* w) { _3DPRIMITIVE::Vertex_Count_Per_Instance::set(w, count), _3DPRIMITIVE::Instance_Count::set(w, 1); }, 7);
    if (count) draw_check().expectations.push_back([e](const pipeline::Draw& draw) { return difference(e, draw); });
  }
  // One primitive that fills blocks, or small ones, or both.
  uint32_t put_vertices(Random& r, unsigned n, uint32_t topology) {
    std::vector<std::array<float, 16>> all;
    const bool one_depth = r.percent(40), rectangles = topology == _3D_Prim_Topo_Type::_3DPRIM_RECTLIST;
    const bool quads = topology == _3D_Prim_Topo_Type::_3DPRIM_QUADLIST;
    auto add = [&](float x, float y, float depth) {
      const float scale = rectangles || r.percent(60) ? 1 : r.real(0.5f, 3);  // clip.w
      const uint32_t viewport = rectangles ? 0 : r.below(5);
      std::array<float, 16> v{
          0,    0, std::bit_cast<float>(viewport), r.percent(10) ? 60 : r.real(0.3f, 12), x * scale, y * scale, depth * scale,
          scale};
      for (unsigned k = 8; k < 16; k++) v[k] = r.percent(85) ? r.unit() : r.real(-1, 2);
      all.push_back(v);
    };
    auto depth = [&] { return one_depth ? 0.25f : r.real(-0.2f, 1.1f); };
    if (r.percent(65)) {
      const float z = depth();
      if (quads)
        add(-1, -1, z), add(1, -1, z), add(1, 1, z), add(-1, 1, z);
      else if (rectangles)
        add(1, 1, z), add(-1, 1, z), add(-1, -1, z);
      else
        add(-1, -1, z), add(3, -1, depth()), add(-1, 3, depth());
    }
    const unsigned corners = quads ? 4 : 3, more = r.percent(30) ? 0 : 1 + r.below(12);
    const float reach = r.percent(50) ? 1 : 0.2f;
    for (unsigned k = 0; k < more; k++) {
      const float x = r.real(-1, 1), y = r.real(-1, 1), z = depth(), w = r.real(0.05f, reach), h = r.real(0.05f, reach);
      if (rectangles)
        add(x + w, y + h, z), add(x, y + h, z), add(x, y, z);
      else
        for (unsigned corner = 0; corner < corners; corner++) add(x + r.real(-reach, reach), y + r.real(-reach, reach), depth());
    }
    std::memcpy(vertices_.host_pointer + n * vertices_bytes, all.data(), all.size() * 64);
    const uint64_t at = vertices_.gpu_address + n * vertices_bytes;
    stream_.add<_3DSTATE_VERTEX_BUFFERS>(
        [&](uint32_t* w) {
          uint32_t* v = w + _3DSTATE_VERTEX_BUFFERS::repeated::first_dword;
          v[0] = 64 | 1 << 14, v[1] = uint32_t(at), v[2] = uint32_t(at >> 32), v[3] = uint32_t(all.size() * 64);
        },
        5);
    return uint32_t(all.size());
  }

  std::unique_ptr<AddressSpace> space_;
  std::unique_ptr<gpu::Device> device_;
  std::unique_ptr<gpu::Queue> queue_;
  Buffer colour_[max_targets], depth_, stencil_, vertices_, programs_, dynamic_, surface_states_, commands_, counter_;
  Surfaces surfaces_;
  Batch stream_;
  std::string text_;
};

}  // namespace
}  // namespace dg1_states

std::unique_ptr<RandomGpu> make_dg1(const gpu::Options& options) { return std::make_unique<dg1_states::Dg1Gpu>(options); }

}  // namespace Atoll::random_states
