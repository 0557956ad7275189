// Drivers in software that stand beside a GPU's: lavapipe, PoCL. A program that takes the first device it finds, or lists them all, would as well
// use one of these: `run` hides them from the loaders of Vulkan and OpenCL, unless --beside asks for them.
#pragma once
#include <filesystem>
#include <string>

namespace Atoll::cli {

// Sets what the loaders read (VK_DRIVER_FILES and, for those before 1.3.207, VK_ICD_FILENAMES; OCL_ICD_VENDORS) to the drivers that they would
// find, without those in software. Variables that the user has set stay, and so do the others if there is nothing to hide. A
// folder that is made for OpenCL's loader lives as long as the object.
class HiddenSoftware {
public:
  // The loaders that the user has given drivers of his own: asked before --mesa, whose drivers are looked through as well.
  struct Chosen {
    bool vulkan, opencl;
  };
  static Chosen chosen_by_user();

  explicit HiddenSoftware(const Chosen& chosen);
  ~HiddenSoftware();
  HiddenSoftware(const HiddenSoftware&) = delete;
  HiddenSoftware& operator=(const HiddenSoftware&) = delete;
  // Processes live on that may still look into it.
  void leave() { folder_.clear(); }

private:
  void hide_vulkan();
  void hide_opencl();
  std::filesystem::path folder_;
};

}  // namespace Atoll::cli
