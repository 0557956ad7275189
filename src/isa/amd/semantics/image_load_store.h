// A load of an image's texel, a store to it or an atomic on it, as nodes, for the form of texture that its step has met (sampling/load_store.h): what Sea
// Islands' MIMG and RDNA4's VIMAGE share. Their address registers have the same order: coordinates, then a level (Southern Islands ISA
// 8.2.4; RDNA4 ISA 10.4).
#pragma once
#include <array>
#include <bit>
#include <optional>

#include "isa/amd/registers.h"
#include "sampling/load_store.h"
#include "wave/image_access.h"
#include "wave/program.h"

namespace Atoll::amd {

// The instruction's fields. Address components by their number; none: there is no such.
struct TexelInstruction {
  std::optional<unsigned> y{}, slice{}, level{};
  bool halves = false;  // A16: components are 16 bits, two in a register
  uint8_t mask = 15;    // DMASK
  bool packed = false, with_sign = false;
  bool fills_with_first = false;      // of stores: components that it does not give are the first one's, else 0
  std::array<uint16_t, 8> scalars{};  // SGPRs of the resource
  unsigned registers = 0;             // address registers that it may read, whatever texture it meets
};

// The form that code can be made for. None: the instruction is called.
template <class A>
std::optional<sampling::Form> form_to_access(A& e, wave::TextureUse use) {
  const uint64_t bits = wave::met_form(*e.core.step);
  const sampling::Form form = sampling::Form::from(bits);
  if (bits == wave::many_forms || !form.valid || form.use != uint64_t(use) || !sampling::is_exact(e.core.float_mode())) return {};
  return form;
}

// Nothing: no code can be made.
template <class A>
std::optional<typename A::Core::Texture> texture_of(A& e, const sampling::Form& form, const TexelInstruction& i) {
  std::array<typename A::S32, 12> words{};
  for (unsigned n = 0; n < 8; n++) {
    if (i.scalars[n] >= kScalarCount) return {};
    words[n] = e.core.scalar(scalar_cell(i.scalars[n]));
  }
  for (unsigned n = 8; n < 12; n++) words[n] = e.core.s32(0);
  return e.core.texture(form.bits(), form.places(), words, wave::TextureUse(form.use));
}

// The same. `cell(n)` is the cell of the nth address register.
template <class A, class Cell>
std::optional<sampling::TexelAccess<typename A::Core>> texel_access(A& e, const sampling::Form& form, const TexelInstruction& i,
                                                                    Cell cell) {
  auto& core = e.core;
  using U32 = typename A::U32;
  // If the guard misses the step is called, and reads registers that this form has no use for.
  for (unsigned n = 0; n < i.registers; n++) core.lanes(cell(n));
  auto component = [&](unsigned n) -> U32 {
    if (!i.halves) return core.lanes(cell(n));
    U32 both = core.lanes(cell(n / 2));
    return n & 1 ? both >> 16 : both & 0xffffu;
  };
  sampling::TexelCoordinates<typename A::Core> at{component(0), {}, {}, {}};
  if (i.y) at.y = component(*i.y);
  if (i.slice) at.slice = component(*i.slice);
  if (i.level) at.level = component(*i.level);
  const auto texture = texture_of(e, form, i);
  if (!texture) return {};
  return sampling::TexelAccess<typename A::Core>(core, form, *texture, at);
}

// Records a query of sizes into the data registers; returns how many of these it writes. 0: no code can be made.
template <class A, class Cell>
unsigned record_size(A& e, const sampling::Form& form, const TexelInstruction& i, Cell cell,
                     std::array<typename A::U32, 4>& data) {
  const auto texture = texture_of(e, form, i);
  if (!texture) return 0;
  const auto given = e.core.lanes(cell(0));
  const auto words = sampling::size_of_texture(e.core, form, *texture, i.halves ? given & 0xffffu : given);
  unsigned count = 0;
  for (unsigned c = 0; c < 4; c++)
    if (i.mask >> c & 1) data[count++] = words[c];
  return count;
}

// The same of a load.
template <class A, class Cell>
unsigned record_load(A& e, const sampling::Form& form, const TexelInstruction& i, Cell cell,
                     std::array<typename A::U32, 4>& data) {
  if (form.hides_levels && !i.level) return 0;  // nothing but zeros
  auto access = texel_access(e, form, i, cell);
  if (!access) return 0;
  const auto words = i.packed ? access->load_packed(i.mask, i.with_sign) : access->load(i.mask);
  unsigned count = 0;
  for (unsigned c = 0; c < 4; c++)
    if (i.mask >> c & 1) data[count++] = words[c];
  return count;
}

// `data(n)`: the nth component that is stored, as one of 32 bits.
template <class A, class Cell, class Data>
bool record_store(A& e, const sampling::Form& form, const TexelInstruction& i, Cell cell, Data data) {
  auto access = texel_access(e, form, i, cell);
  if (!access) return false;
  using U32 = typename A::U32;
  std::array<U32, 4> given{}, colour{};
  unsigned count = 0;
  for (unsigned c = 0; c < 4; c++)
    if (i.mask >> c & 1) given[count] = data(count), count++;
  const U32 other = i.fills_with_first ? given[0] : e.core.u32(0);
  unsigned from = 0;
  for (unsigned c = 0; c < 4; c++) colour[c] = i.mask >> c & 1 ? given[from++] : other;
  i.packed ? access->store_packed(e.core.active(), colour) : access->store(e.core.active(), colour);
  return true;
}

// An atomic. `data(n)`: its nth register, the comparand's behind those of the value; `cell_of_data(n)`: the register's cell, which gets the
// old value where it `returns`. False: no code can be made.
template <class A, class Cell, class Data, class DataCell>
bool record_atomic(A& e, const sampling::Form& form, const TexelInstruction& i, wave::ImageAtomic atomic, bool returns, Cell cell,
                   Data data, DataCell cell_of_data) {
  using U32 = typename A::U32;
  const bool compares = atomic == wave::ImageAtomic::compare_swap || atomic == wave::ImageAtomic::fcmpswap;
  const bool halves = atomic == wave::ImageAtomic::packed_add_f16 || atomic == wave::ImageAtomic::packed_add_bf16;
  const unsigned dwords = unsigned(std::popcount(unsigned(i.mask))) / (compares ? 2 : 1);
  if (dwords < 1 || dwords > (halves ? 1u : 2u)) return false;
  if (surface::row(surface::Layout(form.layout)).bytes != 4 * dwords) return false;
  auto access = texel_access(e, form, i, cell);
  if (!access) return false;
  const U32 none = e.core.u32(0);
  auto pair = [&](unsigned from) { return std::array<U32, 2>{data(from), dwords > 1 ? data(from + 1) : none}; };
  const uint32_t cells[] = {cell_of_data(0), cell_of_data(1)};
  access->change({.op = wave::atomic_operation(atomic, dwords > 1), .bytes = uint8_t(4 * dwords)}, cells, returns ? dwords : 0,
                 pair(0), compares ? pair(dwords) : std::array<U32, 2>{none, none});
  return true;
}

}  // namespace Atoll::amd
