// Kernels of Intel's containers, launched: what has no bytes at all. (That null and 0 bytes are not handed to memcpy, the sanitizers
// say.)
#include "gpu/dg1/launch/launch.h"

#include <gtest/gtest.h>

#include "../../codeobject/intel_containers.h"
#include "isa/xe_lp/program.h"

using namespace Atoll;
using namespace Atoll::intel;
using namespace Atoll::intel::test;

namespace {

TEST(Dg1Launch, SectionsPayloadsAndArgumentsMayHaveNoBytes) {
  const std::vector<std::string> lines = {"(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}"};
  auto words = xe_lp::assemble(lines);
  ASSERT_TRUE(words) << words.error().message;
  const auto* code = reinterpret_cast<const uint8_t*>(words->data());
  // a block of shared local memory, which has a surface but no address; a part of the payload behind its end
  const std::string info = R"(kernels:
  - name: k
    execution_env:
      simd_size: 16
    payload_arguments:
      - arg_type: arg_byvalue
        offset: 0
        size: 0
        arg_index: 0
      - arg_type: global_size
        offset: 0
        size: 0
      - arg_type: arg_bypointer
        offset: 0
        size: 0
        arg_index: 1
        addrspace: local
    binding_table_indices:
      - bti_value: 0
        arg_index: 1
)";
  const ElfPart parts[] = {{.name = ".text.k", .flags = 2, .bytes = {code, code + words->size() * 4}},
                           {.name = ".data.const", .flags = 2, .bytes = {}},
                           {.name = ".ze_info", .type = ZE_INFO, .bytes = bytes_of(info)}};
  auto object = read_intel_object(zebin(parts), "k.bin");
  ASSERT_TRUE(object) << object.error().message;
  auto space = AddressSpace::create();
  ASSERT_TRUE(space);
  const hsa::ArgumentValue arguments[] = {{}, {.bytes = {}, .local = true, .local_bytes = 64}};
  hsa::RunOptions options;
  options.engine = hsa::Engine::Interpreter;
  dg1::PrintedByKernel printed;
  auto result = dg1::launch(*object, object->kernels.at(0), {}, arguments, **space, options, printed);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->fault);
  EXPECT_EQ(result->waves, 1u);
}

}  // namespace
