// RDNA4 ISA 5.6: LOADCNT, STORECNT, SAMPLECNT, BVHCNT, DSCNT, KMCNT, EXPCNT and the s_wait_ instructions.
#include "isa/rdna4/wait_counters.h"

#include "isa/amd/wait_counters.h"
#include "isa/rdna4/instruction.h"
#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

enum Counter : int { LOAD, SAMPLE, BVH, STORE, DS, KM, EXP };
constexpr const char* counter_names[] = {"s_wait_loadcnt", "s_wait_samplecnt", "s_wait_bvhcnt", "s_wait_storecnt",
                                         "s_wait_dscnt",   "s_wait_kmcnt",     "s_wait_expcnt"};

// SOPP opcodes (RDNA4 ISA 16.5).
enum Sopp : uint16_t {
  S_WAIT_IDLE = 10,
  S_WAIT_LOADCNT = 64,
  S_WAIT_STORECNT,
  S_WAIT_SAMPLECNT,
  S_WAIT_BVHCNT,
  S_WAIT_EXPCNT,
  S_WAIT_DSCNT = 70,
  S_WAIT_KMCNT,
  S_WAIT_LOADCNT_DSCNT,
  S_WAIT_STORECNT_DSCNT
};

struct Policy {
  using Instruction = rdna4::Instruction;
  unsigned wave_size;

  amd::Counted counted(const Instruction& i) const {
    const Opcode& row = *i.opcode;
    const bool load = row.has(Flag::Load) || row.has(Flag::Msaa) || row.has(Flag::Gather4) || row.has(Flag::Sample);
    switch (row.format) {
      case Format::SMEM: return {load ? KM : -1, 0, true};
      case Format::VDS: return {DS};
      case Format::VBUFFER:
      case Format::VGLOBAL:
      case Format::VSCRATCH:
      case Format::VFLAT:
        if (row.has(Flag::Cache) || row.has(Flag::Prefetch)) return {};
        if (row.has(Flag::Atomic)) return {(i.th & 1) ? LOAD : STORE};  // TH_ATOMIC_RETURN
        return {load ? LOAD : STORE};
      case Format::VIMAGE:
        if (row.has(Flag::Bvh)) return {BVH};
        if (row.has(Flag::Atomic)) return {(i.th & 1) ? LOAD : STORE};
        return {load || row.has(Flag::Query) ? LOAD : STORE};
      // Parameter loads are in order with each other, exports of a family with those of it (5.7).
      case Format::VDSDIR: return {EXP, 4};
      case Format::VEXPORT:
        return {EXP, i.tgt >= 21 ? uint8_t(3) : i.tgt == 20 ? uint8_t(2) : i.tgt >= 12 ? uint8_t(1) : uint8_t(0), false, true};
      case Format::VSAMPLE: return {row.has(Flag::Msaa) ? LOAD : SAMPLE};
      default: return {};
    }
  }

  amd::Waits waits(const Instruction& i) const {
    amd::Waits out;
    out.fill(-1);
    if (i.opcode->format == Format::VINTERP) out[EXP] = i.wait_exp;
    if (i.opcode->format != Format::SOPP) return out;
    const int n = i.immediate & 63, high = i.immediate >> 8 & 63;
    switch (i.opcode->opcode) {
      case S_WAIT_IDLE: out.fill(0); break;
      case S_WAIT_LOADCNT: out[LOAD] = n; break;
      case S_WAIT_STORECNT: out[STORE] = n; break;
      case S_WAIT_SAMPLECNT: out[SAMPLE] = n; break;
      case S_WAIT_BVHCNT: out[BVH] = n; break;
      case S_WAIT_EXPCNT: out[EXP] = n; break;
      case S_WAIT_DSCNT: out[DS] = n; break;
      case S_WAIT_KMCNT: out[KM] = n; break;
      case S_WAIT_LOADCNT_DSCNT: out[LOAD] = high, out[DS] = n; break;
      case S_WAIT_STORECNT_DSCNT: out[STORE] = high, out[DS] = n; break;
      default: break;
    }
    return out;
  }

  amd::Registers registers(const Instruction& i) const {
    amd::Registers r;
    if (i.dual_x) {
      for (const Instruction* half : {i.dual_x, i.dual_y}) {
        const amd::Registers one = registers(*half);
        r.reads |= one.reads, r.writes |= one.writes;
      }
      return r;
    }
    const Opcode& row = *i.opcode;
    const unsigned mask_words = wave_size / 32;
    if (row.format == Format::VEXPORT) amd::add_scalars(r.reads, EXEC_LO, mask_words);
    const bool returns = row.has(Flag::Atomic) ? i.th & 1 : true;
    const bool bare = row.format == Format::VBUFFER || row.format == Format::VIMAGE;  // what comes back takes the data's place
    for (const OperandRow& o : row.rows()) {
      const uint16_t* slot = slot_of(i, o.slot);
      if (!slot) continue;
      // Loads of buffers and images bring their data where stores have it.
      const bool brings = o.slot == Slot::Data && !row.has(Flag::Store) && !row.has(Flag::Atomic);
      const bool result = o.slot == Slot::Dst || o.slot == Slot::Sdst || brings;
      unsigned count = std::max(1u, o.type.dwords());
      if (o.kind == Kind::Mask || o.kind == Kind::ImpliedVcc) count = mask_words;
      if (o.kind == Kind::ImageData) count = image_shape(i).data;
      amd::RegisterSet& to = result ? r.writes : r.reads;
      switch (o.kind) {
        case Kind::Returned:
          if (returns) amd::add_vgprs(r.writes, *slot, count);
          break;
        case Kind::Vgpr:
        case Kind::ImageData:
          amd::add_vgprs(to, *slot >= amd::VGPR0 ? *slot - amd::VGPR0 : *slot, count);
          if (o.slot == Slot::Data && row.has(Flag::Atomic) && returns && bare) amd::add_vgprs(r.writes, *slot, count);
          break;
        case Kind::Sgpr:
        case Kind::Mask:
        case Kind::ImpliedVcc: amd::add_scalars(to, *slot, count); break;
        case Kind::ScalarSource:
        case Kind::VectorSource:
        case Kind::VgprOrInline: amd::add_source(r.reads, *slot, count); break;
        case Kind::GlobalAddress: amd::add_vgprs(r.reads, i.address, i.saddr_valid ? 1 : 2); break;
        case Kind::ScratchAddress:
          if (i.vaddr_valid) amd::add_vgprs(r.reads, i.address, 1);
          break;
        case Kind::BufferAddress: amd::add_vgprs(r.reads, i.address, unsigned(i.offen) + unsigned(i.idxen)); break;
        case Kind::ScalarAddress:
          if (i.saddr_valid) amd::add_scalars(r.reads, i.saddr, 2);
          break;
        case Kind::ExportSource:
          if (i.en >> (unsigned(o.slot) - unsigned(Slot::Export0)) & 1) amd::add_vgprs(r.reads, *slot, 1);
          break;
        case Kind::ImageResource: amd::add_scalars(r.reads, *slot, i.r128 ? 4 : 8); break;
        default: break;
      }
      if (result && row.has(Flag::Accumulates)) r.reads |= r.writes;
      // Ray tracing also changes the stack's address, and the ray where instances are tested.
      const bool moves_ray = o.slot == Slot::Image2 || o.slot == Slot::Image3;
      const bool changed = row.format == Format::VDS ? o.slot == Slot::Address : moves_ray && row.operands[0].type.dwords() > 4;
      if (row.has(Flag::Bvh) && changed) amd::add_vgprs(r.writes, *slot, count);
    }
    return r;
  }

  static std::string scalar_name(unsigned n) {
    if (n == amd::EXEC_LO || n == amd::EXEC_HI) return n == amd::EXEC_LO ? "exec_lo" : "exec_hi";
    return n == amd::VCC_LO ? "vcc_lo" : n == amd::VCC_HI ? "vcc_hi" : fmt::format("s{}", n);
  }
  static std::string wait_text(int counter, int n) { return fmt::format("{} {:#x}", counter_names[counter], n); }
};

}  // namespace

std::shared_ptr<wave::WaitRule> wait_counters(unsigned wave_size) {
  return std::make_shared<amd::WaitCounters<Policy>>(Policy{wave_size});
}

}  // namespace Atoll::rdna4
