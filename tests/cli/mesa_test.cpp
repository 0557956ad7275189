// atoll mesa and run --mesa from outside: which folders are a Mesa, what programs are told of them, and how packages become one.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "cli/cli.h"

namespace Atoll {
namespace {

namespace fs = std::filesystem;

struct Mesa : Cli {
  std::string program = "env -u LD_LIBRARY_PATH XDG_DATA_HOME=$PWD/data";

  void file(const std::string& name, const std::string& text = "") {
    fs::create_directories(fs::path(path(name)).parent_path());
    put(name, text);
  }
  static std::string driver(const std::string& library) {
    return R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" + library + R"("}})";
  }
  // The variables by which drivers are found, as a program sees them, with the test's folder as "~". Drivers in software are not
  // hidden, which would say what this machine has.
  std::set<std::string> seen(const std::string& mesa) {
    Result r = atoll("run --display none --beside --mesa " + mesa + " -- sh -c env");
    EXPECT_EQ(r.status, 0) << r.err;
    std::set<std::string> found;
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) {
      bool names_drivers = false;
      for (const char* name : {"LD_LIBRARY_PATH=", "LIBGL_", "GBM_", "VK_", "__EGL", "OCL_", "GALLIUM_", "DRIRC"})
        names_drivers |= line.starts_with(name);
      if (!names_drivers) continue;
      for (size_t at; (at = line.find(folder.path)) != line.npos;) line.replace(at, folder.path.size(), "~");
      found.insert(line);
    }
    return found;
  }
  // Runs with programs of the test's before all others.
  Result with_tools(const std::string& arguments) {
    int status = std::system(
        fmt::format("cd '{}' && PATH=$PWD/tools:$PATH {} {} {} > .out 2> .err", folder.path, program, ATOLL_BINARY, arguments)
            .c_str());
    return {WEXITSTATUS(status), get(".out"), get(".err")};
  }
  void tool(const std::string& name, const std::string& script) {
    file("tools/" + name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(path("tools/" + name), fs::perms::owner_all);
  }
};

TEST_F(Mesa, UnpackedPackages) {
  file("root/usr/lib/x86_64-linux-gnu/libgallium-25.0.7-2.so");
  file("root/usr/lib/x86_64-linux-gnu/libvulkan_radeon.so");
  file("root/usr/lib/x86_64-linux-gnu/libEGL_mesa.so.0");
  file("root/usr/lib/x86_64-linux-gnu/dri/radeonsi_dri.so");
  file("root/usr/lib/x86_64-linux-gnu/gbm/dri_gbm.so");
  file("root/usr/share/glvnd/egl_vendor.d/50_mesa.json", driver("libEGL_mesa.so.0"));
  file("root/usr/share/vulkan/icd.d/radeon_icd.json", driver("libvulkan_radeon.so"));
  // of the system's Mesa, of one that is not there, and no JSON at all
  file("root/usr/share/vulkan/icd.d/a.json", driver("/usr/lib/x86_64-linux-gnu/libc.so.6"));
  file("root/usr/share/vulkan/icd.d/b.json", driver("libvulkan_intel.so"));
  file("root/usr/share/vulkan/icd.d/c.json", "{");
  file("root/etc/OpenCL/vendors/mesa.icd", "libMesaOpenCL.so.1");
  std::set<std::string> expected = {"LD_LIBRARY_PATH=~/root/usr/lib/x86_64-linux-gnu",
                                    "LIBGL_DRIVERS_PATH=~/root/usr/lib/x86_64-linux-gnu/dri",
                                    "GBM_BACKENDS_PATH=~/root/usr/lib/x86_64-linux-gnu/gbm",
                                    "__EGL_VENDOR_LIBRARY_FILENAMES=~/root/usr/share/glvnd/egl_vendor.d/50_mesa.json",
                                    "VK_DRIVER_FILES=~/root/usr/share/vulkan/icd.d/radeon_icd.json",
                                    "VK_ICD_FILENAMES=~/root/usr/share/vulkan/icd.d/radeon_icd.json",
                                    "OCL_ICD_VENDORS=~/root/etc/OpenCL/vendors"};
  EXPECT_EQ(seen("root"), expected);
  // the DG1 has an OpenCL driver of its own, which programs find beside this Mesa
  expected.erase("OCL_ICD_VENDORS=~/root/etc/OpenCL/vendors");
  EXPECT_EQ(seen("root --gpu dg1"), expected);
  // what was there before stays behind it
  ::setenv("LD_LIBRARY_PATH", "/some/where", 1);
  EXPECT_TRUE(seen("root").contains("LD_LIBRARY_PATH=~/root/usr/lib/x86_64-linux-gnu:/some/where"));
  ::unsetenv("LD_LIBRARY_PATH");
}

TEST_F(Mesa, InstallPrefix) {
  file("opt/lib64/dri/r300_dri.so");
  file("opt/lib64/libvulkan_radeon.so");
  file("opt/share/drirc.d/00-mesa-defaults.conf");
  file("opt/share/vulkan/icd.d/radeon_icd.x86_64.json", driver(path("opt/lib64/libvulkan_radeon.so")));
  std::set<std::string> expected = {"LD_LIBRARY_PATH=~/opt/lib64", "LIBGL_DRIVERS_PATH=~/opt/lib64/dri",
                                    "DRIRC_CONFIGDIR=~/opt/share/drirc.d",
                                    "VK_DRIVER_FILES=~/opt/share/vulkan/icd.d/radeon_icd.x86_64.json",
                                    "VK_ICD_FILENAMES=~/opt/share/vulkan/icd.d/radeon_icd.x86_64.json"};
  EXPECT_EQ(seen("opt/"), expected);
}

TEST_F(Mesa, BuildFolder) {
  file("b/meson-info/meson-info.json", R"({"directories": {"source": ")" + path("source") + R"("}})");
  file("source/src/util/00-mesa-defaults.conf");
  fs::create_directories(path("b/src"));
  expect(2, "ninja -C", "run --mesa b -- true");
  file("b/src/gallium/targets/dri/libgallium-25.0.7.so");
  file("b/src/gallium/targets/dri/libgallium-25.0.7.so.p/object.o");
  file("b/src/egl/libEGL_mesa.so.0");
  file("b/src/egl/50_mesa.json", driver("libEGL_mesa.so.0"));
  file("b/src/gbm/libgbm.so.1");
  file("b/src/gbm/backends/dri/dri_gbm.so");
  file("b/src/amd/vulkan/libvulkan_radeon.so");
  file("b/src/amd/vulkan/radeon_devenv_icd.x86_64.json", driver(path("b/src/amd/vulkan/libvulkan_radeon.so")));
  file("b/src/amd/vulkan/radeon_icd.x86_64.json", driver("/usr/local/lib/libvulkan_radeon.so"));
  file("b/src/intel/vulkan/libvulkan_intel.so");
  file("b/src/intel/vulkan/intel_devenv_icd.x86_64.json", driver(path("b/src/intel/vulkan/libvulkan_intel.so")));
  const std::string vulkan = "~/b/src/amd/vulkan/radeon_devenv_icd.x86_64.json:~/b/src/intel/vulkan/intel_devenv_icd.x86_64.json";
  std::set<std::string> expected = {
      "LD_LIBRARY_PATH=~/b/src/amd/vulkan:~/b/src/egl:~/b/src/gallium/targets/dri:~/b/src/gbm:~/b/src/intel/vulkan",
      "LIBGL_DRIVERS_PATH=~/b/src/gallium/targets/dri",
      "GBM_BACKENDS_PATH=~/b/src/gbm/backends/dri",
      "DRIRC_CONFIGDIR=~/source/src/util",
      "__EGL_VENDOR_LIBRARY_FILENAMES=~/b/src/egl/50_mesa.json",
      "VK_DRIVER_FILES=" + vulkan,
      "VK_ICD_FILENAMES=" + vulkan};
  EXPECT_EQ(seen("b"), expected);
  // Before 24.2 a build folder does not work by itself.
  file("b/src/gallium/targets/dri/libgallium_dri.so");
  expect(2, "meson install", "run --mesa b -- true");
}

TEST_F(Mesa, WhatIsNone) {
  fs::create_directories(path("empty"));
  expect(2, "empty: no Mesa: neither unpacked packages", "run --mesa empty -- true");
  expect(2, "no/where: no such folder", "run --mesa no/where -- true");
  ::setenv("XDG_DATA_HOME", path("data").c_str(), 1);
  expect(2, "99: no such folder, and no fetched Mesa", "run --mesa 99 -- true");
  for (const char* version : {"25.0.7-2", "25.1.0-1"}) file(fmt::format("data/atoll/mesa/{}/usr/lib/dri/r300_dri.so", version));
  fs::create_directories(path("data/atoll/mesa/.new-abc"));
  expect(2, "25: 25.0.7-2 and 25.1.0-1 begin so", "run --mesa 25 -- true");
  EXPECT_TRUE(seen("25.1").contains("LIBGL_DRIVERS_PATH=~/data/atoll/mesa/25.1.0-1/usr/lib/dri"));
  Result r = atoll("mesa");
  EXPECT_EQ(r.status, 0);
  EXPECT_NE(r.out.find("25.0.7-2 "), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find(".new"), std::string::npos) << r.out;
  ::unsetenv("XDG_DATA_HOME");
}

TEST_F(Mesa, GpusThatTheSystemsIsTooOldForHaveTheNewestThatWasFetched) {
  ::setenv("XDG_DATA_HOME", path("data").c_str(), 1);
  for (const char* name :
       {"LIBGL_DRIVERS_PATH", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES", "LD_LIBRARY_PATH"})
    ::unsetenv(name);
  auto libraries = [&](const std::string& options) {
    Result r = atoll("run --display none --beside " + options + " -- sh -c 'echo =$LD_LIBRARY_PATH='");
    EXPECT_EQ(r.status, 0) << r.err;
    size_t at;
    while ((at = r.out.find(folder.path)) != std::string::npos) r.out.replace(at, folder.path.size(), "~");
    return r;
  };
  const bool new_enough = !atoll("mesa --gpu gfx1201").out.empty();  // the system's
  const std::string none = "==\n";
  auto place = [](const std::string& version) { return "~/data/atoll/mesa/" + version + "/usr/lib"; };
  auto fetched = [&](const std::string& version) {
    file(fmt::format("data/atoll/mesa/{}-1/usr/lib/libgallium-{}-1.so", version, version));
  };
  // there is none: what to do, and the program runs
  EXPECT_EQ(libraries("--gpu gfx1201").out, none);
  EXPECT_EQ(libraries("--gpu gfx1201").err.find("`atoll mesa --fetch`") != std::string::npos, !new_enough);
  fetched("24.3.1");
  EXPECT_EQ(libraries("--gpu gfx1201").out, none);
  EXPECT_EQ(atoll("mesa --gpu gfx1201").out.empty(), !new_enough);
  for (const char* version : {"25.2.0", "25.10.0", "25.9.3"}) fetched(version);
  Result r = libraries("--gpu bonaire,gfx1201");
  EXPECT_EQ(r.out, new_enough ? none : "=" + place("25.10.0-1") + "=\n") << r.err;
  EXPECT_EQ(r.err.find("gfx1201: by Mesa 25.10.0-1 of ") != std::string::npos, !new_enough) << r.err;
  EXPECT_NE(atoll("mesa --gpu gfx1201").out.find("25.2.0-1"), std::string::npos);
  EXPECT_EQ(atoll("mesa --gpu gfx1201").out.find("24.3.1"), std::string::npos);
  EXPECT_NE(atoll("mesa --gpu bonaire").out.find("24.3.1"), std::string::npos);
  // those that the system's drives keep it, and what the user chose stays
  EXPECT_EQ(libraries("--gpu bonaire").out, none);
  EXPECT_EQ(libraries("--gpu gfx1201 --mesa 25.2").out, "=" + place("25.2.0-1") + "=\n");
  file("own/libgallium-25.0.0.so");
  ::setenv("LD_LIBRARY_PATH", path("own").c_str(), 1);
  EXPECT_EQ(libraries("--gpu gfx1201").out, "=~/own=\n");
  ::unsetenv("LD_LIBRARY_PATH");
  ::setenv("VK_DRIVER_FILES", "/some/where.json", 1);
  EXPECT_EQ(libraries("--gpu gfx1201").out, none);
  ::unsetenv("VK_DRIVER_FILES");
  expect(2, "no GPU 'voodoo'", "mesa --gpu voodoo");
  ::unsetenv("XDG_DATA_HOME");
}

TEST_F(Mesa, FetchingAsksTheSystemsServerAndTouchesNothingElse) {
  // apt that offers a package of drivers and one of Vulkan's; each call is kept.
  std::string makes_packages = R"(
for name; do case $name in libgl*|mesa-*) mkdir -p p/DEBIAN p/usr/lib/dri
  printf 'Package: %s\nVersion: 1:26.0.0-1\nArchitecture: all\nMaintainer: a\nDescription: a\n' "$name" >p/DEBIAN/control
  : >"p/usr/lib/dri/r300_dri.so"; : >"p/usr/lib/$name"
  dpkg-deb -b p "${name}_26_all.deb"; rm -r p ;; esac; done)";
  tool("apt-get", "echo \"$@\" >>" + path("calls") +
                      "\ncase \"$*\" in *indextargets*) echo 'other main http://b/'; echo \"$(. /etc/os-release; echo "
                      "$VERSION_CODENAME) main http://a/\" ;;\n*\\ update) cat " +
                      path("data/atoll/mesa/.new-") + "*/sources/* >" + path("sources") + " ;;\n*\\ download\\ *) " +
                      makes_packages + " ;; esac");
  tool("apt-cache", "echo bash; echo libgl1-mesa-dri; echo mesa-vulkan-drivers");
  Result r = with_tools("mesa --fetch");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, path("data/atoll/mesa/1_26.0.0-1") + "\n");
  EXPECT_TRUE(exists("data/atoll/mesa/1_26.0.0-1/usr/lib/mesa-vulkan-drivers"));
  EXPECT_EQ(std::distance(fs::directory_iterator(path("data/atoll/mesa")), {}), 1) << "something is left behind";
  EXPECT_NE(get("sources").find("URIs: http://a/\n"), std::string::npos) << get("sources");
  EXPECT_NE(get("sources").find("-backports\n"), std::string::npos) << get("sources");
  // Every call but the question for servers works on lists of its own.
  std::istringstream calls(get("calls"));
  for (std::string call; std::getline(calls, call);)
    EXPECT_TRUE(call.starts_with("indextargets") || call.find("Dir::State=" + path("data/atoll/mesa/.new-")) != call.npos)
        << call;
  // Once more changes nothing; --into goes elsewhere.
  EXPECT_EQ(with_tools("mesa --fetch").out, r.out);
  EXPECT_EQ(with_tools("mesa --fetch --into there").out, path("there/1_26.0.0-1") + "\n");
  EXPECT_EQ(with_tools("mesa --into there").status, 2);
}

TEST_F(Mesa, WithoutPackagesNothingIsLeftBehind) {
  auto refused = [&](const std::string& part) {
    Result r = with_tools("mesa --fetch");
    EXPECT_EQ(r.status, 3);
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_EQ(fs::exists(path("data/atoll/mesa")) && !fs::is_empty(path("data/atoll/mesa")), false);
  };
  tool("apt-cache", "true");
  tool("apt-get", "true");
  refused("apt knows no source of ");
  std::string servers =
      "case \"$*\" in *indextargets*) echo \"$(. /etc/os-release; echo $VERSION_CODENAME) main http://a/\" ;;\n";
  tool("apt-get", servers + "esac");
  refused("-backports has no Mesa");
  tool("apt-get", servers + "*update) echo 'W: no route to a'; echo 'W: some files failed'; exit 100 ;; esac");
  refused("no route to a");
  tool("apt-cache", "echo libgl1-mesa-dri");
  tool("apt-get", servers + "*download*) echo 'E: gone'; exit 100 ;; esac");
  refused("gone");
}

}  // namespace
}  // namespace Atoll
