# The CUDA half of libtorch, added to torchwheel. Nothing refers to it by a symbol: it registers itself when it is loaded,
# and a linker that drops unneeded libraries (Ubuntu's default) would drop it.
file(GLOB wheel_libraries ${traceml_wheels}/*/lib)
foreach(library torch torch_cuda c10_cuda)
  if(NOT EXISTS ${TORCH_DIR}/lib/lib${library}.so)
    message(FATAL_ERROR "TRACEML_WITH_CUDA=ON, but ${TORCH_DIR} is a PyTorch without CUDA (no lib${library}.so); run ci/setup --gpu")
  endif()
endforeach()
foreach(library nccl/lib/libnccl.so.2 cudnn/lib/libcudnn.so.9 cu${cuda_major}/lib/libcublas.so.${cuda_major})
  if(NOT EXISTS ${traceml_wheels}/${library})
    message(FATAL_ERROR "TRACEML_WITH_CUDA=ON, but the PyTorch wheel lacks ${traceml_wheels}/${library}; run ci/setup --gpu")
  endif()
endforeach()
list(TRANSFORM wheel_libraries REPLACE "(.+)" "LINKER:-rpath-link,\\1" OUTPUT_VARIABLE rpath_links)
list(TRANSFORM wheel_libraries REPLACE "(.+)" "LINKER:-rpath,\\1" OUTPUT_VARIABLE rpaths)
target_link_options(torchwheel INTERFACE ${rpath_links} ${rpaths})
target_link_libraries(torchwheel INTERFACE
  -Wl,--no-as-needed,${TORCH_DIR}/lib/libtorch.so,${TORCH_DIR}/lib/libtorch_cuda.so,${TORCH_DIR}/lib/libc10_cuda.so,--as-needed
  cudart)
