/* SPDX-License-Identifier: BSD-3-Clause */
// A C++ program: the header as it is, every macro of the language's strictest mode on.
#include <dame/datatype.h>

#include <cstdio>
#include <cstring>
#include <vector>

int main()
{
    dame_context_t *context = 0;
    dame_datatype_t *integer = 0, *column = 0;
    dame_context_options_t options = dame_context_options_t();
    options.size = sizeof options;
    std::vector<int> matrix(12), packed(3);
    for (int i = 0; i < 12; i++) {
        matrix[i] = i;
    }
    if (dame_context_new(&options, &context) != DAME_OK ||
        dame_datatype_basic(context, "int", 0, &integer) != DAME_OK ||
        dame_datatype_vector(3, 1, 4, integer, &column) != DAME_OK ||
        dame_datatype_commit(column) != DAME_OK ||
        dame_pack(column, 1, &matrix[1], 0, &packed[0], 12, 0) != DAME_OK) {
        std::printf("FAILED: %s\n", dame_error_message());
        std::printf("0 passed, 1 failed\n");
        return 1;
    }
    const bool right = packed[0] == 1 && packed[1] == 5 && packed[2] == 9;
    dame_datatype_free(column);
    dame_datatype_free(integer);
    dame_context_free(context);
    std::printf("%d passed, %d failed\n", right ? 1 : 0, right ? 0 : 1);
    return right ? 0 : 1;
}
