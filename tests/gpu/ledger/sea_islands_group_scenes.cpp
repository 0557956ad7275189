// Draws that the VGT_GROUP registers describe: what each vertex is given, and what becomes of the primitives.
#include "sea_islands_build.h"

namespace Atoll::ledger {

namespace {

std::unique_ptr<Scene> groups() {
  auto s = std::make_unique<DrawScene>("primitives described by registers");
  const uint64_t seen = s->take(dump_bytes), stream = s->take(512);
  std::vector<Vertex> corners(16);
  for (unsigned n = 0; n < 16; n++) {
    corners[n].position[0] = float(n * 7 % 16) / 8 - 1, corners[n].position[1] = float(n * 5 % 16) / 8 - 1;
    corners[n].position[2] = 0.25f;
  }
  s->vertices(corners);
  for (uint32_t n = 0; n < 64; n++) s->words(stream)[n] = n * 0x9e3779b9u;
  const uint64_t vertex =
      s->program(dump_lines(seen, 8, 4) + std::vector<std::string>{"v_and_b32 v0, 15, v0"} + DrawScene::table_lines());
  s->begin(vertex, s->plain_pixel());
  Packets& w = s->stream;
  w.set(SPI_SHADER_PGM_RSRC1_VS::address(), 0x030c000f);
  w.set(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::CULL_BACK::of(1));
  using Conversion = VGT_GROUP_CONV_SEL;
  using Type = VGT_GROUP_PRIM_TYPE;
  w.set(Type::address(), Type::PRIM_TYPE::of(Type::PRIM_TYPE::VGT_GRP_3D_TRI) |
                             Type::PRIM_ORDER::of(Type::PRIM_ORDER::VGT_GRP_STRIP) | Type::RETAIN_ORDER::of(1));
  w.set(VGT_GROUP_FIRST_DECR::address(), 2).set(VGT_GROUP_DECR::address(), 3);
  using Control = VGT_GROUP_VECT_0_CNTL;
  using Format = VGT_GROUP_VECT_0_FMT_CNTL;
  w.set(Control::address(),
        {0xf | Control::STRIDE::of(8) | Control::SHIFT::of(2), 0xf | Control::STRIDE::of(8) | Control::SHIFT::of(1)});
  const uint32_t offsets = Format::Y_OFFSET::of(1) | Format::Z_OFFSET::of(2) | Format::W_OFFSET::of(4);
  w.set(Format::address(),
        {offsets | Format::X_CONV::of(Conversion::VGT_GRP_INDEX_16) | Format::Y_CONV::of(Conversion::VGT_GRP_UINT_16) |
             Format::Z_CONV::of(Conversion::VGT_GRP_FLOAT_32) | Format::W_CONV::of(Conversion::VGT_GRP_SINT_32),
         offsets | Format::X_CONV::of(Conversion::VGT_GRP_INDEX_32) | Format::Y_CONV::of(Conversion::VGT_GRP_SINT_16) |
             Format::Z_CONV::of(Conversion::VGT_GRP_UINT_32) | Format::W_CONV::of(Conversion::VGT_GRP_UINT_16)});
  w.packet(packets::INDEX_TYPE::opcode, {1});
  w.packet(packets::DRAW_INDEX_2::opcode,
           {40, uint32_t(stream), uint32_t(stream >> 32), 40, VGT_DRAW_INITIATOR::MAJOR_MODE::of(1)});
  s->counters();
  s->finish();
  return s;
}

}  // namespace

void add_group_scenes(std::vector<std::unique_ptr<Scene>>& all) {
  all.push_back(groups());
  all.back()->blocks = {"VGT"};
}

}  // namespace Atoll::ledger
