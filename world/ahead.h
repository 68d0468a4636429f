/* Derived data that a restoration makes ahead of the next step, where that step would do nothing else anew.
 */
#ifndef WORLD_AHEAD_H
#define WORLD_AHEAD_H

struct dry_world;

/* Makes islands, their layout and contact bundles of a world at rest that has none, as the next step would if
 * it is as long as the last one. They decide nothing: without memory for them the next step makes them. */
void dry_make_ahead(struct dry_world *world);

#endif
