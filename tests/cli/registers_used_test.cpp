// registers-used from outside: of recordings, and of programs while they run.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/cli.h"

namespace Atoll {
namespace {

using Json = nlohmann::json;

struct RegistersUsed : Cli {
  const std::string gears = ATOLL_GEARS " --size 32x32";

  static std::vector<Json> lines(const std::string& text) {
    std::vector<Json> all;
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      all.push_back(Json::parse(text.substr(at, end - at)));
      at = end + 1;
    }
    return all;
  }
  static Json of_kind(const std::vector<Json>& all, const std::string& kind, const std::string& name = "") {
    for (auto& line : all)
      if (line["kind"] == kind && (name.empty() || line["name"] == name)) return line;
    ADD_FAILURE() << kind << " " << name;
    return {};
  }
  // With the recording's own times and addresses nothing differs: the driver's words are the same live and recorded.
  std::string live(const std::string& gpu, const std::string& file, const std::string& program) {
    Result r = atoll(fmt::format("run --gpu {} --display none --record r.atoll --registers-used {} -- {}", gpu, file, program));
    EXPECT_EQ(r.status, 0) << r.err;
    return get(file);
  }
};

TEST_F(RegistersUsed, LiveAndRecordedAreTheSame) {
  for (std::string gpu : {"bonaire", "r580"}) {
    std::string live_text = live(gpu, "live.json", gears);
    Result recorded = atoll("registers-used r.atoll --json");
    ASSERT_EQ(recorded.status, 0) << recorded.err;
    EXPECT_EQ(recorded.out, live_text) << gpu;
    auto all = lines(live_text);
    Json summary = of_kind(all, "summary");
    EXPECT_EQ(summary["gpu"], gpu);
    EXPECT_EQ(summary["processes"], 1);
    EXPECT_EQ(summary["unfinished"], 0);
    EXPECT_EQ(summary["manual"], gpu == "r580" ? 278 : 393);
    EXPECT_GT(summary["draws"], 0);
    EXPECT_EQ(summary["unknown_addresses"], 0);
    EXPECT_EQ(int(summary["written"]) + int(summary["never"]) + int(summary["in_memory"]), int(summary["manual"]));
    std::string text = atoll("registers-used r.atoll").out;
    EXPECT_NE(text.find("of the manual's"), std::string::npos);
    if (gpu == "r580") continue;
    Json mask = of_kind(all, "register", "CB_TARGET_MASK");
    EXPECT_EQ(mask["address"], "0x28238");
    EXPECT_GT(mask["writes"], 0);
    EXPECT_EQ(mask["by"][0]["packet"], "SET_CONTEXT_REG");
    EXPECT_EQ(mask["values"][0]["fields"][0]["name"], "TARGET0_ENABLE");
    EXPECT_EQ(of_kind(all, "register", "VGT_ENHANCE")["writes"], 0) << "never written";
    EXPECT_GT(std::count_if(all.begin(), all.end(), [](auto& l) { return l["kind"] == "statement"; }), 50);
  }
}

TEST_F(RegistersUsed, APageThatStandsAlone) {
  std::string page = live("bonaire", "live.html", gears);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find("CB_COLOR0_BASE"), std::string::npos);
  EXPECT_EQ(page.find("http-equiv=refresh"), std::string::npos) << "the program has ended";
  for (const char* outside : {"http://", "https://", "src=", "@import"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  ASSERT_EQ(atoll("registers-used r.atoll --html page.html").status, 0);
  EXPECT_EQ(get("page.html"), page);
}

TEST_F(RegistersUsed, TheReportIsThereWhileTheProgramRuns) {
  std::thread program([&] {
    atoll("run --display none --timeout 30 --registers-used live.json -- sh -c '" + gears +
          " --frames 100000 & P=$!; while ! test -e stop; do sleep 0.1; done; kill -9 $P'");
  });
  bool seen = false;
  for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(25); !seen && std::chrono::steady_clock::now() < end;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    seen = exists("live.json") && get("live.json").find("CB_TARGET_MASK\",\"address") != std::string::npos;
  }
  put("stop", std::string("now"));
  program.join();
  EXPECT_TRUE(seen);
  auto all = lines(get("live.json"));
  EXPECT_EQ(of_kind(all, "summary")["unfinished"], 1) << "what the killed program did last is not counted, and that is said";
  EXPECT_GT(of_kind(all, "summary")["draws"], 0);
}

TEST_F(RegistersUsed, SeveralProcessesAddUp) {
  live("bonaire", "one.json", gears);
  int draws = of_kind(lines(get("one.json")), "summary")["draws"];
  Result r = atoll("run --display none --registers-used two.json -- sh -c '" + gears + "; " + gears + "'");
  ASSERT_EQ(r.status, 0) << r.err;
  Json summary = of_kind(lines(get("two.json")), "summary");
  EXPECT_EQ(summary["processes"], 2);
  EXPECT_EQ(summary["draws"], 2 * draws);
}

TEST_F(RegistersUsed, Errors) {
  Result r = atoll("run --display none --registers-used none/live.json -- true");
  EXPECT_EQ(r.status, 125);
  EXPECT_NE(r.err.find("none/live.json"), std::string::npos) << r.err;
  put("text", std::string("no recording\n"));
  EXPECT_EQ(atoll("registers-used text").status, 1);
  EXPECT_EQ(atoll("registers-used missing").status, 1);
  EXPECT_EQ(atoll("registers-used").status, 2);
  // a program that does nothing: everything is never written
  r = atoll("run --display none --registers-used idle.json -- true");
  EXPECT_EQ(of_kind(lines(get("idle.json")), "summary")["written"], 0);
}

}  // namespace
}  // namespace Atoll
