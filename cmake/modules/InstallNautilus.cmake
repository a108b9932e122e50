# What `cmake --install` puts where, and the package that find_package(Nautilus) reads:
#
#   lib/, bin/, include/nautilus{,-c}/     libraries, tools, headers (also generated ones and .td files)
#   lib/cmake/Nautilus/                    NautilusConfig.cmake and the targets Nautilus::<Library without "Nautilus">
#
# add_nautilus_library and add_nautilus_tool note their targets here; install_nautilus() comes last in the top CMakeLists.txt.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Notes targets; kind is LIBRARIES or TOOLS.
function(nautilus_installable kind)
  set_property(GLOBAL APPEND PROPERTY NAUTILUS_INSTALLED_${kind} ${ARGN})
endfunction()

function(install_nautilus)
  get_property(libraries GLOBAL PROPERTY NAUTILUS_INSTALLED_LIBRARIES)
  get_property(tools GLOBAL PROPERTY NAUTILUS_INSTALLED_TOOLS)
  foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^Nautilus" "" short ${library})
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${short})
    add_library(Nautilus::${short} ALIAS ${library})
    target_include_directories(${library} INTERFACE
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  endforeach()
  install(TARGETS ${libraries} EXPORT NautilusTargets)
  install(TARGETS ${tools} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")

  set(headers FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" "${PROJECT_BINARY_DIR}/include/" TYPE INCLUDE ${headers})
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" TYPE DOC)

  set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Nautilus")
  install(EXPORT NautilusTargets NAMESPACE Nautilus:: DESTINATION "${package}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/NautilusConfig.cmake.in" "${PROJECT_BINARY_DIR}/NautilusConfig.cmake"
    INSTALL_DESTINATION "${package}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/NautilusConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/NautilusConfig.cmake" "${PROJECT_BINARY_DIR}/NautilusConfigVersion.cmake" DESTINATION "${package}")
endfunction()
