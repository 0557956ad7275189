// Lines on a terminal while something takes long: what it is at and for how long, after three seconds and then ever more rarely. Standard error that is no
// terminal gets none: there a script reads what went wrong.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace Atoll::cli {

class ProgressLines {
public:
  // `state` is asked on another thread, and never after the destructor: "saxpy on gfx1201, 1024 work-items".
  ProgressLines(const char* verb, std::function<std::string()> state);
  ~ProgressLines();
  ProgressLines(const ProgressLines&) = delete;
  ProgressLines& operator=(const ProgressLines&) = delete;

private:
  void tell(const char* verb, const std::function<std::string()>& state);
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace Atoll::cli
