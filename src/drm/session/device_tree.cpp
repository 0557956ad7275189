// Linux Documentation/ABI/testing/sysfs-bus-pci; what is read of it: libdrm 2.4.114 xf86drm.c (drmGetDevices2,
// drmParsePciDeviceInfo).
#include "drm/session/device_tree.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "drm/session/kfd_facts.h"
#include "drm/session/kfd_tree.h"
#include "drm/session/session_file.h"

namespace Atoll::drm {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out << text;
  out.close();
}

void link(const fs::path& at, const fs::path& to) {
  fs::create_directories(at.parent_path());
  fs::create_symlink(to.lexically_relative(at.parent_path()), at);
}

// The parts of a chip that discovery tells, by their numbers and versions (Linux drivers/gpu/drm/amd/amdgpu/amdgpu_discovery.c,
// ip_hw_instance_attrs; soc15_hw_ip.h; versions of Navi 44 and Navi 48 as amdgpu_discovery_set_ip_blocks has them).
void write_parts(const fs::path& device, const gpu::Chip& chip) {
  const unsigned stepping = chip.number_in_family;  // 0: gfx1200
  const struct {
    const char* name;
    unsigned number, instances, major, minor, revision;
  } parts[] = {{"GC", 11, 1, chip.graphics_major, chip.graphics_minor, stepping},
               {"HDP", 41, 1, 7, 0, 0},
               {"SDMA0", 42, 1, 7, 0, stepping},
               {"SDMA1", 43, 1, 7, 0, stepping},
               {"NBIF", 108, 1, 6, 3, 1}};
  const fs::path die = device / "ip_discovery/die/0";
  for (auto& part : parts) {
    const fs::path folder = die / std::to_string(part.number);
    for (unsigned n = 0; n < part.instances; ++n) {
      const struct {
        const char* name;
        unsigned value;
      } files[] = {{"hw_id", part.number}, {"num_instance", n},         {"major", part.major},
                   {"minor", part.minor},  {"revision", part.revision}, {"harvest", 0}};
      for (auto& file : files) write(folder / std::to_string(n) / file.name, fmt::format("{}\n", file.value));
    }
    fs::create_symlink(std::to_string(part.number), die / part.name);
  }
}

void write_whole(const fs::path& root, const gpu::Chip& chip, int number) {
  const std::string slot = pci_slots[number];
  fs::path device = root / (&ATOLL_PCI_ROOT[1]) / slot;
  std::string_view driver = chip.uapis.front();
  std::string vendor = fmt::format("{:#06x}\n", chip.pci_vendor);
  write(device / "vendor", vendor);
  write(device / "device", fmt::format("{:#06x}\n", chip.pci_device));
  write(device / "subsystem_vendor", vendor);
  write(device / "subsystem_device", "0x0b00\n");
  write(device / "revision", "0x00\n");
  write(device / "class", "0x030000\n");
  write(device / "boot_vga", "0\n");
  write(device / "uevent",
        fmt::format("DRIVER={}\nPCI_CLASS=30000\nPCI_ID={:04X}:{:04X}\nPCI_SUBSYS_ID={:04X}:0B00\nPCI_SLOT_NAME={}\n", driver,
                    chip.pci_vendor, chip.pci_device, chip.pci_vendor, slot));
  // configuration space: ids, revision, class; subsystem ids at 0x2c (PCI Local Bus Specification 3.0, 6.1)
  std::string config(64, '\0');
  auto put = [&](size_t at, unsigned value) {
    config[at] = char(value);
    config[at + 1] = char(value >> 8);
  };
  put(0x00, chip.pci_vendor);
  put(0x02, chip.pci_device);
  put(0x0a, 0x0300);
  put(0x2c, chip.pci_vendor);
  put(0x2e, 0x0b00);
  write(device / "config", config);
  if (const KfdFacts* facts = kfd_facts(chip); facts && facts->discovered) write_parts(device, chip);
  fs::create_directories(root / "sys/bus/pci/devices");
  fs::create_directories(root / "sys/bus/pci/drivers" / driver);
  link(device / "subsystem", root / "sys/bus/pci");
  link(device / "driver", root / "sys/bus/pci/drivers" / driver);
  link(root / "sys/bus/pci/devices" / slot, device);
  const std::string card = fmt::format("card{}", primary_minor + number),
                    render = fmt::format("renderD{}", render_minor + number);
  for (auto& [name, minor] : {std::pair(card, primary_minor + number), std::pair(render, render_minor + number)}) {
    fs::path node = device / "drm" / name;
    write(node / "uevent", fmt::format("MAJOR={}\nMINOR={}\nDEVNAME=dri/{}\nDEVTYPE=drm_minor\n", drm_major, minor, name));
    write(node / "dev", fmt::format("{}:{}\n", drm_major, minor));
    link(node / "device", device);
    fs::create_directories(root / "sys/class/drm");
    link(node / "subsystem", root / "sys/class/drm");
    link(root / "sys/class/drm" / name, node);
    link(root / "sys/dev/char" / fmt::format("{}:{}", drm_major, minor), node);
    write(root / "dev/dri" / name, "");  // the preloaded library recognises these by their inodes
  }
  fs::create_directories(root / "dev/dri/by-path");
  link(root / "dev/dri/by-path" / fmt::format("pci-{}-card", slot), root / "dev/dri" / card);
  link(root / "dev/dri/by-path" / fmt::format("pci-{}-render", slot), root / "dev/dri" / render);
}

}  // namespace

Expected<void> write_device_tree(const std::string& folder, std::span<const gpu::Chip* const> chips) {
  try {
    fs::remove_all(folder);
    for (size_t i = 0; i < chips.size(); ++i) write_whole(folder, *chips[i], int(i));
    write_kfd_tree(folder, chips);
  } catch (const std::exception& error) {
    return fail("{}: cannot write the device files of {}: {}", folder, chips.front()->name, error.what());
  }
  return {};
}

}  // namespace Atoll::drm
