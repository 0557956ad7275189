#include "wave/jit/byte_file.h"

#include <algorithm>
#include <bit>
#include <map>

namespace Atoll::wave {

using V = llvm::Value*;

ByteFile::Shape ByteFile::shape_of(const Region& r) {
  Shape s;
  s.row = s.single = true;
  for (uint32_t l = 0; l < r.lanes; l++) {
    uint32_t element = element_of(r, l);
    s.element.push_back(int(element));
    s.count = std::max(s.count, element + 1);
    s.row &= element == l;
    s.single &= element == 0;
  }
  s.single &= !s.row;
  return s;
}

// --- units

// The dwords that a node reads or writes; none: it touches no register.
ByteFile::Access ByteFile::access_of(const Node& x) {
  switch (x.op) {
    case Op::ReadScalar:
    case Op::ReadMask:
    case Op::WriteScalar:
    case Op::WriteMask: return {x.imm, x.imm + 4};
    case Op::ReadRegion:
    case Op::WriteRegion: {
      const auto& r = *static_cast<const Region*>(x.extra);
      return {r.cell & ~uint64_t(3), (r.cell + uint64_t(shape_of(r).count) * r.bytes + 3) & ~uint64_t(3)};
    }
    default: return {0, 0};
  }
}

void ByteFile::begin(std::span<const CodeRegion* const> regions) {
  units_.clear();
  std::vector<Access> accesses;
  for (const CodeRegion* region : regions)
    for (const Node& x : region->nodes)
      if (const Access a = access_of(x); a.end) accesses.push_back(a);
  std::ranges::sort(accesses);
  for (size_t first = 0; first < accesses.size();) {
    size_t next = first;
    for (uint64_t end = accesses[first].end; next < accesses.size() && accesses[next].begin < end; next++)
      end = std::max(end, accesses[next].end);
    cut(std::span(accesses).subspan(first, next - first));
    first = next;
  }
  for (const CodeRegion* region : regions)
    for (const Node& x : region->nodes) {
      if (x.op != Op::WriteScalar && x.op != Op::WriteMask && x.op != Op::WriteRegion) continue;
      const Access a = access_of(x);
      for (size_t n = unit_at(a.begin); n < units_.size() && units_[n].begin < a.end; n++)
        if (Unit& unit = units_[n]; !unit.home) unit.home = f_.make_alloca(dwords_type(unit.dwords), "unit");
    }
}

// Accesses that overlap one another, all at once or in a chain. One vector of all that they reach is what they are read and written by
// where it is short; of hundreds of bytes LLVM's code generator would take minutes. Else they are cut into rows of 8 dwords, and of 16
// where most accesses want that.
void ByteFile::cut(std::span<const Access> overlapping) {
  constexpr uint64_t row = 32, long_row = 64;
  uint64_t begin = overlapping.front().begin, end = 0;
  std::map<uint64_t, size_t> long_rows;  // how often, by where they begin
  for (const Access& a : overlapping) {
    end = std::max(end, a.end);
    if (a.begin % row == 0 && a.end - a.begin == long_row) long_rows[a.begin]++;
  }
  if (end - begin <= long_row || overlapping.front() == overlapping.back()) return add_units(begin, end);
  auto wanted = [&](uint64_t at) {
    auto there = long_rows.find(at);
    return there == long_rows.end() ? size_t(0) : there->second;
  };
  while (begin < end) {
    const uint64_t next = (begin & ~(row - 1)) + row;
    // (of two that overlap the one that is wanted more often)
    const bool is_long = begin % row == 0 && begin + long_row <= end && wanted(begin) && wanted(begin) >= wanted(next);
    const uint64_t to = std::min(end, is_long ? next + row : next);
    add_units(begin, to);
    begin = to;
  }
}

void ByteFile::add_units(uint64_t begin, uint64_t end) {
  while (begin < end) {
    const auto dwords = uint32_t(std::bit_floor((end - begin) / 4));
    units_.push_back({begin, dwords});
    begin += dwords * uint64_t(4);
  }
}

llvm::Type* ByteFile::dwords_type(uint32_t dwords) {
  return dwords == 1 ? f_.i32 : llvm::FixedVectorType::get(f_.i32, std::bit_ceil(dwords));
}

size_t ByteFile::unit_at(uint64_t cell) const {
  return size_t(std::ranges::upper_bound(units_, cell, {}, &Unit::begin) - units_.begin()) - 1;
}

ByteFile::Units ByteFile::touched_by(const CodeRegion& region) const {
  Units out = none();
  for (const Node& x : region.nodes) {
    const Access a = access_of(x);
    for (uint64_t at = a.begin; at < a.end;) {
      const size_t unit = unit_at(at);
      out[unit] = true, at = units_[unit].end();
    }
  }
  return out;
}

ByteFile::Units ByteFile::written_by(const CodeRegion& region) const {
  Units out = none();
  for (const Node& x : region.nodes) {
    if (x.op != Op::WriteScalar && x.op != Op::WriteMask && x.op != Op::WriteRegion) continue;
    const Access a = access_of(x);
    for (uint64_t at = a.begin; at < a.end; at += 4)
      if (!region.dead.count(at)) out[unit_at(at)] = true;
  }
  return out;
}

ByteFile::Units ByteFile::in(const LiveLanes& cells) const {
  if (!cells) return Units(units_.size(), true);
  Units out = none();
  for (size_t n = 0; n < units_.size(); n++) {
    auto first = cells->lower_bound(units_[n].begin);
    out[n] = first != cells->end() && *first < units_[n].end();
  }
  return out;
}

void ByteFile::load(const Units& which, const LiveLanes& live) {
  const Units read = in(live);
  for (size_t n = 0; n < units_.size(); n++) {
    if (!which[n] || !units_[n].home) continue;
    llvm::Type* type = dwords_type(units_[n].dwords);
    b_.CreateStore(read[n] ? b_.CreateAlignedLoad(type, f_.cell_pointer(units_[n].begin), llvm::Align(4))
                           : static_cast<V>(llvm::Constant::getNullValue(type)),
                   units_[n].home);
  }
}

std::vector<V> ByteFile::values_of(const Units& which) {
  std::vector<V> out(units_.size());
  for (size_t n = 0; n < units_.size(); n++)
    if (which[n]) out[n] = b_.CreateLoad(dwords_type(units_[n].dwords), units_[n].home);
  return out;
}

void ByteFile::store_to_wave(const Units& which, const std::vector<V>& values) {
  for (size_t n = 0; n < units_.size(); n++)
    if (which[n]) b_.CreateAlignedStore(values[n], f_.cell_pointer(units_[n].begin), llvm::Align(4));
}

// --- values. The lengths of vectors are powers of two: of others LLVM 19 loses lanes, or finds no instruction for what it made itself.
// The lanes beyond those asked for are poison, and nobody reads them.

// Dwords of one unit.
V ByteFile::load(const Unit& unit, uint64_t cell, uint32_t dwords) {
  auto invariant = [&](uint64_t at, uint32_t count) {
    auto* there = b_.CreateAlignedLoad(dwords_type(count), f_.cell_pointer(at), llvm::Align(4));
    there->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
    return there;
  };
  if (!unit.home && std::has_single_bit(dwords)) return invariant(cell, dwords);
  V whole = unit.home ? b_.CreateLoad(dwords_type(unit.dwords), unit.home) : invariant(unit.begin, unit.dwords);
  if (unit.dwords == dwords) return whole;
  const int from = int(cell - unit.begin) / 4;
  if (dwords == 1) return b_.CreateExtractElement(whole, uint64_t(from));
  llvm::SmallVector<int, 64> part;
  for (int n = 0; n < int(std::bit_ceil(dwords)); n++) part.push_back(n < int(dwords) ? from + n : -1);
  return b_.CreateShuffleVector(whole, part);
}

V ByteFile::read_dwords(uint64_t cell, uint32_t dwords) {
  const size_t first = unit_at(cell);
  if (const Unit& unit = units_[first]; cell + dwords * uint64_t(4) <= unit.end()) return load(unit, cell, dwords);
  auto value_of = [&](const Unit& unit) { return load(unit, unit.begin, unit.dwords); };
  V all = llvm::PoisonValue::get(dwords_type(dwords));
  for (size_t n = first; n < units_.size() && units_[n].begin < cell + dwords * uint64_t(4); n++) {
    const Unit& unit = units_[n];
    const int to = (int(unit.begin) - int(cell)) / 4;  // where its first dword stands
    if (unit.dwords == 1) {
      all = b_.CreateInsertElement(all, value_of(unit), uint64_t(to));
      continue;
    }
    llvm::SmallVector<int, 64> spread, blend;
    const int length = int(std::bit_ceil(dwords));
    for (int d = 0; d < length; d++) {
      const bool own = d >= to && d < to + int(unit.dwords);
      spread.push_back(own ? d - to : -1);
      blend.push_back(own ? length + d : d);
    }
    V part = b_.CreateShuffleVector(value_of(unit), spread);
    all = n == first ? part : b_.CreateShuffleVector(all, part, blend);
  }
  return all;
}

void ByteFile::write_dwords(uint64_t cell, uint32_t dwords, V value) {
  for (size_t n = unit_at(cell); n < units_.size() && units_[n].begin < cell + dwords * uint64_t(4); n++) {
    const Unit& unit = units_[n];
    const int from = (int(unit.begin) - int(cell)) / 4;  // the value's dword that is the unit's first
    V whole = value;
    if (unit.dwords == 1) {
      if (dwords > 1) whole = b_.CreateExtractElement(value, uint64_t(from));
    } else if (dwords == 1) {
      whole = b_.CreateInsertElement(b_.CreateLoad(dwords_type(unit.dwords), unit.home), value, uint64_t(-from));
    } else if (from != 0 || unit.dwords != dwords) {
      llvm::SmallVector<int, 64> part, blend;
      bool covered = true;
      for (int d = 0; d < int(unit.dwords); d++) {
        const bool given = from + d >= 0 && from + d < int(dwords);
        part.push_back(given ? from + d : -1);
        blend.push_back(given ? int(unit.dwords) + d : d);
        covered &= given;
      }
      whole = b_.CreateShuffleVector(value, part);
      if (!covered) whole = b_.CreateShuffleVector(b_.CreateLoad(dwords_type(unit.dwords), unit.home), whole, blend);
    }
    b_.CreateStore(whole, unit.home);
  }
}

ByteFile::Pieces::Pieces(uint64_t cell, uint32_t count, uint32_t element_bytes)
    : begin(cell & ~uint64_t(3)),
      dwords(uint32_t((cell + uint64_t(count) * element_bytes - begin + 3) / 4)),
      bytes((cell - begin) % element_bytes == 0 && dwords * 4 % element_bytes == 0 ? element_bytes : 1),
      first(uint32_t(cell - begin) / bytes),
      of_element(element_bytes / bytes),
      length(std::bit_ceil(dwords) * 4 / bytes) {}

V ByteFile::as_pieces(V vector, const Pieces& p) {
  const auto bits = unsigned(vector->getType()->getPrimitiveSizeInBits().getFixedValue());
  return b_.CreateBitCast(vector, llvm::FixedVectorType::get(b_.getIntNTy(p.bytes * 8), bits / 8 / p.bytes));
}

V ByteFile::read_elements(uint64_t cell, uint32_t count, uint32_t bytes) {
  const Pieces p(cell, count, bytes);
  V all = read_dwords(p.begin, p.dwords);
  if (bytes == 4 && p.bytes == 4) return all;
  all = as_pieces(all, p);
  if (count == 1 && p.of_element == 1) return b_.CreateExtractElement(all, uint64_t(p.first));
  const uint32_t wanted = count * p.of_element;
  llvm::SmallVector<int, 128> own;
  for (uint32_t n = 0; n < std::bit_ceil(wanted); n++) own.push_back(n < wanted ? int(p.first + n) : -1);
  llvm::Type* type = b_.getIntNTy(bytes * 8);
  return b_.CreateBitCast(b_.CreateShuffleVector(all, own),
                          count == 1 ? type : llvm::FixedVectorType::get(type, std::bit_ceil(count)));
}

void ByteFile::write_element(uint64_t cell, uint32_t bytes, V value) {
  const Pieces p(cell, 1, bytes);
  if (bytes == 4 && p.bytes == 4) return write_dwords(p.begin, p.dwords, value);
  V given = as_pieces(value, p);
  if (p.of_element != p.length) {
    llvm::SmallVector<int, 128> spread, blend;
    for (uint32_t n = 0; n < p.length; n++) {
      const bool mine = n >= p.first && n < p.first + p.of_element;
      spread.push_back(mine ? int(n - p.first) : -1);
      blend.push_back(int(mine ? p.length + n : n));
    }
    given = b_.CreateShuffleVector(as_pieces(read_dwords(p.begin, p.dwords), p), b_.CreateShuffleVector(given, spread), blend);
  }
  write_dwords(p.begin, p.dwords, b_.CreateBitCast(given, dwords_type(p.dwords)));
}

// Elements are written in place and not gathered first: LLVM 19 never comes to an end with what is shuffled, selected and shuffled back,
// which it changes from one form to another and back (tests/isa/xe_lp/strided_writes_test.cpp).
void ByteFile::write_lanes(const Region& r, const Shape& shape, V value, V condition) {
  const Pieces p(r.cell, shape.count, r.bytes);
  auto* known = llvm::dyn_cast<llvm::Constant>(condition);
  const bool all = known && known->isAllOnesValue();
  const auto width = uint32_t(f_.width);
  const bool in_place = shape.row && r.lanes == f_.width && p.of_element == 1 && p.first == 0 && p.length == width;
  if (!in_place) {
    // Between elements the condition is false, and the value is any lane's: an undefined one would be poison, which masks do not keep
    // out.
    llvm::SmallVector<int, 128> from(p.length, 0), from_mask(p.length, int(width * p.of_element));
    for (int l = 0; l < r.lanes; l++)
      for (uint32_t k = 0; k < p.of_element; k++) {
        const size_t to = p.first + uint32_t(shape.element[size_t(l)]) * p.of_element + k;
        from[to] = from_mask[to] = int(uint32_t(l) * p.of_element + k);
      }
    // (As integers: LLVM 19 loses lanes where it spreads bits of masks.)
    V mask = as_pieces(b_.CreateSExt(condition, value->getType()), p);
    mask = b_.CreateShuffleVector(mask, llvm::Constant::getNullValue(mask->getType()), from_mask);
    condition = b_.CreateICmpNE(mask, llvm::Constant::getNullValue(mask->getType()));
    value = b_.CreateShuffleVector(as_pieces(value, p), from);
  }
  if (!in_place || !all) value = b_.CreateSelect(condition, value, as_pieces(read_dwords(p.begin, p.dwords), p));
  write_dwords(p.begin, p.dwords, b_.CreateBitCast(value, dwords_type(p.dwords)));
}

V ByteFile::mask_of(V word) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(word)) {
    std::vector<llvm::Constant*> bits;
    bits.reserve(size_t(f_.width));
    for (int l = 0; l < f_.width; l++) bits.push_back(b_.getInt1(known->getZExtValue() >> l & 1));
    return llvm::ConstantVector::get(bits);
  }
  return f_.lanes_of(b_.CreateTrunc(word, f_.piece));
}
V ByteFile::word_of(V mask) { return b_.CreateZExt(b_.CreateBitCast(mask, f_.piece), f_.i32); }

// Elements beyond the vector's own are 0.
V ByteFile::resized(V vector, size_t length) {
  const size_t own = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  if (own == length) return vector;
  llvm::SmallVector<int, 128> from;
  for (size_t n = 0; n < length; n++) from.push_back(int(std::min(n, own)));
  return b_.CreateShuffleVector(vector, llvm::Constant::getNullValue(vector->getType()), from);
}

V ByteFile::read_region(const Node& node) {
  const auto& r = *static_cast<const Region*>(node.extra);
  const Shape shape = shape_of(r);
  llvm::Type* wanted = node.type == Type::U64 ? f_.vi64 : f_.vi32;
  V all = read_elements(r.cell, shape.count, r.bytes);
  if (shape.count > 1 && !shape.row) all = b_.CreateShuffleVector(all, shape.element);
  if (all->getType()->getScalarType() != wanted->getScalarType()) {
    llvm::Type* own = wanted->getScalarType();
    if (shape.count > 1) own = llvm::FixedVectorType::get(own, r.lanes);
    all = r.sign_extend ? b_.CreateSExt(all, own) : b_.CreateZExt(all, own);
  }
  if (shape.count == 1) {
    if (r.lanes == f_.width) return f_.splat(all);
    if (r.lanes == 1) return b_.CreateInsertElement(llvm::Constant::getNullValue(wanted), all, uint64_t(0));
    all = b_.CreateVectorSplat(r.lanes, all);
  }
  return resized(all, size_t(f_.width));  // lanes beyond the region's: 0
}

void ByteFile::write_region(const Node& node) {
  const auto& r = *static_cast<const Region*>(node.extra);
  const Shape shape = shape_of(r);
  V value = values_[size_t(node.a)], condition = values_[size_t(node.b)];
  llvm::Type* element = b_.getIntNTy(r.bytes * 8u);
  if (value->getType()->getScalarType() != element)
    value = b_.CreateTrunc(value, llvm::FixedVectorType::get(element, unsigned(f_.width)));
  if (shape.count > 1) return write_lanes(r, shape, value, condition);
  auto* known = llvm::dyn_cast<llvm::Constant>(condition);
  const bool all = known && known->isAllOnesValue();
  const uint64_t last = r.lanes - 1u;
  value = b_.CreateExtractElement(value, last);
  if (!all) value = b_.CreateSelect(b_.CreateExtractElement(condition, last), value, read_elements(r.cell, 1, r.bytes));
  write_element(r.cell, r.bytes, value);
}

}  // namespace Atoll::wave
