# Defines the interface target orbit_rules: include folder and compiler flags of the simulators.
include_guard(GLOBAL)
add_library(orbit_rules INTERFACE)
target_include_directories(orbit_rules INTERFACE "${CMAKE_CURRENT_LIST_DIR}/..")
# The flags of the rules, in this one place: no fused multiply-add, pow(x, 2.0) stays a call (glibc's pow and x*x
# differ in the last bit), no errno (without it sqrt does not vectorise). See envs/README.md.
set(ORBIT_MARCH "x86-64-v3" CACHE STRING "value of -march on x86-64; empty for the compiler's default")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND ORBIT_MARCH)
  target_compile_options(orbit_rules INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=${ORBIT_MARCH}>)
endif()
target_compile_options(orbit_rules INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off> $<$<COMPILE_LANGUAGE:CXX>:-fno-builtin-pow>
  $<$<COMPILE_LANGUAGE:CXX>:-fno-math-errno> $<$<COMPILE_LANGUAGE:CXX>:-fno-trapping-math>
  $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>)
