// Completion in shells, from the verbs' own definitions: what bash, zsh and fish read.
#pragma once
#include <string>
#include <vector>

#include "cli/verb_text.h"

namespace Atoll::cli {

struct CompletionFile {
  std::string name;  // below an installation's share/, where the shell looks
  std::string text;
};

std::vector<CompletionFile> completion_files(const std::vector<VerbText>& verbs);

}  // namespace Atoll::cli
