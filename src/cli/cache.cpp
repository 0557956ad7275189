// atoll cache: the compiled code that processes keep for each other, and its end.
#include <nlohmann/json.hpp>

#include "cli/cache_report.h"
#include "cli/verbs.h"
#include "wave/jit/code_cache.h"

namespace Atoll::cli {
namespace {

constexpr const char* cache_verb = "cache";

struct CacheCall {
  std::string action = "show";
  bool json = false;
};

std::string megabytes(uint64_t bytes) { return fmt::format("{:.1f} MiB", double(bytes) / (1 << 20)); }

void answer(const CacheCall& call) {
  const std::string folder = cache_folder();
  if (folder.empty()) {
    if (call.json) return fmt::print("{}\n", nlohmann::ordered_json{{"folder", nullptr}}.dump());
    return fmt::print("no compiled code is kept: ATOLL_CACHE names a folder for it\n");
  }
  const bool clear = call.action == "clear";
  FileCache::Usage usage;
  FileCacheLimits limits = {.bytes = 0};
  FileCache code(wave::code_folder()), notes(wave::notes_folder(), wave::notes_limits);
  for (FileCache* files : {&code, &notes}) {
    const FileCache::Usage part = clear ? files->clear() : files->usage();
    usage.files += part.files, usage.bytes += part.bytes;
    limits.bytes += files->limits().bytes;
  }
  if (call.json) {
    const char* which = clear ? "removed" : "files";
    const nlohmann::ordered_json line = {{"folder", folder},
                                         {which, usage.files},
                                         {"bytes", usage.bytes},
                                         {"most_bytes", limits.bytes},
                                         {"most_days", limits.days}};
    return fmt::print("{}\n", line.dump());
  }
  if (clear) return fmt::print("{}: {} files removed, {}\n", folder, usage.files, megabytes(usage.bytes));
  fmt::print("{}: {} files, {} of {} at most; each goes {} days after its last use\n", folder, usage.files,
             megabytes(usage.bytes), megabytes(limits.bytes), limits.days);
}

}  // namespace

void add_cache(nlohmann::ordered_json& statistics, const FileCache::Counts& counts) {
  if (counts.found + counts.missing + counts.refused == 0) return;
  statistics["code_on_disk"] = {{"found", counts.found}, {"missing", counts.missing}, {"refused", counts.refused}};
}

void add_cache(CLI::App& app) {
  auto call = std::make_shared<CacheCall>();
  auto* sub = app.add_subcommand(cache_verb, "shows or clears the compiled code that is kept for other processes");
  sub->add_option("ACTION", call->action, "show (what is there), or clear")->check(CLI::IsMember({"show", "clear"}));
  sub->add_flag("--json", call->json, "one JSON object: folder, files (or removed), bytes, most_bytes, most_days");
  sub->callback([call] { answer(*call); });
}

}  // namespace Atoll::cli
