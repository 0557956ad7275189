// Reads a recording's file record by record, of this version and of version 1, and says how it ends. It allocates memory for
// what is really in the file, not for what the file claims.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/expected.h"
#include "trace/format.h"

namespace Atoll::trace {

struct Record {
  Kind kind;
  std::vector<uint8_t> payload;
};

// How a recording ends; valid once it was read to that point.
struct Ending {
  enum class Place : uint8_t {
    mark,            // behind the mark at the end: it is whole
    unknown,         // version 1, which has no mark, behind a record
    between_chunks,  // the mark is missing
    chunk_header,
    chunk,    // in what a chunk stores; in version 1, in a block of the compression
    record,   // chunks are whole, and the last record goes on
    damaged,  // what follows is not what was written
  } place = Place::between_chunks;
  Closing closing = Closing::process;  // with a mark
  uint64_t offset = 0;                 // of the file, up to which it decodes
  uint64_t submissions = 0;            // that are whole
  bool begun = false;                  // another one begins, without its digest
  uint64_t undecoded = 0;              // bytes of the file that decode to nothing, or of the record that is cut
  uint64_t missing = 0;                // bytes that would have to follow at least
  std::string damage;

  bool whole() const { return place == Place::mark || place == Place::unknown; }
  // "ends inside a chunk behind submission 36: ...": what is missing; empty if nothing is.
  std::string text() const;
};

class Reader {
public:
  // An error if the file is not a recording, or one of a later version.
  static Expected<std::unique_ptr<Reader>> open(const std::string& path);
  ~Reader();

  // The next record; false at the end, which ending() describes. Large Kind::pages of version 1 come in parts.
  bool next(Record& record);
  const Ending& ending() const { return ending_; }
  // Records of kinds that this reader does not know and may pass over.
  uint64_t passed_over() const { return passed_over_; }
  uint32_t version() const { return version_; }

private:
  Reader() = default;
  struct Source;
  struct Chunks;
  struct Stream;
  bool read(uint8_t* to, size_t bytes, size_t& got);
  bool record_head(uint64_t& kind, uint64_t& length);
  bool payload(std::vector<uint8_t>& to, uint64_t length);
  bool part_of_pages(Record& record);
  bool damaged(std::string why);
  void stop();
  void note(const Record& record);

  std::unique_ptr<Source> source_;
  Ending ending_;
  uint32_t version_ = 0;
  uint64_t passed_over_ = 0;
  bool ended_ = false, marked_ = false;
  uint64_t record_bytes_ = 0;               // of the record at hand that were read
  uint64_t pages_left_ = 0;                 // bytes of a Kind::pages that comes in parts
  uint64_t run_first_ = 0, run_count_ = 0;  // of its run at hand
};

}  // namespace Atoll::trace
