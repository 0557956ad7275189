// The 3D pipeline's state, as the commands that set it left it: words of fixed places by the command's number in the tables, read by
// the generated fields, with counts of changes by unit of the pipeline. It lives as long as the context.
//   if (state.get<_3DSTATE_WM_DEPTH_STENCIL::Depth_Test_Enable>()) ...
//   state.get<_3DSTATE_VERTEX_BUFFERS::repeated::Vertex_Buffer_State_Buffer_Size>(buffer)
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "registers/dg1.h"
#include "registers/tables.h"

namespace Atoll::dg1 {

// The order of the bits of 3DSTATE_CONSTANT_ALL's Shader Update Enable.
enum class Stage : uint8_t { VS, HS, DS, GS, PS };

class GraphicsState {
public:
  GraphicsState();

  // `words`: a command that came, `dwords` of it. Commands of MI and of the blitter are not kept.
  void set(const registers::Command& row, std::span<const uint32_t> words);

  // A field. `n`: the number of a repeated part, or of a command that there are several of: the buffer of 3DSTATE_VERTEX_BUFFERS
  // and 3DSTATE_SO_BUFFER, the element of 3DSTATE_VF_INSTANCING, the Stage of 3DSTATE_CONSTANT_ALL. All bits of a command that
  // never came are 0.
  template <class Field>
  auto get(unsigned n = 0) const {
    using Owner = typename Field::owner;
    if constexpr (requires { typename Field::repeat; })
      return Field::get(repeat(number<Owner>(), 0, Field::repeat::first_dword, Field::repeat::dwords, n));
    else
      return Field::get(slot(number<Owner>(), n));
  }
  // A field that repeats, of the `n`th of a stage's 3DSTATE_CONSTANT_ALL.
  template <class Field>
  auto get(Stage stage, unsigned n) const {
    return Field::get(
        repeat(number<typename Field::owner>(), unsigned(stage), Field::repeat::first_dword, Field::repeat::dwords, n));
  }
  // The number of dwords of the command, the last time it came. 0: it never did, or another for the same took its place
  // (constants of a stage, URB sizes, stream buffers).
  template <class Command>
  uint32_t dwords(unsigned n = 0) const {
    return dwords_of(number<Command>(), n);
  }

  // Its dwords, as many as the table says that it has.
  template <class Command>
  const uint32_t* words(unsigned n = 0) const {
    return slot(number<Command>(), n);
  }

  // The number of changes of the state, or a unit's: while it stays the same, anything found from the state stays valid.
  uint64_t changes() const { return changes_; }
  uint64_t changes(Unit unit) const { return unit_changes_[size_t(unit)]; }

private:
  struct Entry {
    uint32_t first = 0, slot_words = 0;  // in words_
    uint32_t first_slot = 0, slots = 0;  // in dwords_
    Unit unit = Unit::ALL;
  };
  template <class Command>
  static constexpr unsigned number() {
    return Command::register_id >> 8 & 0xffff;
  }
  const uint32_t* slot(unsigned number, unsigned n) const;
  const uint32_t* repeat(unsigned number, unsigned n, uint32_t first, uint32_t dwords, unsigned of) const;
  uint32_t dwords_of(unsigned number, unsigned n) const;

  void put(unsigned number, unsigned n, std::span<const uint32_t> words, Unit unit);
  void forget(unsigned number, unsigned n, Unit unit);
  void put_vertex_buffers(std::span<const uint32_t> words);
  void put_depth_stencil(std::span<const uint32_t> words);
  void put_depth_bounds(std::span<const uint32_t> words);
  void put_constants(std::span<const uint32_t> words);
  void count(Unit unit) { changes_++, unit_changes_[size_t(unit)]++; }

  std::vector<Entry> entries_;  // by the row's number in the tables
  std::vector<uint32_t> words_, dwords_;
  uint64_t changes_ = 0;
  std::array<uint64_t, units> unit_changes_{};
};

}  // namespace Atoll::dg1
