// MIMG: which registers an image instruction takes and gives, by its name, the image's type and its flags; exports and
// attributes. The names are taken apart here, the semantics go by opcode numbers. Order of address registers: LLVM docs,
// AMDGPUUsage "image intrinsics" (offset, bias, reference, derivatives, coordinates, level or clamp).
#include <fmt/format.h>

#include <bit>

#include "isa/gfx7/table.h"
#include "machine.h"

namespace Atoll::gfx7::test {
namespace {

using wave::ImageAccess;
using wave::ImageOperation;
using wave::LodMode;

constexpr uint32_t address_vgpr = 40, data_vgpr = 8;
uint32_t content(uint32_t vgpr, uint32_t lane) { return vgpr << 16 | lane; }

struct Kind {
  uint32_t type;
  bool array;
  unsigned spatial;  // coordinates with derivatives
  unsigned all;
};
constexpr Kind kinds[] = {{8, false, 1, 1},  {8, true, 1, 2},   {9, false, 2, 2}, {9, true, 2, 3},
                          {10, false, 3, 3}, {10, true, 3, 3},  {11, true, 2, 3}, {11, false, 2, 3},
                          {12, true, 1, 2},  {12, false, 1, 1}, {13, true, 2, 3}, {13, false, 2, 2},
                          {14, false, 2, 3}, {14, true, 2, 4},  {15, true, 2, 4}, {0, false, 2, 2}};

TEST(Gcn2Images, RegistersByName) {
  unsigned instructions = 0;
  for (const Opcode& row : opcodes()) {
    if (row.format != Format::MIMG) continue;
    std::string mnemonic = row.name;
    if (mnemonic == "image_rsrc256" || mnemonic == "image_sampler") continue;
    instructions++;
    auto has = [&](const char* part) { return (mnemonic + "_").find(std::string("_") + part + "_") != std::string::npos; };
    bool gather = mnemonic.starts_with("image_gather4"), sample = mnemonic.starts_with("image_sample"),
         samples = gather || sample;
    bool atomic = mnemonic.starts_with("image_atomic"), store = mnemonic.starts_with("image_store");
    bool query = mnemonic == "image_get_lod", size = mnemonic == "image_get_resinfo", mip = has("mip");
    bool swaps = mnemonic.ends_with("cmpswap");
    for (const Kind& kind : kinds) {
      unsigned dmask = swaps ? 3 : gather ? 4 : atomic ? 1 : (instructions * 7 + kind.type) % 15 + 1;
      unsigned components = gather ? 4 : unsigned(std::popcount(dmask));
      uint64_t exec = kind.type % 3 ? ~uint64_t(0) : 0x123456789abcdef1u;
      bool tfe = kind.type % 4 == 1 && !store && !atomic, glc = kind.type % 2;

      // The operands by the name.
      std::vector<std::string> order;
      if (size) {
        order = {"lod"};
      } else {
        if (samples && has("o")) order.push_back("offset");
        if (samples && has("b")) order.push_back("lod");
        if (samples && has("c")) order.push_back("reference");
        if (has("d") || has("cd")) {
          for (unsigned n = 0; n < kind.spatial; n++) order.push_back(fmt::format("dx{}", n));
          for (unsigned n = 0; n < kind.spatial; n++) order.push_back(fmt::format("dy{}", n));
        }
        for (unsigned n = 0; n < kind.all; n++) order.push_back(fmt::format("coordinate{}", n));
        if ((samples && has("l")) || mip) order.push_back("lod");
        if (samples && has("cl")) order.push_back("clamp");
      }

      int calls = 0;
      Machine m;
      auto instruction = [&] {
        // Sizes of registers in the text follow from the flags; words are made by hand from the table instead.
        const Layout& l = layout(row);
        std::vector<uint32_t> w(l.words);
        w[0] = l.fixed;
        for (const FieldRow& f : l.fields) {
          uint32_t value = f.field == Field::op      ? row.opcode
                           : f.field == Field::dmask ? dmask
                           : f.field == Field::da    ? kind.array
                           : f.field == Field::unorm ? kind.array
                           : f.field == Field::tfe   ? tfe
                           : f.field == Field::glc   ? glc
                           : f.field == Field::vaddr ? address_vgpr
                           : f.field == Field::vdata ? data_vgpr
                           : f.field == Field::srsrc ? 16 / 4
                           : f.field == Field::ssamp ? (samples || query ? 24 / 4 : 0)
                                                     : f.bits.get(w.data());
          f.bits.put(w.data(), value);
        }
        return w;
      }();
      m.on_image = [&](ImageAccess& a) {
        calls++;
        EXPECT_EQ(a.active, exec);
        EXPECT_EQ(a.resource[0], 1000u) << mnemonic;
        if (samples || query) EXPECT_EQ(a.sampler[0], 2000u);
        auto operation = gather   ? ImageOperation::gather
                         : sample ? ImageOperation::sample
                         : query  ? ImageOperation::query_lod
                         : atomic ? ImageOperation::atomic
                         : store  ? ImageOperation::store
                         : size   ? ImageOperation::size
                                  : ImageOperation::load;
        EXPECT_EQ(a.operation, operation) << mnemonic;
        if (samples) {
          auto mode = has("lz")               ? LodMode::zero
                      : has("l")              ? LodMode::level
                      : has("b")              ? LodMode::bias
                      : has("d") || has("cd") ? LodMode::derivatives
                                              : LodMode::implicit;
          EXPECT_EQ(a.lod_mode, mode) << mnemonic;
          EXPECT_EQ(a.coarse_derivatives, has("cd")) << mnemonic;
          EXPECT_EQ(a.compare, has("c")) << mnemonic;
          EXPECT_EQ(a.offset, has("o"));
          EXPECT_EQ(a.clamp_lod, has("cl"));
        }
        if (gather) EXPECT_EQ(a.gather_component, 2u);
        EXPECT_EQ(a.explicit_level, mip);
        EXPECT_EQ(a.packed, has("pck"));
        EXPECT_EQ(a.sign_extend, has("sgn"));
        EXPECT_EQ(a.components, dmask);
        EXPECT_EQ(a.array, kind.array);
        if (!size) EXPECT_EQ(a.coordinate_count, kind.all) << mnemonic << " type " << kind.type << kind.array;
        for (size_t n = 0; n < order.size(); n++) {
          const std::string& what = order[n];
          unsigned index = unsigned(what.back() - '0');
          const wave::ImageLanes& lanes = what == "lod"         ? a.lod
                                          : what == "clamp"     ? a.lod_clamp
                                          : what == "offset"    ? a.offsets
                                          : what == "reference" ? a.reference
                                          : what[1] == 'x'      ? a.dx[index]
                                          : what[1] == 'y'      ? a.dy[index]
                                                                : a.coordinate[index];
          for (uint32_t lane : {0u, 17u, 63u})
            EXPECT_EQ(lanes[lane], content(address_vgpr + uint32_t(n), lane)) << mnemonic << " type " << kind.type << " " << what;
        }
        if (store || atomic)
          for (unsigned c = 0; c < components; c++) EXPECT_EQ(a.data[c][33], content(data_vgpr + c, 33)) << mnemonic;
        for (unsigned c = 0; c < 4; c++)
          for (uint32_t lane = 0; lane < 64; lane++) a.data[c][lane] = 0xabc00000 + c * 64 + lane;
        a.status.fill(0x55);
      };
      // Through the executor, as words.
      wave::Program program(isa(), Machine::code_base, instruction);
      m.w->program = &program;
      wave::Executor executor(program, wave::EngineChoice::Interpreter, *m.w);
      m.w->pc = Machine::code_base;
      m.set_exec(exec);
      for (uint32_t n = 0; n < 100; n++)
        for (uint32_t lane = 0; lane < 64; lane++) m.v(n, lane) = content(n, lane);
      m.s(16) = 1000, m.s(19) = kind.type << 28, m.s(24) = 2000;
      executor.run(*m.w);  // ends in a fetch fault behind the instruction
      ASSERT_EQ(m.w->fault.kind, wave::FaultKind::Fetch) << mnemonic << ": " << (m.w->fault.reason ? m.w->fault.reason : "")
                                                         << program.decode_error(*program.at(Machine::code_base));
      ASSERT_EQ(calls, 1) << mnemonic;
      unsigned results = store || (atomic && !glc) ? 0 : atomic ? components / (swaps ? 2 : 1) : components;
      for (uint32_t lane = 0; lane < 64; lane++)
        for (unsigned c = 0; c < 6; c++) {
          uint32_t expected = content(data_vgpr + c, lane);
          if (exec >> lane & 1) {
            if (c < results) expected = 0xabc00000 + c * 64 + lane;
            if (c == results && tfe) expected = 0x55;
          }
          ASSERT_EQ(m.v(data_vgpr + c, lane), expected) << mnemonic << " component " << c << " lane " << lane;
        }
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(instructions, 92u);
}

TEST(Gcn2Images, AFaultStopsTheWave) {
  for (Way way : ways) {
    Machine m;
    m.on_image = [](ImageAccess& a) { a.fault = "nothing there", a.fault_address = 0x1234; };
    m.run({"image_load v[0:3], v[4:5], s[8:15] dmask:0xf unorm"}, way, [](Machine& k) {
      k.set_exec(1);
      k.w->fault = {};
    });
    EXPECT_EQ(m.w->stop, wave::Stop::Fault);
    EXPECT_EQ(m.w->fault.address, 0x1234u);
    EXPECT_STREQ(m.w->fault.reason, "nothing there");
  }
}

// --- exports and attributes

TEST(Gcn2Exports, WhatAndWhichLanes) {
  for (Way way : ways) {
    Machine m;
    m.w->inspected = true;
    m.run({"exp pos0 v1, v2, v3, v4 done", "exp param3 v5, v6, off, off", "s_mov_b64 exec, 0xff",
           "exp mrt0 v1, v1, v2, v2 done compr vm", "exp mrt1 off, v3, off, off"},
          way, [](Machine& k) {
            for (uint32_t c = export_control_begin; c < export_control_end; c += 4) k.word(c) = 0;
            for (uint32_t t : {0u, 1u, 12u, 35u})
              for (uint32_t c = 0; c < 4; c++)
                for (uint32_t l = 0; l < 64; l++) k.word(lane_cell(export_cell(t, c), l)) = 7;
            for (uint32_t n = 0; n < 8; n++)
              for (uint32_t l = 0; l < 64; l++) k.v(n, l) = content(n, l);
            k.set_exec(0xf0ff);
          });
    ASSERT_EQ(m.w->stop, wave::Stop::End);
    auto mask = [&](uint32_t cell) { return m.word(cell) | uint64_t(m.word(cell + 4)) << 32; };
    EXPECT_EQ(mask(export_mask_cell(12)), 0xf0ffu) << name(way);
    EXPECT_EQ(mask(export_mask_cell(0)), 0xffu);
    EXPECT_EQ(mask(export_valid_cell), 0xffu);
    EXPECT_EQ(m.word(export_valid_seen_cell), 1u);
    EXPECT_EQ(m.word(export_done_cell), 1u);
    EXPECT_EQ(m.word(export_enable_cell(35)), 3u);
    EXPECT_EQ(m.word(export_enable_cell(1)), 2u);
    EXPECT_EQ(m.word(export_compressed_cell(0)), 1u);
    EXPECT_EQ(m.word(export_compressed_cell(1)), 0u);
    for (uint32_t l = 0; l < 64; l++) {
      bool in_first = 0xf0ff >> (l < 32 ? l : 31) & 1 && l < 16, in_second = l < 8;
      for (uint32_t c = 0; c < 4; c++) EXPECT_EQ(m.word(lane_cell(export_cell(12, c), l)), in_first ? content(1 + c, l) : 7) << l;
      EXPECT_EQ(m.word(lane_cell(export_cell(35, 1), l)), in_first ? content(6, l) : 7);
      EXPECT_EQ(m.word(lane_cell(export_cell(35, 2), l)), 7u);
      EXPECT_EQ(m.word(lane_cell(export_cell(0, 0), l)), in_second ? content(1, l) : 7);
      EXPECT_EQ(m.word(lane_cell(export_cell(0, 1), l)), in_second ? content(2, l) : 7);
      EXPECT_EQ(m.word(lane_cell(export_cell(1, 1), l)), in_second ? content(3, l) : 7);
      EXPECT_EQ(m.word(lane_cell(export_cell(1, 0), l)), 7u);
    }
  }
}

TEST(Gcn2Attributes, Interpolation) {
  for (Way way : ways) {
    Machine m;
    m.run({"v_interp_p1_f32 v2, v0, attr5.z", "v_interp_p2_f32 v2, v1, attr5.z", "v_interp_mov_f32 v3, p0, attr32.w",
           "v_interp_mov_f32 v4, p10, attr5.z", "v_interp_mov_f32 v5, p20, attr5.z"},
          way, [](Machine& k) {
            k.set_exec(~uint64_t(0));
            for (uint32_t l = 0; l < 64; l++) {
              auto put = [&](uint32_t cell, float x) { k.word(lane_cell(cell, l)) = std::bit_cast<uint32_t>(x); };
              auto of_quad = [&](uint32_t parameter, float x) { k.word(parameter + l / 4 * 4) = std::bit_cast<uint32_t>(x); };
              of_quad(attribute_cell(5, 2, P0), float(l / 4));
              of_quad(attribute_cell(5, 2, P10), 2.0f + float(l / 4));
              of_quad(attribute_cell(5, 2, P20), -3.0f);
              of_quad(attribute_cell(32, 3, P0), 0.5f * float(l / 4));
              put(vgpr_cell(0), 0.25f);
              put(vgpr_cell(1), float(l) / 64);
            }
          });
    ASSERT_EQ(m.w->stop, wave::Stop::End);
    for (uint32_t l = 0; l < 64; l++) {
      const float quad = float(l / 4);
      float x = quad + (2.0f + quad) * 0.25f - 3.0f * float(l) / 64;  // exact
      EXPECT_EQ(std::bit_cast<float>(m.v(2, l)), x) << name(way);
      EXPECT_EQ(std::bit_cast<float>(m.v(3, l)), 0.5f * quad);
      EXPECT_EQ(std::bit_cast<float>(m.v(4, l)), 2.0f + quad);
      EXPECT_EQ(std::bit_cast<float>(m.v(5, l)), -3.0f);
    }
  }
}

}  // namespace
}  // namespace Atoll::gfx7::test
