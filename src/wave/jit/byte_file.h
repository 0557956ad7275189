// Registers that are bytes (RegisterFile::whole_wave) in a function. The file is cut into units, vectors of dwords that stand in
// allocas, each loaded and stored only as a whole, so that LLVM makes values of them whatever overlaps what; what was written goes back
// to the wave when a region is done, so that until then it can be run again from its start.
#pragma once
#include <span>
#include <vector>

#include "wave/jit/function_builder.h"

namespace Atoll::wave {

class ByteFile {
public:
  using V = llvm::Value*;
  using Units = std::vector<bool>;  // by unit
  ByteFile(FunctionBuilder& f, const std::vector<V>& values) : f_(f), b_(f.ir), values_(values) {}

  // Cuts what the regions touch into units.
  void begin(std::span<const CodeRegion* const> regions);
  Units none() const { return Units(units_.size()); }
  Units touched_by(const CodeRegion& region) const;
  Units written_by(const CodeRegion& region) const;  // where somebody reads it
  Units in(const LiveLanes& cells) const;            // those of which there is any among the cells

  // Units as the wave has them. Lanes that are not `live` are zeros: nobody reads what they were, and merging with zeros costs
  // nothing.
  void load(const Units& which, const LiveLanes& live);
  std::vector<V> values_of(const Units& which);
  void store_to_wave(const Units& which, const std::vector<V>& values);

  V read_word(uint64_t cell) { return read_dwords(cell, 1); }
  void write_word(uint64_t cell, V word) { write_dwords(cell, 1, word); }
  V read_region(const Node& node);
  void write_region(const Node& node);
  // Bits of a word as the current number of lanes, and back.
  V mask_of(V word);
  V word_of(V mask);

private:
  struct Unit {
    uint64_t begin;
    uint32_t dwords;
    V home = nullptr;  // null: nothing writes it, and it is read from the wave, which may be a part of it
    uint64_t end() const { return begin + dwords * uint64_t(4); }
  };
  struct Access {
    uint64_t begin, end;
    auto operator<=>(const Access&) const = default;
  };
  // The places of a region's elements.
  struct Shape {
    uint32_t count = 0;   // elements from the first to the last in the file
    bool row = false;     // lane l has element l
    bool single = false;  // all have one
    std::vector<int> element;
  };

  FunctionBuilder& f_;
  llvm::IRBuilder<>& b_;
  const std::vector<V>& values_;
  std::vector<Unit> units_;

  static Access access_of(const Node& node);
  void cut(std::span<const Access> overlapping);
  void add_units(uint64_t begin, uint64_t end);
  size_t unit_at(uint64_t cell) const;
  llvm::Type* dwords_type(uint32_t dwords);
  V resized(V vector, size_t length);
  V load(const Unit& unit, uint64_t cell, uint32_t dwords);
  // Vectors of so many dwords or elements, and up to the next power of two of them that mean nothing; of one it is no vector.
  V read_dwords(uint64_t cell, uint32_t dwords);
  void write_dwords(uint64_t cell, uint32_t dwords, V value);
  V read_elements(uint64_t cell, uint32_t count, uint32_t bytes);
  void write_element(uint64_t cell, uint32_t bytes, V value);
  void write_lanes(const Region& r, const Shape& shape, V value, V condition);
  // The dwords that elements lie in, as pieces: elements, or bytes where elements stand across dwords.
  struct Pieces {
    uint64_t begin;  // cell of the first dword
    uint32_t dwords;
    uint32_t bytes;       // of a piece
    uint32_t first;       // piece of the first element
    uint32_t of_element;  // pieces
    uint32_t length;      // pieces of all dwords, up to a power of two
    Pieces(uint64_t cell, uint32_t count, uint32_t element_bytes);
  };
  V as_pieces(V vector, const Pieces& p);
  static Shape shape_of(const Region& r);
};

}  // namespace Atoll::wave
