// Code of earlier processes (base/file_cache.h): objects by the keys of their functions (code_key.h) and all else that they depend on, which
// are this build of Atoll and its code generator, LLVM, and the host's processor.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/file_cache.h"
#include "wave/jit/code_key.h"

namespace Atoll::wave {

class CodeCache {
public:
  // Null: nothing is kept (ATOLL_CACHE), or it cannot be said what code would depend on. `library`: the code generator's.
  static std::unique_ptr<CodeCache> open(const std::string& library);

  // Nothing where there is none, and for keys that mean nothing in other processes.
  std::optional<std::string> find(const CodeKey& key) { return key.lasting ? files_.find(about_ + key.text) : std::nullopt; }
  void store(const CodeKey& key, const std::string& object) {
    if (key.lasting) files_.store(about_ + key.text, object);
  }

private:
  CodeCache(const std::string& folder, std::string about) : files_(folder), about_(std::move(about)) {}
  FileCache files_;
  const std::string about_;
};

// The folder's that code is kept in, below the user's (cache_folder()).
std::string code_cache_folder();

}  // namespace Atoll::wave
