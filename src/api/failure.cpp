#include "api/failure.h"

#include <algorithm>

namespace Atoll::api {
namespace {

constexpr size_t longest_message = 4096;
// Not the bytes themselves: a library that is opened late has little room for what each thread has of its own.
thread_local std::string last_message;
thread_local bool has_no_memory = false;  // for the message

}  // namespace

atoll_status remember(atoll_status status, std::string_view message) noexcept {
  size_t length = std::min(message.size(), longest_message);
  // Not in the middle of a character.
  while (length < message.size() && length > 0 && (static_cast<unsigned char>(message[length]) & 0xc0) == 0x80) length--;
  try {
    last_message = message.substr(0, length);
    has_no_memory = false;
  } catch (const std::bad_alloc&) {
    has_no_memory = true;
  }
  return status;
}

const char* message_of_thread() { return has_no_memory ? "this machine has no memory left" : last_message.c_str(); }

}  // namespace Atoll::api

using namespace Atoll::api;

extern "C" {

uint32_t atoll_api_version(void) { return ATOLL_API_VERSION; }
const char* atoll_version(void) { return ATOLL_RELEASE; }

const char* atoll_error_message(void) { return message_of_thread(); }

const char* atoll_status_name(int status) {
  switch (status) {
#define ATOLL_NAME(name) \
  case name: return #name;
    ATOLL_NAME(ATOLL_OK)
    ATOLL_NAME(ATOLL_ERROR_ARGUMENT)
    ATOLL_NAME(ATOLL_ERROR_NOT_FOUND)
    ATOLL_NAME(ATOLL_ERROR_OBJECT)
    ATOLL_NAME(ATOLL_ERROR_MISMATCH)
    ATOLL_NAME(ATOLL_ERROR_MEMORY)
    ATOLL_NAME(ATOLL_ERROR_UNMAPPED)
    ATOLL_NAME(ATOLL_ERROR_UNSUPPORTED)
    ATOLL_NAME(ATOLL_ERROR_FAULT)
    ATOLL_NAME(ATOLL_ERROR_TIMEOUT)
    ATOLL_NAME(ATOLL_ERROR_STOPPED)
    ATOLL_NAME(ATOLL_ERROR_INTERNAL)
#undef ATOLL_NAME
    default: return "unknown";
  }
}

}  // extern "C"
