// Runs one ray-tracing instruction on both engines, for rays and nodes that tests put together, and compares the engines' registers.
#pragma once
#include "isa/rdna4/encode.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "memory_model.h"
#include "ray_model.h"
#include "wave/executor.h"

namespace Atoll::rdna4::test {

enum class Op { bvh, bvh64, dual, bvh8 };
constexpr const char* op_names[] = {"image_bvh_intersect_ray", "image_bvh64_intersect_ray", "image_bvh_dual_intersect_ray",
                                    "image_bvh8_intersect_ray"};

struct TreeFlags {
  bool sort = true, wide = false, triangles_first = false, compressed = false, box_64b = false, instances = false,
       pointer_flags = false, barycentrics = false;
  uint32_t heuristic = 0, grow = 0;
};
// T#, RDNA4 ISA table 65, and COMPRESSED_FORMAT_EN in bit 115.
inline std::array<uint32_t, 4> descriptor(const TreeFlags& f, uint64_t base, uint64_t bytes) {
  std::array<uint32_t, 4> w{};
  BitWriter b{w.data()};
  b.put(uint32_t(base >> 8), 32), b.put(uint32_t(base >> 40), 8), b.put(0, 12);
  b.put(f.triangles_first, 1), b.put(f.heuristic, 2), b.put(f.grow, 8), b.put(f.sort, 1);
  b.put(uint32_t(bytes / 64 - 1), 32), b.put(uint32_t((bytes / 64 - 1) >> 32), 10), b.put(0, 9);
  b.put(f.compressed, 1), b.put(f.box_64b, 1), b.put(f.wide, 1), b.put(f.instances, 1), b.put(f.pointer_flags, 1);
  b.put(f.barycentrics, 1), b.put(0, 3), b.put(8, 4);
  return w;
}

struct RayLane {
  ModelRay ray;
  uint64_t base = 0;  // of bvh and bvh64 the pointer
  uint32_t pointers[2] = {};
};

class RayBench {
public:
  static constexpr unsigned slot_bytes = 512;  // of memory, for each lane's nodes
  RayBench(Op op, bool wave64, bool a16 = false) : op(op), wave64(wave64), a16(a16) {}
  Op op;
  bool wave64, a16;
  uint64_t exec = ~uint64_t(0);
  std::vector<uint8_t> memory = std::vector<uint8_t>(65536);
  std::array<RayLane, 64> lanes;
  std::array<uint32_t, 4> resource{};
  // After run():
  uint32_t data[64][10];
  float origin[64][3], direction[64][3];
  wave::FaultReport fault;
  wave::Stop stop = wave::Stop::Run;

  unsigned count() const { return wave64 ? 64 : 32; }
  bool eight() const { return op == Op::dual || op == Op::bvh8; }
  unsigned results() const { return eight() ? 10 : 4; }
  bool active(unsigned lane) const { return exec >> lane & 1; }
  uint32_t* words(unsigned lane, unsigned byte = 0) {
    return reinterpret_cast<uint32_t*>(memory.data() + lane * slot_bytes + byte);
  }
  static uint32_t place(unsigned lane, unsigned byte = 0) { return (lane * slot_bytes + byte) / 64; }

  std::string text() const {
    std::string data = eight() ? "v[0:9]" : "v[0:3]", base = op == Op::bvh ? "v20" : "v[20:21]";
    std::string last = op == Op::dual ? "v[33:34]" : op == Op::bvh8 ? "v33" : "v[30:32]";
    return std::string(op_names[int(op)]) + " " + data + ", [" + base + ", " + (eight() ? "v[22:23]" : "v22") +
           ", v[24:26], v[27:29]" + (a16 ? "" : ", " + last) + "], s[4:7]" + (a16 ? " a16" : "");
  }
  // False, with a failure, if the engines differ.
  bool run() {
    SingleStep first(wave64), second(wave64);
    go(first, wave::EngineChoice::Interpreter);
    Model expected(first);
    go(second, wave::EngineChoice::Jit);
    EXPECT_TRUE(expected.agrees(second)) << text();
    EXPECT_EQ(first.w->stop, second.w->stop);
    stop = first.w->stop, fault = first.w->fault;
    for (unsigned l = 0; l < count(); l++) {
      for (unsigned n = 0; n < 10; n++) data[l][n] = first.v(n, l);
      for (unsigned n = 0; n < 3; n++) {
        origin[l][n] = std::bit_cast<float>(first.v(24 + n, l));
        direction[l][n] = std::bit_cast<float>(first.v(27 + n, l));
      }
      for (unsigned n = 0; n < 10; n++)
        if (!active(l) || n >= results()) EXPECT_EQ(first.v(n, l), 0xabcd0000 + n) << "a register that is not its own";
    }
    return !testing::Test::HasFailure();
  }

private:
  void go(SingleStep& wave, wave::EngineChoice engine) {
    wave.memory = memory;
    wave.w->window = wave.memory.data() - SingleStep::memory_base;
    for (unsigned l = 0; l < count(); l++) {
      const RayLane& lane = lanes[l];
      for (unsigned n = 0; n < 10; n++) wave.v(n, l) = 0xabcd0000 + n;
      wave.set_v64(20, l, lane.base);
      wave.v(22, l) = bits(lane.ray.extent), wave.v(23, l) = lane.ray.mask | 0x5500;
      for (unsigned n = 0; n < 3; n++) {
        wave.v(24 + n, l) = bits(lane.ray.origin[n]);
        wave.v(27 + n, l) = a16 ? half(lane.ray.direction[n]) | half(lane.ray.inverse[n]) << 16 : bits(lane.ray.direction[n]);
        wave.v(30 + n, l) = bits(lane.ray.inverse[n]);
      }
      for (unsigned n = 0; n < 2; n++) wave.v(33 + n, l) = lane.pointers[n];
    }
    for (unsigned n = 0; n < 4; n++) wave.s(4 + n) = resource[n];
    wave.set_exec(exec);
    std::vector<uint32_t> code;
    for (const std::string& line : {text(), std::string("s_endpgm")}) {
      auto parsed = parse(line, {.wave = count()});
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      auto encoded = encode(parsed->main, {.wave = count()});
      ASSERT_TRUE(encoded) << line;
      code.insert(code.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
    }
    wave::Program program(isa(count()), 0x1000, code);
    wave::Executor executor(program, engine, *wave.w);
    wave.w->pc = 0x1000;
    executor.run(*wave.w);
    if (engine == wave::EngineChoice::Interpreter) EXPECT_EQ(wave.w->compiled + wave.w->called, 0u);
  }
  static uint32_t half(float f) { return __builtin_bit_cast(uint16_t, _Float16(f)); }
};

}  // namespace Atoll::rdna4::test
