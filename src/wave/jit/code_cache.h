// Code of earlier processes (base/file_cache.h): objects by the keys of their functions (code_key.h) and all else that they depend on, which
// are this build of Atoll and its code generator, LLVM, and the host's processor.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/file_cache.h"
#include "wave/jit/code_key.h"

namespace Atoll::wave {

// Below the user's folder (cache_folder()); empty: there is none.
std::string code_folder();
std::string notes_folder();
inline constexpr FileCacheLimits notes_limits = {.bytes = uint64_t(32) << 20};

class CodeCache {
public:
  // Null: nothing is kept (ATOLL_CACHE), or it cannot be said what code would depend on. `library`: the code generator's.
  static std::unique_ptr<CodeCache> open(const std::string& library);

  // Nothing where there is none, and for keys that mean nothing in other processes.
  std::optional<std::string> find(const CodeKey& key) { return key.lasting ? files_.find(about_ + key.text) : std::nullopt; }
  void store(const CodeKey& key, const std::string& object) {
    if (key.lasting) files_.store(about_ + key.text, object);
  }

  // The note on a program (program_note.h), by what the program is.
  std::optional<std::string> find_note(const std::string& program) { return notes_.find(about_ + program); }
  void store_note(const std::string& program, const std::string& note) { notes_.store(about_ + program, note); }

private:
  explicit CodeCache(std::string about)
      : files_(code_folder()), notes_(notes_folder(), notes_limits, false), about_(std::move(about)) {}
  FileCache files_, notes_;
  const std::string about_;
};

// The process's; null: there is none. Opened at the first call, without LLVM.
CodeCache* code_on_disk();

}  // namespace Atoll::wave
