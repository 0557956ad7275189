#include "gpu/sea_islands/packets/rings.h"

#include <fmt/format.h>

#include "registers/accessors.h"

namespace Atoll::sea_islands {
namespace {

using registers::access::Bits;

constexpr uint32_t SRBM_GFX_CNTL = 0xe44;  // PIPEID 1:0, MEID 3:2, VMID 7:4, QUEUEID 10:8
constexpr uint32_t selection_mask = Bits<0, 4>::mask | Bits<8, 3>::mask;

// The fields of a ring's registers.
enum Field : unsigned { BASE_LOW, BASE_HIGH, CONTROL, READ, WRITE, REPORT_LOW, REPORT_HIGH, ACTIVE };
struct FieldRow {
  gpu::QueueKind kind;
  Field field;
  uint32_t address;
};
constexpr FieldRow rows[] = {
    {gpu::QueueKind::graphics, BASE_LOW, 0xc100},     // CP_RB0_BASE: bits 39:8
    {gpu::QueueKind::graphics, BASE_HIGH, 0xc2c4},    // CP_RB0_BASE_HI
    {gpu::QueueKind::graphics, CONTROL, 0xc104},      // CP_RB0_CNTL
    {gpu::QueueKind::graphics, READ, 0x8700},         // CP_RB0_RPTR
    {gpu::QueueKind::graphics, WRITE, 0xc114},        // CP_RB0_WPTR
    {gpu::QueueKind::graphics, REPORT_LOW, 0xc10c},   // CP_RB0_RPTR_ADDR
    {gpu::QueueKind::graphics, REPORT_HIGH, 0xc110},  // CP_RB0_RPTR_ADDR_HI
    {gpu::QueueKind::compute, BASE_LOW, 0xc934},      // CP_HQD_PQ_BASE
    {gpu::QueueKind::compute, BASE_HIGH, 0xc938},     // CP_HQD_PQ_BASE_HI
    {gpu::QueueKind::compute, CONTROL, 0xc958},       // CP_HQD_PQ_CONTROL
    {gpu::QueueKind::compute, READ, 0xc93c},          // CP_HQD_PQ_RPTR
    {gpu::QueueKind::compute, WRITE, 0xc954},         // CP_HQD_PQ_WPTR
    {gpu::QueueKind::compute, REPORT_LOW, 0xc940},    // CP_HQD_PQ_RPTR_REPORT_ADDR
    {gpu::QueueKind::compute, REPORT_HIGH, 0xc944},   // CP_HQD_PQ_RPTR_REPORT_ADDR_HI
    {gpu::QueueKind::compute, ACTIVE, 0xc91c},        // CP_HQD_ACTIVE
    {gpu::QueueKind::copy, CONTROL, 0xd200},          // SDMA0_GFX_RB_CNTL
    {gpu::QueueKind::copy, BASE_LOW, 0xd204},         // SDMA0_GFX_RB_BASE
    {gpu::QueueKind::copy, BASE_HIGH, 0xd208},        // SDMA0_GFX_RB_BASE_HI
    {gpu::QueueKind::copy, READ, 0xd20c},             // SDMA0_GFX_RB_RPTR
    {gpu::QueueKind::copy, WRITE, 0xd210},            // SDMA0_GFX_RB_WPTR
    {gpu::QueueKind::copy, REPORT_HIGH, 0xd220},      // SDMA0_GFX_RB_RPTR_ADDR_HI
    {gpu::QueueKind::copy, REPORT_LOW, 0xd224},       // SDMA0_GFX_RB_RPTR_ADDR_LO
};
constexpr uint32_t second_copy_engine = 0x800;  // added to the addresses of the first one's registers

// Sizes: graphics and compute count 8 bytes as a power of two in bits 5:0, the copy engines dwords in bits 5:1.
uint32_t ring_dwords(gpu::QueueKind kind, uint32_t control) {
  uint32_t power = kind == gpu::QueueKind::copy ? Bits<1, 5>::get(control) : Bits<0, 6>::get(control) + 1;
  return power <= 24 ? 1u << power : 0;
}

// Pointers of the copy engines count bytes.
unsigned pointer_shift(gpu::QueueKind kind) { return kind == gpu::QueueKind::copy ? 2 : 0; }

}  // namespace

HardwareQueue hardware_queue_of(const RingName& compute) {
  return {
      .engine = Bits<2, 2>::get(compute.index), .pipe = Bits<0, 2>::get(compute.index), .queue = Bits<8, 3>::get(compute.index)};
}

std::optional<RingName> Rings::ring_of(uint32_t address, unsigned& field) const {
  for (const FieldRow& row : rows) {
    bool copy = row.kind == gpu::QueueKind::copy;
    if (address != row.address && !(copy && address == row.address + second_copy_engine)) continue;
    field = row.field;
    if (row.kind == gpu::QueueKind::compute) return RingName{row.kind, selection_ & selection_mask};
    return RingName{row.kind, address == row.address ? 0u : 1u};
  }
  return std::nullopt;
}

bool Rings::read(uint32_t address, uint32_t& value) const {
  if (address == SRBM_GFX_CNTL) return value = selection_, true;
  unsigned field;
  auto name = ring_of(address, field);
  if (!name) return false;
  auto found = rings_.find(*name);
  Ring ring = found == rings_.end() ? Ring{.active = false} : found->second;
  unsigned shift = pointer_shift(name->kind);
  switch (field) {
    case BASE_LOW: value = uint32_t(ring.base >> 8); break;
    case BASE_HIGH: value = uint32_t(ring.base >> 40); break;
    case CONTROL: value = ring.control; break;
    case READ: value = ring.read << shift; break;
    case WRITE: value = ring.write << shift; break;
    case REPORT_LOW: value = uint32_t(ring.report); break;
    case REPORT_HIGH: value = uint32_t(ring.report >> 32); break;
    case ACTIVE: value = ring.active; break;
  }
  return true;
}

bool Rings::write(AddressSpace& space, uint32_t address, uint32_t value, std::optional<RingWork>& work) {
  if (address == SRBM_GFX_CNTL) return selection_ = value, true;
  unsigned field;
  auto name = ring_of(address, field);
  if (!name) return false;
  Ring& ring = rings_[*name];
  unsigned shift = pointer_shift(name->kind);
  switch (field) {
    case BASE_LOW: ring.base = (ring.base >> 40 << 40) | uint64_t(value) << 8; break;
    case BASE_HIGH: ring.base = (ring.base & ((uint64_t(1) << 40) - 1)) | uint64_t(value) << 40; break;
    case CONTROL: ring.control = value; break;
    case READ: ring.read = value >> shift; break;
    case REPORT_LOW: ring.report = (ring.report >> 32 << 32) | (value & ~3u); break;
    case REPORT_HIGH: ring.report = (ring.report & 0xffffffff) | uint64_t(value & 0xffff) << 32; break;
    case ACTIVE: ring.active = value & 1; break;
    case WRITE:
      ring.write = value >> shift;
      if (ring.active) collect(space, *name, ring, work);
      break;
  }
  return true;
}

void Rings::collect(AddressSpace& space, const RingName& name, Ring& ring, std::optional<RingWork>& work) const {
  uint32_t size = ring_dwords(name.kind, ring.control);
  if (ring.read == ring.write) return;
  work.emplace();
  work->ring = name, work->end = ring.write;
  if (size == 0 || ring.write >= size || ring.read >= size) {
    work->error = fmt::format("ring of {} dwords at {:#x} with pointers {} and {}", size, ring.base, ring.read, ring.write);
    return;
  }
  if (!space.contains(ring.base, uint64_t(size) * 4)) {
    work->error = fmt::format("ring of {} dwords at {:#x}, where nothing is mapped", size, ring.base);
    return;
  }
  const uint32_t* words = reinterpret_cast<const uint32_t*>(space.host(ring.base));
  work->address = ring.base + uint64_t(ring.read) * 4;
  for (uint32_t at = ring.read; at != ring.write; at = at + 1 == size ? 0 : at + 1) work->words.push_back(words[at]);
}

void Rings::finished(AddressSpace& space, const RingWork& work) {
  Ring& ring = rings_[work.ring];
  ring.read = work.end;
  if (ring.report && space.contains(ring.report, 4, true))
    __atomic_store_n(reinterpret_cast<uint32_t*>(space.host(ring.report)), ring.read << pointer_shift(work.ring.kind),
                     __ATOMIC_RELEASE);
}

}  // namespace Atoll::sea_islands
