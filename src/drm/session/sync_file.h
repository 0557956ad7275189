// Sync files: descriptors that become readable when a fence is done, in whichever process they are (Linux drivers/dma-buf/sync_file.c).
// One is an end of a pair of sockets: the other end sends the time at which the fence was done, and is closed. When its process dies
// instead, the kernel closes it, and whoever waits goes on.
#pragma once
#include <cstdint>

#include "drm/session/fence.h"

namespace Atoll::drm {

// A negative errno when there is no descriptor.
int make_sync_file(const std::shared_ptr<Session>& session, const FencePtr& fence);
// Does the descriptor look like one of those?
bool is_sync_file(int descriptor);

// Answers SYNC_IOC_* on a descriptor (include/uapi/linux/sync_file.h); ENOTTY when it is no sync file of ours.
int sync_file_ioctl(int descriptor, unsigned long request, void* argument);

}  // namespace Atoll::drm
