// How many components a texel has in each of OpenCL's channel orders, as `atoll launch` names them.
#pragma once
#include <map>
#include <string>

namespace Atoll::hsa::test {

inline const std::map<std::string, unsigned> components_of_orders = {
    {"a", 1},     {"r", 1},     {"rx", 2},        {"rg", 2},        {"rgx", 3},  {"ra", 2},   {"rgb", 3},
    {"rgbx", 4},  {"rgba", 4},  {"bgra", 4},      {"argb", 4},      {"abgr", 4}, {"srgb", 3}, {"srgbx", 4},
    {"srgba", 4}, {"sbgra", 4}, {"intensity", 1}, {"luminance", 1}, {"depth", 1}};

}  // namespace Atoll::hsa::test
