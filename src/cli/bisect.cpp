// atoll bisect: the draws of a recording that a pixel's colour needs, or a fault that a program finds, and a recording of no others.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "cli/pixel_option.h"
#include "cli/progress_lines.h"
#include "cli/recordings.h"
#include "cli/verbs.h"
#include "insight/bisection.h"
#include "trace/recording_file.h"

extern char** environ;

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* bisect_verb = "bisect";

struct BisectCall : PixelCall {
  std::string output;
  std::vector<std::string> test;
  bool json = false;
};

// Files that are gone when the verb ends, however it does.
struct CandidateFolder {
  CandidateFolder() {
    std::error_code error;
    path = (fs::temp_directory_path(error) / "atoll-bisect-XXXXXX").string();
    if (error || !::mkdtemp(path.data()))
      end_with(STATUS_FAILED, bisect_verb, fmt::format("{}: {}", path, error ? error.message() : std::strerror(errno)));
  }
  ~CandidateFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  std::string path;
};
struct PartFile {
  ~PartFile() {
    if (!path.empty()) ::unlink(path.c_str());
  }
  std::string path;
};

// As `git bisect run` understands statuses: 0 is right, 125 cannot be told, up to 127 is wrong, and more ends it.
Expected<insight::TestAnswer> ask(std::vector<std::string> command, const std::string& file) {
  command.push_back(file);
  std::vector<char*> arguments;
  for (auto& one : command) arguments.push_back(one.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, 2, 1);  // (standard output has the answer alone)
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  const sigset_t defaults = default_signals();
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  const int why = ::posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (why) return fail("{}: {}", command[0], std::strerror(why));
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return fail("{}: {}", command[0], std::strerror(errno));
  if (!WIFEXITED(status)) return fail("{}: ended by signal {}", command[0], WTERMSIG(status));
  if (WEXITSTATUS(status) >= 128) return fail("{}: status {}", command[0], WEXITSTATUS(status));
  if (WEXITSTATUS(status) == 125) return insight::TestAnswer::unknown;
  return WEXITSTATUS(status) ? insight::TestAnswer::wrong : insight::TestAnswer::right;
}

void bisect(const BisectCall& call) {
  if (call.pixel.empty() == call.test.empty())
    end_with(STATUS_CALL, bisect_verb, "what is wrong: either --pixel X,Y, or -- COMMAND that tests a recording");
  insight::BisectionQuestion question;
  question.pixel = question_of(bisect_verb, call);
  std::optional<CandidateFolder> folder;
  if (!call.test.empty()) {
    folder.emplace();
    question.candidate = folder->path + "/candidate.rec";
    question.test = [&](const std::string& file) { return ask(call.test, file); };
  }
  std::string place;
  if (!call.output.empty()) {
    auto found = trace::place_of_recording(call.output);
    if (!found) end_with(STATUS_CALL, bisect_verb, "-o: " + found.error().message);
    place = *found;
    std::error_code error;
    if (fs::equivalent(place, call.trace, error)) end_with(STATUS_CALL, bisect_verb, "-o names the recording itself");
  }
  std::atomic<uint64_t> tests = 0, work = 0;
  question.progress = [&](uint64_t n, size_t pieces, size_t) { tests = n, work = pieces; };
  std::optional<ProgressLines> progress;
  progress.emplace(bisect_verb, [&] {
    return fmt::format("{}: test {}, with {} draws or packets of them", call.trace, tests.load(), work.load());
  });
  auto found = insight::smallest_of(question);
  if (!found) end_with(STATUS_FAILED, bisect_verb, found.error().message);
  insight::WrittenPart written;
  if (!place.empty()) {
    PartFile part{trace::part_name(place, ::getpid())};
    auto done = insight::write_part(question, *found, part.path);
    if (!done) end_with(STATUS_FAILED, bisect_verb, done.error().message);
    written = *done;
    if (auto placed = trace::put_in_place(part.path, place, ~uint64_t(0)); !placed)
      end_with(STATUS_FAILED, bisect_verb, placed.error().message);
    part.path.clear();
  }
  progress.reset();
  fmt::print("{}", call.json ? insight::json_of(question, *found, call.output, written) + "\n"
                             : insight::text_of(question, *found, call.output, written));
  if (found->read_to_end && !tell_ending(bisect_verb, call.trace, found->ending)) end(STATUS_FAILED);
}

}  // namespace

void add_bisect(CLI::App& app) {
  auto call = std::make_shared<BisectCall>();
  CLI::App* sub =
      app.add_subcommand(bisect_verb, "the draws of a recording that a wrong pixel needs, as a recording of their own");
  sub->add_option("TRACE", call->trace, "the file that `atoll run --record` wrote")->required();
  sub->add_option("COMMAND", call->test,
                  "instead of --pixel: asked of recordings with some of the draws, whose name it gets as its last argument; "
                  "ends with 0 where all is right, 125 where it cannot tell, else up to 127");
  add_pixel_option(*sub, *call, "the pixel that keeps its colour");
  sub->add_option("-o", call->output, "writes the recording here")->type_name("FILE");
  add_pixel_place_options(*sub, *call);
  sub->add_flag("--json", call->json, "one JSON object");
  sub->footer("docs/recording-bisection.md explains what is left out, and the JSON.");
  sub->callback([call] { bisect(*call); });
}

}  // namespace Atoll::cli
