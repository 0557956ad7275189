#include "registers/tables.h"

namespace Atoll::registers {
namespace {

template <class T>
const T* run_data(const Run<T>& run, const T* Pools::* array) {
  static constexpr const Pools* pools[] = {&sea_islands_pools, &r5xx_pools, &dg1_pools, &gfx12_pools};
  return pools[run.pool]->*array + run.first;
}

}  // namespace

template <>
const char* Run<char>::data() const {
  return run_data(*this, &Pools::texts);
}
template <>
const NamedValue* Run<NamedValue>::data() const {
  return run_data(*this, &Pools::values);
}
template <>
const Field* Run<Field>::data() const {
  return run_data(*this, &Pools::fields);
}
template <>
const uint32_t* Run<uint32_t>::data() const {
  return run_data(*this, &Pools::numbers);
}
template <>
const Text* Run<Text>::data() const {
  return run_data(*this, &Pools::text_lists);
}
template <>
const PacketWord* Run<PacketWord>::data() const {
  return run_data(*this, &Pools::words);
}
template <>
const Alternative* Run<Alternative>::data() const {
  return run_data(*this, &Pools::alternatives);
}
template <>
const ValueRange* Run<ValueRange>::data() const {
  return run_data(*this, &Pools::ranges);
}
template <>
const FieldNumber* Run<FieldNumber>::data() const {
  return run_data(*this, &Pools::condition_fields);
}
template <>
const LedgerCondition* Run<LedgerCondition>::data() const {
  return run_data(*this, &Pools::conditions);
}

}  // namespace Atoll::registers
