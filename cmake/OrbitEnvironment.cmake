# A small environment as a library of its own, for orbit_train --env-library: no Torch, no build of the trainer. In a project of
# its own (ORBIT: the folder of orbit_train's sources):
#
#   cmake_minimum_required(VERSION 3.25)
#   project(my_env LANGUAGES CXX)
#   include(${ORBIT}/cmake/OrbitEnvironment.cmake)
#   orbit_environment_library(my_env my_env.cpp my_env.cu)     # makes my_env.so; the .cu is left out where there is no nvcc
include_guard(GLOBAL)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
include("${CMAKE_CURRENT_LIST_DIR}/OrbitRules.cmake")
if(NOT DEFINED ORBIT_WITH_CUDA)
  include("${CMAKE_CURRENT_LIST_DIR}/OrbitCuda.cmake")
endif()

function(orbit_environment_library name)
  set(sources ${ARGN})
  if(NOT ORBIT_WITH_CUDA)
    list(FILTER sources EXCLUDE REGEX "\\.cu$")
  endif()
  add_library(${name} MODULE ${sources})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PRIVATE orbit_rules)
  if(sources MATCHES "\\.cu(;|$)")
    target_compile_definitions(${name} PRIVATE ORBIT_WITH_CUDA=1)
    target_link_libraries(${name} PRIVATE CUDA::cudart)
  endif()
endfunction()
