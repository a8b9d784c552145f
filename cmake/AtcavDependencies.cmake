# Everything comes from Debian packages; tools/packages.txt lists them.
find_package(Eigen3 3.3 REQUIRED NO_MODULE)
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Threads REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
# Its header holds the whole of xxHash: nothing to link, nothing to find again after an installation.
find_path(ATCAV_XXHASH_INCLUDE xxhash.h REQUIRED)

# oneDNN gives sgemm kernels chosen at run time. It is opened by this name at the first product, not linked;
# where it is missing, then or now, Eigen multiplies.
find_library(ATCAV_DNNL_LIBRARY dnnl)
find_path(ATCAV_DNNL_INCLUDE oneapi/dnnl/dnnl.h)
if(ATCAV_DNNL_LIBRARY AND ATCAV_DNNL_INCLUDE)
  execute_process(COMMAND ${CMAKE_READELF} -d ${ATCAV_DNNL_LIBRARY} OUTPUT_VARIABLE dnnl_header)
  string(REGEX MATCH "SONAME[^[]*\\[([^]]+)" matched "${dnnl_header}")
  set(ATCAV_DNNL_SONAME ${CMAKE_MATCH_1})
endif()

# LibTorch as system headers and nothing else: its package would add compiler flags to ours.
set(ATCAV_ENGINE "")
if(ATCAV_TORCH)
  if(SKBUILD)  # the PyTorch of the environment that the package is built for
    find_package(Python REQUIRED COMPONENTS Interpreter)
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import torch; print(torch.utils.cmake_prefix_path)"
      OUTPUT_VARIABLE torch_prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE no_torch)
    if(no_torch)
      message(FATAL_ERROR "ATCAV_TORCH=ON needs PyTorch in the environment: pip install --no-build-isolation")
    endif()
    list(PREPEND CMAKE_PREFIX_PATH ${torch_prefix})
  endif()
  # A wheel's package looks for its library in the system's folders first.
  find_library(TORCH_LIBRARY torch HINTS ${CMAKE_PREFIX_PATH} PATH_SUFFIXES ../../lib NO_DEFAULT_PATH)
  find_package(Torch REQUIRED)
  set_target_properties(torch PROPERTIES INTERFACE_COMPILE_OPTIONS "${TORCH_CXX_FLAGS}")
  add_library(atcav_torch INTERFACE)
  target_include_directories(atcav_torch SYSTEM INTERFACE "$<BUILD_INTERFACE:${TORCH_INCLUDE_DIRS}>")
  target_link_libraries(atcav_torch INTERFACE torch)
  set(ATCAV_ENGINE "LibTorch ${Torch_VERSION}")
endif()
