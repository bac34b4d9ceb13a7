# Sets ORBIT_WITH_CUDA; where it is true, the language CUDA and CUDA::cudart can be used.
option(ORBIT_CUDA "build the CUDA kernels (needs nvcc)" ON)
find_program(ORBIT_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin)
if(ORBIT_NVCC)  # a wrapper may outlive its toolkit
  execute_process(COMMAND "${ORBIT_NVCC}" --version RESULT_VARIABLE nvcc_result OUTPUT_QUIET ERROR_QUIET)
endif()
if(ORBIT_CUDA AND ORBIT_NVCC AND nvcc_result EQUAL 0)
  set(CMAKE_CUDA_COMPILER "${ORBIT_NVCC}")
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  set(CMAKE_CUDA_STANDARD 17)  # CMake 3.25 knows no CUDA20
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_ARCHITECTURES "90" CACHE STRING "compute capabilities (machine code and PTX)")
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(ORBIT_WITH_CUDA TRUE)
else()
  set(ORBIT_WITH_CUDA FALSE)
endif()
