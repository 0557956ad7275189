#include "registers/ledger.h"

#include <algorithm>
#include <iterator>

// Made by the linker around what FieldRead places; null where a program reads no register.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern const uint32_t __start_atoll_fields[];
[[gnu::weak, gnu::visibility("hidden")]] extern const uint32_t __stop_atoll_fields[];
}

namespace Atoll::registers {

std::vector<FieldNumber> fields_read(const Family& family) {
  const Family* const families[] = {&sea_islands_tables, &r5xx_tables, &dg1_tables};  // FAMILIES of generate_tables.py
  const auto number = uint32_t(std::ranges::find(families, &family) - std::begin(families));
  std::vector<FieldNumber> read;
  for (const uint32_t* id = __start_atoll_fields; id != __stop_atoll_fields; id++)
    if (*id >> 24 == number) read.push_back({uint16_t(*id >> 8 & 0xffff), uint8_t(*id & 0xff)});
  std::ranges::sort(read);
  read.erase(std::unique(read.begin(), read.end()), read.end());
  return read;
}

}  // namespace Atoll::registers
