// The cases of shader.comp, by the name that selects each, and the data that all of them start from.
#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::compute {

inline constexpr unsigned elements = 4096, group = 64, image_size = 64;
inline constexpr std::string_view gl_cases[] = {"SHARED", "ATOMICS",  "DIVERGENCE",     "INTEGERS", "FLOATS",
                                                "GROUPS", "UNIFORMS", "PRIVATE_ARRAY",  "IMAGES",   "TEXTURES",
                                                "STORES", "LENGTHS",  "DENORMAL_HALVES"};

// The same values every time.
inline std::vector<uint32_t> start_values(size_t count, uint32_t seed) {
  std::vector<uint32_t> found(count);
  uint64_t state = seed * uint64_t(0x9e3779b97f4a7c15) + 1;
  for (auto& value : found) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    value = uint32_t(state >> 20);
  }
  return found;
}

// R11G11B10_FLOAT: every number of each of its three fields but infinities and NaNs.
inline std::vector<uint32_t> small_floats() {
  std::vector<uint32_t> found(elements);
  for (uint32_t n = 0; n < elements; ++n) {
    const uint32_t red = n % (31 * 64), green = (n * 7 + 1) % (31 * 64), blue = (n * 5 + 3) % (31 * 32);
    found[n] = red | green << 11 | blue << 22;
  }
  return found;
}

// True if the arguments from `first` on ask for a case: by name, or by naming only others with a - before them.
inline bool is_wanted(std::string_view name, int argc, char** argv, int first) {
  bool named = false;
  for (int i = first; i < argc; ++i) {
    if (argv[i] == name) return true;
    if (argv[i][0] == '-' && argv[i] + 1 == name) return false;
    named |= argv[i][0] != '-';
  }
  return !named;
}

// As compare_results.py wants it.
inline void save(const std::string& folder, std::string_view name, const void* data, size_t bytes) {
  std::ofstream out(folder + "/" + std::string(name) + ".u32.0.bin", std::ios::binary);
  out.write(static_cast<const char*>(data), std::streamsize(bytes));
}

}  // namespace Atoll::compute
