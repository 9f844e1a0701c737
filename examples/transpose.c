/*
 * Transposing between two datatypes: the rows of one matrix become the columns of another, with no
 * buffer between. Both datatypes consist of ROWS * COLUMNS complex numbers; one takes them row by
 * row, the other puts them column by column.
 */
#include <dame/datatype.h>
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 300, COLUMNS = 200 };

static double complex from[ROWS][COLUMNS], to[COLUMNS][ROWS];

static void check(dame_status_t status)
{
    if (status != DAME_OK) {
        fprintf(stderr, "transpose: %s\n", dame_error_message());
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    dame_context_t *context;
    dame_datatype_t *number, *matrix, *column, *next, *columns;
    int wrong = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        from[i / COLUMNS][i % COLUMNS] = i - I * i;
    }
    check(dame_context_new(NULL, &context));
    check(dame_datatype_basic(context, "complex128", 0, &number));
    check(dame_datatype_contiguous(ROWS * COLUMNS, number, &matrix));
    /* column j of `to` starts one number behind column j - 1: the extent says so */
    check(dame_datatype_vector(COLUMNS, 1, ROWS, number, &column));
    check(dame_datatype_resized(0, sizeof(double complex), column, &next));
    check(dame_datatype_contiguous(ROWS, next, &columns));
    check(dame_datatype_commit(matrix));
    check(dame_datatype_commit(columns));
    check(dame_copy(matrix, 1, from, columns, 1, to));
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            wrong += to[j][i] != from[i][j];
        }
    }
    printf("%d by %d transposed, %d elements wrong\n", ROWS, COLUMNS, wrong);
    char *text;
    check(dame_datatype_print(columns, &text));
    fputs(text, stdout);
    dame_free(text);
    /* a signature tells numbers from their bytes */
    dame_datatype_t *byte;
    check(dame_datatype_basic(context, "byte", 0, &byte));
    if (dame_copy(matrix, 1, from, byte, sizeof to, to) != DAME_ERR_SIGNATURE) {
        wrong++;
    }
    printf("%s\n", dame_error_message());
    dame_datatype_t *all[] = {byte, columns, next, column, matrix, number};
    for (int i = 0; i < 6; i++) {
        dame_datatype_free(all[i]);
    }
    dame_context_free(context);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
