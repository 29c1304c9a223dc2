# Imported targets for the torch wheel, without its TorchConfig.cmake.
#
# Input    LIBTORCH_ROOT  directory that holds torch/ and nvidia/ (default: the environment variable of that name)
# Targets  torch::cpu     libtorch_cpu + libc10
#          torch::openmp  -fopenmp + the wheel's libgomp: for every target that calls at::parallel_for
#          torch::cuda    torch::cpu + libtorch_cuda + libc10_cuda (only when the CUDA toolkit is found)
# Output   LibTorch_VERSION, LibTorch_LIBRARY_DIR, LibTorch_RPATH (for BUILD_RPATH)
set(LIBTORCH_ROOT "$ENV{LIBTORCH_ROOT}" CACHE PATH "Directory with torch/ and nvidia/ wheels")

find_path(LibTorch_INCLUDE_DIR ATen/ATen.h HINTS "${LIBTORCH_ROOT}/torch/include" NO_DEFAULT_PATH)
find_library(LibTorch_CPU_LIBRARY torch_cpu HINTS "${LIBTORCH_ROOT}/torch/lib" NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 HINTS "${LIBTORCH_ROOT}/torch/lib" NO_DEFAULT_PATH)
find_library(LibTorch_CUDA_LIBRARY torch_cuda HINTS "${LIBTORCH_ROOT}/torch/lib" NO_DEFAULT_PATH)
find_library(LibTorch_C10_CUDA_LIBRARY c10_cuda HINTS "${LIBTORCH_ROOT}/torch/lib" NO_DEFAULT_PATH)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY
                 LibTorch_CUDA_LIBRARY LibTorch_C10_CUDA_LIBRARY)

if(LibTorch_INCLUDE_DIR)
  file(STRINGS "${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h" _version_lines
       REGEX "^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
  string(REGEX REPLACE "[^0-9;]" "" _version_lines "${_version_lines}")
  list(JOIN _version_lines "." LibTorch_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "run ./workbench build, which fetches it, or set LIBTORCH_ROOT")

if(LibTorch_FOUND AND NOT TARGET torch::cpu)
  get_filename_component(LibTorch_LIBRARY_DIR "${LibTorch_CPU_LIBRARY}" DIRECTORY)
  get_filename_component(_site "${LibTorch_LIBRARY_DIR}/../.." ABSOLUTE)
  set(LibTorch_RPATH "${LibTorch_LIBRARY_DIR}" "${_site}/nvidia/cu13/lib" "${_site}/nvidia/nvshmem/lib"
      "${_site}/nvidia/cusparselt/lib" "${_site}/nvidia/cudnn/lib" "${_site}/nvidia/nccl/lib")

  add_library(torch::c10 SHARED IMPORTED)
  set_target_properties(torch::c10 PROPERTIES
    IMPORTED_LOCATION "${LibTorch_C10_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_INCLUDE_DIR};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include"
    INTERFACE_COMPILE_DEFINITIONS "USE_DISTRIBUTED"
    INTERFACE_COMPILE_FEATURES cxx_std_20)

  add_library(torch::cpu SHARED IMPORTED)
  set_target_properties(torch::cpu PROPERTIES
    IMPORTED_LOCATION "${LibTorch_CPU_LIBRARY}"
    INTERFACE_LINK_LIBRARIES torch::c10
    # libtorch_cpu NEEDs cudart and cupti: resolved at run time, not by our link.
    INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined")

  add_library(torch::openmp SHARED IMPORTED)
  set_target_properties(torch::openmp PROPERTIES
    IMPORTED_LOCATION "${LibTorch_LIBRARY_DIR}/libgomp.so.1"
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:-fopenmp>")

  if(LibTorch_CUDA_LIBRARY AND LibTorch_C10_CUDA_LIBRARY)
    find_package(CUDAToolkit QUIET)
    if(CUDAToolkit_FOUND)
      add_library(torch::c10_cuda SHARED IMPORTED)
      set_target_properties(torch::c10_cuda PROPERTIES
        IMPORTED_LOCATION "${LibTorch_C10_CUDA_LIBRARY}"
        INTERFACE_LINK_LIBRARIES "torch::c10;CUDA::cudart")
      add_library(torch::cuda SHARED IMPORTED)
      set_target_properties(torch::cuda PROPERTIES
        IMPORTED_LOCATION "${LibTorch_CUDA_LIBRARY}"
        INTERFACE_LINK_LIBRARIES "torch::cpu;torch::c10_cuda"
        INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined")
    endif()
  endif()
endif()
