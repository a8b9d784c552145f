# atcav::atcav is every component at once; install() makes find_package(atcav) work elsewhere, without LibTorch.
include(CMakePackageConfigHelpers)
get_property(components GLOBAL PROPERTY ATCAV_COMPONENTS)
add_library(atcav_all STATIC src/read_report.cpp src/write_report.cpp)
add_library(atcav::atcav ALIAS atcav_all)
set_target_properties(atcav_all PROPERTIES EXPORT_NAME atcav)
target_link_libraries(atcav_all PUBLIC ${components})
atcav_compile_options(atcav_all)
if(ATCAV_DEVELOPER)
  add_executable(write_report_test src/write_report_test.cpp)
  target_link_libraries(write_report_test PRIVATE atcav_all GTest::gmock GTest::gtest_main)
  atcav_compile_options(write_report_test)
  add_test(NAME write_report_test COMMAND write_report_test --gtest_brief=1)
endif()

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/atcav)
install(TARGETS atcav_all ${components} EXPORT atcavTargets)
install(EXPORT atcavTargets NAMESPACE atcav:: DESTINATION ${config_dir})
install(DIRECTORY include/atcav DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/generated/atcav/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/atcav)
configure_package_config_file(cmake/atcavConfig.cmake.in atcavConfig.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(atcavConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/atcavConfig.cmake ${PROJECT_BINARY_DIR}/atcavConfigVersion.cmake
        DESTINATION ${config_dir})
