#pragma once
// How much of a batch the JPEG engines of a GPU decode. Pure.

#include <cstdint>
#include <optional>

namespace traceml {

// Of `rows` rows that follow the first `before` ones of a batch, how many go to the engines, so
// that over the batch they get round(share * rows) of any number of rows from its begin on.
int hardware_rows(std::int64_t before, int rows, double share);

// input.hardware_share: auto, for a rank with so many engines (each of `cores` cores) and worker
// threads: docs/input.md says how it is chosen and what it was measured on.
double automatic_share(int engines, int cores, int workers);

// Rows of a batch that a worker makes at a time: as many as keep the engines busy and fit into one
// kernel, in parts of about equal size.
int unit_rows(int batch_size);

}  // namespace traceml
