/* Pictures other than SVG. */
#ifndef PICTURE_PLAIN_H
#define PICTURE_PLAIN_H

#include "picture.h"

/* At most 64 cells in a row and its address, in UTF-8. */
void picture_write_text(const picture_t *picture, const grid_t *grid, FILE *out);

/* An environment tikzpicture, and its colours. */
void picture_write_tikz(const picture_t *picture, const grid_t *grid, FILE *out);

#endif
