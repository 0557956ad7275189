// A recording draw by draw, for comparing it with another: the state that packets set, what the program wrote to memory, what each
// draw left in its targets (recording_diff.h).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/expected.h"
#include "gpu/device/device.h"
#include "insight/draw_uses.h"
#include "registers/tables.h"
#include "trace/reader.h"

namespace Atoll::insight {

// The names of what packets set; two walks share them, so that a number means the same in both.
class StateNames {
public:
  // A register, or the n-th value that goes to it between two draws (ports).
  static uint64_t register_key(uint32_t address, uint64_t nth) {
    return uint64_t(address) | std::min<uint64_t>(nth, 0x7fff) << 40;
  }
  // `nth`: of the commands of that name since the last draw (one may set a part, and leave the others as they are).
  uint64_t field_key(const registers::Command& row, const registers::Field& field, int number, uint64_t nth);
  uint64_t operand_key(std::string_view packet, std::string_view operand);
  struct Named {
    std::string name;
    std::span<const registers::Field> fields;  // of a register
  };
  Named name(const registers::Family& family, uint64_t key) const;
  // Those of registers and fields that say where programs are, and of the field that DG1's count from (none: nothing does).
  struct ProgramKeys {
    std::vector<uint64_t> starts;
    std::optional<uint64_t> base;
    unsigned shift = 0;  // of what stands there: an address without its lowest bits
  };
  ProgramKeys program_keys(const registers::Family& family) const;

private:
  std::map<std::tuple<const registers::Field*, int, uint64_t>, uint64_t> fields_;
  std::map<std::string, uint64_t, std::less<>> operands_;
  std::vector<std::string> names_;
};

struct RecordedTarget {
  unsigned number = 0;  // 8: depth and stencil
  unsigned width = 0, height = 0, texel_bytes = 0;
  uint64_t address = 0;
  uint64_t left = 0;  // a hash of what it holds behind the draw
};

struct RecordedDraw {
  uint64_t submission = 0, queue = 0, draw = 0;
  std::string packet;
  uint64_t packet_address = 0;
  bool dispatch = false;
  std::vector<std::pair<uint64_t, uint64_t>> writes;  // since the queue's draw before: key and value
  DrawUses uses;
  std::vector<RecordedTarget> targets;
  uint64_t kind = 0, all = 0;  // hashes: of packet and targets' sizes; of these, the writes, programs and structures
};

struct RecordedPage {
  uint64_t hash = 0;
  std::vector<uint8_t> bytes;  // empty: there was no room
};

struct RecordedSubmission {
  std::map<uint64_t, RecordedPage> uploads;  // by GPU address: pages that the program wrote before it
  std::map<uint64_t, uint64_t> left;         // hashes of pages, by GPU address, that the GPU has left otherwise in it
  std::unordered_set<uint64_t> commands;     // pages that packets are in
};

struct RecordedWalk {
  static constexpr size_t most_writes = 1 << 25, most_page_bytes = 256 << 20;
  std::string gpu;
  const registers::Family* family = nullptr;
  std::vector<RecordedDraw> draws;
  std::vector<RecordedSubmission> submissions;
  std::vector<std::string> lost;
  trace::Ending ending;
};

Expected<RecordedWalk> walk_recording(const std::string& file, const gpu::Options& options, StateNames& names);

}  // namespace Atoll::insight
