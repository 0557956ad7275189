#include "gpu/device/program_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/log.h"

namespace Atoll::gpu {
namespace {

// FNV-1a: names must be the same in every process that writes into the folder.
uint64_t hash_of(std::span<const uint32_t> words) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint32_t word : words)
    for (unsigned shift = 0; shift < 32; shift += 8) hash = (hash ^ (word >> shift & 0xff)) * 0x100000001b3;
  return hash;
}

std::span<const uint8_t> bytes_of(const auto& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof values[0]};
}

}  // namespace

void ProgramFiles::write(std::string_view chip, std::string_view stage, std::span<const uint32_t> words,
                         const std::function<std::string()>& text) {
  std::lock_guard lock(mutex_);
  std::string name = fmt::format("{}-{}-{:016x}", chip, stage, hash_of(words));
  if (failed_ || !written_.insert(name).second) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);  // what it cannot do write_file says
  std::string path = folder_ + "/" + name;
  auto done = write_file(path + ".bin", bytes_of(words));
  if (done) done = write_file(path + ".s", bytes_of(text()));
  if (done) return;
  failed_ = true;
  log(LogLevel::error, "shaders", "no more programs are written: {}", done.error().message);
  if (unwritten_) unwritten_();
}

}  // namespace Atoll::gpu
