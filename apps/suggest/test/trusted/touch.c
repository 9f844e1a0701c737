extern double shared[];

void touch(int really)
{
    if (really)
        shared[2] = 1000;
}
