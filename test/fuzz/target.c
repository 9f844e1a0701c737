/* The fuzzer's entry; libFuzzer has the main(). */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void) fuzz_one(data, size);
    return 0;
}
