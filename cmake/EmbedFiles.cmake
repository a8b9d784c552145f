# cmake -DOUTPUT=x.cpp -DHEADER=x.h -DNAMESPACE=a::b "-DFILES=name=path|name=path" -P EmbedFiles.cmake
#
# Writes the bytes of each file as `const std::string_view name`, declared in HEADER. An empty path gives an
# empty one. Bytes and not string literals: those may end at 64 kB.
string(REPLACE "|" ";" files "${FILES}")
set(source "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\nnamespace {\n")
foreach(pair IN LISTS files)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${pair}")
  set(name ${CMAKE_MATCH_1})
  set(path "${CMAKE_MATCH_2}")
  if(path)
    file(READ "${path}" bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND source "constexpr char ${name}_bytes[] = {${bytes}'\\0'};\n")
    string(APPEND views "const std::string_view ${name}(${name}_bytes, sizeof ${name}_bytes - 1);\n")
  else()
    string(APPEND views "const std::string_view ${name};\n")
  endif()
endforeach()
file(WRITE "${OUTPUT}" "${source}}  // namespace\n\n${views}}  // namespace ${NAMESPACE}\n")
