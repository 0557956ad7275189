// Code that is not there: what a launch makes of a jump out of it, and of a range with a hole.
#include "gpu/rdna4/run.h"

#include <gtest/gtest.h>

#include <cstring>

namespace Atoll::rdna4 {
namespace {

constexpr uint32_t s_endpgm = 0xbfb00000, s_branch = 0xbfa00000;

struct Code {
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  uint64_t start = *space->reserve(3 * page_bytes);
  hsa::Dispatch dispatch;

  // The first and the third of three pages; the second is not mapped.
  Code() {
    uint64_t offset = *space->memory().allocate(2 * page_bytes);
    EXPECT_TRUE(space->map(start, offset, page_bytes));
    EXPECT_TRUE(space->map(start + 2 * page_bytes, offset + page_bytes, page_bytes));
    dispatch.kernel = "k";
    dispatch.grid = dispatch.group = {64, 1, 1};
    dispatch.groups = {1, 1, 1};
    dispatch.entry = dispatch.code_start = start;
    dispatch.code_bytes = page_bytes;
    words()[0] = s_branch | uint32_t(page_bytes / 4 - 1);  // to the second page
    words()[1] = s_endpgm;
  }
  uint32_t* words() { return reinterpret_cast<uint32_t*>(space->host(start)); }
};

TEST(RunRdna4, AJumpOutOfTheCodeIsAFault) {
  for (auto engine : {hsa::Engine::Interpreter, hsa::Engine::Jit}) {
    Code code;
    auto result = run(code.dispatch, *code.space, {.engine = engine, .threads = 2});
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_TRUE(result->fault);
    EXPECT_EQ(result->fault->kind, gpu::FaultKind::InstructionFetch);
  }
}

// It was decoded from where nothing is mapped, under the program's lock, which nobody gave back.
TEST(RunRdna4, CodeWithAHoleIsRefused) {
  Code code;
  code.dispatch.code_bytes = 3 * page_bytes;
  auto result = run(code.dispatch, *code.space, {.engine = hsa::Engine::Interpreter, .threads = 2});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("not all of its code is in memory"), std::string::npos) << result.error().message;
}

}  // namespace
}  // namespace Atoll::rdna4
