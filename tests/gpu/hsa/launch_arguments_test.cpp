// The argument forms of `launch`, their values, and what the metadata lets through.
#include "gpu/hsa/launch_arguments.h"

#include <gtest/gtest.h>

#include <cstring>

#include "codeobject/compiled_object.h"

namespace Atoll::hsa {
namespace {

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string out;
  for (uint8_t b : bytes) out += fmt::format("{:02x}", b);
  return out;
}
std::string value_of(const std::string& text) {
  auto a = parse_launch_argument(text);
  return a ? hex(a->value) : "! " + a.error().message;
}
bool refused(const std::string& text) { return !parse_launch_argument(text); }

// Without images.
Target target() {
  Target made_up{};
  made_up.family = "Made up";
  return made_up;
}

TEST(LaunchArguments, Integers) {
  EXPECT_EQ(value_of("i8=-128"), "80");
  EXPECT_EQ(value_of("i8=127"), "7f");
  EXPECT_EQ(value_of("i8=0xff"), "ff");  // hexadecimal gives the bits
  EXPECT_EQ(value_of("u8=255"), "ff");
  EXPECT_EQ(value_of("i16=-2"), "feff");
  EXPECT_EQ(value_of("u16=0x1234"), "3412");
  EXPECT_EQ(value_of("i32=-1"), "ffffffff");
  EXPECT_EQ(value_of("u32=4294967295"), "ffffffff");
  EXPECT_EQ(value_of("i64=-9223372036854775808"), "0000000000000080");
  EXPECT_EQ(value_of("u64=18446744073709551615"), "ffffffffffffffff");
  EXPECT_EQ(value_of("U32=0X10"), "10000000");
  EXPECT_EQ(value_of("i32=-0x10"), "f0ffffff");
  EXPECT_EQ(value_of("u8=-0"), "00");
  for (const char* bad : {"i8=128",
                          "i8=-129",
                          "i8=0x100",
                          "u8=256",
                          "u8=-1",
                          "u16=65536",
                          "i32=2147483648",
                          "u32=4294967296",
                          "i64=9223372036854775808",
                          "u64=18446744073709551616",
                          "i32=",
                          "i32=abc",
                          "i32=1.5",
                          "i32= 1",
                          "i32=1 ",
                          "i32=+1",
                          "i32=0x",
                          "i32=--1",
                          "i32=1,2",
                          "i32=1e3"})
    EXPECT_TRUE(refused(bad)) << bad;
}

TEST(LaunchArguments, Floats) {
  EXPECT_EQ(value_of("f32=1.5"), "0000c03f");
  EXPECT_EQ(value_of("f32=-0"), "00000080");
  EXPECT_EQ(value_of("f32=0.1"), "cdcccc3d");
  EXPECT_EQ(value_of("f32=inf"), "0000807f");
  EXPECT_EQ(value_of("f32=0x10"), "00008041");
  EXPECT_EQ(value_of("f32=1e99"), "0000807f");
  EXPECT_EQ(value_of("f64=0.1"), "9a9999999999b93f");
  EXPECT_EQ(value_of("f64=-inf"), "000000000000f0ff");
  for (const char* bad : {"f32=", "f32=x", "f32=1.5x", "f32= 1", "f32=1,5", "f64=1 "}) EXPECT_TRUE(refused(bad)) << bad;
}

TEST(LaunchArguments, HalvesRoundOnceToNearestEven) {
  EXPECT_EQ(value_of("f16=1"), "003c");
  EXPECT_EQ(value_of("f16=-2"), "00c0");
  EXPECT_EQ(value_of("f16=65504"), "ff7b");
  EXPECT_EQ(value_of("f16=65519.999"), "ff7b");
  EXPECT_EQ(value_of("f16=65520"), "007c");
  EXPECT_EQ(value_of("f16=1e400"), "007c");
  EXPECT_EQ(value_of("f16=2049"), "0068");                                        // a tie, to even: 2048
  EXPECT_EQ(value_of("f16=2051"), "0268");                                        // a tie, to even: 2052
  EXPECT_EQ(value_of("f16=2049.0000000000000000000000000000000000001"), "0168");  // above the tie by less than a double tells
  EXPECT_EQ(value_of("f16=2050.9999999999999999999999999999999999999"), "0168");
  EXPECT_EQ(value_of("f16=-2049.0000000000000000000000000000000000001"), "01e8");
  EXPECT_EQ(value_of("f16=5.9604644775390625e-8"), "0100");
  EXPECT_EQ(value_of("f16=2.98023223876953125e-8"), "0000");  // half of the smallest: a tie, to even
  EXPECT_EQ(value_of("f16=2.980232238769531250001e-8"), "0100");
  EXPECT_EQ(value_of("f16=1e-400"), "0000");
  EXPECT_EQ(value_of("f16=-1e-400"), "0080");
}

TEST(LaunchArguments, Vectors) {
  EXPECT_EQ(value_of("i8x2=1,-1"), "01ff");
  EXPECT_EQ(value_of("u16x4=1,2,3,4"), "0100020003000400");
  EXPECT_EQ(value_of("i32x3=1,2,3"), "01000000020000000300000000000000");  // the room of four
  EXPECT_EQ(value_of("i32x3=1,2,3,4"), "01000000020000000300000004000000");
  EXPECT_EQ(value_of("f32x4=1,2,3,4"), "0000803f000000400000404000008040");
  EXPECT_EQ(parse_launch_argument("f64x16=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15")->value.size(), 128u);
  EXPECT_EQ(parse_launch_argument("u8x8=0,1,2,3,4,5,6,7")->value.size(), 8u);
  for (const char* bad : {"f32x4=1,2,3", "f32x4=1,2,3,4,5", "f32x5=1,2,3,4,5", "f32x4=", "f32x4=1,,3,4", "f32x=1", "f32x1=1",
                          "f32x04=1,2,3,4", "i32x3=1,2"})
    EXPECT_TRUE(refused(bad)) << bad;
}

TEST(LaunchArguments, Files) {
  auto in = parse_launch_argument("in=a:b.bin");
  ASSERT_TRUE(in);
  EXPECT_EQ(in->input, "a:b.bin");
  auto out = parse_launch_argument("out=/x:y/z:0x100");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->output, "/x:y/z");
  EXPECT_EQ(out->bytes, 256u);
  auto inout = parse_launch_argument("inout=a");
  ASSERT_TRUE(inout);
  EXPECT_EQ(inout->input + "|" + inout->output, "a|a");
  inout = parse_launch_argument("inout=a:b:c");
  ASSERT_TRUE(inout);
  EXPECT_EQ(inout->input + "|" + inout->output, "a:b|c");
  EXPECT_EQ(parse_launch_argument("local=4096")->bytes, 4096u);
  EXPECT_EQ(parse_launch_argument("null")->form, ArgumentForm::Null);
  EXPECT_EQ(parse_launch_argument("struct=s.bin")->form, ArgumentForm::Struct);
  for (const char* bad :
       {"in=",      "out=",    "out=a", "out=a:", "out=a:x", "out=:5", "inout=", "inout=a:", "inout=:b", "local=",  "local=x",
        "local=-1", "struct=", "",      "foo",    "foo=1",   "f33=1",  "=1",     "nul",      "i24=1",    "out=a:-1"})
    EXPECT_TRUE(refused(bad)) << bad;
}

TEST(LaunchArguments, ImagesAndSamplers) {
  auto image = parse_launch_argument("image=a:b.raw:rgba-unorm8:640x480");
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->form, ArgumentForm::Image);
  EXPECT_EQ(image->input, "a:b.raw");
  image = parse_launch_argument("image-out=o.raw:r-float:8x8x8");
  ASSERT_TRUE(image);
  EXPECT_EQ(image->form, ArgumentForm::ImageOut);
  EXPECT_EQ(image->output, "o.raw");
  EXPECT_TRUE(parse_launch_argument("sampler=clamp-edge:linear:normalized"));
  EXPECT_TRUE(parse_launch_argument("sampler=repeat:nearest:unnormalized"));
  for (const char* bad : {"image=a", "image=a:rgba-unorm8", "image=a:rgba-unorm9:4x4", "image=a:foo-unorm8:4x4",
                          "image=a:rgba-unorm8:4", "image=a:rgba-unorm8:4x0", "image=a:rgba-unorm8:4x4x4x4",
                          "image=:rgba-unorm8:4x4", "sampler=", "sampler=a:b:c", "sampler=repeat:linear"})
    EXPECT_TRUE(refused(bad)) << bad;
}

TEST(LaunchArguments, Dimensions) {
  unsigned n = 0;
  EXPECT_EQ(*parse_dimensions("64", n), (std::array<uint64_t, 3>{64, 1, 1}));
  EXPECT_EQ(n, 1u);
  EXPECT_EQ(*parse_dimensions("64,0x10", n), (std::array<uint64_t, 3>{64, 16, 1}));
  EXPECT_EQ(n, 2u);
  EXPECT_EQ(*parse_dimensions("1,2,3", n), (std::array<uint64_t, 3>{1, 2, 3}));
  EXPECT_EQ(n, 3u);
  for (const char* bad : {"", "0", "1,0", "1,2,3,4", "a", "1,", "-1", "1.5", " 1"}) EXPECT_FALSE(parse_dimensions(bad, n)) << bad;
}

class Match : public testing::Test {
protected:
  static const CodeObject& object() {
    static const CodeObject object = [] {
      auto read = read_code_object(compiled(R"(
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        struct S { int a; float b[5]; };
        typedef float mine;
        kernel void k(global int* out, float f, uint u, float3 v, local int* l, struct S s, constant char* c, mine m, uchar16 u16, long n) {
          out[l[0]] = f + u + v.y + s.b[3] + c[1] + m + u16.s3 + n; })"),
                                   "k.co");
      EXPECT_TRUE(read) << read.error().message;
      return std::move(*read);
    }();
    return object;
  }
  static std::vector<std::string> right() {
    return {"out=o:16",    "f32=1",    "u32=2",
            "f32x3=1,2,3", "local=64", "struct=s.bin",
            "in=c.bin",    "f32=4",    "u8x16=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
            "i64=-1"};
  }
  static std::string match(const std::vector<std::string>& texts) {
    std::vector<LaunchArgument> arguments;
    for (auto& text : texts) arguments.push_back(*parse_launch_argument(text));
    auto matched = match_launch_arguments(target(), object().kernels[0], arguments);
    return matched ? "" : matched.error().message;
  }
  static std::string with(size_t at, const std::string& text) {
    auto texts = right();
    texts[at] = text;
    return match(texts);
  }
};

TEST_F(Match, WhatFits) {
  EXPECT_EQ(match(right()), "");
  for (const char* buffer : {"null", "in=x", "inout=x", "inout=x:y"}) EXPECT_EQ(with(0, buffer), "") << buffer;
  EXPECT_EQ(with(2, "i32=-2"), "");         // signedness is the caller's
  EXPECT_EQ(with(3, "f32x4=1,2,3,4"), "");  // float3 takes four
  EXPECT_EQ(with(1, "struct=f.bin"), "");   // raw bytes of any value
  EXPECT_EQ(with(7, "i32=5"), "");          // a type of the program's own: only the size is known
  EXPECT_EQ(with(9, "u64=5"), "");
}

TEST_F(Match, WhatDoesNot) {
  auto fewer = right(), more = right();
  fewer.pop_back();
  more.push_back("i32=1");
  EXPECT_NE(match(fewer).find("takes 10 arguments"), std::string::npos) << match(fewer);
  EXPECT_NE(match(fewer).find("float3"), std::string::npos);
  EXPECT_NE(match(more).find("but 11 are given"), std::string::npos);
  more.back() = "local=16";  // no parameter-less dynamic LDS here
  EXPECT_NE(match(more), "");
  for (auto [at, text] : std::vector<std::pair<size_t, const char*>>{{0, "i32=1"},
                                                                     {0, "u64=0x1000"},
                                                                     {0, "local=16"},
                                                                     {0, "struct=x"},
                                                                     {0, "sampler=repeat:linear:normalized"},
                                                                     {0, "image=a:rgba-unorm8:4x4"},
                                                                     {1, "i32=1"},
                                                                     {1, "f64=1"},
                                                                     {1, "f16=1"},
                                                                     {1, "f32x2=1,2"},
                                                                     {1, "in=x"},
                                                                     {1, "null"},
                                                                     {1, "local=4"},
                                                                     {1, "i8x4=1,2,3,4"},
                                                                     {2, "f32=1"},
                                                                     {2, "u64=1"},
                                                                     {3, "f32x2=1,2"},
                                                                     {3, "i32x3=1,2,3"},
                                                                     {3, "f64x2=1,2"},
                                                                     {4, "in=x"},
                                                                     {4, "null"},
                                                                     {4, "u32=64"},
                                                                     {5, "in=x"},
                                                                     {5, "i32=1"},
                                                                     {6, "i8=1"},
                                                                     {7, "f64=1"},
                                                                     {8, "i32x4=1,2,3,4"},
                                                                     {9, "f64=1"}})
    EXPECT_NE(with(at, text).find("argument " + std::to_string(at + 1)), std::string::npos)
        << at << " " << text << ": " << with(at, text);
}

TEST(LaunchArgumentsImages, AreRefusedClearly) {
  auto object = read_code_object(
      compiled("kernel void k(read_only image2d_t i, sampler_t s, write_only image2d_t o, global int* p) { p[0] = 1; }"), "k.co");
  ASSERT_TRUE(object) << object.error().message;
  std::vector<LaunchArgument> arguments;
  for (const char* text : {"image=a:rgba-unorm8:4x4", "sampler=repeat:linear:normalized", "image-out=b:r-float:4x4", "out=o:4"})
    arguments.push_back(*parse_launch_argument(text));
  auto matched = match_launch_arguments(target(), object->kernels[0], arguments);
  ASSERT_FALSE(matched);
  EXPECT_NE(matched.error().message.find("Made up has no images here yet"), std::string::npos) << matched.error().message;
  arguments[0] = *parse_launch_argument("in=a");
  matched = match_launch_arguments(target(), object->kernels[0], arguments);
  ASSERT_FALSE(matched);
  EXPECT_NE(matched.error().message.find("takes an image"), std::string::npos) << matched.error().message;
}

TEST(LaunchArgumentsDynamicLds, OfHipHasNoParameter) {
  TemporaryFolder folder;
  write_text(folder.file("h.hip"), R"(
    #define __global__ __attribute__((global))
    #define __shared__ __attribute__((shared))
    extern __shared__ int block[];
    extern "C" __global__ void k(int* p) { block[__builtin_amdgcn_workitem_id_x()] = p[0]; __builtin_amdgcn_s_barrier(); p[1] = block[1]; })");
  std::string command =
      "clang++-19 -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch=gfx1200 -nogpuinc -nogpulib -O2 '" +
      folder.file("h.hip") + "' -o '" + folder.file("h.co") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  auto object = read_code_object(*read_file(folder.file("h.co")), "h.co");
  ASSERT_TRUE(object) << object.error().message;
  std::vector<LaunchArgument> arguments{*parse_launch_argument("out=o:8"), *parse_launch_argument("local=256")};
  auto matched = match_launch_arguments(target(), object->kernels[0], arguments);
  bool listed = false;
  for (auto& a : object->kernels[0].arguments) listed |= a.kind == ValueKind::HiddenDynamicLdsSize;
  ASSERT_EQ(matched.has_value(), listed);
  if (listed) EXPECT_EQ(matched->extra_lds_bytes, 256u);
  EXPECT_TRUE(match_launch_arguments(target(), object->kernels[0], std::span(arguments).first(1)));
}

TEST(LaunchArgumentsBind, BuffersHoldTheFiles) {
  TemporaryFolder folder;
  write_text(folder.file("in"), "0123456789");
  write_text(folder.file("empty"), "");
  write_text(folder.file("s"), std::string(24, 'x'));
  auto object = read_code_object(compiled(R"(struct S { int a; float b[5]; };
    kernel void k(global int* a, global int* b, global int* c, global int* d, global int* e, struct S s, int i, local int* l) { a[0] = b[0] + s.a; })"),
                                 "k.co");
  ASSERT_TRUE(object);
  auto bind = [&](std::vector<std::string> texts, AddressSpace& space) {
    std::vector<LaunchArgument> arguments;
    for (auto& text : texts) arguments.push_back(*parse_launch_argument(text));
    EXPECT_TRUE(match_launch_arguments(target(), object->kernels[0], arguments));
    return bind_launch_arguments(target(), object->kernels[0], arguments, space);
  };
  auto space = std::move(*AddressSpace::create());
  auto bound =
      bind({"in=" + folder.file("in"), "out=" + folder.file("o") + ":100", "inout=" + folder.file("in") + ":" + folder.file("o2"),
            "null", "in=" + folder.file("empty"), "struct=" + folder.file("s"), "i32=7", "local=99"},
           *space);
  ASSERT_TRUE(bound) << bound.error().message;
  ASSERT_EQ(bound->values.size(), 8u);
  ASSERT_EQ(bound->outputs.size(), 2u);
  auto address = [&](int i) {
    uint64_t a;
    std::memcpy(&a, bound->values[size_t(i)].bytes.data(), 8);
    return a;
  };
  EXPECT_EQ(std::memcmp(space->host(address(0)), "0123456789", 10), 0);
  EXPECT_EQ(address(1), bound->outputs[0].buffer.gpu_address);
  EXPECT_EQ(bound->outputs[0].buffer.bytes, 100u);
  EXPECT_EQ(*space->host(address(1)), 0);
  EXPECT_EQ(bound->outputs[0].file, folder.file("o"));
  EXPECT_EQ(std::memcmp(bound->outputs[1].buffer.host_pointer, "0123456789", 10), 0);
  EXPECT_NE(address(2), address(0));
  EXPECT_EQ(address(3), 0u);
  EXPECT_NE(address(4), 0u);
  EXPECT_FALSE(space->contains(address(4), 1));
  EXPECT_EQ(bound->values[5].bytes, std::vector<uint8_t>(24, 'x'));
  EXPECT_TRUE(bound->values[7].local);
  EXPECT_EQ(bound->values[7].local_bytes, 99u);
  std::string nothing = "null";
  auto missing =
      bind({"in=" + folder.file("none"), nothing, nothing, nothing, nothing, "struct=" + folder.file("s"), "i32=7", "local=99"},
           *space);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("cannot open"), std::string::npos);
  auto wrong = bind({nothing, nothing, nothing, nothing, nothing, "struct=" + folder.file("in"), "i32=7", "local=99"}, *space);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("takes 24 bytes, the file has 10"), std::string::npos) << wrong.error().message;
  auto huge =
      bind({"out=x:0xffffffffffffffff", nothing, nothing, nothing, nothing, "struct=" + folder.file("s"), "i32=7", "local=99"},
           *space);
  ASSERT_FALSE(huge);
}

}  // namespace
}  // namespace Atoll::hsa
