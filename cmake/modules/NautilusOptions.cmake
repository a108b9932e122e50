# Every switch a builder may set, in one place.
option(NAUTILUS_BUILD_TESTS "Build the lit and GoogleTest suites" ON)
option(NAUTILUS_STATIC "Link MLIR and LLVM statically, so that the tools run on a machine without LLVM" OFF)
option(NAUTILUS_WERROR "Treat warnings as errors" OFF)
option(NAUTILUS_PCH "Use a precompiled header for the MLIR headers that every file needs" ON)
