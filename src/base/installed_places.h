// The places where Atoll's files find each other, to be tried in turn behind the folder that one of them lies in.
// PREFIX/{bin,lib,share} is a build's tree and what `cmake --install` leaves; Debian has libatoll.so.0 in lib/x86_64-linux-gnu,
// files that nobody links with in atoll/ below it (Debian Policy 10.2), and share/ beside lib/.
#pragma once

namespace Atoll {

// libatoll.so's name to loaders: its first version of binary compatibility (src/api/libatoll.map).
inline constexpr const char* library_soname = "libatoll.so.0";

// From libatoll.so, or a test's binary, to what it and the atoll binary open: libatoll_jit.so, libatoll_drm.so.
inline constexpr const char* places_of_private_libraries[] = {"/", "/../lib/", "/atoll/"};
// From libatoll_drm.so to libatoll.so.
inline constexpr const char* places_of_library[] = {"/", "/../"};
// From either to what is in share/atoll.
inline constexpr const char* places_of_data[] = {"/../share/atoll/", "/../../share/atoll/", "/../../../share/atoll/"};
// From the atoll binary to programs that show what it does.
inline constexpr const char* places_of_examples[] = {"/", "/../libexec/atoll/"};

}  // namespace Atoll
