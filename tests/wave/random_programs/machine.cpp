#include "machine.h"

#include <cstring>

namespace Atoll::rdna4::test {

uint32_t Random::word() {
  static constexpr uint32_t edges[] = {
      0,          1,          2,          31,         32,         33,         0x7fff,     0x8000,     0xffff,     0x10000,
      0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x00800000, 0x007fffff,
      0x00000400, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001, 0xffc12345, 0x4b000000, 0x4f000000, 0xcf000000,
      0x4f800000, 0x3c003c00, 0x7c00fc00, 0x7e007d01, 0x00010400, 0x7bff8001, 0x33000000, 0x477fe000, 0x7ff00000, 0x7ff80001,
      0xfff00001, 0x3ff00000, 0x000fffff, 0x00100000, 0x7fefffff, 0x41e00000, 0x41dfffff, 0x40490fdb, 0x42000000, 0xc2fe0000};
  uint64_t r = next64();
  switch (r & 7) {
    case 0:
    case 1:
    case 2: return edges[(r >> 8) % std::size(edges)];
    case 3: return 0x3f000000u + (uint32_t(r >> 32) & 0x01ffffffu);  // floats of ordinary size
    case 4: return uint32_t(r >> 32) & 0xff;
    default: return uint32_t(r >> 32);
  }
}

std::unique_ptr<Machine> Machine::create() {
  auto m = std::make_unique<Machine>();
  auto space = AddressSpace::create();
  if (!space) return nullptr;
  m->space_ = std::move(*space);
  auto offset = m->space_->memory().allocate(buffer_bytes);
  if (!offset || !m->space_->map(buffer_start, *offset, buffer_bytes)) return nullptr;
  size_t bytes = round_up(wave::register_file_offset + register_file_bytes(true), 128);
  m->storage_.reset(static_cast<uint8_t*>(std::aligned_alloc(128, bytes)));
  m->lds_.resize(lds_bytes), m->scratch_.resize(size_t(scratch_bytes) * 64);
  return m;
}

void Machine::reset(unsigned lanes, uint32_t mode, uint64_t seed) {
  Random random{seed};
  bool wide = lanes == 64;
  std::memset(storage_.get(), 0, wave::register_file_offset + register_file_bytes(true));
  wave_ = new (storage_.get()) wave::Wave;
  wave::Wave& w = *wave_;
  w.window = space_->base(), w.window_bytes = space_->size();
  w.lds = lds_.data(), w.lds_bytes = lds_bytes;
  w.scratch = scratch_.data(), w.scratch_bytes = scratch_bytes;
  w.stop_flag = &stop_, w.environment = this, w.group = &group_;
  w.lanes = lanes, w.pc = code_base;
  w.flat_shared_high = shared_high, w.flat_private_high = private_high;
  wave::reset(group_, 1);
  stop_ = 0, ticks_ = 0;

  auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, scalar_cell(n)); };
  auto v = [&](uint32_t n, uint32_t l) -> uint32_t& { return wave::word_of(w, vgpr_cell(n, wide) + l * 4); };
  wave::word_of(w, mode_cell) = mode;
  wave::word_of(w, vgpr_count_cell) = kVgprCount;
  wave::word_of(w, scc_cell) = random.next() & 1;
  for (uint32_t n = 0; n < DATA_SGPRS; n++) s(n) = random.word();
  s(VCC_LO) = random.next(), s(VCC_HI) = random.next(), s(M0) = random.below(4);
  s(SCRATCH_OFFSET) = random.below(16) * 4, s(SMALL_OFFSET) = random.below(16) * 4;
  s(BUFFER_BASE) = uint32_t(buffer_base), s(BUFFER_BASE + 1) = uint32_t(buffer_base >> 32);
  // V#: base, stride 0 or 16, records (bytes, or of 16 bytes), DST_SEL xyzw, a format; RDNA4 ISA 9.3.
  uint32_t stride = random.below(2) * 16;
  s(BUFFER_DESCRIPTOR) = uint32_t(buffer_base), s(BUFFER_DESCRIPTOR + 1) = uint32_t(buffer_base >> 32) | stride << 16;
  s(BUFFER_DESCRIPTOR + 2) = stride ? 0x200 : 0x2000;
  s(BUFFER_DESCRIPTOR + 3) = 4 | 5 << 3 | 6 << 6 | 7 << 9 | (20 + random.below(30)) << 12;
  switch (random.below(4)) {
    case 0: s(EXEC_LO) = ~0u, s(EXEC_HI) = ~0u; break;
    case 1: s(EXEC_LO) = random.next(), s(EXEC_HI) = random.next(); break;
    case 2: s(EXEC_LO) = random.next() & random.next() & random.next(), s(EXEC_HI) = random.below(2) * random.next(); break;
    default: s(EXEC_LO) = ~0u << random.below(32), s(EXEC_HI) = ~0u >> random.below(32); break;
  }
  if (!wide) s(EXEC_HI) = 0;
  for (uint32_t n = 0; n < DATA_VGPRS; n++) {
    uint32_t kind = random.below(8), same = random.word();
    for (uint32_t l = 0; l < lanes; l++) v(n, l) = kind == 0 ? same : kind == 1 ? same + l : random.word();
  }
  for (uint32_t l = 0; l < lanes; l++) {
    v(ADDRESS + 1, l) = uint32_t(buffer_base >> 32), v(LANE_BASE, l) = l * 64;
    uint32_t aperture = random.below(3);
    v(FLAT_ADDRESS + 1, l) = aperture == 0 ? shared_high : aperture == 1 ? private_high : uint32_t(buffer_base >> 32);
  }
  auto fill = [&](uint8_t* p, size_t bytes) {
    for (size_t n = 0; n < bytes; n += 4) {
      uint32_t x = random.word();
      std::memcpy(p + n, &x, 4);
    }
  };
  fill(lds_.data(), lds_.size());
  fill(scratch_.data(), scratch_.size());
  fill(space_->host(buffer_start), buffer_bytes);
}

Machine::State Machine::state() const {
  const uint8_t* base = storage_.get();
  const uint8_t* buffer = space_->host(buffer_start);
  return {{base + wave::register_file_offset, base + wave::register_file_offset + register_file_bytes(wave_->lanes == 64)},
          lds_,
          scratch_,
          {buffer, buffer + buffer_bytes},
          wave_->stop,
          wave_->fault,
          wave_->pc};
}

namespace {

std::string register_name(uint32_t offset, unsigned lanes) {
  uint32_t cell = wave::register_file_offset + offset;
  if (cell >= vgpr_base_cell) {
    uint32_t n = (cell - vgpr_base_cell) / 4;
    return fmt::format("v{} lane {}", n / lanes, n % lanes);
  }
  uint32_t n = offset / 4;
  if (cell == scc_cell) return "scc";
  if (cell == mode_cell) return "mode";
  switch (n) {
    case VCC_LO: return "vcc_lo";
    case VCC_HI: return "vcc_hi";
    case M0: return "m0";
    case EXEC_LO: return "exec_lo";
    case EXEC_HI: return "exec_hi";
    default: return n < 106 ? fmt::format("s{}", n) : fmt::format("scalar word {}", n);
  }
}

}  // namespace

std::string difference(const Machine::State& a, const Machine::State& b, unsigned lanes) {
  std::string text;
  int lines = 0;
  if (a.stop != b.stop || a.pc != b.pc)
    text += fmt::format("  stop {} at {:#x} against {} at {:#x}\n", int(a.stop), a.pc, int(b.stop), b.pc);
  if (a.stop == wave::Stop::Fault && b.stop == wave::Stop::Fault) {
    // Registers of other lanes may be at the start of the region: only the report counts.
    if (a.fault.kind != b.fault.kind || a.fault.pc != b.fault.pc || a.fault.address != b.fault.address ||
        a.fault.lane != b.fault.lane)
      text += fmt::format("  fault {} pc {:#x} address {:#x} lane {} against fault {} pc {:#x} address {:#x} lane {}\n",
                          int(a.fault.kind), a.fault.pc, a.fault.address, a.fault.lane, int(b.fault.kind), b.fault.pc,
                          b.fault.address, b.fault.lane);
    return text;
  }
  auto compare = [&](const std::vector<uint8_t>& x, const std::vector<uint8_t>& y, auto name) {
    if (x == y) return;
    for (size_t n = 0; n + 4 <= x.size(); n += 4) {
      uint32_t p, q;
      std::memcpy(&p, &x[n], 4), std::memcpy(&q, &y[n], 4);
      if (p != q && ++lines <= 10) text += fmt::format("  {}: {:#010x} against {:#010x}\n", name(uint32_t(n)), p, q);
    }
  };
  compare(a.registers, b.registers, [&](uint32_t n) { return register_name(n, lanes); });
  compare(a.lds, b.lds, [](uint32_t n) { return fmt::format("LDS {:#x}", n); });
  compare(a.scratch, b.scratch,
          [&](uint32_t n) { return fmt::format("private dword {} lane {}", n / 4 / lanes, n / 4 % lanes); });
  compare(a.buffer, b.buffer, [](uint32_t n) { return fmt::format("buffer {:#x}", n); });
  if (lines > 10) text += fmt::format("  … {} words differ\n", lines);
  return text;
}

}  // namespace Atoll::rdna4::test
