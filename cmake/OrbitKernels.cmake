# Loops that are compiled once for each instruction set, from one source; a program takes the best that its machine has.
# The rules forbid fused multiply-adds (envs/CMakeLists.txt); networks want them. Without signed zeros V{} + x is a plain broadcast.
function(orbit_kernel_set target source set march)
  set(name ${target}_${set})
  add_library(${name} OBJECT ${source})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE ORBIT_KERNEL_SET=${set})
  target_compile_options(${name} PRIVATE ${march} -ffp-contract=fast -fno-math-errno -fno-trapping-math -fno-signed-zeros ${ARGN})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}>)
endfunction()

# Adds the source to the target for each set, in the namespace that ORBIT_KERNEL_SET names (extensions/kernels/vectors.h). What follows
# are more options of its compiler.
function(orbit_kernel_sets target source)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND ORBIT_MARCH)
    orbit_kernel_set(${target} ${source} baseline "-march=${ORBIT_MARCH}" ${ARGN})
    orbit_kernel_set(${target} ${source} avx512 "-march=x86-64-v4;-mprefer-vector-width=512" ${ARGN})
    target_compile_definitions(${target} PRIVATE ORBIT_AVX512_KERNELS)
  else()
    orbit_kernel_set(${target} ${source} baseline "" ${ARGN})
  endif()
endfunction()
