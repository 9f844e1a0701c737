/* SPDX-License-Identifier: BSD-3-Clause */
extern double grid[12][12], shared[12];

double look(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += shared[i];
    return sum;
}

void touch(void)
{
    grid[5][1] = -3;
}
