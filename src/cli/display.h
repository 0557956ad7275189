// A private desktop for a program with windows: weston with its X server, drawn by the emulated GPU.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/expected.h"
#include "cli/desktop_window.h"

namespace Atoll::cli {

struct Screenshot {
  std::string file;
  uint64_t frame = 0;  // of those that windows have shown; 0: the last one before the program ends
  bool taken = false;
};

class Display {
public:
  struct Request {
    unsigned width = 1024, height = 768;
    Shown shown = Shown::nowhere;
    UserDesktop user;
    std::vector<Screenshot> screenshots;
    bool count_frames = false;  // also where no screenshot asks for a frame
  };
  // Starts it with the current environment and adds WAYLAND_DISPLAY and DISPLAY, by which programs find it. An error
  // names the package that is missing, or what weston said last.
  static Expected<std::unique_ptr<Display>> start(Request request);
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  // The place where it is shown, in words; empty for nowhere.
  const std::string& place() const { return shown_.place; }
  // The user has closed the window that shows it.
  bool closed() const;
  // The compositor's process, the ancestor of the X server and of the rest of the desktop.
  pid_t process() const { return weston_; }
  // The process that takes a picture now, 0 if none does. It is our child, not the compositor's.
  pid_t photographer() const { return photographer_; }
  // The number of pictures that windows have shown; 0 where they are not counted.
  uint64_t frames() const { return frames_; }

  // Waits until the pictures of the frames shown so far are taken, and one of what is on the screen now where one is wanted of the end; for
  // twenty seconds at most.
  void catch_up();
  // The program is about to be ended: the pictures of its last state are those taken so far. Waits for one that is being taken.
  void freeze();

  // The program has ended: an error if a screenshot that was asked for could not be had.
  Expected<void> finish();

private:
  Display() = default;
  void watch();
  void read_log(std::string_view more);
  bool take_picture(const std::string& file);
  bool wait_for_picture(pid_t child);
  void stop();

  std::filesystem::path folder_;  // XDG_RUNTIME_DIR
  pid_t weston_ = -1;
  ShownDesktop shown_;
  int log_ = -1;                         // what weston writes, the protocol among it when frames are counted
  std::string unread_;                   // of it: a line whose end has not come yet
  std::vector<Screenshot> screenshots_;  // the watcher's while it runs
  std::thread watcher_;
  std::atomic<bool> ends_{false};
  std::atomic<uint64_t> frames_{0};
  std::atomic<pid_t> photographer_{0};
  std::atomic<bool> frozen_{false}, busy_{false};
  std::atomic<bool> pending_pictures_{false};  // catch_up() waits
  std::string picture_error_;

  std::mutex mutex_;
  std::string last_words_, x_display_;
  bool ready_ = false;
};

// The library by which the program opens windows, among those that it is linked with; empty: none.
std::string library_for_windows(const std::string& program);

}  // namespace Atoll::cli
