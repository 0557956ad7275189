// Random choices that are the same on every host.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace Atoll::pipeline::test {

constexpr uint64_t mixed(uint64_t v) {
  v += 0x9e3779b97f4a7c15;
  v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9;
  v = (v ^ v >> 27) * 0x94d049bb133111eb;
  return v ^ v >> 31;
}

class Random {
public:
  explicit Random(uint64_t seed) : state_(mixed(seed)) {}
  uint64_t next64() { return mixed(state_ += 0xd1342543de82ef95); }
  uint32_t next() { return uint32_t(next64() >> 16); }
  unsigned below(unsigned n) { return unsigned((next64() >> 32) * n >> 32); }
  int between(int least, int most) { return least + int(below(unsigned(most - least + 1))); }
  bool percent(unsigned p) { return below(100) < p; }
  float unit() { return float(next() >> 8) / float(0xffffff); }  // 0 to 1, both included
  float real(float least, float most) { return least + unit() * (most - least); }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(unsigned(list.size()))];
  }

private:
  uint64_t state_;
};

}  // namespace Atoll::pipeline::test
