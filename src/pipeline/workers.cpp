#include "pipeline/workers.h"

#include "pipeline/storage.h"

namespace Atoll::pipeline {

Workers::Workers(unsigned count) : WorkerPool(count), storage_(std::make_unique<Storage>(WorkerPool::count())) {}
Workers::~Workers() = default;

}  // namespace Atoll::pipeline
