// 16 lanes' loads and stores any way they stand, in whatever spaces flat addresses lead to.
#include "wave/interpreter/lane_access.h"

namespace Atoll::wave::ATOLL_LEVEL {

bool place_flat_scratch(Interpreter& e, FaultKind kind, unsigned bytes, int lane, uint64_t& address) {
  Wave& wave = e.wave;
  uint32_t size = word_of(wave, wave.flat_scratch_cell) & 0x7ffff, place = word_of(wave, wave.flat_scratch_cell + 4) & 0xffffff;
  if (!ATOLL_CHECK("flat_scratch.bounds", address + bytes <= size)) {
    e.fault(kind, address, bytes, lane, "beyond the lane's private memory");
    return false;
  }
  address = wave.flat_scratch_base + uint64_t(place) * 256 + (address / 4 * wave.lanes + uint32_t(lane)) * 4 + (address & 3);
  return true;
}

namespace {

// --- one lane, with every check

uint32_t load_lane(Interpreter& e, const Block& block, int l, unsigned bytes) {
  const Wave& wave = e.wave;
  uint64_t address = block.address(l);
  int lane = block.first_lane + l;
  switch (block.space) {
    case Space::Lds: return in_lds(wave, address, bytes) && !e.probing ? read(wave.lds + address, bytes) : 0;
    case Space::Scratch: {
      if (!scratch_holds(e, FaultKind::Load, address, bytes, lane) || e.probing) return 0;
      if ((address & 3) + bytes <= 4) return read(scratch_byte(wave, address, lane), bytes);
      uint32_t x = 0;
      for (unsigned n = 0; n < bytes; n++) x |= uint32_t(*scratch_byte(wave, address + n, lane)) << 8 * n;
      return x;
    }
    default: return global_holds(e, FaultKind::Load, address, bytes, lane) && !e.probing ? read(wave.window + address, bytes) : 0;
  }
}

void store_lane(Interpreter& e, const Block& block, int l, unsigned bytes, uint32_t value) {
  const Wave& wave = e.wave;
  uint64_t address = block.address(l);
  int lane = block.first_lane + l;
  switch (block.space) {
    case Space::Lds:
      if (e.probing) return;
      if (in_lds(wave, address, bytes)) return write(wave.lds + address, bytes, value);
      for (unsigned n = 0; n < bytes; n++)
        if (address + n < wave.lds_bytes) wave.lds[address + n] = uint8_t(value >> 8 * n);
      return;
    case Space::Scratch:
      if (!scratch_holds(e, FaultKind::Store, address, bytes, lane) || e.probing) return;
      if ((address & 3) + bytes <= 4) return write(scratch_byte(wave, address, lane), bytes, value);
      for (unsigned n = 0; n < bytes; n++) *scratch_byte(wave, address + n, lane) = uint8_t(value >> 8 * n);
      return;
    default:
      if (global_holds(e, FaultKind::Store, address, bytes, lane) && !e.probing) write(wave.window + address, bytes, value);
  }
}

// --- 16 lanes in one space

void load_half(Interpreter& e, const MemoryAccess& access, const Block& block, uint32_t* out) {
  if (!block.live) return;
  unsigned bytes = access.bytes;
  if (!e.probing) {
    if (load_form<kHalf>(e, access, block, out)) return;
    U16x64 offsets;
    if (const uint8_t* memory = offsets_inside(e.wave, block, bytes, offsets)) {
#ifdef __AVX512F__
      if (bytes == 4) {
        __m512i index[2];
        std::memcpy(index, &offsets, 128);
        for (int q = 0; q < 2; q++)
          _mm256_storeu_si256(
              reinterpret_cast<__m256i*>(out + 8 * q),
              _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), __mmask8(block.live >> 8 * q), index[q], memory, 1));
        return;
      }
#endif
      alignas(64) uint64_t at[kHalf];
      std::memcpy(at, &offsets, sizeof at);
      for (uint32_t rest = block.live; rest; rest &= rest - 1) {
        int l = std::countr_zero(rest);
        out[l] = extend(read(memory + at[l], bytes), access);
      }
      return;
    }
  }
  for (uint32_t rest = block.live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    out[l] = extend(load_lane(e, block, l, bytes), access);
  }
}

void store_half(Interpreter& e, const MemoryAccess& access, const Block& block, const uint32_t* value) {
  if (!block.live) return;
  unsigned bytes = access.bytes;
  if (!e.probing) {
    if (store_form<kHalf>(e, access, block, value)) return;
    U16x64 offsets;
    if (const uint8_t* memory = offsets_inside(e.wave, block, bytes, offsets)) {
      alignas(64) uint64_t at[kHalf];
      std::memcpy(at, &offsets, sizeof at);
      for (uint32_t rest = block.live; rest; rest &= rest - 1) {
        int l = std::countr_zero(rest);
        write(const_cast<uint8_t*>(memory) + at[l], bytes, value[l]);
      }
      return;
    }
  }
  for (uint32_t rest = block.live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    store_lane(e, block, l, bytes, value[l]);
  }
}

// --- apertures

// Splits flat lanes by the spaces in which their base addresses lie and runs each part.
template <class Run>
void in_spaces(Interpreter& e, FaultKind kind, unsigned bytes, const Block& block, Run run) {
  if (block.space != Space::Flat) return run(block);
  const Wave& wave = e.wave;
  U16x high = vector_at<kHalf>(block.high);
  uint32_t lds = wave.flat_shared_high ? bits_of(high == U16x(wave.flat_shared_high)) & block.live : 0;
  uint32_t scratch = wave.flat_private_high ? bits_of(high == U16x(wave.flat_private_high)) & block.live & ~lds : 0;
  Block part = block;
  part.space = Space::Global, part.live = block.live & ~(lds | scratch);
  if (part.live) run(part);
  if (lds | scratch) note_form(e, kOther);  // compiled code takes flat addresses for global ones
  if (scratch && wave.flat_scratch_cell) {
    alignas(64) uint32_t lows[kHalf] = {}, highs[kHalf] = {};
    uint32_t live = 0;
    for (uint32_t rest = scratch; rest; rest &= rest - 1) {
      int l = std::countr_zero(rest);
      uint64_t address = uint32_t(block.low[l] + uint32_t(block.offset));
      if (!place_flat_scratch(e, kind, bytes, block.first_lane + l, address)) continue;
      lows[l] = uint32_t(address), highs[l] = uint32_t(address >> 32), live |= 1u << l;
    }
    if (live) run(Block{lows, highs, Space::Global, 0, block.first_lane, live});
  } else if (scratch) {
    part.space = Space::Scratch, part.live = scratch;
    run(part);
  }
  if (!lds) return;
  U16x cut =
      (vector_at<kHalf>(block.low) + U16x(uint32_t(block.offset))) & U16x(ATOLL_CHECK_REMOVED("flat.aperture") ? ~0u : 0x1ffffu);
  uint32_t low[kHalf];
  std::memcpy(low, &cut, sizeof low);
  part.space = Space::Lds, part.live = lds, part.low = low, part.offset = 0;
  run(part);
}

}  // namespace

void load_any(Interpreter& e, const MemoryAccess& access, const Block& block, uint32_t* out) {
  in_spaces(e, FaultKind::Load, access.bytes, block, [&](const Block& part) {
    if (part.live == block.live) return load_half(e, access, part, out);
    alignas(64) uint32_t some[kHalf];
    load_half(e, access, part, some);
    for (uint32_t rest = part.live; rest; rest &= rest - 1) out[std::countr_zero(rest)] = some[std::countr_zero(rest)];
  });
}
void store_any(Interpreter& e, const MemoryAccess& access, const Block& block, const uint32_t* value) {
  in_spaces(e, FaultKind::Store, access.bytes, block, [&](const Block& part) { store_half(e, access, part, value); });
}

}  // namespace Atoll::wave::ATOLL_LEVEL
