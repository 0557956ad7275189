// The first difference of two recordings of one program, in the order in which things happen: what the program wrote to memory, what packets set,
// what draws left in their targets (docs/recording-diff.md, `diff`).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "gpu/device/device.h"
#include "trace/reader.h"

namespace Atoll::insight {

struct DiffQuestion {
  std::string files[2];
  gpu::Options gpu;
};

// Bytes that the program wrote before a submission; without memory on a side: nothing was written there.
struct UploadDifference {
  uint64_t submission = 0, address = 0, bytes = 0;
  std::vector<uint8_t> held[2];  // the first ones
  bool known = true;             // the bytes were kept: else the page is all that is known
  std::string structure;         // a structure of the draw's stands there with these bytes (draw_uses.h)
};

// A register, an operand of a packet, a field of a command.
struct StateDifference {
  std::string name;
  std::optional<uint64_t> values[2];  // none: nobody has set it
  struct Field {
    std::string name;
    uint64_t values[2];
    std::string meanings[2];  // the values' names
  };
  std::vector<Field> fields;  // of a register: those that differ
};

// A program of both draws, or of one only.
struct ProgramDifference {
  std::string stage;  // the register or field that says where it is; of programs that stand in registers their instruction set
  std::optional<uint64_t> addresses[2];
  size_t lines[2] = {};
  size_t first = 0, unlike = 0;                // the first instruction that differs, counted from 0; how many do
  std::optional<std::string> instructions[2];  // it; none: that program has ended before, or there is none
};

struct TargetDifference {
  unsigned number = 0;  // 8: depth and stencil
  uint64_t addresses[2] = {};
  uint64_t pixels = 0;    // that differ in its picture; 0 of what there is no picture of
  unsigned x = 0, y = 0;  // the first
};

// Memory that the GPU wrote in a submission.
struct MemoryDifference {
  uint64_t pages = 0;    // that differ
  uint64_t address = 0;  // of the first dword that does
  uint32_t held[2] = {};
};

// A draw or dispatch of both, or of one only.
struct DrawDifference {
  std::optional<uint64_t> draws[2], submissions[2];
  std::string packet;
  uint64_t packet_address[2] = {};
  bool dispatch = false;
  std::vector<UploadDifference> uploads;  // of the first pair whose targets differ
  uint64_t uploads_left_out = 0;
  std::vector<StateDifference> state;
  std::vector<ProgramDifference> programs;
  std::vector<StateDifference> structures;  // fields; of AMD's families words with fields
  std::vector<TargetDifference> targets;
  std::optional<MemoryDifference> memory;  // of the last draw or dispatch of its submission, where no target differs before
};

struct RecordingDiff {
  std::string gpus[2];
  uint64_t draws[2] = {}, submissions[2] = {};
  uint64_t pairs = 0;                        // draws that were compared with each other
  std::vector<DrawDifference> draws_unlike;  // the first ones
  uint64_t draws_left_out = 0;               // later ones
  std::optional<size_t> first_result;        // of draws_unlike: the first whose targets or memory differ
  std::vector<std::string> lost[2];          // reports of contexts that were lost
  trace::Ending endings[2];
  bool alike() const { return draws_unlike.empty() && lost[0] == lost[1]; }
};

Expected<RecordingDiff> difference_of(const DiffQuestion& question);

std::string json_of(const DiffQuestion& question, const RecordingDiff& diff);
std::string text_of(const DiffQuestion& question, const RecordingDiff& diff);

}  // namespace Atoll::insight
