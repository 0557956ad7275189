// VIMAGE and VSAMPLE: which registers an instruction takes and gives, by its name, DIM, A16, D16, TFE and DMASK. The names are taken
// apart here (image_machine.h), the semantics go by the table's flags. RDNA4 ISA 10.1 to 10.4.
#include <bit>

#include "image_machine.h"
#include "surface/hostile_access.h"
#include "surface/number.h"

namespace Atoll::rdna4::test {
namespace {

using surface::test::Random;
using wave::ImageAccess;
using wave::ImageOperation;
using wave::LodMode;

bool is_image(const Opcode& row) {
  return (row.format == Format::VIMAGE || row.format == Format::VSAMPLE) && !std::string_view(row.name).starts_with("image_bvh");
}

TEST(ImagesOfRdna4, RegistersByName) {
  Machine m;
  unsigned instructions = 0;
  uint64_t checked = 0;
  for (const Opcode& row : opcodes()) {
    if (!is_image(row)) continue;
    instructions++;
    const std::string mnemonic = row.name;
    const bool sample = row.format == Format::VSAMPLE, gather = mnemonic.starts_with("image_gather4"),
               samples = gather || mnemonic.starts_with("image_sample"), msaa = mnemonic == "image_msaa_load",
               atomic = mnemonic.starts_with("image_atomic"), store = mnemonic.starts_with("image_store"),
               query = mnemonic == "image_get_lod", size = mnemonic == "image_get_resinfo", mip = has_part(mnemonic, "mip"),
               packed = has_part(mnemonic, "pck"), swaps = mnemonic.ends_with("cmpswap");
    const bool has_d16 = !atomic && !packed && !query && !size;
    for (unsigned n = 0; n < 64; n++) {
      Random r(instructions * 1000 + n);
      const unsigned lanes = n % 2 ? 32 : 64, dim = n % 8;
      const bool a16 = r.below(3) == 0, d16 = has_d16 && r.below(3) == 0, tfe = r.below(3) == 0 && !store && !atomic,
                 returns = r.below(2);
      const unsigned dmask = swaps              ? (r.below(2) ? 3 : 15)
                             : (gather || msaa) ? 1u << r.below(4)
                             : atomic           ? (r.below(2) ? 1 : 3)
                                                : 1 + r.below(15);
      const unsigned components = gather || msaa ? 4 : unsigned(std::popcount(dmask));
      std::array<unsigned, 5> vaddr = {20, 23, 27, 31, 0};
      if (sample) vaddr[3] = 30;
      std::vector<AddressPart> address = address_of(mnemonic, sample, dim, a16, vaddr);
      unsigned registers_used = 0;
      for (const AddressPart& part : address) registers_used = std::max(registers_used, part.vgpr);
      std::map<Field, uint32_t> fields = {{Field::dmask, dmask},
                                          {Field::dim, dim},
                                          {Field::a16, a16},
                                          {Field::d16, d16},
                                          {Field::tfe, tfe},
                                          {Field::vdata, 4},
                                          {Field::rsrc, resource_sgpr},
                                          {Field::th, atomic && returns}};
      fields[Field::vaddr0] = vaddr[0], fields[Field::vaddr1] = vaddr[1], fields[Field::vaddr2] = vaddr[2];
      fields[Field::vaddr3] = vaddr[3];
      if (sample && !msaa) fields[Field::samp] = sampler_sgpr;
      // The field is zero if no DIM uses it.
      const bool fourth = has_part(mnemonic, "o") || has_part(mnemonic, "b") || has_part(mnemonic, "c") ||
                          has_part(mnemonic, "d") || has_part(mnemonic, "l") || has_part(mnemonic, "cl") || msaa;
      if (sample && !fourth) {
        fields[Field::vaddr3] = 0;
        if (address.size() > (a16 ? 6u : 3u)) continue;
        bool reaches = false;
        for (const AddressPart& part : address) reaches |= part.vgpr == vaddr[3];
        if (reaches) continue;
      }
      if (!sample) {
        bool reaches = false;
        for (const AddressPart& part : address) reaches |= part.vgpr == vaddr[4];
        if (reaches) continue;  // no mip levels in arrays of samples
      }
      std::vector<uint32_t> code = words_of(row, fields);
      code.push_back(s_endpgm);
      wave::Program program(isa(lanes), code_base, code);
      Registers before;
      for (auto& v : before.v)
        for (auto& word : v) word = r.next() & 0xbbffbbff;  // no NaN among the halves
      before.exec = r.below(2) ? ~uint64_t(0) : uint64_t(r.next()) << 32 | r.next() | 1;
      if (lanes == 32) before.exec = uint32_t(before.exec);
      before.s[resource_sgpr] = 1000, before.s[sampler_sgpr] = 2000;
      const bool has_status = r.below(2);
      int calls = 0;
      m.on_image = [&](ImageAccess& a) {
        calls++;
        EXPECT_EQ(a.active, before.exec) << mnemonic;
        EXPECT_EQ(a.lanes, lanes);
        EXPECT_EQ(a.resource[0], 1000u);
        if (sample && !msaa) EXPECT_EQ(a.sampler[0], 2000u);
        const auto operation = gather    ? ImageOperation::gather
                               : msaa    ? ImageOperation::load_samples
                               : query   ? ImageOperation::query_lod
                               : samples ? ImageOperation::sample
                               : atomic  ? ImageOperation::atomic
                               : store   ? ImageOperation::store
                               : size    ? ImageOperation::size
                                         : ImageOperation::load;
        EXPECT_EQ(a.operation, operation) << mnemonic;
        if (samples) {
          EXPECT_EQ(a.lod_mode, has_part(mnemonic, "lz")  ? LodMode::zero
                                : has_part(mnemonic, "l") ? LodMode::level
                                : has_part(mnemonic, "b") ? LodMode::bias
                                : has_part(mnemonic, "d") ? LodMode::derivatives
                                                          : LodMode::implicit)
              << mnemonic;
          EXPECT_EQ(a.compare, has_part(mnemonic, "c"));
          EXPECT_EQ(a.clamp_lod, has_part(mnemonic, "cl"));
          if (mnemonic != "image_gather4h") EXPECT_EQ(a.offset, has_part(mnemonic, "o"));
        }
        if (gather || msaa) EXPECT_EQ(a.gather_component, unsigned(std::countr_zero(dmask)));
        EXPECT_EQ(a.explicit_level, mip);
        EXPECT_EQ(a.packed, packed);
        EXPECT_EQ(a.sign_extend, has_part(mnemonic, "sgn"));
        EXPECT_EQ(a.components, dmask);
        EXPECT_EQ(a.dimension, int(dim));
        EXPECT_EQ(a.halves, d16);
        for (const AddressPart& part : address) {
          const unsigned index = unsigned(part.what.back() - '0');
          const wave::ImageLanes& got = part.what == "lod" || part.what == "bias" ? a.lod
                                        : part.what == "clamp"                    ? a.lod_clamp
                                        : part.what == "offset"                   ? a.offsets
                                        : part.what == "reference"                ? a.reference
                                        : part.what[1] == 'x'                     ? a.dx[index]
                                        : part.what[1] == 'y'                     ? a.dy[index]
                                                                                  : a.coordinate[index];
          for (unsigned lane = 0; lane < lanes; lane++) {
            uint32_t expected = before.v[part.vgpr][lane];
            if (part.half >= 0) {
              const uint16_t half = uint16_t(part.half ? expected >> 16 : expected);
              expected = sample && !msaa ? std::bit_cast<uint32_t>(surface::from_half(half)) : half;
            }
            ASSERT_EQ(got[lane], expected) << mnemonic << " dim " << dim << (a16 ? " a16 " : " ") << part.what;
            checked++;
          }
        }
        if (store || atomic)
          for (unsigned c = 0; c < components; c++)
            for (unsigned lane = 0; lane < lanes; lane++)
              ASSERT_EQ(a.data[c][lane], !d16    ? before.v[4 + c][lane]
                                         : c % 2 ? before.v[4 + c / 2][lane] >> 16
                                                 : before.v[4 + c / 2][lane] & 0xffff)
                  << mnemonic;
        for (unsigned c = 0; c < 4; c++)
          for (unsigned lane = 0; lane < 64; lane++) a.data[c][lane] = d16 ? 0x100 + c * 64 + lane : 0xabc00000 + c * 64 + lane;
        a.status.fill(0);
        if (has_status) a.status[unsigned(std::countr_zero(before.exec))] = 1;
      };
      const wave::Wave like = m.wave_of(before, lanes);
      wave::Executor executor(program, wave::EngineChoice::Interpreter, like);
      const Registers after = m.run(executor, program, before, lanes);
      ASSERT_EQ(m.stopped, wave::Stop::End) << mnemonic << ": " << m.fault << program.decode_error(*program.at(code_base));
      ASSERT_EQ(calls, mnemonic == "image_gather4h" ? 2 : 1) << mnemonic;
      unsigned results = store || (atomic && !returns) ? 0 : atomic ? components / (swaps ? 2 : 1) : components;
      // With four texels in a row, the second access has the other two.
      auto given = [&](unsigned c, unsigned lane) -> uint32_t {
        if (mnemonic == "image_gather4h") c = c % 2 ? 2 : 3;
        return d16 ? 0x100 + c * 64 + lane : 0xabc00000 + c * 64 + lane;
      };
      const unsigned data = d16 ? (components + 1) / 2 : components;
      for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned v = 0; v < vgprs; v++) {
          uint32_t expected = before.v[v][lane];
          if (before.exec >> lane & 1) {
            if (v >= 4 && v - 4 < (d16 ? (results + 1) / 2 : results)) {
              const unsigned c = (v - 4) * (d16 ? 2 : 1);
              if (!d16)
                expected = given(c, lane);
              else
                expected = given(c, lane) | (c + 1 < results ? given(c + 1, lane) << 16 : expected & 0xffff0000u);
            } else if (tfe && has_status && v == 4 + data) {
              expected = lane == unsigned(std::countr_zero(before.exec));
            }
          }
          ASSERT_EQ(after.v[v][lane], expected) << mnemonic << " v" << v << " lane " << lane << " dmask " << dmask;
        }
    }
  }
  EXPECT_EQ(instructions, 29u + 58u);
  EXPECT_GT(checked, 200000u);
}

// Without a component nothing is fetched: a register becomes 0, stores do nothing (table 58).
TEST(ImagesOfRdna4, WithoutComponents) {
  Machine m;
  for (const char* name : {"image_load", "image_sample_lz", "image_store"}) {
    const Opcode* row = nullptr;
    for (const Opcode& o : opcodes())
      if (std::string_view(o.name) == name) row = &o;
    std::vector<uint32_t> code = words_of(*row, {{Field::dim, 1},
                                                 {Field::vdata, 4},
                                                 {Field::rsrc, resource_sgpr},
                                                 {Field::samp, sampler_sgpr},
                                                 {Field::vaddr0, 20},
                                                 {Field::vaddr1, 21}});
    code.push_back(s_endpgm);
    wave::Program program(isa(32), code_base, code);
    Registers before;
    for (auto& v : before.v) v.fill(77);
    before.exec = 0xf0f;
    m.on_image = [](ImageAccess&) { ADD_FAILURE() << "an access"; };
    const wave::Wave like = m.wave_of(before, 32);
    wave::Executor executor(program, wave::EngineChoice::Interpreter, like);
    const Registers after = m.run(executor, program, before, 32);
    for (unsigned lane = 0; lane < 32; lane++) {
      EXPECT_EQ(after.v[4][lane], std::string_view(name) != "image_store" && (before.exec >> lane & 1) ? 0u : 77u) << name;
      EXPECT_EQ(after.v[5][lane], 77u);
    }
  }
}

}  // namespace
}  // namespace Atoll::rdna4::test
