// The committed vectors of instructions (README.md describes the files): blocks of inputs and results, one instruction each.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/expected.h"

namespace Atoll::vectors {

// Values of any width, as dwords one behind the other.
struct Values {
  unsigned bits = 32;
  std::vector<uint32_t> dwords = {};
  unsigned dwords_each() const { return (bits + 31) / 32; }
  size_t count() const { return dwords.size() / dwords_each(); }
  const uint32_t* at(size_t row) const { return dwords.data() + row * dwords_each(); }
};

// One way to execute the instruction.
struct Form {
  std::string isa, encoding, text;
  std::string opcode() const;  // the mnemonic without _e32 and _e64
};

// The initial contents of a register (or of "lds" and "mem"): a column, a ramp over the lanes, or one number.
struct Input {
  std::string place;
  const Values* column = nullptr;
  uint64_t start = 0, step = 0;  // without a column: start + lane * step
};

struct Output {
  std::string place;
  Values values;
};

// Rows in which the manual's literal result is another than the erratum's, which `Output` has.
struct Erratum {
  std::string name, place;
  std::vector<std::pair<size_t, std::string>> rows;
};

struct Block {
  std::string file, name, source;
  bool lanes = true;  // 64 rows run as one wave; otherwise each row is a wave of its own
  size_t first = 0, rows = 0;
  std::vector<Form> runs;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Erratum> errata;
  unsigned ulps = 0;  // how far floats may be from the value
  double absolute = 0;
};

struct Vectors {
  std::map<std::string, Values> columns;
  std::vector<Block> blocks;
};

// All files of the folder. An error names the file and the line.
Expected<Vectors> read_vectors(const std::string& folder);

// An instruction table under isa/: (encoding, mnemonic) of each row, those with a VOP3 form for VOP3 as well.
std::vector<std::pair<std::string, std::string>> table_rows(const std::string& path);

}  // namespace Atoll::vectors
