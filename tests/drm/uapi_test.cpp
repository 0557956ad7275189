// The kernel drivers as objects: all that gpus/families.tsv names are there, and their tables are sound.
#include "uapi.h"

#include <libdrm/drm.h>

#include <set>

namespace Atoll::drm {
namespace {

TEST(Uapis, EveryDriverOfTheTableIsThere) {
  std::set<const Uapi*> found;
  for (auto& chip : gpu::chips())
    for (auto name : chip.uapis) {
      const Uapi* uapi = find_uapi(name);
      ASSERT_NE(uapi, nullptr) << chip.name << ": " << name;
      EXPECT_EQ(uapi->name, name);
      found.insert(uapi);
    }
  EXPECT_EQ(found.size(), 3u);
  EXPECT_EQ(find_uapi("nouveau"), nullptr);
  EXPECT_EQ(find_uapi(""), nullptr);
}

TEST(Uapis, ANumberMeansOneIoctl) {
  for (auto name : {"amdgpu", "radeon", "i915"}) {
    std::set<unsigned> numbers;
    for (auto rows : {drm_ioctls(), syncobj_ioctls(), find_uapi(name)->ioctls})
      for (auto& row : rows) EXPECT_TRUE(numbers.insert(row.number).second) << name << ": " << row.name;
    for (auto& row : find_uapi(name)->ioctls) {
      EXPECT_GE(row.number, unsigned(DRM_COMMAND_BASE)) << row.name;
      EXPECT_LT(row.number, unsigned(DRM_COMMAND_END)) << row.name;
    }
  }
}

struct Shown {
  const char *gpu, *wanted, *name;
  int major, minor;
};

// The first of a GPU's drivers, or the one that ATOLL_UAPI names where the GPU has it.
TEST(Uapis, AGpuShowsTheOneThatIsWanted) {
  for (auto& one : {Shown{"bonaire", "", "amdgpu", 3, 49}, Shown{"bonaire", "radeon", "radeon", 2, 50},
                    Shown{"kabini", "amdgpu", "amdgpu", 3, 49}, Shown{"r580", "", "radeon", 2, 50},
                    Shown{"r580", "amdgpu", "radeon", 2, 50}, Shown{"gfx1201", "", "amdgpu", 3, 61}}) {
    ::setenv("ATOLL_UAPI", one.wanted, 1);
    auto session = Session::create_file();
    ASSERT_TRUE(session);
    auto process = Process::create(*session, one.gpu);
    ::unsetenv("ATOLL_UAPI");
    ASSERT_TRUE(process) << process.error().message;
    char name[16]{};
    drm_version version{};
    version.name = name;
    version.name_len = sizeof name;
    ASSERT_EQ((*process)->open_file(position_ours | 1)->ioctl(DRM_IOCTL_VERSION, &version), 0);
    EXPECT_STREQ(name, one.name) << one.gpu;
    EXPECT_EQ(version.version_major, one.major);
    EXPECT_EQ(version.version_minor, one.minor);
    uint64_t timelines = std::string_view(one.name) == "amdgpu";
    drm_get_cap cap{DRM_CAP_SYNCOBJ_TIMELINE, 2};
    ASSERT_EQ((*process)->open_file(position_ours | 1)->ioctl(DRM_IOCTL_GET_CAP, &cap), 0);
    EXPECT_EQ(cap.value, timelines);
    ::close(*session);
  }
}

TEST(Uapis, AGpuWithoutADriverIsRefused) {
  auto session = Session::create_file();
  ASSERT_TRUE(session);
  auto process = Process::create(*session, "tahiti");
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().message, "no GPU 'tahiti' has a kernel driver: `atoll gpus` lists them");
  ::close(*session);
}

}  // namespace
}  // namespace Atoll::drm
