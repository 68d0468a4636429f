/* Fat boxes: how large they are, and when they are replaced. */
#include "broadphase/fat_box.h"

/* How far a fat box extends beyond the shape. A larger margin means that fewer shapes leave their boxes and
 * that more pairs never touch. 5 cm is the way of a falling body in its first 0.1 s, six steps. A shape
 * smaller than half a meter gets a tenth of its size, lest gravel should pair with everything around it. */
static const float MARGIN_MAX = 0.05f;
static const float MARGIN_PER_SIZE = 0.1f;

/* The predicted displacement counts up to these limits. A box over a longer way would pair with more shapes
 * than a new box every step costs. */
static const float DISPLACEMENT_MAX = 1.0f;
static const float DISPLACEMENT_PER_SIZE = 2.0f;

/* A fat box that extends this many margins beyond a new one is replaced although the shape is inside it.
 * Otherwise a body that comes to rest after a fall would keep its long box and the pairs that come with it.
 */
static const float OVERSIZE_MARGINS = 4.0f;

/* Returns a float that is surely not above x. The conversion is off by half a unit in the last place at most,
 * and two to four more units are taken off; the constant is for x where those units underflow. */
static inline float below(float f)
{
    return f - (dry_abs(f) * (1.0f / 4194304.0f) + 1e-30f);
}

static float round_down(double x)
{
    return below((float)x);
}

static float round_up(double x)
{
    return -round_down(-x);
}

dry_box dry_box_from_bounds(dry_position origin, const dry_bounds *bounds)
{
    dry_position o = origin;
    return (dry_box){
        {round_down(bounds->min.x - o.x), round_down(bounds->min.y - o.y), round_down(bounds->min.z - o.z)},
        {round_up(bounds->max.x - o.x), round_up(bounds->max.y - o.y), round_up(bounds->max.z - o.z)}};
}

/* Returns the fat box of a shape, and its margin. */
static dry_box fatten(const dry_box *tight, dry_vec3 displacement, float *margin)
{
    float size = dry_max(dry_max(tight->max[0] - tight->min[0], tight->max[1] - tight->min[1]),
                         tight->max[2] - tight->min[2]);
    float way = dry_min(DISPLACEMENT_MAX, DISPLACEMENT_PER_SIZE * size);
    dry_box fat;
    *margin = dry_min(MARGIN_MAX, MARGIN_PER_SIZE * size);
    for (int k = 0; k < 3; k++) {
        float d = dry_clamp(vec3_get(displacement, k), -way, way);
        fat.min[k] = tight->min[k] - (*margin - dry_min(d, 0.0f));
        fat.max[k] = tight->max[k] + (*margin + dry_max(d, 0.0f));
    }
    return fat;
}

static bool is_oversized(const dry_box *box, const dry_box *wanted, float excess)
{
    bool over = false;
    for (int k = 0; k < 3; k++)
        over |= wanted->min[k] - box->min[k] > excess || box->max[k] - wanted->max[k] > excess;
    return over;
}

dry_box dry_fat_box(const dry_box *tight)
{
    float margin;
    return fatten(tight, vec3(0.0f, 0.0f, 0.0f), &margin);
}

bool dry_fat_box_update(dry_box *fat, const dry_box *tight, dry_vec3 displacement)
{
    float margin;
    dry_box wanted = fatten(tight, displacement, &margin);
    if (dry_box_contains(fat, tight) && !is_oversized(fat, &wanted, OVERSIZE_MARGINS * margin))
        return false;
    *fat = wanted;
    return true;
}

void dry_fat_boxes_find_expired(dry_fat_box_block *block, int32_t expired[DRY_FAT_BOXES])
{
    dry_fat_box_block *b = block;
    dry_fat_box_lanes size = {0.0f}, margin, way;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < DRY_FAT_BOXES; i++) {
            b->min[k][i] = below(b->min[k][i]);
            b->max[k][i] = -below(-b->max[k][i]);
            size[i] = dry_max(size[i], b->max[k][i] - b->min[k][i]);
        }
    for (int i = 0; i < DRY_FAT_BOXES; i++) {
        margin[i] = dry_min(MARGIN_MAX, MARGIN_PER_SIZE * size[i]);
        way[i] = dry_min(DISPLACEMENT_MAX, DISPLACEMENT_PER_SIZE * size[i]);
        expired[i] = 0;
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < DRY_FAT_BOXES; i++) {
            float d = dry_clamp(b->displacement[k][i], -way[i], way[i]);
            float low = b->min[k][i] - (margin[i] - dry_min(d, 0.0f));
            float high = b->max[k][i] + (margin[i] + dry_max(d, 0.0f));
            float excess = OVERSIZE_MARGINS * margin[i];
            expired[i] |= (b->fat_min[k][i] > b->min[k][i]) | (b->max[k][i] > b->fat_max[k][i]) |
                          (low - b->fat_min[k][i] > excess) | (b->fat_max[k][i] - high > excess);
        }
}
