// registers-used of a program on the dg1: commands and their fields, live and recorded.
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/cli.h"

namespace Atoll {
namespace {

using Json = nlohmann::json;

struct CommandsUsed : Cli {
  static Json line_of(const std::string& text, const std::string& kind, const std::string& name = "") {
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      Json line = Json::parse(text.substr(at, end - at));
      if (line["kind"] == kind && (name.empty() || line["name"] == name)) return line;
      at = end + 1;
    }
    ADD_FAILURE() << kind << " " << name;
    return {};
  }

  // Counts that do not depend on which of two contexts' submissions was looked at first: iris has them on rings that run beside
  // each other.
  static std::vector<Json> counts(const std::string& text) {
    std::vector<Json> all;
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      Json line = Json::parse(text.substr(at, end - at));
      at = end + 1;
      if (line["kind"] == "draw") continue;
      for (const char* order : {"changes", "draws", "before_first_draw", "first_draw"}) line.erase(order);
      if (line.contains("fields"))
        for (auto& field : line["fields"]) field.erase("changes");
      all.push_back(std::move(line));
    }
    return all;
  }
};

TEST_F(CommandsUsed, LiveAndRecordedAreTheSame) {
  Result run = atoll("run --gpu dg1 --display none --record r.atoll --registers-used live.json -- " ATOLL_GL_PROGRAMS
                     " Intel . " ATOLL_SHADER " SHARED");
  if (run.status == 77) GTEST_SKIP() << "no iris: " << run.err;
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string live = get("live.json");
  Result recorded = atoll("registers-used r.atoll --json");
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  EXPECT_EQ(counts(recorded.out), counts(live));

  Json summary = line_of(live, "summary");
  EXPECT_EQ(summary["gpu"], "dg1");
  EXPECT_GT(summary["dispatches"], 0);
  EXPECT_EQ(summary["unfinished"], 0);
  EXPECT_TRUE(summary["not_counted"].empty()) << summary;
  Json walker = line_of(live, "command", "GPGPU_WALKER");
  EXPECT_EQ(walker["times"], summary["dispatches"]);
  bool has_size = false;
  for (auto& field : walker["fields"]) {
    EXPECT_EQ(field["writes"], walker["times"]) << field;
    if (field["name"] == "SIMD Size") has_size = field["values"][0]["name"].get<std::string>().starts_with("SIMD");
  }
  EXPECT_TRUE(has_size) << walker;
  EXPECT_EQ(line_of(live, "command", "3DSTATE_GS").contains("name"), true);
  EXPECT_EQ(line_of(live, "command", "XY_FAST_COPY_BLT")["times"], 0) << "never used";
  Json mode = line_of(live, "register");
  EXPECT_EQ(mode["by"][0]["packet"], "MI_LOAD_REGISTER_IMM");

  std::string text = atoll("registers-used r.atoll").out;
  EXPECT_NE(text.find("  GPGPU_WALKER  "), std::string::npos);
  EXPECT_NE(text.find("\nnever used\n"), std::string::npos);
  ASSERT_EQ(atoll("registers-used r.atoll --html page.html").status, 0);
  EXPECT_NE(get("page.html").find("GPGPU_WALKER SIMD SIZE"), std::string::npos) << "what the page's search compares";
}

}  // namespace
}  // namespace Atoll
