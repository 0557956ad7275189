// Sea Islands ISA 4.4: VM_CNT, LGKM_CNT and EXP_CNT, and what S_WAITCNT asks of them. Stores of memory read their data at once (LLVM
// SIInsertWaitcnts.cpp, vmemWriteNeedsExpWaitcnt), exports later.
#include "isa/gfx7/wait_counters.h"

#include "isa/amd/wait_counters.h"
#include "isa/gfx7/instruction.h"
#include "isa/gfx7/operands.h"

namespace Atoll::gfx7 {
namespace {

enum Counter : int { VM, LGKM, EXPORT };
enum LgkmKind : uint8_t { SHARES, SCALARS };  // LDS and GDS; SMRD
constexpr uint16_t s_waitcnt = 12;            // SOPP

struct Policy {
  using Instruction = gfx7::Instruction;

  amd::Counted counted(const Instruction& i) const {
    const Opcode& row = *i.opcode;
    if (row.has(Flag::Cache) || row.has(Flag::Bare)) return {};
    switch (row.format) {
      case Format::SMRD: return {LGKM, SCALARS, true};
      case Format::DS: return {LGKM, SHARES};
      case Format::MUBUF:
      case Format::MTBUF:
      case Format::MIMG:
      case Format::FLAT: return {VM};
      // Colours, positions and parameters go ways of their own.
      case Format::EXP: return {EXPORT, uint8_t(i.tgt < 12 ? 0 : i.tgt < 32 ? 1 : 2), false, true};
      default: return {};
    }
  }

  amd::Waits waits(const Instruction& i) const {
    amd::Waits out;
    out.fill(-1);
    if (i.opcode->format != Format::SOPP || i.opcode->opcode != s_waitcnt) return out;
    // VM_CNT 3:0, EXP_CNT 6:4, LGKM_CNT 11:8; the largest value waits for nothing.
    const unsigned vm = i.simm16 & 15, exports = i.simm16 >> 4 & 7, lgkm = i.simm16 >> 8 & 15;
    if (vm < 15) out[VM] = int(vm);
    if (exports < 7) out[EXPORT] = int(exports);
    if (lgkm < 15) out[LGKM] = int(lgkm);
    return out;
  }

  amd::Registers registers(const Instruction& i) const {
    amd::Registers r;
    const Opcode& row = *i.opcode;
    if (row.format == Format::EXP) {
      for (unsigned n = 0; n < 4; n++)
        if (i.compr ? (i.en >> (n & ~1u) & 3) && n < 2 : i.en >> n & 1) amd::add_vgprs(r.reads, i.exports[n], 1);
      return r;
    }
    const bool memory = row.format == Format::MUBUF || row.format == Format::MTBUF || row.format == Format::MIMG;
    for (const OperandRow& o : row.rows()) {
      const uint16_t* slot = slot_of(i, o.slot);
      if (!slot) continue;
      const bool brings = memory && o.slot == Slot::Data && !row.has(Flag::Store) && !i.lds && (!row.has(Flag::Atomic) || i.glc);
      const bool result = o.slot == Slot::Dst || o.slot == Slot::Sdst || brings;
      unsigned count = std::max(1u, o.type.dwords());
      if (o.kind == Kind::Mask || o.kind == Kind::ImpliedVcc) count = 2;
      if (o.kind == Kind::ImageData) count = image_data_dwords(i);
      if (i.tfe && brings && o.kind != Kind::ImageData) count++;
      amd::RegisterSet& to = result ? r.writes : r.reads;
      switch (o.kind) {
        case Kind::Returned:
          if (i.glc) amd::add_vgprs(r.writes, *slot, count);
          break;
        case Kind::Vgpr:
        case Kind::VgprOrDirect:
        case Kind::ImageData:
        case Kind::ImageAddress:
          if (o.kind == Kind::VgprOrDirect && *slot < amd::VGPR0) break;
          amd::add_vgprs(to, *slot >= amd::VGPR0 ? *slot - amd::VGPR0 : *slot, count);
          if (brings && row.has(Flag::Atomic)) amd::add_vgprs(r.reads, *slot, count);
          break;
        case Kind::Sgpr:
        case Kind::Mask:
        case Kind::ImpliedVcc: amd::add_scalars(to, *slot, count); break;
        case Kind::ScalarSource:
        case Kind::ScalarInline:
        case Kind::VectorSource: amd::add_source(r.reads, *slot, count); break;
        case Kind::BufferAddress: amd::add_vgprs(r.reads, i.address, i.addr64 ? 2 : unsigned(i.offen) + unsigned(i.idxen)); break;
        case Kind::ScalarOffset: amd::add_scalars(r.reads, i.soffset, 1); break;
        default: break;
      }
      if (result && row.has(Flag::Accumulates)) r.reads |= r.writes;
    }
    return r;
  }

  static std::string scalar_name(unsigned n) {
    return n == amd::VCC_LO ? "vcc_lo" : n == amd::VCC_HI ? "vcc_hi" : fmt::format("s{}", n);
  }
  static std::string wait_text(int counter, int n) {
    constexpr const char* names[] = {"vmcnt", "lgkmcnt", "expcnt"};
    return fmt::format("s_waitcnt {}({})", names[counter], n);
  }
};

}  // namespace

std::shared_ptr<wave::WaitRule> wait_counters() { return std::make_shared<amd::WaitCounters<Policy>>(Policy{}); }

}  // namespace Atoll::gfx7
