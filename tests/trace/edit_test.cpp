// Replays that leave work out, where commands, results and what the program writes meanwhile share a page.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "memory/memory_file.h"
#include "trace/player.h"
#include "trace/recorded.h"
#include "trace/recorder.h"

using namespace Atoll;

namespace {

constexpr uint64_t commands = 0x10000, sum = 0x10100, by_program = 0x10200, counter = 0x10300;

// Adds up its buffers' dwords. 0 stands for nothing.
struct Adding : Adder {
  Adding() : Adder(0) {}
  struct AddingQueue : gpu::Queue {
    AddressSpace& space;
    explicit AddingQueue(AddressSpace& s) : space(s) {}
    Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override {
      for (auto& b : buffers)
        for (uint32_t n = 0; n < b.dwords; n++)
          *reinterpret_cast<uint32_t*>(space.host(sum)) += *reinterpret_cast<uint32_t*>(space.host(b.address + n * 4));
      return {};
    }
    gpu::Statistics statistics() const override { return {}; }
  };
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind, AddressSpace& space) override {
    return std::make_unique<AddingQueue>(space);
  }
};

struct EditedRecording : testing::TestWithParam<bool> {
  std::string path = testing::TempDir() + "edit_test." + std::to_string(getpid()) + ".atoll", edited = path + ".edited";
  EditedRecording() { TearDown(); }
  void TearDown() override { std::remove(path.c_str()), std::remove(edited.c_str()); }

  // Three submissions of the same two commands, 1 and 100.
  void record(bool visible) {
    auto memory = *MemoryFile::create();
    auto space = *AddressSpace::create(memory, uint64_t(1) << 32);
    const uint64_t offset = *memory->allocate(page_bytes);
    auto recorder = *trace::Recorder::create(path, "adding", *memory);
    const unsigned s = recorder->add_space(space->size());
    ASSERT_TRUE(space->map(commands, offset, page_bytes));
    recorder->map(s, commands, offset, page_bytes, true);
    if (visible) recorder->cpu_visible(offset, page_bytes);
    const unsigned q = recorder->add_queue(gpu::QueueKind::graphics, s);
    Adding device;
    auto queue = *device.make_queue(gpu::QueueKind::graphics, *space);
    const std::vector<gpu::CommandBuffer> buffers{{commands, 2}};
    auto word = [&](uint64_t at) -> uint32_t& { return *reinterpret_cast<uint32_t*>(space->host(at)); };
    word(commands) = 1, word(commands + 4) = 100;
    for (uint32_t n = 0; n < 3; n++) {
      word(counter) += 1000;
      recorder->begin_submission(q, buffers);
      ASSERT_TRUE(queue->run(buffers));
      if (visible) word(by_program) = 7 + n;
      recorder->end_submission();
    }
    ASSERT_EQ(word(sum), 303u);
    ASSERT_TRUE(recorder->finish());
  }

  // The memory behind each submission.
  struct Held {
    uint32_t second, sum, by_program, counter;
    bool operator==(const Held&) const = default;
  };
  std::vector<Held> play(const std::string& file, trace::PlayOptions options, trace::PlayResult& result) {
    options.open = [](std::string_view, const gpu::Options&) -> Expected<std::unique_ptr<gpu::Device>> {
      return std::make_unique<Adding>();
    };
    std::vector<Held> held;
    auto cursor = trace::Cursor::open(file, options);
    while (cursor && *(*cursor)->next()) {
      auto word = [&](uint64_t at) { return *reinterpret_cast<const uint32_t*>((*cursor)->space(0)->host(at)); };
      held.push_back({word(commands + 4), word(sum), word(by_program), word(counter)});
    }
    if (cursor) result = (*cursor)->result();
    return held;
  }
};

TEST_P(EditedRecording, LeavesOutWhatItIsToldAndKeepsTheProgramsWrites) {
  const bool visible = GetParam();
  record(visible);
  trace::ProgramWrites writes;
  trace::PlayResult result;
  trace::PlayOptions whole;
  whole.found_writes = &writes;
  const auto program = [&](uint32_t n) { return visible ? 7 + n : 0; };
  ASSERT_EQ(play(path, whole, result),
            (std::vector<Held>{{100, 101, program(0), 1000}, {100, 202, program(1), 2000}, {100, 303, program(2), 3000}}));
  EXPECT_EQ(result.pages_unlike, 0u) << result.first_unlike;

  trace::Edit edit;
  edit.packets[1] = {{commands + 4, {0}}};
  edit.submissions = {2};
  auto writer = *trace::Writer::create(edited);
  trace::PlayOptions options;
  options.edit = &edit, options.program_writes = &writes, options.edited = writer.get();
  const auto held = play(path, options, result);
  EXPECT_EQ(held, (std::vector<Held>{{100, 101, program(0), 1000}, {100, 102, program(1), 2000}, {100, 102, program(2), 3000}}));
  ASSERT_TRUE(writer->sync());
  EXPECT_EQ(writer->submissions(), 2u);

  // The new recording does the same, and says so of itself.
  auto again = play(edited, {}, result);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0], held[0]);
  EXPECT_EQ(again[1].sum, 102u);
  EXPECT_EQ(again[1].by_program, program(1));
  EXPECT_EQ(result.pages_unlike, 0u) << result.first_unlike;
  EXPECT_EQ(result.pages_compared, 2u);
}

TEST_P(EditedRecording, WhatIsNotMappedIsPassedOver) {
  record(GetParam());
  trace::ProgramWrites writes;
  trace::PlayResult result;
  trace::PlayOptions whole;
  whole.found_writes = &writes;
  play(path, whole, result);
  trace::Edit edit;
  edit.packets[0] = {{0x10, {0}}, {commands + page_bytes - 4, {0, 0}}, {commands + 2, {0}}, {commands, {0}}};
  trace::PlayOptions options;
  options.edit = &edit, options.program_writes = &writes;
  const auto held = play(path, options, result);
  ASSERT_EQ(held.size(), 3u);
  EXPECT_EQ(held[2].sum, 302u);
}

INSTANTIATE_TEST_SUITE_P(OfPages, EditedRecording, testing::Bool(),
                         [](const auto& info) { return info.param ? "ThatTheProgramWrites" : "OfTheGpu"; });

}  // namespace
