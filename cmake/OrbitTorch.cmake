# Defines the interface target orbit_torch: headers, libraries and run path of a PyTorch 2.11 package.
# The folder comes from ORBIT_TORCH_DIR (CMake or environment variable), else from the environment that pip installs into, else
# from the project's own .venv.
if(NOT ORBIT_TORCH_DIR)
  if(DEFINED ENV{ORBIT_TORCH_DIR} AND NOT "$ENV{ORBIT_TORCH_DIR}" STREQUAL "")
    set(ORBIT_TORCH_DIR "$ENV{ORBIT_TORCH_DIR}")
  elseif(SKBUILD)  # pip builds in an isolated folder, but with the Python of the environment that it installs into
    find_package(Python REQUIRED COMPONENTS Interpreter)
    execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_path('purelib') + '/torch')"
      OUTPUT_VARIABLE ORBIT_TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
  else()
    file(GLOB ORBIT_TORCH_DIR "${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch")
  endif()
endif()
set(ORBIT_TORCH_DIR "${ORBIT_TORCH_DIR}" CACHE PATH "folder of an installed torch 2.11 package")
if(NOT EXISTS "${ORBIT_TORCH_DIR}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "no torch package in '${ORBIT_TORCH_DIR}': run scripts/setup.sh (for the Python package: pip install torch==2.11.0), or set ORBIT_TORCH_DIR to one")
endif()
file(STRINGS "${ORBIT_TORCH_DIR}/version.py" torch_version REGEX "^__version__")
if(NOT torch_version MATCHES "2\\.11\\.")
  message(FATAL_ERROR "${ORBIT_TORCH_DIR} is ${torch_version}: orbit_train needs torch 2.11")
endif()
get_filename_component(ORBIT_SITE_PACKAGES "${ORBIT_TORCH_DIR}/.." ABSOLUTE)

add_library(orbit_torch INTERFACE)
target_include_directories(orbit_torch SYSTEM INTERFACE
  "${ORBIT_TORCH_DIR}/include" "${ORBIT_TORCH_DIR}/include/torch/csrc/api/include")
target_link_directories(orbit_torch INTERFACE "${ORBIT_TORCH_DIR}/lib")
# Operators register themselves from these libraries without being named by ours, so every library on the line stays.
add_link_options(-Wl,--no-as-needed)
# The C++ library comes first: Torch's libraries export old copies of std::filesystem, one of which (remove_all) crashes.
target_link_libraries(orbit_torch INTERFACE stdc++ torch torch_cpu c10)
# at::RecordFunction has another layout without NDEBUG, so every Torch file has it; own checks use ORBIT_ASSERT.
target_compile_definitions(orbit_torch INTERFACE NDEBUG _GLIBCXX_USE_CXX11_ABI=1)
# at::parallel_for is serial without it. torch/lib carries the same libgomp.so.1, so there is one pool of threads.
target_compile_options(orbit_torch INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>)
target_link_libraries(orbit_torch INTERFACE "${ORBIT_TORCH_DIR}/lib/libgomp.so.1")

# The imported libraries are named by hand, since the wheel's own package file insists on a CUDA toolkit.
if(EXISTS "${ORBIT_TORCH_DIR}/lib/libtorch_cuda.so")
  include("${CMAKE_CURRENT_LIST_DIR}/OrbitCuda.cmake")
else()
  set(ORBIT_WITH_CUDA FALSE)
endif()
if(ORBIT_WITH_CUDA)
  target_link_libraries(orbit_torch INTERFACE torch_cuda c10_cuda CUDA::cudart)
  target_compile_definitions(orbit_torch INTERFACE ORBIT_WITH_CUDA=1)
  message(STATUS "CUDA kernels: built with ${ORBIT_NVCC}")
else()
  message(STATUS "CUDA kernels: not built (no working nvcc found, or ORBIT_CUDA=OFF); the CPU build is complete without them")
endif()

set(CMAKE_BUILD_RPATH "\$ORIGIN/../lib" "${ORBIT_TORCH_DIR}/lib" "${ORBIT_SITE_PACKAGES}/nvidia/cu13/lib")
