# atcav_component(name DEPENDS targets... PRIVATE libraries... EXCLUDE files... [APP])
#
# A component is a folder of trios x.h, x.cpp, x_test.cpp (public headers lie in include/atcav). It becomes the static library atcav_<name>
# (alias atcav::<name>) and, in developer builds, the test program <name>_test. EXCLUDE names sources that the
# component's own CMakeLists.txt chooses between. An APP is not part of the installed library.
include(GNUInstallDirs)
if(ATCAV_DEVELOPER)
  enable_testing()
  find_package(GTest REQUIRED)
endif()

function(atcav_compile_options target)
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE)
  # Functions compiled for several processors (core/cpu_clones.h) must round alike on all of them.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(ATCAV_DEVELOPER)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Werror)
  endif()
  if(ATCAV_UNITY AND NOT target MATCHES "_test$")  # tests share names
    # Few large files compile several times faster; names in anonymous namespaces are therefore unique in a component.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# Binds to symbols that older systems have too.
function(atcav_use_old_symbols target)
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/OldSymbols.cpp)
  foreach(symbol hypot _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE)
    target_link_options(${target} PRIVATE LINKER:--wrap=${symbol})
  endforeach()
endfunction()

function(atcav_component name)
  cmake_parse_arguments(COMPONENT "APP" "" "DEPENDS;PRIVATE;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS *_test.cpp)
  list(REMOVE_ITEM sources ${tests} "")
  foreach(file IN LISTS COMPONENT_EXCLUDE)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()

  add_library(atcav_${name} STATIC ${sources})
  add_library(atcav::${name} ALIAS atcav_${name})
  set_target_properties(atcav_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(atcav_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(atcav_${name} PUBLIC cxx_std_20)
  list(TRANSFORM COMPONENT_DEPENDS PREPEND atcav::)
  target_link_libraries(atcav_${name} PUBLIC ${COMPONENT_DEPENDS} PRIVATE ${COMPONENT_PRIVATE})
  atcav_compile_options(atcav_${name})
  if(NOT COMPONENT_APP)
    set_property(GLOBAL APPEND PROPERTY ATCAV_COMPONENTS atcav_${name})
  endif()

  if(ATCAV_DEVELOPER AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE atcav::${name} ${COMPONENT_PRIVATE} GTest::gmock GTest::gtest_main)
    atcav_compile_options(${name}_test)
    # One process per component: its tests share a folder for temporary files.
    add_test(NAME ${name}_test COMMAND ${name}_test --gtest_brief=1)
  endif()
endfunction()

# atcav_embed(component header namespace name=file...): the bytes of files as string_views, which `header` declares.
function(atcav_embed component header namespace)
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake)
  list(JOIN ARGN "|" files)
  list(TRANSFORM ARGN REPLACE "^[a-z_]+=" "" OUTPUT_VARIABLE paths)
  add_custom_command(OUTPUT embedded.cpp
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/embedded.cpp -DHEADER=${header}
      -DNAMESPACE=${namespace} "-DFILES=${files}" -P ${script}
    DEPENDS ${paths} ${script} COMMENT "Embedding files in ${component}" VERBATIM)
  target_sources(atcav_${component} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded.cpp)
endfunction()
