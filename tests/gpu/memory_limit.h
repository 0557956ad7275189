// While it lives the process may take so many bytes more than it has: what asks for more gets none and dies.
#pragma once
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace Atoll::gpu::test {

class MemoryLimit {
public:
  explicit MemoryLimit(uint64_t more_bytes) {
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    EXPECT_EQ(::getrlimit(RLIMIT_AS, &before_), 0);
    rlimit now = before_;
    now.rlim_cur = pages * uint64_t(::sysconf(_SC_PAGESIZE)) + more_bytes;
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &now), 0);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
  rlimit before_{};
};

}  // namespace Atoll::gpu::test
