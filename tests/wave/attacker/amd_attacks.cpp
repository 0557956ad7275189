#include "amd_attacks.h"

#include <algorithm>

#include "hostile_values.h"
#include "isa/amd/registers.h"

namespace Atoll::attacker {

using namespace amd_registers;

namespace {

template <size_t n>
uint32_t one_of(Random& r, const uint32_t (&values)[n]) {
  return values[r.below(n)];
}

}  // namespace

// --- programs ------------------------------------------------------------------------------------------------------------------
Attack AmdAttacker::make(Random& random) {
  Attack a;
  r_ = &random, attack_ = &a, next_work_ = 0;
  a.lanes = machine_->random_lanes(random);
  a.mode = machine_->random_mode(random);
  machine_->vary(random, true);
  a.state_seed = random.next64();
  a.tame_runs = random.chance(85) ? 1 : 0;
  a.learns = random.chance(80);
  a.lds_bytes = one_of(random, {0, 64, 512, 1024, 1024, 2048, 2048, 4096, 4352, 4352, 16384, 65536});
  a.scratch_bytes = one_of(random, {0, 16, 64, 256, 256, 256, 1024, 1024, 1024, 8192});
  a.shared_base = one_of(random, {0, 256, 32768, 64512}), a.shared_bytes = one_of(random, {0, 4, 256, 1024, 1024});
  a.vgprs = one_of(random, {128, 128, 160, 200, 256});
  a.stride = one_of(random, {4, 4, 4, 8, 16});
  a.apertures = random.chance(85);
  for (uint32_t space = 0; space < 6; space++) {
    uint32_t size = space == Aim::Lds ? a.lds_bytes : space == Aim::Private ? a.scratch_bytes : 0x1000;
    uint32_t* o = a.offsets[space];
    o[0] = 0, o[1] = random.below(8) * (random.chance(80) ? 8 : 4);
    o[2] = size < 8 ? 0 : (size / 4 + random.below(size / 2)) & ~(random.chance(80) ? 7u : 3u);
    o[3] = space == Aim::Lds ? random.chance(50) ? 0xfffcu - random.below(64) * 4 : random.next() & 0xffff
           : space == Aim::Private || space == Aim::Buffer ? random.chance(50) ? size - 4 * random.below(4) : random.below(0x8000)
           : random.chance(50) ? 0u - (random.below(0x1000) & ~3u)
                                                           : 0u - random.below(0x800000);
    if (space == Aim::Private && !random.chance(20)) o[3] = std::min(o[3], 0x7ffffcu);
    if (space == Aim::Buffer) o[3] &= 0xfff;
  }
  begin(random, a.lanes);
  Code code;
  if (random.chance(15)) {
    a.model = model_program(code);
    a.program = {code.words, code.starts};
    r_ = nullptr, attack_ = nullptr;
    return a;
  }
  opening(code);
  uint32_t pieces = 1 + random.below(random.chance(50) ? 2 : 4);
  for (uint32_t n = 0; n < pieces; n++) {
    if (random.chance(20)) straight(code, 1 + random.below(2));
    if (random.chance(30))
      loop(code);
    else
      piece(code);
  }
  text(code, "s_endpgm");
  a.program = {code.words, code.starts};
  r_ = nullptr, attack_ = nullptr;
  return a;
}

void AmdAttacker::add(Code& code, uint32_t to, const std::string& a, uint32_t b) {
  if (is_rdna4())
    text(code, "v_add_nc_u32 v{}, {}, v{}", to, a, b);
  else
    text(code, "v_add_i32 v{}, vcc, {}, v{}", to, a, b);
}

// The same value, or one close to it, in another register (or two).
uint32_t AmdAttacker::alias(Code& code, uint32_t from, bool equal, unsigned dwords) {
  uint32_t to = WORK + next_work_;
  next_work_ = (next_work_ + 2) % (WORK_END - WORK);
  for (unsigned n = 0; n < dwords; n++) {
    switch (below(equal ? 6 : 4)) {
      case 0:
      case 1: text(code, "v_mov_b32 v{}, v{}", to + n, from + n); break;
      case 2:
        if (n == 0 && chance(60)) {
          add(code, to, fmt::format("{:#x}", chance(70) ? below(64) * 4 : 0u - below(64) * 4), from);
          break;
        }
        [[fallthrough]];
      case 3:
        if (is_rdna4() && chance(70)) {  // the old value is what the other register holds then
          text(code, "v_mov_b32 v{}, v{}", to + n, from + n);
          text(code, "v_swap_b32 v{}, v{}", to + n, from + n);
        } else {
          text(code, "v_or_b32 v{}, 0, v{}", to + n, from + n);
        }
        break;
      default:
        text(code, "v_readfirstlane_b32 s{}, v{}", int(PICKED), from + n);
        text(code, "v_mov_b32 v{}, s{}", to + n, int(PICKED));
        break;
    }
  }
  return to;
}

uint32_t AmdAttacker::offset_of(Aim::Space space) {
  uint32_t kind = below(100);
  return attack_->offsets[space][kind < 40 ? 0 : kind < 60 ? 1 : kind < 90 ? 2 : 3];
}

std::vector<uint32_t> AmdAttacker::addresses_of(Aim::Space space) {
  switch (space) {
    case Aim::Lds: return {LDS_ROW, LDS_EQUAL, LDS_APART, LDS_ANY};
    case Aim::Private:
      return is_rdna4() ? std::vector<uint32_t>{PRIVATE_EQUAL, PRIVATE_EQUAL_2, PRIVATE_ANY, PRIVATE_ROW}
                        : std::vector<uint32_t>{INDEX, INDEX_ANY};
    case Aim::Global: return {GLOBAL_ROW, GLOBAL_EQUAL, GLOBAL_APART, GLOBAL_ANY};
    case Aim::Flat: return {FLAT_ROW, FLAT_ANY};
    case Aim::Buffer: return {INDEX, INDEX_ANY};
    default: return {INDEX};
  }
}

// Accesses to one space through some of the registers, aliases of them, and what is computed from them.
void AmdAttacker::accesses(Code& code, Aim::Space space, std::vector<uint32_t> addresses, uint32_t count) {
  bool wide = space == Aim::Global || space == Aim::Flat;
  for (uint32_t n = 0; n < count; n++) {
    uint32_t address = addresses[below(uint32_t(addresses.size()))];
    bool equal = address == LDS_EQUAL || address == PRIVATE_EQUAL || address == PRIVATE_EQUAL_2 || address == GLOBAL_EQUAL;
    if (chance(35)) {
      address = alias(code, address, equal, wide ? 2 : 1);
      addresses.push_back(address);
    } else if (!wide && chance(8)) {  // constants are one value wherever they stand
      uint32_t to = WORK + next_work_;
      next_work_ = (next_work_ + 2) % (WORK_END - WORK);
      text(code, "v_mov_b32 v{}, {:#x}", to, chance(70) ? 0u : below(64) * 4);
      addresses.push_back(address = to);
    } else if (is_rdna4() && !wide && addresses.size() > 4 && chance(20)) {
      text(code, "v_swap_b32 v{}, v{}", address, addresses.back());
    }
    Aim aim{.space = space, .address = address, .offset = int32_t(offset_of(space))};
    aim.apart = address == LDS_APART || address == GLOBAL_APART || (space == Aim::Private && is_rdna4());
    aim.base = chance(space == Aim::Scalar ? 25 : 6) ? BAD_BASE : BASE;
    aim.base_alone = !(space == Aim::Global && chance(25));
    if (space == Aim::Global && !aim.base_alone) aim.address = chance(90) ? LDS_ROW : BAD_ROW, aim.apart = false;
    aim.plain = space != Aim::Scalar && chance(60);
    aim.descriptor = chance(60) ? DESCRIPTOR : DESCRIPTOR_2;
    aim.has_scalar_offset = chance(space == Aim::Lds ? 100 : space == Aim::Scalar ? 50 : 20);
    aim.scalar_offset = space == Aim::Lds ? LIMIT : chance(90) ? GOOD : BAD_OFFSET;
    memory(code, aim);
  }
}

// Dwords through one address that stands in several registers: what was proved of one access holds for no other.
void AmdAttacker::same_value(Code& code) {
  static constexpr Aim::Space spaces[] = {Aim::Lds, Aim::Lds, Aim::Private, Aim::Global};
  Aim::Space space = spaces[below(is_rdna4() ? 4 : 2)];
  uint32_t dwords = space == Aim::Global ? 2 : 1;
  uint32_t from = space == Aim::Lds       ? LDS_ROW + below(2)
                  : space == Aim::Private ? PRIVATE_EQUAL + below(2)
                                          : GLOBAL_ROW + 2 * below(2);
  std::vector<uint32_t> addresses{from};
  bool constant = dwords == 1 && chance(20);
  for (uint32_t n = 1 + below(3); n > 0; n--) {
    uint32_t to = WORK + next_work_;
    next_work_ = (next_work_ + 2) % (WORK_END - WORK);
    if (constant && addresses.size() == 1) addresses.clear();
    for (uint32_t d = 0; d < dwords; d++) {
      if (constant)
        text(code, "v_mov_b32 v{}, 0", to);
      else
        text(code, "v_mov_b32 v{}, v{}", to + d, from + d);
    }
    if (is_rdna4() && dwords == 1 && chance(30) && !addresses.empty()) text(code, "v_swap_b32 v{}, v{}", to, addresses.back());
    addresses.push_back(to);
  }
  uint32_t count = 2 + below(4), large = 1 + below(count - 1);
  for (uint32_t n = 0; n < count; n++) {
    Aim aim{.space = space, .address = addresses[below(uint32_t(addresses.size()))]};
    aim.offset = int32_t(attack_->offsets[space][n == large ? 2 + below(2) : below(chance(80) ? 2 : 4)]);
    aim.plain = true, aim.scalar_offset = LIMIT, aim.has_scalar_offset = space == Aim::Lds;
    memory(code, aim);
  }
}

void AmdAttacker::piece(Code& code) {
  if (chance(35)) return same_value(code);
  uint32_t kind = below(100);
  if (kind < 24)
    accesses(code, Aim::Lds, addresses_of(Aim::Lds), 1 + below(5));
  else if (kind < 40)
    accesses(code, Aim::Private, addresses_of(Aim::Private), 1 + below(5));
  else if (kind < 56)
    accesses(code, Aim::Global, addresses_of(Aim::Global), 1 + below(4));
  else if (kind < 63)
    accesses(code, Aim::Flat, addresses_of(Aim::Flat), 1 + below(3));
  else if (kind < 70)
    accesses(code, Aim::Scalar, addresses_of(Aim::Scalar), 1 + below(3));
  else if (kind < 79)
    accesses(code, Aim::Buffer, addresses_of(Aim::Buffer), 1 + below(3));
  else if (kind < 86)
    registers_by_index(code);
  else if (kind < 91)
    lanes_by_index(code);
  else
    special(code);
}

// Rounds through the same accesses; in one of the last an address becomes another.
void AmdAttacker::loop(Code& code) {
  static constexpr Aim::Space spaces[] = {Aim::Lds, Aim::Lds, Aim::Private, Aim::Private, Aim::Global, Aim::Flat, Aim::Buffer};
  Aim::Space space = spaces[below(7)];
  bool wide = space == Aim::Global || space == Aim::Flat;
  uint32_t rounds = chance(70) ? 2 + below(6) : 8 + below(40);
  std::vector<uint32_t> addresses = addresses_of(space);
  uint32_t good = addresses[below(uint32_t(addresses.size()))], work = WORK, mask_words = attack_->lanes == 64 ? 64 : 32;
  next_work_ = 4;
  text(code, "s_movk_i32 s{}, {}", int(LOOP), rounds);
  bool swaps = is_rdna4() && !wide && chance(40);
  if (swaps) {
    text(code, "v_mov_b32 v{}, v{}", work, good);
    text(code, "v_mov_b32 v{}, v{}", work + 1, addresses[below(uint32_t(addresses.size()))]);
  }
  int start = int(code.words.size());
  uint32_t turn = 1 + below(std::min(rounds, 3u));
  text(code, "s_cmp_eq_u32 s{}, {}", int(LOOP), turn);
  if (swaps) {
    text(code, "v_swap_b32 v{}, v{}", work, work + 1);
    if (chance(60)) {
      text(code, "s_cselect_b32 s{}, s{}, s{}", int(PICKED), int(BAD_OFFSET), int(GOOD));
      text(code, "v_mov_b32 v{}, s{}", work + below(2), int(PICKED));
    }
    accesses(code, space, {work, work + 1, work, work + 1, good}, 2 + below(3));
  } else if (wide || chance(60)) {
    std::string mask = mask_words == 64 ? pair(MASK) : fmt::format("s{}", int(MASK));
    text(code, "s_cselect_b{} {}, -1, 0", mask_words, mask);
    uint32_t bad = wide ? uint32_t(BAD_GLOBAL) : chance(50) ? uint32_t(BAD) : uint32_t(BAD_ROW);
    for (uint32_t n = 0; n < (wide ? 2u : 1u); n++)
      text(code, "v_cndmask_b32_e64 v{}, v{}, v{}, {}", work + n, good + n, bad + n, mask);
    accesses(code, space, {work, work, work, good}, 1 + below(4));
  } else {
    text(code, "s_cselect_b32 s{}, s{}, s{}", int(PICKED), int(BAD_OFFSET), int(GOOD));
    text(code, "v_mov_b32 v{}, s{}", work, int(PICKED));
    accesses(code, space, {work, work, good}, 1 + below(4));
  }
  if (chance(15)) straight(code, 1);
  if (is_rdna4())
    text(code, "s_add_co_i32 s{}, s{}, -1", int(LOOP), int(LOOP));
  else
    text(code, "s_sub_u32 s{}, s{}, 1", int(LOOP), int(LOOP));
  text(code, "s_cmp_lg_u32 s{}, 0", int(LOOP));
  text(code, "s_cbranch_scc1 0");
  code.words.back() |= uint32_t(start - int(code.words.size())) & 0xffff;
}

void AmdAttacker::registers_by_index(Code& code) {
  for (uint32_t n = 1 + below(3); n > 0; n--) {
    static constexpr uint32_t high[] = {104, 120, 127, 0, 3, 15};
    uint32_t a = high[below(6)], b = below(16);
    if (chance(80))
      text(code, "s_mov_b32 m0, s{}", int(REGISTER_INDEX));
    else
      text(code, "s_movk_i32 m0, {:#x}", chance(50) ? below(300) : 0xffff - below(300));
    switch (below(is_rdna4() ? 11 : 7)) {
      case 0: text(code, "v_movreld_b32 v{}, v{}", a, b); break;
      case 1: text(code, "v_movrels_b32 v{}, v{}", b, a); break;
      case 2: text(code, "v_movrelsd_b32 v{}, v{}", a, b); break;
      case 3: text(code, "s_movrels_b32 s{}, s{}", b, below(90)); break;
      case 4: text(code, "s_movrels_b64 {}, {}", pair(b & ~1u), pair(below(90) & ~1u)); break;
      case 5: text(code, "s_movreld_b32 s{}, s{}", 97 + below(3), b); break;
      case 6: text(code, "s_movreld_b64 {}, {}", pair(96 + 2 * below(2)), pair(b & ~1u)); break;
      case 7: text(code, "v_movrelsd_2_b32 v{}, v{}", a, b); break;
      case 8: text(code, "v_swaprel_b32 v{}, v{}", a, b); break;
      case 9: text(code, "v_movrelsd_2_b32 v{}, v{}", b, a); break;
      default: text(code, "s_movrelsd_2_b32 s{}, s{}", 97 + below(3), b); break;
    }
  }
}

void AmdAttacker::lanes_by_index(Code& code) {
  for (uint32_t n = 1 + below(3); n > 0; n--) {
    uint32_t a = below(16), b = below(16);
    switch (below(is_rdna4() ? 7 : 4)) {
      case 0: text(code, "v_readlane_b32 s{}, v{}, s{}", int(PICKED), a, int(LANE_INDEX)); break;
      case 1: text(code, "v_writelane_b32 v{}, {}, s{}", a, below(64), int(LANE_INDEX)); break;
      case 2: text(code, "v_readlane_b32 s{}, v{}, s{}", int(PICKED), a, int(BAD_OFFSET)); break;
      case 3: text(code, "v_writelane_b32 v127, {}, s{}", below(64), int(BAD_OFFSET)); break;
      case 4:
        text(code, "ds_bpermute_b32 v{}, v{}, v{} offset:{}", a, int(chance(50) ? LDS_ANY : BAD), b, r_->next() & 0xffff);
        break;
      case 5:
        text(code, "ds_permute_b32 v{}, v{}, v{} offset:{}", a, int(chance(50) ? LDS_ANY : BAD), b, r_->next() & 0xffff);
        break;
      default: text(code, "v_permlane16_b32 v{}, v{}, s{}, s{}", a, b, int(BAD_OFFSET), int(LANE_INDEX)); break;
    }
  }
}

// --- state ---------------------------------------------------------------------------------------------------------------------
void AmdAttacker::arm(const Attack& a, unsigned run, Ground& ground) {
  wave::Wave& w = machine_->wave();
  Random r{a.state_seed * 31 + run};
  bool hostile_run = run >= a.tame_runs;
  bool wide = a.lanes == 64;
  auto v = [&](uint32_t n, uint32_t l) -> uint32_t& { return wave::word_of(w, amd::vgpr_cell(n, wide) + l * 4); };
  auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, amd::scalar_cell(n)); };
  // Not everything at once: what faults first hides the rest.
  uint32_t at_once = r.below(3);
  auto hostile = [&](uint32_t percent = 60) { return hostile_run && r.chance(percent * (1 + at_once) / 3); };
  wave::word_of(w, amd::vgpr_count_cell) = a.vgprs;
  if (!a.apertures) w.flat_shared_high = 0, w.flat_private_high = 0;
  for (uint32_t n = a.vgprs; n < amd::kVgprCount; n++)
    for (uint32_t l = 0; l < a.lanes; l++) v(n, l) = ground.pattern();

  // Offsets into LDS and private memory. `below` is what an instruction's offset adds.
  auto tame_offset = [&](uint32_t size) { return size >= 16 ? r.below(size / 4) & ~(r.chance(80) ? 15u : 3u) : 0u; };
  auto row = [&](uint32_t reg, uint32_t start, uint32_t stride) {
    for (uint32_t l = 0; l < a.lanes; l++) v(reg, l) = start + l * stride;
  };
  auto offset_of = [&](uint32_t size, Aim::Space space, bool bad) {
    // Inside with one of the offsets, outside with a larger one.
    if (bad && r.chance(40)) return size - a.offsets[space][r.below(3)] - 4 * r.below(r.chance(50) ? 4 : 70);
    uint32_t below = r.chance(30) ? a.offsets[space][r.below(4)] : 0;
    return (bad ? hostile_offset(r, size) : tame_offset(size)) - (bad ? below : 0);
  };
  auto any = [&](uint32_t reg, uint32_t size, Aim::Space space, bool bad) {
    for (uint32_t l = 0; l < a.lanes; l++)
      v(reg, l) = offset_of(size, space, bad && r.chance(30)) + (r.chance(1) ? r.below(4) : 0);
  };
  auto one_lane_out = [&](uint32_t reg, uint32_t size) {
    if (hostile(15)) v(reg, r.below(a.lanes)) = hostile_offset(r, size);
  };
  uint32_t lds = a.lds_bytes, priv = a.scratch_bytes;
  row(LDS_ROW, offset_of(lds, Aim::Lds, hostile()), a.stride), one_lane_out(LDS_ROW, lds);
  row(LDS_EQUAL, offset_of(lds, Aim::Lds, hostile()), 0), one_lane_out(LDS_EQUAL, lds);
  row(LDS_APART, offset_of(lds, Aim::Lds, hostile()), 64);
  any(LDS_ANY, lds, Aim::Lds, hostile());
  row(PRIVATE_EQUAL, offset_of(priv, Aim::Private, hostile(45)), 0), one_lane_out(PRIVATE_EQUAL, priv);
  row(PRIVATE_EQUAL_2, r.chance(50) ? v(PRIVATE_EQUAL, 0) : offset_of(priv, Aim::Private, hostile(45)), 0);
  any(PRIVATE_ANY, priv, Aim::Private, hostile(40));
  row(PRIVATE_ROW, offset_of(priv / 4, Aim::Private, hostile(45)), priv >= 512 ? 4 : 0);
  any(BAD, r.chance(50) ? lds : priv, Aim::Lds, true);
  row(BAD_ROW, hostile_offset(r, r.chance(50) ? lds : priv), r.chance(50) ? a.stride : 0);

  // Addresses.
  auto put = [&](uint32_t reg, uint32_t l, uint64_t address) {
    v(reg, l) = uint32_t(address), v(reg + 1, l) = uint32_t(address >> 32);
  };
  auto row_at = [&](uint32_t reg, uint64_t start, uint32_t stride, bool wraps) {
    for (uint32_t l = 0; l < a.lanes; l++) {
      put(reg, l, start + l * stride);
      if (wraps) v(reg + 1, l) = uint32_t(start >> 32);  // the low half alone counts on
    }
  };
  auto address_of = [&](bool bad, uint32_t room) {
    uint64_t below = bad && r.chance(30) ? uint64_t(int64_t(int32_t(a.offsets[Aim::Global][r.below(4)]))) : 0;
    return (bad ? hostile_address(r) : tame_address(r, room)) - below;
  };
  auto aperture = [&](uint32_t which, uint32_t at) {
    return uint64_t(which == 0 ? w.flat_shared_high : w.flat_private_high) << 32 | at;
  };
  if (hostile(40))  // within what is mapped, so that nothing faults
    row_at(GLOBAL_ROW, (uint64_t(2) << 32) - (1 + r.below(a.lanes)) * a.stride, a.stride, true);
  else
    row_at(GLOBAL_ROW, address_of(hostile(), 0x1400), a.stride, hostile_run ? r.chance(70) : false);
  row_at(GLOBAL_EQUAL, address_of(hostile(), 0x1400), 0, false);
  row_at(GLOBAL_APART, address_of(hostile(50), 0x1800), 64, hostile(50));
  for (uint32_t l = 0; l < a.lanes; l++) put(GLOBAL_ANY, l, address_of(hostile(8), 0x1400));
  row_at(BAD_GLOBAL, address_of(r.chance(80), 0x1400), r.chance(70) ? a.stride : 0, r.chance(70));
  if (hostile(15)) put(GLOBAL_ROW, r.below(a.lanes), hostile_address(r));
  uint32_t where = r.below(3);
  bool bad = hostile();
  row_at(FLAT_ROW,
         where == 2   ? address_of(bad, 0x1400)
         : where == 0 ? aperture(0, offset_of(lds, Aim::Lds, bad))
                      : aperture(1, offset_of(priv, Aim::Private, bad)),
         where == 1 ? 0 : a.stride, r.chance(50));
  for (uint32_t l = 0; l < a.lanes; l++) {
    where = r.below(3), bad = hostile(8);
    put(FLAT_ANY, l,
        where == 2   ? address_of(bad, 0x1400)
        : where == 0 ? aperture(0, offset_of(lds, Aim::Lds, bad))
                     : aperture(1, offset_of(priv, Aim::Private, bad)));
  }

  // Buffers: an index and an offset, or one of them.
  bad = hostile(50);
  row(INDEX, bad ? hostile_offset(r, 256) : r.below(16), 1);
  row(INDEX + 1, hostile(50) ? hostile_offset(r, 0x2000) : r.below(16) * 4, r.chance(50) ? a.stride : 0);
  bad = hostile(50);
  for (uint32_t l = 0; l < a.lanes; l++) {
    v(INDEX_ANY, l) = bad && r.chance(30) ? hostile_offset(r, 256) : r.below(256);
    v(INDEX_ANY + 1, l) = bad && r.chance(30) ? hostile_offset(r, 0x2000) : r.below(64) * 4;
  }

  // Scalars.
  s(GOOD) = r.below(16) * 4;
  s(BAD_OFFSET) = hostile_offset(r, one_of(r, {lds, priv, 0x2000}));
  uint64_t base = hostile(40) ? hostile_address(r) : tame_address(r, 0x1400);
  s(BASE) = uint32_t(base), s(BASE + 1) = uint32_t(base >> 32);
  base = r.chance(70)   ? hostile_address(r)
         : r.chance(50) ? space_bytes + space_reserve + r.below(edge_bytes / 2)
                        : 0 - space_reserve - 128 - r.below(edge_bytes / 2);
  s(BAD_BASE) = uint32_t(base), s(BAD_BASE + 1) = uint32_t(base >> 32);
  s(REGISTER_INDEX) = hostile_run ? hostile_index(r, r.chance(50) ? 256 : 128) : r.below(16);
  s(LANE_INDEX) = hostile_run ? hostile_index(r, a.lanes) : r.below(a.lanes);
  s(LIMIT) = r.chance(50)   ? ~0u
             : r.chance(50) ? hostile_offset(r, lds)
                            : (r.chance(50) ? r.below(a.shared_bytes + 1) : r.next() & 0xffff) << 16 |
                                  (r.chance(50) ? r.below(a.shared_bytes + 1) : r.next() & 0xffff);
  arm_more(w, r, a, hostile_run);
}

std::string AmdAttacker::settle(const Attack& a, Ground& ground) {
  wave::Wave& w = machine_->wave();
  std::string text;
  for (uint32_t n = a.vgprs; n < amd::kVgprCount; n++)
    for (uint32_t l = 0; l < a.lanes; l++) {
      uint32_t& word = wave::word_of(w, amd::vgpr_cell(n, a.lanes == 64) + l * 4);
      if (word != ground.pattern() && text.empty())
        text = fmt::format("  v{} lane {} was written, which the wave does not have\n", n, l);
      word = 0;
    }
  return text;
}

}  // namespace Atoll::attacker
