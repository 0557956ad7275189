#include "vector_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace Atoll::vectors {
namespace {

bool append_hex(const std::string& word, Values& to) {
  size_t at = to.dwords.size();
  to.dwords.resize(at + to.dwords_each());
  size_t digit = 0;
  for (auto c = word.rbegin(); c != word.rend(); ++c, ++digit) {
    int value = *c >= '0' && *c <= '9' ? *c - '0' : *c >= 'a' && *c <= 'f' ? *c - 'a' + 10 : -1;
    if (value < 0 || (value && digit / 8 >= to.dwords_each())) return false;
    if (value) to.dwords[at + digit / 8] |= uint32_t(value) << (digit % 8 * 4);
  }
  return true;
}

// Single bits are written as numbers of 64 of them.
bool append_bits(const std::string& word, Values& to) {
  char* end = nullptr;
  uint64_t bits = std::strtoull(word.c_str(), &end, 16);
  for (int n = 0; n < 64; n++) to.dwords.push_back(bits >> n & 1);
  return *end == 0;
}

class Reader {
public:
  explicit Reader(Vectors& to) : to_(to) {}

  Expected<void> read(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) return fail("{}: cannot be read", path.string());
    std::string line;
    size_t number = 0;
    open_ = nullptr;
    while (std::getline(file, line)) {
      number++;
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      std::vector<std::string> w;
      for (std::string word; words >> word;) w.push_back(word);
      if (auto problem = take(path.filename().string(), w, line); !problem.empty())
        return fail("{}:{}: {}", path.string(), number, problem);
    }
    return {};
  }

private:
  std::string take(const std::string& file, const std::vector<std::string>& w, const std::string& line) {
    auto number = [](const std::string& s) { return std::strtoull(s.c_str(), nullptr, 0); };
    const std::string& what = w[0];
    if (what == "column" && w.size() == 3) {
      Values& column = to_.columns[w[1]];
      column.bits = unsigned(number(w[2]));
      open_ = &column;
    } else if (what == "block" && w.size() == 3) {
      to_.blocks.push_back({});
      Block& b = to_.blocks.back();
      b.file = file, b.name = w[1], b.source = w[2];
    } else if (what == "end") {
      Block& b = to_.blocks.back();
      for (Output& o : b.outputs) {
        if (o.values.dwords.empty()) continue;  // what is kept is filled in when all columns are known
        if (o.values.bits == 1 && o.values.dwords.size() >= b.rows) o.values.dwords.resize(b.rows);
        if (o.values.count() != b.rows)
          return fmt::format("{} {}: {} values for {} rows", b.name, o.place, o.values.count(), b.rows);
      }
      open_ = nullptr;
    } else if (to_.blocks.empty() && !open_) {
      return "'" + what + "' outside of a block";
    } else if (what == "rows" && w.size() == 4) {
      Block& b = to_.blocks.back();
      b.lanes = w[1] == "lanes", b.first = number(w[2]), b.rows = number(w[3]);
    } else if (what == "run" && w.size() >= 4) {
      to_.blocks.back().runs.push_back({w[1], w[2], line.substr(line.find(w[2], 4 + w[1].size()) + w[2].size() + 1)});
    } else if (what == "in" && w.size() == 3) {
      Input input{w[1]};
      if (w[2].starts_with("ramp:")) {
        size_t colon = w[2].find(':', 5);
        input.start = number(w[2].substr(5, colon - 5)), input.step = number(w[2].substr(colon + 1));
      } else if (w[2].starts_with("0x")) {
        input.start = number(w[2]);
      } else {
        input.column = &to_.columns[w[2]];  // read before or behind this file: a map's elements stay where they are
        named_.push_back(w[2]);
      }
      to_.blocks.back().inputs.push_back(input);
    } else if (what == "bound" && w.size() == 3) {
      if (w[1] == "ulp")
        to_.blocks.back().ulps = unsigned(number(w[2]));
      else
        to_.blocks.back().absolute = std::strtod(w[2].c_str(), nullptr);
    } else if (what == "out" && w.size() == 3) {
      Block& b = to_.blocks.back();
      b.outputs.push_back({w[1], {unsigned(number(w[2])), {}}});
      open_ = &b.outputs.back().values;
    } else if (what == "kept" && w.size() == 3) {
      to_.blocks.back().outputs.push_back({w[1], {unsigned(number(w[2])), {}}});
      kept_.emplace_back(to_.blocks.size() - 1, to_.blocks.back().outputs.size() - 1);
      open_ = nullptr;
    } else if (what == "erratum" && w.size() >= 4) {
      Erratum e{w[1], w[2], {}};
      for (size_t n = 3; n < w.size(); n++) {
        size_t colon = w[n].find(':');
        e.rows.emplace_back(number(w[n].substr(0, colon)), w[n].substr(colon + 1));
      }
      to_.blocks.back().errata.push_back(std::move(e));
    } else if (open_) {
      for (const std::string& word : w)
        if (!(open_->bits == 1 ? append_bits(word, *open_) : append_hex(word, *open_))) return "'" + word + "' is no hex number";
    } else {
      return "'" + what + "' means nothing here";
    }
    return {};
  }

  Vectors& to_;
  Values* open_ = nullptr;  // what the next lines of numbers belong to

  std::vector<std::pair<size_t, size_t>> kept_;  // outputs that are what the input was

public:
  std::vector<std::string> named_;

  // Columns may stand in a later file. An error names the block.
  Expected<void> fill_kept() {
    for (auto [block, output] : kept_) {
      Block& b = to_.blocks[block];
      Output& o = b.outputs[output];
      auto input = std::find_if(b.inputs.begin(), b.inputs.end(), [&](const Input& i) { return i.place == o.place && i.column; });
      if (input == b.inputs.end() || input->column->count() < b.first + b.rows)
        return fail("{}: {} has no column to keep", b.name, o.place);
      size_t given = input->column->dwords_each();
      for (size_t row = b.first; row < b.first + b.rows; row++)
        for (size_t d = 0; d < o.values.dwords_each(); d++) o.values.dwords.push_back(d < given ? input->column->at(row)[d] : 0);
    }
    return {};
  }
};

}  // namespace

std::string Form::opcode() const {
  std::string name = text.substr(0, text.find_first_of(" ;"));
  for (const char* suffix : {"_e32", "_e64"})
    if (name.ends_with(suffix)) name.resize(name.size() - 4);
  return name;
}

Expected<Vectors> read_vectors(const std::string& folder) {
  Vectors vectors;
  Reader reader(vectors);
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".txt" && entry.path().stem() != "without" && entry.path().stem() != "CMakeLists")
      files.push_back(entry.path());
  if (error) return fail("{}: {}", folder, error.message());
  std::sort(files.begin(), files.end());
  for (const auto& file : files)
    if (auto done = reader.read(file); !done) return std::unexpected(done.error());
  for (const std::string& name : reader.named_)
    if (vectors.columns[name].dwords.empty()) return fail("{}: no file has the column {}", folder, name);
  if (auto done = reader.fill_kept(); !done) return std::unexpected(done.error());
  return vectors;
}

std::vector<std::pair<std::string, std::string>> table_rows(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream words(line);
    for (std::string cell; std::getline(words, cell, '\t');) cells.push_back(cell);
    if (line.empty() || line[0] == '#' || cells.size() < 3 || cells[0] == "format") continue;
    rows.emplace_back(cells[0], cells[2]);
    bool has_vop3_form = cells.size() > 4 && cells[0] != "VOP3" && (" " + cells[4] + " ").find(" vop3 ") != std::string::npos;
    if (has_vop3_form) rows.emplace_back("VOP3", cells[2]);
  }
  return rows;
}

}  // namespace Atoll::vectors
