// atoll share-screen COMMAND...: between weston's module screen-share, which starts it (desktop_window.cpp), and the second weston that
// shows the picture. It passes on what the two say (Wayland's wire format: wayland-book "Wire protocol basics", and protocol/wayland.xml),
// but for two things which weston's screen-share takes from weston's RDP back end alone: a seat that is there from the start, which weston
// 10 ends at (compositor/screen-share.c, ss_seat_create before the output is known), comes later, and where the output cannot switch its
// mode, the picture is presented as it is.
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cli/verbs.h"

namespace Atoll::cli {
namespace {

constexpr const char* share_verb = "share-screen";
constexpr uint32_t display_id = 1;
// Requests and events by their numbers in protocol/wayland.xml and unstable/fullscreen-shell/fullscreen-shell-unstable-v1.xml.
constexpr uint32_t GET_REGISTRY = 1, BIND = 0, GLOBAL = 0, PRESENT_SURFACE = 1, PRESENT_SURFACE_FOR_MODE = 2, MODE_SUCCESSFUL = 0,
                   MODE_FAILED = 1, ATTACH = 1, DAMAGE = 2, COMMIT = 6;
constexpr uint32_t everything = 0x7fffffff;

struct Message {
  const uint32_t* words;
  uint32_t object() const { return words[0]; }
  uint32_t opcode() const { return words[1] & 0xffff; }
  uint32_t bytes() const { return words[1] >> 16; }
  // The text whose length is argument `index`; nothing behind the message's end.
  std::string text(uint32_t index) const {
    const uint32_t begin = (2 + index + 1) * 4;
    if (begin > bytes() || words[2 + index] == 0 || words[2 + index] > bytes() - begin) return {};
    return {reinterpret_cast<const char*>(words) + begin, words[2 + index] - 1};
  }
  bool has(uint32_t arguments) const { return bytes() >= (2 + arguments) * 4; }
};

// One direction: bytes that are not a whole message yet, and the descriptors that came with them.
struct Stream {
  int from, to;
  std::vector<uint8_t> bytes;
  std::vector<int> descriptors;

  // False at the end.
  bool read() {
    std::array<uint8_t, 16384> room;
    alignas(cmsghdr) char control[CMSG_SPACE(28 * sizeof(int))];
    iovec data{room.data(), room.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(from, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return errno == EINTR;
    if (got == 0) return false;
    bytes.insert(bytes.end(), room.begin(), room.begin() + got);
    for (cmsghdr* one = CMSG_FIRSTHDR(&message); one; one = CMSG_NXTHDR(&message, one)) {
      if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
      const size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int), before = descriptors.size();
      descriptors.resize(before + count);
      std::memcpy(descriptors.data() + before, CMSG_DATA(one), count * sizeof(int));
    }
    return true;
  }

  bool write(const std::vector<uint8_t>& out) {
    for (size_t done = 0; done < out.size();) {
      alignas(cmsghdr) char control[CMSG_SPACE(28 * sizeof(int))]{};
      iovec data{const_cast<uint8_t*>(out.data()) + done, out.size() - done};
      msghdr message{};
      message.msg_iov = &data;
      message.msg_iovlen = 1;
      const size_t count = std::min<size_t>(descriptors.size(), 28);
      if (count) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        std::memcpy(CMSG_DATA(header), descriptors.data(), count * sizeof(int));
      }
      const ssize_t sent = ::sendmsg(to, &message, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      for (size_t i = 0; i < count; ++i) ::close(descriptors[i]);
      descriptors.erase(descriptors.begin(), descriptors.begin() + std::ptrdiff_t(count));
      done += size_t(sent);
    }
    return true;
  }

  // Calls `each` with every whole message and what is to be sent; it appends to that.
  template <class Each>
  bool pass(Each each) {
    std::vector<uint8_t> out;
    size_t at = 0;
    while (bytes.size() - at >= 8) {
      uint32_t head[2];
      std::memcpy(head, &bytes[at], sizeof head);
      const uint32_t length = head[1] >> 16;
      if (length < 8 || length % 4) return false;
      if (bytes.size() - at < length) break;
      std::vector<uint32_t> words(length / 4);
      std::memcpy(words.data(), &bytes[at], length);
      each(Message{words.data()}, words, out);
      at += length;
    }
    bytes.erase(bytes.begin(), bytes.begin() + std::ptrdiff_t(at));
    return out.empty() || write(out);
  }
};

void append(std::vector<uint8_t>& out, const std::vector<uint32_t>& words) {
  const auto* begin = reinterpret_cast<const uint8_t*>(words.data());
  out.insert(out.end(), begin, begin + words.size() * 4);
}

class Between {
public:
  Between(int client, int server) : requests_{client, server, {}, {}}, events_{server, client, {}, {}} {}

  void run() {
    for (;;) {
      pollfd both[] = {{requests_.from, POLLIN, 0}, {events_.from, POLLIN, 0}};
      if (::poll(both, 2, -1) < 0 && errno != EINTR) return;
      if (both[0].revents && !(requests_.read() && pass_requests())) return;
      if (both[1].revents && !(events_.read() && pass_events())) return;
    }
  }

private:
  bool pass_requests() {
    bool presents = false;
    const bool passed = requests_.pass([&](const Message& m, const std::vector<uint32_t>& words, std::vector<uint8_t>& out) {
      if (m.object() == display_id && m.opcode() == GET_REGISTRY && m.has(1)) registry_ = words[2];
      if (m.object() == registry_ && m.opcode() == BIND && m.has(3) && m.text(1) == "zwp_fullscreen_shell_v1")
        shell_ = words.back();
      if (shell_ && m.object() == shell_ && m.opcode() == PRESENT_SURFACE_FOR_MODE && m.has(4)) {
        surface_ = words[2];
        output_ = words[3];
        feedback_ = words[5];
        presents = true;
      }
      if (surface_ && m.object() == surface_ && m.opcode() == ATTACH && m.has(3)) buffer_ = words[2];
      append(out, words);
    });
    if (!presents || !passed) return passed;
    presented_ = true;
    return held_.empty() || events_.write(held_);
  }

  bool pass_events() {
    std::vector<uint8_t> request;
    const bool passed = events_.pass([&](const Message& m, std::vector<uint32_t>& words, std::vector<uint8_t>& out) {
      if (!presented_ && m.object() == registry_ && m.opcode() == GLOBAL && m.has(2) && m.text(1) == "wl_seat")
        return append(held_, words);
      if (feedback_ && m.object() == feedback_ && m.opcode() == MODE_FAILED) {
        append(request, {shell_, (8 + 12) << 16 | PRESENT_SURFACE, surface_, 0, output_});
        // (The picture was attached before the surface was presented, and the next one waits until this one has been shown: so it is
        // attached once more.)
        append(request, {surface_, (8 + 12) << 16 | ATTACH, buffer_, 0, 0});
        append(request, {surface_, (8 + 16) << 16 | DAMAGE, 0, 0, everything, everything});
        append(request, {surface_, 8 << 16 | COMMIT});
        words[1] = (words[1] & ~0xffffu) | MODE_SUCCESSFUL;
      }
      append(out, words);
    });
    return passed && (request.empty() || requests_.write(request));
  }

  Stream requests_, events_;
  uint32_t registry_ = 0, shell_ = 0, surface_ = 0, output_ = 0, feedback_ = 0, buffer_ = 0;  // their numbers
  bool presented_ = false;
  std::vector<uint8_t> held_;  // seats that were named too early
};

void share(const std::vector<std::string>& command) {
  const char* number = std::getenv("WAYLAND_SERVER_SOCKET");
  const int client = number ? std::atoi(number) : -1;
  if (client < 0 || command.empty())
    end_with(STATUS_CALL, share_verb,
             "weston's screen-share starts it, with a command, and names its socket in WAYLAND_SERVER_SOCKET: use atoll run "
             "--display");
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
    end_with(STATUS_FAILED, share_verb, fmt::format("socketpair: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child < 0) end_with(STATUS_FAILED, share_verb, fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::close(pair[0]);
    ::close(client);
    ::setenv("WAYLAND_SERVER_SOCKET", fmt::format("{}", pair[1]).c_str(), 1);
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    complain(share_verb, fmt::format("{}: {}", command[0], std::strerror(errno)));
    ::_exit(127);
  }
  ::close(pair[1]);
  Between(client, pair[0]).run();
  ::close(client);
  ::close(pair[0]);
  ::waitpid(child, nullptr, 0);
}

}  // namespace

void add_share_screen(CLI::App& app) {
  auto* sub = app.add_subcommand(share_verb, "shows what weston's screen-share has, for `run --display`");
  sub->group("");
  sub->prefix_command();
  sub->callback([sub] { share(sub->remaining()); });
}

}  // namespace Atoll::cli
