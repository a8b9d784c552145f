# cmake -DOUTPUT=FILE -DVERSION=V "-DHEADERS=A|B" -P BuildId.cmake: a header with the version and a hash of what program
# and plugin see of each other.
string(REPLACE "|" ";" headers "${HEADERS}")
set(all "")
foreach(header IN LISTS headers)
  file(SHA256 "${header}" hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 all "${all}")
string(SUBSTRING ${all} 0 16 id)
file(WRITE "${OUTPUT}.new" "#pragma once

namespace atcav {
inline constexpr const char* kBuildId = \"${VERSION}-${id}\";
}  // namespace atcav
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different "${OUTPUT}.new" "${OUTPUT}")
file(TOUCH "${OUTPUT}")
