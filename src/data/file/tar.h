#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/file/reader.h"

// Files inside a tar archive, read where they lie: nothing is unpacked or copied.
//
//   const ReaderPtr archive = open_file("shard-000.tar");
//   for (const TarMember& file : list_tar(archive).files) use(archive->read(file.offset, file.size));
//
// ustar, GNU (long names, sizes beyond 8 GB) and PAX (path, size). Names are never used to open or write
// anything.
namespace atcav::data {

struct TarMember {
  std::string name;
  std::size_t offset = 0;  // of its bytes in the archive
  std::size_t size = 0;
};

struct TarListing {
  std::vector<TarMember> files;  // in the archive's order
  std::size_t links = 0;         // links and special files, which are no files of their own
};

// Reads the headers alone. std::runtime_error naming the archive for one that is compressed, cut short,
// damaged (each header has a checksum) or has sparse files or parts on other volumes.
TarListing list_tar(const ReaderPtr& archive);

// All of a file, which may lie in an archive: "shards/shard-000.tar/000017.jpg". Errors as read_file.
std::string read_file_or_member(const std::string& path);

}  // namespace atcav::data
