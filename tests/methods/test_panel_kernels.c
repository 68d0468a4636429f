/* The kernels of dense panels, against loops over one value after the other. */
#include "tests/test_world.h"

#include "methods/sparse/kernel_list.h"
#include "methods/sparse/panel.h"

static double random_unit(uint64_t *seed)
{
    return random_below(seed, 2000001) / 1e6 - 1.0;
}

/* Factors the first columns of a panel by the definition, one value after the other. */
static void plain_factor(double *panel, int height, int columns, double *update, int side, double smallest,
                         double *pivot)
{
    const int base = dry_panel_round(columns);
    for (int k = 0; k < columns; k++) {
        double *column = panel + k * height;
        pivot[k] = column[k] < smallest ? smallest : column[k];
        for (int j = k + 1; j < height; j++)
            column[j] *= 1.0 / pivot[k];
        for (int i = k + 1; i < columns; i++)
            for (int j = i; j < height; j++)
                panel[i * height + j] -= column[j] * (pivot[k] * column[i]);
        for (int i = 0; i < side; i++)
            for (int j = i; j < side; j++) {
                double *sum = update + i * side + j;
                *sum = (k == 0 ? 0.0 : *sum) - column[base + j] * (pivot[k] * column[base + i]);
            }
    }
}

/* Factors a panel block by block. Tiles right of a block are updated at once, or in ranges that are drawn. */
static void factor_in_blocks(const dry_panel_kernels *kernels, dry_panel p, bool at_once, uint64_t *seed)
{
    for (; p.first < p.columns; p.first += DRY_PANEL_BLOCK) {
        kernels->panel_factor(&p);
        const int tiles = (p.height - dry_panel_round(dry_panel_block_end(&p))) / DRY_PANEL_TILE;
        for (int begin = 0, end; begin < tiles; begin = end) {
            end = at_once ? tiles : begin + 1 + (int)random_below(seed, 9);
            end = end < tiles ? end : tiles;
            kernels->panel_subtract(&p, (dry_items){.begin = begin, .end = end});
        }
    }
}

/* Panels of all sizes have the same bits at each instruction set, and those of one value after the other. */
static void test_kernels(void **state)
{
    (void)state;
    enum { COLUMNS = 70, BELOW = 27, HEIGHT = 100 };
    static double a[3][COLUMNS * HEIGHT], update[2][32 * 32], x[3][HEIGHT], pivot[2][COLUMNS];
    uint64_t seed = 3;
    for (int size = 0; size < 60; size++) {
        const int columns = size < 40 ? size + 1 : 1 + (int)random_below(&seed, COLUMNS);
        const int below = (int)random_below(&seed, BELOW), base = dry_panel_round(columns);
        const int side = dry_panel_round(below), height = base + side;
        memset(a, 0, sizeof a);
        memset(x, 0, sizeof x);
        for (int r = 0; r < height; r++) {
            if ((r >= columns && r < base) || r >= base + below)
                continue;
            for (int k = 0; k < columns && k <= r; k++)
                a[0][k * height + r] = k == r ? 80.0 * random_unit(&seed) : random_unit(&seed);
            x[0][r] = random_unit(&seed);
        }
        const double smallest = 20.0; /* raises about half of the pivots */
        memcpy(a[1], a[0], sizeof a[0]);
        plain_factor(a[1], height, columns, update[0], side, smallest, pivot[0]);
        for (int level = 0; level < DRY_LEVEL_COUNT; level++) {
            dry_level found;
            if (!dry_level_find(dry_level_isa((dry_level)level), &found) || found != (dry_level)level)
                continue;
            const dry_panel_kernels *kernels = dry_panel_kernels_at(found);
            memcpy(a[2], a[0], sizeof a[0]);
            memset(update[1], 0x77, sizeof update[1]);
            for (int k = 0; k < columns; k++)
                pivot[1][k] = smallest;
            const dry_panel panel = {a[2], update[1], pivot[1], height, columns, side, 0};
            factor_in_blocks(kernels, panel, size % 2 == 0, &seed);
            assert_memory_equal(pivot[0], pivot[1], (size_t)columns * sizeof(double));
            for (int k = 0; k < columns; k++)
                assert_memory_equal(a[1] + k * height + k, a[2] + k * height + k,
                                    (size_t)(height - k) * sizeof(double));
            for (int k = 0; k < side; k++)
                assert_memory_equal(update[0] + k * side + k, update[1] + k * side + k,
                                    (size_t)(side - k) * sizeof(double));
            /* L y = x, then L^T z = y, whose sums have one order. */
            memcpy(x[1], x[0], sizeof x[0]);
            kernels->panel_forward(a[2], height, columns, x[1]);
            double y[HEIGHT];
            memcpy(y, x[0], sizeof y);
            for (int k = 0; k < columns; k++)
                for (int j = k + 1; j < height; j++)
                    y[j] -= a[1][k * height + j] * y[k];
            assert_memory_equal(y, x[1], (size_t)height * sizeof(double));
            kernels->panel_backward(a[2], height, columns, x[1]);
            for (int k = columns - 1; k >= 0; k--) {
                double sum = 0.0, largest = 0.0;
                for (int j = k + 1; j < height; j++) {
                    sum += a[1][k * height + j] * x[1][j];
                    largest = fmax(largest, fabs(x[1][j]));
                }
                assert_near(x[1][k], y[k] - sum, 1e-14 * (fabs(y[k]) + largest * height));
            }
            if (level == 0)
                memcpy(x[2], x[1], sizeof x[2]);
            assert_memory_equal(x[1], x[2], (size_t)height * sizeof(double));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
