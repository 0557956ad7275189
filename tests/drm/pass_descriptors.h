// File descriptors given to another process, with a byte of data that carries them.
#pragma once
#include <sys/socket.h>
#include <sys/uio.h>

#include <cstring>
#include <span>

namespace Atoll::drm::test {

constexpr size_t most_passed_descriptors = 8;

// False: the socket's other end is gone, or there are too many.
inline bool send_descriptors(int socket, std::span<const int> descriptors) {
  if (descriptors.size() > most_passed_descriptors) return false;
  char byte = 'x';
  iovec data{&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(most_passed_descriptors * sizeof(int))]{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

// As many descriptors as there is room for in `to`; false: others have come, or none.
inline bool receive_descriptors(int socket, std::span<int> to) {
  char byte;
  iovec data{&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(most_passed_descriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  if (::recvmsg(socket, &message, 0) != 1) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(to.size_bytes())) return false;
  std::memcpy(to.data(), CMSG_DATA(header), to.size_bytes());
  return true;
}

}  // namespace Atoll::drm::test
