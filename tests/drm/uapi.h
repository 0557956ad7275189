// Programs without Mesa: a process of a session over a device that does what a tiny command language says, and ioctls as calls.
#pragma once
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "drm/core/file.h"
#include "drm/core/process.h"
#include "gpu/device/signal.h"

namespace Atoll::drm {

// Commands: a store of a dword {1, address low, address high, value} (only the lower half counts; with an upper one it is a signal);
// an error {2}; a wait for the test's gate {3}; nothing {0}.
enum Command : uint32_t { nothing = 0, store = 1, error = 2, gate = 3 };

struct FakeDevice : gpu::Device {
  struct FakeQueue : gpu::Queue {
    FakeDevice& device;
    AddressSpace& space;
    gpu::Statistics counts;
    FakeQueue(FakeDevice& d, AddressSpace& s) : device(d), space(s) {}

    Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override {
      counts.submissions++;
      for (auto& buffer : buffers) {
        if (!space.contains(buffer.address, uint64_t(buffer.dwords) * 4)) return fail("no commands at {:#x}", buffer.address);
        auto* word = reinterpret_cast<const uint32_t*>(space.host(buffer.address));
        for (auto* end = word + buffer.dwords; word < end; ++word) {
          counts.packets++;
          if (*word == error) return fail("as asked");
          if (*word == gate) {
            device.at_gate++;
            while (!device.gate_open && !device.stop) std::this_thread::yield();
          }
          if ((*word & 0xffff) == store) {
            uint64_t address = word[1] | uint64_t(word[2]) << 32;
            if (!space.contains(address, 4, true)) return fail("store to {:#x}", address);
            if (*word >> 16) gpu::about_to_signal();
            std::memcpy(space.host(address), &word[3], 4);
            word += 3;
          }
        }
      }
      return {};
    }
    gpu::Statistics statistics() const override { return counts; }
  };

  std::atomic<bool> gate_open{false};
  std::atomic<int> at_gate{0};

  std::string_view name() const override { return "fake"; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind, AddressSpace& space) override {
    return std::make_unique<FakeQueue>(*this, space);
  }
  uint32_t read_register(uint32_t address) override { return address ^ 0x5a5a5a5a; }
  void write_register(uint32_t, uint32_t) override {}
  void attach(AddressSpace&) override {}
  std::string report() const override { return {}; }
};

// A session of its own, or a further process of another's.
struct Program {
  int descriptor;
  std::shared_ptr<Process> process;
  FakeDevice* device;
  std::shared_ptr<File> file;

  explicit Program(std::string_view gpu = "bonaire", int session = -1) {
    if (session < 0) {
      auto made = Session::create_file();
      EXPECT_TRUE(made);
      descriptor = *made;
    } else {
      descriptor = ::dup(session);
    }
    auto created = Process::create(descriptor, gpu);
    EXPECT_TRUE(created) << created.error().message;
    process = *created;
    auto fake = std::make_unique<FakeDevice>();
    device = fake.get();
    process->set_device(std::move(fake));
    file = process->open_file(position_ours | 1);
  }
  ~Program() {
    device->gate_open = true;
    file.reset();
    process->close_file(position_ours | 1);
    process.reset();
    ::close(descriptor);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
};

template <class T>
int call(File& file, unsigned long request, T& argument) {
  return file.ioctl(request, &argument);
}

}  // namespace Atoll::drm
