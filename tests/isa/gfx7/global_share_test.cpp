// DS with GDS set, ordered count and global wave sync of single waves, against a model of the memory; on every engine.
#include "wave/global_share.h"

#include <bit>

#include "machine.h"

namespace Atoll::gfx7::test {
namespace {

constexpr uint32_t part_base = 0x1000, part_bytes = 0x4000;  // of the queue
constexpr uint32_t base = 0x200, size = 0x800;               // of the shader, in M0
constexpr uint32_t m0 = base << 16 | size;

// The initial contents of a lane's registers, and a wave that has the share.
struct State {
  uint32_t v[32][64];
  std::vector<uint8_t> memory = std::vector<uint8_t>(wave::GlobalShare::bytes);
  uint64_t exec;

  State(uint64_t seed, uint32_t mask) {
    Random r(seed);
    for (auto& lanes : v)
      for (uint32_t& x : lanes) x = r.next() & mask;
    for (size_t n = 0; n < memory.size(); n += 4) {
      uint32_t x = r.next() & mask;
      std::memcpy(&memory[n], &x, 4);
    }
    for (uint32_t l = 0; l < 64; l++) v[1][l] = (l ^ 5) * 40;  // the last lanes' places lie beyond the shader's part
    exec = r.next64() | 1;
  }
  uint8_t* place(uint32_t offset) { return &memory[part_base + base + offset]; }
  uint64_t operand(uint32_t n, uint32_t l, unsigned bytes) const {
    return v[n][l] | (bytes == 8 ? uint64_t(v[n + 1][l]) << 32 : 0);
  }
};

class Gcn2Gds : public testing::Test {
protected:
  void run(const std::vector<std::string>& lines, Way way, const State& before, uint32_t m0_value = m0) {
    m.part = {share.get(), part_base, part_bytes, 8, 4};
    m.run(lines, way, [&](Machine& k) {
      share->resource = {};
      std::copy(before.memory.begin(), before.memory.end(), share->memory.begin());
      for (uint32_t n = 0; n < 32; n++)
        for (uint32_t l = 0; l < 64; l++) k.v(n, l) = before.v[n][l];
      k.w->fault = {};
      k.s(M0) = m0_value;
      k.word(gws_wait_cell) = 0;
      k.set_exec(before.exec);
      if (m.waves) m.waves = &order.emplace(first_id, ids);
      for (unsigned n = 0; m.waves && n < 3; n++) order->launch();
    });
  }
  bool memory_is(const State& s) const { return std::equal(s.memory.begin(), s.memory.end(), share->memory.begin()); }
  std::string reason() const { return m.w->fault.reason ? m.w->fault.reason : ""; }

  static constexpr uint32_t first_id = 9, ids = 10;  // waves 9, 0 and 1
  std::unique_ptr<wave::GlobalShare> share = std::make_unique<wave::GlobalShare>();
  std::optional<wave::WaveOrder> order;
  Machine m;
};

TEST_F(Gcn2Gds, EveryKindOfAccess) {
  // One address; `f` gives the new value of the old one and the operands in v16 and v20.
  using U = uint64_t;
  struct Row {
    const char* text;
    unsigned bytes;
    bool returns;  // the old value, in v8
    U (*f)(U old, U a, U b);
    bool real = false;
  };
  constexpr Row rows[] = {
      {"ds_read_b32 v8, v1 offset:16 gds", 4, true, [](U o, U, U) { return o; }},
      {"ds_read_b64 v[8:9], v1 offset:16 gds", 8, true, [](U o, U, U) { return o; }},
      {"ds_write_b32 v1, v16 offset:16 gds", 4, false, [](U, U a, U) { return a; }},
      {"ds_write_b64 v1, v[16:17] offset:16 gds", 8, false, [](U, U a, U) { return a; }},
      {"ds_add_u32 v1, v16 offset:16 gds", 4, false, [](U o, U a, U) { return o + a; }},
      {"ds_add_rtn_u32 v8, v1, v16 offset:16 gds", 4, true, [](U o, U a, U) { return o + a; }},
      {"ds_sub_rtn_u64 v[8:9], v1, v[16:17] offset:16 gds", 8, true, [](U o, U a, U) { return o - a; }},
      {"ds_rsub_rtn_u32 v8, v1, v16 offset:16 gds", 4, true, [](U o, U a, U) { return a - o; }},
      {"ds_inc_rtn_u32 v8, v1, v16 offset:16 gds", 4, true, [](U o, U a, U) { return o >= a ? 0 : o + 1; }},
      {"ds_dec_rtn_u64 v[8:9], v1, v[16:17] offset:16 gds", 8, true, [](U o, U a, U) { return o == 0 || o > a ? a : o - 1; }},
      {"ds_min_rtn_i32 v8, v1, v16 offset:16 gds", 4, true, [](U o, U a, U) { return int32_t(o) < int32_t(a) ? o : a; }},
      {"ds_max_rtn_u64 v[8:9], v1, v[16:17] offset:16 gds", 8, true, [](U o, U a, U) { return o > a ? o : a; }},
      {"ds_xor_b64 v1, v[16:17] offset:16 gds", 8, false, [](U o, U a, U) { return o ^ a; }},
      {"ds_mskor_rtn_b32 v8, v1, v16, v20 offset:16 gds", 4, true, [](U o, U a, U b) { return (o & ~a) | b; }},
      {"ds_cmpst_rtn_b64 v[8:9], v1, v[16:17], v[20:21] offset:16 gds", 8, true, [](U o, U a, U b) { return o == a ? b : o; }},
      {"ds_wrap_rtn_b32 v8, v1, v16, v20 offset:16 gds", 4, true, [](U o, U a, U b) { return o >= a ? o - a : o + b; }},
      {"ds_wrxchg_rtn_b32 v8, v1, v16 offset:16 gds", 4, true, [](U, U a, U) { return a; }},
      {"ds_max_f32 v1, v16 offset:16 gds", 4, false,
       [](U o, U a, U) { return std::bit_cast<float>(uint32_t(o)) > std::bit_cast<float>(uint32_t(a)) ? o : a; }, true},
      {"ds_min_rtn_f64 v[8:9], v1, v[16:17] offset:16 gds", 8, true,
       [](U o, U a, U) { return std::bit_cast<double>(o) < std::bit_cast<double>(a) ? o : a; }, true},
  };
  Random r(7);
  for (const Row& row : rows)
    for (Way way : ways) {
      State before(r.next64(), row.real ? 0x3fffffff : ~0u), after = before;
      for (uint32_t l = 0; l < 64; l += 2)  // so that comparisons meet what they look for
        if (uint32_t offset = before.v[1][l] + 16; offset + 8 <= size && !row.real)
          for (unsigned n = 0; n < 2; n++) std::memcpy(&before.v[16 + n][l], before.place(offset + 4 * n), 4);
      after = before;
      for (uint32_t l = 0; l < 64; l++) {
        if (!(before.exec >> l & 1)) continue;
        uint32_t offset = before.v[1][l] + 16;
        U old = 0;
        if (offset + row.bytes <= size) {
          std::memcpy(&old, after.place(offset), row.bytes);
          U now = row.f(old, before.operand(16, l, row.bytes), before.operand(20, l, row.bytes));
          std::memcpy(after.place(offset), &now, row.bytes);
        }
        if (row.returns) after.v[8][l] = uint32_t(old);
        if (row.returns && row.bytes == 8) after.v[9][l] = uint32_t(old >> 32);
      }
      run({row.text}, way, before);
      ASSERT_EQ(m.w->stop, wave::Stop::End) << row.text << ": " << reason();
      EXPECT_TRUE(memory_is(after)) << name(way) << " " << row.text;
      for (uint32_t n : {8u, 9u})
        for (uint32_t l = 0; l < 64; l++) ASSERT_EQ(m.v(n, l), after.v[n][l]) << name(way) << " " << row.text << " lane " << l;
      EXPECT_EQ(m.s(M0), m0);
      EXPECT_EQ(m.w->lds, m.lds.data());
      EXPECT_EQ(m.w->lds_bytes, Machine::lds_bytes);
    }
}

TEST_F(Gcn2Gds, TwoAddressesAndAppends) {
  for (Way way : ways) {
    State before(3, ~0u);
    before.exec = 0xff00ff00ff;
    for (uint32_t l = 0; l < 64; l++) before.v[1][l] = l * 16;
    State after = before;
    uint32_t appended, consumed;
    std::memcpy(&appended, before.place(0x600), 4);
    std::memcpy(&consumed, before.place(0x604), 4);
    for (uint32_t l = 0; l < 64; l++) {
      if (!(before.exec >> l & 1)) continue;
      for (unsigned n = 0; n < 2; n++) {
        std::memcpy(&after.v[8 + n][l], before.place(l * 16 + n * 8), 4);
        std::memcpy(after.place(l * 16 + n * 8), &before.v[16 + n][l], 4);
      }
      after.v[10][l] = appended, after.v[11][l] = consumed;
    }
    uint32_t more = appended + 24, less = consumed - 24;
    std::memcpy(after.place(0x600), &more, 4);
    std::memcpy(after.place(0x604), &less, 4);
    run({"ds_wrxchg2_rtn_b32 v[8:9], v1, v16, v17 offset1:2 gds", "ds_append v10 offset:1536 gds",
         "ds_consume v11 offset:1540 gds"},
        way, before);
    ASSERT_EQ(m.w->stop, wave::Stop::End) << reason();
    EXPECT_TRUE(memory_is(after)) << name(way);
    for (uint32_t n = 8; n < 12; n++)
      for (uint32_t l = 0; l < 64; l++) ASSERT_EQ(m.v(n, l), after.v[n][l]) << name(way) << " v" << n << " lane " << l;
  }
}

// The shader's size, the queue's part, and neither.
TEST_F(Gcn2Gds, BeyondItsPartNothingIsThere) {
  State before(5, ~0u);
  before.exec = 1;
  before.v[1][0] = 0x700;
  run({"ds_read_b32 v8, v1 offset:252 gds", "ds_read_b32 v9, v1 offset:256 gds", "ds_append v10 offset:2048 gds"}, Way::Compiled,
      before);
  uint32_t last;
  std::memcpy(&last, before.place(0x7fc), 4);
  EXPECT_EQ(m.v(8, 0), last);
  EXPECT_EQ(m.v(9, 0), 0u);
  EXPECT_EQ(m.v(10, 0), 0u);
  EXPECT_TRUE(memory_is(before));
  // From 0x3f00 on, 0x100 bytes are left of the queue's.
  before.v[1][0] = 0xfc;
  run({"ds_write_b32 v1, v16 gds", "ds_write_b32 v1, v16 offset:4 gds"}, Way::Compiled, before, 0x3f00u << 16 | 0xffff);
  std::memcpy(&before.memory[part_base + 0x3ffc], &before.v[16][0], 4);
  EXPECT_TRUE(memory_is(before));
  share.reset();
  m.part = {};
  m.run({"ds_read_b32 v8, v1 gds"}, Way::Compiled, [](Machine& k) { k.set_exec(1), k.w->fault = {}; });
  EXPECT_EQ(m.w->stop, wave::Stop::Fault);
  EXPECT_EQ(reason(), "an access to the GDS, of which there is none here");
}

// --- ordered count: unit 1, release and done (offset 4 + 0x300)

TEST_F(Gcn2Gds, OrderedCountTakesItsTurn) {
  for (Way way : ways) {
    State before(11, ~0u);
    before.exec = 0xf0;
    State after = before;
    uint32_t old, sum;
    std::memcpy(&old, &before.memory[part_base + base + 4], 4);
    sum = old + before.v[16][4];  // of the first active lane
    std::memcpy(&after.memory[part_base + base + 4], &sum, 4);
    m.waves = &order.emplace(first_id, ids);
    run({"ds_ordered_count v8, v16 offset:772 gds"}, way, before, base << 16 | first_id);
    ASSERT_EQ(m.w->stop, wave::Stop::End) << reason();
    EXPECT_TRUE(memory_is(after)) << name(way);
    for (uint32_t l = 0; l < 64; l++) EXPECT_EQ(m.v(8, l), l >= 4 && l < 8 ? old : before.v[8][l]);
    // The next wave (id 0) has its turn now, on any unit, the one behind it has not.
    uint64_t number;
    EXPECT_EQ(order->turn(0, 0, number), wave::WaveOrder::Turn::Now);
    EXPECT_EQ(order->turn(1, 0, number), wave::WaveOrder::Turn::Now);
    EXPECT_EQ(order->turn(1, 1, number), wave::WaveOrder::Turn::Later);
  }
}

TEST_F(Gcn2Gds, OrderedCountWaits) {
  for (Way way : ways) {
    State before(12, ~0u);
    m.waves = &order.emplace(first_id, ids);
    run({"s_mov_b32 s0, 1", "ds_ordered_count v8, v16 offset:4868 gds", "s_mov_b32 s0, 2"}, way, before, base << 16 | 0);
    ASSERT_EQ(m.w->stop, wave::Stop::Wait) << reason();
    EXPECT_EQ(m.w->pc, Machine::code_base + 4) << "the instruction itself";
    EXPECT_TRUE(memory_is(before));
    EXPECT_EQ(m.s(0), 1u);
  }
}

TEST_F(Gcn2Gds, OrderedCountWithoutAnOrder) {
  State before(13, ~0u);
  run({"ds_ordered_count v8, v16 offset:772 gds"}, Way::Compiled, before);
  EXPECT_EQ(m.w->stop, wave::Stop::Fault);
  EXPECT_EQ(reason(), "waves of this stage were launched without an order (ORDERED_APPEND_ENBL, WAVE_CNT_EN)");
  m.waves = &order.emplace(first_id, ids);
  run({"ds_ordered_count v8, v16 offset:772 gds"}, Way::Compiled, before, 5);
  EXPECT_EQ(reason(), "M0[15:0] is the id of no wave that runs");
  run({"ds_ordered_count v8, v16 offset:260 gds", "ds_ordered_count v8, v16 offset:260 gds"}, Way::Compiled, before, first_id);
  EXPECT_EQ(reason(), "the wave has given this turn away already");
}

// --- global wave sync: resource 2 of the queue's, 10 of the GPU's

TEST_F(Gcn2Gds, Semaphores) {
  for (Way way : ways) {
    State before(21, 7);
    before.exec = ~uint64_t(0) << 3;
    before.v[16][3] = 2;  // of the first active lane
    auto counter = [&] { return share->resource[10].counter; };
    constexpr uint32_t m0_resource = 1u << 16;  // and an offset of 1
    run({"ds_gws_init v16 offset:1 gds", "ds_gws_sema_v offset:1 gds", "ds_gws_sema_p offset:1 gds"}, way, before, m0_resource);
    ASSERT_EQ(m.w->stop, wave::Stop::End) << reason();
    EXPECT_EQ(counter(), 2u);
    run({"ds_gws_sema_br v16 offset:1 gds", "ds_gws_sema_p offset:1 gds"}, way, before, m0_resource);
    EXPECT_EQ(counter(), 1u);
    run({"s_mov_b32 s0, 1", "ds_gws_sema_p offset:1 gds", "s_mov_b32 s0, 2"}, way, before, m0_resource);
    ASSERT_EQ(m.w->stop, wave::Stop::Wait);
    EXPECT_EQ(m.w->pc, Machine::code_base + 4);
    EXPECT_EQ(share->resource[10].waiting, 1u);
    run({"ds_gws_sema_release_all offset:1 gds"}, way, before, m0_resource);
    EXPECT_EQ(counter(), 0u) << "nobody waits";
    run({"ds_gws_sema_v offset:2 gds", "ds_gws_sema_v offset:3 gds"}, way, before, m0_resource);
    EXPECT_EQ(reason(), "a resource of the GWS that the queue has not been given") << "it has four";
  }
}

TEST_F(Gcn2Gds, ABarrierOfOneAndOfTwo) {
  for (Way way : ways) {
    State before(22, ~0u);
    before.v[16][std::countr_zero(before.exec)] = 0;
    run({"ds_gws_init v16 gds", "ds_gws_barrier v16 gds"}, way, before, 0);
    EXPECT_EQ(m.w->stop, wave::Stop::End) << reason();
    EXPECT_EQ(share->resource[8].round, 1u);
    before.v[16][std::countr_zero(before.exec)] = 1;
    run({"ds_gws_init v16 gds", "ds_gws_barrier v16 gds"}, way, before, 0);
    EXPECT_EQ(m.w->stop, wave::Stop::Wait);
    EXPECT_EQ(m.w->pc, Machine::code_base + 8);
    EXPECT_EQ(share->resource[8].counter, 0u) << "the next one completes it";
  }
}

}  // namespace
}  // namespace Atoll::gfx7::test
