# (-Wno-deprecated-declarations: std::stable_sort of libstdc++ 12 trips over it under clang.)
# One interface target carries the flags that every project target shares. -fPIC everywhere: one precompiled header then serves libraries and tools.
add_library(nautilus_warnings INTERFACE)
target_compile_options(nautilus_warnings INTERFACE -Wall -Wextra -Wno-unused-parameter -Wno-deprecated-declarations -fno-exceptions -fPIC)
if(NAUTILUS_WERROR)
  target_compile_options(nautilus_warnings INTERFACE -Werror)
endif()
