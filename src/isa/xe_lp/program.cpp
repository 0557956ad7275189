#include "isa/xe_lp/program.h"

#include <cstring>
#include <map>

#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/parse.h"

namespace Atoll::xe_lp {
namespace {

struct Line {
  Instruction i;
  std::vector<std::string> labels;  // those that it names
};

// Takes "name:" from the front of a line.
std::string take_label(std::string_view& line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t\r")));
  size_t end = 0;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_')) end++;
  if (end == 0 || end >= line.size() || line[end] != ':') return {};
  std::string name(line.substr(0, end));
  line.remove_prefix(end + 1);
  return name;
}

std::optional<int64_t> note(std::string_view name, void* labels) {
  static_cast<std::vector<std::string>*>(labels)->emplace_back(name);
  return 0;
}

struct Program {
  std::vector<Line> code;
  std::map<std::string, size_t> labels;

  Expected<void> read(std::span<const std::string> lines) {
    for (const std::string& given : lines) {
      std::string_view rest = given;
      rest = rest.substr(0, rest.find("//"));
      for (std::string label = take_label(rest); !label.empty(); label = take_label(rest))
        if (!labels.emplace(label, code.size()).second) return fail("'{}': label {} stands twice", given, label);
      if (rest.find_first_not_of(" \t\r") == rest.npos) continue;
      Line line;
      auto parsed = parse(rest, note, &line.labels);
      if (!parsed) return fail("'{}': {}", given, parsed.error().message);
      line.i = parsed->instruction;
      if (auto why = objection(line.i); !why.empty()) return fail("'{}': {}", given, why);
      code.push_back(std::move(line));
    }
    return {};
  }
  Expected<std::vector<uint32_t>> words() {
    std::vector<int64_t> place(code.size() + 1);
    for (size_t n = 0; n < code.size(); n++) place[n + 1] = place[n] + (code[n].i.compacted ? 8 : 16);
    std::vector<uint32_t> out;
    for (size_t n = 0; n < code.size(); n++) {
      Line& line = code[n];
      for (size_t label = 0; label < line.labels.size(); label++) {
        auto found = labels.find(line.labels[label]);
        if (found == labels.end())
          return fail("{}: there is no label {}", find_opcode(unsigned(line.i.op))->name, line.labels[label]);
        line.i.src[label].immediate = uint64_t(place[found->second] - (line.i.op == Op::Calla ? 0 : place[n]));
      }
      auto encoded = encode(line.i);
      if (!encoded) return std::unexpected(encoded.error());
      size_t before = out.size();
      out.resize(before + encoded->size() / 4);
      std::memcpy(&out[before], encoded->data(), encoded->size());
    }
    return out;
  }
};

}  // namespace

Expected<std::vector<uint32_t>> assemble(std::span<const std::string> lines) {
  Program program;
  if (auto read = program.read(lines); !read) return std::unexpected(read.error());
  return program.words();
}

}  // namespace Atoll::xe_lp
