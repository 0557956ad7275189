// The objects behind the handles of atoll.h.
#pragma once
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/failure.h"
#include "codeobject/code_object.h"
#include "codeobject/intel_object.h"
#include "gpu/chips/chip.h"
#include "gpu/hsa/load.h"
#include "gpu/hsa/run.h"
#include "gpu/hsa/target.h"
#include "memory/address_space.h"

// A value of atoll_device::stop besides those of hsa::RunOptions::stop: nothing runs.
inline constexpr int atoll_idle = -1;

struct atoll_kernel {
  atoll_object* object;
  const Atoll::Kernel* signature;                        // name and parameters
  const Atoll::intel::IntelKernel* intel;                // of Intel's objects
  std::vector<const Atoll::KernelArgument*> parameters;  // explicit ones
};

struct atoll_memory {
  atoll_device* device;
  Atoll::Buffer buffer;
};

struct atoll_object {
  atoll_device* device;
  Atoll::CodeObject hsa;
  Atoll::hsa::LoadedObject loaded;
  std::optional<Atoll::intel::IntelObject> intel;
  std::deque<atoll_kernel> kernels;
};

struct atoll_device {
  const Atoll::gpu::Chip& chip;
  Atoll::hsa::Target target;
  std::unique_ptr<Atoll::AddressSpace> space;
  Atoll::gpu::Engine engine = Atoll::gpu::Engine::Auto;
  unsigned threads = 0;
  bool deterministic = false;

  std::atomic<int> stop{atoll_idle};
  std::mutex mutex{};  // all calls but atoll_device_stop(), and all below
  std::string printed{};
  std::map<const atoll_memory*, std::unique_ptr<atoll_memory>> memories{};
  std::map<const atoll_object*, std::unique_ptr<atoll_object>> objects{};
};

namespace Atoll::api {

// While it stands, atoll_device_stop() has something to end.
class Running {
public:
  explicit Running(atoll_device& device) : device_(device) { device_.stop = 0; }
  ~Running() { device_.stop = atoll_idle; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

private:
  atoll_device& device_;
};
// The options of its launches.
hsa::RunOptions run_options(atoll_device& device);

// A valid number of atoll_engine; of atoll_device_options::threads.
Result<gpu::Engine> engine_of(uint32_t number);
Result<unsigned> threads_of(uint32_t number);
// The atoll_parameter_kind of an explicit parameter.
uint32_t kind_of(ValueKind kind);

}  // namespace Atoll::api
