# atcav_room(name DEPENDS rooms... PRIVATE libraries...)
#
# A room is a folder of trios x.h, x.cpp, x_test.cpp. It becomes the static library atcav_<name>
# (alias atcav::<name>) and, in developer builds, the test program <name>_test.
# EXCLUDE names sources that the room's own CMakeLists.txt chooses between, and folders that are rooms
# of their own.
include(GNUInstallDirs)
if(ATCAV_DEVELOPER)
  enable_testing()
  find_package(GTest REQUIRED)
endif()

function(atcav_compile_options target)
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE)
  # Functions compiled for several processors (base/several_processors.h) must round alike on all of them.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(ATCAV_DEVELOPER)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Werror)
  endif()
endfunction()

# atcav_library(name SOURCES files... DEPENDS rooms... PRIVATE libraries...): atcav_<name>, alias atcav::<name>.
function(atcav_library name)
  cmake_parse_arguments(LIBRARY "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(atcav_${name} STATIC ${LIBRARY_SOURCES})
  add_library(atcav::${name} ALIAS atcav_${name})
  set_target_properties(atcav_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(atcav_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(atcav_${name} PUBLIC cxx_std_20)
  list(TRANSFORM LIBRARY_DEPENDS PREPEND atcav::)
  target_link_libraries(atcav_${name} PUBLIC ${LIBRARY_DEPENDS} PRIVATE ${LIBRARY_PRIVATE})
  atcav_compile_options(atcav_${name})
endfunction()

function(atcav_room name)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;PRIVATE;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS *_test.cpp)
  list(REMOVE_ITEM sources ${tests} "")
  foreach(file IN LISTS ROOM_EXCLUDE)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    string(REPLACE ".cpp" "_test.cpp" test_file "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    list(REMOVE_ITEM tests "${test_file}")
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${file}/")
    list(FILTER tests EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${file}/")
  endforeach()

  atcav_library(${name} SOURCES ${sources} DEPENDS ${ROOM_DEPENDS} PRIVATE ${ROOM_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY ATCAV_ROOMS atcav_${name})

  if(ATCAV_DEVELOPER AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE atcav::${name} ${ROOM_PRIVATE} GTest::gmock GTest::gtest_main)
    atcav_compile_options(${name}_test)
    # One process a room: tests share a folder for temporary files, and LibTorch takes a second to load.
    add_test(NAME ${name}_test COMMAND ${name}_test --gtest_brief=1)
  endif()
endfunction()
