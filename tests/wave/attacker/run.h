// One attack on the interpreter and on compiled code, and whether both came to the same.
#pragma once
#include "attack.h"
#include "wave/executor.h"

namespace Atoll::attacker {

enum class Verdict : uint8_t {
  Agree,
  Differ,   // or poison was overwritten, or a fault that no check of ours explains
  TooLong,  // for the interpreter: nothing is compared
};

inline constexpr int hang_status = 99;  // of a process whose run does not end

struct Outcome {
  Verdict verdict = Verdict::Agree;
  std::string report;
  wave::Stop stop = wave::Stop::End;  // of the interpreter's hostile run
  wave::FaultKind fault = wave::FaultKind::None;
  uint64_t digest = 0;  // of what the interpreter's runs left: the same on every host level
  double compile_seconds = 0;
  uint64_t compiled = 0, called = 0;
};

// Two grounds with poisons of their own: the interpreter runs on one, compiled code on the other.
class Arena {
public:
  explicit Arena(std::unique_ptr<Attacker> attacker);
  Attacker& attacker() { return *attacker_; }
  Outcome run(const Attack& attack, Way way);

private:
  std::unique_ptr<Attacker> attacker_;
  Ground ground_, other_;

  void reset(const Attack& attack, unsigned run, Ground& ground);
  // The machine's contents, without the poison among them.
  Machine::State state(const Attack& attack, Ground& ground, std::string& report);
  uint64_t digest(const Machine::State& state, uint64_t before) const;
};

}  // namespace Atoll::attacker
