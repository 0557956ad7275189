#include "measure.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>

namespace scenes {

namespace {

struct Time {
  double cpu, wall;
};

double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

Time now() { return {seconds(CLOCK_PROCESS_CPUTIME_ID), seconds(CLOCK_MONOTONIC)}; }

// The greatest resident memory of the process so far, in kilobytes. Not getrusage's: that one remembers the launcher's, too.
long peak_memory() {
  long peak = 0;
  if (FILE* status = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, status)) std::sscanf(line, "VmHWM: %ld", &peak);
    std::fclose(status);
  }
  return peak;
}

[[noreturn]] void usage(const char* program) {
  std::fprintf(stderr,
               "usage: %s [--list] SCENE [--block SECONDS] [--warm SECONDS] [--hold SECONDS] [--picture FILE]\n"
               "  --list      the scenes, one a line\n"
               "  --block     the least wall time of a measured block (0.4); blocks of N and of 2N frames are measured\n"
               "  --warm      frames are drawn at least so long before that (1)\n"
               "  --hold      says \"steady\" when frames cost no less than before, and draws for so long; nothing is measured\n"
               "  --picture   writes the last frame, RGBA of 8 bits, rows from the top\n",
               program);
  std::exit(2);
}

// Frames that cost less than this part of earlier ones say that code was still being compiled.
constexpr double settled = 0.94;

// Processor seconds of the threads that draw, by their numbers: of all but those that compile (wave/executor_compilation.cpp names them).
// Empty where the kernel does not say (proc(5), schedstat: the first number is nanoseconds).
std::map<int, double> drawing_threads() {
  std::map<int, double> seconds;
  DIR* folder = opendir("/proc/self/task");
  if (!folder) return seconds;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    const std::string of_thread = std::string("/proc/self/task/") + entry->d_name;
    char name[32] = "";
    if (FILE* file = std::fopen((of_thread + "/comm").c_str(), "r")) {
      if (!std::fgets(name, sizeof name, file)) name[0] = 0;
      std::fclose(file);
    }
    if (!std::strncmp(name, "atoll-compile", 13)) continue;
    if (FILE* file = std::fopen((of_thread + "/schedstat").c_str(), "r")) {
      double nanoseconds = 0;
      if (std::fscanf(file, "%lf", &nanoseconds) == 1) seconds[std::atoi(entry->d_name)] = nanoseconds * 1e-9;
      std::fclose(file);
    }
  }
  closedir(folder);
  return seconds;
}

struct Block {
  int frames;
  double cpu, wall;  // of one frame
  bool compiles;     // threads that do not draw were at work
};

Block draw_block(const Running& running, int& frame, int frames) {
  constexpr double most_beside = 0.05;
  std::map<int, double> before = drawing_threads();
  Time start = now();
  for (int n = 0; n < frames; n++) running.draw(frame++);
  Time end = now();
  double cpu = end.cpu - start.cpu, drawing = 0;
  for (const auto& [thread, seconds] : drawing_threads()) drawing += seconds - before[thread];
  return {frames, cpu / frames, (end.wall - start.wall) / frames, drawing > 0 && cpu - drawing > most_beside * cpu};
}

// Draws until two windows in turn cost nearly as much as the cheapest before them, and nothing is compiled beside them: as long as that
// shares the processor with frames, all of them cost the same, too. Returns the cost of a frame in the end.
Block warm_up(const Options& options, const Running& running, int& frame) {
  constexpr double window = 0.25;
  double start = now().wall, cheapest = 1e9;
  int calm = 0, frames = 1;
  for (;;) {
    Block block = draw_block(running, frame, frames);
    calm = !block.compiles && block.cpu > cheapest * settled ? calm + 1 : 0;
    cheapest = std::min(cheapest, block.cpu);
    double elapsed = now().wall - start;
    bool enough = elapsed > options.least_warmth && frame >= options.least_frames;
    if ((enough && calm >= 2) || elapsed > options.max_warmth) return block;
    frames = std::clamp(int(window / std::max(block.wall, 1e-6)), 1, 4 * frames);
  }
}

bool write_picture(const std::string& path, const Picture& picture) {
  FILE* file = std::fopen(path.c_str(), "wb");
  bool good = file && std::fwrite(picture.rgba.data(), 1, picture.rgba.size(), file) == picture.rgba.size();
  if (file) good = std::fclose(file) == 0 && good;
  if (!good) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return good;
}

}  // namespace

Options read_options(int argc, char** argv, const char* program, const std::vector<std::pair<std::string, std::string>>& scenes) {
  Options options;
  for (int i = 1; i < argc; i++) {
    std::string word = argv[i];
    if (word == "--list") {
      for (auto& [name, about] : scenes) std::printf("%s\t%s\n", name.c_str(), about.c_str());
      std::exit(0);
    }
    if (word.rfind("--", 0) != 0) {
      if (!options.scene.empty()) usage(program);
      options.scene = word;
      continue;
    }
    if (++i == argc) usage(program);
    if (word == "--block")
      options.block = std::atof(argv[i]);
    else if (word == "--warm")
      options.least_warmth = std::atof(argv[i]);
    else if (word == "--hold")
      options.hold = std::atof(argv[i]);
    else if (word == "--picture")
      options.picture = argv[i];
    else
      usage(program);
  }
  if (std::none_of(scenes.begin(), scenes.end(), [&](auto& scene) { return scene.first == options.scene; })) usage(program);
  return options;
}

int measure(const Options& options, const Running& running) {
  int frame = 0;
  double start = now().wall;
  Block warm = warm_up(options, running, frame);
  double warmth = now().wall - start;
  int warm_frames = frame;
  if (options.hold > 0) {
    std::printf("steady %d %d\n", int(getpid()), warm_frames);
    std::fflush(stdout);
    for (double until = now().wall + options.hold; now().wall < until;) running.draw(frame++);
    return 0;
  }
  int frames = std::max(3, int(std::ceil(options.block / warm.wall)));
  Block one = draw_block(running, frame, frames), two = draw_block(running, frame, 2 * frames);
  // Frames became cheaper meanwhile, or threads that compile worked: code was still being compiled. That was warming up as well.
  while ((two.cpu < one.cpu * settled || one.compiles || two.compiles) && now().wall - start < options.max_warmth) {
    warm_frames = frame;
    warmth = now().wall - start;
    one = draw_block(running, frame, frames);
    two = draw_block(running, frame, 2 * frames);
  }
  running.draw(0);
  Picture picture = running.read_picture();
  std::printf(
      "{\"scene\": \"%s\", \"renderer\": \"%s\", \"warm_frames\": %d, \"warm_seconds\": %.3f, \"frames\": %d, "
      "\"cpu_ms\": [%.4f, %.4f], \"wall_ms\": [%.4f, %.4f], \"peak_kb\": %ld, \"width\": %d, \"height\": %d}\n",
      options.scene.c_str(), running.renderer.c_str(), warm_frames, warmth, frames, one.cpu * 1e3, two.cpu * 1e3, one.wall * 1e3,
      two.wall * 1e3, peak_memory(), picture.width, picture.height);
  std::fflush(stdout);
  return options.picture.empty() || write_picture(options.picture, picture) ? 0 : 1;
}

}  // namespace scenes
