// The layout that prepare_dispatch() makes, against the metadata of real objects; and its refusals.
#include "gpu/hsa/dispatch.h"

#include <gtest/gtest.h>

#include <cstring>

#include "codeobject/compiled_object.h"
#include "gpu/rdna4/target.h"

namespace Atoll::rdna4 {
namespace {

using namespace hsa;

// -O0 keeps every hidden argument
const char* const source = R"(
  kernel void k(global int* out, char c, local int* first, float4 v, local double* second) {
    local int lds[25];
    lds[c] = out[1];
    __builtin_amdgcn_s_barrier();
    first[c] = 1;
    second[c] = v.x;
    out[c] = lds[c] + first[1] + (int)second[1];
  }
  ulong dispatch_id(void) __asm("llvm.amdgcn.dispatch.id");
  kernel void pointers(global ulong* out) {
    out[0] = (ulong)__builtin_amdgcn_dispatch_ptr();
    out[1] = (ulong)__builtin_amdgcn_implicitarg_ptr();
    out[2] = __builtin_amdgcn_workgroup_id_z();
    out[3] = dispatch_id();
  }
  kernel void queue(global ulong* out) { out[0] = (ulong)__builtin_amdgcn_queue_ptr(); }
  __attribute__((reqd_work_group_size(8, 2, 1))) kernel void required(global int* out) { out[0] = 0; }
  kernel void plain(global int* out) { out[0] = __builtin_amdgcn_workgroup_id_x(); }
  kernel void sized(global int* out) { out[0] = __builtin_amdgcn_workgroup_size_x(); }
)";

struct Ready {
  std::unique_ptr<AddressSpace> space;
  CodeObject object;
  LoadedObject loaded;

  explicit Ready(const std::string& processor = "gfx1200", const std::string& options = "-O2") {
    space = std::move(*AddressSpace::create());
    auto read = read_code_object(compiled(source, processor, options), "k.co");
    EXPECT_TRUE(read) << read.error().message;
    object = std::move(*read);
    loaded = *load(object, *space);
  }
  Expected<Dispatch> prepare(const char* kernel, const LaunchShape& shape, std::span<const ArgumentValue> arguments) {
    return prepare_dispatch(target(), object, loaded, *object.find(kernel), shape, arguments, *space);
  }
  template <class T>
  T at(uint64_t address) {
    T value;
    std::memcpy(&value, space->host(address), sizeof value);
    return value;
  }
};

ArgumentValue bytes_of(uint64_t value, size_t bytes) {
  ArgumentValue a;
  a.bytes.resize(bytes);
  std::memcpy(a.bytes.data(), &value, std::min<size_t>(bytes, 8));
  return a;
}
ArgumentValue local(uint64_t bytes) { return {.bytes = {}, .local = true, .local_bytes = bytes}; }

std::vector<ArgumentValue> arguments_of_k() {
  ArgumentValue v;
  for (int i = 0; i < 16; ++i) v.bytes.push_back(uint8_t(0xa0 + i));
  return {bytes_of(0x1122334455667788, 8), bytes_of(0x99, 1), local(40), v, local(24)};
}

const LaunchShape shape{.grid = {1000, 7, 5}, .group = {64, 2, 1}, .dimensions = 3};

void check_hidden(const char* options, int version) {
  Ready r("gfx1200", options);
  ASSERT_EQ(r.object.version, version);
  auto d = r.prepare("k", shape, arguments_of_k());
  ASSERT_TRUE(d) << d.error().message;
  const Kernel& kernel = *r.object.find("k");
  EXPECT_EQ(d->kernarg_address % 64, 0u);
  ASSERT_TRUE(r.space->contains(d->kernarg_address, kernel.kernarg_bytes));
  int hidden = 0, explicit_arguments = 0;
  for (auto& a : kernel.arguments) {
    uint64_t value = 0;
    std::memcpy(&value, r.space->host(d->kernarg_address + a.offset), std::min<size_t>(8, a.bytes));
    if (!is_hidden(a.kind)) {
      switch (explicit_arguments++) {
        case 0: EXPECT_EQ(value, 0x1122334455667788u); break;
        case 1: EXPECT_EQ(value, 0x99u); break;
        case 2: EXPECT_EQ(value, 112u); break;  // 100 static bytes, rounded up to 16
        case 3: EXPECT_EQ(value, 0xa7a6a5a4a3a2a1a0u); break;
        case 4: EXPECT_EQ(value, 160u); break;  // 112 + 40, rounded up to 16
      }
      continue;
    }
    ++hidden;
    SCOPED_TRACE(a.kind_text);
    switch (a.kind) {
      case ValueKind::HiddenBlockCountX: EXPECT_EQ(value, 15u); break;  // whole groups of 1000 / 64
      case ValueKind::HiddenBlockCountY: EXPECT_EQ(value, 3u); break;
      case ValueKind::HiddenBlockCountZ: EXPECT_EQ(value, 5u); break;
      case ValueKind::HiddenGroupSizeX: EXPECT_EQ(value, 64u); break;
      case ValueKind::HiddenGroupSizeY: EXPECT_EQ(value, 2u); break;
      case ValueKind::HiddenGroupSizeZ: EXPECT_EQ(value, 1u); break;
      case ValueKind::HiddenRemainderX: EXPECT_EQ(value, 40u); break;
      case ValueKind::HiddenRemainderY: EXPECT_EQ(value, 1u); break;
      case ValueKind::HiddenGridDims: EXPECT_EQ(value, 3u); break;
      case ValueKind::HiddenPrintfBuffer: EXPECT_EQ(value, d->printf_buffer.gpu_address); break;
      case ValueKind::HiddenDynamicLdsSize: EXPECT_EQ(value, 84u); break;
      case ValueKind::HiddenQueuePtr: EXPECT_EQ(value, d->queue_address); break;
      case ValueKind::HiddenPrivateBase: EXPECT_EQ(value, target().private_aperture_high); break;
      case ValueKind::HiddenSharedBase: EXPECT_EQ(value, target().shared_aperture_high); break;
      default: EXPECT_EQ(value, 0u); break;
    }
  }
  EXPECT_EQ(explicit_arguments, 5);
  EXPECT_GE(hidden, version == 4 ? 6 : 13);
}

TEST(Dispatch, ArgumentsStandWhereTheMetadataHasThem) {
  check_hidden("-O0 -mcode-object-version=4", 4);
  check_hidden("-O0", 5);
  check_hidden("-O0 -mcode-object-version=6", 6);
}

TEST(Dispatch, UnlistedImplicitArgumentsAreThereToo) {
  Ready r;
  const Kernel& kernel = *r.object.find("sized");
  std::vector<ArgumentValue> arguments{bytes_of(0, 8)};
  auto d = r.prepare("sized", shape, arguments);
  ASSERT_TRUE(d);
  uint32_t implicit = 8;  // behind the one pointer
  ASSERT_GE(kernel.kernarg_bytes, implicit + 256);
  ASSERT_NE(d->printf_buffer.bytes, 0u);
  EXPECT_EQ(r.at<uint64_t>(d->kernarg_address + implicit + 72), d->printf_buffer.gpu_address);
  EXPECT_EQ(r.at<uint32_t>(d->kernarg_address + implicit + 192), target().private_aperture_high);
  EXPECT_EQ(r.at<uint64_t>(d->kernarg_address + implicit + 200), d->queue_address);
  EXPECT_EQ(r.at<uint32_t>(d->printf_buffer.gpu_address), 0u);
  EXPECT_EQ(r.at<uint32_t>(d->printf_buffer.gpu_address + 4), printf_buffer_bytes);
}

TEST(Dispatch, PacketAndQueue) {
  Ready r;
  auto d = r.prepare("k", shape, arguments_of_k());
  ASSERT_TRUE(d);
  uint64_t p = d->packet_address;
  EXPECT_EQ(p % 64, 0u);
  EXPECT_EQ(r.at<uint8_t>(p), 2);  // kernel dispatch
  EXPECT_EQ(r.at<uint16_t>(p + 2), 3);
  EXPECT_EQ(r.at<uint16_t>(p + 4), 64);
  EXPECT_EQ(r.at<uint16_t>(p + 6), 2);
  EXPECT_EQ(r.at<uint16_t>(p + 8), 1);
  EXPECT_EQ(r.at<uint32_t>(p + 12), 1000u);
  EXPECT_EQ(r.at<uint32_t>(p + 16), 7u);
  EXPECT_EQ(r.at<uint32_t>(p + 20), 5u);
  EXPECT_EQ(r.at<uint32_t>(p + 28), 184u);  // 160 + 24 bytes of LDS
  EXPECT_EQ(r.at<uint64_t>(p + 32), r.loaded.address(r.object.find("k")->descriptor_address));
  EXPECT_EQ(r.at<uint64_t>(p + 40), d->kernarg_address);
  EXPECT_EQ(r.at<uint64_t>(d->queue_address + 8), p);
  EXPECT_EQ(r.at<uint32_t>(d->queue_address + 64), target().shared_aperture_high);
  EXPECT_EQ(r.at<uint32_t>(d->queue_address + 68), target().private_aperture_high);
  EXPECT_EQ(d->groups, (std::array<uint32_t, 3>{16, 4, 5}));
  EXPECT_EQ(d->static_lds_bytes, 100u);
  EXPECT_EQ(d->dynamic_lds_bytes, 84u);
  EXPECT_EQ(d->lds_bytes, 1024u);
  EXPECT_EQ(wave_setup(*d).mode, 0xf0u);
  EXPECT_TRUE(wave_setup(*d).wgp_mode);
  EXPECT_EQ(d->entry, *symbol_address(r.object, r.loaded, "k"));
}

TEST(Dispatch, UserSgprsInOrder) {
  auto pair = [](const Dispatch& d, unsigned i) { return uint64_t(d.user_sgprs[i + 1]) << 32 | d.user_sgprs[i]; };
  std::vector<ArgumentValue> arguments{bytes_of(0, 8)};
  Ready r;
  auto plain = r.prepare("plain", shape, arguments);
  ASSERT_TRUE(plain) << plain.error().message;
  ASSERT_EQ(plain->user_sgpr_count, 2u);
  EXPECT_EQ(pair(*plain, 0), plain->kernarg_address);
  EXPECT_FALSE(wave_setup(*plain).grid_yz_valid);
  auto d = r.prepare("pointers", shape, arguments);
  ASSERT_TRUE(d) << d.error().message;
  ASSERT_EQ(d->user_sgpr_count, 6u);
  EXPECT_EQ(pair(*d, 0), d->packet_address);
  EXPECT_EQ(pair(*d, 2), d->kernarg_address);
  EXPECT_EQ(pair(*d, 4), 0u);  // dispatch id
  EXPECT_TRUE(wave_setup(*d).grid_yz_valid);
  Ready v4("gfx1200", "-O2 -mcode-object-version=4");  // from version 5 on the queue is a hidden argument
  auto q = v4.prepare("queue", shape, arguments);
  ASSERT_TRUE(q) << q.error().message;
  ASSERT_EQ(q->user_sgpr_count, 4u);
  EXPECT_EQ(pair(*q, 0), q->queue_address);
  EXPECT_EQ(pair(*q, 2), q->kernarg_address);
}

TEST(Dispatch, DescriptorFieldsByHand) {
  Ready r;
  Kernel kernel = *r.object.find("plain");
  std::vector<ArgumentValue> arguments{bytes_of(0x0123456789abcdef, 8)};
  auto prepare = [&] { return prepare_dispatch(target(), r.object, r.loaded, kernel, shape, arguments, *r.space); };
  kernel.descriptor.rsrc1 = 5 | 0x5au << 12 | 1u << 26;  // 48 VGPRs
  kernel.descriptor.rsrc2 = 14u << 1 | 1 | 1u << 10 | 1u << 8;
  kernel.descriptor.properties |= 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6;
  kernel.descriptor.private_segment_bytes = 518;
  kernel.descriptor.kernarg_preload = 2;
  auto d = prepare();
  ASSERT_TRUE(d) << d.error().message;
  EXPECT_EQ(wave_setup(*d).mode, 0x5au | 1u << 23);
  EXPECT_EQ(wave_setup(*d).vgprs, 48u);
  EXPECT_EQ(d->scratch_bytes, 520u);
  EXPECT_TRUE(wave_setup(*d).workgroup_info);
  EXPECT_TRUE(wave_setup(*d).grid_yz_valid);
  EXPECT_EQ(d->user_sgpr_count, 14u);
  EXPECT_EQ(d->user_sgprs[0], uint32_t(d->packet_address));
  EXPECT_EQ(d->user_sgprs[2], uint32_t(d->queue_address));
  EXPECT_EQ(d->user_sgprs[4], uint32_t(d->kernarg_address));
  EXPECT_EQ(d->user_sgprs[8], 520u);         // private segment size
  EXPECT_EQ(d->user_sgprs[9], 0x89abcdefu);  // preloaded kernarg dwords
  EXPECT_EQ(d->user_sgprs[10], 0x01234567u);
  EXPECT_EQ(d->user_sgprs[11], 0u);
  kernel.descriptor.rsrc1 = 6;  // 56 VGPRs come in blocks of 24
  EXPECT_EQ(wave_setup(*prepare()).vgprs, 72u);
  kernel.descriptor.rsrc1 = 63;
  EXPECT_EQ(wave_setup(*prepare()).vgprs, 256u);
  kernel.descriptor.rsrc2 = 5u << 1;  // too few for what is enabled
  EXPECT_FALSE(prepare());
  kernel.descriptor.rsrc2 = 14u << 1 | 1;
  kernel.descriptor.properties |= 1;  // private segment buffer
  EXPECT_FALSE(prepare());
  kernel = *r.object.find("plain");
  kernel.descriptor.properties ^= 1 << 10;  // wave64 in the descriptor, wave32 in the metadata
  EXPECT_FALSE(prepare());
}

TEST(Dispatch, ScratchOfRecursiveKernels) {
  TemporaryFolder folder;
  write_text(folder.file("r.cpp"), R"(
    extern "C" __attribute__((noinline)) int deeper(int n) { volatile int room[4]; room[n & 3] = n; return n ? deeper(n - 1) + room[1] : 0; }
    extern "C" __attribute__((amdgpu_kernel)) void recurse(int* out) { out[0] = deeper(out[1]); })");
  std::string command = "clang++-19 --target=amdgcn-amd-amdhsa -mcpu=gfx1200 -nogpulib -O1 '" + folder.file("r.cpp") + "' -o '" +
                        folder.file("r.co") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  auto object = read_code_object(*read_file(folder.file("r.co")), "r.co");
  ASSERT_TRUE(object) << object.error().message;
  auto space = std::move(*AddressSpace::create());
  auto loaded = load(*object, *space);
  ASSERT_TRUE(loaded);
  const Kernel& kernel = object->kernels[0];
  EXPECT_TRUE(kernel.uses_dynamic_stack);
  EXPECT_GT(kernel.private_segment_bytes, 0u);
  auto d = prepare_dispatch(target(), *object, *loaded, kernel, shape, std::vector{bytes_of(0, 8)}, *space);
  ASSERT_TRUE(d) << d.error().message;
  EXPECT_EQ(d->scratch_bytes, round_up(kernel.private_segment_bytes, 4) + dynamic_stack_bytes);
  uint32_t in_packet;
  std::memcpy(&in_packet, space->host(d->packet_address + 24), 4);
  EXPECT_EQ(in_packet, d->scratch_bytes);
}

TEST(Dispatch, Wave64) {
  Ready r("gfx1201", "-O2 -mwavefrontsize64");
  auto d = r.prepare("k", shape, arguments_of_k());
  ASSERT_TRUE(d) << d.error().message;
  EXPECT_EQ(d->wave_size, 64u);
  EXPECT_EQ(wave_setup(*d).vgprs % 12, 0u);
}

TEST(Dispatch, Refusals) {
  Ready r;
  uint64_t before = r.space->memory().allocated_bytes();
  std::vector<ArgumentValue> one{bytes_of(0, 8)};
  auto error = [&](const char* kernel, LaunchShape s, std::span<const ArgumentValue> arguments) {
    auto d = r.prepare(kernel, s, arguments);
    EXPECT_FALSE(d);
    EXPECT_EQ(r.space->memory().allocated_bytes(), before);  // nothing stays
    return d ? "" : d.error().message;
  };
#define EXPECT_SAYS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)
  EXPECT_SAYS(error("plain", {.grid = {0, 1, 1}, .group = {1, 1, 1}}, one), "no work-items");
  EXPECT_SAYS(error("plain", {.grid = {1, 1, 1}, .group = {1, 0, 1}}, one), "no work-items");
  EXPECT_SAYS(error("plain", {.grid = {1, 1, 1}, .group = {257, 1, 1}}, one), "maximum of 256");
  EXPECT_SAYS(error("plain", {.grid = {1, 1, 1}, .group = {16, 17, 1}}, one), "maximum of 256");
  EXPECT_SAYS(error("plain", {.grid = {1, 1, 1}, .group = {uint64_t(1) << 32, uint64_t(1) << 32, 1}}, one), "maximum of 256");
  EXPECT_SAYS(error("plain", {.grid = {uint64_t(1) << 32, 1, 1}, .group = {1, 1, 1}}, one), "32 bits");
  EXPECT_SAYS(error("plain", {.grid = {1, 65537, 1}, .group = {1, 1, 1}}, one), "65536 work-groups in dimension Y");
  EXPECT_SAYS(error("required", {.grid = {16, 2, 1}, .group = {16, 1, 1}}, one), "--group 8,2,1");
  EXPECT_SAYS(error("plain", shape, {}), "more than 0 arguments");
  EXPECT_SAYS(error("plain", shape, std::vector{bytes_of(0, 8), bytes_of(0, 8)}), "takes 1 arguments, not 2");
  EXPECT_SAYS(error("plain", shape, std::vector{bytes_of(0, 4)}), "takes 8 bytes, not 4");
  EXPECT_SAYS(error("plain", shape, std::vector{local(16)}), "global_buffer");
  auto k = arguments_of_k();
  k[2] = local(65536);
  EXPECT_SAYS(error("k", shape, k), "are more than the 65536");
  k[2] = local(UINT64_MAX);
  EXPECT_SAYS(error("k", shape, k), "LDS");
  k[2] = local(65536 - 112 - 32);  // the second block then has just room
  k[4] = local(32);
  auto full = r.prepare("k", shape, k);
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->lds_bytes, 65536u);
  release(*full, *r.space);
  k[4] = local(33);
  EXPECT_SAYS(error("k", shape, k), "65537 bytes of LDS (100 static");
  r.object.processor = "gfx1030";
  EXPECT_SAYS(error("plain", shape, one), "made for gfx1030");
  r.object.processor = "gfx12-generic";
  EXPECT_TRUE(r.prepare("plain", shape, one));
}

TEST(Dispatch, ExtraDynamicLds) {
  Ready r;
  std::vector<ArgumentValue> one{bytes_of(0, 8)};
  auto d = prepare_dispatch(target(), r.object, r.loaded, *r.object.find("plain"), shape, one, 5000, *r.space);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->dynamic_lds_bytes, 5000u);
  EXPECT_EQ(d->lds_bytes, 5120u);
}

}  // namespace
}  // namespace Atoll::rdna4
