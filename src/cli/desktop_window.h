// Shows the private desktop of `run`: nowhere, in a window of the user's desktop, or to VNC viewers. weston's own module
// screen-share hands the picture to a second weston without the emulated GPU, and gets its pointer and keyboard back.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/expected.h"

namespace Atoll::cli {

enum class Shown : uint8_t { nowhere, nested, vnc };

// The variables that name the user's own desktop, and libraries to be preloaded: as they were before `run` changed them.
struct UserDesktop {
  std::string wayland_display, x_display, x_authority, runtime_folder, preload;
  static UserDesktop now();
};

struct ShownDesktop {
  std::string module_settings;  // for weston.ini; empty: it is shown nowhere
  std::string place;            // "vnc://127.0.0.1:5900", "a window of wayland-0"
  pid_t server = -1;            // that weston is shown by, beside itself
};

// A file that appears in the folder once the window is closed.
inline constexpr const char* closed_mark = "closed";

bool in_path(const std::string& name);

// Writes the script that weston starts for it to `folder`. The server's messages go to `output`. An error says what is missing,
// and the package.
Expected<ShownDesktop> show_desktop(Shown shown, const UserDesktop& user, unsigned width, unsigned height,
                                    const std::filesystem::path& folder, int output);

}  // namespace Atoll::cli
