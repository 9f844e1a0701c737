/*
 * A face of a three-dimensional array: the plane x = 0 of double cells[NZ][NY][NX], packed, moved
 * to a contiguous buffer, and unpacked into the plane x = NX - 1.
 */
#include <dame/datatype.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 6, NY = 4, NZ = 3 };

static double cells[NZ][NY][NX];

int main(void)
{
    const int64_t sizes[] = {NZ, NY, NX}, subsizes[] = {NZ, NY, 1}, starts[] = {0, 0, 0};
    double packed[NZ * NY];
    dame_context_t *context;
    dame_datatype_t *real, *face;
    for (int i = 0; i < NZ * NY * NX; i++) {
        (&cells[0][0][0])[i] = i;
    }
    if (dame_context_new(NULL, &context) || dame_datatype_basic(context, "double", 0, &real) ||
        dame_datatype_subarray(3, sizes, subsizes, starts, DAME_ORDER_C, real, &face) ||
        dame_datatype_commit(face) || dame_pack(face, 1, cells, 0, packed, sizeof packed, NULL) ||
        dame_unpack(face, 1, &cells[0][0][NX - 1], 0, packed, sizeof packed, NULL)) {
        fprintf(stderr, "face: %s\n", dame_error_message());
        return EXIT_FAILURE;
    }
    printf("packed:");
    for (int i = 0; i < NZ * NY; i++) {
        printf(" %g", packed[i]);
    }
    printf("\nlast row: %g .. %g\n", cells[NZ - 1][NY - 1][0], cells[NZ - 1][NY - 1][NX - 1]);
    dame_datatype_free(face);
    dame_datatype_free(real);
    dame_context_free(context);
    return EXIT_SUCCESS;
}
