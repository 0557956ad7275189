// Real objects of clang-19, whole, cut and corrupted.
#include "codeobject/code_object.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "codeobject/amd_machines.h"
#include "compiled_object.h"

namespace Atoll {
namespace {

const char* const two_kernels = R"(
  __attribute__((reqd_work_group_size(8, 4, 2)))
  kernel void first(global float* out, float scale, float4 v, local int* block, constant uint* table) {
    block[__builtin_amdgcn_workitem_id_x()] = table[0];
    __builtin_amdgcn_s_barrier();
    out[__builtin_amdgcn_workitem_id_x()] = scale * v.x + block[0];
  }
  __attribute__((noinline)) void spill(private int* p, int i) { p[i & 31] += i; }
  kernel void second(global ulong* out, char c, short2 s, uchar16 u) {
    local int lds[100];
    int room[32];
    for (int i = 0; i < 32; ++i) room[i] = c;
    spill(room, s.x);
    lds[c & 63] = u.s7;
    __builtin_amdgcn_s_barrier();
    out[__builtin_amdgcn_workgroup_id_y()] = lds[s.x & 63] + room[s.y & 31] + __builtin_amdgcn_workgroup_size_x();
  }
)";

// Compiled once for all tests.
const std::vector<uint8_t>& object_bytes() {
  static const std::vector<uint8_t> bytes = compiled(two_kernels);
  return bytes;
}

std::string error_of(std::span<const uint8_t> bytes) {
  auto object = read_code_object(bytes, "name.co");
  if (object) return "";
  EXPECT_EQ(object.error().message.rfind("name.co: ", 0), 0u) << object.error().message;
  return object.error().message;
}

template <class T>
std::vector<uint8_t> with(size_t offset, T value) {
  auto bytes = object_bytes();
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(CodeObject, ReadsWhatClangWrote) {
  auto object = read_code_object(object_bytes(), "k.co");
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(object->version, 5);
  EXPECT_EQ(object->processor, "gfx1200");
  ASSERT_EQ(object->kernels.size(), 2u);
  EXPECT_EQ(object->kernel_list(), "first, second");
  const Kernel* first = object->find("first");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->required_workgroup_size, (std::array<uint32_t, 3>{8, 4, 2}));
  EXPECT_EQ(first->max_flat_workgroup_size, 64u);
  EXPECT_EQ(first->wavefront_size, 32u);
  EXPECT_EQ(first->symbol, "first.kd");
  EXPECT_EQ(first->language, "OpenCL C");
  auto& a = first->arguments;
  ASSERT_GE(a.size(), 5u);
  EXPECT_EQ(a[0].kind, ValueKind::GlobalBuffer);
  EXPECT_EQ(a[0].type_name, "float*");
  EXPECT_EQ(a[0].address_space, "global");
  EXPECT_EQ(a[1].kind, ValueKind::ByValue);
  EXPECT_EQ(a[1].offset, 8u);
  EXPECT_EQ(a[1].bytes, 4u);
  EXPECT_EQ(a[2].offset, 16u);
  EXPECT_EQ(a[2].bytes, 16u);
  EXPECT_EQ(a[2].type_name, "float4");
  EXPECT_EQ(a[3].kind, ValueKind::DynamicSharedPointer);
  EXPECT_EQ(a[3].bytes, 4u);
  EXPECT_EQ(a[3].pointee_alignment, 4u);
  EXPECT_EQ(a[4].address_space, "constant");
  EXPECT_TRUE(a[4].is_const);
  const Kernel* second = object->find("second");
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->required_workgroup_size);
  EXPECT_EQ(second->descriptor.group_segment_bytes, 400u);
  EXPECT_EQ(second->group_segment_bytes, 400u);
  EXPECT_GE(second->descriptor.private_segment_bytes, 128u);
  EXPECT_TRUE(second->descriptor.rsrc2 & 1);  // ENABLE_PRIVATE_SEGMENT
  EXPECT_EQ(second->descriptor.kernarg_bytes, second->kernarg_bytes);
  bool hidden = false;
  for (auto& argument : second->arguments) {
    hidden |= argument.kind == ValueKind::HiddenBlockCountX;
    EXPECT_EQ(value_kind_name(argument.kind), argument.kind_text);
  }
  EXPECT_TRUE(hidden);
  for (auto& kernel : object->kernels) {
    EXPECT_EQ(kernel.descriptor_address % 64, 0u);
    EXPECT_EQ(kernel.entry_address % 256, 0u);
    EXPECT_EQ(kernel.descriptor.properties >> 10 & 1, 1);  // wave32
    // the code starts where the function's symbol says
    bool symbol = false;
    for (auto& s : object->elf.dynamic_symbols)
      symbol |= s.name == kernel.name && s.address == kernel.entry_address && s.type == SYMBOL_FUNCTION && s.bytes > 0;
    EXPECT_TRUE(symbol);
    EXPECT_TRUE(object->elf.at(kernel.entry_address, 4));
  }
  bool local_function = false;
  for (auto& s : object->elf.static_symbols) local_function |= s.name == "spill" && s.type == SYMBOL_FUNCTION;
  EXPECT_TRUE(local_function);
}

TEST(CodeObject, OtherProcessorsVersionsAndWaves) {
  auto read = [](const char* processor, const char* options) {
    auto object = read_code_object(compiled(two_kernels, processor, options), "k.co");
    EXPECT_TRUE(object) << object.error().message;
    return object;
  };
  auto gfx1201 = read("gfx1201", "-O0");
  EXPECT_EQ(gfx1201->processor, "gfx1201");
  auto v6 = read("gfx1201", "-O2 -mcode-object-version=6");
  EXPECT_EQ(v6->version, 6);
  EXPECT_EQ(v6->kernels.size(), 2u);
  auto generic = read("gfx12-generic", "-O2 -mcode-object-version=6");
  EXPECT_EQ(generic->processor, "gfx12-generic");
  EXPECT_EQ(generic->generic_version, 1u);
  auto v4 = read("gfx1200", "-O2 -mcode-object-version=4");
  EXPECT_EQ(v4->version, 4);
  auto wave64 = read("gfx1200", "-O2 -mwavefrontsize64");
  EXPECT_EQ(wave64->kernels[0].wavefront_size, 64u);
  EXPECT_EQ(wave64->kernels[0].descriptor.properties >> 10 & 1, 0);
  auto bonaire = read("bonaire", "-O2");
  EXPECT_EQ(bonaire->processor, "gfx704");
}

TEST(CodeObject, WithoutSectionHeadersItReadsTheSame) {
  TemporaryFolder folder;
  compile_to(folder.file("k.co"), two_kernels);
  ASSERT_EQ(std::system(("llvm-strip-19 --strip-sections '" + folder.file("k.co") + "'").c_str()), 0);
  auto bytes = read_file(folder.file("k.co"));
  ASSERT_TRUE(bytes);
  auto object = read_code_object(*bytes, "k.co");
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(object->kernels.size(), 2u);
  EXPECT_TRUE(object->elf.static_symbols.empty());
}

TEST(CodeObject, EitherHashTableCountsTheSymbols) {
  for (const char* style : {"gnu", "sysv"}) {
    auto object = read_code_object(compiled(two_kernels, "gfx1200", std::string("-O2 -Wl,--hash-style=") + style), "k.co");
    ASSERT_TRUE(object) << style << ": " << object.error().message;
    EXPECT_EQ(object->kernels.size(), 2u);
    EXPECT_EQ(object->elf.dynamic_symbols.size(), 5u) << style;
  }
}

TEST(CodeObject, RelocationsOfDataWithPointers) {
  auto object = read_code_object(compiled(R"(
    extern constant int elsewhere[4];
    __attribute__((weak)) constant int here[4] = {1, 2, 3, 4};
    constant int* constant pointers[2] = {here, here + 2};
    kernel void k(global int* out) { out[0] = *pointers[out[1] & 1]; })",
                                          "gfx1200", "-O2"),
                                 "k.co");
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_FALSE(object->elf.relocations.empty());
  for (auto& r : object->elf.relocations) EXPECT_TRUE(r.type == 3 || r.type == 13) << r.type;  // ABS64, RELATIVE64
}

TEST(CodeObject, PrintfFormats) {
  auto object = read_code_object(compiled(R"(
    global char* __printf_alloc(uint bytes) { return 0; }
    kernel void k(float f, int i) { printf("a:%d %s\t%5.2f 100%% \\ \n", i, "hello", f); printf("none\n"); })"),
                                 "k.co");
  ASSERT_TRUE(object) << object.error().message;
  ASSERT_EQ(object->printf_formats.size(), 2u);
  const PrintfFormat* with_arguments = nullptr;
  for (auto& format : object->printf_formats)
    if (!format.argument_bytes.empty()) with_arguments = &format;
  ASSERT_TRUE(with_arguments);
  EXPECT_EQ(with_arguments->format, "a:%d %s\t%5.2f 100%% \\ \n");
  EXPECT_EQ(with_arguments->argument_bytes, (std::vector<uint32_t>{4, 8, 4}));
}

TEST(CodeObject, NotACodeObject) {
  auto said = [](std::string text) { return error_of(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size())); };
  EXPECT_SAYS(said(""), "empty");
  EXPECT_SAYS(said("hello world, this is text"), "not an ELF object");
  EXPECT_SAYS(said("BC\xc0\xde and so on"), "LLVM bitcode");
  EXPECT_SAYS(said("; ModuleID = 'k.cl'"), "LLVM assembler");
  EXPECT_SAYS(said("!<arch>\nfoo"), "archive");
  EXPECT_SAYS(said("CCOBxxxx"), "compressed clang offload bundle");
  EXPECT_SAYS(said("\x7f"
                   "EL"),
              "not an ELF object");
  EXPECT_SAYS(said("\x7f"
                   "ELF"),
              "truncated");
}

TEST(CodeObject, OtherMachinesAreNamed) {
  auto self = read_file("/proc/self/exe");
  ASSERT_TRUE(self);
  EXPECT_SAYS(error_of(*self), "x86-64");
  EXPECT_SAYS(error_of(with<uint16_t>(18, 183)), "AArch64");
  EXPECT_SAYS(error_of(with<uint16_t>(18, 205)), "zebin");
  EXPECT_SAYS(error_of(with<uint16_t>(18, 999)), "machine 0x3e7");
  EXPECT_SAYS(error_of(with<uint8_t>(4, 1)), "32-bit");
  EXPECT_SAYS(error_of(with<uint8_t>(4, 7)), "class 7");
  EXPECT_SAYS(error_of(with<uint8_t>(5, 2)), "big-endian");
  EXPECT_SAYS(error_of(with<uint8_t>(5, 0)), "data encoding");
  EXPECT_SAYS(error_of(with<uint8_t>(6, 9)), "ELF version");
  EXPECT_SAYS(error_of(with<uint8_t>(7, 65)), "PAL");
  EXPECT_SAYS(error_of(with<uint8_t>(7, 66)), "Mesa");
  EXPECT_SAYS(error_of(with<uint8_t>(7, 0)), "OS ABI 0");
  EXPECT_SAYS(error_of(with<uint8_t>(8, 1)), "version 3");
  EXPECT_SAYS(error_of(with<uint8_t>(8, 9)), "version 11");
  EXPECT_SAYS(error_of(with<uint32_t>(48, 0xff)), "unknown AMD processor");
  EXPECT_SAYS(error_of(with<uint32_t>(48, 0x4e)), "contradicts itself");
  EXPECT_SAYS(error_of(with<uint16_t>(16, 1)), "ld.lld -shared");
  EXPECT_SAYS(error_of(with<uint16_t>(16, 2)), "ELF type 2");
}

TEST(CodeObject, UnlinkedObjectSaysHowToLink) {
  EXPECT_SAYS(error_of(compiled(two_kernels, "gfx1200", "-O2 -c")), "ld.lld -shared");
}

TEST(CodeObject, NoteMissing) {
  TemporaryFolder folder;
  compile_to(folder.file("k.co"), two_kernels);
  auto bytes = *read_file(folder.file("k.co"));
  uint64_t table;
  std::memcpy(&table, &bytes[32], 8);
  for (unsigned i = 0; i < bytes[56]; ++i) {
    uint32_t type;
    std::memcpy(&type, &bytes[table + i * 56], 4);
    if (type == SEGMENT_NOTE) bytes[table + i * 56] = 0;
  }
  EXPECT_SAYS(error_of(bytes), "no metadata note");
}

TEST(CodeObject, EveryTruncationIsAnError) {
  auto& bytes = object_bytes();
  // the section headers at the very end hold nothing that every object must have, but say that more was there
  for (size_t length = 0; length < bytes.size(); length += length < 4096 ? 1 : 7)
    EXPECT_NE(error_of(std::span(bytes).first(length)), "") << length << " of " << bytes.size();
}

TEST(CodeObject, CorruptedFieldsNeverBreakTheReader) {
  auto& bytes = object_bytes();
  std::mt19937_64 random(1);
  int refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    auto copy = bytes;
    copy[at] = uint8_t(random());
    if (at % 4 == 0 && at + 8 <= copy.size()) {
      uint64_t wild[] = {0, UINT64_MAX, uint64_t(1) << 63, random(), bytes.size(), bytes.size() - 1, 0x7fffffff, 0xffffffff};
      std::memcpy(&copy[at], &wild[random() % 8], at % 8 ? 4 : 8);
    }
    auto object = read_code_object(copy, "k.co");
    refused += !object;
  }
  EXPECT_GT(refused, 300);
}

TEST(CodeObject, OffloadBundles) {
  auto one = object_bytes(), two = compiled(two_kernels, "gfx1201");
  auto bundle = [](std::vector<std::pair<std::string, std::vector<uint8_t>>> entries) {
    std::string text = "__CLANG_OFFLOAD_BUNDLE__";
    auto number = [&](uint64_t n) { text.append(reinterpret_cast<char*>(&n), 8); };
    number(entries.size());
    uint64_t offset = 4096;
    for (auto& [target, object] : entries) {
      number(offset);
      number(object.size());
      number(target.size());
      text += target;
      offset += (object.size() + 4095) / 4096 * 4096;
    }
    offset = 4096;
    for (auto& [target, object] : entries) {
      text.resize(offset);
      text.append(object.begin(), object.end());
      offset += (object.size() + 4095) / 4096 * 4096;
    }
    return std::vector<uint8_t>(text.begin(), text.end());
  };
  auto single = bundle({{"host-x86_64-unknown-linux--", {}}, {"hipv4-amdgcn-amd-amdhsa--gfx1200", one}});
  auto both = bundle({{"host-x86_64-unknown-linux--", {}},
                      {"hipv4-amdgcn-amd-amdhsa--gfx1200", one},
                      {"hipv4-amdgcn-amd-amdhsa--gfx1201", two}});
  auto object = read_code_object(single, "b");
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(object->processor, "gfx1200");
  EXPECT_SAYS(error_of(both), "choose one with --gpu");
  for (const char* gpu : {"gfx1200", "gfx1201"}) {
    auto chosen = read_code_object(both, "b", gpu);
    ASSERT_TRUE(chosen) << chosen.error().message;
    EXPECT_EQ(chosen->processor, gpu);
  }
  auto missing = read_code_object(both, "b", "gfx1100");
  ASSERT_FALSE(missing);
  EXPECT_SAYS(missing.error().message, "holds nothing for gfx1100");
  EXPECT_SAYS(error_of(bundle({{"host-x86_64-unknown-linux--", {}}})), "no AMD GPU");
  for (size_t length = 24; length < both.size(); length += 97) EXPECT_NE(error_of(std::span(both).first(length)), "");
}

TEST(CodeObject, ProcessorNames) {
  EXPECT_EQ(amd_processor(0x48), "gfx1200");
  EXPECT_EQ(amd_processor(0x4e), "gfx1201");
  EXPECT_EQ(amd_processor(0x01000059), "gfx12-generic");
  EXPECT_EQ(amd_processor(0x27), "");
}

}  // namespace
}  // namespace Atoll
