// The rules on who may use whom: every #include "room/..." under src/ against the tables of docs/architecture.md, which are read
// from there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

using Rules = std::map<std::string, std::set<std::string>>;

// The rows of a table of docs/architecture.md whose header begins with `head`: the first cell's name, without backquotes, and the
// names of the second cell.
Rules table(std::string_view head) {
  std::ifstream page(ATOLL_SOURCE_DIR "/docs/architecture.md");
  static const std::regex row(R"re(^\| `([^`]+)`[^|]*\|([^|]*)\|)re"), name(R"re([^\s,]+)re");
  Rules found;
  std::smatch match;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    inside = line.starts_with(head) || (inside && line.starts_with("|"));
    if (!inside || !std::regex_search(line, match, row)) continue;
    auto& uses = found[match[1]];
    std::string cell = match[2];
    for (std::sregex_iterator i(cell.begin(), cell.end(), name), end; i != end; ++i) uses.insert(i->str());
  }
  return found;
}

// A room, by its folder under src/, and the rooms whose headers it may include (itself is understood). The longest matching room of
// a path counts.
const Rules& rooms() {
  static const Rules found = [] {
    Rules of_src;
    for (auto& [room, uses] : table("| room |"))
      if (room.starts_with("src/")) of_src[room.substr(4)] = uses;
    return of_src;
  }();
  return found;
}

std::string room_of(const std::string& path) {
  std::string best;
  for (auto& [room, uses] : rooms())
    if (path.starts_with(room + "/") && room.size() > best.size()) best = room;
  return best;
}

// Inside a room of several folders: by the beginning of a path the folders (and files) whose headers it may include. The longest one
// that matches a path counts; itself is understood.
const Rules& floors() {
  static const Rules found = [] {
    Rules whole;
    for (auto& [floor, uses] : table("| floor |"))
      for (auto& of_floor = whole[floor]; auto& use : uses) of_floor.insert(room_of(floor) + "/" + (use == "./" ? "" : use));
    return whole;
  }();
  return found;
}

std::string floor_of(const std::string& path) {
  std::string best;
  for (auto& [floor, uses] : floors())
    if (path.starts_with(floor) && floor.size() > best.size()) best = floor;
  return best;
}

// The includes of a file that its room may not have.
std::vector<std::string> violations(const std::string& file, std::istream& text) {
  static const std::regex include(R"re(^\s*#\s*include\s+"([^"]+)")re");
  std::vector<std::string> found;
  std::string room = room_of(file);
  if (room.empty()) return {file + " stands in no room"};
  std::smatch match;
  auto say = [&](std::initializer_list<std::string_view> parts) {
    std::string text;
    for (std::string_view part : parts) text.append(part);
    found.push_back(std::move(text));
  };
  for (std::string line; std::getline(text, line);) {
    if (!std::regex_search(line, match, include)) continue;
    std::string target = room_of(match[1]);
    if (target.empty())
      say({file, " includes \"", match[1].str(), "\", which is in no room: name headers by their folder under src/"});
    else if (target != room && !rooms().at(room).contains(target))
      say({file, ": ", room, " may not use ", target});
    else if (std::string from = floor_of(file), to = floor_of(match[1]);
             target == room && from != to && (from.empty() || to.empty() || !floors().at(from).contains(to)))
      say({file, ": ", from, " may not use ", to, " (", match[1].str(), ")"});
  }
  return found;
}

// Both tables name folders and files that are there, so that a row cannot go stale unseen.
TEST(Architecture, TheTablesNameWhatIsThere) {
  EXPECT_GT(rooms().size(), 30u);
  EXPECT_GT(floors().size(), 14u);
  for (auto& [room, uses] : rooms()) {
    EXPECT_TRUE(fs::is_directory(ATOLL_SOURCE_DIR "/src/" + room)) << room;
    for (auto& use : uses) EXPECT_TRUE(rooms().contains(use)) << room << " may use " << use << ", which is no room";
  }
  for (auto& [floor, uses] : floors()) {
    EXPECT_TRUE(fs::exists(ATOLL_SOURCE_DIR "/src/" + floor + (floor.ends_with('.') ? "cpp" : ""))) << floor;
    for (auto& use : uses) EXPECT_TRUE(floors().contains(use)) << floor << " may use " << use << ", which is no floor";
  }
}

TEST(Architecture, RoomsUseOnlyWhatTheyMay) {
  size_t files = 0;
  for (auto& entry : fs::recursive_directory_iterator(ATOLL_SOURCE_DIR "/src")) {
    auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    files++;
    std::ifstream text(entry.path());
    for (auto& v : violations(fs::relative(entry.path(), ATOLL_SOURCE_DIR "/src").string(), text)) ADD_FAILURE() << v;
  }
  EXPECT_GT(files, 30u);
}

// RegisterFile::raw() gives a register's bits without a word on which of its fields somebody looks at, and the ledger of fields
// that act (registers/ledger.h) knows nothing of it: only for what moves whole registers about.
const std::map<std::string, std::string> may_read_raw = {
    {"gpu/amd/not_yet.cpp", "the values that a reset leaves in fields that do not act"},
    {"gpu/amd/not_yet.h", "looks whether fields that do not act have them still"},
    {"gpu/amd/packets/register_packets.h", "CONTEXT_REG_RMW changes the bits of a mask"},
    {"gpu/amd/register_file.h", "raw() itself"},
    {"gpu/r5xx/packets/register_writes.cpp", "MMIO that reads a register"},
    {"gpu/r5xx/packets/vertex_state.cpp", "a bit of VAP_VSM_VTX_ASSM for each vector of 23; Mesa names 11, the manual none"},
    {"gpu/gfx12/packets/register_access.cpp", "packets that copy a register"},
    {"gpu/sea_islands/packets/register_access.cpp", "packets and MMIO that copy a register"},
    {"gpu/sea_islands/packets/event_packets.cpp", "sets a field of CP_STRMOUT_CNTL and leaves the others"},
};

// Lines of a file that read a register raw.
size_t raw_reads(std::istream& text) {
  static const std::regex raw(R"re((\.|->)raw\()re");
  size_t found = 0;
  for (std::string line; std::getline(text, line);) found += std::regex_search(line, raw);
  return found;
}

TEST(Architecture, RegistersAreReadByField) {
  for (auto& entry : fs::recursive_directory_iterator(ATOLL_SOURCE_DIR "/src/gpu")) {
    auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    std::string file = fs::relative(entry.path(), ATOLL_SOURCE_DIR "/src").string();
    std::ifstream text(entry.path());
    if (raw_reads(text) && !may_read_raw.contains(file)) ADD_FAILURE() << file << " reads registers raw: read their fields";
  }
  for (auto& [file, reason] : may_read_raw)
    EXPECT_TRUE(fs::exists(ATOLL_SOURCE_DIR "/src/" + file))
        << file << " may read registers raw (" << reason << ") and is not there";
}

TEST(Architecture, ARawReadIsFound) {
  std::istringstream text("uint32_t a = c.registers.raw(address);\nuint32_t b = file->raw(4), draw = run_draw(4);\n");
  EXPECT_EQ(raw_reads(text), 2u);
}

TEST(Architecture, AViolationIsFound) {
  std::istringstream up("#include \"gpu/sea_islands/draw/targets.h\"\n#include \"gpu/sea_islands/state/tiling.h\"\n");
  EXPECT_EQ(violations("gpu/sea_islands/shaders/descriptors.cpp", up).size(), 1u);
  std::istringstream text("#include \"isa/rdna4/isa.h\"\n#include \"base/expected.h\"\n");
  EXPECT_EQ(violations("wave/executor.cpp", text).size(), 1u);
  std::istringstream unknown("#include \"helper.h\"\n");
  EXPECT_EQ(violations("wave/executor.cpp", unknown).size(), 1u);
}

}  // namespace
