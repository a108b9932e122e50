# One interface target carries the warning flags; every project target links it.
add_library(nautilus_warnings INTERFACE)
target_compile_options(nautilus_warnings INTERFACE -Wall -Wextra -Wno-unused-parameter -fno-exceptions)
if(NAUTILUS_WERROR)
  target_compile_options(nautilus_warnings INTERFACE -Werror)
endif()
