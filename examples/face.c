/* Packs the face x = 0 of a three-dimensional array. */
#include <dame/datatype.h>
#include <stdio.h>

static double cells[3][4][6]; /* [z][y][x] */

int main(void)
{
    const int64_t sizes[] = {3, 4, 6}, face_sizes[] = {3, 4, 1}, starts[] = {0, 0, 0};
    double packed[3 * 4];
    dame_context_t *context;
    dame_datatype_t *real, *face;
    for (int i = 0; i < 3 * 4 * 6; i++) {
        (&cells[0][0][0])[i] = i;
    }
    if (dame_context_new(NULL, &context) != DAME_OK ||
        dame_datatype_basic(context, "double", 0, &real) != DAME_OK ||
        dame_datatype_subarray(3, sizes, face_sizes, starts, DAME_ORDER_C, real, &face) !=
            DAME_OK ||
        dame_datatype_commit(face) != DAME_OK ||
        dame_pack(face, 1, cells, 0, packed, sizeof packed, NULL) != DAME_OK) {
        fprintf(stderr, "%s\n", dame_error_message());
        return 1;
    }
    for (int i = 0; i < 3 * 4; i++) {
        printf("%g ", packed[i]);
    }
    char *text;
    if (dame_datatype_explain(face, &text) == DAME_OK) {
        printf("\n%s", text);
        dame_free(text);
    }
    dame_datatype_free(face);
    dame_datatype_free(real);
    dame_context_free(context);
    return 0;
}
