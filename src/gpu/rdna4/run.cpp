#include "gpu/rdna4/run.h"

namespace Atoll::rdna4 {

Expected<RunResult> run(const Dispatch& dispatch, AddressSpace&, const RunOptions&) {
  return fail("{}: the engines are not connected yet", dispatch.kernel);
}

}  // namespace Atoll::rdna4
