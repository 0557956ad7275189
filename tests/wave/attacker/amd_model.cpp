// Required results of single accesses, worked out lane by lane from the registers and the manual's rules (RDNA4 ISA 8.1, 9.4,
// 11.2, 13; Sea Islands register guide section 4), apart from the interpreter: both engines share its checks, so that one that
// is missing there makes no difference between them.
#include <cstring>
#include <optional>

#include "amd_attacks.h"
#include "isa/amd/registers.h"

namespace Atoll::attacker {

using namespace amd_registers;

namespace {

enum Model : unsigned { None, LdsLoad, FlatLoad, GlobalLoad, BufferLoad, ScalarBufferLoad, LdsAtomic, GlobalAtomic, ScalarMove };
constexpr uint32_t result_vgpr = 110, result_sgpr = PICKED;

struct Expected {
  std::optional<uint32_t> value = {};  // none: nothing is said
  bool fault = false;
  uint64_t address = 0;
};

}  // namespace

unsigned AmdAttacker::model_program(Code& code) {
  Model model = Model(1 + below(8));
  bool rdna4 = is_rdna4();
  const char* load = rdna4 ? "ds_load_b32" : "ds_read_b32";
  uint32_t address = LDS_ROW + below(4);
  switch (model) {
    case LdsLoad:
      if (!rdna4) text(code, "s_mov_b32 m0, s{}", int(LIMIT));
      text(code, "{} v{}, v{}", load, result_vgpr, address);
      break;
    case LdsAtomic:
      if (!rdna4) text(code, "s_mov_b32 m0, -1");
      text(code, "ds_add_u32 v{}, v1", address);
      break;
    case FlatLoad:
      text(code, "flat_load_{} v{}, v[{}:{}]", rdna4 ? "b32" : "dword", result_vgpr, int(FLAT_ANY), FLAT_ANY + 1);
      break;
    case GlobalLoad:
      if (rdna4)
        text(code, "global_load_b32 v{}, v[{}:{}], off", result_vgpr, int(GLOBAL_ROW), GLOBAL_ROW + 1);
      else
        text(code, "flat_load_dword v{}, v[{}:{}]", result_vgpr, int(GLOBAL_ROW), GLOBAL_ROW + 1);
      break;
    case GlobalAtomic:
      if (rdna4)
        text(code, "global_atomic_add_u32 v[{}:{}], v1, off", int(GLOBAL_ANY), GLOBAL_ANY + 1);
      else
        text(code, "flat_atomic_add v[{}:{}], v1", int(GLOBAL_ANY), GLOBAL_ANY + 1);
      break;
    case ScalarMove:
      text(code, "s_mov_b32 m0, s{}", int(REGISTER_INDEX));
      text(code, "s_movrels_b32 s{}, s{}", result_sgpr, below(100));
      break;
    case BufferLoad:
      text(code, "buffer_load_{} v{}, v{}, s[{}:{}], {} offen", rdna4 ? "b32" : "dword", result_vgpr, INDEX_ANY + 1,
           int(DESCRIPTOR), DESCRIPTOR + 3, rdna4 ? "null" : "0");
      break;
    default:
      if (rdna4)
        text(code, "s_buffer_load_b32 s{}, s[{}:{}], s{} offset:0x0", result_sgpr, int(DESCRIPTOR), DESCRIPTOR + 3,
             int(chance(50) ? BAD_OFFSET : GOOD));
      else
        text(code, "s_buffer_load_dword s{}, s[{}:{}], s{}", result_sgpr, int(DESCRIPTOR), DESCRIPTOR + 3,
             int(chance(50) ? BAD_OFFSET : GOOD));
  }
  text(code, "s_endpgm");
  return model;
}

std::string AmdAttacker::judge(const Attack& a) {
  if (!a.model) return {};
  wave::Wave& w = machine_->wave();
  bool wide = a.lanes == 64, rdna4 = is_rdna4();
  auto v = [&](uint32_t n, uint32_t l) { return wave::word_of(w, amd::vgpr_cell(n, wide) + l * 4); };
  auto s = [&](uint32_t n) { return wave::word_of(w, amd::scalar_cell(n)); };
  auto word = [](const uint8_t* p) {
    uint32_t x;
    std::memcpy(&x, p, 4);
    return x;
  };
  auto memory = [&](uint64_t address) -> Expected {
    if (!machine_->mapped(address, 4, false)) return {.fault = true, .address = address};
    return {.value = word(w.window + address)};
  };
  auto lds = [&](uint64_t address) -> Expected { return {.value = address + 4 <= w.lds_bytes ? word(w.lds + address) : 0}; };
  auto scratch = [&](uint32_t address, uint32_t lane) -> Expected {
    if (uint64_t(address) + 4 > w.scratch_bytes) return {.fault = true, .address = address};
    uint32_t x = 0;
    for (uint32_t n = 0; n < 4; n++) {
      uint32_t at = address + n;
      x |= uint32_t(w.scratch[(at / 4 * w.lanes + lane) * 4 + (at & 3)]) << 8 * n;
    }
    return {.value = x};
  };
  auto pair = [&](uint32_t reg, uint32_t l) { return uint64_t(v(reg + 1, l)) << 32 | v(reg, l); };
  // EXEC.
  uint64_t exec = s(126) | (wide ? uint64_t(s(127)) << 32 : 0);
  auto of_lane = [&](uint32_t l) -> Expected {
    switch (a.model) {
      case LdsLoad: {
        uint32_t at = v(a.program.words[a.program.words.size() - 2] & 0xff, l);
        if (!rdna4 && at >= s(LIMIT)) return {.value = 0};
        return lds(at);
      }
      case LdsAtomic: {
        uint32_t at = v(a.program.words[a.program.words.size() - 2] & 0xff, l);
        if (at & 3) return {.fault = true, .address = at};
        return {};
      }
      case GlobalAtomic: {
        uint64_t at = pair(GLOBAL_ANY, l);
        return {.fault = (at & 3) || !machine_->mapped(at, 4, true), .address = at};
      }
      case GlobalLoad:
      case FlatLoad: {
        uint64_t at = pair(a.model == FlatLoad ? FLAT_ANY : GLOBAL_ROW, l);
        if (a.model == GlobalLoad && rdna4) return memory(at);
        uint32_t high = uint32_t(at >> 32);
        if (high && high == w.flat_shared_high) return lds(at & 0x1ffff);
        if (!high || high != w.flat_private_high) return memory(at);
        if (!w.flat_scratch_cell) return scratch(uint32_t(at), l);
        uint64_t size = wave::word_of(w, w.flat_scratch_cell) & 0x7ffff;
        uint64_t place = w.flat_scratch_base + uint64_t(wave::word_of(w, w.flat_scratch_cell + 4) & 0xffffff) * 256;
        uint32_t low = uint32_t(at);
        if (low + uint64_t(4) > size) return {.fault = true, .address = low};
        return memory(place + (uint64_t(low) / 4 * w.lanes + l) * 4 + (low & 3));
      }
      default: {  // a raw buffer
        uint64_t base = s(DESCRIPTOR) | uint64_t(s(DESCRIPTOR + 1) & 0xffff) << 32, offset = v(INDEX_ANY + 1, l);
        if (offset + 4 > s(DESCRIPTOR + 2)) return {.value = 0};
        return memory(base + offset);
      }
    }
  };
  std::string wrong;
  auto got = [&](const char* what, uint64_t is, uint64_t should) {
    wrong = fmt::format("{} is {:#x} and should be {:#x}", what, is, should);
  };
  if (a.model == ScalarMove) {  // beyond the SGPRs and VCC: s0
    constexpr uint32_t end = 108;
    uint64_t from = uint64_t(a.program.words[a.program.words.size() - 2] & 0xff) + s(REGISTER_INDEX);
    if (from != result_sgpr && s(result_sgpr) != s(from < end ? uint32_t(from) : 0)) got("the result", s(result_sgpr), from);
    return wrong;
  }
  if (a.model == ScalarBufferLoad) {
    uint32_t from = a.program.words[a.program.words.size() - 2];
    uint32_t sgpr = rdna4 ? from >> 25 & 0x7f : from & 0xff;
    uint32_t stride = s(DESCRIPTOR + 1) >> 16 & 0x3fff;
    uint64_t base = (s(DESCRIPTOR) | uint64_t(s(DESCRIPTOR + 1) & 0xffff) << 32) & ~uint64_t(3), offset = s(sgpr) & ~3u;
    uint64_t size = uint64_t(s(DESCRIPTOR + 2)) * (stride ? stride : 1);
    bool inside = rdna4 ? offset < (size & ~uint64_t(3)) : offset + 4 <= size;
    Expected e = inside ? memory(base + offset) : Expected{.value = 0};
    bool faulted = w.stop == wave::Stop::Fault;
    if (faulted != e.fault)
      got("whether it faults", faulted, e.fault);
    else if (faulted ? w.fault.address != e.address : s(result_sgpr) != *e.value)
      got("the result", faulted ? w.fault.address : s(result_sgpr), faulted ? e.address : *e.value);
    return wrong;
  }
  if (a.model == BufferLoad) {
    uint32_t w1 = s(DESCRIPTOR + 1), w3 = s(DESCRIPTOR + 3);
    bool plain = rdna4 ? (w3 >> 28 & 3) == 3 && !(w1 >> 30 & 3) && w3 >> 12 & 0x3f && !(w3 >> 30) && !(w3 >> 23 & 1)
                       : !(w1 >> 16) && !(w3 >> 23 & 1) && !(w3 >> 19 & 3);
    if (!plain) return {};
  }
  auto in_aperture = [&](uint32_t high) { return high && (high == w.flat_shared_high || high == w.flat_private_high); };
  if (a.model == GlobalAtomic && !rdna4)  // flat: only addresses in memory are worked out
    for (uint32_t l = 0; l < a.lanes; l++)
      if (exec >> l & 1 && in_aperture(v(GLOBAL_ANY + 1, l))) return {};
  for (uint32_t l = 0; l < a.lanes; l++)
    if (exec >> l & 1)
      if (Expected e = of_lane(l); e.fault) {
        if (w.stop != wave::Stop::Fault)
          got("the fault, of which there is none, its lane", 0, l);
        else if (w.fault.lane != int(l) || w.fault.address != e.address)
          got("the fault's address", w.fault.address, e.address);
        return wrong;
      }
  if (w.stop == wave::Stop::Fault) return fmt::format("a fault at {:#x} where there should be none", w.fault.address);
  for (uint32_t l = 0; l < a.lanes && wrong.empty(); l++)
    if (exec >> l & 1)
      if (Expected e = of_lane(l); e.value && v(result_vgpr, l) != *e.value)
        got(fmt::format("lane {}", l).c_str(), v(result_vgpr, l), *e.value);
  return wrong;
}

}  // namespace Atoll::attacker
