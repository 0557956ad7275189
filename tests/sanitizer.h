// Tells whether the test was built with AddressSanitizer (preset asan).
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ATOLL_ADDRESS_SANITIZER 1
#endif
#endif

namespace Atoll {

#ifdef ATOLL_ADDRESS_SANITIZER
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

}  // namespace Atoll
