// The note on a program that processes keep for each other beside its code (jit/code_cache.h): whether it has proved hot, from which places
// code of the last tier has been made, and what its instructions had met by then (Step's hints), on which that code depends. So
// another process has that code before it runs the first instruction, and a program that nobody has made code of costs it one look.
//
// Places count from the program's begin, and its words stand for it, so that it may lie anywhere.
#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "wave/float_mode.h"
#include "wave/program.h"
#include "wave/wave.h"

namespace Atoll::wave {

class ProgramNote {
public:
  // Both must outlive it. Nothing is read before it is asked.
  ProgramNote(const Program& program, const Wave& like) : program_(program), like_(like) {}

  // By the notes of other processes; read once.
  bool was_hot();
  bool has_code(const FloatMode& mode, uint64_t pc);
  // Gives the program's steps what other processes' had met. Steps that have met something themselves keep it.
  void give_hints();

  struct Hint {
    uint32_t index = 0;  // of the step
    uint8_t address_forms = 0;
    uint64_t texture_form = 0;
    bool operator==(const Hint&) const = default;
  };
  // The steps' own hints so far; nothing where no notes are kept.
  std::vector<Hint> hints();
  // For other processes.
  void store_code(const FloatMode& mode, uint64_t pc, std::vector<Hint> hints);
  void store_hot();

private:
  struct Content {
    bool hot = false;
    std::vector<std::string> places;
    std::vector<Hint> hints;
  };
  const Program& program_;
  const Wave& like_;
  std::mutex mutex_;                           // what follows
  std::atomic<const Content*> read_{nullptr};  // as it was first found, once it was looked for
  Content found_;
  std::string name_;

  const Content& read();
  const std::string& name();
  Content from_disk();
  void store(const Content& content);
  std::string place(const FloatMode& mode, uint64_t pc) const;
};

}  // namespace Atoll::wave
