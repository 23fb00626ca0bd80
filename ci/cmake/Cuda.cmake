# nvcc, and the vendor's libraries as targets cudart, nccl and cupti. Libraries come out of the PyTorch wheel where
# TORCH_DIR names one: libtorch loads those, and a process must hold one of each. Else they come from the toolkit.
# nvcc is that of CUDACXX, PATH or /usr/local/cuda.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(TRACEML_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(NOT TRACEML_NVCC)
    message(FATAL_ERROR "CUDA is asked for, but no nvcc was found; install the CUDA toolkit, or set CUDACXX=.../bin/nvcc")
  endif()
  set(CMAKE_CUDA_COMPILER ${TRACEML_NVCC})
endif()
if(NOT CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX})
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90)  # code for both, and PTX for what comes later
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # nvcc 12 and later can; CMake 3.25 does not know it
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # target cudart says which

string(REGEX MATCH "^[0-9]+" cuda_major ${CMAKE_CUDA_COMPILER_VERSION})
set(traceml_wheels "")
if(TORCH_DIR)
  cmake_path(GET TORCH_DIR PARENT_PATH site_packages)
  set(traceml_wheels ${site_packages}/nvidia)
  set(TRACEML_WHEEL_CUDA ${traceml_wheels}/cu${cuda_major})
  if(NOT EXISTS ${TRACEML_WHEEL_CUDA}/lib/libcudart.so.${cuda_major})
    message(FATAL_ERROR "nvcc is of CUDA ${CMAKE_CUDA_COMPILER_VERSION}, but the PyTorch wheel in ${TORCH_DIR} has no "
      "${TRACEML_WHEEL_CUDA}/lib/libcudart.so.${cuda_major} beside it; run ci/setup --gpu, or take a toolkit of the wheel's version")
  endif()
endif()

# traceml_vendor_library(TARGET WHEEL_FOLDER SONAME HEADER): the library by its full path, with its folder in the rpath.
# Headers of the wheel come first; the toolkit's complete them (wheels lack crt/).
function(traceml_vendor_library target wheel_folder soname header)
  string(TOUPPER TRACEML_${target} cache)
  if(traceml_wheels)
    set(places PATHS ${wheel_folder} NO_DEFAULT_PATH)
  else()
    set(places HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}/.. ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES})
  endif()
  find_library(${cache}_LIBRARY NAMES ${soname} ${places} PATH_SUFFIXES lib lib64)
  find_path(${cache}_INCLUDE ${header} ${places} PATH_SUFFIXES include)
  if(NOT ${cache}_LIBRARY OR NOT ${cache}_INCLUDE)
    message(FATAL_ERROR "${target} is asked for, but ${soname} or ${header} was not found "
      "(${cache}_LIBRARY: ${${cache}_LIBRARY}, ${cache}_INCLUDE: ${${cache}_INCLUDE}); looked in ${places}")
  endif()
  cmake_path(GET ${cache}_LIBRARY PARENT_PATH folder)
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE ${${cache}_LIBRARY})
  # With old tags LD_LIBRARY_PATH does not come first: it may name another version.
  target_link_options(${target} INTERFACE LINKER:-rpath,${folder} LINKER:--disable-new-dtags)
  # nvcc has its own.
  target_include_directories(${target} SYSTEM INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:${${cache}_INCLUDE}>
    $<$<COMPILE_LANGUAGE:CXX>:${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}>)
  message(STATUS "${target}: ${${cache}_LIBRARY}")
endfunction()

traceml_vendor_library(cudart "${TRACEML_WHEEL_CUDA}" libcudart.so.${cuda_major} cuda_runtime_api.h)
if(TRACEML_WITH_NCCL)
  traceml_vendor_library(nccl "${traceml_wheels}/nccl" libnccl.so.2 nccl.h)
  target_link_libraries(nccl INTERFACE cudart)
endif()
if(TRACEML_WITH_CUPTI OR TRACEML_BUILD_TESTS)  # a test counts CUDA calls with it
  traceml_vendor_library(cupti "${TRACEML_WHEEL_CUDA}" libcupti.so.${cuda_major} cupti.h)
  target_link_libraries(cupti INTERFACE cudart)
endif()
