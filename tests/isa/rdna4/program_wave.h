// A wave that runs a program given as text, again and again, on either engine: registers, LDS and what it exports are the test's.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "isa/rdna4/encode.h"
#include "isa/rdna4/exports.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/registers.h"
#include "wave/environment.h"
#include "wave/executor.h"
#include "wave/storage.h"

namespace Atoll::rdna4::test {

class ProgramWave : public wave::Environment {
public:
  static constexpr uint64_t code_base = 0x4000;

  // `more`: bits of the first word that no text gives.
  ProgramWave(const std::vector<std::string>& lines, unsigned lanes, wave::EngineChoice engine, uint32_t lds_bytes = 65536,
              uint32_t more = 0, std::shared_ptr<wave::Findings> findings = nullptr)
      : lds(lds_bytes), lanes_(lanes), wide_(lanes == 64) {
    for (const std::string& line : lines) add(line);
    code_[0] |= more;
    add("s_endpgm");
    storage_bytes_ = (wave::register_file_offset + register_file_bytes(wide_) + 127) / 128 * 128;
    storage_ = wave::allocate_storage(storage_bytes_);
    std::memset(storage_.get(), 0, storage_bytes_);
    w = new (storage_.get()) wave::Wave;
    w->lanes = lanes, w->window_bytes = 0, w->stop_flag = &stop_, w->environment = this;
    w->lds = lds.data(), w->lds_bytes = lds_bytes;
    begin_exports(*w);
    program_ = std::make_unique<wave::Program>(isa(lanes), code_base, code_);
    executor_ = std::make_unique<wave::Executor>(*program_, engine, *w, wave::ExecutorOptions{.findings = findings});
    EXPECT_EQ(executor_->error(), "");
    word(mode_cell) = MODE_DEFAULT, word(vgpr_count_cell) = kVgprCount;
    set_exec(~uint64_t(0));
  }

  wave::Wave* w;
  std::vector<uint8_t> lds;
  std::vector<Export> rows;
  bool takes_rows = true;

  uint32_t& word(uint32_t cell) { return wave::word_of(*w, cell); }
  uint32_t& v(uint32_t n, uint32_t lane) { return word(vgpr_cell(n, wide_) + lane * 4); }
  uint32_t& s(uint32_t n) { return word(scalar_cell(n)); }
  uint64_t exec() { return s(EXEC_LO) | (wide_ ? uint64_t(s(EXEC_HI)) << 32 : 0); }
  void set_exec(uint64_t mask) { s(EXEC_LO) = uint32_t(mask), s(EXEC_HI) = wide_ ? uint32_t(mask >> 32) : 0; }
  bool active(uint32_t lane) { return exec() >> lane & 1; }
  // From the first instruction to the end or a fault.
  void run() {
    w->pc = code_base, w->stop = wave::Stop::Run, w->fault = {}, w->chunk = 0;
    w->compiled = w->called = w->interpreted = 0;
    executor_->run(*w);
  }
  std::vector<Export> exports() { return exports_of(*w, rows); }

  bool mapped(uint64_t, uint64_t, bool) const override { return false; }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
  bool export_row(wave::Wave& wave, const wave::RowExport& row) override {
    if (takes_rows) rows.push_back(rdna4::row_export(row, wave.lanes));
    return takes_rows;
  }

private:
  unsigned lanes_;
  bool wide_;
  std::vector<uint32_t> code_;
  size_t storage_bytes_;
  wave::StorageBytes storage_;
  std::atomic<int> stop_{0};
  std::unique_ptr<wave::Program> program_;
  std::unique_ptr<wave::Executor> executor_;

  void add(const std::string& line) {
    auto parsed = parse(line, {lanes_});
    ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
    auto words = encode(parsed->main, {lanes_});
    ASSERT_TRUE(words) << line;
    code_.insert(code_.end(), words->dwords.begin(), words->dwords.begin() + words->count);
  }
};

// Every engine with every wave size.
struct EngineAndSize {
  wave::EngineChoice engine;
  unsigned lanes;
};
inline const auto engines_and_sizes =
    testing::Values(EngineAndSize{wave::EngineChoice::Interpreter, 32}, EngineAndSize{wave::EngineChoice::Interpreter, 64},
                    EngineAndSize{wave::EngineChoice::Jit, 32}, EngineAndSize{wave::EngineChoice::Jit, 64});
inline std::string name_of(const testing::TestParamInfo<EngineAndSize>& info) {
  return fmt::format("{}{}", info.param.engine == wave::EngineChoice::Jit ? "jit" : "interpreter", info.param.lanes);
}

}  // namespace Atoll::rdna4::test
