// Who may use whom: every #include "room/..." under src/ against the rules of docs/architecture.md.
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

// A room and the rooms whose headers it may include (itself is understood). The longest matching room of a path counts.
const std::map<std::string, std::set<std::string>> rules = {
    {"base", {}},
    {"gpu/chips", {"base"}},
    {"registers", {"base"}},
    {"memory", {"base"}},
    {"surface", {"base", "memory"}},
    {"pipeline", {"base", "memory", "surface"}},
    {"codeobject", {"base"}},
    {"wave", {"base", "memory"}},
    {"isa/amd", {"base", "surface", "wave", "sampling"}},
    {"isa/rdna4", {"base", "memory", "surface", "wave", "sampling", "isa/amd"}},
    {"pixel", {"base", "surface", "pipeline", "wave"}},
    {"sampling", {"base", "surface", "wave"}},
    {"isa/gfx7", {"base", "surface", "wave", "sampling", "isa/amd"}},
    {"isa/xe_lp", {"base", "memory", "registers", "surface", "wave"}},
    {"isa/r500", {"base", "registers", "surface", "wave", "sampling"}},
    {"eval", {"base", "gpu/chips", "gpu/rdna4", "memory", "wave", "isa/amd", "isa/rdna4", "isa/gfx7", "isa/xe_lp", "isa/r500"}},
    {"gpu/hsa", {"base", "memory", "codeobject", "gpu/device"}},
    {"gpu/rdna4",
     {"base", "memory", "surface", "wave", "sampling", "isa/rdna4", "gpu/chips", "gpu/device", "gpu/amd", "gpu/hsa"}},
    {"gpu/device", {"base", "memory", "wave"}},
    {"gpu/amd", {"base", "registers", "memory", "surface", "wave", "sampling", "gpu/device"}},
    {"gpu/sea_islands",
     {"base", "registers", "memory", "surface", "pipeline", "wave", "pixel", "sampling", "isa/amd", "isa/gfx7", "gpu/chips",
      "gpu/device", "gpu/amd", "gpu/hsa"}},
    {"gpu/r5xx",
     {"base", "registers", "memory", "surface", "pipeline", "wave", "pixel", "sampling", "isa/r500", "gpu/chips", "gpu/device",
      "gpu/amd"}},
    {"gpu/dg1",
     {"base", "registers", "memory", "surface", "wave", "sampling", "isa/xe_lp", "codeobject", "gpu/chips", "gpu/device",
      "gpu/hsa"}},
    {"gpu/open",
     {"base", "memory", "codeobject", "gpu/chips", "gpu/device", "gpu/hsa", "gpu/rdna4", "gpu/sea_islands", "gpu/r5xx",
      "gpu/dg1"}},
    {"trace", {"base", "registers", "memory", "gpu/chips", "gpu/device", "gpu/open"}},
    {"drm/session", {"base", "registers", "memory", "gpu/device", "trace"}},
    {"drm/core", {"base", "memory", "gpu/chips", "gpu/device", "gpu/open", "trace", "drm/session"}},
    {"drm/amdgpu", {"base", "gpu/chips", "gpu/device", "drm/session", "drm/core"}},
    {"drm/radeon", {"base", "registers", "gpu/chips", "gpu/device", "drm/session", "drm/core"}},
    {"drm/i915", {"base", "memory", "gpu/chips", "gpu/device", "drm/session", "drm/core"}},
    {"drm/shim", {"base", "drm/session"}},
    {"drm", {"base", "gpu/chips", "drm/session", "drm/core", "drm/amdgpu", "drm/radeon", "drm/i915"}},
    {"api", {"base", "memory", "codeobject", "gpu/chips", "gpu/hsa", "gpu/open", "gpu/rdna4", "gpu/dg1"}},
    {"cli", {"surface",   "gpu/chips", "gpu/device", "gpu/open", "trace",     "drm/session",     "base",
             "registers", "memory",    "wave",       "isa/amd",  "isa/rdna4", "isa/gfx7",        "isa/xe_lp",
             "isa/r500",  "eval",      "codeobject", "gpu/hsa",  "gpu/rdna4", "gpu/sea_islands", "gpu/dg1"}},
};

// Inside a room of several folders: by the begin of a path the folders (and files) whose headers it may include. The longest one
// that matches a path counts; itself is understood.
const std::map<std::string, std::set<std::string>> floors = {
    {"gpu/sea_islands/state/", {}},
    {"gpu/sea_islands/shaders/", {"gpu/sea_islands/state/"}},
    {"gpu/sea_islands/draw/", {"gpu/sea_islands/state/", "gpu/sea_islands/shaders/"}},
    {"gpu/sea_islands/compute/", {"gpu/sea_islands/state/", "gpu/sea_islands/shaders/"}},
    {"gpu/sea_islands/packets/",
     {"gpu/sea_islands/state/", "gpu/sea_islands/shaders/", "gpu/sea_islands/draw/", "gpu/sea_islands/compute/"}},
    {"gpu/sea_islands/device.",
     {"gpu/sea_islands/state/", "gpu/sea_islands/shaders/", "gpu/sea_islands/draw/", "gpu/sea_islands/compute/",
      "gpu/sea_islands/packets/"}},
    {"gpu/sea_islands/hsa/", {"gpu/sea_islands/state/", "gpu/sea_islands/shaders/", "gpu/sea_islands/device."}},
    {"gpu/dg1/threads/", {}},
    {"gpu/dg1/launch/", {"gpu/dg1/threads/"}},
    {"gpu/dg1/commands/", {"gpu/dg1/threads/"}},
    {"gpu/dg1/device.", {"gpu/dg1/commands/"}},
    {"gpu/r5xx/", {}},  // the chip, its registers and memories, what a queue has
    {"gpu/r5xx/shaders/", {"gpu/r5xx/"}},
    {"gpu/r5xx/draw/", {"gpu/r5xx/", "gpu/r5xx/shaders/"}},
    {"gpu/r5xx/packets/", {"gpu/r5xx/", "gpu/r5xx/shaders/", "gpu/r5xx/draw/"}},
    {"gpu/r5xx/device.", {"gpu/r5xx/", "gpu/r5xx/shaders/", "gpu/r5xx/draw/", "gpu/r5xx/packets/"}},
};

std::string floor_of(const std::string& path) {
  std::string best;
  for (auto& [floor, uses] : floors)
    if (path.starts_with(floor) && floor.size() > best.size()) best = floor;
  return best;
}

std::string room_of(const std::string& path) {
  std::string best;
  for (auto& [room, uses] : rules)
    if (path.starts_with(room + "/") && room.size() > best.size()) best = room;
  return best;
}

// What a file includes that its room may not.
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
    else if (target != room && !rules.at(room).count(target))
      say({file, ": ", room, " may not use ", target});
    else if (std::string from = floor_of(file), to = floor_of(match[1]);
             target == room && from != to && (from.empty() || to.empty() || !floors.at(from).count(to)))
      say({file, ": ", from, " may not use ", to, " (", match[1].str(), ")"});
  }
  return found;
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
    {"gpu/amd/register_file.h", "raw() itself"},
    {"gpu/r5xx/packets/register_writes.cpp", "MMIO that reads a register"},
    {"gpu/r5xx/packets/vertex_state.cpp", "a bit of VAP_VSM_VTX_ASSM for each vector of 23; Mesa names 11, the manual none"},
    {"gpu/sea_islands/packets/register_access.cpp", "packets and MMIO that copy a register"},
    {"gpu/sea_islands/packets/event_packets.cpp", "sets a field of CP_STRMOUT_CNTL and leaves the others"},
    {"gpu/sea_islands/packets/register_packets.cpp", "CONTEXT_REG_RMW changes the bits of a mask"},
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
