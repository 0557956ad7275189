// Programs of random memory instructions, the same bits on the interpreter and on the JIT: with addresses in a row, equal,
// scattered and in several spaces at once, so that the guesses of compiled code hold and fail. The tests of single instructions
// say what the bits must be.
#include <cstring>

#include "group_machine.h"
#include "isa/rdna4/buffer_format.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "memory_model.h"
#include "wave/executor.h"

namespace Atoll::rdna4::test {
namespace {

// Registers that hold addresses: pairs in memory, single ones as offsets (of memory, LDS, private memory), and flat pairs.
constexpr uint32_t kRow4 = 40, kRow16 = 42, kEqual = 44, kScattered = 46, kOffset4 = 48, kOffset16 = 49, kOffsetScattered = 50,
                   kPrivate = 51, kPrivateOdd = 52, kFlatLds = 54, kFlatMixed = 56, kFlatPrivate = 58, kOffsetEqual = 60;

void set_state(SingleStep& wave, uint64_t seed, uint32_t iterations, uint64_t exec) {
  Words random(seed);
  scramble(wave, random, 0);
  wave.set_exec(exec);
  auto memory = [&](uint32_t pair, uint32_t lane, uint64_t at) { wave.set_v64(pair, lane, SingleStep::memory_base + 2048 + at); };
  for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
    uint32_t scattered = (lane * 29 + 5) % 64 * 16;
    memory(kRow4, lane, lane * 4), memory(kRow16, lane, lane * 16), memory(kEqual, lane, 320),
        memory(kScattered, lane, scattered);
    wave.v(kOffset4, lane) = lane * 4, wave.v(kOffset16, lane) = lane * 16, wave.v(kOffsetScattered, lane) = scattered;
    wave.v(kOffsetEqual, lane) = 48;
    wave.v(kPrivate, lane) = 32, wave.v(kPrivateOdd, lane) = lane * 7 % 150;
    uint64_t lds = uint64_t(wave.w->flat_shared_high) << 32, mine = uint64_t(wave.w->flat_private_high) << 32;
    wave.set_v64(kFlatLds, lane, lds | lane * 16);
    wave.set_v64(kFlatPrivate, lane, mine | 64);
    if (lane % 3 == 0)
      memory(kFlatMixed, lane, scattered);
    else
      wave.set_v64(kFlatMixed, lane, lane % 3 == 1 ? lds | scattered : mine | (lane & 15));
  }
  wave.set_s64(4, SingleStep::memory_base + 2048);
  wave.s(6) = 16;
  wave.s(M0) = 0x40;
  wave.s(60) = 0, wave.s(61) = iterations;
  wave.w->pc = 0x1000;
  wave.w->stop = wave::Stop::Run;
}

std::string text_of(const char* format, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
  char line[160];
  std::snprintf(line, sizeof line, format, a, b, c);
  return line;
}

// One memory instruction at random. Lanes store several dwords over each other as well: lane by lane (docs/decisions.md).
std::string random_instruction(Words& random) {
  struct Size {
    const char* name;
    uint32_t dwords;
  };
  static constexpr Size sizes[] = {{"b32", 1}, {"b64", 2}, {"b96", 3}, {"b128", 4}};
  static constexpr const char* narrow[] = {"load_u8",     "load_i8",        "load_u16",     "load_i16",
                                           "load_d16_u8", "load_d16_hi_i8", "load_d16_b16", "load_d16_hi_b16"};
  static constexpr const char* narrow_stores[] = {"store_b8", "store_b16", "store_d16_hi_b8", "store_d16_hi_b16"};
  uint32_t data = random.next() % 36, offset = random.next() % 5 * 16 + (random.next() % 4 ? 0 : random.next() % 16);
  Size size = sizes[random.next() % 4];
  std::string registers = size.dwords == 1 ? text_of("v%u", data) : text_of("v[%u:%u]", data, data + size.dwords - 1);
  bool store = random.next() & 1;
  std::string operation = std::string(store ? "store_" : "load_") + size.name;
  auto compose = [&](const std::string& family, const std::string& op, bool stores, const std::string& value,
                     const std::string& address, const std::string& rest) {
    return family + "_" + op + " " + (stores ? address + ", " + value : value + ", " + address) + rest;
  };
  auto pair = [](uint32_t n) { return text_of("v[%u:%u]", n, n + 1); };
  std::string at = text_of(" offset:%u", offset), aligned = text_of(" offset:%u", offset & ~3u);
  switch (random.next() % 12) {
    case 0:
    case 1: {
      static constexpr uint32_t pairs[] = {kRow16, kScattered, kRow4, kEqual};
      return compose("global", operation, store, registers, pair(pairs[random.next() % 4]), ", off" + at);
    }
    case 2: {
      static constexpr uint32_t pairs[] = {kRow4, kEqual};
      return compose("global", store ? "store_b32" : "load_b32", store, text_of("v%u", data), pair(pairs[random.next() & 1]),
                     ", off" + at);
    }
    case 3: {
      static constexpr uint32_t offsets[] = {kOffset4, kOffset16, kOffsetScattered, kOffsetEqual};
      bool wide = random.next() & 1;
      uint32_t n = offsets[random.next() % 4];
      return compose("global",
                     wide    ? operation
                     : store ? "store_b32"
                             : "load_b32",
                     store, wide ? registers : text_of("v%u", data), text_of("v%u", n), ", s[4:5]" + at);
    }
    case 4:
      return compose("global", narrow[random.next() % 8], false, text_of("v%u", data),
                     pair(random.next() & 1 ? kRow4 : kScattered), ", off" + at);
    case 5:
      return compose("global", narrow_stores[random.next() % 4], true, text_of("v%u", data),
                     pair(random.next() & 1 ? kRow4 : kScattered), ", off" + at);
    case 6: {
      static constexpr uint32_t pairs[] = {kFlatLds, kFlatMixed, kScattered, kFlatPrivate};
      uint32_t n = pairs[random.next() % 4];
      return compose("flat", operation, store, registers, pair(n), text_of(" offset:%u", offset & 31));
    }
    case 7:
      if (random.next() & 1)
        return compose("scratch", operation, store, registers, text_of("v%u", random.next() & 1 ? kPrivate : kPrivateOdd),
                       ", off" + text_of(" offset:%u", offset & 63));
      return compose("scratch", operation, store, registers, random.next() & 1 ? "off" : text_of("v%u", kPrivate),
                     ", s6" + aligned);
    case 8: {
      static constexpr uint32_t offsets[] = {kOffset16, kOffsetScattered, kOffset4, kOffsetEqual};
      return compose("ds", operation, store, registers, text_of("v%u", offsets[random.next() % 4]), at);
    }
    case 9: {
      static constexpr uint32_t offsets[] = {kOffset4, kOffsetEqual};
      uint32_t n = offsets[random.next() & 1];
      if (random.next() & 1) {
        bool b64 = random.next() & 1;
        std::string to = text_of(b64 ? "v[%u:%u]" : "v%u", data, data + 1),
                    next = text_of(b64 ? "v[%u:%u]" : "v%u", data + 2, data + 3);
        std::string both = text_of("v[%u:%u]", data, data + (b64 ? 3 : 1)),
                    offsets2 = text_of(" offset0:%u offset1:%u", offset, offset + random.next() % 12);
        const char* name = b64 ? "b64 " : "b32 ";
        return store ? std::string("ds_store_2addr_") + name + text_of("v%u, ", n) + to + ", " + next + offsets2
                     : std::string("ds_load_2addr_") + name + both + text_of(", v%u", n) + offsets2;
      }
      return compose("ds", store ? "store_b32" : "load_b32", store, text_of("v%u", data), text_of("v%u", n), at);
    }
    case 10:
      switch (random.next() % 4) {
        case 0: return text_of("ds_add_u32 v%u, v%u offset:%u", kOffset4, data, offset & ~3u);
        case 1:
          return text_of("global_atomic_add_u32 v%u, ", data) + pair(kEqual) +
                 text_of(", v%u, off th:TH_ATOMIC_RETURN", random.next() % 36);
        case 2: return text_of("ds_load_addtid_b32 v%u offset:%u", data, offset & ~3u);
        default: return text_of("global_load_addtid_b32 v%u, s[4:5] offset:%u", data, offset);
      }
    default: return text_of("v_add_nc_u32 v%u, v%u, v%u", data, random.next() % 36, random.next() % 36);
  }
}

std::vector<uint32_t> assemble(const std::vector<std::string>& lines, bool wave64) {
  std::vector<uint32_t> code;
  for (const std::string& line : lines) {
    auto parsed = parse(line, {.wave = wave64 ? 64u : 32u});
    EXPECT_TRUE(parsed) << line << ": " << (parsed ? "" : parsed.error().message);
    if (!parsed) return {};
    auto words = encode(parsed->main, {.wave = wave64 ? 64u : 32u});
    EXPECT_TRUE(words) << line;
    for (unsigned n = 0; words && n < words->count; n++) code.push_back(words->dwords[n]);
  }
  return code;
}

TEST(MemoryEngines, SameBits) {
  Words random(2024);
  uint64_t compiled = 0, called = 0;
  for (unsigned round = 0; round < 40; round++) {
    bool wave64 = round & 1;
    std::vector<std::string> lines;
    unsigned count = 2 + random.next() % 9;
    for (unsigned n = 0; n < count; n++) lines.push_back(random_instruction(random));
    if (round % 4 == 3) lines.push_back("v_add_nc_u32 v60, 4, v60");  // equal addresses that move
    lines.insert(lines.end(), {"s_add_co_i32 s60, s60, 1", "s_cmp_lt_u32 s60, s61"});
    size_t body = assemble(lines, wave64).size();
    lines.push_back("s_cbranch_scc1 " + std::to_string(int(65536 - body - 1)));
    lines.push_back("s_endpgm");
    auto code = assemble(lines, wave64);
    if (HasFailure()) return;
    uint64_t exec = round % 3 ? ~uint64_t(0) : random.next64(), seed = random.next64();
    std::string listing;
    for (auto& line : lines) listing += line + "\n";

    SingleStep reference(wave64);
    wave::Program reference_program(isa(wave64 ? 64 : 32), 0x1000, code);
    wave::Executor interpreter(reference_program, wave::EngineChoice::Interpreter, *reference.w);
    set_state(reference, seed, 7, exec);
    interpreter.run(*reference.w);
    ASSERT_EQ(reference.w->stop, wave::Stop::End) << listing << std::hex << reference.w->fault.address;
    Model expected(reference);

    for (auto engine : {wave::EngineChoice::Jit, wave::EngineChoice::Auto}) {
      SingleStep wave(wave64);
      wave::Program program(isa(wave64 ? 64 : 32), 0x1000, code);
      wave::Executor executor(program, engine, *wave.w);
      ASSERT_EQ(executor.error(), "");
      // First to learn the addresses and to get hot; in every fourth round with other lanes, so that the guesses are wrong later.
      set_state(wave, seed, engine == wave::EngineChoice::Auto ? 40000 : 30, round % 4 == 2 ? ~exec | 1 : exec);
      executor.run(*wave.w);
      ASSERT_EQ(wave.w->stop, wave::Stop::End) << listing << std::hex << wave.w->fault.address;
      executor.wait_for_compilation();
      wave.w->compiled = wave.w->called = 0;
      set_state(wave, seed, 7, exec);
      executor.run(*wave.w);
      ASSERT_EQ(wave.w->stop, wave::Stop::End);
      ASSERT_TRUE(expected.agrees(wave)) << (engine == wave::EngineChoice::Jit ? "jit" : "auto") << " round " << round << " wave"
                                         << wave.lanes() << "\n"
                                         << listing;
      compiled += wave.w->compiled, called += wave.w->called;
    }
  }
  std::printf("  %lu compiled, %lu called\n", (unsigned long)compiled, (unsigned long)called);
  EXPECT_GT(compiled, called) << "the JIT compiled next to nothing";
}

// Matrices that are turned on the way, in code for all lanes at once; lanes that are off give zeros.
TEST(MemoryEngines, TransposedLoads) {
  for (unsigned wave_size : {32u, 64u})
    for (const char* load : {"global_load_tr_b128 v[8:11], v[2:3], off offset:16", "global_load_tr_b64 v[8:9], v[2:3], off",
                             "global_load_tr_b128 v[8:11], v2, s[4:5]"}) {
      std::string line = load;
      if (wave_size == 64)
        for (const char* registers : {"v[8:9]", "v[8:11]"})
          if (size_t at = line.find(registers); at != line.npos)
            line.replace(at, std::strlen(registers), line[15] == 'b' && line[16] == '1' ? "v[8:9]" : "v8");
      std::vector<std::string> lines = {"v_add_nc_u32 v2, v2, v6", line, "v_xor_b32 v9, v9, v8"};
      GroupMachine m({wave_size, 1}, lines);
      for (uint64_t seed = 0; seed < 40; seed++) {
        std::vector<uint32_t> found[2];
        for (wave::EngineChoice engine : both_engines) {
          Words random(seed);
          m.reset();
          for (uint8_t& byte : m.memory) byte = uint8_t(random.next());
          m.s(0, EXEC_LO) = seed % 4 ? random.next() : ~0u, m.s(0, EXEC_HI) = wave_size == 32 ? 0 : random.next();
          m.s(0, 4) = GroupMachine::memory_base, m.s(0, 5) = 0;
          for (uint32_t lane = 0; lane < wave_size; lane++) {
            const bool offset = line.find("s[4:5]") != line.npos;
            m.v(0, 2, lane) = (offset ? 0 : uint32_t(GroupMachine::memory_base)) + (lane >= 32 ? ~0u
                                                                                    : seed % 3 ? random.next() % 60000
                                                                                               : 4000);
            m.v(0, 3, lane) = 0;
            for (uint32_t n = 8; n < 12; n++) m.v(0, n, lane) = random.next();
          }
          ASSERT_EQ(m.run(engine).stop, wave::Stop::End) << line << ": " << m.reason(0);
          if (engine == wave::EngineChoice::Jit) EXPECT_EQ(m.waves[0]->called, 0u) << line;
          for (uint32_t n = 8; n < 12; n++)
            for (uint32_t lane = 0; lane < wave_size; lane++) found[engine == wave::EngineChoice::Jit].push_back(m.v(0, n, lane));
        }
        ASSERT_EQ(found[0], found[1]) << line << " seed " << seed;
      }
    }
}

// Two exchanges of one instruction, compiled between others: addresses on each other, beyond LDS, results over addresses and data.
TEST(MemoryEngines, ExchangesAtTwoAddresses) {
  for (unsigned wave_size : {32u, 64u})
    for (const char* line :
         {"ds_storexchg_2addr_rtn_b32 v[10:11], v2, v8, v9 offset0:1 offset1:9", "ds_storexchg_2addr_rtn_b32 v[8:9], v2, v8, v9",
          "ds_storexchg_2addr_rtn_b64 v[8:11], v2, v[8:9], v[12:13] offset0:3 offset1:2",
          "ds_storexchg_2addr_stride64_rtn_b32 v[2:3], v2, v8, v9 offset0:1 offset1:30",
          "ds_storexchg_2addr_stride64_rtn_b64 v[10:13], v2, v[8:9], v[10:11] offset1:4"}) {
      GroupMachine m({wave_size, 1}, {"v_add_nc_u32 v2, v2, v6", line, "v_xor_b32 v14, v9, v10"});
      for (uint64_t seed = 0; seed < 40; seed++) {
        std::vector<uint32_t> found[2];
        for (wave::EngineChoice engine : both_engines) {
          Words random(seed);
          m.reset();
          for (uint32_t at = 0; at < GroupMachine::lds_bytes; at++) m.lds[at] = uint8_t(random.next());
          m.s(0, EXEC_LO) = seed % 4 ? random.next() : ~0u, m.s(0, EXEC_HI) = wave_size == 32 ? 0 : random.next();
          for (uint32_t lane = 0; lane < wave_size; lane++) {
            m.v(0, 2, lane) = random.next() % (seed % 3 ? 5000 : 64) & ~7u;
            m.v(0, 6, lane) = 0;
            for (uint32_t n = 8; n < 15; n++) m.v(0, n, lane) = random.next();
          }
          ASSERT_EQ(m.run(engine).stop, wave::Stop::End) << line << ": " << m.reason(0);
          const bool jit = engine == wave::EngineChoice::Jit;
          if (jit) EXPECT_EQ(m.waves[0]->called, 0u) << line;
          for (uint32_t n = 2; n < 15; n++)
            for (uint32_t lane = 0; lane < wave_size; lane++) found[jit].push_back(m.v(0, n, lane));
          found[jit].insert(found[jit].end(), m.lds.begin(), m.lds.end());
        }
        ASSERT_EQ(found[0], found[1]) << line << " seed " << seed;
      }
    }
}

// Every format of buffers, stored and loaded, of 32 and of 16 bits, with values of all kinds: compiled code against the interpreter's
// integers.
TEST(MemoryEngines, FormatsOfBuffers) {
  GroupMachine m({32, 1}, {"buffer_store_format_xyzw v[8:11], v2, s[8:11], null offen",
                           "buffer_store_d16_format_xyzw v[12:13], v2, s[8:11], null offen offset:1024",
                           "buffer_store_d16_hi_format_x v12, v2, s[8:11], null offen offset:2048",
                           "buffer_load_format_xyzw v[16:19], v2, s[8:11], null offen offset:4096",
                           "buffer_load_d16_format_xyzw v[20:21], v2, s[8:11], null offen offset:4096"});
  static constexpr uint32_t edges[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0x7f800001, 0xff812345, 0x00000001, 0x807fffff, 0x00800000, 0x477fe000,
                                       0x477ff000, 0x38800000, 0x33000000, 0x4f000000, 0xcf000000, 0x4f800000, 0x437f0000,
                                       0xc3000000, 0x7bff3c00, 0x7c017e00, 0xfc010001, 0x83ff0400, 0x00007fff, 0xffff8000,
                                       0xffffffff, 0x3b808081, 0x3f7f7f7f, 0x38000000};
  unsigned compiled = 0, formats = 0;
  for (unsigned number = 1; number < 64; number++) {
    if (!buffer_format(number)) continue;
    formats++;
    for (uint64_t seed = 0; seed < 8; seed++) {
      std::vector<uint32_t> found[2];
      for (wave::EngineChoice engine : both_engines) {
        Words random(number * 100 + seed);
        m.reset();
        m.cell(0, mode_cell) = seed % 3 ? 0xf0 : 0xc0;
        for (uint8_t& byte : m.memory) byte = uint8_t(random.next());
        m.s(0, 8) = GroupMachine::memory_base, m.s(0, 9) = 0, m.s(0, 10) = 60000;
        const uint32_t selects = seed % 4 ? 4 | 5 << 3 | 6 << 6 | 7 << 9 : 7 | 4 << 3 | 1 << 6 | 5 << 9;
        m.s(0, 11) = number << 12 | selects | 3u << 28;
        m.s(0, EXEC_LO) = seed % 5 ? ~0u : random.next();
        for (uint32_t lane = 0; lane < 32; lane++) {
          m.v(0, 2, lane) = lane * 16;
          for (uint32_t n = 8; n < 22; n++) {
            const uint32_t edge = edges[random.next() % std::size(edges)];
            m.v(0, n, lane) = random.next() % 2 ? edge : random.next() % 2 ? random.next() : random.next() & 0xbfffffffu;
          }
        }
        ASSERT_EQ(m.run(engine).stop, wave::Stop::End) << number << ": " << m.reason(0);
        if (engine == wave::EngineChoice::Jit) compiled += m.waves[0]->called == 0;
        auto& to = found[engine == wave::EngineChoice::Jit];
        for (size_t at = 0; at < 8192; at += 4) to.push_back(m.dword(at));
        for (uint32_t n = 16; n < 22; n++)
          for (uint32_t lane = 0; lane < 32; lane++) to.push_back(m.v(0, n, lane));
      }
      for (size_t n = 0; n < found[0].size(); n++)
        ASSERT_EQ(found[0][n], found[1][n]) << "format " << number << " seed " << seed << " word " << n;
    }
  }
  EXPECT_GT(formats, 50u);
  EXPECT_GT(compiled, 6 * formats) << "of " << 8 * formats << " (32-bit ratios and stores of SnormOgl are called)";
}

}  // namespace
}  // namespace Atoll::rdna4::test
