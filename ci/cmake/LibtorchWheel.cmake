# libtorch out of the PyTorch wheel, as target torchwheel. TORCH_DIR is the wheel's folder `torch`; without it the
# project's own .deps/venv is taken, else the torch that python3 has.
set(TORCH_DIR "" CACHE PATH "folder `torch` of a PyTorch 2.11 wheel")
if(NOT TORCH_DIR)
  file(GLOB in_deps ${PROJECT_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch)
  if(in_deps)
    list(GET in_deps 0 found)
  else()
    execute_process(COMMAND python3 -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(TORCH_DIR "${found}" CACHE PATH "" FORCE)
endif()
if(NOT EXISTS "${TORCH_DIR}/include/torch/csrc/api/include/torch/torch.h")
  message(FATAL_ERROR "TRACEML_WITH_TORCH=ON, but no PyTorch wheel was found; run ci/setup, or set -DTORCH_DIR=.../site-packages/torch")
endif()
file(READ ${TORCH_DIR}/version.py version_py)
string(REGEX MATCH "__version__ = '([0-9.]+)" _ "${version_py}")
set(TRACEML_TORCH_VERSION ${CMAKE_MATCH_1})
if(NOT TRACEML_TORCH_VERSION VERSION_EQUAL 2.11.0)
  message(FATAL_ERROR "PyTorch ${TRACEML_TORCH_VERSION} in ${TORCH_DIR}: this project uses 2.11.0")
endif()

add_library(torchwheel INTERFACE)
target_include_directories(torchwheel SYSTEM INTERFACE
  ${TORCH_DIR}/include ${TORCH_DIR}/include/torch/csrc/api/include)
target_link_libraries(torchwheel INTERFACE ${TORCH_DIR}/lib/libtorch_cpu.so ${TORCH_DIR}/lib/libc10.so)
# The CUDA libraries that the wheel names are not needed to start (LibtorchCuda.cmake links them).
target_link_options(torchwheel INTERFACE -Wl,--allow-shlib-undefined -Wl,-rpath,${TORCH_DIR}/lib)
