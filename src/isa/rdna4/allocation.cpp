#include "isa/rdna4/allocation.h"

#include <algorithm>

#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

// Registers [first, first + count) that an instruction reads or writes.
struct Named {
  uint32_t first, count;
  bool result;
  uint16_t* source = nullptr;  // where a vector ALU instruction's source stands, to be put another in its place
  uint32_t end() const { return first + count; }
};

// The registers of VIMAGE and VSAMPLE instructions, except the BVH ones.
void image_registers(const Instruction& i, std::vector<Named>& list) {
  const Opcode& row = *i.opcode;
  const bool brings = !row.has(Flag::Store) && !row.has(Flag::Atomic), returns = row.has(Flag::Atomic) && (i.th & 1);
  const ImageShape shape = image_shape(i);
  list.push_back({i.data, shape.data, brings || returns});
  // Each component has a field, the last of VSAMPLE's also those behind it.
  const unsigned fields = row.format == Format::VSAMPLE ? 4 : 5;
  for (unsigned n = 0; n < std::min(fields, shape.address); n++)
    list.push_back({i.image_address[n], n + 1 == fields ? shape.address - n : 1, false});
}

std::vector<Named> registers_of(Instruction& i, unsigned wave_size) {
  std::vector<Named> list;
  const Opcode& row = *i.opcode;
  if ((row.format == Format::VIMAGE || row.format == Format::VSAMPLE) && !row.has(Flag::Bvh)) {
    image_registers(i, list);
    return list;
  }
  const bool returns = !row.has(Flag::Atomic) || (i.th & 1);
  // The result takes the data's place.
  const bool comes_to_data = row.has(Flag::Bvh) || (row.format == Format::VBUFFER && !row.has(Flag::Store));
  // Ray tracing also changes the stack's address, and the ray where instances are tested.
  auto changes = [&](const OperandRow& o) {
    if (!row.has(Flag::Bvh)) return false;
    if (row.format == Format::VDS) return o.slot == Slot::Address;
    return (o.slot == Slot::Image2 || o.slot == Slot::Image3) && row.operands[0].type.dwords() > 4;
  };
  for (const OperandRow& o : row.rows()) {
    uint16_t* slot = slot_of(i, o.slot);
    unsigned count = std::max(1u, o.type.dwords());
    if (row.has(Flag::WaveMatrix) && wave_size == 64) count = (count + 1) / 2;
    switch (o.kind) {
      case Kind::Vgpr:
      case Kind::VectorSource:
      case Kind::VgprOrInline:
        if (!slot) break;
        if (!is_source(o.slot)) {
          if (row.format == Format::VBUFFER && o.slot == Slot::Data && i.tfe) count++;
          list.push_back({*slot, count, o.slot == Slot::Dst || (o.slot == Slot::Data && comes_to_data && returns) || changes(o)});
        } else if (*slot >= VGPR0 && !row.has(Flag::IndexedSource)) {
          list.push_back({*slot - uint32_t(VGPR0), count, o.slot == Slot::Src0 && row.has(Flag::Swaps), slot});
        }
        break;
      case Kind::Returned:
        if (slot && returns) list.push_back({*slot, count, true});
        break;
      case Kind::GlobalAddress: list.push_back({i.address, i.saddr_valid ? 1u : 2u, false}); break;
      case Kind::ScratchAddress:
        if (i.vaddr_valid) list.push_back({i.address, 1, false});
        break;
      case Kind::BufferAddress:
        if (i.offen || i.idxen) list.push_back({i.address, unsigned(i.offen != 0) + unsigned(i.idxen != 0), false});
        break;
      case Kind::ExportSource:
        if (slot && (i.en >> (unsigned(o.slot) - unsigned(Slot::Export0)) & 1)) list.push_back({*slot, 1, false});
        break;
      default: break;
    }
  }
  return list;
}

// One instruction that is no bundle.
Reach limit_one(Instruction& i, unsigned wave_size, uint32_t vgprs, bool dual, std::vector<uint8_t>& copies) {
  bool changed = false;
  for (const Named& n : registers_of(i, wave_size)) {
    if (n.end() <= vgprs) continue;
    if (n.result) return Reach::Nothing;
    if (n.source) {
      *n.source = uint16_t(VGPR0 + (dual ? n.first % 4 : 0));
      changed = true;
    } else {
      for (uint32_t r = std::max(n.first, vgprs); r < n.end(); r++) copies.push_back(uint8_t(r));
    }
  }
  return changed ? Reach::Changed : copies.empty() ? Reach::Inside : Reach::Copied;
}

}  // namespace

Reach limit(const Decoded& written, unsigned wave_size, uint32_t vgprs, Decoded& changed, std::vector<uint8_t>& copies) {
  changed = written;
  copies.clear();
  if (!written.main.dual_x) return limit_one(changed.main, wave_size, vgprs, false, copies);
  Reach x = limit_one(changed.x, wave_size, vgprs, true, copies), y = limit_one(changed.y, wave_size, vgprs, true, copies);
  if (x == Reach::Nothing || y == Reach::Nothing) return Reach::Nothing;
  return x == Reach::Changed || y == Reach::Changed ? Reach::Changed : Reach::Inside;
}

int highest_vgpr(const Instruction& i, unsigned wave_size) {
  int highest = -1;
  for (const Instruction* one : {i.dual_x ? i.dual_x : &i, i.dual_x ? i.dual_y : &i}) {
    Instruction copy = *one;
    for (const Named& n : registers_of(copy, wave_size)) highest = std::max(highest, int(n.end()) - 1);
  }
  return highest;
}

}  // namespace Atoll::rdna4
