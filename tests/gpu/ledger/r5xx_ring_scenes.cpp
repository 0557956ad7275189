// R5xx: the ring of the command processor, driven by MMIO as a kernel drives it.
#include "gpu/chips/chip.h"
#include "r5xx_scene.h"

namespace Atoll::ledger {

using namespace r5xx;

namespace {

// The kernel's writes, with one of them changed: the queue's state, the ring's commands (each sets a scratch register, which
// memory has a copy of), write pointers. Memory and the scratch registers can be read back.
class RingScene : public Scene {
public:
  RingScene() : Scene("the ring, by MMIO") {
    blocks = {"CP"};
    ring_ = machine_.allocate(1 << 14), copies_ = machine_.allocate(4096);
    using C = CP_RB_CNTL;
    writes_ = {{SCRATCH_ADDR::address(), uint32_t(copies_.gpu_address)},
               {SCRATCH_UMSK::address(), 0xff},
               {CP_CSQ_MODE::address(), 0},
               {CP_CSQ_CNTL::address(), CP_CSQ_CNTL::CSQ_MODE::of(4)},
               {CP_RB_BASE::address(), uint32_t(ring_.gpu_address)},
               {CP_RB_CNTL::address(), C::RB_BUFSZ::of(5) | C::RB_RPTR_WR_ENA::of(1)},
               {CP_RB_RPTR_WR::address(), 8},
               {CP_RB_RPTR_ADDR::address(), uint32_t(copies_.gpu_address) + 64},
               {CP_RB_WPTR::address(), 10},
               {CP_RB_CNTL::address(), C::RB_BUFSZ::of(5)},
               {CP_RB_WPTR::address(), 60},
               {CP_CSQ_MODE::address(), CP_CSQ_MODE::CSQ_PRIMARY_ENABLE::of(1) | CP_CSQ_MODE::CSQ_PRIMARY_MODE::of(1)},
               {CP_CSQ_CNTL::address(), CP_CSQ_CNTL::CSQ_MODE::of(0)},
               {CP_RB_WPTR::address(), 6}};
    // Commands that are written: to each queue, as one of the two registers of modes has it, and the other.
    const uint32_t apertures[] = {CP_CSQ_APER_PRIMARY::address(), CP_CSQ_APER_INDIRECT::address(),
                                  CP_CSQ_APER_INDIRECT2::address()};
    auto send = [&](uint32_t value) {
      for (uint32_t n = 0; n < 3; n++)
        for (uint32_t dword : {SCRATCH_REG::address(n) / 4, value + n}) writes_.emplace_back(apertures[n], dword);
      writes_.emplace_back(CP_RB_WPTR::address(), 6);
    };
    using Mode = CP_CSQ_MODE;
    writes_.emplace_back(Mode::address(), 0);
    writes_.emplace_back(CP_CSQ_CNTL::address(), CP_CSQ_CNTL::CSQ_MODE::of(15));
    send(100);
    writes_.emplace_back(CP_CSQ_CNTL::address(), 0);
    writes_.emplace_back(Mode::address(),
                         Mode::CSQ_PRIMARY_ENABLE::of(1) | Mode::CSQ_INDIRECT1_ENABLE::of(1) | Mode::CSQ_INDIRECT2_ENABLE::of(1));
    send(200);
    first_ = run(nullptr);
    run(nullptr, true);
    EXPECT_TRUE(said_.empty()) << name << ": " << said_.front();
  }

  bool differs(const Change& change) override { return change.address && run(&change) != first_; }
  // (What writes by MMIO meet is told by the report that ends a strict run.)
  std::vector<std::string> unknown(const Changes& changes, bool) override {
    run(&changes.back(), true);
    return said_;
  }

private:
  // Memory and scratch registers after each write pointer.
  std::vector<uint32_t> run(const Change* change, bool strict = false) {
    auto* words = reinterpret_cast<uint32_t*>(ring_.host_pointer);
    for (uint32_t n = 0; n < (1 << 12); n += 2) words[n] = SCRATCH_REG::address(n / 2 % 6) / 4, words[n + 1] = n + 1000;
    std::memset(copies_.host_pointer, 0, 4096);
    auto device = *make_device(*gpu::find_chip("r580"), {.engine = gpu::Engine::Interpreter, .threads = 1, .strict = strict});
    device->attach(*machine_.space);
    bool written = false;
    std::vector<uint32_t> after;
    for (auto [address, value] : writes_) {
      const bool changed = change && change->address == address;
      // A register that nobody writes: with the first write pointer.
      if (change && !written && address == CP_RB_WPTR::address() && !changed)
        device->write_register(change->address, change->applied(device->read_register(change->address)));
      device->write_register(address, changed ? change->applied(value) : value);
      written |= changed;
      if (address != CP_RB_WPTR::address()) continue;
      const auto* copies = reinterpret_cast<const uint32_t*>(copies_.host_pointer);
      after.insert(after.end(), copies, copies + 1024);
      for (uint32_t n = 0; n < SCRATCH_REG::count; n++) after.push_back(device->read_register(SCRATCH_REG::address(n)));
    }
    said_.clear();
    if (auto report = device->report(); strict && !report.empty()) said_ = {report};
    return after;
  }

  test::Machine machine_;
  Buffer ring_, copies_;
  std::vector<std::pair<uint32_t, uint32_t>> writes_;
  std::vector<uint32_t> first_;
  std::vector<std::string> said_;
};

}  // namespace

void add_ring_scenes(R5xxScenes& all) { all.push_back(std::make_unique<RingScene>()); }

}  // namespace Atoll::ledger
