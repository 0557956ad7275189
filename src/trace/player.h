// Replays a recording without the driver: restores address spaces and pages, runs the submissions, and compares what
// every submission leaves in memory with what it left at the time. In pages that the program could write as well, only the dwords
// that the GPU changes now are compared: the others may have been the program's.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device.h"
#include "trace/edit.h"
#include "trace/reader.h"

namespace Atoll::trace {

struct PlayOptions {
  gpu::Options gpu;
  // Called after every draw, counted from 0 over the recording, with its render targets.
  std::function<void(uint64_t draw, const std::vector<gpu::Picture>& pictures)> after_draw;
  // Makes the GPU that the recording names; open_device() of gpu/open, but for tests.
  std::function<Expected<std::unique_ptr<gpu::Device>>(std::string_view name, const gpu::Options& options)> open;
  // Called after every draw with its number, without its targets.
  std::function<void(uint64_t draw)> drawn;
  uint64_t first_draw = 0, last_draw = ~uint64_t(0);  // for which it is called
  // Called with the GPU that was made, and before it goes, however the replay ends. Raising its stop flag ends the replay.
  std::function<void(gpu::Device& device)> after_open, before_close;
  // Called before each submission, with its number, the queue's and its kind.
  std::function<void(uint64_t submission, uint64_t queue, gpu::QueueKind kind)> before_submission;
  // Called when pages of the memory file have what the program wrote: before a submission, or, of those that both may write, meanwhile.
  std::function<void(uint64_t first_page, uint64_t pages)> wrote;
  // Called for each page of the memory file that the GPU has left otherwise in a submission, as the recording says, when it has run.
  // `same`: it holds what it held then.
  std::function<void(uint64_t page, bool same)> left;
  // Called when its queue has run it, with its number.
  std::function<void(uint64_t submission)> after_submission;
  // Called when all is done, while the GPU is still there.
  std::function<void()> before_end;
  // True if the GPU executes its commands, so that results can be compared.
  bool executes = true;
  ProgramWrites* found_writes = nullptr;  // a whole replay fills it, for others with work left out
  // Work that is left out (edit.h), and what a whole replay has found; null: none is. Results are not compared with an edit.
  const Edit* edit = nullptr;
  const ProgramWrites* program_writes = nullptr;
  Writer* edited = nullptr;  // where the recording of that replay goes, up to its mark; null: nowhere
};

struct PlayResult {
  std::string gpu;
  uint64_t submissions = 0, draws = 0;
  uint64_t pages_compared = 0, pages_unlike = 0;
  uint64_t pages_overtaken =
      0;                    // that the program could have written over between a submission's end and its record, and are unlike
  uint64_t pages_left = 0;  // that changed while a submission was recorded, by the program or by the GPU, and now by no GPU
  // Pages were left, and the GPU changes none at all: of all that its submissions wrote then nothing is written now.
  bool writes_nothing() const { return pages_left > 0 && pages_compared == 0; }
  std::string first_unlike;       // "submission 3, page 0x12"
  std::vector<std::string> lost;  // reports of contexts that were lost now
  Ending ending;                  // how the recording ends
  uint64_t passed_over = 0;       // records of kinds that this Atoll does not know and may skip
  gpu::Statistics statistics;     // added up over queues
};

// Replays a recording step by step, up to the end of one submission and then further. While a submission runs, the callbacks of
// PlayOptions::gpu (each packet, draws) tell where it is. An error of any call is the recording's, and ends the walk.
class Player;
class Cursor {
public:
  static Expected<std::unique_ptr<Cursor>> open(const std::string& path, PlayOptions options);
  ~Cursor();
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // Replays one more submission, with the program's changes before it. False: there is none.
  Expected<bool> next();
  // Replays until so many are done in all; false: there are fewer.
  Expected<bool> to(uint64_t submissions);

  const PlayResult& result() const;                           // so far
  const Ending& ending() const;                               // valid behind the last record
  uint64_t draws() const;                                     // so far
  uint64_t queues() const;                                    // that were made so far
  const MemoryFile* memory() const;                           // null before the first record
  const AddressSpace* space(uint64_t number) const;           // null: there are not so many yet
  const AddressSpace* space_of_queue(uint64_t number) const;  // the same
  // The place of a host address of one of its address spaces: the GPU address, and the offset in the memory file, if it is
  // mapped.
  struct Place {
    uint64_t gpu_address, file_offset, space;
  };
  std::optional<Place> find(const void* host) const;

private:
  Cursor() = default;
  PlayOptions options_;
  std::unique_ptr<Player> player_;
};

// Replays all of a recording.
Expected<PlayResult> play(const std::string& path, const PlayOptions& options);

}  // namespace Atoll::trace
