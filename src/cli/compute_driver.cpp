#include "cli/compute_driver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "cli/verbs.h"

namespace Atoll::cli {

int ask_compute_driver() {
  uint64_t target = 0;
  for (int n = 0; n < 8 && !target; n++) {
    std::ifstream file(fmt::format("/sys/class/kfd/kfd/topology/nodes/{}/properties", n));
    std::string name;
    for (uint64_t value; file >> name >> value;)
      if (name == "gfx_target_version") target = value;
  }
  const int device = ::open("/dev/kfd", O_RDWR | O_CLOEXEC);
  kfd_ioctl_get_version_args version{};
  const bool answers = device >= 0 && ::ioctl(device, AMDKFD_IOC_GET_VERSION, &version) == 0;
  const int error = errno;
  if (device >= 0) ::close(device);
  fmt::print("gfx_target_version {}, version {}.{}\n", target, version.major_version, version.minor_version);
  if (answers && target) return 0;
  fmt::print("{}\n", answers ? "no GPU in its topology" : std::strerror(error));
  return STATUS_FAILED;
}

}  // namespace Atoll::cli
