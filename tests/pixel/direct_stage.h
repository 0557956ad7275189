// A pixel stage for tests whose waves write their pixels themselves: the pipeline hands it waves and payloads, it runs a framed program
// on the engine of the test, one wave after the other in the same registers, as a GPU's family does. For one worker. The expected
// results are made apart: shade() gives the outputs of a batch in plain C++, which the oracle draws.
#pragma once
#include <gtest/gtest.h>

#include <cstring>

#include "pipeline/stages.h"
#include "pixel/direct_waves.h"
#include "pixel/framed_program.h"
#include "wave/storage.h"

namespace Atoll::pixel::test {

class DirectStage : public pipeline::PixelStage {
public:
  struct Counts {
    uint64_t blocks = 0, packed = 0;  // waves that wrote their pixels
    uint64_t mixed = 0;               // of several primitives
    uint64_t partly = 0;              // that did not write all that is covered
    uint64_t apart_writes = 0;        // that did so after they had ended
    uint64_t by_pipeline = 0;         // waves of shade() while drawing
  } counts;
  uint64_t compiled = 0, called = 0, interpreted = 0;  // instructions of waves that wrote their pixels

  bool wants_depth() const override { return false; }
  pipeline::DirectKinds begin_direct(const pipeline::DirectOutputs& outputs) override {
    targets_ = outputs.targets;
    blocks_ = make(outputs, true), any_ = make(outputs, false);
    pipeline::DirectOutputs late = outputs;
    late.second_pass = true;
    overlapping_ = outputs.has_overlaps && !outputs.second_pass ? make(late, false) : nullptr;
    if (overlapping_ && !overlapping_->second_pass) overlapping_ = nullptr;
    if (outputs.second_pass && any_ && !any_->second_pass) return {};
    return {.blocks = bool(blocks_), .any = bool(any_), .overlapping = bool(overlapping_), .second_pass = outputs.second_pass};
  }
  bool shade_direct(unsigned, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) override {
    const bool blocks = kind == pipeline::DirectKind::blocks;
    FramedProgram& program = blocks ? *blocks_ : kind == pipeline::DirectKind::any ? *any_ : *overlapping_;
    storage_.reset();
    Series series{*this, program, blocks};
    wave::Counters counters;
    std::atomic<uint64_t> progress{0};
    return run_direct_waves({program, waves, payload(), texels, counters, progress}, series);
  }

protected:
  // `payload_cell`: where the wave's registers end and its payload begins.
  DirectStage(wave::EngineChoice engine, uint32_t payload_cell)
      : engine_(engine), payload_cell_(payload_cell), storage_(payload_cell + sizeof(pipeline::QuadPayload)) {
    wave::Wave& w = *storage_;
    w.inspected = false;
  }
  const wave::EngineChoice engine_;
  const uint32_t payload_cell_;

  // The program for what is done to the targets; null: none.
  virtual std::shared_ptr<FramedProgram> make(const pipeline::DirectOutputs& outputs, bool one_primitive) = 0;
  // Scalars that all waves start with.
  virtual void start(wave::Wave& w) = 0;
  // Loads the other inputs of a wave.
  virtual void load(wave::Wave& w, const pipeline::PixelBatch& batch) = 0;
  // The lanes that a wave wrote.
  virtual uint64_t written(wave::Wave& w, const pipeline::PixelBatch& batch, unsigned target) = 0;

  pipeline::QuadPayload& payload() { return *reinterpret_cast<pipeline::QuadPayload*>(wave::bytes_of(*storage_, payload_cell_)); }

private:
  // The family's part of run_direct_waves().
  struct Series {
    DirectStage& stage;
    FramedProgram& program;
    const bool blocks;
    std::vector<uint8_t> before{};  // registers that are no lanes', as every wave has them at its start

    wave::Wave& start(const pipeline::PixelBatch& batch) {
      wave::Wave& w = *stage.storage_;
      w = program.like;
      w.stop_flag = &stage.stop_;
      // As it was left by whatever ran before: nothing of a wave may come of that.
      const size_t bytes = stage.payload_cell_ - wave::register_file_offset;
      std::memset(stage.registers(), 0xdb, bytes);
      stage.clear(w, program);
      stage.start(w);
      before.assign(stage.registers(), stage.registers() + bytes);
      load(batch);
      return w;
    }
    void restart(const pipeline::PixelBatch& batch) {
      stage.restart(*stage.storage_, program, before);
      load(batch);
    }
    void written(const pipeline::PixelBatch& batch, uint64_t (&lanes)[8]) {
      uint64_t either = 0;
      for (unsigned n = 0; n < 8; n++)
        if (stage.targets_ >> n & 1) either |= (lanes[n] = stage.written(*stage.storage_, batch, n)) ^ batch.covered;
      if (program.second_pass)
        for (uint64_t& written : lanes) written &= stage.payload().drawn[0];
      stage.counts.partly += either != 0;
    }
    void results(const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
      results.killed = batch.covered & ~stage.written(*stage.storage_, batch, 0);
    }
    void begin_write(const pipeline::PixelBatch&) { stage.counts.apart_writes++; }
    bool run(wave::Wave& w, bool (*next)(void*), void* data) {
      program.executor.run_series(w, next, data);
      EXPECT_EQ(program.executor.error(), "");
      stage.compiled += w.compiled, stage.called += w.called, stage.interpreted += w.interpreted;
      if (w.stop == wave::Stop::Fault)
        ADD_FAILURE() << "fault " << int(w.fault.kind) << " at " << w.fault.pc - program.begin() << ", lane " << w.fault.lane
                      << ": " << (w.fault.reason ? w.fault.reason : "");
      return w.stop == wave::Stop::End;
    }

  private:
    void load(const pipeline::PixelBatch& batch) {
      wave::Wave& w = *stage.storage_;
      w.pc = program.begin();
      stage.load(w, batch);
      (blocks ? stage.counts.blocks : stage.counts.packed)++;
      stage.counts.mixed += !batch.one_primitive;
    }
  };

  wave::Storage storage_;
  std::shared_ptr<FramedProgram> blocks_, any_, overlapping_;
  uint8_t targets_ = 0;
  std::atomic<int> stop_{0};

  uint8_t* registers() { return wave::bytes_of(*storage_, wave::register_file_offset); }
  // Lane registers that are read before they are written start as 0, but for those of the payload.
  void clear(wave::Wave& w, FramedProgram& program) {
    if (const auto* read = program.executor.reads_at_start(program.begin()))
      for (uint32_t cell : *read)
        if (cell < payload_cell_) std::memset(wave::bytes_of(w, cell), 0, w.lanes * 4);
  }
  // Only the scalars that the program may have written are restored, where that is known.
  void restart(wave::Wave& w, FramedProgram& program, const std::vector<uint8_t>& before) {
    const auto* scalars = program.executor.scalars_written();
    if (!scalars || w.called + w.interpreted) {
      std::memcpy(registers(), before.data(), before.size());
    } else {
      for (uint32_t cell : *scalars) std::memcpy(wave::bytes_of(w, cell), &before[cell - wave::register_file_offset], 4);
    }
    clear(w, program);
  }
};

}  // namespace Atoll::pixel::test
