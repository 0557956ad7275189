// The tables of the compacted forms and where their bits go: Mesa's brw_eu_compact.c (its gfx12 tables), IGC's
// ged_compaction_tables.cpp and ged_mapping_fragments.cpp.
#include "isa/xe_lp/compact.h"

#include <iterator>

#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {
namespace {

constexpr uint32_t control_table[32] = {0x4,     0x3,     0x2000,  0x2004,  0x2003,  0x80004, 0x24,    0xa0004,
                                        0x0,     0x10004, 0x13,    0x60004, 0x20004, 0x22004, 0x40004, 0x104,
                                        0xa0003, 0x184,   0x2001,  0x144,   0x1c4,   0x82004, 0x23,    0x33,
                                        0xa2004, 0x80003, 0x22000, 0x10003, 0xa0084, 0x20003, 0x8003,  0x2024};
constexpr uint32_t type_table[32] = {0xd6954, 0x6954,  0x2b54,  0x56d54, 0xd4954, 0xd2954, 0x54d54, 0x800,
                                     0xd0954, 0x2eccc, 0xb68cc, 0x52d54, 0x96844, 0x50d54, 0x36ccc, 0x16c44,
                                     0x7154,  0x2cccc, 0x822,   0x2844,  0x26c2a, 0xec22,  0x97044, 0x694c,
                                     0x8c8cc, 0x6854,  0x2ec4c, 0x2822,  0x6834,  0x6814,  0x68d4,  0x2954};
constexpr uint16_t subregister_table[32] = {0x0,   0x4000, 0x1000, 0x3000, 0x80,  0x2000, 0x5000, 0x8,  0x100, 0x6000, 0x7000,
                                            0x200, 0x4,    0x300,  0x280,  0x180, 0x380,  0x1c,   0x10, 0xc,   0x18,   0x14,
                                            0x2,   0x140,  0x40,   0x84,   0x5c,  0x42,   0x18c,  0x20, 0x60,  0x6300};
constexpr uint16_t source0_table[16] = {0x464, 0x0,   0x466, 0x465, 0x2,   0x200, 0x240, 0x340,
                                        0x224, 0x300, 0x226, 0x344, 0x467, 0x100, 0x1,   0xf10};
constexpr uint16_t source1_table[16] = {0x119, 0x0,  0x919, 0x800, 0x519, 0x8d0, 0x80,  0x89,
                                        0x889, 0xd0, 0xd1,  0xc0,  0xd19, 0x400, 0xc00, 0x8d1};
constexpr uint32_t control3_table[32] = {0x4a540004, 0x4a540003, 0x48540003, 0x4a542003, 0x48542003, 0x48540013, 0x4a540013,
                                         0x48542013, 0x4a542013, 0x4a542004, 0x48540004, 0x4a550004, 0x4a540024, 0x48542004,
                                         0x4a542000, 0x4a550003, 0x48542033, 0x48542023, 0x4a542033, 0x4a542023, 0x48540023,
                                         0x48540033, 0x4a540023, 0x4a540033, 0x48550004, 0x4a552004, 0x4a542024, 0x4a442000,
                                         0x48540024, 0x4a550024, 0x4a542002, 0x48550003};
constexpr uint32_t source3_table[32] = {0x12c300, 0x12c242, 0x16c343, 0x12c343, 0x160143, 0x16c34b, 0x14c343, 0x10c300,
                                        0x16c300, 0x16cb43, 0x16e343, 0x160100, 0x10c343, 0x12e300, 0x12e343, 0x12c34b,
                                        0x120143, 0x12c308, 0x120100, 0x16e300, 0x12cb00, 0x14c300, 0x12cb43, 0x16cb4b,
                                        0x14c34b, 0x16e34b, 0x162143, 0x160943, 0x16c308, 0x16cb00, 0x120943, 0x14cb43};
constexpr uint32_t subregister3_table[32] = {0x0,     0x20000, 0x180,   0xa0000, 0x80380, 0x60000, 0x40000, 0x2000,
                                             0x1000,  0xc0000, 0x80000, 0xe0000, 0x6000,  0x80,    0x4000,  0x3000,
                                             0x5000,  0x7000,  0x100,   0x200,   0x300,   0x280,   0x380,   0xc0380,
                                             0x20100, 0x20180, 0x40180, 0x80300, 0x80280, 0x60080, 0xa0380, 0x40080};

// An index of the compacted form: where it stands there, its table, and the native fields that an entry fills, low bits first.
struct Index {
  Field at;
  uint64_t (*entry)(unsigned index);
  Field pieces[9];
};
template <const auto& table>
constexpr uint64_t entry(unsigned index) {
  return table[index];
}

constexpr Index control{{24, 5}, entry<control_table>, {{16, 13}, {31, 1}, {32, 3}, {92, 4}}};
constexpr Index types{{30, 5}, entry<type_table>, {{35, 9}, {46, 5}, {66, 1}, {88, 4}, {98, 1}}};
// Fields behind those that an immediate takes away are left out, and their bits of the entries.
constexpr Index types_of_immediate{
    {30, 5}, [](unsigned n) { return uint64_t(type_table[n] & 0x7ffff); }, {{35, 9}, {46, 5}, {66, 1}, {88, 4}}};
constexpr Index subregisters{{35, 5}, entry<subregister_table>, {{51, 5}, {67, 5}, {99, 5}}};
constexpr Index two_subregisters{{35, 5}, [](unsigned n) { return uint64_t(subregister_table[n] & 0x3ff); }, {{51, 5}, {67, 5}}};
constexpr Index one_subregister{{35, 5}, [](unsigned n) { return uint64_t(subregister_table[n] & 0x1f); }, {{51, 5}}};
constexpr Index source0{{48, 4}, entry<source0_table>, {{44, 2}, {64, 2}, {80, 8}}};
constexpr Index source1{{52, 4}, entry<source1_table>, {{96, 2}, {112, 10}}};
constexpr Index control3{
    {24, 5}, entry<control3_table>, {{16, 13}, {31, 1}, {32, 3}, {36, 7}, {48, 1}, {50, 1}, {80, 3}, {88, 3}, {92, 4}}};
constexpr Index sources3{{30, 5}, entry<source3_table>, {{35, 1}, {43, 5}, {64, 3}, {83, 5}, {91, 1}, {96, 3}, {112, 3}}};
constexpr Index subregisters3{{35, 5}, entry<subregister3_table>, {{51, 5}, {67, 5}, {99, 5}, {115, 5}}};

struct Copy {
  Field compacted, native;
};

// A compacted form. `immediate`: the native type field of the immediate that bits 52 to 63 hold; size 0: there is none.
struct Form {
  const Index* indices[5];
  Copy copies[6];
  Field immediate;
};
#define ATOLL_XE_LP_EVERY \
  {{0, 7}, field::opcode}, {{7, 1}, field::breakpoint}, {{8, 8}, field::swsb}, { {16, 8}, field::dst.number }
constexpr Copy first_number{{40, 8}, {72, 8}};
constexpr Form unary{{&control, &types, &two_subregisters, &source0, &source1}, {ATOLL_XE_LP_EVERY, first_number}, {0, 0}};
constexpr Form unary_immediate{{&control, &types_of_immediate, &one_subregister, &source0}, {ATOLL_XE_LP_EVERY}, {40, 4}};
constexpr Form binary{
    {&control, &types, &subregisters, &source0, &source1}, {ATOLL_XE_LP_EVERY, first_number, {{56, 8}, {104, 8}}}, {0, 0}};
constexpr Form binary_immediate{
    {&control, &types_of_immediate, &two_subregisters, &source0}, {ATOLL_XE_LP_EVERY, first_number}, {88, 4}};
constexpr Form ternary{{&control3, &sources3, &subregisters3}, {ATOLL_XE_LP_EVERY, first_number, {{56, 8}, {104, 8}}}, {0, 0}};
constexpr Copy third_number{{48, 8}, {120, 8}};
#undef ATOLL_XE_LP_EVERY

const Form* form_of(unsigned opcode, bool immediate) {
  const Opcode* row = find_opcode(opcode);
  if (!row) return nullptr;
  switch (row->format) {
    case Format::Unary: return immediate ? &unary_immediate : &unary;
    case Format::Sync: return immediate ? nullptr : &binary;
    case Format::Binary: return immediate ? &binary_immediate : &binary;
    case Format::Ternary: return &ternary;
    default: return nullptr;
  }
}
// The bit of a basic format that says that the last source is an immediate.
Field immediate_bit(unsigned opcode) {
  const Opcode* row = find_opcode(opcode);
  return field::source[row && row->format == Format::Unary ? 0 : 1].is_immediate;
}

// The 32 bits that the 12 of a compacted immediate stand for; `type` as its field says it.
bool widen(uint32_t bits, unsigned type, uint32_t& wide) {
  auto twice = [](uint32_t half) { return (half & 0xffff) | half << 16; };
  uint32_t sign_extended = uint32_t(int32_t(bits << 20) >> 20);
  switch (type) {
    case 0:
    case 2:
    case 4:
    case 8: wide = bits; return true;                  // uv ud v vf
    case 1: wide = twice(bits); return true;           // uw
    case 5: wide = twice(sign_extended); return true;  // w
    case 6: wide = sign_extended; return true;         // d
    case 9: wide = twice(bits << 4); return true;      // hf
    case 10: wide = bits << 20; return true;           // f
    default: return false;
  }
}

}  // namespace

const char* expand(uint64_t bits, Words& native) {
  native = {};
  Words compacted{{bits, 0}};
  unsigned opcode = unsigned(compacted.get(field::opcode));
  bool immediate = Words{{type_table[compacted.get(types.at)], 0}}.get({uint8_t(immediate_bit(opcode).low - 46 + 9), 1}) != 0;
  const Form* form = form_of(opcode, immediate);
  if (!form) return "this opcode has no compacted form";
  for (const Index* index : form->indices) {
    if (!index) break;
    uint64_t value = index->entry(unsigned(compacted.get(index->at)));
    for (Field piece : index->pieces) native.set(piece, value), value >>= piece.size;
  }
  for (const Copy& copy : form->copies) native.set(copy.native, compacted.get(copy.compacted));
  if (form == &ternary) native.set(third_number.native, compacted.get(third_number.compacted));
  if (form->immediate.size) {
    uint32_t wide = 0;
    if (!widen(uint32_t(bits >> 52), unsigned(native.get(form->immediate)), wide))
      return "an immediate of this type has no compacted form";
    native.set(field::immediate, wide);
  }
  return nullptr;
}

std::optional<uint64_t> compact(const Words& native) {
  unsigned opcode = unsigned(native.get(field::opcode));
  const Form* form = form_of(opcode, native.get(immediate_bit(opcode)) != 0);
  if (!form) return {};
  Words out;
  for (const Index* index : form->indices) {
    if (!index) break;
    uint64_t wanted = 0;
    unsigned at = 0;
    for (Field piece : index->pieces) wanted |= native.get(piece) << at, at += piece.size;
    unsigned n = 0, entries = 1u << index->at.size;
    while (n < entries && index->entry(n) != wanted) n++;
    if (n == entries) return {};
    out.set(index->at, n);
  }
  for (const Copy& copy : form->copies) out.set(copy.compacted, native.get(copy.native));
  if (form == &ternary) out.set(third_number.compacted, native.get(third_number.native));
  if (form->immediate.size) {
    uint32_t wanted = uint32_t(native.get(field::immediate)), wide = 0;
    unsigned type = unsigned(native.get(form->immediate));
    uint32_t narrow = (type == 10 ? wanted >> 20 : type == 9 ? wanted >> 4 : wanted) & 0xfff;
    if (!widen(narrow, type, wide) || wide != wanted) return {};
    out.set({52, 12}, narrow);
  }
  out.set(field::compacted, 1);
  return out.half[0];
}

}  // namespace Atoll::xe_lp
