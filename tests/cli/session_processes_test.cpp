// The processes of a session, listed again and again while they start, fork and end: there is always one, so every answer has
// one.
#include "cli/session_processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "codeobject/compiled_object.h"

namespace Atoll::cli {
namespace {

struct Answers {
  int all = 0, without = 0;
};

// The script runs as `sh SCRIPT COUNT`, with a file `begun` to make when it has begun and another, `ended`, before it ends.
Answers ask_during(const std::string& script, int count) {
  TemporaryFolder folder;
  const std::string file = folder.file("script"), begun = folder.file("begun"), ended = folder.file("ended");
  const std::string session = folder.file("session");
  write_text(file, script);
  const std::string command = "cd " + std::filesystem::path(file).parent_path().string() + " && ATOLL_SESSION=" + session +
                              " setsid -f sh " + file + " " + std::to_string(count);
  Answers answers;
  if (std::system(command.c_str()) != 0) return answers;
  while (::access(begun.c_str(), F_OK) != 0) ::usleep(1000);
  for (;;) {
    const bool none = session_processes(session, 0).empty();
    if (::access(ended.c_str(), F_OK) == 0) break;
    ++answers.all;
    answers.without += none;
  }
  while (!session_processes(session, 0).empty()) ::usleep(1000);  // it has the folder
  return answers;
}

TEST(SessionProcesses, HaveTheOneThatExecutesAnotherProgram) {
  const Answers answers = ask_during(": >begun\n[ $1 -gt 0 ] && exec sh $0 $(($1-1))\n: >ended\n", 1500);
  EXPECT_GT(answers.all, 0);
  EXPECT_EQ(answers.without, 0) << answers.all;
}

TEST(SessionProcesses, HaveTheOneThatTheLastOneLeavesBehind) {
  const Answers answers = ask_during(": >begun\nif [ $1 -gt 0 ]; then sh $0 $(($1-1)) & else : >ended; fi\n", 500);
  EXPECT_GT(answers.all, 0);
  EXPECT_EQ(answers.without, 0) << answers.all;
}

// The program's own environment, and nobody's whose variable only ends or begins alike.
TEST(SessionProcesses, AreThoseWhoseEnvironmentNamesIt) {
  const std::string session = "/proc/" + std::to_string(::getpid()) + "/fd/of-this-test";
  const struct {
    std::string variable;
    size_t found;
  } cases[] = {
      {"ATOLL_SESSION=" + session, 1}, {"ATOLL_SESSION=" + session + "0", 0}, {"NO_ATOLL_SESSION=" + session, 0}, {"A=1", 0}};
  for (auto& one : cases) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::execlp("env", "env", "-i", one.variable.c_str(), "sleep", "1000", nullptr);
      ::_exit(1);
    }
    std::string name;
    for (int tries = 0; tries < 10'000 && name != "sleep\n"; ++tries) {
      ::usleep(1000);
      auto bytes = read_file("/proc/" + std::to_string(child) + "/comm");
      if (bytes) name.assign(bytes->begin(), bytes->end());
    }
    const auto found = session_processes(session, 0);
    EXPECT_EQ(found.size(), one.found) << one.variable;
    if (!found.empty()) {
      EXPECT_EQ(found[0].id, child);
      EXPECT_EQ(found[0].name, "sleep");
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

}  // namespace
}  // namespace Atoll::cli
